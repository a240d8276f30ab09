"""The reader on MOSSLIGHT ADVANCE, frame by frame, beside what its tests read on their own."""

import pytest

from engine.games.emerald.game import EmeraldGame
from engine.games.emerald.memory import Profile
from engine.types import Facing, GameState, Prompt
from tests.roms.advance.machine import FACTS, Machine
from tests.roms.advance.player import Player

_TILE_STATE = 3


class Watcher:
    """Read at every frame of a game, and compare.

    Attributes:
        prompts: What was waited for in some frame.
        state: Of the last frame.
    """

    def __init__(self) -> None:
        self.game = Machine(seed=1)
        self.player = Player(self.game)
        self.player.start_game()
        rom = self.game.emulator.rom
        known = EmeraldGame(Profile.read(FACTS), rom, facts=FACTS)
        self._reader = known.reader(self.game.emulator)
        self.state: GameState = self._reader.read()
        self.prompts: set[Prompt] = set()
        self.game.watch = self._compare

    def _compare(self) -> None:
        game, state = self.game, self._reader.read()
        self.state = state
        self.prompts.add(state.control.prompt)
        place = state.place
        if game.in_field:
            assert (place.map.group, place.map.number) == game.map_key
            assert (place.x, place.y) == game.position
            assert place.facing is Facing[game.facing.upper()]
        if game.is_free:
            assert state.control.is_free
        if state.control.is_free:
            assert game.is_free or game.get("gPlayerAvatar", _TILE_STATE) == 2
        assert state.money == game.money
        assert [one.hp for one in state.party] == [
            self.player.hp(slot) for slot in range(game.get("gPlayerPartyCount"))
        ]
        assert (state.battle is not None) == game.in_battle
        assert all(state.has_event(flag) == game.flag(flag) for flag in (0x860, 0x867, 0x86F))
        assert state.control.in_game


def test_every_frame_of_a_walk_is_read() -> None:
    watcher = Watcher()
    assert watcher.state.place.name == "HOME 2F"
    watcher.player.travel("FERNWICK")
    watcher.player.settle()
    state = watcher.state
    assert (state.place.name, state.place.environment) == ("FERNWICK", "town")
    assert state.map.edges
    assert state.map.warps
    watcher.game.close()


@pytest.mark.slow
def test_every_frame_up_to_the_badge_is_read() -> None:
    watcher = Watcher()
    watcher.player.take_starter(2)
    assert [one.name for one in watcher.state.party] == ["RILLET"]
    assert watcher.state.caught == 1
    watcher.player.travel("SHOP")
    watcher.player.win_badge()
    state = watcher.state
    assert state.badges == (1, 0)
    assert state.healing_place is not None
    assert state.has_caught(state.party[0].species)
    expected = {Prompt.NONE, Prompt.PRINTING, Prompt.TEXT, Prompt.YES_NO, Prompt.MENU}
    assert expected <= watcher.prompts
    watcher.game.close()
