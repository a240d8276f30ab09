"""Runs that begin from a cloned policy and from demonstrations, on the practice game."""

from pathlib import Path

import numpy as np
import pytest

from engine.agents.guided import GuidedPPO
from engine.api.hybrid_agent import HybridAgent
from engine.api.hybrid_trainer import HybridLLMRLTrainer
from engine.config import RunConfig, load_config
from engine.env.game_env import GameEnv
from engine.errors import ConfigurationError
from engine.events import PolicyUpdated
from engine.imitation.from_demonstrations import Source, clone_policy
from engine.imitation.policies import read_policy
from engine.loop.controls import CommandQueue
from engine.planning.goals.adaptive import AdaptiveStrategySystem
from engine.runs.checkpoint import Checkpoint, CheckpointStore
from engine.runs.folder import RunFolder
from engine.runs.journal import read_journal
from engine.runs.metrics import metrics_of
from engine.runs.policy_folders import agent_settings
from engine.training.build import build_trainer
from tests.engine.api.test_hybrid_trainer import SHORT

pytestmark = pytest.mark.slow
SETTINGS = {
    "num_envs": 2, "workers": 1, "headless": True, "mode": "rl_only", "tensorboard": False,
    "ppo": {"hidden_size": 16, "rollout_steps": 32, "minibatch_size": 32},
    "dqn": {"hidden_size": 16, "warmup_steps": 60, "capacity": 400, "batch_size": 32},
    "imitation": {"freeze_updates": 2, "offline_gradients": 10},
}  # fmt: skip


@pytest.fixture(scope="module")
def saves(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("saves")


@pytest.fixture(scope="module")
def cloned(saves) -> dict[str, str]:
    """Policies by their network."""
    given = {"hidden_size": 16, "epochs": 1, "eval_episodes": 0}
    policies = {}
    for network, inputs in {"ppo": "features", "dqn": "features", "tiny": "both"}.items():
        settings = {**given, "network": network, "inputs": inputs}
        policies[network] = str(clone_policy(str(saves), settings, Source(rules=2)).folder)
    return policies


def settings_of(saves: Path, agent: str, policy: str) -> RunConfig:
    small = {
        f"{part}.{key}": value
        for part in ("dqn", "imitation")
        for key, value in SETTINGS[part].items()
    }
    begun = agent_settings(str(saves), policy)
    given = {"save_dir": str(saves), "agent": agent, "imitation.rules": int(agent == "dqn")}
    return load_config(None, SETTINGS | begun | small | given)


def go_on(folder: RunFolder, config: RunConfig, steps: int, *, is_resumed: bool) -> Checkpoint:
    """Run up to so many steps; return what is saved then."""
    config = config.model_copy(update={"total_steps": steps})
    unheard = CommandQueue(), lambda event: None
    trainer = build_trainer(config, folder, *unheard, is_resumed=is_resumed)
    try:
        trainer.run()
    finally:
        for opened in (trainer.state.vector, trainer.log.journal, trainer.log.recorder):
            opened.close()
    return CheckpointStore(folder.checkpoints_path, keep=1).load_newest()[0]


@pytest.mark.parametrize(
    ("agent", "network"), [("ppo", "ppo"), ("dqn", "dqn"), ("ppo", "tiny"), ("dqn", "tiny")]
)
def test_a_run_from_a_policy_goes_on_bit_for_bit_after_a_break(saves, cloned, agent, network):
    """PPO with its kick-start, DQN with demonstrations in its replay."""
    config = settings_of(saves, agent, cloned[network])
    whole, parts = RunFolder.create(config), RunFolder.create(config)
    one = go_on(whole, config, 320, is_resumed=False)
    go_on(parts, config, 200, is_resumed=False)
    other = go_on(parts, config, 320, is_resumed=True)
    assert one.facts["agent"] == other.facts["agent"]
    assert one.arrays.keys() == other.arrays.keys()
    for name, array in one.arrays.items():
        assert np.array_equal(array, other.arrays[name]), name
    updates = [
        [event for event in read_journal(folder.journal_path) if isinstance(event, PolicyUpdated)]
        for folder in (whole, parts)
    ]
    assert updates[0] == updates[1]
    assert all(event.figures["distillation"] > 0 for event in updates[0])
    assert len(updates[0]) >= 3
    tags = set().union(*map(metrics_of, updates[0]))
    assert {"charts/distill_coeff", "losses/distill_loss", "losses/loss"} <= tags
    td_and_values = {"losses/td_loss", "losses/q_values", "losses/q_values_std"}
    assert td_and_values <= tags or agent == "ppo"


def documented(saves: Path, config: RunConfig, hidden_size: int = 16) -> HybridLLMRLTrainer:
    strategy = AdaptiveStrategySystem()
    env = GameEnv("", True, "state", config=SHORT)
    agent = HybridAgent(None, strategy)
    ppo = config.ppo.model_copy(update={"hidden_size": hidden_size})
    agent.make_policy = lambda spaces: GuidedPPO(ppo, 1, spaces, seed=3)
    trainer = HybridLLMRLTrainer(env, agent, strategy, None, None, str(saves), "WARNING")
    trainer.config = config.model_copy(update={"eval_episodes": 1})
    return trainer


def test_the_documented_trainer_begins_from_a_policy(saves, cloned):
    trainer = documented(saves, settings_of(saves, "ppo", cloned["ppo"]))
    trainer.train(total_episodes=1, eval_interval=0)
    policy, _ = read_policy(str(saves), cloned["ppo"])
    found = trainer.parts.agent.policy.ppo.network.encoder.state_dict()
    wanted = policy.network.network.encoder.state_dict()
    assert all((found[key] == wanted[key]).all() for key in wanted)  # no update yet
    trainer.close()


def test_an_agent_of_ones_own_of_another_shape_is_refused_in_one_line(saves, cloned):
    before = set((saves / "runs").iterdir())
    trainer = documented(saves, settings_of(saves, "ppo", cloned["ppo"]), hidden_size=24)
    with pytest.raises(ConfigurationError, match="shape differs") as caught:
        trainer.train(total_episodes=1, eval_interval=0)
    assert "\n" not in str(caught.value)
    assert set((saves / "runs").iterdir()) == before
    trainer.close()
