"""Team sheets, and the lines that names flow into."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pokeTUI.battles.fold import fold_lines
from pokeTUI.battles.sheets import sheet_lines
from pokeTUI.battles.view import BattleView
from pokeTUI.draw.lines import flow
from pokeTUI.draw.theme import Ink
from tests.pokeTUI.battles.recorded import MEGA, TERA, recorded
from tests.pokeTUI.battles.test_fold import START

NAMES = st.lists(st.text("abc", min_size=1, max_size=12), min_size=1, max_size=8)


@given(NAMES, st.integers(15, 60))
def test_flow_breaks_lines_between_names_only(names: list[str], width: int) -> None:
    lines = flow(names, width, Ink.text, indent=2)
    assert [name for line in lines for name in line.text.strip().split(" · ")] == names
    assert all(line.used <= width for line in lines)


@pytest.mark.parametrize("name", [TERA, MEGA])
@pytest.mark.parametrize("width", [38, 49, 80, 100, 160])
def test_sheets_have_every_name_whole(name: str, width: int) -> None:
    view = recorded(name).playback().views[-1]
    text = "\n".join(line.text for line in sheet_lines(view, (1, 0), 0, (), (width, 40)))
    for side in view.sides:
        for sheet in side.sheets:
            assert not [one for one in (sheet.ability, *sheet.moves) if one not in text]
    assert "…" not in text


def test_sheets_without_room_for_moves_have_one_line_for_each() -> None:
    view = recorded(TERA).playback().views[-1]
    assert len(sheet_lines(view, (1,), 0, (), (80, 7))) == 7


def test_item_that_is_gone_is_said_to_be() -> None:
    lines = [*START, "|-enditem|p1a: Iron Hands|Assault Vest|[from] move: Knock Off"]
    view = fold_lines(BattleView(), lines)
    mon = view.mon("p1a: Iron Hands")
    assert mon is not None
    assert view.sides[0].facts(mon)[0] == "no item"
