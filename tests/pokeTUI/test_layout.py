from itertools import combinations

import pytest

from pokeTUI.layout import PANES, make_plan

SIZES = [
    (80, 24),
    (100, 30),
    (119, 60),
    (120, 40),
    (160, 44),
    (200, 45),
    (200, 60),
    (250, 80),
    (320, 90),
]
KEYS = {pane.key for pane in PANES}


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_regions_fill_the_screen_without_overlap(columns: int, rows: int) -> None:
    regions = make_plan(columns, rows).regions
    for one, two in combinations(regions.values(), 2):
        assert not one.overlaps(two)
    assert sum(region.area for region in regions.values()) == columns * rows
    for region in regions.values():
        assert region.x >= 0
        assert region.right <= columns
        assert region.bottom <= rows


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_every_pane_can_be_seen(columns: int, rows: int) -> None:
    plan = make_plan(columns, rows)
    if plan.has_tabs:
        for key in KEYS:
            assert key in make_plan(columns, rows, active=key).regions
    else:
        assert set(plan.regions) >= KEYS


@pytest.mark.parametrize(
    ("size", "name"),
    [
        ((79, 24), "too-small"),
        ((80, 23), "too-small"),
        ((80, 24), "compact"),
        ((120, 40), "medium"),
        ((200, 60), "large"),
    ],
)
def test_the_documented_sizes_have_their_layouts(size: tuple[int, int], name: str) -> None:
    assert make_plan(*size).name == name


def test_a_huge_terminal_shows_the_game_pixel_by_pixel() -> None:
    game = make_plan(240, 78).regions["game"]
    assert game.width - 2 == 160
    assert game.height - 2 >= 72


def test_numbers_in_a_row_name_the_panes() -> None:
    assert [pane.key for pane in PANES] == [
        "party",
        "rewards",
        "reasoning",
        "curriculum",
        "learning",
    ]
