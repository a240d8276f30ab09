import dataclasses

import numpy as np
import pytest
import torch

from engine.agents.arbitration import advice_bias, certainty, is_planned, sample
from engine.agents.base import Guidance
from engine.agents.guided import GuidedPPO
from engine.agents.networks import entropy, masked_log_probs
from engine.config import PPOConfig, RunConfig
from engine.types import Action
from tests.engine.toy import SPACES, ToyVector

PPO = PPOConfig(rollout_steps=16, minibatch_size=32, hidden_size=32, distillation_gradients=4)
GUIDED = Guidance(planner_share=0.8, needed_confidence=0.9)
ALONE = Guidance(planner_share=0.0, needed_confidence=0.9)


def toy(kind: str) -> ToyVector:
    return ToyVector(RunConfig(num_envs=4, encoder="features" if kind == "recurrent" else kind))


def policy(kind: str, seed: int = 0) -> GuidedPPO:
    config = PPO.model_copy(update={"recurrent": kind == "recurrent", "sequence_length": 8})
    encoder = "features" if kind == "recurrent" else kind
    return GuidedPPO(config, 4, SPACES, seed, encoder)


def filled_agent(guidance: Guidance = GUIDED, steps: int = 16, kind: str = "features"):
    """Return an agent after some steps, which has learnt from all full rollouts but the last."""
    vector = toy(kind)
    batch = vector.reset([1, 2, 3, 4])
    agent = policy(kind)
    for _ in range(steps):
        if agent.is_update_due:
            agent.update(batch)
        action_batch = agent.decide(batch, guidance)
        batch = vector.step(action_batch.actions)
        agent.observe(batch)
    return agent, vector, batch


def judged(agent) -> torch.Tensor:
    """Return the network's logits of all that was recorded, in one go."""
    rollout = agent.ppo.rollout
    flat = (rollout.features, rollout.pixels, rollout.starts)
    features, pixels, starts = (torch.from_numpy(array).flatten(0, 1) for array in flat)
    return agent.ppo.network(features, pixels, torch.from_numpy(rollout.memories[0]), starts)[0]


def ratios(agent, biases: torch.Tensor) -> np.ndarray:
    """Return how much likelier the recorded actions are now than when they were taken."""
    rollout = agent.ppo.rollout
    with torch.no_grad():
        masks = torch.from_numpy(rollout.masks).flatten(0, 1)
        log_probs = masked_log_probs(judged(agent), masks, biases).numpy()
    now = log_probs[np.arange(len(log_probs)), rollout.actions.ravel()]
    return np.exp(now - rollout.log_probs.ravel())


@pytest.mark.parametrize("kind", ["features", "pixels", "both"])
def test_the_ratio_is_one_before_the_first_update_with_the_planners_bias_alone(kind):
    agent, _, _ = filled_agent(kind=kind)
    rollout = agent.ppo.rollout
    assert rollout.pixels.any() == (kind != "features")
    assert (rollout.biases > 0).any()
    biased = ratios(agent, torch.from_numpy(rollout.biases).flatten(0, 1))
    np.testing.assert_allclose(biased, 1.0, rtol=1e-5)
    assert np.abs(ratios(agent, torch.zeros(())) - 1.0).max() > 0.5


def test_a_masked_action_has_probability_zero_whatever_its_logit_or_bias():
    logits = torch.full((1, len(Action)), 50.0)
    mask = torch.zeros((1, len(Action)), dtype=torch.bool)
    mask[0, 3] = True
    probabilities = masked_log_probs(logits, mask, torch.full((1, len(Action)), 1e6)).exp()
    assert probabilities[0].tolist() == [0, 0, 0, 1, 0, 0, 0, 0, 0]


def test_the_distribution_is_that_of_the_valid_actions_alone():
    logits = torch.tensor([[0.5, -1.0, 2.0, 0.0, 3.0, -2.0, 0.1, 0.2, 0.3]])
    bias = torch.tensor([[0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 4.8]])
    valid = [0, 1, 3, 8]
    mask = torch.zeros((1, len(Action)), dtype=torch.bool)
    mask[0, valid] = True
    log_probs = masked_log_probs(logits, mask, bias)
    weights = np.exp([0.5, 0.0, 0.0, 5.1])
    expected = weights / weights.sum()
    np.testing.assert_allclose(log_probs[0, valid].exp(), expected, rtol=1e-5)
    assert (log_probs[0, ~mask[0]].exp() == 0).all()
    by_hand = -(expected * np.log(expected)).sum()
    assert entropy(log_probs).item() == pytest.approx(by_hand, rel=1e-5)


def test_the_entropy_of_n_equal_valid_actions_is_ln_n_and_of_one_zero():
    mask = torch.tensor([[True] * n + [False] * (len(Action) - n) for n in range(1, 10)])
    log_probs = masked_log_probs(torch.full((9, len(Action)), 7.0), mask, torch.zeros(()))
    np.testing.assert_allclose(entropy(log_probs), np.log(np.arange(1, 10)), atol=1e-6)


def test_a_masked_action_gets_no_gradient():
    logits = torch.zeros((1, len(Action)), requires_grad=True)
    mask = torch.tensor([[True] * 4 + [False] * 5])
    log_probs = masked_log_probs(logits, mask, torch.zeros(()))
    (log_probs[0, 0] + entropy(log_probs)[0]).backward()
    assert logits.grad[0, :4].abs().sum() > 0
    assert not logits.grad[0, 4:].any()


def test_sampling_follows_the_probabilities():
    probabilities = np.array([0.5, 0.0, 0.3, 0.2, 0, 0, 0, 0, 0], np.float32)
    with np.errstate(divide="ignore"):
        rows = np.tile(np.log(probabilities), (20_000, 1))
    counts = np.bincount(sample(rows, np.random.default_rng(0)), minlength=len(Action)) / 20_000
    np.testing.assert_allclose(counts, probabilities, atol=0.015)


def test_a_certain_policy_is_left_alone_by_the_planner():
    prior = np.eye(len(Action), dtype=np.float32)[[0, 0]]
    sure = np.array([0.89, 0.91], np.float32)
    bias = advice_bias(prior, np.ones(2, np.float32), sure, GUIDED)
    assert bias[0, 0] == pytest.approx(6 * 0.8)
    assert not bias[1].any()


def test_certainty_is_zero_for_equal_and_one_for_single_choices():
    mask = np.zeros((2, len(Action)), np.bool_)
    mask[0, :4] = True
    mask[1, 0] = True
    log_probs = masked_log_probs(
        torch.zeros((2, len(Action))), torch.from_numpy(mask), torch.zeros(())
    )
    np.testing.assert_allclose(certainty(log_probs, mask), [0.0, 1.0], atol=1e-6)


def test_the_planner_is_credited_when_it_more_than_doubled_the_chance():
    own = np.log(np.array([0.2, 0.2], np.float32))
    acted = np.log(np.array([0.39, 0.41], np.float32))
    assert is_planned(own, acted).tolist() == [False, True]


def test_an_update_reports_its_figures_and_empties_the_rollout():
    agent, _, batch = filled_agent()
    assert agent.is_update_due
    figures = agent.update(batch)
    assert set(figures) == {
        "loss",
        "policy_loss",
        "value_loss",
        "entropy",
        "imitation_loss",
        "approx_kl",
        "clip_fraction",
        "explained_variance",
        "skipped_updates",
    }
    assert all(np.isfinite(value) for value in figures.values())
    assert not agent.is_update_due


@pytest.mark.parametrize(
    "kind",
    [
        "features",
        "recurrent",
        *(pytest.param(k, marks=pytest.mark.slow) for k in ("pixels", "both")),
    ],
)
def test_a_loaded_agent_goes_on_bit_for_bit_from_within_a_rollout(kind):
    agent, vector, batch = filled_agent(steps=24, kind=kind)
    facts, arrays = agent.save()
    arrays = {name: array.copy() for name, array in arrays.items()}
    states = vector.save()

    def go_on(agent, vector, batch):
        actions = []
        for _ in range(40):
            action_batch = agent.decide(batch, GUIDED)
            actions.append(action_batch.actions)
            batch = vector.step(action_batch.actions)
            agent.observe(batch)
            if agent.is_update_due:
                agent.update(batch)
        return np.stack(actions), agent.ppo.network.state_dict()

    other_vector = toy(kind)
    other_batch = other_vector.load(states)
    other = policy(kind, seed=99)
    other.load(facts, arrays)
    actions, weights = go_on(agent, vector, batch)
    other_actions, other_weights = go_on(other, other_vector, other_batch)
    np.testing.assert_array_equal(actions, other_actions)
    for name, tensor in weights.items():
        assert torch.equal(tensor, other_weights[name]), name


def test_the_policy_learns_to_say_what_the_planner_says():
    """After some guided updates the unguided policy takes the planner's actions by itself."""
    vector = ToyVector(RunConfig(num_envs=4))
    agent = GuidedPPO(PPOConfig(rollout_steps=16, minibatch_size=32), 4, SPACES, 0)
    guidance = dataclasses.replace(GUIDED, teaching=1.0)
    batch = vector.reset([1, 2, 3, 4])

    def agreement() -> float:
        logits = agent.ppo.evaluate(batch.features, None, agent.ppo.memory).logits
        own = masked_log_probs(logits, torch.from_numpy(batch.mask), torch.zeros(())).exp()
        return float((own.numpy() * batch.prior).sum(1).mean())

    before = agreement()
    for _ in range(16 * 10):
        batch = vector.step(agent.decide(batch, guidance).actions)
        agent.observe(batch)
        if agent.is_update_due:
            agent.update(batch)
    assert agreement() > 2 * before


@pytest.mark.parametrize("num_advised", [0, 1, 4])
def test_advice_is_learnt_by_how_many_states_had_some(num_advised, monkeypatch):
    """A handful of states that is learnt over and over would spoil what is done in all others."""
    config = PPOConfig(rollout_steps=16, minibatch_size=64, epochs=1, distillation_gradients=8)
    vector = ToyVector(RunConfig(num_envs=4))
    agent = GuidedPPO(config, 4, SPACES, 0)
    guidance = dataclasses.replace(GUIDED, teaching=1.0)
    batch = vector.reset([1, 2, 3, 4])
    assert batch.prior.any(1).all()
    taken = []
    take = agent.ppo._gradients.take
    monkeypatch.setattr(agent.ppo._gradients, "take", lambda *a: taken.append(a) or take(*a))
    while not agent.is_update_due:
        batch.prior[num_advised:] = 0.0
        batch = vector.step(agent.decide(batch, guidance).actions)
        agent.observe(batch)
    agent.update(batch)
    assert len(taken) == 1 + 8 * num_advised // 4


class TestStepsThatAreNotThePolicysOwn:
    """Their actions teach nothing, what they led to does."""

    def learnt(self, change=lambda rollout: None, **settings) -> tuple[dict[str, float], dict]:
        """Return figures and weights after an update from a rollout that `change` has changed."""
        config = PPO.model_copy(update={"epochs": 1, "minibatch_size": 64, **settings})
        vector = toy("features")
        batch = vector.reset([1, 2, 3, 4])
        agent = GuidedPPO(config, 4, SPACES, 0)
        for _ in range(config.rollout_steps):
            batch = vector.step(agent.decide(batch, ALONE).actions)
            agent.observe(batch)
        assert agent.ppo.rollout.is_on_policy.all()
        change(agent.ppo.rollout)
        figures = agent.update(batch)
        return figures, agent.ppo.network.state_dict()

    @staticmethod
    def half(rollout) -> None:
        rollout.is_on_policy[::2] = False

    @staticmethod
    def none(rollout) -> None:
        rollout.is_on_policy[:] = False

    def test_actions_and_probabilities_of_off_policy_steps_do_not_count(self):
        def confused(rollout):
            self.half(rollout)
            rollout.actions[::2] = 0
            rollout.log_probs[::2] = -30.0

        figures, weights = self.learnt(self.half)
        other_figures, other_weights = self.learnt(confused)
        assert figures == other_figures
        for name, tensor in weights.items():
            assert torch.equal(tensor, other_weights[name]), name

    def test_policy_loss_and_entropy_are_those_of_the_other_steps(self):
        every, _ = self.learnt()
        some, _ = self.learnt(self.half)
        assert some["entropy"] != every["entropy"]
        assert some["value_loss"] == every["value_loss"]
        assert some["clip_fraction"] == 0.0

    def test_the_critic_learns_from_nothing_else_if_need_be(self):
        figures, weights = self.learnt(self.none)
        _, before = self.learnt(learning_rate=1e-12)
        assert (figures["policy_loss"], figures["entropy"], figures["approx_kl"]) == (0, 0, 0)
        assert figures["value_loss"] > 0
        moved = {name for name in weights if not torch.allclose(weights[name], before[name])}
        assert any(name.startswith("critic") for name in moved)
        assert not any(name.startswith(("actor", "encoder")) for name in moved)
