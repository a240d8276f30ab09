from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from engine.agents.calibration import Calibration
from engine.config import RunConfig
from engine.curriculum.scheduler import Curriculum
from engine.curriculum.starts import WayToGoal
from engine.env.batch import Batch
from engine.training.learning import ExperienceUpdates, Learning
from engine.types import Action
from tests.engine.toy import blank_batch

GAMES = 2


def batch(nearness: float) -> Batch:
    return blank_batch(
        GAMES,
        prior=np.full((GAMES, len(Action)), 1 / len(Action), np.float32),
        advice_confidence=np.ones(GAMES, np.float32),
        goal_sources=np.array([0, 1]),  # of the rules, of a model
        goal_kinds=np.zeros(GAMES, np.int64),
        nearness=np.full(GAMES, nearness, np.float32),
    )


class Pupil:
    name, learns_policy = "pupil", True

    def __init__(self) -> None:
        self.seen: list[Batch] = []

    def player(self, seed: object) -> None: ...

    def observe(self, batch: Batch) -> None:
        self.seen.append(batch)


@pytest.mark.parametrize("proof", [0.0, 0.5, 1.0])
def test_models_goals_are_taught_and_rewarded_as_far_as_they_are_proven(proof):
    config = RunConfig(num_envs=GAMES, agent="ppo")
    vector, way = SimpleNamespace(num_envs=GAMES), WayToGoal((), "")
    state: Any = SimpleNamespace(config=config, vector=vector, way=way, batch=batch(0.2))
    planning: Any = SimpleNamespace(
        proof=proof, uplift_probability=1.0, goal_sources=[("rules",), ("model",)]
    )
    pupil = Pupil()
    learning = Learning(
        state,
        cast(Any, pupil),
        Curriculum(config.curriculum, 1.0),
        cast(Any, None),
        Calibration(),
        planning,
        ExperienceUpdates(None),
    )
    by_rules, by_model = np.broadcast_to(learning.guidance().teaching, GAMES)
    assert by_rules > 0
    assert by_model == pytest.approx(proof * by_rules)
    for nearness in (0.2, 0.6):
        learning.observe(batch(nearness))
    by_rules, by_model = pupil.seen[-1].shaping
    assert by_rules > 0
    assert by_model == pytest.approx(proof * by_rules)
