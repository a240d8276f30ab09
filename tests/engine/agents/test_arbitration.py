import numpy as np
import pytest

from engine.agents.arbitration import draw_best, explain
from engine.agents.base import ActionBatch, Guidance
from engine.agents.guided import GuidedPPO
from engine.agents.rules import RandomAgent, RulesAgent
from engine.config import PPOConfig, RunConfig, TakeoverConfig
from engine.types import GAME_BOY_ACTIONS, Action, Goal, Source
from tests.engine.planning.goals.helpers import battle, creature, state
from tests.engine.toy import SPACES, ToyVector

N = 4
PPO = PPOConfig(rollout_steps=32, minibatch_size=32, hidden_size=32, distillation_gradients=4)
LED = Guidance(planner_share=1.0, needed_confidence=0.9)
GOAL = Goal("corner", "reach the corner")


def guided(**takeover) -> GuidedPPO:
    return GuidedPPO(PPO, N, SPACES, 0, takeover=TakeoverConfig(**takeover))


def play(agent: GuidedPPO, guidance: Guidance, steps: int) -> list[tuple]:
    """Return (batch, choices) of each step."""
    vector = ToyVector(RunConfig(num_envs=N))
    batch = vector.reset([1, 2, 3, 4])
    played = []
    for _ in range(steps):
        action_batch = agent.decide(batch, guidance)
        played.append((batch, action_batch))
        batch = vector.step(action_batch.actions)
        agent.observe(batch)
    return played


def action_batch(source: Source, *, is_planned: bool, takeovers: int = 0) -> ActionBatch:
    return ActionBatch(
        np.array([Action.UP]),
        np.array([0.4], np.float32),
        np.array([is_planned]),
        source,
        np.array([takeovers]),
    )


def test_a_takeover_acts_as_advised_and_is_not_the_policys_own():
    agent = guided(share=1.0)
    played = play(agent, LED, 20)
    rollout = agent.ppo.rollout
    assert not rollout.is_on_policy[:20].any()
    assert (rollout.biases[:20].max(-1) > 0).all()
    for batch, chosen in played:
        assert chosen.is_planned.all()
        assert (chosen.actions == np.where(batch.mask, batch.prior, -1).argmax(1)).all()
        np.testing.assert_allclose(chosen.confidences, 0.9)


def test_the_policy_keeps_three_quarters_of_the_planners_decisions_by_default():
    agent = guided()
    play(agent, LED, 32)
    assert 0.6 < agent.ppo.rollout.is_on_policy.mean() < 0.9


@pytest.mark.parametrize(
    "guidance",
    [
        Guidance(0.0, 0.9),
        Guidance(0.2, 0.9, policy_reliability=1.0, advice_reliability=0.5),
        Guidance(1.0, 0.9, advice_reliability=0.1),
        Guidance(1.0, 0.0),
    ],
    ids=["no share", "not by the margin", "not trusted", "a policy that is left alone"],
)
def test_without_reason_nobody_takes_over(guidance):
    agent = guided(share=1.0)
    play(agent, guidance, 20)
    assert agent.ppo.rollout.is_on_policy[:20].all()


def test_advice_that_is_not_trusted_hardly_biases():
    trusted, doubted = guided(length=0), guided(length=0)
    play(trusted, Guidance(0.8, 0.9, advice_reliability=1.0), 10)
    play(doubted, Guidance(0.8, 0.9, advice_reliability=np.full(N, 0.1, np.float32)), 10)
    assert trusted.ppo.rollout.biases.max() == pytest.approx(6 * 0.8 * 0.9)
    assert doubted.ppo.rollout.biases.max() == pytest.approx(6 * 0.8 * 0.09)


def test_a_takeover_ends_when_a_person_does():
    agent = guided(share=1.0)
    batch, chosen = play(agent, LED, 1)[-1]
    assert chosen.takeovers.tolist() == [8] * N
    agent.truncate_trajectory(2, batch)
    assert agent.decide(batch, LED).takeovers[:3].tolist() == [7, 7, 8]


def test_a_player_is_never_taken_over_from():
    agent = guided(share=1.0)
    vector = ToyVector(RunConfig(num_envs=N))
    assert not agent.player(0)(vector.reset([1, 2, 3, 4]), LED).takeovers.any()


def test_a_saved_takeover_goes_on():
    agent, other = guided(share=1.0), guided(share=1.0)
    batch = play(agent, LED, 3)[-1][0]
    other.load(*agent.save())
    first, second = agent.decide(batch, LED), other.decide(batch, LED)
    assert first.takeovers.tolist() == second.takeovers.tolist()
    assert first.takeovers[0] == 5
    assert first.actions.tolist() == second.actions.tolist()


def test_the_best_is_drawn_and_equals_by_lot():
    wanted = np.zeros((4000, len(Action)), np.float32)
    wanted[:, [2, 5]] = 0.5
    counts = np.bincount(draw_best(wanted, np.random.default_rng(0)), minlength=len(Action))
    assert counts[2] + counts[5] == 4000
    assert abs(counts[2] - 2000) < 200


@pytest.mark.parametrize(
    ("chosen", "fight", "source", "words"),
    [
        (action_batch(Source.POLICY, is_planned=False), None, Source.POLICY, "UP, confidence 40%"),
        (action_batch(Source.POLICY, is_planned=True), None, Source.PLANNER, "reach the corner"),
        (
            action_batch(Source.POLICY, is_planned=True, takeovers=3),
            None,
            Source.PLANNER,
            "3 more steps",
        ),
        (
            action_batch(Source.POLICY, is_planned=True),
            battle(creature(), creature()),
            Source.RULES,
            "go on",
        ),
        (action_batch(Source.RANDOM, is_planned=False), None, Source.RANDOM, "sampled"),
    ],
)
def test_every_decision_tells_its_source_confidence_and_reason(chosen, fight, source, words):
    decision = explain(chosen, 0, GOAL, "go on", state(fight=fight), GAME_BOY_ACTIONS)
    assert decision.action == Action.UP
    assert decision.source is source
    assert decision.confidence == pytest.approx(0.4)
    assert words in decision.reason


def test_agents_without_a_policy_name_their_sources():
    vector = ToyVector(RunConfig(num_envs=N))
    batch = vector.reset([1, 2, 3, 4])
    doubted = Guidance(1.0, 0.9, advice_reliability=0.5)
    rules = RulesAgent(0).decide(batch, doubted)
    assert rules.is_planned.all()
    np.testing.assert_allclose(rules.confidences, 0.45)
    drawn = RandomAgent(0).decide(batch, doubted)
    assert drawn.source is Source.RANDOM
    assert not drawn.is_planned.any()
