import threading
from collections.abc import AsyncIterator

import pytest

from engine.errors import LLMConnectionError
from engine.events import WarningRaised
from engine.planning.models.backends.base import ChatRequest, Chunk, ModelStatus
from engine.planning.models.backends.tokens import estimate_tokens
from tests.engine.planning.models.fake_backends import (
    BUSY,
    GIVE_UP_S,
    LONG_S,
    READY,
    REFUSED,
    Clock,
    FakeBackend,
    answer,
    drips,
    fails,
    held,
    listening,
    says,
)
from tests.engine.planning.models.queries import TOWN, query


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend()


def test_three_failures_in_a_row_make_it_wait_and_come_back():
    backend = FakeBackend(fails(BUSY), fails(BUSY), fails(BUSY), says())
    clock = Clock()
    with listening(backend, clock=clock) as heard:
        for key in "abc":
            heard.ask(query(key=key))
        waiting = heard.until_state("waiting")
        assert "503" in waiting.detail
        assert 0.04 <= waiting.retry_in_s <= 0.06
        clock.now += 1.0
        heard.ask(query(key="d"))
        assert [plan.key for plan in heard.plans] == ["d"]
        assert heard.status.state == "ready"
    failed_thrice = ["asking", "ready", "asking", "ready", "asking", "waiting"]
    assert heard.states == ["ready", *failed_thrice, "ready", "asking", "ready"]


def test_planner_asks_the_newest_of_the_waiting_queries(backend):
    backend.status = ModelStatus("unreachable")
    with listening(backend, cooldown_s=0.01) as heard:
        for key in "abc":
            heard.planner.submit(query(key=key))
            heard.until(lambda seen=backend.probes: backend.probes > seen)
            assert not heard.planner.is_idle
        backend.status = READY
        heard.until(lambda: heard.planner.is_idle)
        heard.hear()
    assert [plan.key for plan in heard.plans] == ["c"]


def test_planner_failures_is_open_to_newer_questions_while_one_waits_for_a_model():
    gate, clock = threading.Event(), Clock()
    backend = FakeBackend(held(gate))
    backend.status = ModelStatus("unreachable", "Start it.")
    with listening(backend, cooldown_s=0.01, before=[query()], clock=clock) as heard:
        heard.until_state("unreachable")
        heard.until(lambda: heard.planner.is_open)
        heard.planner.submit(query(key="newer"))
        heard.until(lambda: heard.planner.is_open)
        assert not heard.planner.is_idle
        backend.status = READY
        clock.now += 1.0
        heard.until(lambda: backend.requests)
        assert not heard.planner.is_open  # it is answered now
        gate.set()
        heard.until(lambda: heard.plans)
    assert [plan.key for plan in heard.plans] == ["newer"]


def test_one_refusal_is_enough_to_wait_while_known_queries_are_answered():
    backend = FakeBackend(says(), fails(REFUSED))
    with listening(backend, cooldown_s=LONG_S) as heard:
        heard.ask(query(key="a"))
        heard.ask(query(key="b"))
        status = heard.until_state("refused")
        assert "Check the key." in status.detail
        assert status.retry_in_s > LONG_S / 100
        heard.ask(query(key="a"))
        heard.planner.submit(query(key="c"))
    assert [plan.key for plan in heard.plans] == ["a", "a"]
    assert len(backend.requests) == 2


@pytest.mark.parametrize("state", ["missing", "unreachable", "refused"])
def test_a_model_that_comes_up_later_is_used(backend, state):
    backend.status = ModelStatus(state, "Do this or that.")
    clock = Clock()
    with listening(backend, cooldown_s=0.01, before=[query()], clock=clock) as heard:
        status = heard.until_state(state)
        assert status.detail == "Do this or that."
        assert 0.008 <= status.retry_in_s <= 0.012
        heard.until(lambda: backend.probes >= 4)  # it is tried again and again
        assert not heard.planner.is_idle
        assert backend.requests == []
        backend.status = READY
        clock.now += 1.0
        heard.until(lambda: heard.plans)
        heard.until_state("ready")
    assert len(backend.requests) == 1


def test_question_waits_while_a_model_is_loaded(backend):
    loaded = threading.Event()
    backend.status, backend.load_error = ModelStatus("loading", "Not in memory yet."), loaded
    with listening(backend, before=[query()]) as heard:
        assert heard.until_state("loading").detail == "Not in memory yet."
        heard.until(lambda: backend.loads == 1)
        assert not heard.planner.is_idle
        assert backend.requests == []
        loaded.set()
        heard.until(lambda: heard.plans)
    assert heard.states[:3] == ["loading", "ready", "asking"]


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (LLMConnectionError("It did not load."), "waiting"),
        (LLMConnectionError("It may not.", is_permanent=True), "refused"),
        (RuntimeError("broken"), "waiting"),
    ],
)
def test_a_model_that_cannot_be_loaded_is_tried_again(backend, error, state):
    backend.status, backend.load_error = ModelStatus("loading"), error
    with listening(backend, cooldown_s=0.01, before=[query()]) as heard:
        heard.until(lambda: state in heard.states)
        heard.until(lambda: backend.loads >= 2)
        backend.load_error = None
        heard.until(lambda: heard.plans)


def test_loading_has_a_deadline_of_its_own(backend):
    backend.status, backend.load_error = ModelStatus("loading"), threading.Event()
    with listening(backend, settings={"load_timeout_s": 0.01}, cooldown_s=LONG_S) as heard:
        assert "did not load within 0.01 s" in heard.until_state("waiting").detail


def test_a_server_that_lost_its_model_is_made_to_load_it_after_one_failure():
    backend = FakeBackend(fails(LLMConnectionError("No first token within 5 s.")), says())
    with listening(backend, cooldown_s=LONG_S) as heard:
        heard.until_state("ready")
        backend.status = ModelStatus("loading")
        heard.ask(query(key="a"))
        heard.until(lambda: backend.loads == 1)
        heard.ask(query(key="b"))
        assert heard.plans
        backend.behaviours, backend.status = [fails(BUSY)], ModelStatus("unreachable", "Start it.")
        heard.ask(query(key="c"))
        assert heard.until_state("unreachable").detail == "Start it."


@pytest.mark.parametrize("error", [RuntimeError("broken"), LLMConnectionError("No.")])
def test_a_probe_that_raises_is_a_server_that_cannot_be_reached(backend, error):
    backend.status = error
    with listening(backend, cooldown_s=0.01) as heard:
        heard.until_state("unreachable")
        backend.status = READY
        heard.until_state("ready")


@pytest.mark.parametrize(
    ("behaviour", "setting", "said"),
    [
        (drips(), "answer_timeout_s", "No complete answer"),
        (held(threading.Event()), "first_token_timeout_s", "No first token"),
    ],
    ids=["drips for ever", "never begins"],
)
def test_an_answer_is_cut_at_its_deadline(behaviour, setting, said):
    with listening(FakeBackend(behaviour), settings={setting: 0.05}) as heard:
        heard.ask(query())
    assert said in heard.answered[0].error
    assert heard.status.prompt_tokens > 0  # the server has read the question


def test_a_backend_that_blocks_its_thread_keeps_nobody_waiting():
    gate = threading.Event()

    async def chat(request: ChatRequest) -> AsyncIterator[Chunk]:
        gate.wait(GIVE_UP_S)  # as time.sleep does: its event loop stands still, deadlines too
        async for chunk in says()(request):
            yield chunk

    backend = FakeBackend(chat)
    with listening(backend, settings={"answer_timeout_s": 0.01}, before=[query()]) as heard:
        heard.until(lambda: backend.requests)
        for number in range(100):
            heard.planner.submit(query(key=f"meanwhile {number}"))
            heard.hear()
        assert heard.plans == []
        gate.set()
        heard.until(lambda: len(heard.plans) == 2)
    assert [plan.key for plan in heard.plans] == ["town", "meanwhile 99"]


@pytest.mark.parametrize("error", [SystemExit(1), GeneratorExit()])
def test_a_backend_that_ends_the_thread_is_told_and_ends_nothing_else(error, caplog):
    with listening(FakeBackend(fails(error))) as heard:
        heard.planner.submit(query())
        heard.until(lambda: heard.all(WarningRaised))
        heard.planner.submit(query(key="b"))
    assert heard.all(WarningRaised)[0].message.startswith("The planner stopped after an error")
    assert type(error).__name__ in caplog.text


def test_questions_beyond_a_minute_s_wait_and_are_asked():
    with listening(FakeBackend(), settings={"calls_per_minute": 1200}) as heard:
        for number in range(8):
            heard.ask(query(key=str(number)))
    assert len(heard.plans) == 8


@pytest.mark.parametrize(
    ("settings", "detail"),
    [
        ({"max_tokens_per_run": 740}, "max_tokens_per_run"),
        ({"input_price": 10.0, "max_cost_per_run": 0.007}, "max_cost_per_run"),
    ],
)
def test_a_spent_budget_ends_the_asking_but_not_what_is_known(backend, settings, detail):
    with listening(backend, settings=settings) as heard:
        heard.ask(query(key="a"))
        assert heard.status.state == "exhausted"
        assert detail in heard.status.detail
        heard.planner.submit(query(key="b"))
        heard.ask(query(key="a"))
        facts = heard.planner.save()
    assert len(backend.requests) == 1
    assert len(heard.plans) == 2
    with listening(backend, settings=settings, facts=facts, before=[query(key="b")]) as heard:
        heard.until_state("exhausted")
    assert len(backend.requests) == 1


def test_tokens_that_a_server_does_not_tell_are_estimated():
    backend = FakeBackend(says(thinks="Hm.", tokens=(0, 0)))
    with listening(backend, settings={"input_price": 1, "output_price": 2}) as heard:
        heard.ask(query())
    (request,), (answered,) = backend.requests, heard.answered
    prompt = estimate_tokens(request.system) + estimate_tokens(request.user)
    said = estimate_tokens(answer() + "Hm.")
    assert (answered.prompt_tokens, answered.answer_tokens) == (prompt, said)
    assert answered.cost == pytest.approx((prompt + 2 * said) / 1e6)
    assert heard.status.cost == answered.cost


def test_a_question_that_nobody_took_costs_nothing():
    with listening(FakeBackend(fails(BUSY))) as heard:
        heard.ask(query())
    assert (heard.status.prompt_tokens, heard.status.cost) == (0, 0)


def test_several_models_are_asked_at_once_and_vote():
    gate = threading.Event()
    wise = FakeBackend(held(gate, says(answer(TOWN[1], 60))), model="wise")
    other = FakeBackend(held(gate, says(answer(TOWN[2], 90))), model="other")
    third = FakeBackend(held(gate, says(answer(TOWN[1], 80))), model="third")
    with listening(wise, other, third) as heard:
        heard.planner.submit(query(), weights={"wise": 0.9, "other": 0.2})
        heard.until(lambda: len(heard.requested) == 3)  # while none has answered
        gate.set()
        heard.until(lambda: heard.plans)
    (plan,) = heard.plans
    assert (plan.option, plan.goal_sources) == (TOWN[1], ("wise", "third"))
    assert plan.confidence == pytest.approx((0.54 + 0.4) / (0.54 + 0.4 + 0.18) * 0.7)
    assert sorted(one.exchange for one in heard.answered) == [1, 2, 3]
    assert {one.model for one in heard.answered} == {"wise", "other", "third"}
    assert heard.status.model == "wise, other, third"


def test_a_model_that_fails_does_not_hold_the_others():
    good = FakeBackend(model="good")
    bad = FakeBackend(fails(REFUSED), model="bad")
    with listening(good, bad, cooldown_s=LONG_S) as heard:
        heard.ask(query(key="a"))
        heard.until(lambda: "Check the key." in heard.status.detail)
        assert heard.status.state == "ready"
        assert heard.status.detail.startswith("bad: ")
        heard.ask(query(key="b"))
    assert [plan.goal_sources for plan in heard.plans] == [("good",), ("good",)]
    assert len(bad.requests) == 1


def test_a_model_that_hangs_or_is_loaded_does_not_hold_the_others_beyond_the_deadline():
    good, slow = FakeBackend(model="good"), FakeBackend(model="slow")
    hung = FakeBackend(held(threading.Event()), model="hung")
    slow.status, slow.load_error = ModelStatus("loading"), threading.Event()
    with listening(good, hung, slow, settings={"first_token_timeout_s": 0.1}) as heard:
        heard.ask(query())
    assert [plan.goal_sources for plan in heard.plans] == [("good",)]


def test_the_first_model_that_is_ready_does_not_decide_alone():
    looked = threading.Event()
    first, second = FakeBackend(model="first"), FakeBackend(model="second")
    second.status = looked
    with listening(first, second) as heard:
        heard.until_state("ready")
        heard.planner.submit(query())
        heard.until(lambda: not heard.planner._slot)
        assert first.requests == []
        looked.set()
        heard.until(lambda: heard.plans)
    assert heard.plans[0].goal_sources == ("first", "second")
