"""What somebody's own language model may do, and that the practice game is played on."""

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from engine import (
    AdaptiveStrategySystem,
    AgentMode,
    BaseLLMManager,
    EnhancedPyBoyPokemonCrystalEnv,
    HybridAgent,
)
from engine.api.consultation import Answer, Consultation, read_answer
from engine.types import Action, Source
from tests.utils import create_mock_environment

ALL = np.ones(9, np.bool_)


class Custom(BaseLLMManager):
    """A user's model, which does what a test says."""

    def __init__(self, does: Callable[[], Any]) -> None:
        self.does = does

    def get_action(self, context: str) -> Any:
        return self.does()


class SpeechlessError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("It cannot even say what is wrong.")


class RustPanic(BaseException):
    """As tokenisers that are written in Rust raise them."""


class Unreadable:
    def __repr__(self) -> str:
        raise RecursionError("deep")

    __str__ = __repr__


class Hostile(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any:
        raise OSError("its database is gone")

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def raises(error: BaseException) -> Callable[[], Any]:
    def get() -> Any:
        raise error

    return get


async def awaited() -> tuple[int, dict[str, Any]]:
    return 4, {}


FAILURES = [
    (ValueError("No key."), "ValueError: No key."),
    (KeyError("choices"), "KeyError: 'choices'"),
    (RuntimeError(), "RuntimeError"),
    (TimeoutError("30 s are over"), "TimeoutError: 30 s are over"),
    (MemoryError(), "MemoryError"),
    (RecursionError("maximum depth"), "RecursionError: maximum depth"),
    (StopIteration(), "StopIteration"),
    (asyncio.CancelledError(), "CancelledError"),
    (GeneratorExit(), "GeneratorExit"),
    (RustPanic("index out of bounds"), "RustPanic: index out of bounds"),
    (SpeechlessError(), "SpeechlessError"),
    (ExceptionGroup("two", [ValueError(), OSError()]), "ExceptionGroup: two (2 sub-exceptions)"),
    (
        ConnectionError("\x1b[2Jno\nroute, with sk-abcdef123"),
        "ConnectionError: [2Jno route, with ***",
    ),
]
"""What is raised, and what is told of it."""

IMPOSSIBLE = [
    (None, "The answer None is not (action, facts)."),
    ("UP", "The answer 'UP' is not (action, facts)."),
    (4, "The answer 4 is not (action, facts)."),
    ((4, {}, {}), "The answer (4, {}, {}) is not (action, facts)."),
    ([4, {}], "The answer [4, {}] is not (action, facts)."),
    ((4, None), "The answer (4, None) is not (action, facts)."),
    (("UP", {}), "There is no action 'UP'."),
    ((9, {}), "There is no action 9."),
    ((-1, {}), "There is no action -1."),
    ((10**400, {}), "There is no action 1000"),
    ((4.0, {}), "There is no action 4.0."),
    ((True, {}), "There is no action True."),
    ((float("nan"), {}), "There is no action nan."),
    ((np.array([4]), {}), "There is no action array([4])."),
    ("x" * 10_000_000, "The answer 'xxx"),
]
"""What is answered, and what is told of it; of things that raise when they are looked at, less."""


@pytest.fixture(scope="module")
def env() -> Iterator[EnhancedPyBoyPokemonCrystalEnv]:
    env = create_mock_environment(max_steps=200)
    env.reset(seed=2)
    yield env
    env.close()


def play(env: EnhancedPyBoyPokemonCrystalEnv, does: Callable[[], Any], steps: int) -> HybridAgent:
    """Let an agent whose model does something take some steps of the game."""
    agent = HybridAgent(Custom(does), AdaptiveStrategySystem())
    agent.mode = AgentMode.LLM_ONLY
    observation, info = env.reset(seed=2)
    for _ in range(steps):
        action = agent.get_action(observation, info)
        assert observation["action_mask"][action]
        following, reward, terminated, truncated, info = env.step(action)
        agent.update(observation, action, float(reward), following, terminated or truncated)
        observation = following
    return agent


@pytest.mark.parametrize(("error", "told"), FAILURES, ids=[told for _, told in FAILURES])
def test_exceptions_of_a_model_are_reported_and_the_game_goes_on(env, caplog, error, told):
    agent = play(env, raises(error), 4)
    counts = agent.consultation
    assert (counts.asked, counts.failed, counts.invalid) == (3, 3, 0)  # 80 % of 4
    assert counts.error == told
    assert agent.decision.source in (Source.RULES, Source.RANDOM)
    lines = [record.getMessage() for record in caplog.records]
    said = "language model: 1 of 1 answers failed; the rules advise instead"
    assert f"{said}: {told}" in lines


@pytest.mark.parametrize(("answer", "told"), IMPOSSIBLE, ids=[told for _, told in IMPOSSIBLE])
def test_impossible_answers_of_a_model_are_reported_and_the_game_goes_on(env, answer, told):
    counts = play(env, lambda: answer, 2).consultation
    assert (counts.asked, counts.failed, counts.invalid) == (2, 0, 2)
    assert counts.error.startswith(f"DecisionValidationError: {told}")
    assert len(counts.error) < 300


@pytest.mark.parametrize(
    "answer",
    [Unreadable(), (Unreadable(), {}), (4, Hostile()), (4, {"reasoning": Unreadable()})],
    ids=["answer", "action", "facts", "reasoning"],
)
def test_an_answer_that_raises_when_it_is_looked_at_is_a_failure(env, answer):
    counts = play(env, lambda: answer, 2).consultation
    assert counts.failed == counts.asked == 2
    assert counts.error in ("RecursionError: deep", "OSError: its database is gone")


def test_a_coroutine_is_told_as_what_it_is(env):
    counts = play(env, awaited, 2).consultation
    assert counts.invalid == counts.asked == 2
    assert "coroutine function, which is not awaited. Write `def get_action`" in counts.error


def test_an_action_that_is_not_offered_is_told_with_those_that_are():
    mask = ALL.copy()
    mask[[Action.UP, Action.NOOP]] = False
    counts = Consultation()
    assert counts.ask(Custom(lambda: (4, {})), "", mask) is None
    assert counts.invalid == 1
    assert "4 UP has no effect now. Possible actions: 0 A, 1 B" in counts.error


@pytest.mark.parametrize(
    "stated",
    [float("nan"), float("inf"), -float("inf"), None, "high", [], {}, 10**400, 1j, object()],
    ids=lambda stated: f"{stated!s:.6}",
)
def test_a_confidence_that_is_no_number_is_none_stated(stated):
    assert read_answer((4, {"confidence": stated}), ALL).confidence == 0.5


def test_reasoning_of_a_model_is_kept_as_a_short_printable_line():
    facts = {"reasoning": "\x1b[2J\ud800 far\n" * 1_000_000, "source": "me\n" * 1000}
    answer = read_answer((4, {**facts, "raw": object()}), ALL)
    assert answer.reason.isprintable()
    assert answer.source.isprintable()
    assert (len(answer.reason) <= 300, len(answer.source) <= 60) == (True, True)
    assert read_answer((4, {"reasoning": None, "source": None}), ALL) == Answer(Action.UP, 0.5, "")
    assert read_answer((4, {"reasoning": 7, "source": 8}), ALL) == Answer(Action.UP, 0.5, "7", "8")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3)])
def test_consultation_passes_on_keyboard_interrupt_and_system_exit(error):
    with pytest.raises(type(error)):
        Consultation().ask(Custom(raises(error)), "", ALL)


def test_answers_that_training_waited_for_long_are_told_and_taken(caplog):
    counts = Consultation()
    for waited_s in (10.0, 12.0, 13.0, 14.0):
        times = iter((0.0, waited_s))
        answer = counts.ask(Custom(lambda: (4, {})), "", ALL, clock=lambda t=times: next(t))
        assert answer is not None
    assert (counts.slow, counts.error) == (3, "")
    told = [r.getMessage() for r in caplog.records if r.levelno == logging.WARNING]
    assert len(told) == 2  # the first and the second
    assert "training waited 12 s for an answer" in told[0]
