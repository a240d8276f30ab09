from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import events
from engine.types import Battle, BattleKind, Facing, GameState, MapObject, MapView, Move, TileKind
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.panes.mini_map import map_lines
from pokeTUI.panes.party import PartyPane
from tests.pokeTUI.fake_session import (
    make_battle,
    make_creature,
    make_game,
    make_goal,
    make_map,
    make_run,
    observe,
)
from tests.pokeTUI.pane_app import fold_all, texts

SIZES = [(38, 20), (38, 8), (56, 10), (58, 15), (76, 20), (198, 56), (30, 4), (12, 2)]
MOVES = (Move(1, "SPLASH", 18), Move(2, "TACKLE", 0), Move(3, "MOSS WHIP", 12))


def pane() -> PartyPane:
    return PartyPane()


def state_of(game: GameState) -> DashboardState:
    return fold_all([make_run(), observe(game, make_goal())])


def fight() -> Battle:
    own = replace(make_creature("RILLET", 11, 27, 34), moves=MOVES)
    enemy = make_creature("WHISKIT", 5, 3, 18, "poison")
    return Battle(BattleKind.TRAINER, 3, own, enemy, trainer_name="PICNICKER")


def joined(game: GameState, size: tuple[int, int]) -> str:
    return "\n".join(texts(pane(), state_of(game), size))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("battle", [None, make_battle(), fight()])
@pytest.mark.parametrize("count", [0, 1, 6])
def test_no_line_is_wider_than_the_pane(
    size: tuple[int, int], battle: Battle | None, count: int
) -> None:
    party = (*make_game().party, *make_game().party)[:count]
    assert texts(pane(), state_of(make_game(party=party, battle=battle)), size)


@pytest.mark.parametrize("size", SIZES)
def test_belongings_are_shown_only_where_the_game_has_them(size: tuple[int, int]) -> None:
    bare = GameState(make_game().place, make_game().control, map=make_map())
    text = joined(bare, size)
    assert "place" in text
    for word in ("badges", "money", "caught", "seen", "party"):
        assert word not in text
    assert "money" not in joined(replace(bare, badges=(1, 0)), size)
    assert "badges ◆◇◇◇◇◇◇◇" in joined(replace(bare, badges=(1, 0)), (38, 20))
    assert "badges ◇◇◇◇◇◇◇◇  money 0" in joined(replace(bare, caught_flags=bytes(32)), (38, 20))
    assert "party  nobody yet" in joined(replace(bare, caught_flags=bytes(32)), (38, 20))


@pytest.mark.parametrize("size", [(38, 20), (56, 10), (76, 20), (198, 56)])
def test_the_map_shows_the_player_the_way_people_and_doors(size: tuple[int, int]) -> None:
    text = joined(make_game(), size)
    for sign in ("▼", "•", "☻", "⌂", "≈", "█"):
        assert sign in text
    assert "route" in text


@pytest.mark.parametrize(
    ("facing", "arrow"),
    [(Facing.UP, "▲"), (Facing.LEFT, "◄"), (Facing.RIGHT, "►"), (Facing.DOWN, "▼")],
)
def test_the_player_looks_where_it_looks(facing: Facing, arrow: str) -> None:
    assert arrow in joined(make_game(facing=facing), (76, 20))


def test_a_battle_takes_the_place_of_the_map() -> None:
    text = joined(make_game(battle=fight()), (76, 20))
    for part in ("trainer battle against PICNICKER", "WHISKIT", "poison", "3/18", "SPLASH", "18"):
        assert part in text
    assert "⌂" not in text


@pytest.mark.parametrize("size", [(50, 14), (38, 20), (56, 10), (38, 9)])
def test_both_sides_of_a_battle_are_always_told(size: tuple[int, int]) -> None:
    party = tuple(replace(one, moves=MOVES) for one in make_game().party)
    text = joined(make_game(party=party, battle=fight()), size)
    for part in ("RILLET", "27/34", "WHISKIT", "3/18"):
        assert part in text


def test_a_short_pane_keeps_the_facts() -> None:
    text = joined(make_game(battle=make_battle()), (38, 9))
    for part in ("MILLBROOK PATH", "badges", "RILLET", "27/34", "vs WHISKIT", "12/18"):
        assert part in text


def test_the_ways_out_are_named_where_there_is_room() -> None:
    assert "to east STONEHOLLOW, ⌂ HOME 1F" in joined(make_game(), (76, 20))


def test_moves_are_listed_where_there_is_much_room() -> None:
    party = tuple(replace(one, moves=MOVES) for one in make_game().party)
    assert joined(make_game(party=party), (198, 56)).count("MOSS WHIP") == 4


def test_the_game_has_not_begun() -> None:
    assert texts(pane(), DashboardState(), (38, 20)) == ["The game is about to start."]


def drawn(game: GameState, width: int, height: int, **changes: object) -> list[str]:
    seen = replace(observe(game, make_goal()), **changes)  # type: ignore[arg-type]
    return [line.text for line in map_lines(seen, width, height)]


def test_a_tile_is_two_cells_where_the_whole_map_fits() -> None:
    lines = drawn(make_game(x=9, y=12), 40, 18 + 2)
    assert lines[12].startswith("██")
    assert lines[12].index("▼") == 18
    assert lines[12].endswith("• " * 10)
    assert lines[3].index("⌂") == 8


def test_a_map_is_drawn_larger_where_it_fits_several_times() -> None:
    lines = drawn(make_game(), 120, 56)
    assert sum("▼" in line for line in lines) == 1
    assert lines[0].startswith("██████")
    assert len(lines) == 56


def test_two_tiles_share_a_cell_where_there_is_little_room() -> None:
    lines = drawn(make_game(), 20, 9 + 1)
    assert lines[0] == "█████████████████≈≈█"
    assert "▼" in lines[6]


def test_party_map_marks_visited_tiles() -> None:
    line = drawn(make_game(), 40, 20)[4]
    assert line.count("·") == 5
    assert drawn(make_game(), 40, 20, visited=None)[4].count("·") == 0
    other = np.ones((3, 3), bool)  # of the map before
    assert drawn(make_game(), 40, 20, visited=other)[4].count("·") == 0


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
def test_a_creature_that_is_poisoned_has_a_level_all_the_same(size: tuple[int, int]) -> None:
    party = (make_creature("RILLET", 11, 27, 34, "poison"),)
    (line,) = [one for one in texts(pane(), state_of(make_game(party=party)), size) if "RIL" in one]
    assert "L11" in line
    assert "poi" in line
    assert "27/34" in line


@pytest.mark.parametrize("size", [(56, 8), (76, 8), (76, 12)])
def test_the_next_milestone_is_never_cut_off(size: tuple[int, int]) -> None:
    seen = replace(
        observe(make_game(party=make_game().party[:1]), make_goal()),
        milestones=frozenset({"left_house", "met_professor"}),
    )
    lines = texts(pane(), fold_all([make_run(), seen]), size)
    assert any("got a first creature" in line for line in lines)


def test_a_milestone_that_is_the_goal_is_named_once() -> None:
    goal = replace(make_goal(), text="got a first creature")
    seen = replace(
        observe(make_game(), goal), milestones=frozenset({"left_house", "met_professor"})
    )
    lines = texts(pane(), fold_all([make_run(), seen]), (56, 10))
    assert sum("got a first creature" in line for line in lines) == 1


def test_the_legend_takes_the_rows_that_the_map_leaves() -> None:
    text = "\n".join(line.text for line in map_lines(observe(make_game()), 24, 14))
    for word in ("person", "door", "water", "visited"):
        assert word in text


def test_money_has_a_line_of_its_own_where_it_does_not_fit_behind_the_badges() -> None:
    lines = texts(pane(), state_of(replace(make_game(), money=3_000)), (27, 20))
    assert any(line.split() == ["money", "3,000", "caught", "4"] for line in lines)
    assert not any("…" in line for line in lines if "badges" in line)
