"""A question holds what is most reliable, within its budget, and offers what can be answered."""

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.config import THINKING_TOKENS, PlannerConfig, load_config
from engine.errors import ConfigurationError
from engine.games.catalog import load_game
from engine.games.crystal.game import CrystalGame
from engine.planning.goals.text_state import rules
from engine.planning.models.backends.base import strict_schema
from engine.planning.models.backends.tokens import estimate_tokens, schema_tokens
from engine.planning.models.prompt import Notes, compose, name_of, schema
from engine.planning.models.reply import read_plan
from engine.planning_types import PlanningQuery, Section
from engine.types import GoalKind
from tests.engine.planning.models.queries import BATTLE, SECTIONS, TOWN, option, query

SETTINGS = PlannerConfig(answer_tokens=99, temperature=0.3)
THINKING = SETTINGS.model_copy(update={"think": True})
NOTES = Notes("4 episodes, 1 of them won.\nGYM: tried 3", "Catch one")
HERE = query()
KEYWORDS = {"type", "enum", "properties", "required", "additionalProperties"}


def ask(here=HERE, notes=NOTES, max_tokens=8000, settings=SETTINGS):
    return compose(here, notes, max_tokens=max_tokens, settings=settings)


def size(request, settings=SETTINGS) -> int:
    """Return the tokens of question and answer, where the schema has to be told in words."""
    asked = estimate_tokens(request.system) + estimate_tokens(request.user)
    return asked + schema_tokens(request.schema) + settings.tokens_to_write


def offered(request) -> list[str]:
    return request.schema["properties"]["choice"]["enum"]


def test_everything_is_told_where_there_is_room():
    text = ask().user
    assert ask(replace(HERE, rules="RULES")).system.endswith('first battle."}\nRULES')
    for section in SECTIONS:
        assert section.text in text
    for said in (
        "A person wants: Catch one\n",
        "The run so far:\n4 episodes, 1 of them won.\nGYM: tried 3\n",
        "- reach exit 3: failed\n- meet person A: reached\n",
        "You are asked because a place was entered.\n",
        "- reach exit 1: to HOME 1F, 5 steps\n",
        "- heal: have the party healed at POKéMON CENTER\nOther choices: explore; train",
    ):
        assert said in text


def test_settings_go_with_the_question_which_is_asked_in_the_same_words():
    request = ask(settings=THINKING)
    assert (request.max_tokens, request.temperature, request.think) == (99, 0.3, True)
    assert not ask().think
    assert ask() == ask()


@pytest.mark.parametrize("here", [HERE, query(BATTLE)])
@pytest.mark.parametrize("settings", [SETTINGS, THINKING])
@pytest.mark.parametrize("game", [CrystalGame("0" * 40, "TEST", "test"), load_game()])
def test_a_run_keeps_to_the_shortest_context_that_it_takes(here, settings, game):
    here = replace(here, rules=rules(game), game=game.description)
    with pytest.raises(ConfigurationError) as refused:
        load_config(None, {"max_context_length": 1, "planner": settings.model_dump()})
    assert "\n" not in str(refused.value)
    found = re.search(r"must be at least (\d+)", str(refused.value))
    least = int(found[1])
    config = load_config(None, {"max_context_length": least, "planner": settings.model_dump()})
    for limit in range(config.max_context_length, 3 * least, 20):
        request = ask(here, max_tokens=limit, settings=settings)
        assert size(request, settings) <= limit


def test_the_system_text_names_the_game_that_is_played():
    first = "You plan for an agent that plays "
    for game in (CrystalGame("0" * 40, "TEST", "test"), load_game()):
        told = ask(replace(HERE, game=game.description)).system
        assert told.startswith(f"{first}a role-playing game on a Game Boy. A program walks and")
    assert ask(replace(HERE, game="chess")).system.startswith(f"{first}chess. A program walks and")


def test_prompt_begins_with_what_changes_seldom():
    place = replace(SECTIONS[0], text="HOME 1F (indoor) at (1,1) facing up, free to walk.")
    world = Section("world", "Where ways lead:\n  HOME 1F: FERNWICK", 9)
    first = ask(query(sections=(*SECTIONS, world)))
    second = ask(query(BATTLE, sections=(world, place), trigger="battle", recent=()))
    assert first.system == second.system
    common = first.user[: first.user.index("FERNWICK (town)")]
    assert common.startswith(world.text)
    assert "GYM: tried 3" in common
    assert second.user.startswith(common)


def test_prompt_leaves_out_empty_parts():
    text = ask(query(recent=()), Notes()).user
    assert text.startswith("FERNWICK")
    for title in ("A person", "The run", "Goals of late"):
        assert title not in text


def test_the_least_reliable_is_left_out_first():
    """The model's own goals, the summary, sections by rank; rank 0 stays."""
    marks = ["Goals of late", "The run so far"]
    ranked = sorted(SECTIONS, key=lambda section: -section.rank)
    marks += [section.text for section in ranked if section.rank]
    marks += ["A person wants", SECTIONS[0].text, "explore"]
    seen = set()
    for limit in range(2000, 0, -5):
        request = ask(max_tokens=limit)
        kept = [mark in request.user for mark in marks]
        assert kept == sorted(kept), limit
        seen.add(tuple(kept))
    assert len(seen) >= len(marks) - 3  # each but the last three goes by itself


def test_all_choices_stay_until_nothing_else_can_go():
    for limit in range(2000, 0, -5):
        request = ask(max_tokens=limit)
        names = [name_of(one) for one in TOWN]
        assert offered(request) == names[: len(offered(request))]
        if len(offered(request)) < len(names):
            assert "A person wants" not in request.user
            assert SECTIONS[0].text in request.user
    assert offered(ask(max_tokens=1)) == names[:1]


def test_text_and_schema_offer_the_same_choices():
    numbers = set()
    for limit in range(2000, 0, -50):
        request = ask(max_tokens=limit)
        *lines, bare = request.user.partition("Choices:\n")[2].partition("Other choices: ")
        told = [line[2:].split(":")[0] for line in lines[0].splitlines()] + bare.split("; ")
        if lines[0]:
            assert sorted(filter(None, told)) == sorted(offered(request))
            numbers.add(len(told))
    assert max(numbers) > min(numbers)
    assert ask(query(BATTLE[:2])).user.endswith("\nChoices: fight; run")


def test_a_choice_that_was_not_offered_can_still_be_read():
    request = ask(max_tokens=1)
    assert "train" not in offered(request)
    reading = read_plan('{"choice": "train"}', "stop", HERE, "m")
    assert reading.plan is not None


def test_the_schema_has_its_fields_in_order_and_no_others():
    found = schema(HERE.options)
    assert found == ask().schema
    assert list(found["properties"]) == ["choice", "success", "confidence", "reasoning"]
    assert found["required"] == list(found["properties"])
    assert found["additionalProperties"] is False
    assert found["properties"]["reasoning"] == {"type": "string", "maxLength": 240}
    assert found["properties"]["confidence"] == {"type": "integer", "minimum": 0, "maximum": 100}


def test_without_its_bounds_the_schema_keeps_to_what_every_server_takes():
    found = strict_schema(schema(HERE.options))
    assert set(found).union(*found["properties"].values()) <= KEYWORDS
    json.dumps(found)


def test_the_schema_offers_the_conditions_of_its_choices_only():
    assert schema(BATTLE)["properties"]["success"]["enum"] == [
        "a level was gained",
        "one more was caught",
        "the battle was won",
        "the battle is over",
    ]


def test_each_combination_that_the_schema_allows_is_read():
    fields = schema(HERE.options)["properties"]
    for name in fields["choice"]["enum"]:
        for success in fields["success"]["enum"]:
            answer = {"reasoning": "", "choice": name, "success": success, "confidence": 7}
            reading = read_plan(json.dumps(answer), "stop", HERE, "m")
            assert name_of(reading.plan.option) == name
            assert set(reading.repairs) <= {"success"}


def test_names_that_are_equal_are_offered_once():
    twice = (option(GoalKind.MEET, "GUIDE", "one"), option(GoalKind.MEET, "GUIDE", "two"))
    assert schema(twice)["properties"]["choice"]["enum"] == ["meet GUIDE"]


def test_an_unknown_trigger_is_told_as_it_is():
    assert "because of a whim." in ask(query(trigger="of a whim")).user


@pytest.mark.parametrize("letter", ["a", "é", "語", "🙂", '"'])
def test_tokens_are_not_underestimated(letter):
    assert estimate_tokens(letter * 300) >= len((letter * 300).encode()) // 3


words = st.text(max_size=60)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.builds(Section, st.just("any"), words, st.integers(0, 9)), max_size=8),
    st.builds(Notes, words, words),
    st.lists(st.tuples(words, words), max_size=9),
    st.integers(0, 2000),
)
def test_any_question_keeps_to_its_budget_as_far_as_it_can(sections, notes, recent, max_tokens):
    here = query(sections=sections, recent=recent)
    request = ask(here, notes, max_tokens)
    if size(request) > max_tokens:
        assert len(offered(request)) == 1
        for title in ("Goals of late:\n-", "The run so far:\n", "A person wants: "):
            assert not request.user.startswith(title)
    assert all(c.isprintable() or c == "\n" for c in request.user)
    request.user.encode()


@pytest.fixture
def longer() -> PlanningQuery:
    """Return a question with a large section more."""
    return query(sections=(*SECTIONS, Section("more", "word " * 900, 3)))


def test_a_context_is_used_well_and_thoughts_that_are_asked_for_have_their_room(longer):
    def has_goals(limit: int, settings: PlannerConfig = SETTINGS) -> bool:
        text = ask(longer, max_tokens=limit, settings=settings).user
        assert "word word" in text or "Goals of late" not in text
        return "Goals of late" in text

    limit = size(ask(longer)) + 16
    assert has_goals(limit)
    assert not has_goals(limit - 1)
    assert not has_goals(limit, THINKING)
    assert has_goals(limit + THINKING_TOKENS, THINKING)
