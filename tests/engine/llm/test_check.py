from engine.llm.backends import make_backend
from engine.llm.check import STEPS, CheckStep, check_model
from tests.engine.llm.conftest import Peer
from tests.engine.llm.servers import Call
from tests.engine.llm.servers.ollama import ScriptedOllama

REST = '{"reasoning": "It is weak.", "goal": "REST", "confidence": 80}'


async def check(peer: Peer, text: str = REST, reason: str = "stop") -> dict[str, CheckStep]:
    def play(call: Call) -> None:
        peer.server.say(call, text)
        peer.server.end(call, reason)

    peer.server.play = play
    steps = await check_model(peer.backend, first_token_timeout_s=30, answer_timeout_s=30)
    assert tuple(step.name for step in steps) == STEPS
    return {step.name: step for step in steps}


async def test_a_good_model_passes_every_step(peer: Peer) -> None:
    steps = await check(peer)
    assert all(step.is_ok for step in steps.values())
    assert not any(step.remedy for step in steps.values())
    assert steps["server"].text == f"{peer.kind} answers"
    assert steps["answer"].text == REST
    assert "first word after" in steps["speed"].text


async def test_a_good_model_of_a_server_without_a_list_passes_every_step(peer: Peer) -> None:
    if peer.kind != "ollama":  # which always has one
        peer.server.models = None
    steps = await check(peer)
    assert all(step.is_ok for step in steps.values())
    assert peer.kind == "ollama" or "does not list" in steps["model"].text


async def test_a_mended_answer_passes_with_a_remark(peer: Peer) -> None:
    steps = await check(peer, f"```json\n{REST}\n```")
    assert steps["schema"].is_ok
    assert "after mending" in steps["schema"].text
    assert steps["schema"].remedy


async def test_an_answer_of_another_form_fails_the_schema_alone(peer: Peer) -> None:
    for text, said in (
        (REST.replace("REST", "DANCE"), "wrong: goal"),
        (REST.replace("80", '"80"'), "wrong: confidence"),
        ('{"goal": "REST"}', "wrong: reasoning, confidence"),
        ("I would rest.", "no JSON object"),
    ):
        steps = await check(peer, text)
        assert steps["schema"].is_ok is False
        assert said in steps["schema"].text
        assert steps["speed"].is_ok


async def test_an_empty_answer_fails(peer: Peer) -> None:
    steps = await check(peer, "", "length")
    assert (steps["answer"].is_ok, steps["schema"].is_ok) == (False, False)
    assert steps["answer"].remedy


async def test_a_question_that_fails_leaves_the_rest_untried(peer: Peer) -> None:
    peer.server.scenario = "status 503"
    steps = {step.name: step for step in await check_model(peer.backend)}
    assert [step.is_ok for step in steps.values()] == [True, True, True, False, None, None]
    assert "503" in steps["answer"].text
    assert "busy" in steps["answer"].remedy


async def test_a_server_that_is_not_there_leaves_all_untried() -> None:
    backend = make_backend("scripted", base_url="http://127.0.0.1:9")
    steps = await check_model(backend)
    await backend.close()
    assert [step.is_ok for step in steps] == [False, *[None] * 5]
    assert "ollama serve" in steps[0].remedy


async def test_a_missing_model_is_told_with_those_that_there_are() -> None:
    with ScriptedOllama(models=[f"model{n}:latest" for n in range(10)]) as server:
        backend = make_backend("other", base_url=server.url)
        steps = await check_model(backend)
        await backend.close()
    assert [step.is_ok for step in steps] == [True, False, *[None] * 4]
    assert "model0:latest" in steps[1].text
    assert "model9" not in steps[1].text
    assert "ollama pull other" in steps[1].remedy


async def test_loading_is_timed_apart() -> None:
    with ScriptedOllama(models=["other", "scripted:latest"], load_s=0.2) as server:
        backend = make_backend("scripted", base_url=server.url)
        steps = await check_model(backend)
        await backend.close()
    assert steps[2].is_ok
    assert float(steps[2].text.removeprefix("loaded after ").removesuffix(" s")) >= 0.2


async def test_a_model_that_does_not_load_is_told() -> None:
    with ScriptedOllama(models=["other", "scripted:latest"], load_s=60) as server:
        backend = make_backend("scripted", base_url=server.url, load_timeout_s=0.1)
        steps = await check_model(backend)
        await backend.close()
    assert [step.is_ok for step in steps] == [True, True, False, None, None, None]
    assert "load_timeout_s" in steps[2].remedy
