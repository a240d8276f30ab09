"""The milestones on the way to the goal, and those beyond it."""

from dataclasses import replace

import pytest

from pokeTUI.dashboard.state import DashboardState
from pokeTUI.panes.milestones import milestone_lines, milestone_list
from pokeTUI.panes.party import PartyPane
from tests.pokeTUI.fake_session import MILESTONES, make_game, make_goal, make_run, observe
from tests.pokeTUI.pane_app import fold_all, texts

REACHED = frozenset(key for key, _ in MILESTONES[:2])
FINAL = MILESTONES[4][0]
COUNT = len(MILESTONES)


def state_with(final: str = FINAL, reached: frozenset[str] = REACHED) -> DashboardState:
    seen = replace(observe(make_game(), make_goal()), milestones=reached, final_milestone=final)
    return fold_all([make_run(), seen])


def shown(state: DashboardState, width: int, room: int) -> list[str]:
    return [line.text.rstrip() for line in milestone_lines(state, width, room)]


def listed(height: int, scrolled: int = 0, width: int = 36) -> tuple[list[str], int]:
    game = state_with().game
    assert game is not None
    lines, at = milestone_list(MILESTONES, game, width, height, scrolled)
    return [line.text.rstrip() for line in lines], at


def test_progress_counts_to_the_goal_and_the_rest_of_the_game_apart() -> None:
    assert shown(state_with(), 36, 1) == [f"done   ✓✓··· 2/5  game 2/{COUNT}"]
    assert shown(state_with(final=""), 36, 1) == [f"done   ✓✓{'·' * (COUNT - 2)} 2/{COUNT}"]


def test_milestones_by_name_end_with_the_goal() -> None:
    for width, room in ((36, 8), (70, 4)):
        lines = shown(state_with(), width, room)
        assert MILESTONES[4][1] in "".join(lines)
        assert MILESTONES[5][1] not in "".join(lines)
        assert f"2 of {COUNT} in the game" in lines[-1]


def test_the_list_has_the_next_milestone_and_those_beyond_the_goal_apart() -> None:
    lines, _ = listed(30)
    assert lines[0] == "2 of 5 milestones to the goal"
    assert lines[1].startswith("✓ ")
    assert lines[3] == f"► {MILESTONES[2][1]}"
    assert lines[6] == "beyond the goal"
    assert len(lines) == COUNT + 2


@pytest.mark.parametrize("steps", [-1000, 1000])
def test_the_list_scrolls_no_further_than_its_ends(steps: int) -> None:
    lines, at = listed(4, steps)
    end = MILESTONES[0 if steps < 0 else -1][1]
    assert end in lines[1 if steps < 0 else -1]
    assert listed(4, at)[0] == lines
    assert listed(4, at - (steps > 0) + (steps < 0))[0] != lines, "the next key shows at once"


@pytest.mark.parametrize("size", [(36, 18), (54, 8), (76, 15), (198, 56), (12, 2)])
def test_the_list_takes_the_pane_where_it_has_no_room_beside_the_facts(
    size: tuple[int, int],
) -> None:
    pane = PartyPane()
    pane.act("milestones")
    text = "\n".join(texts(pane, state_with(), size))
    assert ("place" in text) is (size[0] >= 100)
    assert "2 of 5" in text
    pane.act("milestones")
    assert "place" in "\n".join(texts(pane, state_with(), size))
