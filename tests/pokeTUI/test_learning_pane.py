import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from textual.widgets import OptionList

from engine.events import REPLAY, PolicyUpdated
from pokeTUI.dashboard.curves import ALONE, SUCCESS, Curve, brief, curves, load_curves, saved_runs
from pokeTUI.dashboard.state import DashboardState, fold
from pokeTUI.draw.lines import portions, sparkline
from pokeTUI.panes.learning import LearningPane
from pokeTUI.panes.plot import Series, draw_chart
from tests.pokeTUI.fake_session import MILESTONES, make_episode, make_run
from tests.pokeTUI.long_run import long_run
from tests.pokeTUI.pane_app import Size, fold_all, line_of, open_pane, text_of, texts
from tests.pokeTUI.saved_runs import write_run
from tests.pokeTUI.says import assert_has

SIZES = ((24, 3), (38, 20), (54, 8), (74, 16), (118, 28), (198, 56))
STATE = long_run()


def make_pane(*actions: str, state: DashboardState = STATE) -> LearningPane:
    pane = LearningPane()
    pane.show(state)
    for name in actions:
        pane.act(name)
    return pane


def shown(*actions: str, size: Size = (74, 16), state: DashboardState = STATE) -> str:
    return text_of(make_pane(*actions, state=state), state, size)


def legend(pane: LearningPane) -> str:
    return pane._lines[pane._legend_row].text


def test_in_a_replay_no_curve_ever_starts() -> None:
    state = fold(DashboardState(), replace(make_run(), mode=REPLAY))
    for actions in ((), ("next",) * 2, ("previous",)):
        text = shown(*actions, state=state).replace("\n", " ")
        assert "Nothing is trained here" in text
        assert "starts" not in text


def steps_to(title: str, state: DashboardState = STATE) -> list[str]:
    return ["next"] * [curve.title for curve in curves(state)].index(title)


@pytest.mark.parametrize("size", SIZES)
def test_every_curve_fits_every_size(size: Size) -> None:
    for number in range(len(curves(STATE))):
        lines = texts(make_pane(*["next"] * number), STATE, size)
        assert len(lines) >= min(size[1], 10) - 1


def test_all_figures_can_be_chosen_and_the_keys_go_round() -> None:
    titles = [curve.title for curve in curves(STATE)]
    assert titles[:4] == ["policy alone", "return", "length", "success"]
    assert titles[4:6] == ["planner share of decisions", "milestones"]
    assert {"entropy", "policy loss", "value loss", "policy alone: return"} <= set(titles)
    assert "won the COBBLE BADGE" in titles
    assert make_pane("previous").curve.title == titles[-1]
    assert make_pane(*["next"] * len(titles)).curve.title == titles[0]


def test_learning_pane_shows_the_documented_figures() -> None:
    figures = {"loss": 1.0, "value": 2.0, "value_max": 3.0, "value_std": 0.5, "distillation": 0.25}
    state = fold(STATE, PolicyUpdated(99, 200_000, figures))
    titles = ("total loss", *(f"Q-values: {name}" for name in ("mean", "max", "std")))
    for title, value in zip((*titles, "distillation coefficient"), figures.values(), strict=True):
        assert f"{title} {value:.2f}" in shown(*steps_to(title, state), state=state)
    assert "distillation 0.25" in shown("next", size=(118, 16), state=state)


def test_milestones_that_are_reached_are_a_share_of_all() -> None:
    state = fold(DashboardState(), make_run())
    few = dict.fromkeys([key for key, _ in MILESTONES[:3]], 5)
    episode = make_episode(1, 1.0)
    event = replace(episode, summary=replace(episode.summary, steps_to_milestone=few))
    text = shown(*steps_to("milestones reached", state), state=fold(state, event))
    assert f"milestones reached {3 / len(MILESTONES):.0%}" in text


def test_before_the_first_episode_it_says_so() -> None:
    text = shown(state=DashboardState(run=make_run()))
    assert "The curve starts when the first episode ends." in text
    elsewhere = DashboardState(run=make_run(), starts="demo 85 %: 1/4 succeeded")
    assert "when the first episode from power-on ends" in shown(state=elsewhere)


def test_the_legend_has_the_value_of_now() -> None:
    episodes = [make_episode(number, 42.0, is_success=number > 5) for number in range(1, 11)]
    assert_has(shown(state=fold_all(episodes)), "return 42.0", "success 50%", "episode 10")


def test_the_policy_alone_is_drawn_first_above_the_return_of_the_games_with_the_planner() -> None:
    text = shown()
    assert_has(text, "━ policy alone 99%  ┅ return 60.1", "step 180,000")
    assert list(ALONE.beside(SUCCESS, STATE, 1)[0]) == [50, 100, 150, 200]
    assert list(SUCCESS.beside(ALONE, STATE, 1)[0][[0, -1]]) == [900, 180_000]


def test_smoothing_goes_round_and_says_over_how_many() -> None:
    pane = make_pane("next")
    said = []
    for _ in range(5):
        said += re.findall(
            "mean of 30|mean of 100|  raw|mean of 10 ", texts(pane, STATE, (74, 16))[-1]
        )
        pane.act("smooth")
    assert said == ["mean of 30", "mean of 100", "  raw", "mean of 10 ", "mean of 30"]


def test_a_log_scale_needs_values_above_zero_and_says_so() -> None:
    assert "log scale" in shown(*steps_to("value loss"), "log")
    assert "no log scale: values <= 0" in shown(*steps_to("policy loss"), "log")


def test_the_last_tenth_begins_there() -> None:
    assert_has(shown("next", "range"), "last tenth", " 180 ─")


def test_the_milestones_are_bars_of_the_last_thirty_episodes() -> None:
    text = shown(*steps_to("milestones"), size=(38, 20))
    share = STATE.history.milestone_share("left_house")
    assert_has(line_of(text.split("\n"), "left the house"), f"{share:.0%}", "━")
    assert_has(text, *(name[:12] for _, name in MILESTONES))


def test_milestones_that_have_no_room_are_scrolled_to() -> None:
    actions = steps_to("milestones")
    assert "won the COBBLE" not in shown(*actions, size=(38, 6))
    text = shown(*actions, *["down"] * 8, size=(38, 6))
    assert "won the COBBLE" in text
    assert "5-9 of 9" in shown(*actions, *["down"] * 8, size=(60, 6))


def test_the_zoomed_pane_has_milestones_and_the_other_curves_besides() -> None:
    curves = ("milestones", "entropy", "value loss", "policy alone: success", "length")
    assert_has(shown(size=(198, 56)), *curves)


async def test_the_mark_reads_values_and_goes_away_at_the_end() -> None:
    pane = make_pane("next")
    async with open_pane(pane, STATE, (74, 16)) as (pilot, _):
        for _ in range(3):
            pane.act("left")
        await pilot.pause()
        assert legend(pane).startswith("episode 19")
        assert "┊" in "".join(line.text for line in pane._lines)
        pane.act("last")
        assert legend(pane).startswith("━ return")
        await pilot.click(pane, offset=(30, 5))
        await pilot.pause()
        assert legend(pane).startswith("episode ")
        pane.act("first")
        assert legend(pane).startswith("episode 1 ")


def state_of_run(save_dir: Path, name: str = "now") -> DashboardState:
    run = replace(make_run(), run_dir=str(save_dir / "runs" / name), run_id=name)
    return replace(STATE, run=run)


async def test_a_saved_run_is_drawn_behind_and_taken_away_again(tmp_path: Path) -> None:
    run_id = write_run(tmp_path, "other", [make_episode(number, 20.0) for number in range(1, 101)])
    state = state_of_run(tmp_path)
    pane = make_pane("next", state=state)
    async with open_pane(pane, state, (74, 16)) as (pilot, app):
        pane.act("compare")
        await pilot.pause()
        assert app.screen.query_one(OptionList).option_count == 2
        await pilot.press("down", "enter")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert f"┅ {run_id} " in legend(pane)
        pane.act("first")
        assert f"{run_id} 20.0" in legend(pane)
        pane.act("compare")
        await pilot.pause()
        await pilot.press("up", "enter")
        await pilot.pause()
        assert run_id not in legend(pane)


async def test_without_another_run_there_is_nothing_to_choose(tmp_path: Path) -> None:
    state = state_of_run(tmp_path)
    async with open_pane(make_pane(state=state), state, (74, 16)) as (pilot, app):
        app.pane.act("compare")
        await pilot.pause()
        assert not app.screen.query(OptionList)


def test_the_own_run_is_not_among_those_to_compare_with(tmp_path: Path) -> None:
    one, other = (write_run(tmp_path, name, []) for name in ("one", "other"))
    assert [key for key, _ in saved_runs(str(tmp_path / "runs" / one))] == [other]


def test_a_curve_ends_where_nobody_wants_it_or_at_a_broken_line(tmp_path: Path) -> None:
    run_id = write_run(tmp_path, "other", [make_episode(number, 1.0) for number in range(1, 101)])
    run_dir = str(tmp_path / "runs" / "now")
    with (tmp_path / "runs" / run_id / "journal.jsonl").open("a") as file:
        file.write('{"event": "EpisodeEn')
    assert load_curves(run_dir, run_id).history.count == 100
    assert load_curves(run_dir, run_id, lambda: True).history.count == 1


def test_a_figure_that_is_no_number_leaves_no_hole_in_the_chart() -> None:
    state = fold(STATE, PolicyUpdated(26, 200000, {"entropy": float("nan"), "odd": float("inf")}))
    assert "nan" not in shown(*steps_to("entropy"), state=state)
    assert "starts with the first update" in shown(*steps_to("odd", state), state=state)


def test_a_curve_that_begins_late_is_drawn_only_from_there() -> None:
    places, values = np.array([0.5, 0.75, 1.0]), np.array([0.0, 1.0, 0.0])
    rows, owner = draw_chart([Series(places, values, 0.0, 1.0)], 20, 4)
    assert all(row[:9].strip() == "" for row in rows)
    assert (owner[:, 11:] == 0).any(axis=0).all()


def test_a_dotted_curve_gives_way_to_the_one_before_it() -> None:
    low = Series(np.linspace(0, 1, 9), np.zeros(9), 0.0, 1.0)
    _, owner = draw_chart([low, replace(low, is_dotted=True)], 10, 3)
    assert set(owner[-1].tolist()) == {0}


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (57.66, "57.7"), (1234.5, "1,234"), (0.034, "0.034"), (2e6, "2.0e+06")],
)
def test_numbers_are_brief(value: float, text: str) -> None:
    assert brief(value) == text
    assert Curve("episodes", "x", "x", is_share=True).text(0.25) == "25%"


def test_a_sparkline_is_as_wide_as_asked_and_shows_the_means_of_more_values() -> None:
    assert sparkline([1.0, 2.0], 4) == "··▄▇"
    assert sparkline(range(100), 5) == "▂▃▄▆▇"
    assert sparkline([], 3) == "···"
    assert sparkline([0.0, 0.0], 2) == "▁▁"


def test_portions_fill_the_bar_and_nobody_is_forgotten() -> None:
    assert portions([0.98, 0.01, 0.01], 10) == [8, 1, 1]
    assert sum(portions([1 / 3] * 3, 10)) == 10
    assert portions([0.0, 0.0], 10) == [0, 0]
