"""Define the players of battles, and find them by name.

A player is one of the simulator's own, or a policy of a run or a file, which may look ahead.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.battles.policy import POOL, Policy
from engine.battles.sim.actions import PREVIEW_CODES
from engine.battles.sim.simulator import Decisions, Simulator
from engine.battles.sim.teams import DEFAULT_FORMAT, Format, find_format
from engine.ground.folders import user_path
from engine.runs.checkpoint import LATEST
from engine.runs.folder import RunFolder, find_run
from engine.runs.settings import read_settings

FloatArray = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How far to look ahead.

    Attributes:
        samples: Copies of the battle for a decision.
        candidates: The most choices that are tried, the likeliest first.
        least_share: Choices less likely than this are not tried.
        temperature: Difference of value (-1 to 1) that weighs as much as a factor e of the prior.
        foe_temperature: Of the policy that answers for the foe; below 1 it is sharper than learnt.
    """

    samples: int = 8
    candidates: int = 6
    least_share: float = 0.01
    temperature: float = 0.1
    foe_temperature: float = 0.3


def search(
    simulator: Simulator,
    policy: Policy,
    seat: int,
    observation: FloatArray,
    legal: NDArray[np.bool_],
    is_preview: bool,
    settings: SearchSettings,
    rng: np.random.Generator,
) -> int:
    """Return the code to choose for a seat, by trying the policy's best choices in copies.

    Each copy of the battle draws anew what the side cannot know
    (engine/battles/sim/node/search.js). In every copy all candidates meet the same answer of the
    foe, drawn from the policy as the foe would see the battle; the policy's own value tells how the
    turn ended. The choice has the greatest log(prior) + mean value / temperature: with few copies
    the prior decides, with many the outcome.

    Args:
        simulator: Plays the seat's battle.
        policy: Proposes choices, answers for the foe, and estimates values.
        seat: Lane * 2 + side.
        observation: (1560,) of that decision.
        legal: (90,) its masks.
        is_preview: It is a selection at team preview.
        settings: How far to look.
        rng: Draws the copies and the foe's answers.
    """
    prior = policy.log_probs(observation[None], legal[None], np.array([is_preview]))[0]
    candidates = _candidates(prior, is_preview, settings)
    if len(candidates) == 1:
        return int(candidates[0])
    foe = simulator.fork(seat, settings.samples, int(rng.integers(1 << 31)))
    answers = np.full(settings.samples, -1)
    if foe.results.all():
        log_probs = policy.log_probs(foe.observations, foe.legal, foe.is_preview)
        # The largest of logits with Gumbel noise is a draw from their softmax.
        noise = rng.gumbel(size=log_probs.shape)
        answers = (log_probs / settings.foe_temperature + noise).argmax(1)
    plays = np.array(
        [
            (sample, code, answers[sample])
            for sample in range(settings.samples)
            for code in candidates
        ]
    )
    after = simulator.roll(seat, plays)
    values = policy.values(after.observations)
    values = np.where(after.is_over, after.results, values)
    worth = values.reshape(settings.samples, len(candidates)).mean(0)
    return int(candidates[np.argmax(prior[candidates] + worth / settings.temperature)])


def _candidates(prior: FloatArray, is_preview: bool, settings: SearchSettings) -> NDArray[np.int64]:
    if is_preview:
        prior = prior[:PREVIEW_CODES]
    best = np.argsort(-prior)[: settings.candidates]
    is_likely = prior[best] >= min(np.log(settings.least_share), prior[best[0]])
    likely: NDArray[np.int64] = best[is_likely]
    return likely


SCRIPTED = ("random", "max_power", "greedy", "heuristics")
"""The simulator's own players, the weakest first."""


@dataclass(frozen=True, slots=True, eq=False)
class Player:
    """Who plays.

    Attributes:
        name: One of the simulator's own players, or any name for a policy.
        policy: Decides for it; None where the simulator does.
        is_greedy: Take the policy's likeliest choice instead of drawing one.
        search: How far it looks ahead; None: not at all.
    """

    name: str
    policy: Policy | None = None
    is_greedy: bool = True
    search: SearchSettings | None = None

    def decide(
        self,
        simulator: Simulator,
        decisions: Decisions,
        rows: NDArray[np.int64],
        rng: np.random.Generator,
    ) -> NDArray[np.int64]:
        """Return codes for some rows of a simulator's waiting decisions."""
        assert self.policy is not None
        observations, legal = decisions.observations, decisions.legal
        is_preview = decisions.is_preview
        if self.search is None:
            codes, _, _ = self.policy.act(
                observations[rows], legal[rows], is_preview[rows], rng, self.is_greedy
            )
            return codes
        found = [
            search(
                simulator,
                self.policy,
                int(decisions.seats[row]),
                observations[row],
                legal[row],
                bool(is_preview[row]),
                self.search,
                rng,
            )
            for row in rows
        ]
        return np.array(found)


def find_player(
    name: str, save_dir: str, *, checkpoint: str = LATEST, is_greedy: bool = True
) -> Player:
    """Return a player by the name that a user gives.

    Args:
        name: One of `SCRIPTED`, a policy's file, or a run's id, path, name or "latest".
        save_dir: Folder of the runs.
        checkpoint: "latest" or "best" of the run.
        is_greedy: See `Player`.

    Raises:
        CheckpointError: There is no such run, or the policy cannot be read.
    """
    source = _source_of(name, save_dir)
    if source is None:
        return Player(name)
    if isinstance(source, Path):
        return Player(source.stem, Policy.load(source), is_greedy)
    store = source.store()
    path = store.load_newest()[1] if checkpoint == LATEST else store.best()
    return Player(source.run_id, Policy.load(path), is_greedy)


def format_of(name: str, save_dir: str) -> Format:
    """Return the format that a run was trained in, or the default for other players.

    Raises:
        CheckpointError: There is no such run, or its settings cannot be read.
        ConfigurationError: Its format is not known.
    """
    run = _source_of(name, save_dir)
    if not isinstance(run, RunFolder):
        return DEFAULT_FORMAT
    return find_format(read_settings(run.path).vgc.format)


def past_policies(name: str, save_dir: str, *, is_greedy: bool = True) -> Sequence[Player]:
    """Return the past policies that a run has kept, oldest first; none for other players.

    Raises:
        CheckpointError: There is no such run, or a policy cannot be read.
    """
    run = _source_of(name, save_dir)
    if not isinstance(run, RunFolder):
        return ()
    paths = sorted((run.path / POOL).glob("policy-*.zip"))
    return [Player(f"{run.run_id}/{path.stem}", Policy.load(path), is_greedy) for path in paths]


def _source_of(name: str, save_dir: str) -> RunFolder | Path | None:
    """Return a player's run or policy file, None for one of the simulator's own players.

    Raises:
        CheckpointError: There is no such run.
    """
    if name in SCRIPTED:
        return None
    path = user_path(name)
    return path if path.is_file() else RunFolder(find_run(save_dir, name, purpose="evaluate"))
