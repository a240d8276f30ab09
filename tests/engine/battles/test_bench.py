import math

from engine.battles.formats import DEFAULT_FORMAT
from engine.bench import battles


def test_the_benchmark_finds_equal_battles_and_exact_replays(showdown, monkeypatch, capsys):
    monkeypatch.setattr(battles, "find_simulator", lambda: showdown)
    monkeypatch.setattr(battles, "_against_poke_env", lambda *arguments: ())
    figures = battles.measure_battles(DEFAULT_FORMAT, battles=5, lanes=4, seed=0)
    values = {figure.name: figure.value for figure in figures}
    assert values["battles that are equal with and without the patch"] == 5
    assert values["battles that their input logs replay exactly"] == 5
    assert values["choices that were rejected, hidden trapping apart"] == 0
    assert all(math.isfinite(value) for value in values.values())
    assert len(capsys.readouterr().out.splitlines()) == 2 + len(figures) + 2
