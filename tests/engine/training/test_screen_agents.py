"""Agents that begin from clones of the screen in colour."""

from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from engine.agents.base import Guidance
from engine.agents.demonstrated import Transitions
from engine.agents.dqn import DQN
from engine.agents.guided import GuidedPPO
from engine.agents.networks import masked_log_probs
from engine.config import DQNConfig, ImitationConfig, load_config
from engine.env.batch import Batch
from engine.errors import ConfigurationError
from engine.imitation.networks import build_network
from engine.imitation.policies import Policy
from engine.runs.checkpoint import BEST, Checkpoint, write_checkpoint
from engine.runs.cloning_settings import CloningConfig
from engine.runs.policy_folders import PolicyFolder, agent_settings
from engine.training.build import build_agent
from engine.training.warm_start import begin_from_demonstrations
from engine.types import Spaces
from tests.engine.toy import blank_batch

COUNT = 2
SPACES = Spaces(12, 9, (3, 72, 80))
ALONE = Guidance(planner_share=0.0, needed_confidence=0.0)


def make_batch(seed: int = 0) -> Batch:
    rng = np.random.default_rng(seed)
    mask = rng.random((COUNT, SPACES.num_actions)) < 0.7
    mask[:, 0] = True
    return blank_batch(
        COUNT,
        features=rng.random((COUNT, SPACES.feature_size), np.float32),
        mask=mask,
        rewards=rng.random(COUNT, np.float32),
        final_features=np.zeros((COUNT, SPACES.feature_size), np.float32),
        pixels=rng.integers(0, 256, (COUNT, 3, 84, 84), np.uint8),
    )


def demonstrated(steps: int = 40) -> Transitions:
    """Return steps whose picture tells the action."""
    actions = np.arange(steps) % SPACES.num_actions
    pixels = np.zeros((steps, 3, 84, 84), np.uint8)
    for step, action in enumerate(actions):
        pixels[step, :, 9 * action : 9 * action + 9] = 255
    return Transitions(
        features=np.zeros((steps, SPACES.feature_size), np.float32),
        pixels=pixels,
        masks=np.ones((steps, SPACES.num_actions), np.bool_),
        actions=actions,
        rewards=np.ones(steps, np.float32),
        is_over=np.arange(steps) % 10 == 9,
        is_cut=np.zeros(steps, np.bool_),
        episodes=np.arange(steps) // 10,
    )


def save_clone(folder: Path, **settings: object) -> Policy:
    """Write a policy with fresh weights into a save folder."""
    config = CloningConfig(hidden_size=16, **settings)
    torch.manual_seed(1)
    policy = Policy(config, SPACES, build_network(config, SPACES))
    with torch.no_grad():
        policy.network.actor.weight.mul_(5)  # as decided as one that has learnt
    kept = PolicyFolder.create(str(folder), {"cloning": config.model_dump()})
    kept.checkpoints_path.mkdir()
    write_checkpoint(kept.checkpoints_path / BEST, Checkpoint(*policy.save()))
    return policy


def begin(folder: Path, agent: str, **changes: object) -> DQN | GuidedPPO:
    """Do as `poketui run --from latest --agent AGENT` does."""
    given = {"save_dir": str(folder), "agent": agent, "num_envs": COUNT, "workers": 1}
    config = load_config(None, agent_settings(str(folder), "latest") | given | changes)
    made = build_agent(config, SPACES)
    begin_from_demonstrations(made, config, lambda event: None)
    return made


def played_by(policy: Policy, batch: Batch) -> NDArray[np.float32]:
    """Return the probabilities (envs, A) by which a clone draws its actions."""
    mask = torch.from_numpy(batch.mask)
    logits = policy.logits(batch.features, batch.pixels, mask) / policy.config.temperature
    return masked_log_probs(logits, mask, torch.zeros(())).exp().numpy()


@pytest.mark.parametrize("inputs", ["screen", "both"])
@pytest.mark.parametrize(
    "network", [pytest.param("impala", marks=pytest.mark.slow), "nature", "tiny"]
)
def test_the_first_decisions_of_an_agent_are_its_clones(tmp_path, network, inputs):
    policy = save_clone(tmp_path, network=network, inputs=inputs, temperature=0.5)
    batch = make_batch()
    logits = policy.logits(batch.features, batch.pixels, torch.from_numpy(batch.mask))
    ppo, dqn = begin(tmp_path, "ppo"), begin(tmp_path, "dqn")
    evaluation = ppo.ppo.evaluate(batch.features, batch.pixels, ppo.ppo.memory)
    torch.testing.assert_close(evaluation.logits, logits / 0.5)
    temperature = ImitationConfig().temperature
    torch.testing.assert_close(dqn.evaluate(batch), logits / 0.5 * temperature)
    decided = [dqn.decide(batch, ALONE).actions for _ in range(400)]
    shares = [(np.array(decided) == action).mean(0) for action in range(SPACES.num_actions)]
    np.testing.assert_allclose(np.transpose(shares), played_by(policy, batch), atol=0.1)


def test_duelling_or_not_an_action_is_worth_more_than_another_as_in_the_clone(tmp_path):
    policy = save_clone(tmp_path, network="tiny", inputs="screen")
    batch, temperature = make_batch(), ImitationConfig().temperature
    plain, duelling = begin(tmp_path, "dqn"), begin(tmp_path, "dqn", **{"dqn.duelling": True})
    assert plain.network.value is None
    assert duelling.network.value is not None
    mask = torch.from_numpy(batch.mask)
    for dqn in (plain, duelling):
        found = masked_log_probs(dqn.evaluate(batch) / temperature, mask, torch.zeros(())).exp()
        np.testing.assert_allclose(found.numpy(), played_by(policy, batch), atol=1e-5)


def test_learning_offline_teaches_what_was_demonstrated():
    config = DQNConfig(hidden_size=16, batch_size=16, n_steps=3, learning_rate=3e-3)
    imitation = ImitationConfig(offline_gradients=60, demo_share=0.99)
    dqn = DQN(config, COUNT, SPACES, 0, "tiny", imitation)
    shown = demonstrated()
    dqn.add_demonstrations(shown)

    def loss() -> float:
        with torch.inference_mode():
            values = dqn.network(
                *map(torch.from_numpy, (shown.features, shown.pixels, shown.masks))
            )
        return torch.nn.functional.cross_entropy(
            values / imitation.temperature, torch.from_numpy(shown.actions)
        ).item()

    before = loss()
    dqn.learn_offline()
    assert loss() < before / 2
    assert dqn.is_warm


@pytest.mark.parametrize("kind", ["impala", "nature+features"])
def test_a_dqn_of_the_screen_goes_on_bit_for_bit_from_what_it_saved(kind):
    """Weights whose channels come last in memory, and bfloat16 where the processor has it."""
    config = DQNConfig(
        hidden_size=16,
        batch_size=2,
        replay_ratio=1.5,
        n_steps=3,
        warmup_steps=0,
        gradient_steps=1,
        pixel_capacity=40,
    )

    def learn(agent: DQN, seeds: range) -> None:
        for seed in seeds:
            agent.decide(make_batch(seed), ALONE)
            agent.observe(make_batch(seed + 1))
            if agent.is_update_due:
                agent.update(make_batch(seed + 1))

    one, other = (DQN(config, COUNT, SPACES, 0, kind) for _ in range(2))
    learn(one, range(10))
    facts, arrays = one.save()
    other.load(facts, {name: np.array(array, order="C") for name, array in arrays.items()})
    learn(one, range(10, 13))
    learn(other, range(10, 13))
    assert one.num_gradients > 5
    wanted, found = one.save()[1], other.save()[1]
    assert wanted.keys() == found.keys()
    for name, array in wanted.items():
        assert np.array_equal(array, found[name]), name


def test_a_clone_of_the_screen_leaves_the_agent_open_and_says_the_rest(tmp_path):
    save_clone(tmp_path, network="impala", inputs="both")
    found = agent_settings(str(tmp_path), "latest")
    assert "agent" not in found
    assert (found["ppo.hidden_size"], found["dqn.hidden_size"]) == (16, 16)
    assert found["encoder"] == "impala+features"
    assert (found["imitation.cloning_floor"], found["dqn.batch_size"]) == (0.5, 64)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"encoder": "nature"}, "has network dqn, encoder tiny and hidden size 16; the run"),
        ({"agent": "rules"}, "does not learn"),
        ({"agent": "ppo", "ppo.recurrent": True}, "recurrent"),
    ],
)
def test_a_clone_of_the_screen_is_refused_elsewhere_in_one_line(tmp_path, changes, named):
    save_clone(tmp_path, network="tiny", inputs="screen")
    with pytest.raises(ConfigurationError, match=named) as caught:
        begin(tmp_path, **{"agent": "dqn"} | changes)
    assert "\n" not in str(caught.value)
