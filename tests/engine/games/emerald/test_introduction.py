"""The introduction is answered on purpose, whatever its screens ask."""

import pytest

from engine.errors import EnvironmentError
from engine.games.emerald.game import make_fast, play_introduction
from engine.games.emerald.memory import SYMBOLS
from engine.types import Action, GameState, Prompt
from tests.engine.games.emerald.memory_image import MemoryImage
from tests.engine.games.screens import Screen, Screens, screen
from tests.engine.states import make_control, make_state

_OPTIONS = 0x14


class Game(Screens, MemoryImage):
    """Emerald's memory, whose options the introduction changes."""

    def __init__(self, *screens: Screen) -> None:
        super().__init__(*screens)
        self.start()
        self.frames = 0

    def release(self, action: int) -> None:
        assert self.pressed[-1] == action

    def tick(self, frames: int, render: bool = False) -> None:
        self.frames += frames

    def read(self, bank: int, address: int, size: int) -> bytes:
        ram, base = (self.iwram, 0x03000000) if address >= 0x03000000 else (self.ewram, 0x02000000)
        return ram[address - base : address - base + size].tobytes()

    def write(self, bank: int, address: int, data: bytes) -> None:
        self.put(address, data)

    @property
    def options(self) -> int:
        start = SYMBOLS["gSaveblock2"].address + self.offset + _OPTIONS
        return int.from_bytes(self.read(0, start, 2), "little")


def test_every_screen_gets_the_button_that_leads_on() -> None:
    game = Game(
        screen(Prompt.NONE, Action.START),
        screen(Prompt.MENU, Action.A, row=1),
        screen(Prompt.PRINTING, Action.A),
        screen(Prompt.TEXT, Action.A),
        screen(Prompt.NAMING, Action.START, Action.A),
        screen(Prompt.YES_NO, Action.UP, row=2),
        screen(Prompt.YES_NO, Action.A, row=1),
        screen(Prompt.SCREEN, Action.A),
    )
    play_introduction(game, game.read_state)  # type: ignore[arg-type]
    assert not game.screens
    assert len(game.pressed) < 20


def test_start_opens_no_menu_once_the_game_runs() -> None:
    game = Game(screen(Prompt.NONE, *(Action.A,) * 9, in_game=True))
    play_introduction(game, game.read_state)  # type: ignore[arg-type]
    assert set(game.pressed) == {Action.A}


def test_nothing_is_pressed_before_the_player_has_long_been_in_control() -> None:
    game = Game()
    play_introduction(game, game.read_state)  # type: ignore[arg-type]
    assert game.pressed == []
    assert game.frames >= 48


def test_a_scene_that_begins_just_after_the_first_control_is_waited_for() -> None:
    game = Game()
    moments = iter([True] * 3 + [False] * 2 + [True] * 50)

    def read() -> GameState:
        is_free = next(moments)
        return make_state() if is_free else make_state(control=make_control(in_text=True))

    play_introduction(game, read)  # type: ignore[arg-type]
    assert game.pressed == [Action.A] * 2


def test_text_becomes_fast_and_battles_short_and_all_else_stays() -> None:
    game = Game()
    game.save2(_OPTIONS, (0b1_0000_0001 | 0x50).to_bytes(2, "little"))
    make_fast(game)  # type: ignore[arg-type]
    assert game.options == 0b101_0000_0010 | 0x50


def test_options_are_left_alone_before_there_are_any() -> None:
    game = Game()
    game.word("gSaveBlock2Ptr", 0)
    before = game.ewram.copy()
    make_fast(game)  # type: ignore[arg-type]
    assert (game.ewram == before).all()


def test_a_game_that_never_begins_is_given_up() -> None:
    game = Game(screen(Prompt.NONE, Action.B))
    with pytest.raises(EnvironmentError, match="did not finish"):
        play_introduction(game, game.read_state)  # type: ignore[arg-type]
