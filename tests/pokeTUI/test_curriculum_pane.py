from pokeTUI.panes.curriculum import CurriculumPane
from pokeTUI.state import DashboardState
from tests.pokeTUI.fake_session import make_curriculum

NOW = make_curriculum(focus="taking battles", success_metrics="levels rise, badges are won")


def shown(height: int, curriculum=NOW, width: int = 60) -> list[str]:
    pane = CurriculumPane("curriculum", id="curriculum")
    lines = pane.lines(DashboardState(curriculum=curriculum), width, height)
    return [line.text.rstrip() for line in lines]


def test_a_small_pane_has_no_room_for_what_the_stage_is_for():
    assert len(shown(5)) == 5
    assert not any("focus" in line for line in shown(5))


def test_a_large_pane_tells_focus_and_success_metrics():
    assert shown(7)[-2:] == ["focus    taking battles", "success  levels rise, badges are won"]


def test_a_pane_never_has_more_lines_than_room():
    for height in range(4, 12):
        assert len(shown(height, width=30)) <= height
