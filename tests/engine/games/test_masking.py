from dataclasses import replace

import pytest

from engine.games.base import MenuKind, menu_kind
from engine.games.crystal.masking import blocked_actions, menu_uses
from engine.types import (
    Action,
    Bag,
    BattleKind,
    Creature,
    Facing,
    GameState,
    MapId,
    MapObject,
    Move,
    Prompt,
)
from tests.engine.games.images import CRYSTAL
from tests.engine.states import make_battle, make_control, make_creature, make_state, make_view

A, B, START, SELECT, UP, DOWN, LEFT, RIGHT, NOOP = Action
PARTY = (make_creature(),)
USES = menu_uses(CRYSTAL)
DIRECTIONS = {UP, DOWN, LEFT, RIGHT}


def allowed(state: GameState, *, is_select_used: bool = True) -> set[Action]:
    blocked = blocked_actions(state, USES, is_select_used=is_select_used)
    assert all(blocked.values()), "every masked action has a reason"
    return set(Action) - set(blocked)


def menu(size: tuple[int, int], *text: str, **changes: object) -> GameState:
    control = make_control(in_menu=True, is_scripted=True, cursor=(1, 1), menu_size=size)
    return make_state(**{"control": control, "screen_text": text, "party": PARTY, **changes})


def test_start_and_select_are_off_before_the_first_creature() -> None:
    blocked = blocked_actions(make_state(), USES)
    assert (
        blocked[START] == blocked[SELECT] == "nothing useful in the menu before the first creature"
    )
    assert SELECT in allowed(make_state(party=PARTY))
    assert SELECT not in allowed(make_state(party=PARTY), is_select_used=False)


def test_start_is_on_when_the_menu_can_help() -> None:
    hurt = (make_creature(hp=3),)
    potion = Bag(items=((18, 1),))
    assert START in allowed(make_state(party=hurt, bag=potion))
    assert START not in allowed(make_state(party=hurt))
    assert START not in allowed(make_state(party=PARTY, bag=potion))


ITEM_IDS = {name: number for number, name in CRYSTAL.ITEMS.items()}
MOVE_IDS = {move[0]: number for number, move in CRYSTAL.MOVES.items()}


def knowing(*names: str, points: int = 5) -> GameState:
    moves = tuple(Move(MOVE_IDS[name], name, points) for name in names)
    return make_state(party=(make_creature(moves=moves),))


@pytest.mark.parametrize("item", ["REPEL", "RARE CANDY", "FIRE STONE"])
def test_start_is_on_with_an_item_that_does_something(item: str) -> None:
    state = make_state(party=PARTY, bag=Bag(items=((ITEM_IDS[item], 1),)))
    assert START in allowed(state)


def test_start_is_off_while_a_repel_works_and_with_items_to_hold_or_fight() -> None:
    bag = Bag(items=((ITEM_IDS["REPEL"], 1), (ITEM_IDS["X ATTACK"], 1), (ITEM_IDS["NUGGET"], 1)))
    state = make_state(party=PARTY, bag=bag, repel_steps=50)
    assert blocked_actions(state, USES)[START] == "nothing useful in the menu now"


def test_start_is_on_to_fill_up_points() -> None:
    bag = Bag(items=((ITEM_IDS["ETHER"], 1),))
    assert START in allowed(replace(knowing("CUT", points=0), bag=bag))
    assert START not in allowed(replace(knowing("CUT"), bag=bag))


def test_start_is_on_to_teach_until_somebody_knows_the_move() -> None:
    machine = Bag(machines=((ITEM_IDS["HM01"], 1),))
    assert START in allowed(replace(knowing("SURF"), bag=machine))
    assert START not in allowed(replace(knowing("CUT"), bag=machine))
    technical = Bag(machines=((ITEM_IDS["TM31"], 1),))
    assert START in allowed(replace(knowing("CUT"), bag=technical))


def test_start_is_on_for_field_moves_where_they_work() -> None:
    def at(state: GameState, environment: str, badges: int = 0) -> GameState:
        place = replace(state.place, environment=environment)
        return replace(state, place=place, badges=(badges, 0))

    assert START in allowed(at(knowing("DIG"), "cave"))
    assert START not in allowed(at(knowing("DIG"), "town"))
    assert START not in allowed(at(knowing("FLY"), "town"))
    assert START in allowed(at(knowing("FLY"), "town", badges=1 << 5))
    assert START not in allowed(at(knowing("CUT"), "town", badges=0xFF)), "A does it"


def test_start_is_on_to_fish_where_water_is_ahead() -> None:
    view = make_view(("..~", "..."), tiles={"~": 0x29})
    rod = Bag(key_items=(ITEM_IDS["OLD ROD"],))
    assert START in allowed(make_state(1, 0, Facing.RIGHT, map=view, party=PARTY, bag=rod))
    assert START not in allowed(make_state(1, 0, Facing.LEFT, map=view, party=PARTY, bag=rod))


def test_water_is_a_way_for_who_swims_and_a_wall_ashore() -> None:
    view = make_view((".~~", ".~~"), tiles={"~": 0x29})
    assert DIRECTIONS & allowed(make_state(1, 0, map=view, party=PARTY)) == {DOWN, LEFT, RIGHT}
    assert RIGHT not in allowed(make_state(0, 0, Facing.RIGHT, map=view, party=PARTY))


def test_who_knows_strength_may_push_what_is_in_the_way() -> None:
    view = replace(make_view(("...",)), objects=(MapObject(1, 1, 1, 0),))

    def at(party: tuple[Creature, ...]) -> GameState:
        return make_state(0, 0, Facing.RIGHT, map=view, party=party)

    assert RIGHT not in allowed(at(PARTY))
    assert RIGHT in allowed(at(knowing("STRENGTH").party))


PROMPTS = {
    Prompt.PRINTING: {A, B, NOOP},
    Prompt.TEXT: {A, B},
    Prompt.NAMING: {A, B, START, *DIRECTIONS},
    Prompt.SPINNER: {A, UP, DOWN},
    Prompt.QUANTITY: {A, B, *DIRECTIONS},
    Prompt.SCREEN: {*Action} - {NOOP},
}


@pytest.mark.parametrize("prompt", PROMPTS)
def test_what_a_prompt_takes_is_open_with_and_without_a_party(prompt: Prompt) -> None:
    for party in ((), PARTY):
        state = make_state(control=make_control(prompt=prompt, is_scripted=True), party=party)
        assert allowed(state) == PROMPTS[prompt]


@pytest.mark.parametrize("prompt", [Prompt.NONE, Prompt.PRINTING, Prompt.TEXT])
def test_an_evolution_may_be_waited_for_but_not_stopped(prompt: Prompt) -> None:
    control = make_control(prompt=prompt, is_scripted=True)
    shown = make_state(control=control, screen_text=("What? TOTODILE", "is evolving!"))
    assert allowed(shown) == {A, NOOP}


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
    assert blocked_actions(make_state(), USES)[A] == "nothing ahead to interact with"


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


def test_question_is_known_by_the_prompt_whatever_its_words() -> None:
    state = menu((2, 1), "▶OUI", "NON")
    question = replace(state, control=replace(state.control, prompt=Prompt.YES_NO))
    assert menu_kind(question) is MenuKind.YES_NO
    worded = replace(menu((2, 1), "▶YES", "NO"), control=replace(state.control, prompt=Prompt.MENU))
    assert menu_kind(worded) is MenuKind.OTHER


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


def before_snorlax(x: int, y: int, facing: Facing, *, thing: bool = True, **changes) -> GameState:
    """Stand in Vermilion City at (30 + x, 5 + y) beside Snorlax at (34, 8), 2 x 2 tiles large."""
    view = make_view(("." * 40,) * 12, objects=((34, 8),) if thing else ())
    vermilion = next(id_ for id_, name in CRYSTAL.MAPS.items() if name == "VERMILION CITY")
    state = make_state(30 + x, 5 + y, facing, map=view, party=PARTY, **changes)
    return replace(state, place=replace(state.place, map=MapId(*vermilion)))


@pytest.mark.parametrize(
    ("x", "y", "facing"),
    [(3, 3, Facing.RIGHT), (4, 5, Facing.UP), (5, 5, Facing.UP), (6, 3, Facing.LEFT),
     (6, 4, Facing.LEFT)],
)  # fmt: skip
def test_start_and_a_are_on_before_who_listens_to_the_radio(x: int, y: int, facing: Facing) -> None:
    assert {A, START} <= allowed(before_snorlax(x, y, facing))
    woken = allowed(before_snorlax(x, y, facing, music=64))
    assert A in woken
    assert START not in woken


def test_start_is_off_beside_who_listens_and_where_nobody_does() -> None:
    assert not {A, START} & allowed(before_snorlax(4, 5, Facing.LEFT))
    assert not {A, START} & allowed(before_snorlax(4, 5, Facing.UP, thing=False))
    assert START not in allowed(make_state(party=PARTY))


def test_cards_of_the_gear_take_directions_and_waiting() -> None:
    control = make_control(is_scripted=True, prompt=Prompt.SCREEN, pocket=4, selection=78)
    assert allowed(make_state(control=control, party=PARTY)) == {A, B, NOOP, *DIRECTIONS}
