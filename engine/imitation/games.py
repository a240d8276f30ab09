"""Play several games in this process, by a student whose states an expert labels."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.agents.base import Guidance, PolicyFunction
from engine.agents.evaluation import ALONE
from engine.agents.rules import RulesAgent
from engine.config import RunConfig
from engine.env.batch import Batch
from engine.env.observation.pixels import MakeSight
from engine.env.stepping import SteppedEnv, make_game_env
from engine.env.vector.worker import LocalHost
from engine.env.vector.world import ArrayWorld
from engine.imitation.examples import CUT, GOES_ON, OVER, EpisodeExamples, Examples, join
from engine.planning.goals.planned import PlannedAdvisor
from engine.types import EpisodeSummary

ADVISED = Guidance(planner_share=1.0, needed_confidence=1.0)
"""The planner is always followed."""

Expert = Callable[[Batch], NDArray[np.int64]]
"""Returns (envs,) the action that it would take in each state, -1 where it knows none."""


class Games(ArrayWorld):
    """Games that are stepped in this process, and closed with this world.

    Attributes:
        envs: The games.
        action_names: Names of their actions, in order.
    """

    def __init__(self, envs: Sequence[SteppedEnv]) -> None:
        super().__init__(LocalHost(envs), len(envs))
        self.envs = envs
        self.action_names = envs[0].env.game.actions.names

    def close(self) -> None:
        """Free the games."""
        for env in self.envs:
            env.close()


def make_games(
    config: RunConfig, count: int, make_sight: MakeSight | None, *, is_advised: bool
) -> Games:
    """Make games like those of a run with these settings.

    `make_sight` makes what turns frames into pixels; None: only features are observed. The rules
    advise in the games if `is_advised`.

    Raises:
        PokeTUIError: They cannot be made.
    """
    envs: list[SteppedEnv] = []
    try:
        for index in range(count):
            env = make_game_env(config, index)
            advisor = PlannedAdvisor(env.game, index, config.seed) if is_advised else None
            envs.append(SteppedEnv(env, advisor, sight=make_sight))
    except BaseException:  # Ctrl-C too must leave no emulator open; it is raised again
        for stepped in envs:
            stepped.close()
        raise
    return Games(envs)


def rules_expert(seed: int) -> Expert:
    """Return the rule planner as expert; where it has no advice it knows no action."""
    agent = RulesAgent(seed)

    def label(batch: Batch) -> NDArray[np.int64]:
        action_batch = agent.decide(batch, ADVISED)
        return np.where(action_batch.is_planned, action_batch.actions, -1)

    return label


def policy_expert(player: PolicyFunction) -> Expert:
    """Return a policy as expert."""
    return lambda batch: player(batch, ALONE).actions


def play(
    games: Games,
    student: PolicyFunction,
    expert: Expert,
    *,
    beta: float,
    episodes: int,
    seed: int,
    report: Callable[[int], None] = lambda done: None,
) -> tuple[Examples, list[EpisodeSummary]]:
    """Let a student play, and label its states with what the expert would have done.

    Every environment plays its share of the episodes; one that is unfinished when all are played
    does not count. The expert labels every state and acts in a share `beta`, 0 to 1, of them. The
    seed is for the games and for who acts. `report` is called with how many episodes are played.

    Returns:
        The labelled states, without those in which the expert knew no action, and the episodes'
        summaries.
    """
    count = games.num_envs
    due, more = np.divmod(np.full(count, episodes), count)
    due += np.arange(count) < more
    rng = np.random.default_rng([seed, 13])
    seeds = np.random.SeedSequence([seed, 14]).generate_state(count) % 2**31
    batch = games.reset([int(own) for own in seeds])
    noted = [EpisodeExamples() for _ in range(count)]
    whole: list[Examples] = []
    played: list[EpisodeSummary] = []
    while due.any():
        labels = expert(batch)
        own = student(batch, ALONE).actions
        led = (rng.random(count) < beta) & (labels >= 0)
        places = [env.place for env in games.envs]
        acted = np.where(led, labels, own)
        before, batch = batch, games.step(acted)
        for index in np.flatnonzero(due).tolist():
            label, episode = int(labels[index]), noted[index]
            if label >= 0:
                pixels = None if before.pixels is None else before.pixels[index]
                episode.add(
                    before.features[index], pixels, before.mask[index], label, places[index]
                )
            if episode.ends and acted[index] == label:
                episode.rewards[-1] = float(batch.rewards[index])
                is_terminated, is_truncated = batch.terminated[index], batch.truncated[index]
                episode.ends[-1] = OVER if is_terminated else CUT if is_truncated else GOES_ON
            elif episode.ends:  # nothing is known of what the labelled action would have led to
                episode.ends[-1] = CUT
        for index, summary in sorted(batch.summaries.items()):
            if due[index] and not summary.is_aborted:
                due[index] -= 1
                whole += noted[index].examples(len(played), games.action_names)
                played.append(summary)
                report(len(played))
            noted[index] = EpisodeExamples()
    return join(whole), played
