"""Say what a demonstration shows: its steps, and the decisions that real-time play is made of."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.env.input_recording import Segment, moves
from engine.env.live import NUM_BUTTONS, LiveStretch

Hold = tuple[frozenset[int], int]
"""What was held, and for how many frames."""
_DIRECTIONS = frozenset({"UP", "DOWN", "LEFT", "RIGHT"})


@dataclass(frozen=True, slots=True)
class Shown:
    """Something that was pressed.

    Attributes:
        step: Steps of the episode before it.
        frame: Frames of real-time play between the last of them and it.
        is_live: It was pressed in real time, and is no step.
    """

    step: int
    frame: int
    action: int
    is_live: bool


@dataclass(frozen=True, slots=True)
class Beginning:
    """What is before shows nothing: it is how the game came here.

    Attributes:
        step: Steps of the episode before.
        frames: Frames of real-time play that followed the last of them before.
    """

    step: int = 0
    frames: int = 0

    def frame_in(self, stretch: LiveStretch) -> int:
        """Return the frame from which on a stretch shows something."""
        if stretch.after != self.step:
            return 0 if stretch.after > self.step else stretch.frames + 1
        return self.frames


def directions_of(action_names: Sequence[str]) -> frozenset[int]:
    """Return the actions that walk, by their names."""
    return frozenset(place for place, name in enumerate(action_names) if name in _DIRECTIONS)


def shown(
    segment: Segment, step_frames: int, begin: Beginning, directions: frozenset[int]
) -> Iterator[Shown]:
    """Yield what was pressed in an episode since the beginning, in order.

    An action takes `step_frames` frames; `directions` are the actions that walk.
    """
    step = frame = 0
    for move in moves(segment):
        if isinstance(move, LiveStretch):
            frame = move.frames
            yield from shown_live(move, step_frames, begin, directions)
            continue
        if step >= begin.step:
            yield Shown(step, frame, move, is_live=False)
        step, frame = step + 1, 0


def shown_live(
    stretch: LiveStretch, step_frames: int, begin: Beginning, directions: frozenset[int]
) -> Iterator[Shown]:
    """Yield what was pressed in a stretch since the beginning."""
    frame, first = 0, begin.frame_in(stretch)
    for action, holds in decisions(stretch, step_frames, directions):
        if action is not None and frame >= first:
            yield Shown(stretch.after, frame, action, is_live=True)
        frame += sum(frames for _, frames in holds)


def decisions(
    stretch: LiveStretch, step_frames: int, directions: frozenset[int]
) -> Iterator[tuple[int | None, list[Hold]]]:
    """Divide a live stretch into decisions: (button, what was held until the next one).

    A button that goes down is one, and a direction that stays down one every `step_frames`: a
    walker decides at every tile. What runs before the first has no button.
    """
    action: int | None = None
    holds: list[Hold] = []
    before: frozenset[int] = frozenset()
    for buttons, frames in stretch.spans():
        pressed = [button for button in range(NUM_BUTTONS) if button in buttons - before]
        before = buttons
        if pressed:
            if holds:
                yield action, holds
            action, holds = int(pressed[-1]), []
        elif holds and not buttons:
            holds.append((buttons, frames))
            continue
        while action in directions and action in buttons and frames > step_frames:
            yield action, [*holds, (buttons, step_frames)]
            holds, frames = [], frames - step_frames
        if frames:
            holds.append((buttons, frames))
    if holds:
        yield action, holds
