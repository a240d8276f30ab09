import asyncio
import json

import pytest

from engine.config import PlannerConfig
from engine.planning.models.backends import make_backend
from engine.planning.models.backends.tokens import estimate_tokens
from engine.planning.models.check import STEPS, CheckStep, check_model
from tests.engine.planning.models.conftest import Peer
from tests.engine.planning.models.fake_backends import (
    FakeBackend,
    in_no_time,
    paced,
    quick_settings,
)
from tests.engine.planning.models.servers import Call
from tests.engine.planning.models.servers.ollama import ScriptedOllama

REST = json.dumps(
    {
        "choice": "heal",
        "success": "the party is healthy",
        "confidence": 80,
        "reasoning": "It is weak.",
    }
)
PATIENT = quick_settings()


async def checked(server: ScriptedOllama, model: str = "scripted", **options) -> list[CheckStep]:
    """Return the steps of checking a model of an Ollama server."""
    backend = make_backend(model, base_url=server.url, **options)
    with server:
        steps = await check_model(backend, PATIENT)
    await backend.close()
    return steps


async def check(peer: Peer, text: str = REST, reason: str = "stop") -> dict[str, CheckStep]:
    def play(call: Call) -> None:
        peer.server.say(call, text)
        peer.server.end(call, reason)

    peer.server.play = play
    steps = await check_model(peer.backend, PATIENT)
    assert tuple(step.name for step in steps) == STEPS
    return {step.name: step for step in steps}


@pytest.mark.parametrize("has_list", [True, False])
async def test_a_good_model_passes_every_step(peer, has_list):
    if not has_list and peer.kind != "ollama":  # which always has one
        peer.server.models = None
    steps = await check(peer)
    assert all(step.is_ok and not step.remedy for step in steps.values())
    assert steps["server"].text == f"{peer.kind} responds"
    assert has_list or peer.kind == "ollama" or "does not list" in steps["model"].text
    assert steps["answer"].text == REST
    assert steps["schema"].text == "followed exactly"
    assert f", wrote {peer.server.tokens[1]} in " in steps["speed"].text


def test_a_question_as_long_as_those_of_a_run_is_asked():
    backend = FakeBackend()
    in_no_time(lambda: check_model(backend, PATIENT))
    (request,) = backend.requests
    assert 700 < estimate_tokens(request.system + request.user) < 1800
    assert "- heal: rest at the lodge" in request.user
    assert request.max_tokens == PATIENT.answer_tokens


def test_how_fast_a_model_reads_and_writes_is_told():
    backend = FakeBackend(paced((50, REST[:20]), (20, REST[20:])))
    steps = in_no_time(lambda: check_model(backend, PlannerConfig(), clock=_loop_time))
    (request,) = backend.requests
    read = estimate_tokens(request.system + request.user)
    written = estimate_tokens(REST)
    assert steps[-1].text == (
        f"read {read} tokens in 50.00 s ({read / 50:.0f}/s), "
        f"wrote {written} in 20.00 s ({written / 20:.0f}/s)"
    )


def test_a_model_that_is_too_slow_for_a_run_fails_with_the_figure_and_the_setting():
    for pieces, said, setting in (
        ([(301, REST)], "No first token within 300 s", "planner.first_token_timeout_s"),
        ([(50, "{"), (121, "}")], "No complete answer within 120 s", "planner.answer_timeout_s"),
    ):
        steps = in_no_time(lambda p=pieces: check_model(FakeBackend(paced(*p)), PlannerConfig()))
        assert [step.is_ok for step in steps] == [True, True, True, False, None, None]
        assert steps[3].text.startswith(said)
        assert setting in steps[3].remedy


def _loop_time() -> float:
    return asyncio.get_running_loop().time()


@pytest.mark.parametrize("peer", ["openai"], indirect=True)
async def test_a_server_that_answers_to_any_name_is_told_with_those_that_it_lists(peer):
    peer.server.models = ("llama", "qwen")
    steps = await check(peer)
    assert steps["model"].is_ok
    assert steps["model"].text.endswith("does not list 'scripted'; available: llama, qwen")


async def test_a_mended_answer_passes_with_a_remark(peer):
    for text in (f"```json\n{REST}\n```", REST.replace("80", '"80"')):
        steps = await check(peer, text)
        assert steps["schema"].is_ok
        assert "after repair" in steps["schema"].text


async def test_an_answer_of_another_form_fails_the_schema_alone(peer):
    for text, said in (
        (REST.replace("heal", "DANCE"), "DANCE"),
        ('{"success": "the party is healthy"}', "no readable JSON object with choice"),
        ("I would rest.", "no JSON object"),
    ):
        steps = await check(peer, text)
        assert steps["schema"].is_ok is False
        assert said in steps["schema"].text
        assert steps["schema"].remedy == "A larger model follows the format better."
        assert steps["speed"].is_ok


async def test_a_cut_off_answer_is_no_matter_of_a_larger_model(peer):
    peer.server.tokens = (900, 160)
    steps = await check(peer, '{"reasoning": "It is', "length")
    assert steps["schema"].is_ok is False
    assert "stopped after writing 160 tokens; planner.answer_tokens" in steps["schema"].text
    assert not steps["schema"].remedy
    steps = await check(peer, "", "length")
    assert (steps["answer"].is_ok, steps["schema"].is_ok) == (False, False)
    assert steps["answer"].remedy.startswith("It was stopped after writing 160 tokens")


async def test_a_question_that_fails_leaves_the_rest_untried(peer):
    peer.server.scenario = "status 503"
    steps = {step.name: step for step in await check_model(peer.backend, PATIENT)}
    assert [step.is_ok for step in steps.values()] == [True, True, True, False, None, None]
    assert "503" in steps["answer"].text
    assert "busy" in steps["answer"].remedy


async def test_a_server_that_is_not_there_leaves_all_untried(make):
    backend = make("scripted", base_url="http://127.0.0.1:9")
    steps = await check_model(backend, PATIENT)
    assert [step.is_ok for step in steps] == [False, *[None] * 5]
    assert "ollama serve" in steps[0].remedy


async def test_a_missing_model_is_told_with_those_that_there_are():
    steps = await checked(ScriptedOllama(models=[f"model{n}:latest" for n in range(10)]), "other")
    assert [step.is_ok for step in steps] == [True, False, *[None] * 4]
    assert "model0:latest" in steps[1].text
    assert "model9" not in steps[1].text
    assert "ollama pull other" in steps[1].remedy


async def test_loading_is_timed_apart_and_told_where_it_fails():
    models = ["other", "scripted:latest"]
    steps = await checked(ScriptedOllama(models=models, load_s=0.2))
    assert steps[2].is_ok
    assert float(steps[2].text.removeprefix("loaded after ").removesuffix(" s")) >= 0.2
    steps = await checked(ScriptedOllama(models=models, load_s=60), load_timeout_s=0.1)
    assert [step.is_ok for step in steps] == [True, True, False, None, None, None]
    assert "load_timeout_s" in steps[2].remedy
