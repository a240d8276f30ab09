"""What is masked in Emerald and in the practice game that keeps its state as Emerald does."""

from dataclasses import replace

import numpy as np
import pytest

from engine.games.base import GameTables, MenuKind, menu_kind
from engine.games.emerald.game import BATTLE_CELLS
from engine.games.emerald.masking import blocked_actions, menu_uses
from engine.types import (
    GAME_BOY_ADVANCE_ACTIONS,
    MAP_BORDER,
    Action,
    Bag,
    BattleKind,
    Facing,
    GameState,
    Move,
    Prompt,
    Terrain,
)
from tests.engine.states import make_battle, make_control, make_creature, make_state, make_view

A, B, START, SELECT, UP, DOWN, LEFT, RIGHT = tuple(Action)[:8]
L, R = 8, 9
ALL = set(range(len(GAME_BOY_ADVANCE_ACTIONS)))
PARTY = (make_creature(),)
USES = menu_uses(GameTables(ITEMS={13: "POTION", 4: "POKé BALL"}, BATTLE_CELLS=BATTLE_CELLS))
MOVES = tuple(Move(number, name, 5) for number, name in enumerate(("TACKLE", "GROWL", "BIDE"), 1))


def allowed(state: GameState) -> set[int]:
    blocked = blocked_actions(state, USES)
    assert all(blocked.values()), "every masked action has a reason"
    assert set(blocked) <= ALL
    assert set(blocked) != ALL
    return ALL - set(blocked)


def menu(
    cursor: tuple[int, int], size: tuple[int, int], *text: str, **changes: object
) -> GameState:
    control = make_control(
        in_menu=True, prompt=changes.pop("prompt", Prompt.MENU), cursor=cursor, menu_size=size
    )
    return make_state(**{"control": control, "screen_text": text, "party": PARTY, **changes})


def battle_menu(cursor: tuple[int, int], **changes: object) -> GameState:
    text = ("What will", "CINDLE do?", "FIGHT", "BAG", "POKéMON", "RUN")
    return menu(cursor, (2, 2), *text, **{"battle": make_battle(), **changes})


def move_menu(cursor: tuple[int, int], *moves: Move) -> GameState:
    own = make_creature(moves=moves)
    return menu(
        cursor, (2, 2), *(move.name for move in moves), battle=make_battle(own=own), party=(own,)
    )


def test_shoulder_buttons_and_select_never_have_a_use() -> None:
    assert {L, R, SELECT}.isdisjoint(allowed(make_state()))
    assert {L, R, SELECT}.isdisjoint(allowed(battle_menu((1, 1))))
    assert {L, R, SELECT}.isdisjoint(allowed(make_state(control=make_control(in_text=True))))


def test_start_waits_for_a_creature_and_for_something_to_do() -> None:
    assert START not in allowed(make_state())
    assert START not in allowed(make_state(party=PARTY))
    hurt = (make_creature(hp=3),)
    assert START in allowed(make_state(party=hurt, bag=Bag(items=((13, 1),))))


@pytest.mark.parametrize(
    ("prompt", "useful"),
    [
        (Prompt.TEXT, {A, B}),
        (Prompt.PRINTING, {A, B, R}),
        (Prompt.NAMING, {A, B, START, UP, DOWN, LEFT, RIGHT}),
        (Prompt.QUANTITY, {A, B, UP, DOWN, LEFT, RIGHT}),
        (Prompt.SCREEN, {A, B, UP, DOWN, LEFT, RIGHT}),
    ],
)
def test_a_prompt_leaves_the_buttons_that_answer_it(prompt: Prompt, useful: set[int]) -> None:
    assert allowed(make_state(control=make_control(prompt=prompt))) == useful


def test_a_scene_leaves_a_and_b_and_waiting() -> None:
    assert allowed(make_state(control=make_control(is_scripted=True))) == {A, B, R}
    assert allowed(make_state(control=make_control(in_transition=True))) == {A, B, R}


def test_nothing_is_masked_before_the_game_begins() -> None:
    assert allowed(make_state(control=make_control(in_game=False))) == ALL


def test_both_menus_of_a_battle_are_told_apart_by_their_words() -> None:
    assert menu_kind(battle_menu((1, 1))) is MenuKind.BATTLE
    assert menu_kind(move_menu((1, 1), *MOVES)) is MenuKind.MOVES


def test_the_first_menu_has_bag_beside_fight_and_team_below() -> None:
    assert allowed(battle_menu((1, 1))) == {A, DOWN, RIGHT}
    assert allowed(battle_menu((1, 2))) == {DOWN, LEFT}  # the bag is empty
    assert A in allowed(battle_menu((1, 2), bag=Bag(balls=((4, 1),))))
    assert allowed(battle_menu((2, 1))) == {UP, RIGHT}  # nobody else can fight
    assert A in allowed(battle_menu((2, 1), party=PARTY * 2))
    assert allowed(battle_menu((2, 2))) == {A, UP, LEFT}


def test_nobody_runs_from_a_trainer() -> None:
    against = make_battle(kind=BattleKind.TRAINER)
    assert A not in allowed(battle_menu((2, 2), battle=against))


def test_the_cursor_stays_among_the_moves_that_there_are() -> None:
    assert allowed(move_menu((1, 1), *MOVES)) == {A, B, DOWN, RIGHT}
    assert allowed(move_menu((1, 2), *MOVES)) == {A, B, LEFT}  # below there is none
    assert allowed(move_menu((2, 1), *MOVES)) == {A, B, UP}
    assert allowed(move_menu((1, 1), MOVES[0])) == {A, B}


@pytest.mark.parametrize(("row", "useful"), [(1, {A, B, UP, DOWN}), (5, {A, B, UP, DOWN})])
def test_a_column_of_moves_has_no_rows_of_two(row: int, useful: set[int]) -> None:
    own = make_creature(moves=MOVES)
    lines = ("BATTLE MOVES", *(move.name for move in MOVES), "BITE")
    assert allowed(menu((row, 1), (5, 1), *lines, battle=make_battle(own=own))) == useful


def test_a_move_without_points_is_masked_while_another_has_some() -> None:
    spent = replace(MOVES[0], points=0)
    assert A not in allowed(move_menu((1, 1), spent, MOVES[1]))
    assert A in allowed(move_menu((1, 1), spent))


def test_a_question_and_the_start_menu_have_one_column() -> None:
    question = menu((1, 1), (2, 1), "▶YES", "NO", prompt=Prompt.YES_NO)
    assert allowed(question) == {A, B, UP, DOWN}
    start = menu((1, 1), (3, 1), "▶BAG", "SAVE", "EXIT")
    assert allowed(start) == {A, B, START, UP, DOWN}
    assert A not in allowed(menu((2, 1), (3, 1), "BAG", "▶SAVE", "EXIT"))


def test_a_bag_turns_its_pockets_by_left_and_right() -> None:
    state = menu((0, 0), (0, 0), "ITEMS", "▶POTION", "CANCEL")
    listed = replace(state, control=replace(state.control, selection=13))
    assert {LEFT, RIGHT, UP, DOWN, A, B} == allowed(listed)


def test_walls_and_edges_without_a_neighbour_are_masked() -> None:
    corner = make_state(0, 0, Facing.UP)
    assert allowed(corner) == {DOWN, RIGHT}
    assert UP in allowed(replace(corner, map=make_view(connections=frozenset({"north"}), border=0)))


def test_a_step_to_another_level_is_masked() -> None:
    view = make_view()
    grid = view.bordered.copy()
    grid[2 + MAP_BORDER, 3 + MAP_BORDER] |= np.uint32(Terrain.WALLS[Facing.LEFT])
    state = make_state(2, 2, map=replace(view, bordered=grid))
    assert RIGHT not in allowed(replace(state, place=replace(state.place, facing=Facing.RIGHT)))
    assert {UP, DOWN, LEFT} <= allowed(state)


def test_waiting_has_a_use_where_somebody_stands_who_may_walk_on() -> None:
    state = make_state(2, 2, map=make_view(objects=((2, 3),)))
    assert R in allowed(state)
    assert A in allowed(state)
    assert DOWN not in allowed(state)


def test_who_is_walled_in_may_wait() -> None:
    view = make_view(("###", "#.#", "###"))
    assert allowed(make_state(1, 1, map=view)) <= {UP, LEFT, RIGHT, DOWN, R}
    for facing in Facing:
        assert allowed(make_state(1, 1, facing, map=view))


def test_select_has_a_reason_of_its_own() -> None:
    blocked = blocked_actions(make_state(), USES)
    assert blocked[SELECT] != blocked[L] == blocked[R]


@pytest.mark.parametrize(("walker", "is_near"), [((4, 4), True), ((4, 2), True), ((6, 3), False)])
def test_a_is_open_to_who_may_come_past_the_tile_ahead(
    walker: tuple[int, int], is_near: bool
) -> None:
    state = make_state(2, 3, Facing.RIGHT, map=make_view(("." * 7,) * 6, objects=(walker,)))
    assert (A in allowed(state)) is is_near


def test_an_evolution_is_not_stopped() -> None:
    control = make_control(prompt=Prompt.PRINTING)
    assert allowed(make_state(control=control, screen_text=("MUDKIP is evolving!",))) == {A, R}
    assert B in allowed(make_state(control=control, screen_text=("MUDKIP evolved!",)))


def test_a_moves_target_is_chosen_with_all_directions() -> None:
    battle = replace(make_battle(), is_double=True, target=make_creature())
    assert allowed(menu((0, 0), (0, 0), battle=battle)) == {A, B, UP, DOWN, LEFT, RIGHT}
