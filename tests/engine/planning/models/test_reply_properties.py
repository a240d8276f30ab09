"""Whatever a model writes, a choice that exists comes of it, or nothing."""

import json

from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.planning.models.prompt import name_of
from engine.planning.models.reply import Reading, read_object, read_plan
from engine.planning_types import Condition, GoalOption, PlanningQuery
from engine.types import GoalKind
from tests.engine.planning.models.queries import BATTLE, TOWN, option, query
from tests.engine.planning.models.replies import GOOD, REPLIES

reasons = st.sampled_from(("stop", "length", "cut", "runaway", ""))
names = st.one_of(
    st.sampled_from(("", "exit 1", "exit 12", "exit 1 2", "person A", "A", "1", "GYM", "GYM ROOF")),
    st.text(max_size=12),
)
texts = st.one_of(names, st.sampled_from(("exit 1 to HOME 1F, 5 steps", "the same text")))
made = st.builds(option, st.sampled_from(GoalKind), names, texts)


def unique(options: list[GoalOption]) -> list[GoalOption]:
    return list({(one.kind, one.target): one for one in options}.values())


situations = st.one_of(
    st.sampled_from((query(TOWN), query(BATTLE))),
    st.lists(made, min_size=1, max_size=12).map(lambda found: query(unique(found))),
)

plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
values = st.recursive(
    plain | st.sampled_from(["reach exit 1", "exit 12", "reach", "person A", "high", "85%"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)
fields = st.sampled_from(
    ["choice", "goal", "target", "kind", "success", "confidence", "reasoning", "Choice", " goal"]
)
objects = st.dictionaries(fields, values, max_size=6).map(json.dumps)
scraps = st.sampled_from(
    (
        *('{"choice": "reach exit 1"', '"', "{", "}", "[", "]", ",", ":", "\\", "'", "//", "```"),
        *("<think>", "</think>", '"goal": "reach"', '"target": "exit 12"', " ", "NaN", "\ud800"),
    )
)
written = st.one_of(
    st.text(max_size=200),
    objects,
    st.lists(scraps | objects | st.text(max_size=5), max_size=12).map("".join),
    st.sampled_from([reply.text for reply in REPLIES]),
)


def assert_safe(reading: Reading, here: PlanningQuery) -> None:
    if reading.plan is None:
        assert reading.error
        assert reading.error.isprintable()
        return
    plan = reading.plan
    assert not reading.error
    assert sum(one is plan.option for one in here.options) == 1
    assert plan.condition in plan.option.conditions
    assert 0 <= plan.confidence <= 1
    assert plan.reasoning.isprintable()
    assert len(plan.reasoning) <= 300
    assert (plan.key, plan.goal_sources) == (here.key, ("model",))


@settings(max_examples=60, deadline=None)
@given(written, reasons, situations)
def test_any_reply_gives_a_choice_that_exists_or_nothing(text, reason, here):
    assert_safe(read_plan(text, reason, here, "model"), here)


@settings(max_examples=40, deadline=None)
@given(st.data(), situations)
def test_a_valid_reply_is_read_without_mending(data, here):
    wanted = data.draw(st.sampled_from(here.options))
    alike = [one for one in here.options if name_of(one) == name_of(wanted)]
    condition = data.draw(st.sampled_from(wanted.conditions))
    reading = read_plan(valid(data, wanted, condition), "stop", here, "model")
    if len(alike) > 1:  # no name is the choice's own
        assert reading.plan is None or reading.plan.option in alike
        return
    assert reading.plan.option is wanted
    assert reading.plan.condition is condition
    assert set(reading.repairs) <= {"reasoning", "half characters"}


def valid(data: st.DataObject, wanted: GoalOption, condition: Condition) -> str:
    """Return an answer that keeps to the schema, its fields in any order; or kind and target."""
    answer = {
        "reasoning": data.draw(st.text(max_size=30)),
        "choice": name_of(wanted),
        "success": condition,
        "confidence": data.draw(st.integers(0, 100)),
    }
    order = data.draw(st.permutations(list(answer)))
    indent = data.draw(st.sampled_from((None, 2)))
    is_ascii = data.draw(st.booleans())
    return json.dumps({name: answer[name] for name in order}, indent=indent, ensure_ascii=is_ascii)


@settings(max_examples=25, deadline=None)
@given(st.data(), situations, reasons)
def test_a_valid_reply_that_is_cut_off_never_becomes_another_choice(data, here, reason):
    wanted = data.draw(st.sampled_from(here.options))
    if data.draw(st.booleans()):
        text = valid(data, wanted, wanted.conditions[0])
    else:
        apart = {"goal": str(wanted.kind), "target": wanted.target, "confidence": 50}
        order = data.draw(st.permutations(list(apart)))
        text = json.dumps({name: apart[name] for name in order})
    whole = read_plan(text, "stop", here, "model").plan
    for end in range(len(text)):
        part = read_plan(text[:end], reason, here, "model")
        assert_safe(part, here)
        if part.plan is not None and whole is not None:
            assert part.plan.option is whole.option


prose = st.text(st.characters(exclude_characters="{}[]<>", exclude_categories=["Cs"]), max_size=40)


@settings(max_examples=40, deadline=None)
@given(prose, prose, st.sampled_from(("", "```json\n", "```\n", "<think>x</think>")))
@example('"', "'", "")
def test_wrapping_a_reply_keeps_what_it_says(before, after, fence):
    wrapped = f"{before}{fence}{GOOD}{after}"
    for reason in ("stop", "length"):
        bare, reading = (read_plan(text, reason, query(), "m") for text in (GOOD, wrapped))
        assert reading.plan == bare.plan


@settings(max_examples=40, deadline=None)
@given(written, reasons)
def test_found_object_can_be_kept_as_json(text, reason):
    found = read_object(text, reason)
    assert (found.values is None) == bool(found.error)
    json.dumps(found.values, allow_nan=False, ensure_ascii=False).encode()
