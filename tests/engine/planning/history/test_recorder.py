"""What a run's events become in the history."""

import json

import pytest

from engine.errors import DecisionValidationError
from engine.events import DecisionMade, EpisodeEnded, GameObserved, RewardPaid, StatusChanged
from engine.planning.history.decisions import DecisionHistoryAnalyzer
from engine.planning.history.recorder import HORIZON_STEPS, DecisionRecorder
from engine.types import Action, Decision, EpisodeSummary, Goal, GoalKind, RewardBreakdown, Source
from tests.engine.planning.history.helpers import WALKING, walking
from tests.engine.states import make_state

GOAL = Goal("got_starter", "Meet the professor", kind=GoalKind.MEET)


class Told:
    """A recorder that is told a made-up run: each step pays 1 unless said otherwise."""

    def __init__(self, path, run="run") -> None:
        self.recorder = DecisionRecorder(
            DecisionHistoryAnalyzer(path, run=run), run, clock=lambda: 1e9
        )
        self.path = path
        self.paid = 0.0
        self.step = 0

    def take(self, reward: float = 1.0, source: Source = Source.POLICY, **seen) -> None:
        """Look, decide, step."""
        self.look(**seen)
        self.step += 1
        decision = Decision(Action.UP, source, 0.5, f"step {self.step}")
        self.recorder.take(DecisionMade(self.step, decision))
        self.paid += reward

    def look(self, **seen) -> None:
        self.recorder.take(GameObserved(make_state(**seen), GOAL, frozenset()))
        self.recorder.take(RewardPaid(RewardBreakdown(()), (("a", self.paid - 1), ("b", 1.0)), ()))

    def end(self, env: int = 0) -> None:
        if env == 0:
            total, self.paid, self.step = self.paid, 0.0, 0
            # The next episode's first state is often seen before the end is told.
            self.look()
        else:
            total = -99.0
        self.recorder.take(EpisodeEnded(1, 1, EpisodeSummary(env, total, 10**6, ())))

    def watch(self, env: int) -> None:
        self.recorder.take(
            StatusChanged(0, 0.0, 0, 0.0, False, False, 0.0, env, 0, "acting"),
        )

    def recorded(self) -> list[dict]:
        return self.recorder.history.get_recent_decisions(10**6)[::-1]


@pytest.fixture
def told(path):
    run = Told(path)
    yield run
    run.recorder.close()


def rewards(told) -> list[float]:
    return [decision["outcome_reward"] for decision in told.recorded()]


def test_a_decision_is_recorded_as_it_was_made(told):
    told.take(reward=3.0)
    told.end()
    (decision,) = told.recorded()
    assert decision["state_hash"] == walking().state_hash
    assert decision["context"] == {**WALKING, "goal": "meet"}
    assert (decision["action"], decision["reasoning"]) == (Action.UP, "step 1")
    assert (decision["source"], decision["confidence"]) == ("policy", 0.5)
    assert (decision["episode_id"], decision["step_number"]) == ("run/1", 1)
    assert (decision["outcome"], decision["outcome_reward"]) == ("success", 3.0)
    assert decision["total_episode_reward"] == 3.0


def test_a_decision_is_paid_what_its_horizon_pays(told):
    for number in range(HORIZON_STEPS + 3):
        told.take(reward=float(number))
    assert rewards(told) == [
        sum(range(HORIZON_STEPS)),
        sum(range(1, HORIZON_STEPS + 1)),
        sum(range(2, HORIZON_STEPS + 2)),
    ]


def test_the_end_of_an_episode_pays_all_that_is_open_and_no_step_of_the_next(told):
    for reward in (1.0, 2.0, -4.0):
        told.take(reward)
    told.end()
    told.take(100.0)
    assert rewards(told) == [-1.0, -2.0, -4.0]
    assert {d["total_episode_reward"] for d in told.recorded()} == {-1.0}
    assert [d["outcome"] for d in told.recorded()] == ["failure"] * 3
    told.end()
    assert [d["episode_id"] for d in told.recorded()] == ["run/1"] * 3 + ["run/2"]


def test_episodes_that_nobody_looks_at_end_unnoticed(told):
    told.take()
    told.end(env=3)
    assert rewards(told) == []


def test_open_decisions_of_an_uncounted_episode_and_a_persons_are_dropped(told):
    told.take(50.0)
    told.paid, told.step = 0.0, 0  # its process died: no end was told
    told.take(1.0)
    told.take(40.0, source=Source.HUMAN)
    told.take(40.0, source=Source.HUMAN)
    assert rewards(told) == [1.0]
    assert told.recorded()[0]["episode_id"] == "run/2"


def test_looking_elsewhere_settles_what_is_known(told):
    told.take(2.0)
    told.look()
    told.watch(3)
    assert rewards(told) == [2.0]
    told.paid, told.step = 7.0, 200
    told.take(1.0)
    told.end()  # of environment 0, which is not looked at any more
    assert rewards(told) == [2.0]


def test_closing_settles_what_is_known(told, path):
    told.take(2.0)
    told.look()
    told.recorder.close()
    with DecisionHistoryAnalyzer(path) as history:
        assert [d["outcome_reward"] for d in history.get_recent_decisions()] == [2.0]


def test_a_resumed_run_records_as_if_it_had_never_stopped(tmp_path):
    def play(told: Told, numbers: range) -> None:
        for number in numbers:
            told.take(float(number % 5))
            if number in (24, 49):
                told.end()

    def rows(told: Told) -> list[dict]:
        told.recorder.close()
        with DecisionHistoryAnalyzer(told.path) as history:
            newest = history.get_recent_decisions()
        return [{key: value for key, value in one.items() if key != "id"} for one in newest]

    whole, broken = Told(tmp_path / "whole.db"), Told(tmp_path / "broken.db")
    play(whole, range(60))
    play(broken, range(30))
    saved = json.loads(json.dumps(broken.recorder.save()))
    paid, step = broken.paid, broken.step
    for _ in range(40):  # after the checkpoint, and lost
        broken.take(1000.0)
    broken.recorder.close()
    resumed = Told(tmp_path / "broken.db")
    resumed.recorder.load(saved)
    resumed.paid, resumed.step = paid, step
    play(resumed, range(30, 60))
    assert len(expected := rows(whole)) == 60
    assert rows(resumed) == expected


def test_a_file_that_became_unreadable_does_not_keep_a_run_from_being_saved(told, tmp_path):
    told.take()
    told.end()
    before = told.recorder.save()
    for file in tmp_path.glob("decisions.db*"):
        file.write_bytes(b"\xff" * 40_000)
    assert told.recorder.save()["position"] == before["position"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("confidence", []),
        ("confidence", 5.0),
        ("timestamp", "x"),
        ("reasoning", [1]),
        ("action", -1),
    ],
)
def test_an_open_decision_that_is_none_is_refused_when_it_is_loaded(told, name, value):
    told.take(1.0)
    saved = json.loads(json.dumps(told.recorder.save()))
    saved["open"][0][0][name] = value
    with pytest.raises((ValueError, DecisionValidationError)):
        told.recorder.load(saved)
