"""Clone a policy from demonstrations: learn, evaluate, keep the best, and resume."""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from engine.agents.evaluation import evaluate
from engine.agents.gradients import skipped_text
from engine.agents.rules import RandomAgent
from engine.config import RunConfig
from engine.env.observation.pixels import sight_of
from engine.games.catalog import load_game
from engine.imitation.bc import Cloning, Epoch
from engine.imitation.dagger import Round
from engine.imitation.examples import Examples
from engine.imitation.games import make_games, play, rules_expert
from engine.imitation.policies import Policy, PolicyWriter
from engine.runs.cloning_settings import CloningConfig
from engine.runs.metrics import MetricsWriter
from engine.runs.policy_folders import PolicyFolder
from engine.runs.weights_biases import WandbRun
from engine.types import EpisodeSummary, Evaluation

MAX_GAMES = 8
"""Games that are played at once in this process."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the work named `what` is: `done` of `total`."""

    what: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Note:
    """A line for the user."""

    text: str


@dataclass(frozen=True, slots=True)
class Cloned:
    """The result of cloning.

    Attributes:
        epochs: The epochs, or rounds of DAgger, of this call, in order.
        evaluation: The last one; None if there was none.
        best: The best checkpoint; None if none was evaluated.
    """

    folder: Path
    epochs: tuple[Epoch | Round, ...]
    evaluation: Evaluation | None
    best: Path | None


Report = Callable[[Progress | Note | Epoch | Evaluation], None]


def rule_examples(
    config: CloningConfig,
    run: RunConfig,
    episodes: int,
    report: Callable[[Progress], None] = lambda event: None,
) -> tuple[Examples, list[EpisodeSummary]]:
    """Let the rule planner play, and return its steps as demonstrations."""
    games = make_games(run, min(MAX_GAMES, episodes), sight_of(config.encoder), is_advised=True)
    with contextlib.closing(games):
        return play(
            games,
            RandomAgent(config.seed).player(config.seed),
            rules_expert(config.seed),
            beta=1.0,
            episodes=episodes,
            seed=config.seed,
            report=lambda done: report(Progress("the rules play", done, episodes)),
        )


def evaluate_clone(
    policy: Policy,
    run: RunConfig,
    episodes: int,
    report: Callable[[Progress], None] = lambda event: None,
    may_go_on: Callable[[], bool] = lambda: True,
) -> Evaluation | None:
    """Let a policy play alone from the true start; None if `may_go_on` said no.

    Every evaluation uses the same seeds.
    """
    games = make_games(
        run, min(MAX_GAMES, episodes), sight_of(policy.config.encoder), is_advised=False
    )
    with contextlib.closing(games):
        return evaluate(
            policy.player,
            games,
            run,
            episodes,
            may_go_on=may_go_on,
            report=lambda done: report(Progress("the policy plays", done, episodes)),
            milestones=dict(load_game(run.rom_path, run.allow_unknown_rom).milestones),
        )


class CloningRun:
    """Clone a policy, from the start or, if `is_resumed`, from the newest checkpoint.

    `may_go_on` is asked often; where it returns False, cloning ends with the last whole epoch.

    Raises:
        PokeTUIError: The examples or the checkpoint cannot be used.
    """

    def __init__(
        self,
        config: CloningConfig,
        run: RunConfig,
        examples: Examples,
        folder: PolicyFolder,
        *,
        report: Report = lambda event: None,
        is_resumed: bool = False,
        may_go_on: Callable[[], bool] = lambda: True,
    ) -> None:
        torch.set_num_threads(1)  # two on a busy machine wait for each other more than they work
        self._config, self._run, self._folder, self._report = config, run, folder, report
        self._may_go_on = may_go_on
        self._store = folder.store(config.keep_checkpoints)
        self.cloning = Cloning(config, examples)
        self._saved: Mapping[str, Any] = {}
        if is_resumed:
            saved, *_ = self._store.load_newest(
                lambda saved: self.cloning.load(saved.facts, saved.arrays)
            )
            self._saved = saved.facts

    def run(self, writers: Sequence[MetricsWriter] = ()) -> Cloned:
        """Learn until it is over; `writers` take the figures, too, and are closed.

        Raises:
            PokeTUIError: A checkpoint cannot be written, or the game cannot be made.
        """
        cloning, config, episodes = self.cloning, self._config, self._config.eval_episodes
        writer = PolicyWriter(
            self._folder,
            self._store,
            self._saved,
            cloning.steps,
            writers,
            lambda text: self._report(Note(text)),
        )
        epochs: list[Epoch] = []
        with contextlib.closing(writer):
            while not cloning.is_over:
                epoch = cloning.learn(self._report_batches, self._may_go_on)
                if epoch is None:
                    break
                epochs.append(epoch)
                self._report(epoch)
                if epoch.skipped and not any(each.skipped for each in epochs[:-1]):
                    self._report(Note(skipped_text(epoch.skipped)))
                writer.learnt(epoch.number, cloning.steps, epoch.figures())
                is_due = cloning.is_over or epoch.number % config.eval_every == 0
                found = self._evaluate(episodes) if is_due and episodes else None
                if found is not None:
                    self._report(found)
                    writer.evaluated(cloning.epoch, cloning.steps, found)
                by_loss = config.save_best and not episodes and epoch.is_best
                if is_due or by_loss or epoch.number % config.save_every == 0:
                    is_scored = by_loss or (config.save_best and found is not None)
                    score = _score(found, epoch) if is_scored else None
                    writer.save(*cloning.save(), cloning.steps, score)
        return Cloned(self._folder.path, tuple(epochs), writer.evaluation, writer.best)

    def _evaluate(self, episodes: int) -> Evaluation | None:
        return evaluate_clone(
            self.cloning.policy, self._run, episodes, self._report, self._may_go_on
        )

    def _report_batches(self, done: int) -> None:
        cloning = self.cloning
        total = self._config.epochs * cloning.batches
        self._report(Progress("learning", cloning.epoch * cloning.batches + done, total))


def tracked(
    run: RunConfig, folder: PolicyFolder, settings: Mapping[str, Any], project: str
) -> list[MetricsWriter]:
    """Return the writers of figures beside TensorBoard's: W&B's, if `run.wandb` says so.

    Raises:
        ConfigurationError: It cannot begin.
    """
    if run.wandb == "off":
        return []
    return [WandbRun(run, folder.path, folder.path.name, project=project, settings=settings)]


def score_of(evaluation: Evaluation) -> list[float]:
    """Return what checkpoints are compared by: success, then milestones, then reward."""
    reached = sum(evaluation.milestones.values())
    return [evaluation.success_rate, reached, evaluation.avg_reward]


def _score(evaluation: Evaluation | None, epoch: Epoch) -> list[float]:
    """Return the score of an evaluation; where there is none, one by the negative loss."""
    if evaluation is not None:
        return score_of(evaluation)
    loss = epoch.loss if epoch.validation is None else epoch.validation.balanced_loss
    return [0.0, 0.0, -loss]
