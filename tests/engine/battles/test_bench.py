import math

import pytest

from engine.battles.sim.teams import DEFAULT_FORMAT
from engine.bench import battles
from tests.benchmarks import battle_server


def test_the_benchmark_finds_equal_battles_and_exact_replays(showdown, monkeypatch, capsys):
    monkeypatch.setattr(battles, "find_simulator", lambda: showdown)
    figures = battles.measure_battles(DEFAULT_FORMAT, battles=5, lanes=4, seed=0)
    values = {figure.name: figure.value for figure in figures}
    assert values["battles that are equal with and without the patch"] == 5
    assert values["battles that their input logs replay exactly"] == 5
    assert values["choices that were rejected, hidden trapping apart"] == 0
    assert all(math.isfinite(value) for value in values.values())
    assert len(capsys.readouterr().out.splitlines()) == 2 + len(figures) + 2


@pytest.mark.slow
def test_simulator_is_compared_with_poke_env(showdown, monkeypatch):
    monkeypatch.setattr(battle_server, "find_simulator", lambda: showdown)
    monkeypatch.setattr(battle_server, "_SERVER_BATTLES", 3)
    monkeypatch.setattr(battle_server, "_WARM_UP", 1)
    own, server, ratio = battle_server.measure(DEFAULT_FORMAT, battles=5, lanes=4, seed=0)
    assert min(own.value, server.value) > 0
    assert ratio.value == own.value / server.value
