"""Where the parts of the battle screen are."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pokeTUI.battles.layout import (
    CHOOSE,
    FIELD,
    LOG,
    POLICY,
    SHEETS,
    VIEWS,
    Wanted,
    make_plan,
)
from tests.pokeTUI.pane_app import Size

PLAYED, REPLAYED = (LOG, SHEETS), (LOG, POLICY, SHEETS)
WANTED = st.builds(
    Wanted,
    st.sampled_from(VIEWS),
    st.sampled_from([VIEWS, PLAYED, REPLAYED, VIEWS[1:], (SHEETS,)]),
    st.booleans(),
    st.booleans(),
)


@given(st.integers(80, 300), st.integers(24, 90), WANTED)
def test_parts_lie_side_by_side_within_the_terminal(
    width: int, height: int, wanted: Wanted
) -> None:
    regions = list(make_plan(width, height, wanted).regions.values())
    assert all(
        0 <= one.x < one.right <= width and 0 <= one.y < one.bottom <= height for one in regions
    )
    assert not any(one.overlaps(other) for one, other in combinations(regions, 2))
    assert sum(one.area for one in regions) == width * height


@given(st.integers(80, 300), st.integers(24, 90), WANTED)
def test_choice_is_seen_or_named_in_a_tab(width: int, height: int, wanted: Wanted) -> None:
    plan = make_plan(width, height, wanted)
    assert not wanted.is_choosing or CHOOSE in plan.regions or CHOOSE in plan.tabs


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 40), (200, 60)])
@pytest.mark.parametrize("is_choosing", [False, True])
def test_field_has_room_for_both_sides(size: Size, is_choosing: bool) -> None:
    plan = make_plan(*size, Wanted(is_choosing=is_choosing))
    border = 0 if plan.is_small else 2
    assert plan.regions[FIELD].height - border >= 11
    assert (CHOOSE in plan.regions) or not is_choosing or LOG in plan.regions


def test_wide_terminal_shows_everything_at_once() -> None:
    plan = make_plan(200, 60, Wanted())
    assert not plan.tabs
    assert {FIELD, *VIEWS} <= plan.regions.keys()


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 40), (200, 60)])
def test_views_without_anything_to_show_have_no_place(size: Size) -> None:
    plan = make_plan(*size, Wanted(views=PLAYED))
    assert {*plan.regions, *plan.tabs} <= {
        *(FIELD, LOG, SHEETS),
        *("head", "turns", "views", "battle_keys"),
    }


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 40), (200, 60)])
def test_sheets_stand_in_the_fields_place_at_team_preview(size: Size) -> None:
    plan = make_plan(*size, Wanted(CHOOSE, (SHEETS,), is_choosing=True, is_preview=True))
    assert {SHEETS, CHOOSE} <= plan.regions.keys()
    assert FIELD not in plan.regions


def test_choice_takes_the_policys_place_where_there_is_one() -> None:
    assert POLICY not in make_plan(120, 40, Wanted(is_choosing=True)).regions


def test_small_terminal_is_told_so() -> None:
    assert list(make_plan(79, 24, Wanted()).regions) == ["too_small"]
