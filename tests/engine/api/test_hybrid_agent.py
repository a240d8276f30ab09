"""HybridAgent in a loop of one's own, without any trainer."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

from engine import (
    AdaptiveStrategySystem,
    AgentMode,
    ConfigurationError,
    EnhancedPyBoyPokemonCrystalEnv,
    HybridAgent,
    StrategyType,
)
from engine.agents.dqn import DQN
from engine.agents.guided import GuidedPPO
from engine.config import DQNConfig, EnvConfig, PPOConfig
from engine.types import Source
from tests.utils import create_mock_environment

PPO = PPOConfig(rollout_steps=16, minibatch_size=16, hidden_size=32, distillation_gradients=4)


class Up:
    """A language model that always wants to go up."""

    def get_action(self, context: str) -> tuple[int, dict[str, Any]]:
        return 4, {"confidence": 1.0, "reasoning": "the exit is up there"}


@pytest.fixture(params=["state", "multi_modal"])
def env(request: pytest.FixtureRequest) -> Iterator[EnhancedPyBoyPokemonCrystalEnv]:
    config = EnvConfig(max_steps=16, progress_steps=0)
    env = EnhancedPyBoyPokemonCrystalEnv("", True, request.param, config=config)
    yield env
    env.close()


@pytest.fixture(scope="module")
def state_env() -> Iterator[EnhancedPyBoyPokemonCrystalEnv]:
    env = create_mock_environment(max_steps=16)
    yield env
    env.close()


def make_agent(llm_manager: Any = None, strategy: Any = None, **settings: Any) -> HybridAgent:
    agent = HybridAgent(llm_manager, strategy or AdaptiveStrategySystem(), **settings)
    agent.make_policy = lambda spaces: GuidedPPO(PPO, 1, spaces, seed=1)
    return agent


def play(
    agent: HybridAgent, env: EnhancedPyBoyPokemonCrystalEnv, steps: int
) -> list[tuple[Source, str]]:
    """Let the agent act and learn; return who decided, and why."""
    decided = []
    observation, info = env.reset(seed=2)
    for _ in range(steps):
        action = agent.get_action(observation, info)
        assert observation["action_mask"][action], "a masked action"
        decided.append((agent.decision.source, agent.decision.reason))
        following, reward, terminated, truncated, info = env.step(action)
        done = terminated or truncated
        agent.update(observation, action, float(reward), following, done)
        observation = following
        if done:
            observation, info = env.reset()
    return decided


def test_hybrid_agent_learns_and_follows_its_curriculum(env):
    agent = make_agent()
    play(agent, env, 15)
    before = agent.policy.ppo.network.state_dict()["critic.weight"].clone()
    play(agent, env, 33)
    after = agent.policy.ppo.network.state_dict()["critic.weight"]
    assert not torch.equal(before, after)
    assert agent.policy.ppo.num_updates == 3
    assert agent.adaptive_strategy.get_strategy_stats()["episodes"] == 2
    assert agent.lead.curriculum.describe().episodes_in_stage == 2


def test_the_rules_lead_without_a_language_model(state_env):
    agent = make_agent()
    agent.mode = AgentMode.LLM_ONLY
    decided = play(agent, state_env, 16)
    assert {source for source, _ in decided} <= {Source.RULES, Source.RANDOM}
    assert any("Go downstairs" in reason for _, reason in decided)


def test_the_language_models_reason_is_told(state_env):
    agent = make_agent(Up())
    agent.mode = AgentMode.LLM_ONLY
    decided = play(agent, state_env, 10)
    assert (Source.PLANNER, "UP: the exit is up there") in decided
    assert agent.consultation.asked == 8


class Scripted:
    """A language model that takes the first, the second, the third ... possible action."""

    asked = 0

    def get_action(self, context: str) -> tuple[int, dict[str, Any]]:
        self.asked += 1
        possible = context.rpartition("Possible actions: ")[2].split(", ")
        return int(possible[self.asked % len(possible)].split()[0]), {"confidence": 0.8}


SHARES = {StrategyType.LLM_HEAVY: 0.8, StrategyType.BALANCED: 0.5, StrategyType.RULE_HEAVY: 0.2}


@pytest.mark.parametrize(
    ("strategy", "has_model", "algorithm"),
    [
        (StrategyType.LLM_HEAVY, True, "ppo"),
        (StrategyType.BALANCED, True, "dqn"),
        (StrategyType.RULE_HEAVY, False, "dqn"),
        (StrategyType.BALANCED, False, "ppo"),
    ],
)
def test_the_strategys_share_of_decisions_is_the_planners(
    state_env, strategy, has_model, algorithm
):
    agent = make_agent(Scripted() if has_model else None, AdaptiveStrategySystem(initial=strategy))
    if algorithm == "dqn":
        dqn = DQNConfig(warmup_steps=500, capacity=500, hidden_size=32)
        agent.make_policy = lambda spaces: DQN(dqn, 1, spaces, seed=1)
    decided = [source for source, _ in play(agent, state_env, 100)]
    planner = Source.PLANNER if has_model else Source.RULES
    assert decided.count(planner) / 100 == pytest.approx(SHARES[strategy], abs=0.02)
    assert set(decided) == {planner, Source.POLICY}
    assert agent.consultation.asked == (decided.count(planner) if has_model else 0)


def test_a_forced_strategys_share_holds_at_once(state_env):
    agent = make_agent(Scripted())
    agent.adaptive_strategy.force_strategy(StrategyType.RULE_HEAVY)
    decided = [source for source, _ in play(agent, state_env, 100)]
    assert decided.count(Source.PLANNER) == 20


def test_an_override_of_select_strategy_says_whose_decision_it_is(state_env):
    class Lighter(AdaptiveStrategySystem):
        def select_strategy(self, context: Any) -> StrategyType:
            return StrategyType.BALANCED

    agent = make_agent(Scripted(), Lighter())
    decided = [source for source, _ in play(agent, state_env, 15)]
    assert decided.count(Source.PLANNER) in {7, 8}


def test_a_policy_as_certain_as_the_stage_asks_for_decides_alone(state_env):
    stage = {"reward_threshold": 1.0, "llm_confidence": 0.0}
    agent = make_agent(Scripted(), curriculum_config={"stages": [stage]})
    assert {source for source, _ in play(agent, state_env, 20)} == {Source.POLICY}


def test_rl_only_takes_no_advice(state_env):
    agent = make_agent(Up())
    agent.mode = AgentMode.RL_ONLY
    assert {source for source, _ in play(agent, state_env, 16)} == {Source.POLICY}
    assert agent.consultation.asked == 0


def test_without_the_environments_info_there_are_no_rules(state_env):
    agent = make_agent(Up())
    observation, _ = state_env.reset(seed=0)
    action = agent.get_action(observation, {})
    assert observation["action_mask"][action]


def test_an_action_of_somebody_elses_teaches_nothing(state_env):
    agent = make_agent()
    observation, info = state_env.reset(seed=0)
    own = agent.get_action(observation, info)
    agent.update(observation, own, 0.0, observation, False)
    another = (agent.get_action(observation, info) + 1) % 9
    agent.update(observation, another, 1.0, observation, False)
    agent.update(observation, another, 1.0, observation, False)  # nobody had decided
    rollout = agent.policy.ppo.rollout
    assert (rollout.length, bool(rollout.boundaries[0, 0])) == (1, True)


@pytest.mark.parametrize("missing", ["features", "action_mask"])
def test_an_observation_without_what_is_needed_names_it(missing):
    observation = {"features": np.zeros(5, np.float32), "action_mask": np.ones(9, np.int8)}
    del observation[missing]
    with pytest.raises(ConfigurationError, match=f"no '{missing}'.*'multi_modal' or 'state'"):
        make_agent().get_action(observation, {})


def test_another_number_of_actions_is_refused():
    with pytest.raises(ConfigurationError, match="action_space_size = 8"):
        make_agent(action_space_size=8)


def test_documented_curriculum_config_is_taken():
    stage = {
        "reward_threshold": 1.0,
        "min_episodes": 10,
        "llm_confidence": 0.6,
        "strategy_preference": "balanced",
    }
    config = {"stages": [stage], "advancement_patience": 12, "confidence_decay_rate": 0.9}
    agent = make_agent(curriculum_config=config)
    assert agent.lead.guidance.needed_confidence == 0.6
    assert agent.curriculum_config.advancement_patience == 12


@pytest.mark.parametrize(
    ("config", "named", "allowed"),
    [
        ({"stagse": []}, "unknown key 'curriculum.stagse'", "curriculum.stages?"),
        ({"stages": []}, "curriculum.stages = []", "at least 1 item"),
        (
            {"stages": [{"reward_threshold": 1, "llm_confidence": 2}]},
            "curriculum.stages.0.llm_confidence = 2",
            "less than or equal to 1",
        ),
        (
            {"stages": [{"reward_threshold": 1, "llm_confidence": 1, "minimum": 3}]},
            "unknown key 'curriculum.stages.0.minimum'",
            "min_episodes",
        ),
    ],
)
def test_a_wrong_curriculum_config_names_itself(config, named, allowed):
    with pytest.raises(ConfigurationError) as caught:
        make_agent(curriculum_config=config)
    assert named in str(caught.value)
    assert allowed in str(caught.value)
