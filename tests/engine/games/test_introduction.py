"""The introduction is answered on purpose, whatever its screens ask."""

from engine.games.crystal import introduction
from engine.types import Action, Control, GameState, Prompt
from tests.engine.fakes import MemoryMachine
from tests.engine.states import make_control, make_state


class Screens(MemoryMachine):
    """A game of screens: each has a prompt and the buttons that lead on, in order."""

    def __init__(self, *screens: tuple[Control, tuple[Action, ...]]) -> None:
        super().__init__()
        self.screens = list(screens)
        self.answered = 0
        self.pressed: list[Action] = []

    def press(self, action: Action) -> None:
        self.pressed.append(action)
        if not self.screens:
            return
        _, wanted = self.screens[0]
        self.answered = self.answered + 1 if action is wanted[self.answered] else 0
        if self.answered == len(wanted):
            self.screens.pop(0)
            self.answered = 0

    def read_state(self) -> GameState:
        if not self.screens:
            return make_state()
        return make_state(control=self.screens[0][0])


def screen(prompt: Prompt, *wanted: Action, row: int = 0) -> tuple[Control, tuple[Action, ...]]:
    return make_control(in_game=False, prompt=prompt, cursor=(row, row and 1)), wanted


def test_every_screen_gets_the_button_that_leads_on() -> None:
    game = Screens(
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
    introduction.play_introduction(game, game.read_state)
    assert not game.screens
    assert len(game.pressed) < 30


def test_nothing_is_pressed_while_the_game_moves_by_itself() -> None:
    scene = make_control(prompt=Prompt.NONE, is_scripted=True), (Action.NOOP,) * 5
    game = Screens(scene)
    introduction.play_introduction(game, game.read_state)
    assert set(game.pressed) == {Action.NOOP}


def test_progress_is_reported_out_of_the_usual_length() -> None:
    game, seen = Screens(screen(Prompt.TEXT, Action.A)), list[tuple[int, int]]()
    introduction.play_introduction(
        game, game.read_state, lambda done, most: seen.append((done, most))
    )
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})
    assert {most for _, most in seen} == {4_620}


def test_progress_never_exceeds_what_it_is_reported_out_of() -> None:
    long = [screen(Prompt.TEXT, Action.A)] * 400
    game, seen = Screens(*long), list[tuple[int, int]]()
    introduction.play_introduction(
        game, game.read_state, lambda done, most: seen.append((done, most))
    )
    assert seen[-1][0] > 4_620
    assert all(done <= most for done, most in seen)
