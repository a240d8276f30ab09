"""Where the parts of the battle screen are."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pokeTUI.battles.layout import CHOOSE, FIELD, LOG, POLICY, VIEWS, make_plan
from tests.pokeTUI.pane_app import Size


@given(st.integers(80, 300), st.integers(24, 90), st.sampled_from(VIEWS), st.booleans())
def test_parts_lie_side_by_side_within_the_terminal(
    width: int, height: int, front: str, is_choosing: bool
) -> None:
    regions = list(make_plan(width, height, front, is_choosing=is_choosing).regions.values())
    assert all(
        0 <= one.x < one.right <= width and 0 <= one.y < one.bottom <= height for one in regions
    )
    assert not any(one.overlaps(other) for one, other in combinations(regions, 2))
    assert sum(one.area for one in regions) == width * height


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
@pytest.mark.parametrize("is_choosing", [False, True])
def test_field_has_room_for_both_sides(size: Size, is_choosing: bool) -> None:
    plan = make_plan(*size, LOG, is_choosing=is_choosing)
    border = 0 if plan.is_small else 2
    assert plan.regions[FIELD].height - border >= 11
    assert (CHOOSE in plan.regions) or not is_choosing or LOG in plan.regions


def test_wide_terminal_shows_everything_at_once() -> None:
    plan = make_plan(200, 60, LOG)
    assert not plan.tabs
    assert {FIELD, *VIEWS} <= plan.regions.keys()


def test_choice_takes_the_policys_place_where_there_is_one() -> None:
    assert POLICY not in make_plan(120, 40, LOG, is_choosing=True).regions


def test_small_terminal_is_told_so() -> None:
    assert list(make_plan(79, 24, LOG).regions) == ["too_small"]
