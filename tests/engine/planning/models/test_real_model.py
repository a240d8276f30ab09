"""A real model out of a GGUF file, which is asked for real; what it advises is worth nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import AdaptiveStrategySystem, AgentMode, HybridAgent, LLMManager
from engine.planning.models.backends import make_backend
from engine.planning.models.backends.tokens import estimate_tokens
from engine.types import Action, Source
from tests.engine.planning.models.fake_backends import listening, quick_settings
from tests.engine.planning.models.queries import TOWN, query
from tests.engine.processes import wait_until
from tests.utils import create_mock_environment

pytestmark = pytest.mark.slow
CONTEXT = 4000
LONG_S = 300.0
"""A busy machine reads 50 tokens a second, and writes three."""
PATIENT = quick_settings(first_token_timeout_s=LONG_S, answer_timeout_s=LONG_S)


@pytest.fixture
def manager(smollm2: str) -> Iterator[LLMManager]:
    with LLMManager(smollm2, max_context_length=CONTEXT, settings=PATIENT) as made:
        yield made


def test_the_manager_answers_as_documented_and_an_agent_plays_by_it(manager, smollm2):
    action, facts = manager.get_action("You stand before a door. Possible actions: 4 UP, 0 A")
    assert Action.of(action) == action
    assert set(facts) == {"confidence", "reasoning", "model", "latency_s"}
    assert 0.0 <= facts["confidence"] <= 1.0
    assert facts["reasoning"].isprintable()
    assert facts["model"] == Path(smollm2).name
    assert 0.01 < facts["latency_s"] < LONG_S
    agent = HybridAgent(manager, AdaptiveStrategySystem())
    agent.mode = AgentMode.LLM_ONLY
    env = create_mock_environment()
    sources = set()
    try:
        observation, info = env.reset(seed=2)
        for _ in range(3):
            action = agent.get_action(observation, info)
            assert observation["action_mask"][action]
            sources.add(agent.decision.source)
            observation, _, _, _, info = env.step(action)
    finally:
        env.close()
    counts = agent.consultation
    assert counts.asked == 2  # 80 % of 3
    assert counts.failed == 0, counts.error
    assert (Source.PLANNER in sources) == (counts.invalid < 2)  # it may name what is masked


def test_a_planner_gets_a_choice_that_was_offered_and_true_figures(smollm2):
    backend = make_backend(smollm2, max_context_length=CONTEXT)
    with listening(backend, settings=PATIENT.model_dump()) as heard:
        heard.until_state("ready")
        heard.planner.submit(query())
        assert wait_until(lambda: heard.planner.is_idle, 2 * LONG_S)
        heard.hear()
    (plan,), (answered,) = heard.plans, heard.answered
    assert plan.option in TOWN
    assert plan.condition in plan.option.conditions
    assert 0.0 <= plan.confidence <= 1.0
    assert not answered.error
    assert answered.prompt_tokens == pytest.approx(
        estimate_tokens(heard.requested[0].prompt), rel=0.25
    )
    assert 10 < answered.answer_tokens <= PATIENT.answer_tokens
    assert 0.0 < answered.first_token_s < answered.latency_s
    assert heard.status.prompt_tokens == answered.prompt_tokens
