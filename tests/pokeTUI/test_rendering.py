import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from rich.style import Style

from pokeTUI.draw.lines import Line, bar, clock, shorten, signed, wrap
from pokeTUI.draw.theme import THEMES, Ink, palette
from pokeTUI.panes.plot import Axes, PlotLine, Series, draw_chart, nice_bounds, plot

PLAIN = Ink.bad


def _evenly(values: NDArray[np.float64], *, is_dotted: bool = False) -> Series:
    return Series(np.linspace(0, 1, len(values)), values, 0.0, 1.0, is_dotted)


def test_a_rising_line_rises() -> None:
    rows, owner = draw_chart([_evenly(np.linspace(0, 1, 50))], 20, 5)
    assert [len(row) for row in rows] == [20] * 5
    assert rows[4].lstrip(" ") == rows[4]
    assert rows[0].rstrip(" ") == rows[0]
    assert rows[0].startswith(" ")
    assert set(np.unique(owner)) == {-1, 0}


def test_a_steep_line_has_no_gaps() -> None:
    values = np.array([0.0] * 10 + [1.0] * 10)
    rows, _ = draw_chart([_evenly(values)], 10, 6)
    assert all(row.strip() for row in rows)


def test_a_single_point_is_a_flat_line() -> None:
    curve = PlotLine((np.array([1.0]), np.array([0.5])), PLAIN)
    lines, frame = plot([curve], Axes(1.0, 1.0, "episode", str), 20, 4)
    assert any(line.text.count("⠤") == frame.columns for line in lines)


def test_a_dotted_line_leaves_cells_out() -> None:
    rows, _ = draw_chart([_evenly(np.zeros(5), is_dotted=True)], 8, 2)
    assert rows[1].count(" ") == 4


def test_a_band_is_filled_sparsely_between_its_bounds_and_behind_every_line() -> None:
    places = np.array([0.0, 1.0])
    low, high = np.array([0.25, 0.25]), np.array([0.75, 0.75])
    band = Series(places, high, 0.0, 1.0, floor=low)
    rows, owner = draw_chart([_evenly(np.full(2, 0.5)), band], 20, 8)
    assert [row for row in range(8) if 1 in owner[row]] == [2, 3, 5]
    assert (owner[4] == 0).all()
    assert set(rows[4]) == {"⠉"}
    assert set(rows[3]) == {"⠅", "⡂"}


def test_a_plot_has_room_for_its_bands_and_draws_them_in_their_own_ink() -> None:
    places, flat = np.array([1.0, 2.0]), np.full(2, 10.0)
    line = PlotLine((places, flat), Ink.warn, band=(flat - 90, flat + 90), band_ink=Ink.warn_band)
    lines, _ = plot([line], Axes(1.0, 2.0, "episode", str), 40, 12)
    assert "100" in lines[0].text
    inks = {ink for line in lines for text, ink in line._parts if "⠅" in text}
    assert inks == {Ink.warn_band}


def test_ends_of_lines_have_their_letters_beside_each_other_where_they_meet() -> None:
    places = np.array([1.0, 2.0])
    curves = [PlotLine((places, np.full(2, 0.5)), PLAIN, label=letter) for letter in "abc"]
    lines, _ = plot(curves, Axes(1.0, 2.0, "episode", str, is_share=True), 30, 6)
    assert any("cba│" in line.text for line in lines)
    short = PlotLine((np.array([1.0]), np.array([1.0])), PLAIN, label="d")
    lines, _ = plot([*curves, short], Axes(1.0, 2.0, "episode", str, is_share=True), 30, 6)
    assert "┤d" in lines[0].text


@given(st.floats(-1e4, 1e4), st.floats(-1e4, 1e4))
def test_bounds_hold_the_values(a: float, b: float) -> None:
    low, high = nice_bounds(min(a, b), max(a, b))
    assert low <= min(a, b) + 1e-6
    assert high >= max(a, b) - 1e-6
    assert low < high


@given(st.lists(st.text(max_size=30), max_size=6), st.integers(0, 40))
def test_a_line_never_exceeds_its_width(parts: list[str], width: int) -> None:
    line = Line(width)
    for part in parts:
        line.add(part, PLAIN)
    assert line.used <= width
    assert line.strip(Style(), palette(THEMES[0])).cell_length == width


def test_a_column_is_padded_or_cut() -> None:
    line = Line(20).add("abcdef", PLAIN, 4).add("7", PLAIN, 5, right=True)
    assert line.text == "abc…    7"


def test_equal_lines_are_equal() -> None:
    assert Line(5).add("ab", PLAIN) == Line(5).add("ab", PLAIN)
    assert Line(5).add("ab", PLAIN) != Line(5).add("ac", PLAIN)
    assert Line(5) != Line(6)


@pytest.mark.parametrize(
    ("fraction", "expected"),
    [(0.0, ""), (0.001, "╸"), (0.5, "━━"), (0.6, "━━╸"), (1.0, "━━━━"), (7.0, "━━━━")],
)
def test_a_bar_shows_halves_and_never_hides_something(fraction: float, expected: str) -> None:
    assert bar(fraction, 4) == expected


@pytest.mark.parametrize(
    ("value", "width", "expected"),
    [
        (0.0, 7, "·"),
        (12.345, 7, "+12.35"),
        (-0.002, 7, "-0.002"),
        (123.456, 6, "+123.5"),
        (-12345.6, 6, "-12346"),
    ],
)
def test_numbers_keep_their_sign_and_width(value: float, width: int, expected: str) -> None:
    assert signed(value, width) == expected


def test_durations_are_clocks() -> None:
    assert clock(0) == "0:00:00"
    assert clock(3661.9) == "1:01:01"


def test_text_is_wrapped_and_the_rest_is_cut() -> None:
    assert wrap("one two three four", 9, 3) == ["one two", "three", "four"]
    assert wrap("one two three four", 9, 2) == ["one two", "three fo…"]
    assert shorten("abc", 3) == "abc"
    assert shorten("abcd", 3) == "ab…"
