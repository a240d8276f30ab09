import json

import pytest

from engine.planning.history.decisions import DecisionHistoryAnalyzer
from engine.planning_types import PlannerUpdate
from engine.training.learning import ExperienceUpdates
from tests.engine.planning.history.helpers import record


class Listener:
    """A vector, or a Planning, that notes what it is told."""

    def __init__(self) -> None:
        self.told: list = []

    def update_planner(self, update: PlannerUpdate) -> None:
        self.told.append(dict(update.experience))

    def update_experience(self, vector, known) -> None:
        self.told.append(dict(known))


@pytest.fixture
def history(tmp_path):
    with DecisionHistoryAnalyzer(tmp_path / "decisions.db") as made:
        for action in (1, 2):
            for _ in range(4):
                record(made, 1.0, action=action)
        yield made


@pytest.fixture
def updates(history):
    return ExperienceUpdates(history)


@pytest.fixture
def vector():
    return Listener()


def test_games_are_told_at_intervals_of_steps(history, updates, vector):
    for steps in (32, 19_999, 20_000, 20_032, 39_999, 40_000):
        updates.after_step(vector, None, steps)
    ((first, second),) = [vector.told]
    assert first == second == history.experience()
    assert first


def test_a_planner_tells_them_with_its_plans(history, updates, vector):
    planning = Listener()
    updates.after_step(vector, planning, 20_000)
    assert (vector.told, planning.told) == ([], [history.experience()])


def test_without_a_history_there_is_nothing_to_tell(vector):
    updates = ExperienceUpdates(None)
    updates.after_step(vector, None, 10**6)
    updates.send(vector, None)
    assert vector.told == []


def test_experience_updates_and_their_times_outlive_the_run(history, updates, vector):
    updates.after_step(vector, None, 20_000)
    again = ExperienceUpdates(history)
    again.load(json.loads(json.dumps(updates.save())))
    assert again.known == updates.known
    again.after_step(vector, None, 39_999)
    assert len(vector.told) == 1
    again.send(vector, None)
    assert vector.told[1] == vector.told[0]
