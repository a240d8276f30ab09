"""Play several games in this process: demonstrations by an expert, and what a clone does alone."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.agents.base import Guidance, Player
from engine.agents.rules import RulesAgent
from engine.config import RunConfig
from engine.env.batch import Batch
from engine.env.pixels import Sight
from engine.env.stepping import SteppedEnv
from engine.games.catalog import load_game
from engine.imitation.examples import CUT, GOES_ON, OVER, Examples, join
from engine.imitation.sight import MakeSight
from engine.strategy.advised import make_env
from engine.types import EpisodeSummary

ADVISED = Guidance(planner_share=1.0, needed_confidence=1.0)
"""The expert is followed wholly."""

Expert = Callable[[Batch], NDArray[np.int64]]
"""Returns (envs,) the action that it would take in each state, -1 where it knows none."""


class Games:
    """Environments that step one after the other, with the part of a vector's interface that
    playing needs.

    Args:
        envs: What is played.
        sights: What is seen of each beside the features; none where nothing is.
        action_names: Of what can be done in them.
    """

    def __init__(
        self, envs: Sequence[SteppedEnv], sights: Sequence[Sight], action_names: tuple[str, ...]
    ) -> None:
        self._envs = envs
        self._sights = sights
        self.num_envs = len(envs)
        self.action_names = action_names
        self.feature_size = envs[0].feature_size

    def reset(self, seeds: Sequence[int]) -> Batch:
        """Start an episode everywhere."""
        for index, seed in enumerate(seeds):
            self._envs[index].begin(int(seed))
            self._see(index, is_first=True)
        return self._batch()

    def step(self, actions: NDArray[np.int64]) -> Batch:
        """Take (envs,) actions; where an episode ends another one begins."""
        rewards = np.zeros(self.num_envs, np.float32)
        ended = np.zeros((2, self.num_envs), np.bool_)
        summaries = {}
        for index, env in enumerate(self._envs):
            rewards[index], ended[0, index], ended[1, index] = env.step(int(actions[index]))
            is_over = bool(ended[:, index].any())
            if is_over:
                summaries[index] = env.summary()
                env.begin()
            self._see(index, is_first=is_over)
        return self._batch(rewards, ended, summaries)

    @property
    def parts(self) -> tuple[Sequence[SteppedEnv], Sequence[Sight], tuple[str, ...]]:
        """Return the environments, what is seen of each, and the names of actions."""
        return self._envs, self._sights, self.action_names

    def places(self) -> list[str]:
        """Return the names of the maps."""
        return [env.place for env in self._envs]

    def close(self) -> None:
        """Free the games."""
        for env in self._envs:
            env.close()

    def _see(self, index: int, *, is_first: bool) -> None:
        env = self._envs[index]
        if self._sights and isinstance(env, SteppedEnv):
            sight = self._sights[index]
            (sight.begin if is_first else sight.push)(env.env.frame())

    def _batch(
        self,
        rewards: NDArray[np.float32] | None = None,
        ended: NDArray[np.bool_] | None = None,
        summaries: dict[int, EpisodeSummary] | None = None,
    ) -> Batch:
        count, envs = self.num_envs, self._envs
        over = np.zeros((2, count), np.bool_) if ended is None else ended
        return Batch(
            features=np.stack([env.features for env in envs]),
            mask=np.stack([env.mask for env in envs]),
            prior=np.stack([env.prior for env in envs]),
            advice_confidence=np.array([env.confidence for env in envs], np.float32),
            rewards=np.zeros(count, np.float32) if rewards is None else rewards,
            terminated=over[0],
            truncated=over[1],
            final_features=np.zeros((count, self.feature_size), np.float32),
            summaries=summaries or {},
            pixels=np.stack([sight.pixels for sight in self._sights]) if self._sights else None,
        )


def make_games(
    config: RunConfig, count: int, make_sight: MakeSight | None, *, is_advised: bool
) -> Games:
    """Make games like a run's.

    Args:
        config: The run's settings.
        count: How many.
        make_sight: Makes what is seen of a game beside its features; None: nothing is.
        is_advised: Let the rules advise in them.

    Raises:
        PokeTUIError: They cannot be made.
    """
    changes = {"agent": "rules" if is_advised else "random", "mode": "adaptive"}
    changes["encoder"] = "features" if make_sight is None else "pixels"
    wanted = config.model_copy(update=changes)
    envs: list[SteppedEnv] = []
    try:
        envs.extend(make_env(wanted, index) for index in range(count))
    except BaseException:  # Ctrl-C too must leave no emulator open; it is raised again
        for env in envs:
            env.close()
        raise
    game = load_game(config.rom_path, config.allow_unknown_rom)
    sights = [] if make_sight is None else [make_sight(game.frame_shape) for _ in envs]
    return Games(envs, sights, game.actions.names)


def rules_expert(seed: int) -> Expert:
    """Return the rule planner as expert; where it has no advice it knows no action."""
    agent = RulesAgent(seed)

    def label(batch: Batch) -> NDArray[np.int64]:
        action_batch = agent.decide(batch, ADVISED)
        return np.where(action_batch.is_planned, action_batch.actions, -1)

    return label


def policy_expert(player: Player) -> Expert:
    """Return a policy as expert."""
    alone = Guidance(planner_share=0.0, needed_confidence=0.0)
    return lambda batch: player(batch, alone).actions


def play(
    games: Games,
    student: Player,
    expert: Expert,
    *,
    beta: float,
    episodes: int,
    seed: int,
    tell: Callable[[int], None] = lambda done: None,
    may_go_on: Callable[[], bool] = lambda: True,
) -> tuple[Examples, list[EpisodeSummary]]:
    """Let a student play, and note what the expert would have done.

    Every environment plays its share of the episodes. An episode that is left when all are played
    counts for nothing.

    Args:
        games: At whatever point.
        student: Acts where the expert does not.
        expert: Labels every state, and acts in a share of them.
        beta: That share, 0 to 1.
        episodes: How many to play.
        seed: Of the games, and of who acts.
        tell: Called with how many episodes are played.
        may_go_on: Asked before every step; no: what is whole by then is returned.

    Returns:
        The labelled states, without those in which the expert knew no action; and how the episodes
        went.
    """
    count = games.num_envs
    due, more = np.divmod(np.full(count, episodes), count)
    due += np.arange(count) < more
    rng = np.random.default_rng([seed, 13])
    seeds = np.random.SeedSequence([seed, 14]).generate_state(count) % 2**31
    batch = games.reset([int(own) for own in seeds])
    alone = Guidance(planner_share=0.0, needed_confidence=0.0)
    notes: list[_Notes] = [_Notes() for _ in range(count)]
    whole: list[Examples] = []
    played: list[EpisodeSummary] = []
    while due.any() and may_go_on():
        labels = expert(batch)
        own = student(batch, alone).actions
        led = (rng.random(count) < beta) & (labels >= 0)
        places = games.places()
        acted = np.where(led, labels, own)
        before, batch = batch, games.step(acted)
        for index in np.flatnonzero(due).tolist():
            if labels[index] >= 0:
                notes[index].add(before, index, int(labels[index]), places[index])
            is_shown = acted[index] == labels[index]
            notes[index].follow(batch, index, is_shown=is_shown)
        for index, summary in sorted(batch.summaries.items()):
            if due[index] and not summary.is_aborted:
                due[index] -= 1
                whole += notes[index].examples(len(played), games.action_names)
                played.append(summary)
                tell(len(played))
            notes[index] = _Notes()
    return join(whole), played


class _Notes:
    """What is noted of one episode."""

    def __init__(self) -> None:
        self._rows: list[tuple[NDArray[np.generic], ...]] = []
        self._actions: list[int] = []
        self._places: list[str] = []
        self._rewards: list[float] = []
        self._ends: list[int] = []

    def add(self, batch: Batch, index: int, action: int, place: str) -> None:
        pixels = np.zeros(0, np.uint8) if batch.pixels is None else batch.pixels[index]
        self._rows.append((batch.features[index], pixels, batch.mask[index]))
        self._actions.append(action)
        self._places.append(place)
        self._rewards.append(0.0)
        self._ends.append(CUT)

    def follow(self, batch: Batch, index: int, *, is_shown: bool) -> None:
        """Take in what the last step led to; if it is not the noted one, nothing is known of it."""
        if not self._ends:
            return
        if not is_shown:
            self._ends[-1] = CUT
            return
        self._rewards[-1] = float(batch.rewards[index])
        is_cut = batch.truncated[index] and not batch.terminated[index]
        self._ends[-1] = OVER if batch.terminated[index] else CUT if is_cut else GOES_ON

    def examples(self, episode: int, action_names: tuple[str, ...]) -> list[Examples]:
        if not self._rows:
            return []
        names = tuple(dict.fromkeys(self._places))
        features, pixels, masks = (np.stack(column) for column in zip(*self._rows, strict=True))
        maps = np.array([names.index(place) for place in self._places], np.int64)
        numbers = np.full(len(maps), episode, np.int64)
        actions = np.array(self._actions, np.int64)
        rewards = np.array(self._rewards, np.float32)
        ends = np.array(self._ends, np.uint8)
        return [
            Examples(
                features,
                pixels,
                masks,
                actions,
                maps,
                numbers,
                rewards,
                ends,
                names,
                action_names=action_names,
            )
        ]
