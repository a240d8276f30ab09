"""List what the engine tells the outside: a closed union of frozen events, named in the past tense.

Events marked LOSSY may be dropped in favour of a newer one of the same type (the mailbox keeps the
latest); all others arrive, each one, in order.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.types import (
    Decision,
    EpisodeSummary,
    Evaluation,
    Frame,
    GameState,
    Goal,
    RewardBreakdown,
)


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The run is built and its first step is about to be taken.

    Attributes:
        resumed_from: Steps already taken by the checkpoint that was resumed, 0 for a new run.
    """

    run_id: str
    run_dir: str
    game: str
    agent: str
    mode: str
    num_envs: int
    num_workers: int
    milestones: tuple[tuple[str, str], ...]
    """(key, text) in order."""
    resumed_from: int = 0


@dataclass(frozen=True, slots=True)
class ProgressReported:
    """Start-up work went on; `text` says what is being done."""

    text: str


@dataclass(frozen=True, slots=True)
class FrameRendered:
    """LOSSY. The watched environment's frame changed."""

    frame: Frame
    env_index: int


@dataclass(frozen=True, slots=True)
class GameObserved:
    """LOSSY. The watched environment's game state, goal and milestones so far in this episode."""

    state: GameState
    goal: Goal | None
    milestones: frozenset[str]


@dataclass(frozen=True, slots=True)
class StatusChanged:
    """LOSSY. The figures of the status line."""

    total_steps: int
    steps_per_s: float
    episode: int
    uptime_s: float
    is_paused: bool
    is_human: bool
    speed: float
    """Actions a second and environment, 0 = unlimited."""
    watched_env: int
    episode_steps: int
    phase: str
    """acting, learning, evaluating, saving, paused."""


@dataclass(frozen=True, slots=True)
class RewardPaid:
    """LOSSY. The watched environment's last reward, with sums by component."""

    step: RewardBreakdown
    episode: tuple[tuple[str, float], ...]
    run: tuple[tuple[str, float], ...]
    """Mean a finished episode over the run, by component."""


@dataclass(frozen=True, slots=True)
class PayoutMade:
    """The watched environment was paid something worth a line (not the per-step small change)."""

    step: int
    component: str
    value: float
    cause: str


@dataclass(frozen=True, slots=True)
class DecisionMade:
    """LOSSY. The latest decision for the watched environment."""

    step: int
    decision: Decision


@dataclass(frozen=True, slots=True)
class ReasoningLogged:
    """A line of reasoning: a goal set, reached or dropped, a change of who leads."""

    step: int
    source: str
    text: str


@dataclass(frozen=True, slots=True)
class EpisodeEnded:
    """An episode ended in any environment."""

    episode: int
    total_steps: int
    summary: EpisodeSummary


@dataclass(frozen=True, slots=True)
class EvaluationEnded:
    """The policy alone was evaluated, after `episode` episodes of training."""

    episode: int
    total_steps: int
    evaluation: Evaluation


@dataclass(frozen=True, slots=True)
class CurriculumChanged:
    """The curriculum's state after an episode or a move between stages.

    Attributes:
        stage: 1-based.
        average_reward: Over the last episodes that count (`window`), nan before the first.
        threshold: Average reward needed to advance; nan in the last stage.
        missing: What is missing to advance, in words; "" in the last stage.
        focus: What is learnt in this stage.
        success_metrics: By what it shows that it is learnt.
    """

    stage: int
    num_stages: int
    name: str
    llm_confidence: float
    planner_share: float
    episodes_in_stage: int
    min_episodes: int
    average_reward: float
    threshold: float
    missing: str
    has_moved: bool = False
    focus: str = ""
    success_metrics: str = ""


@dataclass(frozen=True, slots=True)
class StrategySwitched:
    """The planner is followed more or less from now on.

    Attributes:
        old: A strategy's documented name.
        episode: How many episodes counted so far, of those from the true start.
    """

    old: str
    new: str
    cause: str
    episode: int


@dataclass(frozen=True, slots=True)
class PolicyUpdated:
    """The policy was updated: losses and other figures by name."""

    update: int
    total_steps: int
    figures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CheckpointSaved:
    """A checkpoint is on disk."""

    path: str
    total_steps: int


@dataclass(frozen=True, slots=True)
class ControlChanged:
    """A person took over the watched environment, or gave it back."""

    is_human: bool


@dataclass(frozen=True, slots=True)
class CommandRefused:
    """A command had no effect; `reason` says why."""

    command: str
    reason: str


@dataclass(frozen=True, slots=True)
class WarningRaised:
    """Something is off but the run goes on."""

    message: str


@dataclass(frozen=True, slots=True)
class RunFailed:
    """The run ended by an error. `has_checkpoint`: it can be resumed."""

    message: str
    hint: str
    has_checkpoint: bool


@dataclass(frozen=True, slots=True)
class RunStopped:
    """The run ended as asked; the last checkpoint is at `checkpoint` ("" if there is none)."""

    reason: str
    total_steps: int
    checkpoint: str


Event = (
    RunStarted
    | ProgressReported
    | FrameRendered
    | GameObserved
    | StatusChanged
    | RewardPaid
    | PayoutMade
    | DecisionMade
    | ReasoningLogged
    | EpisodeEnded
    | EvaluationEnded
    | CurriculumChanged
    | StrategySwitched
    | PolicyUpdated
    | CheckpointSaved
    | ControlChanged
    | CommandRefused
    | WarningRaised
    | RunFailed
    | RunStopped
)

LOSSY: tuple[type, ...] = (FrameRendered, GameObserved, StatusChanged, RewardPaid, DecisionMade)
