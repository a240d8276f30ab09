"""The practice game, played: what the reader says is what the screen shows."""

from collections.abc import Iterator

import pytest

from engine.emulator.gameboy import GameBoy
from engine.games.catalog import load_game
from engine.games.crystal.reader import CrystalReader
from engine.types import Action, BattleKind, Facing, GameState, MapId
from tests.engine.games.images import PRACTICE
from tests.roms.machine import Machine
from tests.roms.player import Player, map_of
from tests.roms.test_memory_contract import find_battle, to_battle_menu

GAME = load_game()
ROM, TABLES = GAME.rom, GAME.tables
RILLET = 2


class Watched:
    """A game that is played by the test's player and read in the engine's emulator."""

    def __init__(self) -> None:
        self.game = Machine(seed=1)
        self.player = Player(self.game)
        self.player.start_game()
        self.bedroom = self.game.save()
        self.copy = GameBoy(ROM)

    def state(self) -> GameState:
        """Read the game as it is now."""
        return self.reader().read()

    def reader(self) -> CrystalReader:
        """Put the game's state into the engine's emulator and return a reader of it."""
        self.copy.load_state(self.game.save())
        return CrystalReader(self.copy, TABLES)

    def stop(self) -> None:
        self.game.close()
        self.copy.close()


@pytest.fixture(scope="module")
def played() -> Iterator[Watched]:
    watched = Watched()
    yield watched
    watched.stop()


@pytest.fixture(scope="module")
def route(played: Watched) -> bytes:
    """Return the state on the route, with a starter."""
    played.game.load(played.bedroom)
    played.player.take_starter(2)
    played.player.travel("MILLBROOK PATH")
    played.player.settle()
    return played.game.save()


def test_bedroom(played: Watched) -> None:
    played.game.load(played.bedroom)
    state = played.state()
    assert (state.place.name, state.place.landmark) == ("HOME 2F", "FERNWICK")
    assert state.place.environment == "indoor"
    assert (state.place.x, state.place.y) == played.game.position
    assert state.control.is_free
    assert [(warp.name, warp.target) for warp in state.map.warps] == [("HOME 1F", MapId(40, 2))]
    assert (state.party, state.battle, state.badge_count) == ((), None, 0)
    assert (state.money, state.caught, state.healing_place) == (3000, 0, None)


def test_start_menu_party_screen_and_shop_show_what_is_read(played: Watched, route: bytes) -> None:
    game, player = played.game, played.player
    game.load(route)
    game.act("start")
    player.wait_for_menu("")
    game.tick(20)
    state = played.state()
    assert state.control.in_menu
    assert state.screen_text == ("▶PARTY", "BAG", "OPTIONS", "EXIT")
    assert state.control.menu_size == (4, 1)
    player.choose(0)
    game.tick(60)
    (own,) = played.state().party
    assert (own.species, own.name, own.types) == (RILLET, "RILLET", (21,))
    assert game.shows(own.name)
    assert game.shows(f"{own.hp:3}/{own.max_hp:3}")
    assert game.shows(f"{own.level:4}")
    player.settle()
    player.travel("SHOP")
    player.talk_at((3, 3), "left")
    player.wait_for_menu()
    game.act("a")
    game.tick(30)
    state = played.state()
    assert any(str(state.money) in line for line in state.screen_text)


def test_party_bag_and_pokedex_after_the_starter(played: Watched, route: bytes) -> None:
    played.game.load(route)
    state = played.state()
    (own,) = state.party
    assert (own.level, own.hp, own.experience, own.status) == (5, own.max_hp, 125, "")
    assert [move.name for move in own.moves] == ["BUMP", "UNNERVE", "DOUSE"]
    assert all(move.points == PRACTICE.MOVES[move.id][4] for move in own.moves)
    assert len(own.stats) == 5
    assert all(stat > 0 for stat in own.stats)
    assert state.bag.balls == ((5, 5),)
    assert (state.caught, state.seen) == (1, 1)
    assert state.has_caught(RILLET)
    assert not state.has_caught(1)
    assert state.has_event(PRACTICE.EVENT_FLAGS["GOT_STARTER"])
    assert state.fly_points == (MapId(*map_of("FERNWICK")),)
    assert state.map.connections == {"south", "east"}
    assert (state.place.environment, state.place.landmark) == ("route", "MILLBROOK PATH")


def test_battle_is_what_its_screen_shows(played: Watched, route: bytes) -> None:
    game = played.game
    game.load(route)
    player = find_battle(game)
    to_battle_menu(game)
    game.tick(20)
    state = played.state()
    battle = state.battle
    assert (battle.kind, battle.trainer_name, battle.own_slot) == (BattleKind.WILD, "", 0)
    assert game.shows(f" {battle.enemy.name}")
    assert game.shows(f"{battle.enemy.level:5}")
    assert game.shows(f"{battle.own.hp:3}/{battle.own.max_hp:3}")
    assert battle.own.types == (21,)
    assert battle.enemy.types == PRACTICE.SPECIES_TYPES[battle.enemy.species]
    assert state.control.menu_size == (2, 2)
    assert "▶FIGHT TEAM" in state.screen_text
    assert state.has_seen(battle.enemy.species)
    game.act("a")
    game.tick(30)
    text = played.state().screen_text
    moves = [battle.own.moves[slot].name for slot in battle.legal_moves]
    assert [line.lstrip("▶") for line in text if line.lstrip("▶") in moves] == moves
    player.settle()
    assert played.state().battle is None


def test_enemy_appears_only_when_it_is_whole(played: Watched, route: bytes) -> None:
    """Read every frame from the first step into the grass: old and half-made enemies never show."""
    game = played.game
    game.load(route)
    find_battle(game)
    reader = played.reader()
    seen = []
    for _ in range(600):
        battle = reader.read().battle
        seen.append(battle.enemy)
        played.copy.tick(1)
    first = next(index for index, enemy in enumerate(seen) if enemy is not None)
    assert first > 0
    enemy = seen[first]
    assert enemy.hp == enemy.max_hp > 0
    assert all(one == enemy for one in seen[first:])


@pytest.mark.parametrize(
    ("title", "cell", "action", "target"),
    [
        ("FERNWICK", (9, 0), Action.UP, "MILLBROOK PATH"),  # y is 255 for 2 frames
        ("HOME 1F", (3, 7), Action.DOWN, "FERNWICK"),  # a carpet, then a forced step
    ],
)
def test_no_frame_of_a_way_to_another_map_is_read_half_way(
    played: Watched,
    route: bytes,
    title: str,
    cell: tuple[int, int],
    action: Action,
    target: str,
) -> None:
    game, player = played.game, played.player
    game.load(route)
    player.travel(title)
    player.walk_to(cell)
    facing = {Action.UP: ("up", Facing.UP), Action.DOWN: ("down", Facing.DOWN)}[action]
    player.face(facing[0])
    reader = played.reader()
    copy = played.copy
    before = reader.read()
    assert (before.place.x, before.place.y, before.place.facing) == (*cell, facing[1])
    names, transitions = [], 0
    copy.press(action)
    for frame in range(120):
        if frame == 20:
            copy.release(action)
        state = reader.read()
        place, view = state.place, state.map
        assert 0 <= place.x < view.width
        assert 0 <= place.y < view.height
        assert (view is before.map) == (place.name == title)
        names.append(place.name)
        transitions += state.control.in_transition
        copy.tick(1)
    assert transitions
    assert list(dict.fromkeys(names)) == [title, target]


def test_title_screen_is_no_game() -> None:
    boy = GameBoy(ROM)
    boy.tick(300)
    state = CrystalReader(boy, TABLES).read()
    boy.close()
    assert not state.control.in_game
    assert not state.control.is_free
    assert (state.place.name, state.party, state.battle) == ("nowhere", (), None)
