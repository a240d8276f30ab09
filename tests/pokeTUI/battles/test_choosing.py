"""What can be chosen, in words, and how a choice is put together."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine.battles.sim.actions import PASS, SELECTIONS, SLOT_CODES, SWITCH
from engine.battles.sim.observation import MOVE, MOVES, MOVES_PART, SIZE
from pokeTUI.battles.choices import read_request, slot_options, words
from pokeTUI.battles.choosing import (
    Choosing,
    begin,
    options,
    pick,
    so_far,
    title,
    undone,
    with_gimmick,
)
from tests.pokeTUI.battles.recorded import MEGA, TERA, legal_of, recorded
from tests.pokeTUI.says import assert_lacks

BATTLE = recorded(TERA)
PREVIEW, FIRST, BOTH_FAINTED = 0, 1, 3


def choosing(number: int, name: str = TERA) -> Choosing:
    battle = recorded(name)
    wanted = battle.wanted(number)
    return begin(wanted, battle.playback().view(wanted.place), 0)


def option(text: str, choice: Choosing) -> int:
    return next(one.code for one in options(choice) if one.text == text)


@pytest.mark.parametrize("name", [TERA, MEGA])
def test_every_recorded_choice_has_words(name: str) -> None:
    battle = recorded(name)
    for one in battle.asked:
        text = words(read_request(one["request"]), one["code"], ("Foe", "Fiend"))
        assert text
        assert_lacks(text, "?", "gimmick")


def test_joint_choice_is_said_with_its_targets() -> None:
    request = read_request(BATTLE.asked[FIRST]["request"])
    assert words(request, BATTLE.asked[FIRST]["code"], ("Hatterene", "Iron Hands")) == (
        "Wave Crash → Hatterene + Spirit Break → Iron Hands"
    )


def test_selection_is_said_with_leads_and_back() -> None:
    request = read_request(BATTLE.asked[PREVIEW]["request"])
    text = words(request, BATTLE.asked[PREVIEW]["code"], ())
    assert text.startswith("lead Palafin + Grimmsnarl, back Pelipper + ")


def test_preview_takes_four_and_the_first_two_lead() -> None:
    choice = choosing(PREVIEW)
    for member in (5, 1, 4, 0):
        assert choice.code is None
        choice = pick(choice, member)
    assert SELECTIONS[choice.code] == (1, 5, 0, 4)


def test_member_is_not_taken_twice() -> None:
    choice = pick(choosing(PREVIEW), 2)
    assert [one.why_not for one in options(choice)][2] == "already chosen"


def test_move_with_targets_asks_for_one() -> None:
    choice = choosing(FIRST)
    assert title(choice) == "What will Palafin do?"
    choice = pick(choice, option("Wave Crash", choice))
    assert title(choice) == "Palafin: Wave Crash on"
    assert [one.text for one in options(choice)] == ["Hatterene", "Iron Hands", "ally Grimmsnarl"]
    choice = pick(choice, option("Iron Hands", choice))
    assert so_far(choice) == "Palafin: Wave Crash → Iron Hands"
    choice = pick(choice, option("Light Screen", choice))
    request = choice.request
    assert words(request, choice.code, choice.foes) == "Wave Crash → Iron Hands + Light Screen"


def test_undo_takes_back_target_then_slot() -> None:
    choice = choosing(FIRST)
    first = pick(choice, option("Wave Crash", choice))
    assert undone(first) == choice
    second = pick(first, option("Hatterene", first))
    assert undone(second) == choice
    assert undone(choice) == choice


def test_gimmick_is_used_once_a_turn() -> None:
    choice, why_not = with_gimmick(choosing(FIRST))
    assert not why_not
    choice = pick(choice, option("Protect", choice))
    assert so_far(choice) == "Palafin: Protect, Tera Water"
    assert with_gimmick(choice)[1] == "the other slot uses it"


def test_mega_format_offers_mega_evolution() -> None:
    assert choosing(FIRST, MEGA).gimmick == "Mega Evolution"


def test_ally_that_switches_in_cannot_be_chosen_by_the_other_slot() -> None:
    choice = choosing(FIRST)
    choice = pick(choice, option("switch to Pelipper", choice))
    found = next(one for one in options(choice) if one.text == "switch to Pelipper")
    assert found.why_not == "the other slot switches to it"


def test_slot_that_stays_passes_by_itself() -> None:
    choice = choosing(BOTH_FAINTED)
    assert title(choice) == "Send out in place of Palafin"
    choice = pick(choice, option("switch to Pelipper", choice))
    assert choice.code == (SWITCH + 2) * SLOT_CODES + PASS


@pytest.mark.parametrize(
    ("change", "text", "why_not"),
    [
        ({"disabled": True}, "Jet Punch", "disabled: Taunt, Encore, a Choice item or the like"),
        ({"pp": 0, "disabled": True}, "Jet Punch", "no PP left"),
    ],
)
def test_illegal_move_says_why(change: Mapping[str, Any], text: str, why_not: str) -> None:
    raw = BATTLE.asked[FIRST]["request"]
    moves = [dict(one) for one in raw["active"][0]["moves"]]
    number = [one["move"] for one in moves].index(text)
    moves[number] |= change
    request = read_request(
        {**raw, "active": [{**raw["active"][0], "moves": moves}, raw["active"][1]]}
    )
    legal = legal_of(BATTLE.asked[FIRST])
    legal[number * 10 : number * 10 + 10] = False
    found = slot_options(request, legal, 0, None, gimmick=False)
    assert next(one.why_not for one in found if one.text == text) == why_not


def test_trapped_and_fainted_members_say_why() -> None:
    raw = BATTLE.asked[FIRST]["request"]
    trapped = {**raw, "active": [{**raw["active"][0], "trapped": True}, raw["active"][1]]}
    legal = legal_of(BATTLE.asked[FIRST])
    legal[SWITCH:PASS] = False
    found = slot_options(read_request(trapped), legal, 0, None, gimmick=False)
    assert [one.why_not for one in found if one.code >= SWITCH] == ["Palafin is trapped"] * 2


def test_estimates_stand_beside_moves_and_targets() -> None:
    choice = choosing(FIRST)
    observation = np.zeros(SIZE, np.float32)
    part = observation[MOVES_PART].reshape(MOVES)
    number = [move.name for move in choice.request.slots[0].moves].index("Wave Crash")
    part[0, number, MOVE.index("damage_foe_0")] = 0.43
    part[0, number, MOVE.index("damage_foe_1")] = 1.2
    part[0, number, MOVE.index("knocks_out_foe_1")] = 1
    choice = replace(choice, wanted=replace(choice.wanted, observation=observation))
    found = next(one for one in options(choice) if one.text == "Wave Crash")
    assert found.parts == ("Hatterene ~43%", "Iron Hands ~120% KO", "PP 16/16")
    targets = options(pick(choice, found.code))
    assert [one.parts for one in targets] == [("~43%",), ("~120% KO",), ()]
