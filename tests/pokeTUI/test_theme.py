from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from textual.theme import Theme

from pokeTUI.draw.theme import SERIES, TEXT_INKS, THEMES, Ink, palette

*_, HIGH_CONTRAST, COLOR_BLIND = THEMES

# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
DEFICIENCIES = {
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
}
TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)


def linear(color: str) -> NDArray[np.float64]:
    parts = np.array([int(color[start : start + 2], 16) / 255 for start in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    low, high = sorted(float(linear(color) @ TO_XYZ[1]) for color in (one, other))
    return (high + 0.05) / (low + 0.05)


def lab(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    xyz = TO_XYZ @ rgb.clip(0, 1) / TO_XYZ.sum(axis=1)
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def grounds(theme: Theme) -> list[str]:
    return [str(theme.background), str(theme.surface), str(theme.panel)]


def color_of(theme: Theme, ink: Ink) -> str:
    color = palette(theme)[ink].color
    return color.name


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_words_can_be_read_on_every_ground(theme: Theme) -> None:
    least = 7.0 if theme is HIGH_CONTRAST else 4.5
    for ink in TEXT_INKS:
        for ground in grounds(theme):
            assert contrast(color_of(theme, ink), ground) >= least, (ink, ground)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_badges_can_be_read(theme: Theme) -> None:
    for ink in (Ink.badge, Ink.badge_warn, Ink.badge_bad, Ink.badge_info):
        style = palette(theme)[ink]
        assert contrast(style.color.name, style.bgcolor.name) >= 4.5


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_lines_over_each_other_have_colours_of_their_own(theme: Theme) -> None:
    assert len({color_of(theme, ink) for ink in SERIES}) == len(SERIES)
    for ink, band in SERIES.items():
        style = palette(theme.name)[band]
        assert style.color == palette(theme.name)[ink].color
        assert style.dim


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_states_stay_apart_for_the_colour_blind(deficiency: str) -> None:
    matrix = np.array(DEFICIENCIES[deficiency])
    inks = (Ink.good, Ink.warn, Ink.bad, Ink.info)
    seen = {ink: lab(matrix @ linear(color_of(COLOR_BLIND, ink))) for ink in inks}
    for one, other in combinations(inks, 2):
        assert np.linalg.norm(seen[one] - seen[other]) >= 20, (one, other)


def test_without_colour_badges_are_reversed() -> None:
    for ink in (Ink.badge, Ink.badge_warn, Ink.badge_bad, Ink.badge_info):
        style = palette(THEMES[0], is_plain=True)[ink]
        assert style.reverse
        assert style.color is None


def test_an_unknown_theme_looks_like_the_first() -> None:
    assert palette(Theme("foreign", "#123456")) == palette(THEMES[0])
