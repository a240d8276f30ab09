import json
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from engine.agents.calibration import Calibration
from engine.config import PlannerConfig, RunConfig
from engine.events import Event, GoalEvaluated, PlannerStatusChanged
from engine.planning.history.decisions import DecisionHistoryAnalyzer
from engine.planning.models.exchanges import ExchangeLog
from engine.planning.models.prompt import Notes
from engine.planning_types import GoalOutcome, Outcome, PlannerUpdate, PlanningQuery, Subgoal
from engine.training.build import build_planning
from engine.training.planning import Planning
from engine.types import EpisodeSummary, GoalKind
from tests.engine.planning.models.queries import query
from tests.engine.states import make_goal_outcome
from tests.engine.toy import ToyVector

NUM_ENVS = 4


class Scripted:
    """A planner whose answers the test gives."""

    def __init__(self) -> None:
        self.is_open = True
        self.asked: list[tuple[PlanningQuery, Notes]] = []
        self.plans: list[Subgoal] = []
        self.events: list[Event] = []
        self.is_running = False

    def start(self) -> None:
        self.is_running = True

    def submit(self, query, notes, weights) -> None:
        self.asked.append((query, notes))
        self.weights = weights

    def poll(self):
        plans, events, self.plans, self.events = self.plans, self.events, [], []
        return plans, events

    def save(self):
        return {"count": len(self.asked)}

    def load(self, facts) -> None:
        self.loaded = facts

    def close(self) -> None:
        self.is_running = False


class AskingVector(ToyVector):
    """Boards of which some have something to ask."""

    def __init__(self) -> None:
        super().__init__(RunConfig(num_envs=NUM_ENVS, workers=1))
        self.told: list[PlannerUpdate] = []
        self.questions: dict[int, PlanningQuery] = {}

    def update_planner(self, update: PlannerUpdate) -> None:
        self.told.append(update)

    def question(self, index: int) -> PlanningQuery | None:
        return self.questions.pop(index, None)

    def batch(self, wants=(), goal_outcomes=()):
        wanting = np.isin(np.arange(NUM_ENVS), list(wants))
        return replace(self._batch(), wants_plan=wanting, goal_outcomes=tuple(goal_outcomes))


class Bench:
    """A Planning with everything around it."""

    def __init__(self, tmp_path, **settings) -> None:
        self.planner = Scripted()
        self.vector = AskingVector()
        self.calibration = Calibration()
        self.history = DecisionHistoryAnalyzer(tmp_path / "decisions.db", run="r")
        self.exchanges = ExchangeLog(tmp_path / "exchanges.jsonl")
        self.events: list[Event] = []
        self.planning = Planning(
            self.planner,
            ["small", "large"],
            PlannerConfig(**settings),
            interval=3,
            calibration=self.calibration,
            history=self.history,
            exchanges=self.exchanges,
            emit=self.events.append,
        )
        self.planning.update_all(self.vector, 0.8, {})
        self.planning.begin()

    def step(self, *, share=0.8, watched=0, **batch) -> None:
        self.planning.after_step(
            self.vector,
            self.vector.batch(**batch),
            share=share,
            total_steps=100,
            watched_env=watched,
        )


@pytest.fixture
def make(tmp_path):
    """Return what makes benches that share a folder, and are closed behind the test."""
    made = []

    def make(**settings) -> Bench:
        made.append(Bench(tmp_path, **settings))
        return made[-1]

    yield make
    for one in made:
        one.planning.close()
        one.history.close()


@pytest.fixture
def bench(make):
    return make()


def plan(key="k1", goal_sources=("small",)) -> Subgoal:
    option = query().options[0]
    return Subgoal(key, goal_sources, option, option.conditions[0], 0.8, "why not")


def goal_outcome(outcome: Outcome = Outcome.REACHED, **changes) -> GoalOutcome:
    values = {"goal_source": "small", "made_progress": True, **changes}
    return make_goal_outcome(outcome, **values)


def test_the_games_are_told_at_once_that_a_model_sets_goals(bench):
    (told,) = bench.vector.told
    assert (told.is_on, told.is_whole) == (True, True)
    assert (told.model_share, told.holdout_fraction) == (0.8, 0.2)
    assert told.goal_sources == ("rules",)
    assert bench.planner.is_running


def test_questions_are_asked_one_at_a_time_and_at_intervals(bench):
    for index in range(NUM_ENVS):
        bench.vector.questions[index] = replace(query(), env_index=index)
    bench.step(wants={1, 2}, watched=2)
    assert [asked.env_index for asked, _ in bench.planner.asked] == [2]
    bench.planner.is_open = False
    for _ in range(5):
        bench.step(wants={1, 3})
    assert len(bench.planner.asked) == 1
    bench.planner.is_open = True
    bench.step(wants={1, 3})
    for _ in range(2):
        bench.step(wants={1})
    assert [asked.env_index for asked, _ in bench.planner.asked] == [2, 3]
    bench.step(wants={1})
    assert [asked.env_index for asked, _ in bench.planner.asked] == [2, 3, 1]
    assert bench.planner.weights == {"small": 0.5, "large": 0.5}


def test_an_environment_that_has_nothing_to_ask_after_all_keeps_nobody_waiting(bench):
    bench.vector.questions[3] = query()
    bench.step(wants={0, 3})
    assert len(bench.planner.asked) == 1


def test_a_new_plan_is_told_once_with_its_goal_source(bench):
    bench.planner.plans = [plan(), plan("k2", ("small", "large"))]
    bench.step()
    told = bench.vector.told[-1]
    assert ([p.key for p in told.plans], told.is_whole) == (["k1", "k2"], False)
    assert told.goal_sources == ("rules", "small", "small+large")
    assert bench.planning.goal_sources == [("rules",), ("small",), ("small", "large")]
    bench.step()
    assert len(bench.vector.told) == 2
    bench.step(share=0.2)  # of another strategy
    assert bench.vector.told[-1].model_share == 0.2


def test_a_goal_outcome_is_counted_for_those_who_set_the_goal(bench):
    bench.planner.plans = [plan(goal_sources=("small", "large")), plan("k2")]
    bench.step()
    bench.step(
        goal_outcomes=[goal_outcome(goal_source="small+large"), goal_outcome(Outcome.FAILED)]
    )
    assert bench.calibration.goal_reliability("large", GoalKind.REACH) == 2 / 3
    assert bench.calibration.goal_reliability("small", GoalKind.REACH) == 2 / 4
    assert [e.total_steps for e in bench.events if isinstance(e, GoalEvaluated)] == [100, 100]
    bench.exchanges.flush()
    assert "small+large" in bench.exchanges.path.read_text()


def test_the_uplift_is_shown_with_the_models_state_and_outlives_the_run(bench, make):
    bench.planner.events = [PlannerStatusChanged("small", "ready")]
    bench.step()
    assert math.isnan(bench.events[-1].uplift)
    ignored = goal_outcome(Outcome.FAILED, is_control=True, made_progress=False)
    reached = [goal_outcome()] * 2
    bench.step(goal_outcomes=[*reached, ignored, goal_outcome(Outcome.REPLACED)])
    status = bench.events[-1]
    assert (status.followed, status.ignored, status.uplift) == (3, 1, 1.0)
    assert status.uplift_low < 1.0
    bench.history.flush()
    again = make()
    again.planner.events = [PlannerStatusChanged("small", "ready")]
    again.step()
    assert (again.events[-1].followed, again.events[-1].ignored) == (3, 1)


def test_subgoals_made_without_a_model_are_asked_again_once_it_is_back(bench, make):
    bench.planner.plans = [plan("whole")]
    bench.step()
    away = PlannerStatusChanged("small,large", "ready", absent="1 of 2 models ready")
    bench.planner.events, bench.planner.plans = [away], [plan("partial"), plan("other")]
    bench.step()
    told = len(bench.vector.told)
    facts = json.loads(json.dumps(bench.planning.save()))
    bench.planner.events = [PlannerStatusChanged("small,large", "unreachable")]
    bench.step()
    assert len(bench.vector.told) == told  # none of them is back
    resumed = make()
    resumed.planning.load(facts)
    for one in (bench, resumed):
        one.planner.events = [PlannerStatusChanged("small,large", "asking")]
        one.step()
        now = one.vector.told[-1]
        assert (now.is_whole, [p.key for p in now.plans]) == (True, ["whole"])
        told = len(one.vector.told)
        one.step()
        assert len(one.vector.told) == told


def test_plans_goal_sources_and_summary_outlive_the_run(bench, make):
    bench.planner.plans = [plan("k1"), plan("k2", ("small", "large"))]
    bench.step(goal_outcomes=[goal_outcome(text="reach GYM")])
    resumed = make()
    resumed.planning.load(json.loads(json.dumps(bench.planning.save())))
    resumed.planning.update_all(resumed.vector, 0.8, {})
    told = resumed.vector.told[-1]
    assert (told.is_whole, told.plans[0].key) == (True, "k1")
    assert told.goal_sources == ("rules", "small", "small+large")
    assert told.plans[1:] == (plan("k2", ("small", "large")),)
    resumed.vector.questions[0] = query()
    resumed.step(wants={0})
    assert "reach GYM" in resumed.planner.asked[0][1].summary
    assert resumed.planner.loaded == {"count": 0}


@pytest.mark.parametrize(
    ("settings", "is_warned"),
    [
        ({"llm_model": "gpt-4o"}, True),
        ({"llm_model": "smollm2:1.7b,claude-haiku"}, True),
        ({"llm_model": "gpt-4o", "planner": {"output_price": 10}}, False),
        ({"llm_model": "gpt-4o", "llm_base_url": "http://127.0.0.1:8080/v1"}, False),
        ({"llm_model": "smollm2:1.7b"}, False),
    ],
)
def test_paid_model_without_a_price_is_warned_of(tmp_path, monkeypatch, settings, is_warned):
    for key in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(key, "secret")
    for address in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(address, raising=False)
    folder = SimpleNamespace(exchanges_path=tmp_path / "exchanges.jsonl")
    told: list[Event] = []
    planning = build_planning(RunConfig(**settings), folder, Calibration(), None, told.append)
    assert planning is not None
    assert bool(told) is is_warned
    assert "secret" not in str(told)


def test_planner_is_not_asked_when_its_share_is_zero(tmp_path):
    folder = SimpleNamespace(exchanges_path=tmp_path / "exchanges.jsonl")
    for settings in ({"mode": "rl_only"}, {"agent": "random"}, {"llm_model": " , "}):
        config = RunConfig(**{"llm_model": "smollm2:1.7b", **settings})
        assert build_planning(config, folder, Calibration(), None, print) is None


def test_planner_without_uplift_loses_its_reliability(bench):
    assert bench.planning.uplift_probability == pytest.approx(0.45, abs=0.01)
    assert bench.planning.proof == 0.0
    bench.step(goal_outcomes=[goal_outcome()] * 3)  # by luck, and nothing to compare it with
    assert bench.planning.proof == 0.0
    alike = [goal_outcome(), goal_outcome(made_progress=False)]
    ignored = [replace(one, is_control=True) for one in alike]
    worths = []
    for _ in range(400):
        bench.step(goal_outcomes=[*alike, *ignored])
        worths.append(bench.planning.uplift_probability)
    assert worths[10] > 0.3  # too little is known yet
    assert worths == sorted(worths, reverse=True)
    assert worths[-1] < 0.05
    assert bench.planning.proof == 0.0


def test_planner_with_uplift_is_believed_fully_and_evidence_fades(bench):
    useless = goal_outcome(Outcome.FAILED, is_control=True, made_progress=False)
    for _ in range(200):
        bench.step(goal_outcomes=[goal_outcome(), useless])
    assert bench.planning.uplift_probability == pytest.approx(1.0)
    assert bench.planning.proof == pytest.approx(1.0)
    harmful = [goal_outcome(made_progress=False), replace(useless, made_progress=True)]
    for _ in range(400):
        bench.step(goal_outcomes=harmful)
    assert bench.planning.uplift_probability == pytest.approx(0.0)
    for _ in range(500):
        bench.planning.count(EpisodeSummary(0, 0.0, 1, ()))
    faded = bench.planning.uplift_probability
    assert faded > 0.4
    bench.planning.load(json.loads(json.dumps(bench.planning.save())))
    assert bench.planning.uplift_probability == faded


def test_a_instruction_is_told_and_everything_is_asked_about_again(bench):
    bench.planner.plans = [plan()]
    bench.step()
    bench.vector.questions = {0: query(), 1: query()}
    bench.step(wants=[0])
    assert bench.planner.asked[-1][1].instruction == ""
    bench.planning.instruct(bench.vector, "catch a fish")
    told = bench.vector.told[-1]
    assert (told.is_whole, told.asks_anew, told.plans) == (True, True, ())
    bench.step(wants=[1])
    assert bench.planner.asked[-1][1].instruction == "catch a fish"
    assert len(bench.planner.asked) == 2
    assert bench.planning.save()["plans"] == []
    assert not bench.vector.told[-1].asks_anew or bench.vector.told[-1] is told


def test_an_answer_to_what_was_asked_before_a_instruction_is_not_followed(bench):
    bench.planner.is_open = False
    bench.planning.instruct(bench.vector, "catch a fish")
    bench.planner.plans = [plan("old")]
    bench.step()
    assert bench.planning.save()["plans"] == []
    bench.planner.plans, bench.planner.is_open = [plan("last old")], True
    bench.step()
    assert bench.planning.save()["plans"] == []
    bench.planner.plans = [plan("new")]
    bench.step()
    assert [one["key"] for one in bench.planning.save()["plans"]] == ["new"]


def test_planning_asks_nothing_in_a_pause(bench):
    bench.vector.questions = {0: query()}
    bench.planning.is_paused = True
    bench.step(wants=[0])
    assert not bench.planner.asked
    bench.planning.is_paused = False
    bench.step(wants=[0])
    assert len(bench.planner.asked) == 1
