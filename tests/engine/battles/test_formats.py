from dataclasses import replace

import pytest

from engine.battles.sim.teams import FORMATS, find_format
from engine.errors import ConfigurationError


@pytest.mark.parametrize(
    "name", ["gen9vgc2023regc", "gen9vgc2023regulationc", "[Gen 9] VGC 2023 Reg C"]
)
def test_a_format_is_found_by_each_way_to_write_it(name):
    assert find_format(name) is FORMATS[0]


@pytest.mark.parametrize("name", ["gen9vgc2025regibo3", "[Gen 9] VGC 2025 Reg I (Bo3)"])
def test_a_best_of_three_is_a_format_of_its_own(name):
    single = find_format("gen9vgc2025regi")
    assert find_format(name) == replace(single, best_of=3) != single
    assert find_format(name).name == "gen9vgc2025regibo3"


def test_an_unknown_format_is_refused_and_the_known_ones_named():
    with pytest.raises(ConfigurationError, match="gen9ou") as refused:
        find_format("gen9ou")
    assert all(known.id in refused.value.hint for known in FORMATS)


def test_only_the_champions_formats_have_mega_evolution():
    assert {known.id for known in FORMATS if known.gimmick == "mega"} == {
        "gen9championsvgc2026regma",
        "gen9championsvgc2026regmb",
    }
