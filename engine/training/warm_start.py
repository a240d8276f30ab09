"""Let an agent begin from a cloned policy or from demonstrations, and imitate explored ways."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.agents.base import Agent
from engine.agents.dqn import DQN
from engine.agents.guided import GuidedPPO
from engine.agents.ppo import OwnWay
from engine.agents.rollout import FloatArray
from engine.config import RunConfig
from engine.demos.dataset import demos_folder
from engine.demos.demonstration import read_demo
from engine.demos.recorder import record_actions
from engine.env.input_recording import Segment
from engine.env.observation.layout import Layout, layout_of
from engine.errors import ConfigurationError, ReplayError
from engine.events import Event, ProgressReported, ReasoningLogged
from engine.games.catalog import load_game
from engine.ground.text import counted
from engine.imitation.cloning import Note, Progress
from engine.imitation.demonstrations import demo_examples
from engine.imitation.from_demonstrations import Source, gather
from engine.imitation.networks import ActorClone, ScreenClone, ValueClone
from engine.imitation.policies import Policy, read_policy
from engine.runs.cloning_settings import SEEN_BY, CloningConfig


def has_demonstrations(config: RunConfig) -> bool:
    """Return whether the agent of these settings is to learn from demonstrations itself."""
    return bool(config.imitation.demos or config.imitation.rules)


def begins_from_others(config: RunConfig) -> bool:
    """Return whether a new run's agent begins from a policy or from demonstrations."""
    return bool(config.start_policy) or has_demonstrations(config)


def begin_from_demonstrations(
    agent: Agent, config: RunConfig, emit: Callable[[Event], None]
) -> None:
    """Give a new agent the weights of `start_policy`, and its demonstrations.

    Raises:
        ConfigurationError: The policy is of another kind than the agent, or the agent learns from
            no demonstrations.
        PokeTUIError: The policy or the demonstrations cannot be used.
    """
    if has_demonstrations(config) and not isinstance(agent, DQN):
        key = "demos" if config.imitation.demos else "rules"
        raise ConfigurationError(
            f"imitation.{key}: the agent {config.agent} does not learn from demonstrations.",
            "Clone them first and start from the clone (poketui bc, then run --from), or use dqn.",
        )
    if config.start_policy:
        policy, path = read_policy(config.save_dir, config.start_policy)
        _refuse_others(policy, config, str(path))
        _begin(agent, policy, str(path))
    if isinstance(agent, DQN) and has_demonstrations(config):

        def report(news: Progress | Note) -> None:
            if isinstance(news, Note):
                emit(ReasoningLogged(0, "run", news.text))
            else:
                emit(ProgressReported(news.what, news.done, news.total))

        seen = seen_by_agent(config)
        source = Source(config.imitation.demos, config.imitation.rules)
        agent.add_demonstrations(gather(seen, config, source, report).transitions())
        gradients = config.imitation.offline_gradients
        agent.learn_offline(
            lambda done: report(Progress("learning from demonstrations", done, gradients))
        )


def _begin(agent: Agent, policy: Policy, path: str) -> None:
    """Give an agent the weights of a policy; the agent may be another than the settings name."""
    network, temperature = policy.network, policy.config.temperature
    try:
        if isinstance(agent, GuidedPPO) and isinstance(network, ActorClone):
            agent.ppo.begin_from(network.network.state_dict())
        elif isinstance(agent, GuidedPPO) and isinstance(network, ScreenClone):
            agent.ppo.begin_from(network.weights_for("actor", temperature))
        elif isinstance(agent, DQN) and isinstance(network, ValueClone):
            agent.begin_from(network.network.state_dict())
        elif isinstance(agent, DQN) and isinstance(network, ScreenClone):
            agent.begin_from(network.weights_for("edge", temperature))
        else:
            raise ConfigurationError(
                f"start_policy: {type(agent).__name__} cannot start from the policy {path}.",
                "Use a GuidedPPO for a cloned ppo, a DQN for a cloned dqn, either for others.",
            )
    except RuntimeError:
        raise ConfigurationError(
            f"start_policy: the agent's network shape differs from the policy {path}.",
            "Use the hidden size, encoder and env.features of the clone, as `--from` does.",
        ) from None


def join_demonstration(agent: Agent, config: RunConfig, path: Path) -> str:
    """Add a person's steps to the demonstrations that an agent learns from (human-gated DAgger).

    Returns:
        A line about it; "" where the agent learns from no demonstrations.

    Raises:
        PokeTUIError: The file cannot be used.
    """
    if not isinstance(agent, DQN) or not agent.has_demonstrations:
        return ""
    demo = read_demo(path)
    if not demo.is_intervention.any() and not demo.has_live:
        return ""
    notes: list[str] = []
    examples = demo_examples([demo], 1, seen_by_agent(config), config, note=notes.append)
    total = agent.join_demonstrations(examples.transitions())
    joined = f"your {counted(len(examples), 'step')} were added to the demonstrations: {total} now"
    return "; ".join([joined, *notes])


def seen_by_agent(config: RunConfig) -> CloningConfig:
    """Return the settings of a cloning that sees what the agent sees."""
    network, inputs = SEEN_BY[config.encoder]
    return CloningConfig(network=network or "dqn", inputs=inputs, seed=config.seed)


def _refuse_others(policy: Policy, config: RunConfig, path: str) -> None:
    """Refuse a policy whose network is not the agent's."""
    cloned = policy.config
    hidden = {"ppo": config.ppo.hidden_size, "dqn": config.dqn.hidden_size}.get(config.agent)
    if hidden is None:
        raise ConfigurationError(
            f"start_policy: the agent {config.agent} does not learn.", "Use ppo or dqn."
        )
    wanted = (config.agent, config.encoder, hidden)
    network = config.agent if cloned.sees_colour else cloned.network
    found = (network, cloned.encoder, cloned.hidden_size)
    if wanted != found:
        raise ConfigurationError(
            f"The policy {path} has network {found[0]}, encoder {found[1]} and hidden size "
            f"{found[2]}; the run has {wanted[0]}, {wanted[1]} and {wanted[2]}.",
            "Use the same for the run, or clone with `poketui bc --network ppo` or dqn.",
        )
    if config.agent == "ppo" and config.ppo.recurrent:
        raise ConfigurationError(
            "start_policy: a recurrent policy cannot start from a cloned one.",
            "Set ppo.recurrent = false.",
        )
    if network == "dqn" and not (config.dqn.duelling or cloned.sees_colour):
        raise ConfigurationError(
            "start_policy: cloned DQN networks are duelling.", "Set dqn.duelling = true."
        )


EXPLORED_FOLDER = "explored"
"""Folder of demonstrations inside the save folder's."""

_COMPARED = (
    *("map", "x", "y", "facing", "control", "menu_kind", "cursor_row", "cursor_column"),
    *("milestones", "party"),
)
"""Features that tell whether an episode is where it was before."""


def write_explored(config: RunConfig, key: str, segment: Segment) -> Path:
    """Play inputs from power-on, and write them as a demonstration; return its file.

    Args:
        config: The run's settings.
        key: The milestone that they reach; "" for the run's goal.
        segment: The inputs.

    Raises:
        ReplayError: Replayed, they do not reach it.
        PokeTUIError: The file cannot be written, or the game cannot be set up.
    """
    folder = demos_folder(config) / EXPLORED_FOLDER
    path, demo = record_actions(
        segment.actions, config, folder, random=segment.random, by="explore", has_limits=False
    )
    if key not in dict(demo.milestones) if key else not demo.is_success:
        path.unlink()
        raise ReplayError("the replay diverges", "")
    return path


def without_loops(features: FloatArray, layout: Layout) -> NDArray[np.int64]:
    """Return the indices of an episode's steps (N, F) that remain without loops.

    A loop leads back to the same place, text or menu with the same party and milestones.
    """
    what = np.r_[tuple(layout.slices[name] for name in _COMPARED)]
    battle = layout.slices["battle"]
    states = [None if row[battle].any() else row[what].tobytes() for row in features]
    last = {state: step for step, state in enumerate(states)}
    left, step = [], 0
    while step < len(states):
        if states[step] is not None:
            step = last[states[step]]
        left.append(step)
        step += 1
    return np.array(left)


def imitate_explored(agent: Agent, config: RunConfig, key: str, segment: Segment) -> Path:
    """Call `write_explored`, and let PPO imitate a way to the run's goal.

    Raises:
        PokeTUIError: As in `write_explored`; PPO then imitates what it did before.
    """
    path = write_explored(config, key, segment)
    if not key and isinstance(agent, GuidedPPO):
        steps = demo_examples([read_demo(path)], 1, seen_by_agent(config), config)
        game = load_game(config.rom_path, config.allow_unknown_rom)
        layout = layout_of(game, config.env.features)
        steps = steps.take(without_loops(steps.features, layout))
        agent.ppo.imitate(OwnWay(steps.features, steps.pixels, steps.masks, steps.actions))
    return path
