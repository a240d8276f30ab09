import re
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.types import GAME_BOY_ADVANCE_FRAME_SHAPE, GAME_BOY_FRAME_SHAPE
from pokeTUI.draw.layout import (
    Arrangement,
    Plan,
    border_at,
    border_of,
    hideable,
    make_plan,
    move_border,
)
from pokeTUI.draw.splits import GAME, Border
from pokeTUI.panes.kinds import pane_infos, pane_keys
from pokeTUI.screens.bars import TabBar
from tests.pokeTUI.pane_app import Size

SIZES = [
    (80, 24), (100, 30), (119, 60), (120, 40), (160, 44), (200, 45), (200, 60), (240, 78), (320, 90)
]  # fmt: skip
ALL = pane_keys()


def check(plan: Plan, columns: int, rows: int) -> None:
    regions = plan.regions
    for one, two in combinations(regions.values(), 2):
        assert not one.overlaps(two)
    for region in regions.values():
        assert region.x >= 0
        assert region.y >= 0
        assert region.right <= columns
        assert region.bottom <= rows
    assert sum(region.area for region in regions.values()) == columns * rows
    for key in plan.shown:
        least_columns, least_rows = 24, 8 if key == GAME else 4
        assert regions[key].width >= least_columns
        assert regions[key].height >= least_rows


shares = st.dictionaries(st.sampled_from([*ALL, "medium-left", "medium-right"]), st.floats(0, 1))
places = st.sampled_from(
    [
        "compact", "medium", "medium-left", "medium-right",
        "large", "large-left", "large-right", "large-one",
    ]
)  # fmt: skip
arrangements = st.builds(
    Arrangement,
    hidden=st.frozensets(st.sampled_from(ALL), max_size=len(ALL) - 1),
    fronts=st.permutations(pane_keys()[1:]).map(tuple),
    zoomed=st.sampled_from(["", "", "", *ALL]),
    is_presentation=st.booleans(),
    sizes=st.dictionaries(places, shares),
    frame_shape=st.sampled_from([GAME_BOY_FRAME_SHAPE, GAME_BOY_ADVANCE_FRAME_SHAPE]),
)


@given(columns=st.integers(80, 400), rows=st.integers(24, 120), arrangement=arrangements)
def test_layout_fills_the_screen_exactly(columns: int, rows: int, arrangement: Arrangement) -> None:
    plan = make_plan(pane_infos(), columns, rows, arrangement)
    assert plan.shown
    check(plan, columns, rows)
    hidden = arrangement.hidden & hideable(plan.name, ALL)
    for key in ALL:
        if arrangement.zoomed:
            assert (key in plan.regions) == (key == arrangement.zoomed)
        elif key in hidden:
            assert key not in plan.regions
            assert key not in plan.tabs
        else:
            assert key in plan.regions or key in plan.tabs


@given(
    columns=st.integers(80, 300),
    rows=st.integers(24, 100),
    arrangement=arrangements,
    moves=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3), st.integers(-60, 60))),
)
def test_borders_move_as_far_as_both_sides_allow(
    columns: int, rows: int, arrangement: Arrangement, moves: list[tuple[int, int, int]]
) -> None:
    for which, index, cells in moves:
        plan = make_plan(pane_infos(), columns, rows, arrangement)
        if not plan.places:
            break
        place = plan.places[which % len(plan.places)]
        border = Border(place.key, index % (len(place.parts) - 1))
        arrangement = move_border(plan, arrangement, border, cells)
        moved = make_plan(pane_infos(), columns, rows, arrangement)
        check(moved, columns, rows)
        before, after = place.parts[border.index : border.index + 2]
        limited = max(before.minimum - before.size, min(after.size - after.minimum, cells))
        now = next(one for one in moved.places if one.key == place.key)
        assert now.parts[border.index].size == before.size + limited


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_every_pane_can_be_seen(columns: int, rows: int) -> None:
    plan = make_plan(pane_infos(), columns, rows)
    assert set(plan.shown) | set(plan.tabs) == set(ALL)
    for key in plan.tabs:
        assert key in make_plan(pane_infos(), columns, rows, Arrangement().front(key)).regions


@pytest.mark.parametrize(
    ("size", "name"),
    [
        ((79, 24), "too-small"),
        ((80, 23), "too-small"),
        ((80, 24), "compact"),
        ((120, 40), "medium"),
        ((200, 60), "large"),
        ((240, 78), "large"),
    ],
)
def test_the_documented_sizes_have_their_layouts(size: Size, name: str) -> None:
    assert make_plan(pane_infos(), *size).name == name


def test_the_words_share_a_place_where_there_is_little_room() -> None:
    for size in ((120, 40), (200, 60), (240, 78)):
        assert make_plan(pane_infos(), *size).tabs == ("reasoning", "decisions", "log", "system")
    assert make_plan(pane_infos(), 80, 24).tabs == pane_keys()[1:]


def test_a_huge_terminal_shows_the_game_pixel_by_pixel() -> None:
    game = make_plan(pane_infos(), 240, 78).regions[GAME]
    assert game.width - 2 == 160
    assert game.height - 2 >= 72


WIDE = Arrangement(frame_shape=GAME_BOY_ADVANCE_FRAME_SHAPE)


def test_the_words_are_below_a_wide_picture_where_it_leaves_room() -> None:
    plan = make_plan(pane_infos(), 200, 60, WIDE)
    game, words = plan.regions[GAME], plan.regions["reasoning"]
    assert (words.x, words.width, words.y) == (game.x, game.width, game.bottom + 1)
    assert game.width - 2 >= 120
    assert make_plan(pane_infos(), 200, 60).regions["reasoning"].x > game.x


def test_a_huge_terminal_shows_a_wide_game_pixel_by_pixel() -> None:
    game = make_plan(pane_infos(), 330, 90, WIDE).regions[GAME]
    assert game.width - 2 == 240
    assert game.height - 2 >= 80


def test_the_presentation_gives_the_game_more() -> None:
    usual = make_plan(pane_infos(), 120, 40).regions[GAME]
    large = make_plan(pane_infos(), 120, 40, Arrangement(is_presentation=True)).regions[GAME]
    assert large.area > 1.3 * usual.area


def test_a_zoomed_pane_has_the_screen() -> None:
    plan = make_plan(pane_infos(), 120, 40, Arrangement(zoomed="log"))
    assert plan.shown == ("log",)
    assert plan.regions["log"].size == (120, 37)


def test_a_border_is_found_on_both_sides_of_its_line() -> None:
    plan = make_plan(pane_infos(), 120, 40)
    game = plan.regions[GAME]
    assert border_at(plan, game.right - 1, 5) == Border("medium", 0)
    assert border_at(plan, game.right, 5) == Border("medium", 0)
    assert border_at(plan, 20, game.bottom - 1) == Border("medium-left", 0)
    assert border_at(plan, 5, 5) is None
    assert border_at(plan, 0, 0) is None


def test_the_last_part_grows_by_the_border_before_it() -> None:
    plan = make_plan(pane_infos(), 120, 40)
    assert border_of(plan, GAME, is_row=True) == (Border("medium", 0), 1)
    assert border_of(plan, "party", is_row=True) == (Border("medium", 0), -1)
    assert border_of(plan, "learning", is_row=False) == (Border("medium-right", 2), -1)
    assert border_of(make_plan(pane_infos(), 80, 24), GAME, is_row=False) is None


def test_moved_splits_keep_their_proportion() -> None:
    plan = make_plan(pane_infos(), 120, 40)
    wishes = move_border(plan, Arrangement(), Border("medium", 0), -20)
    assert make_plan(pane_infos(), 120, 40, wishes).regions[GAME].width == 42
    assert make_plan(pane_infos(), 140, 40, wishes).regions[GAME].width == 49
    assert make_plan(pane_infos(), 140, 40, replace(wishes, sizes={})).regions[GAME].width == 72


def test_numbers_in_a_row_name_the_panes() -> None:
    keys = "party rewards reasoning curriculum learning decisions log system"
    assert [pane.key for pane in pane_infos()] == keys.split()


@pytest.mark.parametrize(
    ("width", "text"),
    [
        (75, "1Party 2Rewards 3Reasoning 4Curriculum 5Learning 6Decisions 7Log 8System"),
        (60, "1Party 2Rewards 3Reason 4Curric 5Learni 6Decisi 7Log 8System"),
        (40, "1Part 2Rew 3Rea 4Cur 5Lea 6Dec 7Log 8Sys"),
        (38, "Par 2Rew 3Rea 4Cur 5Lea 6Dec 7Log 8Sys"),
        (37, "1Party 2 3 4 5 6 7 8"),
    ],
)
def test_names_of_tabs_are_cut_where_there_is_little_room(width: int, text: str) -> None:
    bar = TabBar(id="tabs")
    bar.show(pane_keys()[1:], pane_keys()[1])
    (line,) = bar.draw(width, 1)
    assert line.text.strip() == text


@pytest.mark.parametrize("width", range(39, 140))
def test_tab_is_named_by_the_beginning_of_its_panes_title(width: int) -> None:
    for shown in pane_infos():
        bar = TabBar(id="tabs")
        bar.show(pane_keys()[1:], shown.key)
        for name in re.split(r"\d", bar.draw(width, 1)[0].text):
            assert any(info.title.startswith(name.strip()) for info in pane_infos()), name
