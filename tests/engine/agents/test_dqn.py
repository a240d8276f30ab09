import dataclasses

import numpy as np
import pytest
import torch
from torch import nn

from engine.agents.base import Guidance
from engine.agents.dqn import DQN, QNetwork, follow, targets
from engine.agents.replay_buffer import Sample
from engine.agents.rules import RandomAgent
from engine.config import DQNConfig, RunConfig
from engine.env.batch import Batch
from engine.types import Action, Source, Spaces
from tests.engine.agents.test_learning import mean_reward, train
from tests.engine.toy import PIXELS_SHAPE, SPACES, ToyVector

ALONE = Guidance(planner_share=0.0, needed_confidence=0.9)
GUIDED = Guidance(planner_share=0.8, needed_confidence=0.9)
CONFIG = DQNConfig(
    capacity=10_000,
    warmup_steps=400,
    batch_size=64,
    gradient_steps=4,
    learning_rate=1e-3,
    gamma=0.95,
    n_steps=3,
    epsilon_steps=4000,
    epsilon_end=0.02,
    beta_steps=8000,
    target_interval=100,
    hidden_size=64,
)
SMALL = CONFIG.model_copy(update={"warmup_steps": 40, "batch_size": 16, "hidden_size": 16})


class Table(nn.Module):
    """Action values by hand, one row a state; the first feature is the state's number."""

    def __init__(self, rows) -> None:
        super().__init__()
        self.rows = torch.tensor(rows, dtype=torch.float32)

    def forward(self, features, pixels, mask):
        return self.rows[features[:, 0].long()]


def sample_of(**changes) -> Sample:
    """Return one drawn step of return 1 and discount 0.5 that leads to state 0."""
    base = Sample(
        indices=np.array([0]),
        weights=np.ones(1, np.float32),
        features=np.zeros((1, 1), np.float32),
        masks=np.ones((1, len(Action)), np.bool_),
        priors=np.zeros((1, len(Action)), np.float32),
        actions=np.array([0]),
        returns=np.array([1.0], np.float32),
        discounts=np.array([0.5], np.float32),
        next_features=np.zeros((1, 1), np.float32),
        next_masks=np.ones((1, len(Action)), np.bool_),
        pixels=np.zeros((1, 0), np.uint8),
        next_pixels=np.zeros((1, 0), np.uint8),
    )
    return dataclasses.replace(base, **changes)


ONLINE = Table([[5, 9, 1, 0, 0, 0, 0, 0, 0]])
TARGET = Table([[30, 2, 70, 0, 0, 0, 0, 0, 0]])


@pytest.fixture
def batch() -> Batch:
    return ToyVector(RunConfig(num_envs=4)).reset([1, 2, 3, 4])


def test_the_network_chooses_and_the_target_judges():
    assert targets(sample_of(), ONLINE, TARGET).tolist() == [1 + 0.5 * 2]


def test_without_double_the_target_chooses_too_and_overrates():
    assert targets(sample_of(), ONLINE, TARGET, is_double=False).tolist() == [1 + 0.5 * 70]


def test_an_invalid_next_action_counts_nothing_however_good_it_looks():
    mask = np.ones((1, len(Action)), np.bool_)
    mask[0, 1] = False
    assert targets(sample_of(next_masks=mask), ONLINE, TARGET).tolist() == [1 + 0.5 * 30]


def test_a_valid_action_of_negative_worth_beats_an_invalid_one():
    mask = np.zeros((1, len(Action)), np.bool_)
    mask[0, 2] = True
    online = Table([[0, 0, -8, 0, 0, 0, 0, 0, 0]])
    assert targets(sample_of(next_masks=mask), online, online).tolist() == [1 + 0.5 * -8]


def test_the_end_of_an_episode_is_worth_its_reward():
    ended = sample_of(discounts=np.zeros(1, np.float32))
    assert targets(ended, ONLINE, TARGET).tolist() == [1.0]


def test_a_duelling_value_is_the_states_worth_and_the_actions_edge_among_valid_ones():
    network = QNetwork("features", Spaces(3, len(Action)), 8)
    features, mask = torch.rand(5, 3), torch.zeros(5, len(Action), dtype=torch.bool)
    mask[:, :4] = True
    values = network(features, None, mask)
    code = network.encoder(features, None)
    valid = values[:, :4]
    torch.testing.assert_close(valid.mean(1), network.value(code).squeeze(1))
    edge = network.edge(code)[:, :4]
    torch.testing.assert_close(valid - valid.mean(1, True), edge - edge.mean(1, True))


def test_invalid_actions_do_not_weigh_on_the_value_of_a_state():
    network = QNetwork("features", Spaces(3, len(Action)), 8)
    features, mask = torch.rand(5, 3), torch.ones(5, len(Action), dtype=torch.bool)
    mask[:, 4:] = False
    before = network(features, None, mask)[:, :4]
    with torch.no_grad():
        network.edge.weight[4:] += 100.0
    torch.testing.assert_close(network(features, None, mask)[:, :4], before)


def test_without_duelling_there_is_one_value_an_action():
    network = QNetwork("features", Spaces(3, len(Action)), 8, is_duelling=False)
    features, mask = torch.rand(5, 3), torch.ones(5, len(Action), dtype=torch.bool)
    code = network.encoder(features, None)
    torch.testing.assert_close(network(features, None, mask), network.edge(code))


@pytest.mark.parametrize(("share", "expected"), [(1.0, 3.0), (0.25, 1.5), (0.005, 1.01)])
def test_the_target_moves_its_share_of_the_way(share, expected):
    target, network = nn.Linear(1, 1), nn.Linear(1, 1)
    nn.init.constant_(target.weight, 1.0)
    nn.init.constant_(network.weight, 3.0)
    follow(target, network, share)
    assert target.weight.item() == pytest.approx(expected)
    assert network.weight.item() == 3.0


def play(agent: DQN, steps: int, guidance: Guidance = ALONE, vector=None, batch=None):
    """Step and learn as the trainer does; return the vector, the batch and the actions."""
    if vector is None:
        vector = ToyVector(RunConfig(num_envs=4))
        batch = vector.reset([1, 2, 3, 4])
    actions = []
    for _ in range(steps):
        action_batch = agent.decide(batch, guidance)
        actions.append(action_batch.actions)
        batch = vector.step(action_batch.actions)  # asserts that no action is masked
        agent.observe(batch)
        if agent.is_update_due:
            agent.update(batch)
    return vector, batch, actions


def test_a_hard_target_is_the_network_of_the_last_interval():
    agent = DQN(SMALL.model_copy(update={"target_interval": 3, "gradient_steps": 1}), 4, SPACES, 0)
    while agent.num_gradients % 3 != 0 or not agent.num_gradients:
        play(agent, 1)
    for mine, its in zip(agent.network.parameters(), agent.target.parameters(), strict=True):
        assert torch.equal(mine, its)
    copied = [weights.clone() for weights in agent.target.parameters()]
    last = agent.num_gradients
    while agent.num_gradients == last:
        play(agent, 1)
    assert all(map(torch.equal, agent.target.parameters(), copied))
    assert not all(map(torch.equal, agent.network.parameters(), copied))


def test_random_actions_become_fewer_with_the_steps():
    agent = DQN(SMALL, 4, SPACES, 0)
    assert (agent.epsilon, agent.beta) == (1.0, 0.4)
    agent.num_steps = 2000
    assert agent.epsilon == pytest.approx(0.51)
    assert agent.beta == pytest.approx(0.55)
    agent.num_steps = 100_000
    assert (agent.epsilon, agent.beta) == (pytest.approx(0.02), 1.0)


def test_steps_are_learnt_from_as_often_as_configured():
    config = SMALL.model_copy(update={"replay_ratio": 2.0, "gradient_steps": 3})
    agent = DQN(config, 4, SPACES, 0)
    play(agent, 10 + 100)
    assert agent.num_gradients == 400 * 2 // 16 // 3 * 3


@pytest.fixture
def agent() -> DQN:
    """Return an agent that never acts at random."""
    settings = {"epsilon_start": 0.0, "epsilon_end": 0.0}
    return DQN(SMALL.model_copy(update=settings), 4, SPACES, 0)


def test_the_best_valid_action_is_taken_even_where_all_values_are_negative(batch, agent):
    nn.init.constant_(agent.network.value.bias, -100.0)
    values = agent.evaluate(batch).numpy()
    assert (values < 0).all()
    best = np.where(batch.mask, values, -np.inf).argmax(1)
    assert agent.decide(batch, ALONE).actions.tolist() == best.tolist()


def test_random_actions_are_all_valid_ones_alike(batch):
    agent = DQN(SMALL, 4, SPACES, 0)
    batch.mask[:] = np.arange(len(Action)) % 3 == 0
    drawn = np.concatenate([agent.decide(batch, ALONE).actions for _ in range(1500)])
    shares = np.bincount(drawn, minlength=len(Action)) / len(drawn)
    np.testing.assert_allclose(shares, np.where(batch.mask[0], 1 / 3, 0.0), atol=0.03)


def test_the_advice_is_followed_as_often_as_share_and_confidence_say(batch, agent):
    batch.advice_confidence[:] = 0.5
    batch.prior[:] = 0.0
    own = agent.decide(batch, ALONE).actions
    advised = np.where(own == 0, 1, 0)
    batch.mask[:] = True
    batch.prior[np.arange(4), advised] = 1.0
    own = agent.decide(batch, ALONE).actions
    runs = [agent.decide(batch, Guidance(0.6, 0.9)) for _ in range(2000)]
    planned = np.stack([action_batch.is_planned for action_batch in runs])
    actions = np.stack([action_batch.actions for action_batch in runs])
    confidences = np.stack([action_batch.confidences for action_batch in runs])
    differs = advised != own
    assert differs.any()
    np.testing.assert_array_equal(actions, np.where(planned, advised, own))
    np.testing.assert_allclose(planned[:, differs].mean(), 0.6 * 0.5, atol=0.03)
    assert (confidences[planned] == 0.5).all()
    assert runs[0].source is Source.POLICY


@pytest.mark.parametrize(
    "advised",
    [
        lambda own, mask: np.eye(len(Action), dtype=np.float32)[own],
        lambda own, mask: np.where(mask, 0.0, 1.0),
    ],
    ids=["what the policy would have done", "what is invalid"],
)
def test_advice_that_changes_nothing_is_no_merit_of_the_planner(batch, agent, advised):
    own = agent.decide(batch, ALONE).actions
    batch.prior[:] = advised(own, batch.mask)
    action_batch = agent.decide(batch, Guidance(1.0, 0.9))
    np.testing.assert_array_equal(action_batch.actions, own)
    assert not action_batch.is_planned.any()


def test_a_policy_certain_enough_is_left_alone_by_the_planner(batch, agent):
    assert (agent.decide(batch, ALONE).confidences == 0).all()  # nothing is learnt yet
    agent._usual_error = 1e-3
    nn.init.normal_(agent.network.edge.bias, std=5.0, generator=torch.Generator().manual_seed(0))
    action_batch = agent.decide(batch, Guidance(1.0, 0.9))
    assert (action_batch.confidences > 0.9).all()
    assert not action_batch.is_planned.any()
    agent._usual_error = 1e3
    action_batch = agent.decide(batch, Guidance(1.0, 0.9))
    assert action_batch.is_planned.any()


def test_the_player_leaves_training_as_it_was():
    agents = [DQN(SMALL, 4, SPACES, 0) for _ in range(2)]
    runs = [play(agent, 30) for agent in agents]
    player = agents[0].player(seed=5)
    other = ToyVector(RunConfig(num_envs=2))
    batch = other.reset([7, 8])
    for _ in range(20):
        batch = other.step(player(batch, ALONE).actions)
    actions = [play(agent, 30, ALONE, *run[:2])[2] for agent, run in zip(agents, runs, strict=True)]
    np.testing.assert_array_equal(*actions)


def test_an_update_reports_its_figures():
    agent = DQN(SMALL, 4, SPACES, 0)
    vector, batch, _ = play(agent, 10)
    while not agent.is_update_due:
        batch = vector.step(agent.decide(batch, ALONE).actions)
        agent.observe(batch)
    figures = agent.update(batch)
    assert set(figures) == {
        "loss", "value_loss", "value", "value_max", "value_std", "error", "epsilon", "beta",
            "skipped_updates",
    }  # fmt: skip
    assert all(np.isfinite(value) for value in figures.values())
    assert figures["loss"] == figures["value_loss"]  # nothing was demonstrated
    assert figures["value_max"] >= figures["value"]


@pytest.mark.parametrize(("distillation", "is_taught"), [(1.0, True), (0.0, False)])
def test_what_is_advised_is_learnt_whoever_decides(distillation, is_taught):
    agent = DQN(SMALL.model_copy(update={"distillation": distillation}), 4, SPACES, 0)
    taught = dataclasses.replace(ALONE, teaching=1.0)
    vector, batch, _ = play(agent, 300, taught)
    hits = []
    for _ in range(20):
        values = np.where(batch.mask, agent.evaluate(batch).numpy(), -np.inf)
        best = np.where(batch.mask, batch.prior, 0.0).argmax(1)
        hits.append((values.argmax(1) == best)[batch.prior.any(1)])
        batch = vector.step(agent.decide(batch, ALONE).actions)
    assert (np.concatenate(hits).mean() > 0.9) == is_taught


def test_what_is_not_taught_is_not_kept_to_be_learnt():
    agent = DQN(SMALL, 4, SPACES, 0)
    guidance = dataclasses.replace(GUIDED, teaching=np.array([1.0, 0.0, 0.5, 0.0], np.float32))
    _, batch, _ = play(agent, 8, guidance)
    assert batch.prior.any(1).all()
    _, arrays = agent.save()
    assert arrays["replay/priors"][:8].any((0, 2)).tolist() == [True, False, True, False]


def test_exam_games_explore_no_more_than_the_policy_does_when_it_plays():
    agent = DQN(SMALL, 4, SPACES, 0)
    _, batch, _ = play(agent, 1)
    agent.network.edge.weight.data.zero_()
    agent.network.edge.bias.data[:] = torch.arange(9.0)
    exams = dataclasses.replace(ALONE, is_sharp=np.array([True, False, True, False]))
    best = np.where(batch.mask, np.arange(9), -1).argmax(1)
    drawn = np.array([agent.decide(batch, exams).actions != best for _ in range(200)]).mean(0)
    assert agent.epsilon > 0.9
    assert drawn[[0, 2]].max() < 0.15 < drawn[[1, 3]].min()


def test_a_loaded_agent_goes_on_bit_for_bit():
    agent = DQN(SMALL, 4, SPACES, 0)
    vector, batch, _ = play(agent, 77, dataclasses.replace(GUIDED, teaching=0.5))
    agent.truncate_trajectory(2, batch)
    facts, arrays = agent.save()
    arrays = {name: array.copy() for name, array in arrays.items()}
    other_vector = ToyVector(RunConfig(num_envs=4))
    other_batch = other_vector.load(vector.save())
    other = DQN(SMALL, 4, SPACES, seed=99)
    other.load(facts, arrays)
    before = agent.num_gradients
    _, _, actions = play(agent, 60, GUIDED, vector, batch)
    _, _, other_actions = play(other, 60, GUIDED, other_vector, other_batch)
    assert agent.num_gradients == other.num_gradients > before > 0
    np.testing.assert_array_equal(actions, other_actions)
    for kind in ("network", "target"):
        weights = getattr(agent, kind).state_dict()
        for name, tensor in getattr(other, kind).state_dict().items():
            assert torch.equal(tensor, weights[name]), name


@pytest.mark.parametrize("kind", ["pixels", "both"])
def test_pixels_are_seen_remembered_and_learnt_from(kind):
    agent = DQN(SMALL, 4, SPACES, 0, kind)
    toy = ToyVector(RunConfig(num_envs=4))
    rng = np.random.default_rng(0)

    def with_pixels(batch):
        pixels = rng.integers(0, 256, (4, *PIXELS_SHAPE), np.uint8)
        return dataclasses.replace(batch, pixels=pixels)

    batch = with_pixels(toy.reset([1, 2, 3, 4]))
    seen = []
    for _ in range(14):
        seen.append(batch.pixels)
        batch = with_pixels(toy.step(agent.decide(batch, ALONE).actions))
        agent.observe(batch)
    sample = agent.replay.sample(8, 1.0, rng)
    rows, envs = np.divmod(sample.indices, 4)
    np.testing.assert_array_equal(sample.pixels, np.stack(seen)[rows, envs])
    before = agent.evaluate(batch)
    agent.update(batch)
    assert not torch.equal(before, agent.evaluate(batch))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_dqn_halves_the_distance_from_random_to_perfect_and_more(seed):
    random_reward = mean_reward(train(RandomAgent(seed), 500, seed=seed))
    learnt = train(DQN(CONFIG, 8, SPACES, seed), 1000, seed=seed)[-100:]
    assert random_reward < 0.5
    assert mean_reward(learnt) > 0.9
    assert np.mean([summary.is_success for summary in learnt]) >= 0.98


def test_the_planner_makes_the_untrained_values_good_at_once():
    guided = train(DQN(CONFIG, 8, SPACES, 0), 60, GUIDED)
    alone = train(DQN(CONFIG, 8, SPACES, 0), 60, ALONE)
    assert mean_reward(guided) > 0.85 > mean_reward(alone)
