from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import events
from engine.types import Battle, BattleKind, Facing, GameState, MapObject, MapView, Move, TileKind
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.panes.milestones import milestone_lines, milestone_list
from pokeTUI.panes.mini_map import map_lines
from pokeTUI.panes.party import PartyPane
from tests.pokeTUI.fake_session import (
    MILESTONES,
    make_battle,
    make_creature,
    make_game,
    make_goal,
    make_map,
    make_run,
    observe,
)
from tests.pokeTUI.pane_app import Size, fold_all, text_of, texts
from tests.pokeTUI.says import assert_has, assert_lacks

SIZES = [(38, 20), (38, 8), (56, 10), (58, 15), (76, 20), (198, 56), (30, 4), (12, 2)]
MOVES = (Move(1, "SPLASH", 18), Move(2, "TACKLE", 0), Move(3, "MOSS WHIP", 12))


def state_of(game: GameState) -> DashboardState:
    return fold_all([make_run(), observe(game, make_goal())])


def joined(game: GameState, size: Size) -> str:
    return text_of(PartyPane(), state_of(game), size)


def fight() -> Battle:
    own = replace(make_creature("RILLET", 11, 27, 34), moves=MOVES)
    enemy = make_creature("WHISKIT", 5, 3, 18, "poison")
    return Battle(BattleKind.TRAINER, 3, own, enemy, trainer_name="PICNICKER")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("battle", [None, make_battle(), fight()])
@pytest.mark.parametrize("count", [0, 1, 6])
def test_no_line_is_wider_than_the_pane(size: Size, battle: Battle | None, count: int) -> None:
    assert joined(make_game(party=(make_game().party * 2)[:count], battle=battle), size)


@pytest.mark.parametrize("size", SIZES)
def test_belongings_are_shown_only_where_the_game_has_them(size: Size) -> None:
    bare = GameState(make_game().place, make_game().control, map=make_map())
    text = joined(bare, size)
    assert "place" in text
    assert_lacks(text, "badges", "money", "caught", "seen", "party")
    assert "money" not in joined(replace(bare, badges=(1, 0)), size)
    assert "badges ◆◇◇◇◇◇◇◇" in joined(replace(bare, badges=(1, 0)), (38, 20))
    text = joined(replace(bare, caught_flags=bytes(32)), (38, 20))
    assert_has(text, "badges ◇◇◇◇◇◇◇◇  money 0", "party  nobody yet")


@pytest.mark.parametrize("size", [(38, 20), (56, 10), (76, 20), (198, 56)])
def test_the_map_shows_the_player_the_way_people_and_doors(size: Size) -> None:
    assert_has(joined(make_game(), size), *"▼•☻⌂≈█", "route")


@pytest.mark.parametrize(
    ("facing", "arrow"),
    [(Facing.UP, "▲"), (Facing.LEFT, "◄"), (Facing.RIGHT, "►"), (Facing.DOWN, "▼")],
)
def test_the_player_looks_where_it_looks(facing: Facing, arrow: str) -> None:
    assert arrow in joined(make_game(facing=facing), (76, 20))


SIDES = ("RILLET", "27/34", "WHISKIT", "3/18")
TAUGHT = tuple(replace(one, moves=MOVES) for one in make_game().party)


def test_a_battle_takes_the_place_of_the_map() -> None:
    text = joined(make_game(battle=fight()), (76, 20))
    assert_has(text, "trainer battle against PICNICKER", *SIDES, "poison", "SPLASH", "18")
    assert "⌂" not in text


@pytest.mark.parametrize("size", [(50, 14), (38, 20), (56, 10), (38, 9)])
def test_both_sides_of_a_battle_are_always_told(size: Size) -> None:
    assert_has(joined(make_game(party=TAUGHT, battle=fight()), size), *SIDES)


def test_a_short_pane_keeps_the_facts() -> None:
    facts = ("MILLBROOK PATH", "badges", "RILLET", "27/34", "vs WHISKIT", "12/18")
    assert_has(joined(make_game(battle=make_battle()), (38, 9)), *facts)


def test_the_ways_out_are_named_where_there_is_room() -> None:
    assert "to east STONEHOLLOW, ⌂ HOME 1F" in joined(make_game(), (76, 20))


def test_moves_are_listed_where_there_is_much_room() -> None:
    assert joined(make_game(party=TAUGHT), (198, 56)).count("MOSS WHIP") == 4


def test_the_game_has_not_begun() -> None:
    assert texts(PartyPane(), DashboardState(), (38, 20)) == ["The game is about to start."]


def drawn(game: GameState, width: int, height: int, **changes: object) -> list[str]:
    seen = replace(observe(game, make_goal()), **changes)  # type: ignore[arg-type]
    return [line.text for line in map_lines(seen, width, height)]


def test_tiles_are_as_large_as_the_whole_map_fits() -> None:
    lines = drawn(make_game(x=9, y=12), 40, 18 + 2)
    assert lines[12].startswith("██")
    assert lines[12].index("▼") == 18
    assert lines[12].endswith("• " * 10)
    assert lines[3].index("⌂") == 8
    lines = drawn(make_game(), 120, 56)
    assert sum("▼" in line for line in lines) == 1
    assert lines[0].startswith("██████")
    assert len(lines) == 56
    lines = drawn(make_game(), 20, 9 + 1)
    assert (lines[0], "▼" in lines[6]) == ("█████████████████≈≈█", True)


def test_party_map_marks_visited_tiles() -> None:
    other = np.ones((3, 3), bool)  # of the map before
    assert drawn(make_game(), 40, 20)[4].count("·") == 5
    for visited in (None, other):
        assert drawn(make_game(), 40, 20, visited=visited)[4].count("·") == 0


def test_the_target_of_the_goal_is_marked_on_its_own_map_only() -> None:
    here = replace(make_goal(), map=None, target=(3, 11))
    assert "◎" in "".join(drawn(make_game(), 40, 20, goal=here))
    assert "◎" not in "".join(drawn(make_game(), 40, 20))


def test_without_a_map_it_says_so() -> None:
    game = replace(make_game(), map=MapView(0, 0, np.zeros((0, 0), np.uint8), (), (), frozenset()))
    assert drawn(game, 30, 9) == ["No map here."]


def test_a_map_whose_tiles_are_not_told_is_drawn_all_the_same() -> None:
    view = replace(make_game().map, kinds=None)
    assert "▼" in "".join(drawn(replace(make_game(), map=view), 40, 20))


@given(st.integers(1, 60), st.integers(1, 60), st.integers(1, 130), st.integers(1, 60), st.data())
def test_the_player_is_in_the_window_of_any_map(
    map_width: int, map_height: int, width: int, height: int, data: st.DataObject
) -> None:
    x, y = data.draw(st.integers(0, map_width - 1)), data.draw(st.integers(0, map_height - 1))
    kinds = np.full((map_height, map_width), TileKind.GRASS, np.uint8)
    people = (MapObject(1, 1, map_width + 5, -3),)  # walks outside
    view = MapView(map_width, map_height, kinds, (), people, frozenset(), kinds=kinds)
    game = replace(make_game(x=x, y=y), map=view)
    seen = events.GameObserved(game, None, frozenset())
    lines = map_lines(seen, width, height)
    assert len(lines) <= height
    assert all(line.used <= width for line in lines)
    assert sum("▼" in line.text for line in lines) == 1


@pytest.mark.parametrize("size", [(28, 8), (38, 20), (56, 10), (58, 15), (76, 20)])
def test_a_creature_that_is_poisoned_has_a_level_all_the_same(size: Size) -> None:
    party = (make_creature("RILLET", 11, 27, 34, "poison"),)
    (line,) = [one for one in joined(make_game(party=party), size).split("\n") if "RIL" in one]
    assert_has(line, "L11", "poi", "27/34")


@pytest.mark.parametrize(
    ("size", "goal"),
    [((56, 8), ""), ((76, 8), ""), ((76, 12), ""), ((56, 10), "got a first creature")],
)
def test_the_next_milestone_is_named_once_and_not_cut(size: Size, goal: str) -> None:
    game = make_game() if goal else make_game(party=make_game().party[:1])
    seen = observe(game, replace(make_goal(), text=goal) if goal else make_goal())
    seen = replace(seen, milestones=frozenset({"left_house", "met_professor"}))
    lines = texts(PartyPane(), fold_all([make_run(), seen]), size)
    assert sum("got a first creature" in line for line in lines) == 1


def test_the_legend_takes_the_rows_that_the_map_leaves() -> None:
    text = "\n".join(line.text for line in map_lines(observe(make_game()), 24, 14))
    assert_has(text, "person", "door", "water", "visited")


def test_money_has_a_line_of_its_own_where_it_does_not_fit_behind_the_badges() -> None:
    lines = joined(replace(make_game(), money=3_000), (27, 20)).split("\n")
    assert any(line.split() == ["money", "3,000", "caught", "4"] for line in lines)
    assert not any("…" in line for line in lines if "badges" in line)


# The milestones on the way to the goal, and those beyond it


REACHED = frozenset(key for key, _ in MILESTONES[:2])
FINAL = MILESTONES[4][0]
COUNT = len(MILESTONES)


def state_with(final: str = FINAL, reached: frozenset[str] = REACHED) -> DashboardState:
    seen = replace(observe(make_game(), make_goal()), milestones=reached, final_milestone=final)
    return fold_all([make_run(), seen])


def shown(state: DashboardState, width: int, room: int) -> list[str]:
    return [line.text.rstrip() for line in milestone_lines(state, width, room)]


def listed(height: int, scrolled: int = 0, width: int = 36) -> tuple[list[str], int]:
    game = state_with().game
    lines, at = milestone_list(MILESTONES, game, width, height, scrolled)
    return [line.text.rstrip() for line in lines], at


def test_progress_counts_to_the_goal_and_the_rest_of_the_game_apart() -> None:
    assert shown(state_with(), 36, 1) == [f"done   ✓✓··· 2/5  game 2/{COUNT}"]
    assert shown(state_with(final=""), 36, 1) == [f"done   ✓✓{'·' * (COUNT - 2)} 2/{COUNT}"]


def test_milestones_by_name_end_with_the_goal() -> None:
    for width, room in ((36, 8), (70, 4)):
        lines = shown(state_with(), width, room)
        assert MILESTONES[4][1] in "".join(lines)
        assert MILESTONES[5][1] not in "".join(lines)
        assert f"2 of {COUNT} in the game" in lines[-1]


def test_the_list_has_the_next_milestone_and_those_beyond_the_goal_apart() -> None:
    lines, _ = listed(30)
    assert lines[0] == "2 of 5 milestones to the goal"
    assert lines[1].startswith("✓ ")
    assert lines[3] == f"► {MILESTONES[2][1]}"
    assert lines[6] == "beyond the goal"
    assert len(lines) == COUNT + 2


@pytest.mark.parametrize("steps", [-1000, 1000])
def test_the_list_scrolls_no_further_than_its_ends(steps: int) -> None:
    lines, at = listed(4, steps)
    end = MILESTONES[0 if steps < 0 else -1][1]
    assert end in lines[1 if steps < 0 else -1]
    assert listed(4, at)[0] == lines
    assert listed(4, at - (steps > 0) + (steps < 0))[0] != lines, "the next key shows at once"


@pytest.mark.parametrize("size", [(36, 18), (54, 8), (76, 15), (198, 56), (12, 2)])
def test_the_list_takes_the_pane_without_room_beside_the_facts(size: Size) -> None:
    pane = PartyPane()
    pane.act("milestones")
    text = "\n".join(texts(pane, state_with(), size))
    assert ("place" in text) is (size[0] >= 100)
    assert "2 of 5" in text
    pane.act("milestones")
    assert "place" in "\n".join(texts(pane, state_with(), size))
