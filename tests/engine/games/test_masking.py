from dataclasses import replace

import pytest

from engine.games.crystal.masking import blocked_actions
from engine.games.menus import MenuKind, menu_kind
from engine.types import Action, Bag, BattleKind, Facing, GameState, Move
from tests.engine.states import make_battle, make_control, make_creature, make_state, make_view

A, B, START, SELECT, UP, DOWN, LEFT, RIGHT, NOOP = Action
PARTY = (make_creature(),)
DIRECTIONS = {UP, DOWN, LEFT, RIGHT}


def allowed(state: GameState, *, is_select_used: bool = True) -> set[Action]:
    blocked = blocked_actions(state, is_select_used=is_select_used)
    assert all(blocked.values()), "every masked action has a reason"
    return set(Action) - set(blocked)


def menu(size: tuple[int, int], *text: str, **changes: object) -> GameState:
    control = make_control(in_menu=True, is_scripted=True, cursor=(1, 1), menu_size=size)
    return make_state(**{"control": control, "screen_text": text, "party": PARTY, **changes})


def test_start_and_select_are_off_before_the_first_creature() -> None:
    blocked = blocked_actions(make_state())
    assert blocked[START] == blocked[SELECT] == "the menu holds nothing before the first creature"
    assert SELECT in allowed(make_state(party=PARTY))
    assert SELECT not in allowed(make_state(party=PARTY), is_select_used=False)


def test_start_is_on_when_the_menu_can_help() -> None:
    hurt = (make_creature(hp=3),)
    potion = Bag(items=((18, 1),))
    assert START in allowed(make_state(party=hurt, bag=potion))
    assert START not in allowed(make_state(party=hurt))
    assert START not in allowed(make_state(party=PARTY, bag=potion))


def test_all_ways_are_open_in_the_middle_of_a_room() -> None:
    assert allowed(make_state()) == DIRECTIONS


def test_directions_into_walls_are_off() -> None:
    view = make_view(("###", "#..", "###"))
    assert allowed(make_state(1, 1, map=view)) == {RIGHT}


def test_map_edge_is_a_wall_without_a_connection() -> None:
    state = make_state(0, 0, map=make_view(border=0))
    assert allowed(state) == {DOWN, RIGHT}
    north = make_view(border=0, connections=frozenset({"north"}))
    assert allowed(make_state(0, 0, map=north)) == {DOWN, RIGHT, UP}


def test_neighbours_wall_beyond_the_edge_is_off() -> None:
    view = make_view(connections=frozenset({"north"}))
    assert UP not in allowed(make_state(0, 0, map=view))


def test_turning_to_a_person_is_on_until_faced() -> None:
    view = make_view(objects=((2, 1),))
    assert UP in allowed(make_state(2, 2, Facing.DOWN, map=view))
    faced = allowed(make_state(2, 2, Facing.UP, map=view))
    assert UP not in faced
    assert A in faced
    assert NOOP in faced, "the person may step aside"


def test_turning_to_a_sign_in_a_wall_is_on_until_faced() -> None:
    view = make_view(("###", "...", "..."), signs=((1, 0),))
    assert UP in allowed(make_state(1, 1, Facing.DOWN, map=view))
    faced = allowed(make_state(1, 1, Facing.UP, map=view))
    assert UP not in faced
    assert A in faced


def test_a_is_off_where_nothing_answers() -> None:
    assert blocked_actions(make_state())[A] == "nothing ahead answers"


def test_person_behind_a_counter_answers() -> None:
    view = make_view(("...", ".=.", "..."), tiles={"=": 0x90}, objects=((1, 0),))
    state = make_state(1, 2, Facing.UP, map=view)
    assert A in allowed(state)
    empty = make_view(("...", ".=.", "..."), tiles={"=": 0x90})
    assert A not in allowed(make_state(1, 2, Facing.UP, map=empty))


@pytest.mark.parametrize(
    ("collision", "action"), [(0x70, DOWN), (0x78, UP), (0x76, LEFT), (0x7E, RIGHT)]
)
def test_carpet_leads_on_where_it_points(collision: int, action: Action) -> None:
    view = make_view(("###", "#c#", "###"), tiles={"c": collision})
    assert allowed(make_state(1, 1, map=view)) == {action}


def test_ledge_is_jumped_in_its_direction() -> None:
    view = make_view(("###", "#v#", "###", "..."), tiles={"v": 0xA3})
    assert allowed(make_state(1, 1, map=view)) == {DOWN}


def test_text_box_leaves_a_and_b() -> None:
    state = make_state(control=make_control(in_text=True, is_scripted=True), party=PARTY)
    assert allowed(state) == {A, B}


def test_script_leaves_waiting_and_buttons() -> None:
    assert allowed(make_state(control=make_control(is_scripted=True))) == {A, B, NOOP}
    assert allowed(make_state(control=make_control(in_transition=True))) == {A, B, NOOP}


def test_player_in_mid_step_may_press_on() -> None:
    assert allowed(make_state(control=make_control())) >= DIRECTIONS


def battle_menu(cursor: tuple[int, int], **changes: object) -> GameState:
    state = menu((2, 2), "▶FIGHT TEAM", "BAG   RUN", **{"battle": make_battle(), **changes})
    return replace(state, control=replace(state.control, cursor=cursor))


def test_battle_menu_opens_fight_and_moves_inside_its_edges() -> None:
    state = battle_menu((1, 1))
    assert menu_kind(state) is MenuKind.BATTLE
    assert allowed(state) == {A, DOWN, RIGHT}
    assert allowed(battle_menu((2, 2))) == {A, UP, LEFT}


def test_battle_menu_entries_that_can_do_nothing_are_off() -> None:
    trainer = make_battle(kind=BattleKind.TRAINER, trainer_class=2)
    two = (make_creature(), make_creature(species=4))
    team, bag, run = (1, 2), (2, 1), (2, 2)
    assert A not in allowed(battle_menu(team))
    assert A in allowed(battle_menu(team, party=two))
    assert A not in allowed(battle_menu(bag))
    assert A in allowed(battle_menu(bag, bag=Bag(balls=((5, 1),))))
    assert A not in allowed(battle_menu(bag, bag=Bag(balls=((5, 1),)), battle=trainer))
    assert A in allowed(battle_menu(bag, bag=Bag(items=((18, 1),)), battle=trainer))
    assert A in allowed(battle_menu(run))
    assert A not in allowed(battle_menu(run, battle=trainer))


def move_list(*points: int) -> GameState:
    moves = tuple(Move(number, f"MOVE {number}", left) for number, left in enumerate(points, 1))
    battle = make_battle(own=make_creature(moves=moves))
    return menu((len(points), 1), "▶MOVE 1", battle=battle)


def test_move_list_has_one_column() -> None:
    assert menu_kind(move_list(5, 5)) is MenuKind.MOVES
    assert allowed(move_list(5, 5)) == {A, B, UP, DOWN}
    assert allowed(move_list(5)) == {A, B}


def test_move_without_points_is_off_while_another_has_some() -> None:
    assert A not in allowed(move_list(0, 5))
    assert A in allowed(move_list(0, 0))


def test_yes_no_has_one_column() -> None:
    state = menu((2, 1), "Take it?", "▶YES", "NO")
    assert menu_kind(state) is MenuKind.YES_NO
    assert allowed(state) == {A, B, UP, DOWN}


def test_start_menu_can_be_closed_by_start() -> None:
    state = menu((4, 1), "▶PARTY", "BAG", "OPTIONS", "EXIT")
    assert menu_kind(state) is MenuKind.START
    assert allowed(state) == {A, B, UP, DOWN, START, SELECT}


def test_options_are_left_alone() -> None:
    assert A not in allowed(menu((4, 1), "PARTY", "BAG", "▶OPTIONS", "EXIT"))


def test_unknown_menu_keeps_all_directions() -> None:
    state = menu((3, 1), "▶POTION", "ANTIDOTE", battle=make_battle())
    assert menu_kind(state) is MenuKind.OTHER
    assert allowed(state) == {A, B, *DIRECTIONS}


def test_battle_scene_leaves_waiting_and_buttons() -> None:
    state = make_state(control=make_control(), battle=make_battle(), party=PARTY)
    assert allowed(state) == {A, B, NOOP}


def test_mask_is_open_before_the_game_runs() -> None:
    assert allowed(make_state(control=make_control(in_game=False))) == set(Action)


def test_unknown_map_masks_no_direction() -> None:
    state = make_state()
    assert allowed(replace(state, map=replace(state.map, bordered=None))) >= DIRECTIONS


def test_walled_in_player_may_still_do_something() -> None:
    view = make_view(("###", "#.#", "###"))
    assert allowed(make_state(1, 1, map=view))
