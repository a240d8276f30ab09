import contextlib
import sqlite3
import threading
from datetime import UTC, datetime

import pytest

from engine.errors import DecisionValidationError
from engine.planning.history.decisions import DecisionHistoryAnalyzer
from engine.planning.history.patterns import context_of
from engine.planning.history.schema import DecisionRecord
from engine.planning.history.store import QUEUE_ROWS
from tests.engine.planning.history.helpers import WALKING, fighting, record, size_of, walking


@pytest.fixture
def history(path):
    with DecisionHistoryAnalyzer(path, clock=lambda: 1e9) as analyzer:
        yield analyzer


def frequencies(history) -> dict[int, int]:
    return {p["action"]: p["frequency"] for p in history.analyze_patterns(1)}


def rows(path) -> int:
    with contextlib.closing(sqlite3.connect(path)) as database:
        return database.execute("SELECT COUNT(*) FROM decisions").fetchone()[0]


def test_the_documented_call_alone_makes_a_documented_record(history):
    analysis = walking()
    history.record_decision(analysis, 4, "go north", 0.75, 1.5)
    (decision,) = history.get_recent_decisions()
    assert decision == {
        "id": "1",
        "timestamp": datetime.fromtimestamp(1e9, UTC),
        "state_hash": analysis.state_hash,
        "context": WALKING,
        "action": 4,
        "reasoning": "go north",
        "confidence": 0.75,
        "source": "",
        "outcome": "success",
        "outcome_reward": 1.5,
        "episode_id": "",
        "step_number": 1,
        "step_in_episode": 1,
        "total_episode_reward": None,
    }


def test_a_decision_succeeds_by_its_reward_while_nothing_else_is_known(history):
    record(history, 1, 0, -1)
    newest = history.get_recent_decisions()
    assert [one["outcome"] for one in newest] == ["failure", "failure", "success"]
    newest = history.get_recent_decisions(limit=2)
    assert [one["outcome_reward"] for one in newest] == [-1, 0]
    assert history.get_recent_decisions(limit=0) == []


def test_an_episodes_end_gives_its_decisions_the_total_and_the_verdict(history):
    record(history, 1)
    history.begin_episode("first")
    record(history, -1, 1, action=2)
    history.end_episode(12.5, is_success=True)
    record(history, -1)
    after, second, first, before = history.get_recent_decisions()
    for decision in (first, second):
        assert decision["episode_id"] == "first"
        assert decision["outcome"] == "success"
        assert decision["total_episode_reward"] == 12.5
    assert [first["step_number"], second["step_number"]] == [1, 2]
    assert (after["outcome"], after["episode_id"]) == ("failure", "")
    assert before["total_episode_reward"] is after["total_episode_reward"] is None
    (judged,) = history.analyze_patterns(1, {"action": 2})
    assert judged["success_rate"] == 1


def test_an_episode_without_a_verdict_leaves_each_decision_its_own(history):
    history.begin_episode("first")
    record(history, -1, 1)
    history.end_episode(3.0)
    decisions = history.get_recent_decisions()
    assert [decision["outcome"] for decision in decisions] == ["success", "failure"]
    assert {decision["total_episode_reward"] for decision in decisions} == {3.0}


@pytest.mark.parametrize("is_success", [True, False, None])
def test_patterns_are_the_same_after_the_file_is_opened_again(path, is_success):
    with DecisionHistoryAnalyzer(path) as history:
        history.begin_episode("one")
        record(history, 1, -1, 2)
        record(history, 3, action=1, analysis=fighting())
        history.end_episode(5.0, is_success)
        record(history, 4)
        before = history.analyze_patterns(1)
    with DecisionHistoryAnalyzer(path) as history:
        assert history.analyze_patterns(1) == before
        assert history.advice_for(context_of(fighting()), 1).keys() == {1}


def test_a_run_named_alike_in_another_run_keeps_its_own_episodes(path):
    for run in ("one", "two"):
        with DecisionHistoryAnalyzer(path, run=run) as history:
            history.begin_episode("first")
            record(history, 1)
            history.end_episode(1.0 if run == "one" else 2.0)
            totals = [d["total_episode_reward"] for d in history.get_recent_decisions()]
    assert totals == [2.0, 1.0]


@pytest.mark.parametrize(
    ("action", "confidence", "reward", "named"),
    [
        (4096, 0.5, 0.0, "There is no action 4096"),
        (-1, 0.5, 0.0, "There is no action -1"),
        (3.7, 0.5, 0.0, "There is no action"),
        (True, 0.5, 0.0, "There is no action"),
        (0, 1.5, 0.0, "confidence: 1.5"),
        (0, float("nan"), 0.0, "confidence: nan"),
        (0, 0.5, float("inf"), "reward: inf"),
    ],
)
def test_a_decision_that_cannot_be_is_refused_by_name(history, action, confidence, reward, named):
    with pytest.raises(DecisionValidationError, match=named):
        history.record_decision(walking(), action, "", confidence, reward)
    made = DecisionRecord(1e9, 1, "{}", action, "because", confidence, "", 1)
    with pytest.raises(DecisionValidationError, match=named):
        history.add(made, reward)
    assert history.get_recent_decisions() == history.analyze_patterns(1) == []


def test_ten_thousand_decisions_of_a_hot_loop_are_all_there(path):
    analysis = walking()
    with DecisionHistoryAnalyzer(path) as history:
        for number in range(10_000):
            history.record_decision(analysis, number % 9, "fast", 0.5, 1.0)
            assert history._store.num_waiting <= QUEUE_ROWS
        assert history.flush()
        assert rows(path) == 10_000
        assert history._store.num_dropped == 0
    with DecisionHistoryAnalyzer(path) as history:
        assert sum(frequencies(history).values()) == 10_000


def test_decisions_of_many_threads_are_all_there(path, history):
    def work(action: int) -> None:
        record(history, *([1.0] * 200), action=action)

    threads = [threading.Thread(target=work, args=(action,)) for action in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert frequencies(history) == dict.fromkeys(range(8), 200)
    assert history.flush()
    assert rows(path) == 1600


def test_old_decisions_are_folded_and_their_counts_stay(path):
    with DecisionHistoryAnalyzer(path, max_rows=100) as history:
        for number in range(1000):
            record(history, 1.0 if number % 4 else -1.0, action=number % 3)
            if number % 50 == 0:
                assert history.flush()
        before = history.analyze_patterns(1)
        assert sum(p["frequency"] for p in before) == 1000
        newest = history.get_recent_decisions(limit=1000)
        assert 90 <= len(newest) <= 100
        assert [int(d["id"]) for d in newest] == list(range(1000, 1000 - len(newest), -1))
    with DecisionHistoryAnalyzer(path) as history:
        assert history.analyze_patterns(1) == before


@pytest.mark.slow
def test_a_file_stops_growing_at_its_bound(path):
    sizes = []
    with DecisionHistoryAnalyzer(path, max_rows=1000) as history:
        for number in range(12_000):
            history.record_decision(fighting(hp=number % 20), 0, "x" * 1000, 0.5, 1.0)
            if number % 1000 == 999:
                assert history.flush()
                sizes.append(size_of(path))
    # 12 MB were written. The WAL file holds some 4 MB, more where a batch comes before its end.
    assert max(sizes) <= 1000 * 1024 + 2 * 4_500_000
    assert path.stat().st_size <= 1000 * 2048


def test_a_cut_drops_this_runs_later_decisions_alone(path):
    with DecisionHistoryAnalyzer(path, run="other") as other:
        with DecisionHistoryAnalyzer(path, run="mine") as history:
            record(history, 1, 2)
            position = history.position()
            record(history, 3)
        record(other, 9)
    with DecisionHistoryAnalyzer(path, run="mine") as history:
        history.truncate(position)
        assert [d["outcome_reward"] for d in history.get_recent_decisions()] == [9, 2, 1]
        assert frequencies(history) == {4: 3}
        record(history, 4)
        assert history.position() > position + 1


def test_a_cut_with_nothing_after_it_changes_nothing(history):
    assert history.position() == 0
    record(history, 1)
    history.truncate(history.position())
    assert len(history.get_recent_decisions()) == 1


def test_a_closed_history_says_so_and_can_be_closed_again(path):
    history = DecisionHistoryAnalyzer(path)
    history.close()
    history.close()
    with pytest.raises(ValueError, match="closed"):
        record(history, 1)
    with pytest.raises(ValueError, match="closed"):
        history.flush()


def test_the_documented_subclass_works(path):
    class CustomDecisionAnalyzer(DecisionHistoryAnalyzer):
        def analyze_custom_patterns(self, context_filter=None):
            patterns = self.analyze_patterns(1, context_filter)
            return [pattern for pattern in patterns if pattern["success_rate"] == 1]

    with CustomDecisionAnalyzer(db_path=str(path)) as history:
        record(history, 1, action=1)
        record(history, -1, action=2)
        (pattern,) = history.analyze_custom_patterns({"situation": "walking"})
        assert pattern["action"] == 1
