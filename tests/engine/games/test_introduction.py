"""The introduction is answered on purpose, whatever its screens ask."""

import pytest

from engine.games.crystal.game import play_introduction
from engine.types import Action, Prompt
from tests.engine.fakes import MemoryMachine
from tests.engine.games.screens import Screens, screen
from tests.engine.states import make_control


class Game(Screens, MemoryMachine):
    """Crystal's memory, of which the introduction reads nothing."""


def test_every_screen_gets_the_button_that_leads_on() -> None:
    game = Game(
        screen(Prompt.NONE, Action.START),
        screen(Prompt.MENU, Action.A, row=1),
        screen(Prompt.SPINNER, Action.A),
        screen(Prompt.YES_NO, Action.UP, row=2),
        screen(Prompt.YES_NO, Action.A, row=1),
        screen(Prompt.PRINTING, Action.A),
        screen(Prompt.TEXT, Action.A),
        screen(Prompt.NAMING, Action.START, Action.A),
        screen(Prompt.SCREEN, Action.A),
    )
    play_introduction(game, game.read_state)
    assert not game.screens
    assert len(game.pressed) < 30


def test_nothing_is_pressed_while_the_game_moves_by_itself() -> None:
    scene = make_control(prompt=Prompt.NONE, is_scripted=True), (Action.NOOP,) * 5
    game = Game(scene)
    play_introduction(game, game.read_state)
    assert set(game.pressed) == {Action.NOOP}


@pytest.mark.parametrize(("count", "is_long"), [(1, False), (400, True)])
def test_progress_is_reported_out_of_the_usual_length_or_more(count: int, is_long: bool) -> None:
    game, seen = Game(*[screen(Prompt.TEXT, Action.A)] * count), list[tuple[int, int]]()
    play_introduction(game, game.read_state, lambda done, most: seen.append((done, most)))
    frames = [done for done, _ in seen]
    assert frames == sorted(frames)
    assert seen[0][1] == 4_620
    assert (frames[-1] > 4_620) is is_long
    assert all(done <= most for done, most in seen)
