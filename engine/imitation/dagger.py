"""Aggregate what an expert would have done where the student went (DAgger, Ross et al. 2011).

A clone that errs reaches states that no demonstration shows, and errs again. So the student plays,
the expert labels each state with what it would have done, and the student learns from all labels so
far. In the first rounds the expert also acts in a share of the steps, so that a student that knows
nothing gets anywhere.
"""

from collections.abc import Callable
from dataclasses import dataclass

from engine.agents.base import PolicyFunction
from engine.imitation.bc import Cloning, Epoch
from engine.imitation.examples import Examples, join
from engine.imitation.games import Expert, Games, play
from engine.imitation.policies import Policy
from engine.runs.cloning_settings import CloningConfig, DaggerConfig
from engine.types import EpisodeSummary


@dataclass(frozen=True, slots=True)
class Round:
    """The result of one round.

    Attributes:
        number: From 1.
        beta: Share of the steps that the expert acted in.
        labelled: Steps that it labelled.
        total: All steps that are learnt from by now.
        played: The episodes' summaries.
        agreement: Share of the labels that were also the student's likeliest action before it
            learnt them; None where there was no student yet.
        epoch: The last one of the round.
    """

    number: int
    beta: float
    labelled: int
    total: int
    played: tuple[EpisodeSummary, ...]
    agreement: float | None
    epoch: Epoch

    def figures(self) -> dict[str, float]:
        """Return figures by their names in TensorBoard."""
        count = max(1, len(self.played))
        agreement = {} if self.agreement is None else {"dagger/agreement": self.agreement}
        rounds = {
            "dagger/beta": self.beta,
            "dagger/examples": self.total,
            "dagger/success": sum(one.is_success for one in self.played) / count,
            "dagger/return": sum(one.total_reward for one in self.played) / count,
        }
        return self.epoch.figures() | agreement | rounds


class Dagger:
    """Hold the student and all labelled examples.

    `make_expert` makes the expert of a round from a seed, and `nobody` a policy that plays in place
    of the student while there is none.

    Attributes:
        examples: By round, the demonstrations first.
        policy: The student; None before the first round of one that began with nothing.
        rounds: How many are over.
    """

    def __init__(
        self,
        config: DaggerConfig,
        cloning: CloningConfig,
        make_expert: Callable[[int], Expert],
        nobody: Callable[[int], PolicyFunction],
        examples: tuple[Examples, ...] = (),
        policy: Policy | None = None,
    ) -> None:
        self._config = config
        self._cloning = cloning.model_copy(update={"epochs": config.epochs, "patience": 0})
        self._make_expert, self._nobody = make_expert, nobody
        self.examples = list(examples)
        self.policy = policy
        self.rounds = 0

    @property
    def is_over(self) -> bool:
        """Return whether all rounds are over."""
        return self.rounds >= self._config.rounds

    def learn_first(self, report: Callable[[int], None] = lambda done: None) -> Epoch | None:
        """Clone the demonstrations to begin with, if there is no student; None without any."""
        if self.policy is not None or not self.examples:
            return None
        return self._learn(report)

    def round(
        self,
        games: Games,
        report_played: Callable[[int], None] = lambda done: None,
        report_learnt: Callable[[int], None] = lambda done: None,
    ) -> Round:
        """Let the student play, label its states, and learn from all examples.

        `games` are `DaggerConfig.envs`, advised if the expert needs it. `report_played` is called
        with how many episodes are over, `report_learnt` with how many epochs.
        """
        number, student = self.rounds + 1, self.policy
        seed = self._cloning.seed * 1009 + number
        beta = self._config.beta_start * self._config.beta_decay ** (number - 1)
        if student is None:
            beta = 1.0
        new, played = play(
            games,
            self._nobody(seed) if student is None else student.player(seed),
            self._make_expert(seed),
            beta=beta,
            episodes=self._config.episodes,
            seed=seed,
            report=report_played,
        )
        agreement = None
        if student is not None:
            config = self._cloning.model_copy(update={"val_share": 0.0})
            score = Cloning(config, new, student).score(new)
            agreement = score.accuracy if score is not None else None
        self.examples.append(new)
        epoch = self._learn(report_learnt)
        self.rounds = number
        total = sum(len(part) for part in self.examples)
        return Round(number, beta, len(new), total, tuple(played), agreement, epoch)

    def _learn(self, report: Callable[[int], None]) -> Epoch:
        seed = (self._cloning.seed * 1009 + len(self.examples)) % 2**31
        config = self._cloning.model_copy(update={"seed": seed})
        cloning = Cloning(config, join(self.examples), self.policy)
        epoch = None
        while not cloning.is_over:
            epoch = cloning.learn()
            report(cloning.epoch)
        assert epoch is not None
        self.policy = Policy(self._cloning, cloning.policy.spaces, cloning.policy.network)
        return epoch
