"""List the events that the engine publishes: frozen, named in the past tense."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.planning_types import GoalOutcome
from engine.types import (
    GAME_BOY_ACTIONS,
    GAME_BOY_FRAME_SHAPE,
    ActionSet,
    AntiStuckStatus,
    Decision,
    EpisodeSummary,
    Evaluation,
    Frame,
    GameState,
    Goal,
    MapId,
    MapOutline,
    RewardBreakdown,
    SmallPicture,
)

REPLAY = "replay"
"""The mode of a session that plays a recorded episode again."""
RECORD = "record"
"""The mode of a session in which demonstrations are recorded, and nothing is trained."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened; it is never lost, and arrives after all that happened before."""


@dataclass(frozen=True, slots=True)
class LossyEvent(Event):
    """An event that may be dropped in favour of a newer one of its type."""


@dataclass(frozen=True, slots=True)
class RunStarted(Event):
    """The run is built and its first step is about to be taken."""

    run_id: str
    run_dir: str
    game: str
    agent: str
    mode: str
    """adaptive, rl_only or llm_only; REPLAY where a recorded episode is played again, RECORD where
    demonstrations are recorded."""
    num_envs: int
    num_workers: int
    milestones: tuple[tuple[str, str], ...]
    """(key, text) in order."""
    resumed_from: int = 0
    """Steps already taken by the checkpoint that was resumed, 0 for a new run."""
    actions: ActionSet = GAME_BOY_ACTIONS
    frame_shape: tuple[int, int, int] | None = GAME_BOY_FRAME_SHAPE
    """Of the frames that come, (rows, columns, 3); None: this world draws none."""
    has_game_state: bool = True
    """GameObserved comes after each step: there is a place, a map and a party to show."""


@dataclass(frozen=True, slots=True)
class WorldMapped(Event):
    """The maps of the game's world are known before they are seen: once, after RunStarted."""

    outlines: tuple[MapOutline, ...]


@dataclass(frozen=True, slots=True)
class ProgressReported(Event):
    """Start-up work progressed."""

    text: str
    done: float = 0.0
    """How much of it is done, in the unit of `total`."""
    total: float = 0.0
    """How much there is; 0 where that is not known."""


@dataclass(frozen=True, slots=True)
class FrameRendered(LossyEvent):
    """The watched environment's frame changed."""

    frame: Frame
    env_index: int


@dataclass(frozen=True, slots=True)
class GamesShown(LossyEvent):
    """The games that ShowGames asked for were drawn."""

    pictures: tuple[SmallPicture, ...]


@dataclass(frozen=True, slots=True)
class GameObserved(LossyEvent):
    """The watched environment's game state, goal and milestones so far in this episode."""

    state: GameState
    goal: Goal | None
    milestones: frozenset[str]
    path: tuple[tuple[int, int], ...] = ()
    """Tiles (x, y) of this map on the way to the goal, the next one first."""
    visited: NDArray[np.bool_] | None = None
    """(height, width) bool, tiles of this map that the episode has stood on; None where they are
    not counted."""
    route: tuple[tuple[MapId, tuple[tuple[int, int], ...]], ...] = ()
    """The way beyond this map to the goal: for each map on it, tiles (x, y) in order."""
    final_milestone: str = ""
    """Key of the milestone that ends the episode, "" if none does."""
    anti_stuck: AntiStuckStatus | None = None
    """None where that is not known."""


@dataclass(frozen=True, slots=True)
class StatusChanged(LossyEvent):
    """The figures of the status line."""

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
    """acting, learning, evaluating, saving, replaying, recording, rewinding (a demonstration),
    reviewing (one that has ended), resetting (between two), playing (without recording), paused."""
    is_live: bool = False
    shares: tuple[tuple[str, float], ...] = ()
    """Who made the last decisions (up to 1,000, of all games): (source, share), summing to 1."""
    done: float = 0.0
    """How much of the phase's work is done: episodes of an evaluation, steps of a replay."""
    total: float = 0.0
    """How much there is; 0 where that is not known."""
    is_goal_reached: bool = False
    """In a replay: where it stands the run's goal is reached, and nothing is left to play for."""
    episodes_per_hour: float = 0.0
    """How fast episodes ended in the last ten minutes; 0 before one has."""


@dataclass(frozen=True, slots=True)
class RewardPaid(LossyEvent):
    """The watched environment's last reward, with sums by component."""

    step: RewardBreakdown
    episode: tuple[tuple[str, float], ...]
    run: tuple[tuple[str, float], ...]
    """Mean of the run's finished episodes, by component."""


@dataclass(frozen=True, slots=True)
class PayoutMade(Event):
    """The watched environment was paid something worth a line (not the per-step small change)."""

    step: int
    component: str
    value: float
    cause: str
    """In words, "" where none is known."""


@dataclass(frozen=True, slots=True)
class DecisionMade(LossyEvent):
    """The latest decision for the watched environment."""

    step: int
    decision: Decision


@dataclass(frozen=True, slots=True)
class ButtonsHeld(LossyEvent):
    """In real time: the buttons of the watched game that are down now, by action."""

    buttons: frozenset[int]


@dataclass(frozen=True, slots=True)
class ReasoningLogged(Event):
    """A line of reasoning: a goal set, reached or dropped, a change of who leads."""

    step: int
    source: str
    text: str
    confidence: float | None = None
    """Of the decision that it describes; None where it describes none."""


@dataclass(frozen=True, slots=True)
class PlanRequested(Event):
    """A language model is asked for a goal."""

    exchange: int
    """Number of question and answer, rising from 1."""
    env_index: int
    model: str
    trigger: str
    """Why now (`engine.planning_types.PlanningQuery`)."""
    prompt: str
    key: str = ""
    """`engine.planning_types.PlanningQuery.key`, by which a goal's outcome finds it."""


@dataclass(frozen=True, slots=True)
class PlanStreamed(Event):
    """Some more of an answer arrived; several words at once."""

    exchange: int
    text: str
    is_thinking: bool = False


@dataclass(frozen=True, slots=True)
class PlanAnswered(Event):
    """An answer is complete, or there will be none."""

    exchange: int
    model: str
    goal: str
    """What it wants, in words; "" where the answer could not be used."""
    confidence: float
    """As stated, 0 to 1."""
    reasoning: str
    error: str
    """Why there is no goal, "" if there is."""
    repairs: tuple[str, ...]
    """What had to be mended to read it."""
    latency_s: float
    first_token_s: float
    """Until its first word; nan without one."""
    prompt_tokens: int
    answer_tokens: int
    cost: float
    """US dollars."""
    is_cached: bool = False
    """Nobody was asked: the answer was known."""


@dataclass(frozen=True, slots=True)
class GoalEvaluated(Event):
    """RAM showed the outcome of a language model's goal."""

    total_steps: int
    goal_outcome: GoalOutcome


@dataclass(frozen=True, slots=True)
class PlannerStatusChanged(LossyEvent):
    """The language model's state, and its totals so far."""

    model: str
    state: str
    """One of "loading", "ready", "asking", "waiting" (breaker open), "missing" (no such model),
    "unreachable", "refused" (key or request not accepted), "exhausted" (budget spent)."""
    detail: str = ""
    """In words: what is wrong and what to do, or ""."""
    retry_in_s: float = 0.0
    """Until it is tried again; 0 unless waiting."""
    calls: int = 0
    """Questions sent; `failures` of them brought no goal, `cached` more needed no call."""
    failures: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    cost: float = 0.0
    """US dollars so far."""
    median_latency_s: float = 0.0
    uplift: float = float("nan")
    """Share of its goals that made progress, less the share of those that were ignored at random;
    nan before both have happened."""
    uplift_low: float = float("nan")
    """Lower end of the 95 % interval."""
    uplift_high: float = float("nan")
    followed: int = 0
    """Evaluated goals that were followed; `ignored` were ignored at random."""
    ignored: int = 0
    absent: str = ""
    """Which of several models cannot be asked while others can, "" if all can: "1 of 2 models
    ready, small: unreachable"."""


@dataclass(frozen=True, slots=True)
class EpisodeEnded(Event):
    """An episode ended in any environment."""

    episode: int
    total_steps: int
    summary: EpisodeSummary


@dataclass(frozen=True, slots=True)
class EvaluationEnded(Event):
    """What the policy alone can do after `episode` episodes of training."""

    episode: int
    total_steps: int
    evaluation: Evaluation
    is_exam: bool = False
    """It is of the run's exam games so far; otherwise episodes were played for it."""


@dataclass(frozen=True, slots=True)
class CurriculumChanged(Event):
    """The curriculum's state after an episode or a move between stages."""

    stage: int
    """1-based."""
    num_stages: int
    name: str
    llm_confidence: float
    planner_share: float
    episodes_in_stage: int
    min_episodes: int
    average_reward: float
    """Over the last episodes that count, in `unit`; nan before the first."""
    threshold: float
    """Average needed to advance, in `unit`; nan in the last stage."""
    missing: str
    """What is missing to advance, in words; "" in the last stage."""
    has_moved: bool = False
    focus: str = ""
    success_metrics: str = ""
    unit: str = "reward"
    """What is counted of an episode: reward or milestones."""
    recent: tuple[float, ...] = ()
    """The last ten episodes, in `unit`, oldest first; those before this stage too."""


@dataclass(frozen=True, slots=True)
class StartsChanged(Event):
    """Where episodes begin; `text` is "" while all do at the true start."""

    text: str


@dataclass(frozen=True, slots=True)
class StrategySwitched(Event):
    """The planner is followed more or less from now on."""

    old: str
    """A strategy's documented name."""
    new: str
    cause: str
    episode: int
    """Episodes from the true start that were counted so far."""


@dataclass(frozen=True, slots=True)
class PolicyUpdated(Event):
    """The policy was updated: losses and other figures by name."""

    update: int
    total_steps: int
    figures: Mapping[str, float] = field(default_factory=dict)


GREEDY = " (greedy)"


@dataclass(frozen=True, slots=True)
class OpponentScore:
    """How a battle policy fares in training against one kind of opponent, exploration included.

    Where the name ends in `GREEDY`, the policy takes its likeliest choices instead, and learns
    nothing from these battles.
    """

    name: str
    """self, past, random, max_power, greedy, heuristics, or the name of a policy's file."""
    battles: int
    """Since the run began; in one against itself both sides are counted."""
    wins: int
    ties: int
    recent_battles: int
    """The last ones, about 500."""
    recent_wins: float
    """Of these; a tie counts one half."""


@dataclass(frozen=True, slots=True)
class BattleWorker:
    """What one process that plays battles does."""

    number: int
    pid: int
    is_waiting: bool
    """Its buffers are full: the learner is behind."""
    decisions: int
    """Since the process began; so are the next two."""
    battles: int
    rejected: int
    """Choices that the simulator refused."""
    decisions_per_s: float
    """Over the last buffer that it filled."""
    resident_bytes: int
    """Of the process and its simulator; 0 where that is not known."""
    weights_version: int
    """Of the update whose weights it plays with."""
    restarts: int
    """How often the process died and was replaced."""


@dataclass(frozen=True, slots=True)
class BattleDecision:
    """How the policy rates a decision of the watched side."""

    place: int
    """How many lines of the battle's protocol came before it."""
    request: str
    """What the side was asked: JSON as the simulator puts it."""
    options: tuple[tuple[int, float], ...]
    """The most probable codes (`engine.battles.sim.actions`), with probabilities, best first."""
    value: float
    """The expected result: -1 lost, 1 won; nan where no policy was asked."""
    chosen: int = -1
    """What was done; -1 where that is not known."""


@dataclass(frozen=True, slots=True)
class SetScore:
    """How a set of battles stands, as one side sees it."""

    game: int
    """The number of the latest game, from 1."""
    best_of: int
    won: int = 0
    lost: int = 0
    has_ended: bool = False

    def __str__(self) -> str:
        result = "won" if self.won > self.lost else "lost" if self.won < self.lost else "tied"
        end = f", set {result}" if self.has_ended else ""
        return f"Game {self.game} of {self.best_of}, {self.won}-{self.lost}{end}"


@dataclass(frozen=True, slots=True)
class BattleShown(LossyEvent):
    """The watched battle went on, or another one is watched."""

    battle: str
    """Its name; another name means another battle."""
    side: int
    """0 or 1: whose decisions and "you" these are."""
    lines: tuple[str, ...]
    """All of its protocol so far."""
    types: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of each species that takes part, as far as known."""
    decisions: tuple[BattleDecision, ...] = ()
    number: int = 0
    """Which one of `count` that can be watched."""
    count: int = 0
    set: SetScore | None = None
    """The set that it is a game of, None: none."""


@dataclass(frozen=True, slots=True)
class LookAheadBegan(Event):
    """A player of the watched battle looks ahead before it chooses, until BattleShown."""


@dataclass(frozen=True, slots=True)
class BattleWanted(Event):
    """The person who plays a battle is to decide: ChooseInBattle answers."""

    place: int
    """How many lines of the battle's protocol came before it."""
    request: str
    """JSON as the simulator puts it; empty: nothing is wanted any more."""
    legal: NDArray[np.bool_]
    """(90,), the masks of both slots, or of the selections at team preview."""
    observation: NDArray[np.float32]
    """(1560,): it has estimates of what the moves would do."""


@dataclass(frozen=True, slots=True)
class BattlesProgressed(Event):
    """The battle policy was updated; its losses come as PolicyUpdated just before."""

    total_steps: int
    """Decisions learned from since the run began."""
    battles: int
    update: int
    uptime_s: float
    decisions_per_s: float
    """Since the last update, learning included."""
    mean_turns: float
    """Of the recent battles; nan while there are none."""
    pool_size: int
    """Past policies that are played against."""
    opponents: tuple[OpponentScore, ...] = ()
    workers: tuple[BattleWorker, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckpointSaved(Event):
    """A checkpoint is on disk."""

    path: str
    total_steps: int


@dataclass(frozen=True, slots=True)
class ProcessUse:
    """The memory of some of a run's processes."""

    name: str
    """trainer (the cockpit too where it shows its own run), workers, evaluation or other."""
    count: int
    resident_bytes: int


@dataclass(frozen=True, slots=True)
class GpuUse:
    """The load of one of the machine's GPUs, by all processes."""

    name: str
    load: float
    """0 to 1; nan: not known."""
    used_bytes: int
    total_bytes: int
    """0: not known."""


@dataclass(frozen=True, slots=True)
class SystemMeasured(LossyEvent):
    """What the run takes of its machine, every few seconds; sizes in bytes, 0 where not known."""

    cores: tuple[float, ...]
    """Load of each core that the run may use since the last measurement, 0 to 1, by all processes;
    () where that is not known."""
    num_cores: int
    load_average: float
    """Processes that ran or waited in the last minute; nan: not known."""
    processes: tuple[ProcessUse, ...]
    memory_used: int
    memory_total: int
    gpus: tuple[GpuUse, ...]
    disk_free: int
    """Of the disk that the run is saved on."""
    disk_total: int
    run_bytes: int
    """The size of the run's folder."""
    speeds: tuple[float, ...]
    """Steps a second at the last measurements, oldest first."""
    checkpoints: tuple[tuple[float, float], ...]
    """(uptime at its end, seconds that it took) of the last ones, oldest first."""
    history_bytes: int = 0
    """Of the decision database, with its write-ahead log."""
    history_bytes_per_hour: float = math.nan
    """How fast it grew in the last five minutes; nan before there are two measurements."""


@dataclass(frozen=True, slots=True)
class ControlChanged(Event):
    """A person took over the watched environment, or gave it back."""

    is_human: bool


@dataclass(frozen=True, slots=True)
class SteeringChanged(Event):
    """What a person may change while a run continues; published at its start and each change."""

    mode: str
    strategy: str
    """As set: adaptive, llm_heavy, balanced or rule_heavy."""
    goal: str
    """Key of the milestone that a person set, "" if none."""
    instruction: str
    """A person's words for the language model, "" if there are none."""
    weights: tuple[tuple[str, float], ...]
    """(reward component, weight)."""


@dataclass(frozen=True, slots=True)
class KeptState:
    """A snapshot of a game that can be branched from."""

    number: int
    """Rising from 1."""
    env_index: int
    episode_steps: int
    """Steps of its episode until then."""
    place: str
    is_asked: bool = False
    """A person asked for it; the others are kept periodically."""
    episode: int = 0
    """How many episodes of the run had ended by then."""
    kept_s: float = 0.0
    """When it was kept, in seconds since 1970; 0: not known."""
    slot: int = 0
    """The slot that holds it; 0: none does."""


@dataclass(frozen=True, slots=True)
class StatesKept(LossyEvent):
    """The states that can be branched from, oldest first."""

    states: tuple[KeptState, ...]


@dataclass(frozen=True, slots=True)
class RecordingChanged(LossyEvent):
    """The state of the watched environment's demonstration."""

    is_recording: bool
    steps: int = 0
    """Presses in it so far, also those in real time."""
    human_steps: int = 0
    elapsed_s: float = 0.0
    """Since it began, pauses left out."""
    limit_s: float = 0.0
    """After so long it is saved by itself; 0: never."""
    rewindable: int = 0
    """How many of its last actions can be taken back."""
    saved: int = 0
    """Demonstrations in the dataset, earlier sessions' among them."""
    wanted: int = 0
    """How many the dataset is to have; 0: any number."""
    task: str = ""
    tags: tuple[str, ...] = ()
    is_marked: bool = False
    """A person marked that it shows what was wanted."""
    has_review: bool = False
    """Each is reviewed at its end, before it is saved."""
    review: str = ""
    """Why it ended, while it waits to be kept or discarded; "" while it is played."""


@dataclass(frozen=True, slots=True)
class RecordingEnded(Event):
    """A demonstration was saved at `path`, or thrown away."""

    path: str
    """Of its file; "" where it was thrown away."""
    steps: int
    """Presses in it, also those in real time."""
    human_steps: int
    total_reward: float
    """What was paid since it began."""
    reason: str


@dataclass(frozen=True, slots=True)
class PastReplayed(Event):
    """For a viewer that came late: what follows, up to the next of these, is of this uptime."""

    uptime_s: float
    """Whole seconds; nan: what follows happens now."""


@dataclass(frozen=True, slots=True)
class CommandObeyed(Event):
    """A command had an effect that no other event reports; `text` describes it."""

    command: str
    text: str


@dataclass(frozen=True, slots=True)
class CommandRefused(Event):
    """A command had no effect, for this reason."""

    command: str
    reason: str


@dataclass(frozen=True, slots=True)
class TimelineChanged(LossyEvent):
    """What is known of a whole replay; places count its moves.

    Attributes:
        length: Its moves.
        known: The place up to which rewards are known and seeking takes no time.
        milestones: (place, key) in order.
        rewards: (place, reward) of what is worth a mark, in order.
        by_person: (place before it, its last place) of each stretch that a person played.
    """

    length: int
    known: int
    milestones: tuple[tuple[int, str], ...] = ()
    rewards: tuple[tuple[int, float], ...] = ()
    by_person: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class WarningRaised(Event):
    """Something is off but the run continues."""

    message: str


@dataclass(frozen=True, slots=True)
class RunFailed(Event):
    """The run ended by an error.

    Attributes:
        has_checkpoint: It can be resumed.
        is_refused: It never began: what the user gave cannot be used.
    """

    message: str
    hint: str
    has_checkpoint: bool
    is_refused: bool = False


@dataclass(frozen=True, slots=True)
class RunStopped(Event):
    """The run ended as asked; the last checkpoint is at `checkpoint` ("" if there is none)."""

    reason: str
    total_steps: int
    checkpoint: str


@dataclass(frozen=True, slots=True)
class ViewersChanged(LossyEvent):
    """Somebody attached to the run or left it, or another viewer is in control now."""

    viewers: int
    is_yours: bool
    """The viewer that receives this is in control."""
    is_held: bool = True
    is_read_only: bool = False
    """The viewer that receives this never takes control."""


@dataclass(frozen=True, slots=True)
class ControlWanted(Event):
    """Another viewer asks the one that receives this for control."""


@dataclass(frozen=True, slots=True)
class ConnectionLost(Event):
    """This viewer is no longer attached to its run."""

    message: str
    hint: str
    is_running: bool
