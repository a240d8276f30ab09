"""A policy keeps to what it began from, or to its own best way, and resumes bit for bit."""

import json

import numpy as np
import pytest
import torch

from engine.agents.base import Guidance
from engine.agents.demonstrated import Transitions
from engine.agents.dqn import DQN
from engine.agents.guided import GuidedPPO
from engine.agents.ppo import OwnWay
from engine.agents.rules import RandomAgent, RulesAgent
from engine.config import DQNConfig, ImitationConfig, PPOConfig, RunConfig
from tests.engine.toy import FEATURE_SIZE, SPACES, ToyVector

ALONE = Guidance(planner_share=0.0, needed_confidence=0.9)
PPO = PPOConfig(
    rollout_steps=16,
    minibatch_size=64,
    learning_rate=1e-3,
    hidden_size=32,
    distillation_gradients=4,
)
DQN_ = DQNConfig(capacity=4000, warmup_steps=64, batch_size=64, hidden_size=32, gradient_steps=2)
CONFIG = RunConfig(num_envs=4, workers=1)


def drive(agent, updates: int, vector: ToyVector | None = None, batch=None):
    """Play and learn; return the figures of each update, the game and its last batch."""
    if vector is None:
        vector = ToyVector(CONFIG)
        batch = vector.reset(range(4))
    told = []
    while len(told) < updates:
        batch = vector.step(agent.decide(batch, ALONE).actions)
        agent.observe(batch)
        if agent.is_update_due:
            told.append(agent.update(batch))
    return told, vector, batch


def began(seed=0, **settings) -> GuidedPPO:
    teacher = GuidedPPO(PPO, 4, SPACES, 7)
    agent = GuidedPPO(PPO, 4, SPACES, seed, imitation=ImitationConfig(**settings))
    agent.ppo.begin_from(teacher.ppo.network.state_dict())
    return agent


def demonstrations(steps: int = 300) -> Transitions:
    """What the toy's rules did."""
    vector, expert = ToyVector(CONFIG), RulesAgent(0)
    batch = vector.reset([1, 2, 3, 4])
    rows = []
    for _ in range(steps):
        actions = expert.decide(batch, Guidance(1.0, 1.0)).actions
        after = vector.step(actions)
        row = batch.features, batch.mask, actions, after.rewards, after.terminated
        rows.append([column[0] for column in row])
        batch = after
    features, masks, actions, rewards, over = map(np.array, zip(*rows, strict=True))
    episodes = np.concatenate([[0], np.cumsum(over)[:-1]])
    pixels = np.zeros((steps, 0), np.uint8)
    cut = np.zeros(steps, np.bool_)
    cut[-1] = not over[-1]
    return Transitions(features, pixels, masks, actions, rewards, over, cut, episodes)


def test_kickstart_begins_as_the_clone_acts():
    teacher, agent = GuidedPPO(PPO, 4, SPACES, 7), began()
    features = np.eye(FEATURE_SIZE, dtype=np.float32)[:4]
    memory = np.zeros((4, 0), np.float32)
    one, other = (each.ppo.evaluate(features, None, memory) for each in (teacher, agent))
    assert torch.equal(one.logits, other.logits)
    assert not np.array_equal(one.values, other.values)  # the critic is its own


def test_cloned_weights_are_held_still_while_the_critic_learns():
    agent = began(freeze_updates=2)
    network = agent.ppo.network
    actor, critic = (each.weight.detach().clone() for each in (network.actor, network.critic))
    _, vector, batch = drive(agent, 2)
    assert torch.equal(network.actor.weight, actor)
    assert not torch.equal(network.critic.weight, critic)
    drive(agent, 1, vector, batch)
    assert not torch.equal(network.actor.weight, actor)


def test_the_kickstart_falls_to_nothing_and_is_told_among_the_figures():
    told, *_ = drive(began(freeze_updates=0, kickstart=0.5, kickstart_updates=4), 6)
    coefficients = [figures["distillation"] for figures in told]
    assert coefficients == pytest.approx([0.5, 0.375, 0.25, 0.125, 0.0, 0.0])
    assert all(figures["kickstart_kl"] >= -1e-6 for figures in told)


def test_the_kickstart_keeps_the_policy_near_the_clone():
    def drift(weight: float) -> float:
        agent = began(freeze_updates=0, kickstart=weight, kickstart_updates=10_000)
        return drive(agent, 20)[0][-1]["kickstart_kl"]

    assert drift(20.0) < drift(0.0) / 3


def imitating(**settings) -> GuidedPPO:
    """Return an agent that imitates what the toy's rules did."""
    agent = GuidedPPO(PPO, 4, SPACES, 0, imitation=ImitationConfig(**settings))
    steps = demonstrations()
    agent.ppo.imitate(OwnWay(steps.features, steps.pixels, steps.masks, steps.actions))
    return agent


def test_own_way_is_imitated_at_once_and_then_as_far_as_it_weighs():
    def loss(updates: int, **settings) -> float:
        return drive(imitating(**settings), updates)[0][-1]["own_way_loss"]

    at_once = loss(1, own_way_gradients=200)
    assert at_once < loss(1, own_way_gradients=0) / 2
    assert loss(20, own_way_gradients=0) < 0.8 * loss(20, own_way_gradients=0, own_way=0.0)


@pytest.mark.parametrize("kind", ["ppo", "own way", "dqn"])
def test_agent_that_was_shown_something_resumes_bit_for_bit(kind):
    agents = {"ppo": began, "own way": imitating, "dqn": lambda: shown(offline_gradients=5)}
    agent = agents[kind]()
    _, vector, batch = drive(agent, 3)
    facts, arrays = agent.save()
    facts = json.loads(json.dumps(facts))
    arrays = {name: np.array(array) for name, array in arrays.items()}
    games = vector.save()
    whole, *_ = drive(agent, 4, vector, batch)
    new, config = (DQN, DQN_) if kind == "dqn" else (GuidedPPO, PPO)
    resumed = new(config, 4, SPACES, 0, imitation=ImitationConfig())
    resumed.load(facts, arrays)
    parts, *_ = drive(resumed, 4, vector, vector.load(games))
    assert parts == whole
    assert ("own_way_loss" if kind == "own way" else "distillation") in whole[-1]


def shown(seed=0, **settings) -> DQN:
    agent = DQN(DQN_, 4, SPACES, seed, imitation=ImitationConfig(**settings))
    agent.add_demonstrations(demonstrations())
    agent.learn_offline()
    return agent


def test_dqn_does_what_was_demonstrated_before_its_first_step():
    """The toy's rules reach the corner in 6 steps on average; chance in 30."""
    agent = shown(offline_gradients=300)
    vector = ToyVector(CONFIG)
    batch = vector.reset(range(4))
    play, chance = agent.player(0), RandomAgent(0).player(0)

    def wins(player) -> int:
        now, count = batch, 0
        for _ in range(100):
            now = vector.step(player(now, ALONE).actions)
            count += sum(summary.is_success for summary in now.summaries.values())
        return count

    assert wins(play) > 3 * wins(chance)
    assert agent.epsilon == DQN_.epsilon_end


@pytest.mark.parametrize("floor", [0.0, 0.25])
def test_demonstrated_actions_count_less_as_the_own_return_comes_near(floor):
    demos = shown(offline_gradients=1, cloning_floor=floor)._demos
    assert demos.coefficient == 1.0
    assert 0.9 < demos.mean_return < 1.0
    demos._recent.append(demos.mean_return / 2)
    assert demos.coefficient == pytest.approx(0.5)
    demos._recent.extend([2 * demos.mean_return] * 20)
    assert demos.coefficient == floor


def test_the_total_loss_is_that_of_the_values_and_of_what_was_demonstrated():
    for figures in drive(shown(offline_gradients=1, cloning=0.5), 3)[0]:
        assert figures["distillation"] > 0
        shown_loss = figures["distillation"] * figures["cloning_loss"]
        assert figures["loss"] == pytest.approx(figures["value_loss"] + shown_loss, abs=1e-5)


def test_a_cloned_q_network_begins_with_the_clones_choices():
    clone = DQN(DQN_, 4, SPACES, 3).network
    agent = DQN(DQN_, 4, SPACES, 0)
    agent.begin_from(clone.state_dict())
    features = torch.eye(FEATURE_SIZE)
    mask = torch.ones((FEATURE_SIZE, 9), dtype=torch.bool)
    with torch.no_grad():
        logits = clone(features, None, mask)
        values = agent.network(features, None, mask) / ImitationConfig().temperature
    chances = [torch.softmax(each, -1) for each in (logits, values)]
    assert torch.allclose(*chances, atol=1e-5)


def test_without_demonstrations_dqn_learns_as_before():
    assert "distillation" not in drive(DQN(DQN_, 4, SPACES, 0), 2)[0][-1]
