"""List the commands that the engine obeys.

Commands are drained between steps; their effect comes back as events, a refusal as CommandRefused.
"""

from dataclasses import dataclass

MAX_SHOWN = 32
"""Games that can be shown together."""
MAX_SHRINK = 8
NUM_SLOTS = 10


@dataclass(frozen=True, slots=True)
class Command:
    """Something that the engine is asked for."""


@dataclass(frozen=True, slots=True)
class Pause(Command):
    """Stop stepping until Resume."""


@dataclass(frozen=True, slots=True)
class Resume(Command):
    """Continue stepping."""


@dataclass(frozen=True, slots=True)
class StepOnce(Command):
    """While paused, take one step.

    Where a person plays: in real time, pause and run one frame with the buttons that are held; by
    turns, take one action in which nothing is pressed.
    """


@dataclass(frozen=True, slots=True)
class ChooseInBattle(Command):
    """Decide for the side that a person plays."""

    code: int
    """`engine.battles.sim.actions`: a joint code, or a selection at team preview."""


@dataclass(frozen=True, slots=True)
class SetSpeed(Command):
    """Limit every environment to `actions_per_s` (0 = unlimited)."""

    actions_per_s: float


@dataclass(frozen=True, slots=True)
class Watch(Command):
    """Show environment `env_index`."""

    env_index: int


@dataclass(frozen=True, slots=True)
class ShowGames(Command):
    """Show these environments small, a few times a second, beside the watched one.

    It ends with no `env_indices`, and with PauseRendering.
    """

    env_indices: frozenset[int]
    shrink: int = 1
    """Each pixel is the mean of so many by so many, 1 to MAX_SHRINK."""


@dataclass(frozen=True, slots=True)
class PauseRendering(Command):
    """Draw nothing until somebody watches again: it costs time."""


@dataclass(frozen=True, slots=True)
class TakeOver(Command):
    """Let a person act in the watched environment; training waits meanwhile."""


@dataclass(frozen=True, slots=True)
class GiveBack(Command):
    """Give the watched environment back to the agent."""


@dataclass(frozen=True, slots=True)
class Press(Command):
    """While a person has control, take the action with this index in the game's actions."""

    action: int


@dataclass(frozen=True, slots=True)
class PlayLive(Command):
    """While a person has control, run the game in real time with the held buttons, or stop that.

    While it is off (the default), the game waits, and each Press is one action.
    """

    is_live: bool


@dataclass(frozen=True, slots=True)
class Hold(Command):
    """While the game runs live, these buttons are down from now on."""

    buttons: frozenset[int]
    """Indices of actions that are buttons; empty lets all go."""


@dataclass(frozen=True, slots=True)
class Restart(Command):
    """End the watched environment's episode here, uncounted, and begin another."""


@dataclass(frozen=True, slots=True)
class KeepState(Command):
    """Take a snapshot of the watched environment's game, to branch from later."""


@dataclass(frozen=True, slots=True)
class Branch(Command):
    """Let the watched environment continue from a kept state, in an uncounted episode."""

    number: int


@dataclass(frozen=True, slots=True)
class SaveSlot(Command):
    """Save the watched environment's game in a slot, in place of what the slot held."""

    slot: int
    """1 to NUM_SLOTS."""


@dataclass(frozen=True, slots=True)
class LoadSlot(Command):
    """Take the game back to what a slot holds.

    A demonstration that the slot lies within is truncated there, and continues; else another
    episode begins there.
    """

    slot: int


@dataclass(frozen=True, slots=True)
class SetMode(Command):
    """Let planner and policy act together, or one alone: adaptive, rl_only or llm_only."""

    mode: str


@dataclass(frozen=True, slots=True)
class SetStrategy(Command):
    """Fix how far the planner is followed: llm_heavy, balanced, rule_heavy; adaptive lets go."""

    strategy: str


@dataclass(frozen=True, slots=True)
class SetGoal(Command):
    """Have the rule planner pursue a milestone before all others; "" cancels that."""

    milestone: str


@dataclass(frozen=True, slots=True)
class Instruct(Command):
    """Tell the language model in words what is wanted; "" cancels that."""

    text: str


@dataclass(frozen=True, slots=True)
class SetWeight(Command):
    """Let a reward component count `weight` from now on, in every environment."""

    component: str
    weight: float


@dataclass(frozen=True, slots=True)
class Save(Command):
    """Write a checkpoint now."""


@dataclass(frozen=True, slots=True)
class Stop(Command):
    """Write a checkpoint and end the run."""

    reason: str = "asked to stop"


@dataclass(frozen=True, slots=True)
class SkipEvaluation(Command):
    """Leave the evaluation that is in progress; the next one comes when it is due."""


@dataclass(frozen=True, slots=True)
class Seek(Command):
    """While an episode is replayed: go to where it had taken `step` steps."""

    step: int


@dataclass(frozen=True, slots=True)
class StartRecording(Command):
    """Keep what is played in the watched environment from now on as a demonstration."""

    task: str = ""
    tags: tuple[str, ...] = ()
    """Single words."""


@dataclass(frozen=True, slots=True)
class StopRecording(Command):
    """End the demonstration here, and save it."""


@dataclass(frozen=True, slots=True)
class DiscardRecording(Command):
    """Throw the demonstration away."""

    again: bool = False
    """Go back to where it began, and record anew."""


@dataclass(frozen=True, slots=True)
class ReviewRecording(Command):
    """Show the demonstration that has just ended again, or stop showing it."""


@dataclass(frozen=True, slots=True)
class Rewind(Command):
    """Take back the last `actions` of the demonstration, and continue from there."""

    actions: int


@dataclass(frozen=True, slots=True)
class RunBackwards(Command):
    """Keep rewinding the demonstration, moment by moment, until that is turned off."""

    is_on: bool


@dataclass(frozen=True, slots=True)
class KeepRecent(Command):
    """Save what a person has just played as a demonstration, though nothing was recorded."""


@dataclass(frozen=True, slots=True)
class MarkRecording(Command):
    """Toggle the demonstration's success mark.

    With a `text` it is noted instead that this was reached now, and the mark stays as it is.
    """

    text: str = ""


@dataclass(frozen=True, slots=True)
class DescribeRecording(Command):
    """Describe what the demonstration shows, and add tags; an empty `task` leaves the old one."""

    task: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestControl(Command):
    """Let this viewer steer the run; only one of its viewers does at a time."""


@dataclass(frozen=True, slots=True)
class ReleaseControl(Command):
    """Leave the steering to another viewer."""
