"""What RAM proved right becomes examples, in the form that fine-tuning takes."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.config import PlannerConfig
from engine.games.catalog import load_game
from engine.games.crystal.game import CrystalGame
from engine.planning.goals.text_state import rules
from engine.planning.models.exchanges import ExchangeLog, scan
from engine.planning.models.fine_tuning import (
    Example,
    Requirements,
    Selection,
    select,
    split,
    statistics,
)
from engine.planning.models.prompt import MAX_REASONING, Notes, compose
from engine.planning.models.reply import read_plan
from engine.planning_types import GoalOption, Outcome
from tests.engine.planning.models.queries import BATTLE, TOWN, query
from tests.engine.planning.models.replies import REPLIES
from tests.engine.planning.models.test_exchanges import exchange, write
from tests.engine.states import make_goal_outcome as goal_outcome

HERE = query(TOWN)
REQUEST = compose(HERE, Notes(), max_tokens=8000, settings=PlannerConfig())
PROMPT = f"{REQUEST.system}\n\n{REQUEST.user}"
PROVEN = goal_outcome(made_progress=True)
KEY = "sk-proj-0123456789abcdef"
CHOSEN: dict[str, Any] = {
    "prompt": PROMPT,
    "choice": "reach exit 1",
    "goal": TOWN[1].text,
    "text": '{"choice": "reach exit 1"}',
    "repairs": (),
}


def rows(folder: Path, *entries: Any) -> list[dict[str, Any]]:
    path = folder / "exchanges.jsonl"
    write(ExchangeLog(path), *entries)
    return scan(path).exchanges


def selected(folder: Path, *entries: Any, **requirements: Any) -> Selection:
    return select(rows(folder, *entries), Requirements(**requirements))


def answer_of(example: Example) -> dict[str, Any]:
    messages = json.loads(example.line())["messages"]
    assert [sorted(message) for message in messages] == [["content", "role"]] * 3
    assert [message["role"] for message in messages] == ["system", "user", "assistant"]
    answer: dict[str, Any] = json.loads(messages[2]["content"])
    assert list(answer) == ["choice", "success", "confidence", "reasoning"]
    return answer


def test_an_example_is_the_chat_that_was_asked_and_its_answer(tmp_path):
    (example,) = selected(tmp_path, exchange(**CHOSEN), PROVEN).examples
    assert answer_of(example) == {
        "choice": "reach exit 1",
        "success": "entered the place",
        "confidence": 80,
        "reasoning": "It is near.",
    }
    assert (example.system, example.user) == (REQUEST.system, REQUEST.user)
    assert example.line().count(b"\n") == 1


@pytest.mark.parametrize("reply", [pytest.param(reply, id=reply.name) for reply in REPLIES])
def test_a_repaired_answer_is_written_as_the_prompt_asks_for(tmp_path, reply):
    reading = read_plan(reply.text, reply.done_reason, HERE, "m")
    if reading.plan is None:
        return
    plan = reading.plan
    found = {
        "goal": plan.option.text,
        "choice": f"{plan.option.kind} {plan.option.target}".strip(),
        "condition": str(plan.condition),
        "confidence": plan.confidence,
        "reasoning": plan.reasoning,
        "thinking": "I wonder",
        "repairs": reading.repairs,
        "text": reply.text,
    }
    (example,) = selected(tmp_path, exchange(**CHOSEN | found), PROVEN).examples
    again = read_plan(example.answer, "stop", HERE, "m")
    assert again.repairs == ()
    assert again.plan is not None
    assert (again.plan.option, again.plan.condition) == (plan.option, plan.condition)
    assert again.plan.confidence == pytest.approx(plan.confidence, abs=0.0051)
    assert len(answer_of(example)["reasoning"]) <= MAX_REASONING
    assert "I wonder" not in example.line().decode()
    assert "<think>" not in example.answer


FAILED, AIMLESS = goal_outcome(Outcome.FAILED), goal_outcome()
CONTROL = replace(PROVEN, is_control=True)
REPLACED = replace(PROVEN, outcome=Outcome.REPLACED)


@pytest.mark.parametrize(
    ("changes", "outcomes", "requirements", "why"),
    [
        ({}, (PROVEN, FAILED), {}, ""),
        ({}, (PROVEN, CONTROL, CONTROL, REPLACED, REPLACED), {}, ""),
        ({}, (AIMLESS,), {"needs_progress": False}, ""),
        ({}, (PROVEN, PROVEN), {"min_right": 2, "min_success": 1.0}, ""),
        ({"choice": ""}, (PROVEN,), {}, ""),  # as older runs wrote
        ({}, (), {}, "never followed to an end"),
        ({}, (CONTROL, REPLACED), {}, "never followed to an end"),
        ({}, (FAILED,), {"needs_progress": False}, "not reached"),
        ({}, (AIMLESS,), {}, "reached without progress"),
        ({}, (replace(FAILED, made_progress=True), AIMLESS), {}, "reached without progress"),
        ({}, (PROVEN, FAILED, FAILED), {}, "right too rarely"),
        ({}, (PROVEN,), {"min_right": 2}, "right too rarely"),
        ({"goal": "", "setter": "", "error": "no"}, (), {}, "no goal in the answer"),
        ({"setter": ""}, (PROVEN,), {}, "outvoted"),
        ({}, (PROVEN,), {"models": ["gpt-9"]}, "of other models"),
        ({"choice": "", "repairs": ("fence",)}, (PROVEN,), {}, "choice unknown"),
        ({"choice": "reach exit 3"}, (PROVEN,), {}, "choice not in the prompt"),
        ({"prompt": PROMPT[: PROMPT.index("Choices:")]}, (PROVEN,), {}, "choice not in the prompt"),
        ({"prompt": PROMPT.replace("You are asked", KEY)}, (PROVEN,), {}, "contains a key"),
        ({"reasoning": "As hunter2 says."}, (PROVEN,), {"secrets": ["hunter2"]}, "contains a key"),
        ({"condition": "it is fun"}, (PROVEN,), {}, "damaged"),
        ({"confidence": 7.0}, (PROVEN,), {}, "damaged"),
        ({"prompt": f"\ud800{PROMPT}"}, (PROVEN,), {}, "damaged"),
    ],
)
def test_what_is_not_proven_or_not_whole_is_dropped_with_the_reason(
    tmp_path, changes, outcomes, requirements, why
):
    made = exchange(**CHOSEN | changes)
    found = selected(tmp_path, made, *outcomes, **requirements)
    assert (len(found.examples), dict(found.dropped)) == ((0, {why: 1}) if why else (1, {}))


def test_of_answers_alike_the_one_right_most_often_is_kept(tmp_path):
    entries = [
        exchange(1, **CHOSEN, confidence=0.1, time=1.0), PROVEN,
        exchange(2, **CHOSEN, confidence=0.2, time=2.0), PROVEN, PROVEN,
        exchange(3, **CHOSEN, confidence=0.3, time=3.0), PROVEN,
        exchange(4, **CHOSEN | {"choice": "heal", "goal": TOWN[8].text}, confidence=0.4), PROVEN,
    ]  # fmt: skip
    found = selected(tmp_path, *entries)
    assert [answer_of(one)["confidence"] for one in found.examples] == [20, 40]
    assert found.dropped == {"duplicate": 2}
    again = select(scan(tmp_path / "exchanges.jsonl").exchanges, Requirements(has_duplicates=True))
    assert len(again.examples) == 4


def example(number: int, key: str, place: str = "", user: str = "") -> Example:
    return Example(
        key, place, "m", "reach", "reach exit 1", "Rules.", user or f"Asked {number}.", "{}",
        1, 1, float(number),
    )  # fmt: skip


few = st.sampled_from("abcdefgh")
sets = st.lists(st.tuples(few, few | st.just(""), few | st.just("")), max_size=30).map(
    lambda names: [example(number, *each) for number, each in enumerate(names)]
)


@given(sets, st.floats(0, 0.9), st.randoms(use_true_random=False))
def test_nothing_alike_is_on_both_sides_of_a_split(examples, share, rng):
    train, validation = split(examples, share)
    assert sorted([*train, *validation], key=lambda one: one.time) == examples
    for name in ("key", "place_key", "user"):
        known = {getattr(one, name) for one in train} - {""}
        assert not known & {getattr(one, name) for one in validation}
    if examples:
        assert train
    mixed = rng.sample(examples, len(examples))
    assert set(split(mixed, share)[1]) == set(validation)


def test_a_split_has_the_share_that_was_asked_for():
    examples = [example(number, f"key {number}") for number in range(200)]
    assert [len(split(examples, share)[1]) for share in (0, 0.1, 0.5)] == [0, 20, 100]
    assert len(split(examples[:2], 0.1)[1]) == 1
    assert not split(examples[:1], 0.5)[1]
    big = [example(number, "one") for number in range(9)]
    assert len(split([*big, example(9, "other")], 0.01)[1]) == 1


def test_statistics_count_what_was_taken_and_how_often_goals_were_right(tmp_path):
    made = exchange(1, **CHOSEN)
    other = exchange(2, **CHOSEN | {"model": "b", "setter": "b", "key": "cave"})
    found = rows(
        tmp_path, made, PROVEN, FAILED, other, replace(FAILED, key="cave", goal_source="b")
    )
    selection = select(found, Requirements())
    parts = {"train.jsonl": selection.examples, "validation.jsonl": ()}
    facts = statistics(found, selection, parts, needs_progress=True)
    assert (facts["exchanges"], facts["examples"], facts["goals"]) == (2, 1, {"reach": 1})
    assert facts["dropped"] == {"not reached": 1}
    assert facts["success"] == {"right": 1, "attempts": 3, "rate": pytest.approx(1 / 3)}
    assert facts["models"]["b"]["success"]["rate"] == 0
    assert facts["files"]["train.jsonl"]["tokens"] > 700
    assert facts["files"]["validation.jsonl"] == {"examples": 0, "tokens": 0}


@pytest.mark.parametrize("game", [CrystalGame("0" * 40, "TEST", "test"), load_game()])
def test_a_system_text_has_no_empty_line_so_that_the_first_one_ends_it(game):
    here = replace(query(BATTLE), rules=rules(game), game=game.description)
    request = compose(here, Notes(), max_tokens=8000, settings=PlannerConfig())
    assert request.system
    assert "\n\n" not in request.system


def names(options: Sequence[GoalOption]) -> set[str]:
    return {f"{one.kind} {one.target}".strip() for one in options}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "exchanges.jsonl"
    write(ExchangeLog(path), *(exchange(n, **CHOSEN, key=str(n)) for n in range(3)))
    write(ExchangeLog(path), *(replace(PROVEN, key=str(n)) for n in range(3)))
    return path.read_bytes()


odd = st.none() | st.integers() | st.floats() | st.text(max_size=5) | st.lists(st.text(max_size=2))
fields = st.sampled_from([*json.loads(json.dumps(CHOSEN)), "verdict", "key", "setter", "time"])


@settings(max_examples=50)
@given(data=st.data())
def test_whatever_a_damaged_file_holds_each_example_is_whole(whole, tmp_path_factory, data):
    lines = whole.splitlines(keepends=True)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(lines) - 1))
        if data.draw(st.booleans()):
            cut = data.draw(st.integers(0, len(lines[at])))
            lines[at] = lines[at][:cut] + data.draw(st.binary(max_size=5)) + lines[at][cut + 1 :]
        else:
            values = json.loads(whole.splitlines()[at]) | {data.draw(fields): data.draw(odd)}
            lines[at] = json.dumps(values).encode() + b"\n"
    path = tmp_path_factory.mktemp("damaged") / "exchanges.jsonl"
    path.write_bytes(b"".join(lines))
    found = scan(path).exchanges
    selection = select(found, Requirements())
    train, validation = split(selection.examples, 0.3)
    statistics(found, selection, {"train": train, "validation": validation}, needs_progress=True)
    for one in (*train, *validation):
        assert answer_of(one)["choice"] in names(TOWN)
        assert one.user == REQUEST.user or one.user.endswith(REQUEST.user[-200:])
