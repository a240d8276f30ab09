import pytest

from engine.battles.sim.teams import DEFAULT_FORMAT, FORMATS, find_format
from engine.errors import ConfigurationError


@pytest.mark.parametrize(
    "name", ["gen9vgc2023regc", "gen9vgc2023regulationc", "[Gen 9] VGC 2023 Reg C"]
)
def test_a_format_is_found_by_each_way_to_write_it(name):
    assert find_format(name) is DEFAULT_FORMAT


def test_an_unknown_format_is_refused_and_the_known_ones_named():
    with pytest.raises(ConfigurationError, match="gen9ou") as refused:
        find_format("gen9ou")
    assert all(known.id in refused.value.hint for known in FORMATS)


def test_only_the_champions_formats_have_mega_evolution():
    assert {known.id for known in FORMATS if known.gimmick == "mega"} == {
        "gen9championsvgc2026regma",
        "gen9championsvgc2026regmb",
    }
