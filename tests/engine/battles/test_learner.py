import tempfile
from typing import Any

import numpy as np
import pytest

from engine.battles.learn.collector import Collector
from engine.battles.learn.experience import Experience, map_buffers
from engine.battles.learn.learner import Learner
from engine.battles.learn.matchmaking import Matchmaker, OpponentPlan
from engine.battles.policy import Policy
from engine.config import VgcConfig
from tests.engine.battles.small_game import SmallGame, settings


def learner(**changes: Any) -> Learner:
    values = {"learning_rate": 3e-3, "minibatches": 2, "epochs": 4, "entropy": 0.0}
    return Learner(VgcConfig(**values | changes), seed=1)


def played(one: Learner, capacity: int = 96) -> tuple[Experience, Collector]:
    """Return what the learner's policy experiences in the small game."""
    given = settings(capacity=capacity, lanes=16)
    matchmaker = Matchmaker(given, Policy(one.flat()), np.random.default_rng(0))
    matchmaker.plan = OpponentPlan({"random": 1.0})
    with tempfile.TemporaryFile() as file:
        buffer = map_buffers(file, capacity)[0]
    collector = Collector(given, lambda lanes: SmallGame(lanes, length=1), matchmaker, buffer)
    while collector.step():
        pass
    return buffer.complete(collector.finish()), collector


def update(one: Learner, experience: Experience) -> dict[str, float]:
    one.begin(experience)
    while (figures := one.step()) is None:
        pass
    return figures


@pytest.fixture
def one() -> Learner:
    return learner()


def test_ppo_learns_to_win_the_small_game(one):
    for _ in range(4):
        experience, _ = played(one)
        figures = update(one, experience)
    assert np.isfinite(list(figures.values())).all()
    _, collector = played(one)
    won, _, lost = collector.counts.results["random"]
    assert won / (won + lost) > 0.9


def test_a_resumed_learner_continues_exactly(one):
    experience, _ = played(one)
    update(one, experience)
    facts, arrays = one.save()
    other = learner()
    other.load(facts, {name: array.copy() for name, array in arrays.items()})
    assert update(one, experience) == update(other, experience)
    np.testing.assert_array_equal(one.flat(), other.flat())


def test_an_update_ends_at_the_target_kl():
    one = learner(learning_rate=3e-2, target_kl=0.01, epochs=50)
    figures = update(one, played(one)[0])
    assert figures["gradient_steps"] < 100


def test_frozen_layers_stay_as_they_are():
    one = learner(freeze_shared=True)
    before = {n: w.detach().numpy().copy() for n, w in one.network.named_weights().items()}
    update(one, played(one)[0])
    after = one.network.named_weights()
    changed = {name for name in after if not np.array_equal(before[name], after[name].detach())}
    assert changed
    assert all(name.startswith(("choice_", "preview_", "win_")) for name in changed)


def test_an_update_of_what_is_no_number_is_skipped_counted_and_leaves_finite_weights(one):
    experience, _ = played(one)
    before = one.flat().copy()
    experience.advantages[3] = np.nan
    figures = update(one, experience)
    assert figures["skipped_updates"] == 4 * 2
    assert figures["gradient_steps"] == 0
    np.testing.assert_array_equal(one.flat(), before)
    experience.advantages[3] = 0
    experience.observations[5] = np.nan
    figures = update(one, experience)
    assert 0 < figures["gradient_steps"] < figures["skipped_updates"]
    assert np.isfinite(one.flat()).all()
    assert np.isfinite(list(figures.values())).all()


def test_a_learner_resumes_its_count_of_skipped_steps_and_from_checkpoints_without_it(one):
    experience, _ = played(one)
    experience.advantages[:] = np.inf
    update(one, experience)
    facts, arrays = one.save()
    assert facts["skipped_updates"] > 0
    other = learner()
    other.load(facts, arrays)
    assert other.save()[0] == facts
    other.load({"rng": facts["rng"]}, arrays)
    assert other.save()[0]["skipped_updates"] == 0
