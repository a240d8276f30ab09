"""A game of screens: each has a prompt and the buttons that lead on, in order."""

from engine.types import Control, GameState, Prompt
from tests.engine.states import make_control, make_state

Screen = tuple[Control, tuple[int, ...]]


def screen(prompt: Prompt, *wanted: int, row: int = 0, in_game: bool = False) -> Screen:
    return make_control(in_game=in_game, prompt=prompt, cursor=(row, row and 1)), wanted


class Screens:
    """Goes on to the next screen once its buttons were pressed; the player is free in the end."""

    def __init__(self, *screens: Screen) -> None:
        super().__init__()
        self.screens = list(screens)
        self.answered = 0
        self.pressed: list[int] = []

    def press(self, action: int) -> None:
        self.pressed.append(action)
        if not self.screens:
            return
        _, wanted = self.screens[0]
        self.answered = self.answered + 1 if action == wanted[self.answered] else 0
        if self.answered == len(wanted):
            self.screens.pop(0)
            self.answered = 0

    def read_state(self) -> GameState:
        return make_state(control=self.screens[0][0]) if self.screens else make_state()
