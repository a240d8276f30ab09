"""Compare ways to learn: how far the policy alone comes, by steps, with several seeds."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean
from types import MappingProxyType
from typing import Any

from engine.agents.evaluation import summarise
from engine.commands import Stop
from engine.config import RunConfig, load_config
from engine.curriculum.starts import WayToGoal
from engine.errors import ConfigurationError, TrainingError
from engine.events import EvaluationEnded, Event, RunFailed, RunStarted, RunStopped
from engine.games.catalog import load_game
from engine.ground.scratch import scratch_folder
from engine.imitation.aggregation import aggregate
from engine.imitation.cloning import evaluate_clone
from engine.imitation.dagger import Round
from engine.imitation.from_demonstrations import Source
from engine.imitation.policies import read_policy
from engine.planning.history.patterns import success_interval
from engine.sessions.train import EngineSession
from engine.training.evaluation import evaluate_run
from engine.training.exams import RATED
from engine.types import Evaluation

ARMS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "ppo": {"agent": "ppo", "mode": "rl_only"},
        "hybrid": {"agent": "ppo", "mode": "adaptive"},
        "no-distillation": {"agent": "ppo", "mode": "adaptive", "ppo.distillation": 0.0},
        "dagger": {"agent": "ppo", "mode": "rl_only"},
        "dqn": {"agent": "dqn", "mode": "adaptive"},
    }
)
"""Settings by arm. DAgger trains no run: the rules label what its student meets."""
TARGET = 0.9
"""Success rate from which a policy counts as one that surely wins."""
LEAST_STEPS = 4096
"""Steps until the default run first updates its policy and plays its exam games."""
_MARKS = 4
"""Columns of the table, evenly spread over the steps."""
_POLL_INTERVAL_S = 0.5


@dataclass(frozen=True, slots=True)
class Point:
    """How the policy alone did after `steps` of training, in exam games or an evaluation.

    Attributes:
        came: Mean progress to the goal, as a share of the milestones on the way.
        episodes: Ended episodes; 0 where exam games have only begun.
    """

    steps: int
    came: float
    successes: int
    episodes: int

    @classmethod
    def of(cls, steps: int, found: Evaluation, came: float) -> "Point":
        """Return an evaluation as a point."""
        return cls(steps, came, round(found.success_rate * found.episodes), found.episodes)

    def facts(self) -> dict[str, Any]:
        """Return it JSON-able."""
        return asdict(self) | {"interval": success_interval(self.successes, self.episodes)}


@dataclass(slots=True)
class Trial:
    """One seed of one arm.

    Attributes:
        points: In order of steps; the last is an evaluation of the policy after all training.
        seconds: Training time by the clock.
    """

    arm: str
    seed: int
    points: list[Point] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def target_step(self) -> int | None:
        """Return when `TARGET` of at least `RATED` episodes first succeeded, in steps."""
        rated = (point for point in self.points if point.episodes >= RATED)
        return next((one.steps for one in rated if one.successes >= TARGET * one.episodes), None)

    def at(self, steps: int) -> Point | None:
        """Return the last point at or before `steps`."""
        return next((point for point in reversed(self.points) if point.steps <= steps), None)

    def facts(self) -> dict[str, Any]:
        """Return it JSON-able."""
        return {
            "arm": self.arm,
            "seed": self.seed,
            "seconds": self.seconds,
            "target_step": self.target_step,
            "points": [point.facts() for point in self.points],
        }


@dataclass(slots=True)
class Comparison:
    """All trials so far; `is_whole` once every arm has learnt with every seed."""

    steps: int
    trials: list[Trial] = field(default_factory=list)
    is_whole: bool = False

    def facts(self) -> dict[str, Any]:
        """Return it JSON-able."""
        trials = [trial.facts() for trial in self.trials]
        return {"steps": self.steps, "is_whole": self.is_whole, "trials": trials}


def measure_learning(
    overrides: Mapping[str, Any],
    arms: Sequence[str],
    seeds: Sequence[int],
    episodes: int,
    report: Callable[[Trial], None] = lambda trial: None,
) -> Comparison:
    """Let every arm learn with every seed; Ctrl-C ends it with the trials so far.

    Args:
        overrides: Settings by dotted key, `total_steps` among them.
        arms: Of `ARMS`.
        seeds: Random seeds.
        episodes: Episodes of the evaluation after training, at least `RATED`.
        report: Called with each finished trial.

    Raises:
        PokeTUIError: There are too few steps to learn anything, or a run failed.
    """
    steps = load_config(None, dict(overrides)).total_steps
    if steps < LEAST_STEPS:
        raise ConfigurationError(
            f"{steps} steps are too few to learn anything.", f"Use at least {LEAST_STEPS}."
        )
    found = Comparison(steps)
    with scratch_folder() as folder:
        usual = {"save_dir": str(folder), **overrides, "headless": True}
        try:
            for seed in seeds:
                for arm in arms:
                    learn = _aggregate if arm == "dagger" else _train
                    settings = {**usual, **ARMS[arm], "seed": seed}
                    found.trials.append(learn(arm, settings, episodes))
                    report(found.trials[-1])
            found.is_whole = True
        except KeyboardInterrupt:
            pass
    return found


def follow_run(config: RunConfig, take: Callable[[Event], bool]) -> float:
    """Train a run to its end and return how many seconds it took.

    Args:
        config: Settings of the run.
        take: Called with each event; the run is stopped early once it returns true.

    Raises:
        PokeTUIError: The run failed.
    """
    session = EngineSession(config)
    session.start()
    began_s = time.monotonic()
    try:
        while True:
            time.sleep(_POLL_INTERVAL_S)
            is_enough = False
            for event in session.mailbox.drain():
                if isinstance(event, RunFailed):
                    raise TrainingError(event.message, event.hint)
                is_enough |= take(event)
                if isinstance(event, RunStopped):
                    return time.monotonic() - began_s
            if is_enough:
                session.send(Stop())
    finally:
        session.stop()


def _train(arm: str, settings: dict[str, Any], episodes: int) -> Trial:
    """Train a run, take its exam games as points, and evaluate its last checkpoint."""
    config = load_config(None, settings)
    trial, run_dir = Trial(arm, config.seed), ""

    def take(event: Event) -> bool:
        nonlocal run_dir
        match event:
            case RunStarted():
                run_dir = event.run_dir
            case EvaluationEnded(total_steps=steps, evaluation=found):
                trial.points.append(Point.of(steps, found, found.came))
            case _:
                pass
        return False

    trial.seconds = follow_run(config, take)
    ended = evaluate_run(config.save_dir, run_dir, episodes=episodes)
    final = summarise(ended.played)
    came = _way(config).came(final.milestones)
    trial.points.append(Point.of(ended.total_steps, final, came))
    return trial


def _aggregate(arm: str, settings: dict[str, Any], episodes: int) -> Trial:
    """Run DAgger with the rules as the expert until `total_steps` steps are labelled."""
    config = load_config(None, settings)
    trial, way = Trial(arm, config.seed), _way(config)
    labelled, began_s = 0, time.monotonic()

    def take(event: object) -> None:
        nonlocal labelled, began_s
        match event:
            case Round(total=labelled):
                trial.seconds += time.monotonic() - began_s
            case Evaluation(milestones=shares):
                trial.points.append(Point.of(labelled, event, way.came(shares)))
                began_s = time.monotonic()

    cloned = aggregate(
        config.save_dir,
        {"seed": config.seed, "eval_episodes": RATED, "temperature": config.ppo.temperature},
        {"rounds": config.total_steps},
        Source(),
        game=settings,
        report=take,
        may_go_on=lambda: labelled < config.total_steps,
    )
    policy, _ = read_policy(config.save_dir, str(cloned.folder))
    final = evaluate_clone(policy, config, episodes)
    assert final is not None
    trial.points.append(Point.of(labelled, final, way.came(final.milestones)))
    return trial


def _way(config: RunConfig) -> WayToGoal:
    game = load_game(config.rom_path, config.allow_unknown_rom)
    return WayToGoal(game.tables.MILESTONES, config.env.goal)


def table(found: Comparison) -> Iterator[str]:
    """Yield the lines of a table with an arm a row: its progress by steps, success and seconds."""
    marks = [found.steps * number // _MARKS for number in range(1, _MARKS + 1)]
    at = " | ".join(f"{mark:,}" for mark in marks)
    yield f"| way to the goal after steps | {at} | success at the end | 90 % at step | seconds |"
    yield "|---" * (_MARKS + 4) + "|"
    for arm in dict.fromkeys(trial.arm for trial in found.trials):
        trials = [trial for trial in found.trials if trial.arm == arm]
        ways = [_way_cell([trial.at(mark) for trial in trials]) for mark in marks[:-1]]
        ends = [trial.points[-1] for trial in trials]
        firsts = ("never" if one.target_step is None else f"{one.target_step:,}" for one in trials)
        seconds = fmean(trial.seconds for trial in trials)
        cells = [arm, *ways, _way_cell(ends), _success(ends), "; ".join(firsts), f"{seconds:,.0f}"]
        yield f"| {' | '.join(cells)} |"


def _way_cell(points: Sequence[Point | None]) -> str:
    """Return the mean with the worst and the best seed; a dash where one shows nothing yet."""
    came = [100 * point.came for point in points if point is not None]
    if len(came) < len(points):
        return "–"
    return f"{fmean(came):.0f} % ({min(came):.0f}–{max(came):.0f})"


def _success(ends: Sequence[Point]) -> str:
    """Return how many episodes of all seeds together succeeded, with the 95 % interval."""
    successes, episodes = sum(end.successes for end in ends), sum(end.episodes for end in ends)
    low, high = success_interval(successes, episodes)
    return f"{successes} of {episodes} ({100 * low:.0f}–{100 * high:.0f} %)"
