import pytest
from hypothesis import given
from hypothesis import strategies as st

from pokeTUI.dashboard.event_lines import Backlog


@given(st.lists(st.integers(), max_size=600), st.integers(1, 200))
def test_the_last_items_are_kept_in_order(items: list[int], limit: int) -> None:
    backlog: Backlog[int] = Backlog(limit)
    for item in items:
        backlog = backlog.add(item)
    kept = tuple(backlog)
    assert len(backlog) == len(kept) >= min(limit, len(items))
    assert len(kept) < limit + 128
    assert kept == tuple(items[len(items) - len(kept) :])
    assert tuple(reversed(backlog)) == kept[::-1]
    assert backlog.end == len(items)
    assert [backlog[index] for index in range(-len(kept), len(kept))] == [*kept, *kept]
    assert backlog[1:3] == kept[1:3]


def test_an_older_backlog_stays_as_it_was() -> None:
    one = Backlog[str](10).add("a")
    two, other = one.add("b"), one.with_last("c")
    assert (tuple(one), tuple(two), tuple(other)) == (("a",), ("a", "b"), ("c",))
    assert one == Backlog[str](10).add("a")
    assert other.end == 1


def test_there_is_nothing_beyond_the_ends() -> None:
    with pytest.raises(IndexError):
        Backlog[int](5).add(1)[1]
    with pytest.raises(IndexError):
        Backlog[int](5).add(1)[-2]
