"""Distil looking ahead into the policy that does it: expert iteration on the states it visits.

The policy plays against itself. From a share of the decisions that it meets a search looks ahead,
and the policy learns what the search would choose there, and what it found the decision worth. On
others it learns what it thought before, so that it forgets nothing. What comes out is kept only if
it beats the policy that it was made of, and still does what wins against strangers.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from engine.agents.gradients import Adam, GradientSteps
from engine.battles.learn.networks import TwoHeadedHybridModel
from engine.battles.play.evaluation import Score, play, schedule, win_rates
from engine.battles.play.players import Player
from engine.battles.play.search import SearchSettings, analyse
from engine.battles.policy import FloatArray, Policy
from engine.battles.sim.actions import PASS, SLOT_CODES, SWITCH, is_gimmick
from engine.battles.sim.observation import MOVE, MOVES, MOVES_PART
from engine.battles.sim.setup import NodeCommand
from engine.battles.sim.simulator import KIND, Decisions, Simulator
from engine.battles.sim.teams import Format
from engine.errors import ConfigurationError
from engine.imitation.epochs import BatchLoss, EpochLearner, predict

HABITS = ("switch", "protect", "speed control", "gimmick")
"""What a policy may not lose; a gimmick is to terastallise or mega-evolve."""
_MOST = 8
"""Codes that are kept of a decision."""
_REMEMBERED = 4
"""Decisions that are remembered as they were, for each that is looked ahead from."""
_HELD_OUT = 10
"""Of so many decisions looked ahead from one is kept from learning, to see what was learnt."""
_DUELS = 1 << 20
"""Added to the seed, so that nothing was learnt from the battles that judge."""
_AT_ONCE, _MAX_NORM = 1024, 1.0


@dataclass(frozen=True, slots=True)
class DistillingSettings:
    """How a search is distilled.

    Attributes:
        share: Of the decisions met that are looked ahead from, 0 to 0.2.
        search: How far; without a limit of time, so that a busy machine teaches nothing else.
        floor: Share of each habit that has to be left.
    """

    share: float = 0.1
    search: SearchSettings = field(default_factory=lambda: SearchSettings(samples=4, seconds=0))
    epochs: int = 4
    batch_size: int = 256
    learning_rate: float = 1e-4
    win_weight: float = 0.5
    floor: float = 0.6
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Lessons:
    """What is to be learnt of n decisions.

    Attributes:
        observations: (n, 1560) float16, which holds ids up to 2048 exactly.
        legal: (n, 90) bool.
        is_preview: (n,) bool.
        codes: (n, 8) int16, of the best choices.
        shares: (n, 8) float32, how often each is to be chosen; 0 where there are fewer.
        values: (n,) float32, -1 to 1.
        is_searched: (n,) bool: by the search; otherwise by the policy itself.
    """

    observations: NDArray[np.float16]
    legal: NDArray[np.bool_]
    is_preview: NDArray[np.bool_]
    codes: NDArray[np.int16]
    shares: FloatArray
    values: FloatArray
    is_searched: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, slots=True, eq=False)
class _Pupil(Player):
    """A policy that plays, and has some of the decisions that it meets looked ahead from."""

    settings: DistillingSettings = DistillingSettings()
    rows: list[tuple[object, ...]] = field(default_factory=list)

    def decide(
        self,
        simulator: Simulator,
        decisions: Decisions,
        rows: NDArray[np.int64],
        rng: np.random.Generator,
    ) -> NDArray[np.int64]:
        share = self.settings.share
        for row, chance in zip(rows, rng.random(len(rows)), strict=True):
            if chance < share:
                self._look_ahead(simulator, decisions, row, rng)
            elif chance < share * (1 + _REMEMBERED):
                self._remember(decisions, row)
        return Player.decide(self, simulator, decisions, rows, rng)

    def _look_ahead(
        self, simulator: Simulator, decisions: Decisions, row: int, rng: np.random.Generator
    ) -> None:
        assert self.policy is not None
        found = analyse(simulator, self.policy, decisions, row, self.settings.search, rng)
        likely = {option.code: option.share for option in found.options[:_MOST]}
        self._keep(decisions, row, likely, found.value, is_searched=True)

    def _remember(self, decisions: Decisions, row: int) -> None:
        assert self.policy is not None
        observation, legal = decisions.observations[[row]], decisions.legal[[row]]
        prior = self.policy.log_probs(observation, legal, decisions.is_preview[[row]])[0]
        best = np.argsort(-prior, kind="stable")[:_MOST]
        likely = {int(code): float(np.exp(prior[code])) for code in best[np.isfinite(prior[best])]}
        value = float(self.policy.values(observation)[0])
        self._keep(decisions, row, likely, value, is_searched=False)

    def _keep(
        self,
        decisions: Decisions,
        row: int,
        likely: Mapping[int, float],
        value: float,
        *,
        is_searched: bool,
    ) -> None:
        codes = np.full(_MOST, next(iter(likely)), np.int16)  # a legal one, where there are fewer
        shares = np.zeros(_MOST, np.float32)
        codes[: len(likely)], shares[: len(likely)] = list(likely), list(likely.values())
        observation = decisions.observations[row].astype(np.float16)
        seen = observation, decisions.legal[row].copy(), bool(decisions.is_preview[row])
        self.rows.append((*seen, codes, shares / shares.sum(), np.float32(value), is_searched))


def visit(
    policy: Policy,
    format: Format,
    teams: Sequence[str],
    battles: int,
    node: NodeCommand,
    settings: DistillingSettings,
    processes: int = 1,
    advance: Callable[[int], object] = lambda count: None,
) -> Lessons:
    """Let a policy play against itself, drawing its choices, and return what is to be learnt.

    Raises:
        WorkerError: The simulator stopped.
        ConfigurationError: Nothing was looked ahead from, as there were too few battles.
    """
    pupils = [
        _Pupil(f"policy-{index}", policy, is_greedy=False, settings=settings)
        for index in range(min(processes, -(-battles // 2)))
    ]

    def play_part(index: int) -> None:
        share = -(-battles // len(pupils))
        seed = settings.seed * len(pupils) + index
        matches = schedule(pupils[index], pupils[index], teams, share, seed)
        play(format, matches, node, seed=seed, advance=advance)

    with ThreadPoolExecutor(len(pupils)) as pool:
        list(pool.map(play_part, range(len(pupils))))
    rows = [row for pupil in pupils for row in pupil.rows]
    found = Lessons(*(np.array(column) for column in zip(*rows, strict=True))) if rows else None
    if found is None or found.is_searched.sum() < 2 * _HELD_OUT:
        raise ConfigurationError(f"{battles} battles are too few to learn from.", "Play more.")
    return found


def join(parts: Sequence[Lessons]) -> Lessons:
    """Return all lessons in one."""
    names = Lessons.__dataclass_fields__
    return Lessons(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


@dataclass(frozen=True, slots=True)
class Learnt:
    """What was learnt in a round: how often a policy's likeliest choice is the search's."""

    policy: Policy
    agreed_before: float
    agreed_after: float


def learn(
    policy: Policy,
    lessons: Lessons,
    settings: DistillingSettings,
    advance: Callable[[int, int], None] = lambda done, total: None,
) -> Learnt:
    """Teach a policy, which stays as it is; agreement is over decisions held out."""
    torch.set_num_threads(1)
    torch.manual_seed(settings.seed)
    learner = _Learner(policy, lessons, settings)
    before = learner.agreement()
    while not learner.is_over:
        learner.learn(advance)
    return Learnt(Policy(learner.network.flat()), before, learner.agreement())


class _Learner(EpochLearner):
    """A network, and the lessons it learns from."""

    def __init__(self, policy: Policy, lessons: Lessons, settings: DistillingSettings) -> None:
        self.network = TwoHeadedHybridModel()
        self.network.load_compatible(policy.by_name)
        self._lessons, self._settings = lessons, settings
        self._rng = np.random.default_rng(settings.seed)
        self._held_out = np.flatnonzero(lessons.is_searched)[::_HELD_OUT]
        self._rows = np.delete(np.arange(len(lessons)), self._held_out)
        # What is searched and what is remembered weigh the same.
        searched = lessons.is_searched[self._rows].mean()
        weight = np.where(lessons.is_searched, 0.5 / searched, 0.5 / max(1 - searched, 1e-6))
        self._weights = torch.from_numpy(weight.astype(np.float32))
        optimizer = Adam(self.network.parameters(), settings.learning_rate)
        gradients = GradientSteps(optimizer, self.network, _MAX_NORM)
        super().__init__(gradients, settings.epochs, 0)

    def learn(self, advance: Callable[[int, int], None]) -> None:
        """Learn from every lesson once."""
        order, size = self._rng.permutation(self._rows), self._settings.batch_size
        batches = [order[start : start + size] for start in range(0, len(order), size)]
        done, total = self.epoch * len(batches), self._settings.epochs * len(batches)
        self.learn_from(batches, self._loss, lambda count: advance(done + count, total))
        self.end_epoch(0.0)

    def agreement(self) -> float:
        """Return how often the likeliest choice is the search's, where it was held out."""

        def likeliest(part: slice) -> tuple[torch.Tensor, ...]:
            return (self._predict(self._held_out[part])[0].argmax(1),)

        (codes,) = predict(len(self._held_out), _AT_ONCE, likeliest)
        return float((codes == self._lessons.codes[self._held_out, 0]).mean())

    def _predict(self, rows: NDArray[np.int64]) -> tuple[torch.Tensor, torch.Tensor]:
        lessons = self._lessons
        found = self.network(
            torch.from_numpy(lessons.observations[rows].astype(np.float32)),
            torch.from_numpy(lessons.legal[rows]),
            torch.from_numpy(lessons.is_preview[rows]),
        )
        return found.log_probs, found.win

    def _loss(self, rows: NDArray[np.int64]) -> BatchLoss:
        log_probs, win = self._predict(rows)
        codes = torch.from_numpy(self._lessons.codes[rows].astype(np.int64))
        shares = torch.from_numpy(self._lessons.shares[rows])
        won = torch.from_numpy((self._lessons.values[rows] + 1) / 2)
        weights = self._weights[rows]
        loss = (-(log_probs.gather(1, codes) * shares).sum(1) * weights).mean()
        win_losses = nn.functional.binary_cross_entropy_with_logits(win, won, reduction="none")
        win_loss = (win_losses * weights).mean()
        return BatchLoss(loss + self._settings.win_weight * win_loss, (loss, win_loss), len(rows))


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a policy may take another's place.

    Attributes:
        score: Its battles against the other.
        habits: By name in `HABITS`: how often the other and it do it, a slot's turn.
        lost: Habits of which too little is left.
    """

    score: Score
    habits: Mapping[str, tuple[float, float]]
    lost: tuple[str, ...]

    @property
    def is_kept(self) -> bool:
        """It wins more than it loses, and has lost no habit."""
        return self.score.win_rate > 0.5 and not self.lost


@dataclass(frozen=True, slots=True, eq=False)
class _Watched(Player):
    """A policy whose habits are counted."""

    counts: Counter[str] = field(default_factory=Counter)

    def decide(
        self,
        simulator: Simulator,
        decisions: Decisions,
        rows: NDArray[np.int64],
        rng: np.random.Generator,
    ) -> NDArray[np.int64]:
        codes = Player.decide(self, simulator, decisions, rows, rng)
        is_turn = decisions.info[rows, KIND] == 0
        for row, code in zip(rows[is_turn], codes[is_turn], strict=True):
            self.counts.update(habits(decisions.observations[row], int(code)))
        return codes


def habits(observation: FloatArray, code: int) -> Counter[str]:
    """Return what a joint code does of `HABITS`, and "turns": its slots that act."""
    moves = observation[MOVES_PART].reshape(MOVES)
    found: Counter[str] = Counter()
    for slot, choice in enumerate(divmod(code, SLOT_CODES)):
        if choice == PASS:
            continue
        found["turns"] += 1
        found["switch"] += choice >= SWITCH
        if choice < SWITCH:
            fields = moves[slot, choice // 10]
            found["protect"] += int(fields[MOVE.index("is_protect")] > 0)
            found["speed control"] += int(fields[MOVE.index("is_speed_control")] > 0)
            found["gimmick"] += is_gimmick(choice)
    return found


def judge(
    new: Policy,
    old: Policy,
    format: Format,
    teams: Sequence[str],
    battles: int,
    node: NodeCommand,
    settings: DistillingSettings,
    advance: Callable[[int], object] = lambda count: None,
) -> Verdict:
    """Let a policy meet the one that it was made of, both greedy, and compare their habits."""
    after, before = _Watched("new", new), _Watched("old", old)
    (scores,) = win_rates(
        after,
        [before],
        format,
        teams,
        node,
        battles=battles,
        seed=_DUELS + settings.seed,
        advance=advance,
    )
    rates = {name: (_rate(before.counts, name), _rate(after.counts, name)) for name in HABITS}
    lost = tuple(name for name, (old_, new_) in rates.items() if new_ < settings.floor * old_)
    return Verdict(scores.total, rates, lost)


def _rate(counts: Counter[str], name: str) -> float:
    return counts[name] / max(1, counts["turns"])
