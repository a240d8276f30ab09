"""Hold a demonstration while it is played: it grows, and can be taken back to an earlier step."""

from dataclasses import dataclass, field, replace

import numpy as np

from engine.demos.decisions import Beginning, directions_of, shown_live
from engine.demos.demonstration import MAP, NO_PROPOSAL, SUCCESS, DemoEvent, Demonstration
from engine.env.input_recording import Segment
from engine.env.live import LiveStretch


@dataclass(slots=True)
class Draft:
    """A demonstration so far.

    Attributes:
        head: How it begins: the inputs in it were somebody else's, and show nothing.
        paid_live: (when, value): a moment is so many steps and so many live frames after them.
    """

    head: Demonstration
    actions: bytearray = field(default_factory=bytearray)
    rewards: list[float] = field(default_factory=list)
    flags: bytearray = field(default_factory=bytearray)
    proposals: bytearray = field(default_factory=bytearray)
    live: list[LiveStretch] = field(default_factory=list)
    paid_live: list[tuple[tuple[int, int], float]] = field(default_factory=list)
    events: list[DemoEvent] = field(default_factory=list)
    hashes: dict[int, str] = field(default_factory=dict)
    tags: set[str] = field(default_factory=set)
    task: str = ""
    memory: str = ""

    def __post_init__(self) -> None:
        taken = self._taken
        count = len(taken.actions)
        self.actions += taken.actions
        self.rewards += [0.0] * count
        self.flags += bytes(count)
        self.proposals += bytes([NO_PROPOSAL]) * count
        self.live += taken.live
        self.tags |= self.head.tags
        self.task = self.task or self.head.task

    @property
    def _taken(self) -> Segment:
        """Return the episode's inputs before somebody took over."""
        return self.head.recording.segments[-1]

    @property
    def length(self) -> int:
        """Return the episode's steps, those before somebody took over included."""
        return len(self.actions)

    @property
    def live_frames(self) -> int:
        """Return how many frames of live play followed the last step."""
        return self.live[-1].frames if self.live and self.live[-1].after == self.length else 0

    @property
    def begin(self) -> Beginning:
        """Return from where on it shows something."""
        taken, live = len(self._taken.actions), self._taken.live
        return Beginning(taken, live[-1].frames if live and live[-1].after == taken else 0)

    @property
    def num_shown(self) -> int:
        """Return how often something was pressed from there on: see `Demonstration.shown`."""
        begin, frames = self.begin, sum(self.head.recording.frames)
        directions = directions_of(self.head.action_names)
        stretches = (each for each in self.live if each.after >= begin.step)
        live = sum(1 for each in stretches for _ in shown_live(each, frames, begin, directions))
        return self.length - begin.step + live

    @property
    def paid(self) -> float:
        """Return what was paid from there on."""
        return sum(self.rewards) + sum(paid for _, paid in self.paid_live)

    def step(self, action: int, reward: float, flags: int, proposal: int) -> None:
        """Take in a step."""
        self.actions.append(action)
        self.rewards.append(reward)
        self.flags.append(flags)
        self.proposals.append(proposal)
        self.memory = ""

    def play_live(self, stretch: LiveStretch, paid: float) -> None:
        """Take in a stretch of live play, or what it has grown to, and what was paid since."""
        if paid:
            self.paid_live.append(((stretch.after, stretch.frames), paid))
        if self.live and self.live[-1].after == stretch.after:
            self.live.pop()
        self.live.append(stretch)
        self.memory = ""

    def note(self, event: DemoEvent) -> None:
        """Take in an event of now; of two maps at one moment the later one counts."""
        event = replace(event, frames=self.live_frames)
        if event.kind == MAP and self.events and self.events[-1].kind == MAP:
            if self.events[-1].moment == event.moment:
                self.events.pop()
            elif self.events[-1].text == event.text:
                return
        self.events.append(event)

    def unmark(self) -> None:
        """Take back that it was marked as a success."""
        self.events = [event for event in self.events if event.kind != SUCCESS]

    def remember(self, digest: str, *, is_step: bool) -> None:
        """Take in the memory's hash of now; with live play after the last step it is no step's."""
        self.memory = digest
        if is_step:
            self.hashes[self.length] = digest

    def rewind(self, step: int, frames: int = 0) -> None:
        """Go back to where `step` steps were taken, and `frames` frames of live play after them."""
        then = max((step, frames), (self.begin.step, self.begin.frames))
        step, frames = then
        for kept in (self.actions, self.rewards, self.flags, self.proposals):
            del kept[step:]
        at_step = [each.cut(frames) for each in self.live if each.after == step and frames]
        self.live = [*(each for each in self.live if each.after < step), *at_step]
        self.paid_live = [each for each in self.paid_live if each[0] <= then]
        self.events = [event for event in self.events if event.moment <= then]
        self.hashes = {at: digest for at, digest in self.hashes.items() if at <= step}
        self.memory = "" if frames else self.hashes.get(step, "")

    def demonstration(self) -> Demonstration:
        """Return it as it is now.

        Raises:
            DemoError: Its parts do not belong together.
        """
        recording, flags = self.head.recording, np.frombuffer(bytes(self.flags), np.uint8)
        own = Segment(self._taken.random, bytes(self.actions), tuple(self.live))
        segments = (*recording.segments[:-1], own)
        return replace(
            self.head,
            recording=replace(recording, segments=segments, memory=self.memory),
            rewards=np.array(self.rewards, np.float32),
            dones=(flags & 1).astype(np.bool_),
            events=tuple(sorted(self.events, key=lambda event: event.moment)),
            tags=frozenset(self.tags),
            task=self.task,
            memory_hashes=tuple(sorted(self.hashes.items())),
            proposals=np.frombuffer(bytes(self.proposals), np.uint8),
            is_intervention=(flags & 2).astype(np.bool_),
            begins_at=self.begin.step,
            begins_frames=self.begin.frames,
            live_return=sum((paid for _, paid in self.paid_live), 0.0),
        )
