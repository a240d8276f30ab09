"""The measurement measures what it says; how fast this machine is, no test asserts."""

import pytest

from engine.bench.training import measure_training

SMALL = {
    "num_envs": 2,
    "workers": 1,
    "ppo.rollout_steps": 8,
    "ppo.minibatch_size": 16,
    "ppo.epochs": 1,
    "ppo.hidden_size": 8,
}


@pytest.mark.slow
def test_the_table_compares_training_with_the_environments_alone(capsys) -> None:
    figures = measure_training({**SMALL, "mode": "adaptive"}, updates=1)
    alone, training, share = (figure.value for figure in figures)
    assert share == pytest.approx(training / alone)
    assert share > 0
    assert figures[2].is_met == (share >= 0.6)
    assert "| training, adaptive |" in capsys.readouterr().out
