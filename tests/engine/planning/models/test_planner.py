import asyncio
import dataclasses
import json
import logging
import math
import threading
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest

from engine.events import PlanAnswered, PlannerStatusChanged, PlanRequested, PlanStreamed
from engine.events import WarningRaised as Warned
from engine.planning.models.backends.base import ChatRequest, Chunk
from engine.planning.models.exchanges import ExchangeLog, scan
from engine.planning.models.prompt import Notes
from engine.planning_types import Outcome, Section
from tests.engine.planning.models.fake_backends import (
    BUSY,
    LONG_S,
    REFUSED,
    FakeBackend,
    answer,
    fails,
    held,
    listening,
    make_planner,
    says,
)
from tests.engine.planning.models.queries import TOWN, query
from tests.engine.states import make_goal_outcome


def test_a_query_brings_a_plan_and_all_that_led_to_it():
    backend = FakeBackend(says(answer(TOWN[2], 70), thinks="Hm. Where to?"))
    with listening(backend) as heard:
        heard.ask(query(key="k", trigger="stuck", env_index=5))
    (plan,) = heard.plans
    assert (plan.key, plan.goal_sources, plan.option) == ("k", ("fake",), TOWN[2])
    assert (plan.confidence, plan.reasoning) == (0.7, "It is near.")
    (asked,), (answered,) = heard.requested, heard.answered
    assert (asked.exchange, asked.env_index, asked.model) == (1, 5, "fake")
    assert asked.trigger == "stuck"
    (request,) = backend.requests
    assert asked.prompt == f"{request.system}\n\n{request.user}"
    assert heard.streamed() == answer(TOWN[2], 70)
    assert heard.streamed(is_thinking=True) == "Hm. Where to?"
    assert (answered.exchange, answered.goal, answered.error) == (1, TOWN[2].text, "")
    assert (answered.prompt_tokens, answered.answer_tokens) == (700, 40)
    assert 0 <= answered.first_token_s <= answered.latency_s
    assert heard.states == ["ready", "asking", "ready"]
    assert (heard.status.calls, heard.status.failures) == (1, 0)
    assert heard.status.median_latency_s == answered.latency_s
    kinds = [type(event) for event in heard.events if not isinstance(event, PlannerStatusChanged)]
    assert kinds == [PlanRequested, PlanStreamed, PlanStreamed, PlanAnswered]


def test_a_known_query_is_answered_without_asking():
    backend = FakeBackend()
    with listening(backend) as heard:
        heard.ask(query(key="k"))
        heard.ask(query(key="k", env_index=3, trigger="late"))
    assert len(backend.requests) == 1
    assert heard.plans[0] == heard.plans[1]
    assert [one.is_cached for one in heard.answered] == [False, True]
    assert [one.exchange for one in heard.answered] == [1, 2]
    assert (heard.status.calls, heard.status.cached) == (1, 1)


def test_another_instruction_is_another_question_and_a_longer_summary_is_not():
    backend = FakeBackend()
    with listening(backend) as heard:
        heard.ask(query(), Notes(instruction="heal first"))
        heard.ask(query(), Notes(instruction="heal first", summary="Much has happened."))
        heard.ask(query(), Notes(instruction="to the gym"))
    assert len(backend.requests) == 2
    assert "to the gym" in backend.requests[1].user


@pytest.fixture
def gate() -> threading.Event:
    return threading.Event()


def test_submit_and_poll_never_wait_for_a_hanging_model_and_the_latest_question_wins(gate):
    backend = FakeBackend(held(gate))
    with listening(backend, before=[query(key="first")]) as heard:
        heard.until(lambda: heard.requested)
        for number in range(2000):
            heard.planner.submit(query(key=str(number)))
            heard.hear()
        assert not heard.planner.is_idle
        assert heard.plans == []
        assert len(backend.requests) == 1
        gate.set()
        heard.until(lambda: heard.planner.is_idle)
    assert [plan.key for plan in heard.plans] == ["first", "1999"]


def test_planner_is_idle_only_when_nothing_is_asked_or_waits(gate):
    backend = FakeBackend(held(gate))
    planner = make_planner(backend)
    assert planner.is_idle
    planner.submit(query())
    assert not planner.is_idle
    with listening(backend, before=[query()]) as heard:
        assert not heard.planner.is_idle
        heard.until(lambda: heard.requested)
        assert not heard.planner.is_idle
        gate.set()
        heard.until(lambda: heard.planner.is_idle)
    assert len(heard.plans) == 1


def test_words_that_stream_in_are_told_several_at_once():
    long = answer()[:-2] + ", " + '"note": "' + "la " * 500 + '"}'
    with listening(FakeBackend(says(long, piece=1))) as heard:
        heard.ask(query())
    events = heard.all(PlanStreamed)
    assert heard.streamed() == long
    assert len(events) <= len(long) / 200 + 1 + 10 * heard.answered[0].latency_s


def test_slow_words_are_told_before_the_answer_is_complete(gate):
    async def chat(request: ChatRequest) -> AsyncIterator[Chunk]:
        yield Chunk(answer()[:10])
        async for chunk in held(gate, says(answer()[10:]))(request):
            yield chunk

    with listening(FakeBackend(chat), before=[query()]) as heard:
        heard.until(lambda: heard.streamed() == answer()[:10])
        gate.set()
        heard.until(lambda: heard.plans)


@pytest.mark.parametrize(
    "said", ["", "I would go north.", '{"choice": "fly to the moon"}', "{" * 3000, "null"]
)
def test_an_answer_that_cannot_be_read_is_counted_and_brings_nothing(said):
    with listening(FakeBackend(says(said or " "))) as heard:
        heard.ask(query())
    (answered,) = heard.answered
    assert answered.error
    assert (answered.goal, answered.confidence) == ("", 0.0)
    assert heard.plans == []
    assert heard.status.state == "ready"
    assert heard.status.failures == 1
    assert answered.error in heard.status.detail


def test_the_same_state_is_not_asked_about_again_after_an_unreadable_answer():
    backend = FakeBackend(says("no"), says())
    with listening(backend) as heard:
        heard.ask(query(key="a"))
        heard.ask(query(key="a"))
        assert len(backend.requests) == 1
        heard.ask(query(key="b"))
        heard.ask(query(key="a"))
        assert len(backend.requests) == 2
        heard.ask(query(key="a"), Notes(instruction="heal"))
    assert len(heard.plans) == 2


def test_the_same_state_rests_after_a_lost_answer_and_no_longer():
    backend = FakeBackend(fails(BUSY), says())
    with listening(backend, cooldown_s=LONG_S) as heard:
        heard.ask(query(key="a"))
        heard.until(lambda: backend.probes == 2)
        heard.ask(query(key="a"))
        assert len(backend.requests) == 1
    backend = FakeBackend(fails(BUSY), says())
    with listening(backend, cooldown_s=0.01) as heard:
        heard.ask_until_planned(query(key="a"))
    assert len(backend.requests) == 2


def test_a_model_that_comes_back_is_asked_again_about_what_failed():
    backend = FakeBackend(says("no"), fails(REFUSED), says())
    with listening(backend) as heard:
        heard.ask(query(key="a"))
        heard.ask(query(key="b"))
        heard.until_state("ready")
        heard.until(lambda: heard.status.state == "ready")
        heard.ask(query(key="a"))
    assert [plan.key for plan in heard.plans] == ["a"]


def test_planner_asks_nothing_while_a_server_is_probed_after_a_failure():
    looked = threading.Event()
    backend = FakeBackend(fails(BUSY), says())
    with listening(backend) as heard:
        heard.until_state("ready")
        backend.status = looked
        heard.ask(query(key="a"))
        heard.until(lambda: backend.probes == 2)
        heard.planner.submit(query(key="b"))
        heard.until(lambda: not heard.planner._slot)
        assert not heard.planner.is_idle
        assert len(backend.requests) == 1
        looked.set()
        heard.until(lambda: heard.plans)
    # Each is told once: ready, asking, ready, with what was wrong, and the same again.
    assert len(heard.all(PlannerStatusChanged)) == 5


def test_failures_that_are_not_in_a_row_do_not_add_up():
    backend = FakeBackend(fails(BUSY), fails(BUSY), says(), fails(BUSY), fails(BUSY), says())
    with listening(backend, cooldown_s=LONG_S) as heard:
        for key in "abcdef":
            heard.ask(query(key=key))
    assert [plan.key for plan in heard.plans] == ["c", "f"]
    assert "waiting" not in heard.states


@pytest.mark.parametrize(
    "error",
    [
        BUSY,
        TimeoutError(),
        ConnectionResetError("reset"),
        RuntimeError("broken"),
        KeyError("choices"),
        RecursionError(),
        MemoryError(),
        asyncio.CancelledError(),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
    ],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("after", ["", '{"choice": '])
def test_exceptions_of_backends_are_counted_failures(error, after):
    backend = FakeBackend(fails(error, after), says())
    with listening(backend) as heard:
        heard.ask(query(key="a"))
        (failed,) = heard.answered
        assert failed.error
        assert heard.streamed() == after
        assert math.isnan(failed.first_token_s) == (not after)
        heard.until(lambda: backend.probes == 2)  # its server was looked at
        heard.ask(query(key="b"))
        assert [plan.key for plan in heard.plans] == ["b"]
        assert (heard.status.calls, heard.status.failures) == (2, 1)
        assert heard.status.detail == ""
    assert not heard.all(Warned)


def test_an_error_of_our_own_is_logged_once_and_others_are_answered(caplog):
    broken: Any = (Section("place", 5, 0),)  # type: ignore[arg-type]  # the error of our own
    with caplog.at_level(logging.ERROR), listening(FakeBackend()) as heard:
        for key in ("a", "b", "a"):
            heard.ask(query(key=key, sections=broken))
        heard.ask(query(key="c"))
    assert [plan.key for plan in heard.plans] == ["c"]
    assert len(caplog.records) == 1
    assert len(heard.all(Warned)) == 1
    assert heard.status.failures == 2  # the second "a" was not tried
    assert heard.status.state == "ready"


def test_a_resumed_planner_knows_what_it_knew_and_goes_on_counting():
    with listening(FakeBackend(says(), fails(BUSY))) as heard:
        heard.ask(query(key="a"))
        heard.ask(query(key="b"))
        facts = json.loads(json.dumps(heard.planner.save()))
    backend = FakeBackend()
    with listening(backend, facts=facts) as resumed:
        resumed.ask(query(key="a"))
        resumed.ask(query(key="c"))
    assert len(backend.requests) == 1
    assert resumed.plans[0] == heard.plans[0]
    assert [one.exchange for one in resumed.answered] == [3, 4]
    status = resumed.status
    assert (status.calls, status.failures, status.cached) == (3, 1, 1)
    assert status.prompt_tokens == 1400


def test_plans_of_other_models_are_not_taken_from_what_is_known():
    with listening(FakeBackend()) as heard:
        heard.ask(query())
        facts = heard.planner.save()
    other = FakeBackend(model="other")
    with listening(other, facts=facts) as heard:
        heard.ask(query())
    assert len(other.requests) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"counts": {"calls": -1}},
        {"counts": {"calls": 1.5}},
        {"counts": {"other": 1}},
        {"counts": None},
        {"budget": {}},
        {"cache": [["a", {}]]},
        {"cache": None},
    ],
)
def test_damaged_facts_are_refused(change):
    planner = make_planner(FakeBackend())
    facts = {**planner.save(), **change}
    with pytest.raises((KeyError, TypeError, ValueError)):
        planner.load(facts)
    with pytest.raises(KeyError):
        planner.load({})


def test_exchanges_are_kept_with_the_plan_they_became_and_its_goal_outcome(path):
    log = ExchangeLog(path)
    behaviours = {
        "a": says(answer(TOWN[1])),
        "b": says(answer(TOWN[1])),
        "c": says(answer(TOWN[2])),
        "d": fails(BUSY, "well"),
    }
    models = [FakeBackend(behaviour, model=model) for model, behaviour in behaviours.items()]
    with listening(*models, exchanges=log) as heard:
        heard.ask(query(key="k"))
        (plan,) = heard.plans
        assert plan.option is TOWN[1]
        log.add_goal_outcome(
            make_goal_outcome(key="k", goal_source=plan.goal_source, text=plan.option.text)
        )
    rows = {row["model"]: row for row in scan(path).exchanges}
    assert [rows[model]["setter"] for model in "abcd"] == ["a+b", "a+b", "", ""]
    assert [rows[model]["outcome"] for model in "abcd"] == ["reached", "reached", "", ""]
    assert rows["a"]["prompt"] == heard.requested[0].prompt
    assert (rows["c"]["goal"], rows["c"]["text"]) == (TOWN[2].text, answer(TOWN[2]))
    assert rows["d"]["text"] == "well"
    assert "503" in rows["d"]["error"]


def test_goal_outcomes_are_written_while_nothing_is_asked_and_numbers_go_on_from_the_file(path):
    log = ExchangeLog(path)
    with listening(FakeBackend(), exchanges=log) as heard:
        heard.ask(query(key="k"))
        log.add_goal_outcome(
            make_goal_outcome(Outcome.FAILED, key="k", goal_source="fake", text=TOWN[1].text)
        )
        heard.until(lambda: scan(path).exchanges[0]["outcome"] == "failed")
    with listening(FakeBackend(), exchanges=ExchangeLog(path)) as heard:
        heard.ask(query(key="other"))
    assert [row["exchange"] for row in scan(path).exchanges] == [1, 2]


def test_a_disk_that_refuses_is_one_warning_and_plans_go_on(tmp_path):
    log = ExchangeLog(tmp_path / "gone" / "exchanges.jsonl")
    with listening(FakeBackend(), exchanges=log) as heard:
        heard.ask(query(key="a"))
        heard.ask(query(key="b"))
    assert len(heard.plans) == 2
    assert len(heard.all(Warned)) == 1


def test_planner_bounds_events_and_plans_that_nobody_polls():
    with listening(FakeBackend()) as heard:
        heard.ask(query())
        for _ in range(3000):
            heard.planner.submit(query())
            while not heard.planner.is_idle:
                time.sleep(0)
        plans, events = heard.planner.poll()
    assert len(plans) <= 4096
    assert len(events) == 4096


def test_many_threads_may_submit_and_poll():
    with listening(FakeBackend()) as heard:

        def work(name: str) -> None:
            for number in range(200):
                heard.planner.submit(query(key=f"{name}{number}"))
                plans, _ = heard.planner.poll()
                found.extend(plans)

        found: list[Any] = []
        threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        heard.until(lambda: heard.planner.is_idle)
    plans = found + heard.plans
    assert plans
    assert len({plan.key for plan in plans}) == len(plans)
    assert all(dataclasses.is_dataclass(plan) for plan in plans)
