"""A run with hundreds of episodes, in which the hand-over goes as it should: to draw panes from."""

from collections.abc import Iterator

import numpy as np

from engine import events
from engine.types import EpisodeSummary, Evaluation
from pokeTUI.dashboard.state import DashboardState, fold
from tests.pokeTUI.fake_session import (
    COMPONENTS,
    MILESTONES,
    make_curriculum,
    make_reward,
    make_run,
    make_status,
)

SHARES = (("policy", 0.71), ("planner", 0.2), ("rules", 0.06), ("human", 0.03))
_LOSSES = frozenset({"stuck", "step", "whiteout"})


def long_run(episodes: int = 200) -> DashboardState:
    """Return what the screen knows after a run."""
    state = DashboardState()
    for event in _story(episodes):
        state = fold(state, event)
    return state


def weights(**changed: float) -> events.SteeringChanged:
    """Return the steering with some weights other than 1."""
    return events.SteeringChanged(
        "adaptive", "adaptive", "", "", tuple((name, changed.get(name, 1.0)) for name in COMPONENTS)
    )


def _story(episodes: int) -> Iterator[events.Event]:
    yield make_run()
    yield weights()
    yield make_curriculum(stage=1, name="Basic exploration", threshold=20.0)
    rng = np.random.default_rng(1)
    for number in range(1, episodes + 1):
        progress = float(1 / (1 + np.exp(-(number / episodes - 0.4) / 0.12)))
        yield _episode(number, progress, rng)
        if number == episodes // 4:
            yield make_curriculum(stage=2, name="Skill development", threshold=40.0, has_moved=True)
            yield events.StrategySwitched("llm_heavy", "balanced", "set by stage 2", number)
        if number == episodes // 2:
            yield events.StrategySwitched("balanced", "llm_heavy", "the reward fell", number)
        if number % 8 == 0:
            figures = {"policy_loss": -0.01, "value_loss": 0.2 - 0.1 * progress}
            yield events.PolicyUpdated(
                number // 8, 900 * number, figures | {"entropy": 2 - 1.4 * progress}
            )
        if number % 50 == 0:
            evaluation = Evaluation(30, 60 * progress, 4.0, 800.0, 0.0, progress)
            yield events.EvaluationEnded(number, 900 * number, evaluation)
    yield make_curriculum(
        stage=3,
        name="Optimization",
        threshold=62.0,
        average_reward=59.4,
        planner_share=0.23,
        missing="after 3 more episodes",
        focus="doing what has worked before in fewer steps",
        success_metrics="returns vary little, episodes get shorter",
    )
    yield make_reward()
    yield make_status(shares=SHARES)
    for step in range(100, 600, 25):
        yield events.PayoutMade(step, "map", 0.5, f"first visit to map {step}")


def _episode(number: int, progress: float, rng: np.random.Generator) -> events.EpisodeEnded:
    components = tuple(
        (name, progress * (10 - at) * float(rng.random()) * (-1 if name in _LOSSES else 1))
        for at, name in enumerate(COMPONENTS)
    )
    reached = {
        key: 10 * at
        for at, (key, _) in enumerate(MILESTONES)
        if rng.random() < progress * (1.15 - 0.1 * at)
    }
    summary = EpisodeSummary(
        0,
        float(8 + 52 * progress + rng.normal(0, 6)),
        int(1400 - 700 * progress),
        components,
        reached,
        is_success="first_badge" in reached,
        planner_share=0.8 - 0.7 * progress,
    )
    return events.EpisodeEnded(number, 900 * number, summary)
