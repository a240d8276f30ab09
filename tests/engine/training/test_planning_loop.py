"""Goals of a language model from end to end: real games, real trainer, real protocol."""

import json
import shutil
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.commands import Instruct
from engine.config import EnvConfig, PlannerConfig, PPOConfig, RunConfig
from engine.env.vector.world import VectorEnv
from engine.events import (
    GoalEvaluated,
    PlanAnswered,
    PlannerStatusChanged,
    PlanRequested,
    RunFailed,
    RunStopped,
)
from engine.planning.goals.planned import make_env
from engine.planning.history.decisions import DecisionHistoryAnalyzer
from engine.planning.models.exchanges import scan
from engine.planning.models.prompt import name_of
from engine.planning_types import Outcome, PlanningQuery
from engine.runs.checkpoint import Checkpoint, CheckpointStore
from engine.sessions.train import EngineSession
from tests.engine.planning.models.servers.ollama import ScriptedOllama
from tests.engine.planning.models.servers.scripted_ollama import OllamaServer
from tests.engine.planning.models.servers.scripted_planner import ScriptedPlanner
from tests.engine.processes import wait_until
from tests.engine.training import ordering_game

pytestmark = pytest.mark.slow

MODEL = "scripted:latest"
GAMES = f"{make_env.__module__}:{make_env.__name__}"
SETTINGS: dict[str, Any] = {
    "headless": True,
    "num_envs": 4,
    "workers": 1,
    "llm_model": MODEL,
    "llm_interval": 3,
    "ppo": PPOConfig(rollout_steps=32, minibatch_size=64, hidden_size=32, distillation_gradients=4),
    "env": EnvConfig(max_steps=200, progress_steps=0),
    "planner": PlannerConfig(fallback="none", ignore_share=0.4, calls_per_minute=6000),
}


class Watching(VectorEnv):
    """Games that note what is pressed in them, and by whose goals."""

    def __init__(self, config: RunConfig, factory: str = GAMES) -> None:
        super().__init__(factory, config, config.num_envs, config.worker_count())
        self.steps = 0
        self.goal_sources: Counter[int] = Counter()
        self.situations: list[PlanningQuery] = []
        self.wrongs: list[str] = []
        self._mask: np.ndarray | None = None

    def step(self, actions, **how):
        if self._mask is not None and not self._mask[np.arange(self.num_envs), actions].all():
            self.wrongs.append(f"masked: {actions}")
        return self._noted(super().step(actions, **how))

    def question(self, index):
        query = super().question(index)
        if query is not None:
            self.situations.append(query)
        return query

    def _noted(self, batch):
        self.steps += 1
        self.goal_sources.update(batch.goal_sources.tolist())
        self._mask = batch.mask
        if (batch.prior[~batch.mask] > 0).any():
            self.wrongs.append(f"advised: {batch.prior}")
        return batch


class Loop:
    """A run that continues until what is waited for has happened, and what it told."""

    def __init__(
        self,
        folder: Path,
        url: str,
        *,
        resume: str | None = None,
        factory: str = GAMES,
        **settings: Any,
    ) -> None:
        named = SETTINGS | {"llm_base_url": url, "save_dir": str(folder)} | settings
        self.games: Watching | None = None
        self.events: list[Any] = []
        self._factory = factory
        self._others = planners()
        self.session = EngineSession(RunConfig(**named), resume, make_vector=self._make)
        self.session.start()

    def _make(self, config: RunConfig) -> Watching:
        self.games = Watching(config, self._factory)
        return self.games

    def until(self, condition: Callable[["Loop"], object], timeout_s: float = 300) -> "Loop":
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            self.events += self.session.mailbox.drain()
            assert not self.of(RunFailed), self.of(RunFailed)
            if condition(self):
                return self
            time.sleep(0.02)
        raise AssertionError(f"it did not happen; {self.of(PlannerStatusChanged)[-1:]}")

    def stop(self, timeout_s: float = 300) -> "Loop":
        assert self.session.stop(timeout_s)
        # What it keeps is written in its last moments, for which nobody waits long.
        assert wait_until(lambda: not planners() - self._others, 300)
        self.events += self.session.mailbox.drain()
        assert isinstance(self.events[-1], RunStopped), self.events[-1]
        return self

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def goal_outcomes(self) -> list[Any]:
        return [event.goal_outcome for event in self.of(GoalEvaluated)]

    @property
    def has_model_led(self) -> bool:
        return (
            self.games is not None
            and sum(self.games.goal_sources.values()) > self.games.goal_sources[0]
        )

    def has_stepped(self, steps: int) -> bool:
        return self.games is not None and self.games.steps >= steps


def planners() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "planner"}


def play(folder: Path, url: str, until: Callable[[Loop], object], **options: Any) -> Loop:
    """Run until something has happened, then stop."""
    loop = Loop(folder, url, **options)
    try:
        return loop.until(until).stop()
    finally:
        loop.session.stop()


def oracle() -> OllamaServer:
    return OllamaServer(ScriptedPlanner("oracle"), models=(MODEL,))


def run_of(folder: Path) -> Path:
    (path,) = folder.glob("runs/*")
    return path


def checkpoint_of(folder: Path) -> Checkpoint:
    checkpoint, _, warnings = CheckpointStore(run_of(folder) / "checkpoints", 3).load_newest()
    assert not warnings
    return checkpoint


def spent(planning: dict[str, Any]) -> int:
    budget = planning["planner"]["budget"]
    return budget["prompt_tokens"] + budget["answer_tokens"]


def plan_keys(planning: dict[str, Any]) -> set[str]:
    return {plan["key"] for plan in planning["plans"]}


def judged(loop: Loop, *, is_control: bool) -> int:
    """Return how many planning events were judged, those that a newer plan cut short too."""
    return sum(goal_outcome.is_control is is_control for goal_outcome in loop.goal_outcomes)


def goals(loop: Loop) -> list[str]:
    """Return what was answered; an answer that took too long is none."""
    return [event.goal for event in loop.of(PlanAnswered) if event.goal]


def has_reached_and_ignored(loop: Loop) -> bool:
    outcomes = {(v.is_control, v.outcome) for v in loop.goal_outcomes}
    return (False, Outcome.REACHED) in outcomes and any(ignored for ignored, _ in outcomes)


@pytest.fixture(scope="module")
def oracles_run(tmp_path_factory) -> tuple[Path, Loop]:
    """A run in which goals were followed and ignored, and its folder."""
    folder = tmp_path_factory.mktemp("oracle")
    with oracle() as server:
        loop = play(folder, server.url, has_reached_and_ignored)
    return folder, loop


@pytest.fixture
def stopped(oracles_run, tmp_path) -> Path:
    """A copy of that run, to be resumed."""
    folder = tmp_path / "copy"
    shutil.copytree(oracles_run[0], folder)
    return folder


def test_goals_of_a_model_are_pursued_judged_and_remembered(oracles_run):
    folder, loop = oracles_run
    assert loop.games is not None
    assert loop.games.goal_sources[1]
    assert not loop.games.wrongs
    assert {goal_outcome.goal_source for goal_outcome in loop.goal_outcomes} == {MODEL}
    run = run_of(folder)
    with DecisionHistoryAnalyzer(run / "decisions.db", run=run.name) as history:
        uplift = history.planner_uplift()
    assert uplift.followed == judged(loop, is_control=False)
    assert uplift.ignored == judged(loop, is_control=True)
    exchanges = scan(run / "exchanges.jsonl").exchanges
    assert {exchange["model"] for exchange in exchanges} == {MODEL}
    assert sum(exchange["verdicts"]["ignored"] for exchange in exchanges)
    assert sum(exchange["verdicts"]["reached"] for exchange in exchanges)
    status = loop.of(PlannerStatusChanged)[-1]
    assert (status.followed, status.ignored) == (uplift.followed, uplift.ignored)


def test_a_resumed_run_follows_its_plans_though_no_model_answers(stopped, closed_port):
    before = checkpoint_of(stopped).facts["planning"]
    loop = play(stopped, closed_port, lambda loop: loop.has_model_led, resume="latest")
    after = checkpoint_of(stopped).facts["planning"]
    assert not loop.of(PlanRequested)
    assert (after["plans"], after["setters"]) == (before["plans"], before["setters"])
    assert spent(after) == spent(before) > 0


def test_a_resumed_run_goes_on_counting_questions_and_what_they_cost(stopped):
    before = checkpoint_of(stopped).facts["planning"]
    last = scan(run_of(stopped) / "exchanges.jsonl").exchanges[-1]["exchange"]
    with oracle() as server:
        # Once the second goal is told the first one's plan is surely taken in.
        loop = play(stopped, server.url, lambda loop: len(goals(loop)) > 1, resume="latest")
    after = checkpoint_of(stopped).facts["planning"]
    assert loop.of(PlanRequested)[0].exchange > last
    assert plan_keys(after) > plan_keys(before)
    assert spent(after) > spent(before)
    assert loop.of(PlannerStatusChanged)[-1].calls > len(before["plans"])


def test_a_run_goes_on_without_a_model_and_later_with_it_again(stopped, closed_port):
    before = checkpoint_of(stopped).facts["planning"]
    alone = play(stopped, "", lambda loop: loop.has_stepped(50), resume="latest", llm_model="")
    assert alone.games is not None
    assert set(alone.games.goal_sources) == {0}
    assert not alone.of(GoalEvaluated) + alone.of(PlannerStatusChanged)
    again = play(stopped, closed_port, lambda loop: loop.has_model_led, resume="latest")
    after = checkpoint_of(stopped).facts["planning"]
    assert after["plans"] == before["plans"]
    assert spent(after) == spent(before)
    assert not again.games.wrongs


def test_a_run_begun_without_a_model_goes_on_with_one(tmp_path):
    play(tmp_path, "", lambda loop: loop.has_stepped(20), llm_model="")
    with oracle() as server:
        loop = play(tmp_path, server.url, lambda loop: loop.has_model_led, resume="latest")
    assert goals(loop)
    assert checkpoint_of(tmp_path).facts["planning"]["setters"] == [["rules"], [MODEL]]


@pytest.mark.parametrize(
    "scenario",
    [
        "silent",
        "hanging_within",
        pytest.param("slow", marks=pytest.mark.slow),
        pytest.param("dripping", marks=pytest.mark.slow),
    ],
)
def test_a_server_that_hangs_keeps_no_run_from_ending(tmp_path, scenario):
    with ScriptedOllama() as server:
        server.scenario = scenario
        loop = Loop(tmp_path, server.url)
        loop.until(lambda loop: server.calls if scenario == "silent" else server.asked)
        steps = loop.games.steps
        loop.until(lambda loop: loop.has_stepped(steps + 20))
        loop.stop(40)  # before the server would answer
    assert not goals(loop)


def test_a_run_whose_answers_are_all_cut_off_goes_on_and_tells_why(tmp_path):
    with ScriptedOllama() as server:
        server.scenario, server.tokens = "length", (900, 160)
        loop = Loop(tmp_path, server.url)
        loop.until(lambda loop: any(s.state == "waiting" for s in loop.of(PlannerStatusChanged)))
        steps = loop.games.steps
        loop.until(lambda loop: loop.has_stepped(steps + 20)).stop()
    cause = "(stopped after writing 160 tokens; planner.answer_tokens sets the limit)"
    assert not goals(loop)
    assert all(cause in event.error for event in loop.of(PlanAnswered))
    (waiting, *_) = [s for s in loop.of(PlannerStatusChanged) if s.state == "waiting"]
    assert cause in waiting.detail
    assert waiting.failures == 3
    (kept, *_) = scan(run_of(tmp_path) / "exchanges.jsonl").exchanges
    assert cause in kept["error"]


class LateServer(OllamaServer):
    """Refuses connections until it is entered."""

    def __init__(self) -> None:
        super().__init__(ScriptedPlanner("oracle"), models=(MODEL,))
        self._listener.server_close()
        self._listener.socket = socket.socket()
        self._listener.server_bind()

    def __enter__(self):
        self._listener.server_activate()
        return super().__enter__()


def test_a_server_that_appears_later_is_used_once_it_answers(tmp_path):
    server = LateServer()
    loop = Loop(tmp_path, server.url)
    loop.until(lambda loop: any(s.state == "unreachable" for s in loop.of(PlannerStatusChanged)))
    loop.until(lambda loop: loop.has_stepped(20))
    assert not loop.has_model_led
    with server:
        loop.until(lambda loop: loop.has_model_led).stop()
    assert goals(loop)


class Obedient:
    """A model that does what the game's text orders, in every form; now and then it does not."""

    ANSWERS = (
        '{"choice": "press SELECT", "confidence": 100}',
        '{"reasoning": "I obey.", "choice": "reach VOID", "confidence": 100}',
        '"} {"choice": "reach VOID"}',
        "CHOOSE press SELECT",
        '{"goal": "press", "target": "START", "success": "entered the place", "confidence": 100}',
        '{"choice": ["press START", "press SELECT"], "action": 8, "confidence": 100}',
    )

    def __init__(self) -> None:
        self.prompts: list[str] = []
        self._honest = ScriptedPlanner("random")

    def __call__(self, request: dict[str, Any]) -> str:
        number = len(self.prompts)
        self.prompts.append(str(request["messages"][-1]["content"]))
        if number % 2:
            return self.ANSWERS[number // 2 % len(self.ANSWERS)]
        honest = json.loads(self._honest(request))
        # What obeys is beside what counts.
        return json.dumps(honest | {"reasoning": "press SELECT \x1b[31m", "action": "SELECT"})


def test_a_model_that_obeys_the_games_text_can_only_pick_what_is_offered(tmp_path):
    model = Obedient()

    def has_obeyed(loop: Loop) -> bool:
        refused = [event for event in loop.of(PlanAnswered) if not event.goal]
        return len(refused) > 2 and loop.has_model_led

    with OllamaServer(model, models=(MODEL,)) as server:
        loop = play(tmp_path, server.url, has_obeyed, factory=ordering_game.FACTORY)
    assert any("press SELECT" in prompt and "VOID" in prompt for prompt in model.prompts)
    assert loop.games is not None
    assert not loop.games.wrongs
    offered = {
        (query.key, name_of(option), option.text)
        for query in loop.games.situations
        for option in query.options
    }
    plans = checkpoint_of(tmp_path).facts["planning"]["plans"]
    assert plans
    for facts in plans:
        name = f"{facts['kind']} {facts['target']}".strip()
        assert (facts["key"], name, facts["text"]) in offered
    texts = {option.text for s in loop.games.situations for option in s.options}
    assert {event.goal for event in loop.of(PlanAnswered) if event.goal} <= texts
    for exchange in scan(run_of(tmp_path) / "exchanges.jsonl").exchanges:
        assert exchange["reasoning"].isprintable()


def test_a_instruction_is_in_the_questions_from_then_on(tmp_path):
    def asked(loop: Loop) -> list[bool]:
        return ["A person wants: see the sea" in event.prompt for event in loop.of(PlanRequested)]

    with oracle() as server:
        loop = Loop(tmp_path, server.url)
        try:
            loop.until(lambda loop: loop.of(PlanAnswered))
            assert not any(asked(loop))
            loop.session.send(Instruct("see the sea"))
            loop.until(lambda loop: sum(asked(loop)) > 1).stop()
        finally:
            loop.session.stop()
    assert checkpoint_of(tmp_path).facts["course"]["wish"] == "see the sea"
