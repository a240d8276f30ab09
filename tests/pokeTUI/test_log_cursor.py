from hypothesis import given
from hypothesis import strategies as st

from pokeTUI.panes.scroll_log import LogCursor, match_from

NUMBERS = list(range(10, 30))


@st.composite
def logs(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Return rising numbers, and the height of each entry."""
    numbers = sorted(draw(st.sets(st.integers(0, 500), min_size=1, max_size=60)))
    heights = draw(st.lists(st.integers(1, 3), min_size=len(numbers), max_size=len(numbers)))
    return numbers, heights


MOVES = st.lists(st.tuples(st.sampled_from(["move", "scroll"]), st.integers(-7, 7)), max_size=20)


@given(logs(), MOVES, st.integers(3, 20))
def test_the_chosen_entry_is_always_shown(
    log: tuple[list[int], list[int]], moves: list[tuple[str, int]], room: int
) -> None:
    numbers, heights = log
    cursor = LogCursor()
    for name, step in moves:
        cursor = getattr(cursor, name)(numbers, step)
        start, stop = cursor.window(numbers, heights.__getitem__, room)
        assert 0 <= start < stop <= len(numbers)
        assert sum(heights[start:stop]) <= room
        if cursor.chosen is not None:
            assert cursor.chosen in numbers[start:stop]


@given(logs(), st.integers(3, 20), st.lists(st.integers(501, 600), max_size=9, unique=True))
def test_frozen_log_does_not_move(
    log: tuple[list[int], list[int]], room: int, later: list[int]
) -> None:
    numbers, heights = log
    cursor = LogCursor().freeze(numbers)
    before = cursor.window(numbers, heights.__getitem__, room)
    grown = numbers + sorted(later)
    assert cursor.window(grown, (heights + [1] * len(later)).__getitem__, room) == before
    assert cursor.num_new(grown) == len(later)


@given(logs(), st.integers(3, 20))
def test_a_page_that_fits_is_full(log: tuple[list[int], list[int]], room: int) -> None:
    numbers, heights = log
    cursor = LogCursor().move(numbers, 0).move(numbers, -1000)
    start, stop = cursor.window(numbers, heights.__getitem__, room)
    assert start == 0
    assert stop == len(numbers) or sum(heights[: stop + 1]) > room


def test_scrolling_to_the_end_follows_again() -> None:
    cursor = LogCursor().scroll(NUMBERS, -3)
    assert (cursor.is_frozen, cursor.bottom) == (True, 26)
    assert cursor.scroll(NUMBERS, 3) == LogCursor()


def test_an_empty_log_can_be_frozen() -> None:
    cursor = LogCursor().freeze([])
    assert cursor.num_new([]) == 0
    assert cursor.num_new([0, 1]) == 2
    assert cursor.move([], 1) == cursor
    assert cursor.window([], lambda index: 1, 5) == (0, 0)


def test_matches_go_round() -> None:
    matches = [12, 15, 20]
    assert match_from(matches, None, -1) == 20
    assert match_from(matches, 20, -1) == 15
    assert match_from(matches, 12, -1) == 20
    assert match_from(matches, 20, 1) == 12
    assert match_from(matches, 13, 1) == 15
    assert match_from([], 13, 1) is None
