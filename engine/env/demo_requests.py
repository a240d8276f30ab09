"""Define the requests to an environment that records demonstrations, and its answers."""

from dataclasses import dataclass

from engine.commands import (
    DescribeRecording,
    DiscardRecording,
    MarkRecording,
    Rewind,
    StopRecording,
)

CANNOT_RECORD = "These games cannot be recorded."


@dataclass(frozen=True, slots=True)
class BeginDemo:
    """Keep what is played from now on.

    Attributes:
        folder: Where the file is written.
        by: Who plays.
        task: What is shown, in words.
        tags: Single words.
        needs_human: What holds no step of a person's is thrown away when it ends.
    """

    folder: str
    by: str = "human"
    task: str = ""
    tags: tuple[str, ...] = ()
    needs_human: bool = False


@dataclass(frozen=True, slots=True)
class ProposeStep:
    """The next step is a person's.

    Attributes:
        proposal: What the agent would do.
    """

    proposal: int


@dataclass(frozen=True, slots=True)
class FollowPlay:
    """A person plays from now on, or no more.

    What they have just played can be kept (`KeepPlay`) while nothing is recorded.
    """

    is_by_hand: bool


@dataclass(frozen=True, slots=True)
class KeepPlay:
    """Make a demonstration of what a person has just played.

    Attributes:
        folder: Where the file is written.
    """

    folder: str


@dataclass(frozen=True, slots=True)
class LoadState:
    """Go to a snapshot if it is of the demonstration, and forget what came after it.

    Attributes:
        snapshot: As `SteppedEnv.snapshot` returned it.
    """

    snapshot: bytes


@dataclass(frozen=True, slots=True)
class StepBack:
    """Take back the last action, or so many frames of real-time play.

    Attributes:
        frames: 0: about a second of it.
    """

    frames: int


@dataclass(frozen=True, slots=True)
class InspectDemo:
    """Ask for the state of the recording."""


DemoRequest = (
    BeginDemo
    | ProposeStep
    | FollowPlay
    | KeepPlay
    | LoadState
    | StepBack
    | InspectDemo
    | StopRecording
    | DiscardRecording
    | Rewind
    | MarkRecording
    | DescribeRecording
)


@dataclass(frozen=True, slots=True)
class DemoEnded:
    """A demonstration ended.

    Attributes:
        env_index: Where it was played.
        path: Of its file; "" where it was thrown away or could not be written.
        steps: How often something was pressed in it, in real time, too.
        human_steps: How often a person did.
        is_live: A person played in real time, too.
        total_reward: What was paid since it began.
        failure: Why it could not be written, and where the rest is; "" where all is well.
    """

    env_index: int
    path: str
    steps: int
    human_steps: int
    is_live: bool
    total_reward: float
    failure: str = ""


@dataclass(frozen=True, slots=True)
class DemoFacts:
    """How the demonstration of an environment stands.

    Attributes:
        path: Where its file will be; "" while none is kept.
        steps: How often something was pressed in it, in real time, too.
        human_steps: How often a person did.
        rewindable: How many of its last actions can be taken back.
        episode_steps: Steps of the episode, those before it included.
        taken_back: How many actions the order took back.
        is_loaded: The order went to its snapshot, which was of the demonstration.
        task: What is shown.
        tags: In order.
        is_marked: Somebody marked it as a success.
        ended: What the order brought to its end.
    """

    path: str = ""
    steps: int = 0
    human_steps: int = 0
    rewindable: int = 0
    episode_steps: int = 0
    taken_back: int = 0
    is_loaded: bool = False
    task: str = ""
    tags: tuple[str, ...] = ()
    is_marked: bool = False
    ended: DemoEnded | None = None
