"""A game in real time, on a clock that is set by hand."""

from itertools import groupby

from engine.events import ButtonsHeld, Event
from engine.loop.controls import Controls, Pace
from engine.loop.live import SHORTEST_HOLD_FRAMES, RealTimeLoop
from engine.loop.reporter import Reporter
from engine.types import Action

_FRAME_S = 1 / 60


class FrameCounter:
    """Notes the buttons of each frame."""

    frames_per_s = 60.0

    def __init__(self) -> None:
        self.frames: list[frozenset[int]] = []

    def run_frames(self, buttons: frozenset[int], frames: int, *, shows: bool) -> None:
        self.frames += [buttons] * frames

    def read_frames(self, *, is_over: bool) -> None:
        pass


def test_every_change_of_the_buttons_that_the_game_sees_is_published():
    now = [0.0]
    events: list[Event] = []
    controls, game = Controls(), FrameCounter()
    reporter = Reporter(controls, Pace(), events.append)
    live = RealTimeLoop(game, controls, reporter, lambda: now[0])
    live.begin()
    events.clear()
    up, both = frozenset({Action.UP}), frozenset({Action.UP, Action.A})
    for buttons in (up, both, up, frozenset()):
        live.hold(buttons)
    for _ in range(5 * SHORTEST_HOLD_FRAMES):
        live.advance()
        now[0] += _FRAME_S
    held = [event.buttons for event in events if isinstance(event, ButtonsHeld)]
    assert held == [up, both, up, frozenset()]
    assert [buttons for buttons, _ in groupby(game.frames)] == held
    live.hold(up)
    live.advance()
    live.end()
    assert [e.buttons for e in events if isinstance(e, ButtonsHeld)][-1] == frozenset()
