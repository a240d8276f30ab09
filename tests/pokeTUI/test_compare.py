"""The compare screen by its keys, at three sizes, with several seeds."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.app import App
from textual.pilot import Pilot

from pokeTUI.draw.theme import THEMES
from pokeTUI.screens.comparison import CompareScreen
from tests.pokeTUI.conftest import comes_to_show, screen_lines, screen_text
from tests.pokeTUI.in_process import succeed
from tests.pokeTUI.pane_app import Size
from tests.pokeTUI.saved_runs import write_run, write_seeds
from tests.pokeTUI.says import assert_has
from tests.pokeTUI.snapshot import compare, draw

SIZES = [(80, 24), (120, 40), (200, 60)]


@asynccontextmanager
async def comparing(
    save_dir: Path, names: Sequence[str], size: Size = (120, 40), theme: str = ""
) -> AsyncIterator[Pilot[None]]:
    """Open the screen and wait until all is read."""
    app: App[None] = App()
    for one in THEMES:
        app.register_theme(one)
    app.theme = theme or THEMES[0].name
    async with app.run_test(size=size, notifications=True) as pilot:
        await app.push_screen(CompareScreen(str(save_dir), names))
        await app.workers.wait_for_complete()
        await pilot.pause()
        yield pilot


@pytest.mark.parametrize("theme", ["mosslight", "colour-blind-safe"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_comparison_looks_as_before(size: Size, theme: str, tmp_path: Path) -> None:
    async with comparing(tmp_path, write_seeds(tmp_path), size, theme) as pilot:
        compare(f"compare-{size[0]}x{size[1]}-{theme}", draw(pilot.app))


async def test_seeds_are_a_band_and_keys_change_what_is_drawn(tmp_path: Path) -> None:
    async with comparing(tmp_path, write_seeds(tmp_path)) as pilot:
        text = screen_text(pilot)
        assert "Compare 6 runs by all settings but the seed, band: lowest to highest" in text
        assert "return  mean of 30 episodes" in text
        assert "step 6,000" in text
        assert_has(text, "agent=ppo", "agent=dqn", "2 groups", "1-5 of 6 runs")
        bands = pilot.app.screen.query_one("#compare_lines").render_line(5).text
        await pilot.press("b")
        assert "band: quartiles" in screen_text(pilot)
        await pilot.press("b")
        assert "a line for each run" in screen_text(pilot)
        assert pilot.app.screen.query_one("#compare_lines").render_line(5).text != bands
        await pilot.press("m", "x", "c")
        assert "length  mean of 100 episodes" in screen_text(pilot)
        assert "episode 60" in screen_text(pilot)
        assert "lowest   at episode" in screen_text(pilot)
        await pilot.press("left_square_bracket", "left_square_bracket")
        assert "policy alone: milestones" not in screen_text(pilot)
        assert "policy alone: length" in screen_text(pilot)
        await pilot.press("escape")
        assert not isinstance(pilot.app.screen, CompareScreen)


async def test_runs_are_grouped_by_a_setting_or_not_at_all(tmp_path: Path) -> None:
    names = [*write_seeds(tmp_path, seeds=2), write_run(tmp_path, "odd", [], agent="random")]
    async with comparing(tmp_path, names) as pilot:
        await pilot.press("g")
        assert "Group runs by" in screen_text(pilot)
        await pilot.press("down", "enter")
        assert "1-7 of" not in screen_text(pilot)
        assert "e ━━ odd" in screen_text(pilot)
        await pilot.press("g", "down", "enter")
        assert_has(screen_text(pilot), "Compare 5 runs by agent,", "c ━━ agent=random")
        await pilot.press("g", "escape")
        assert "Compare 5 runs by agent," in screen_text(pilot)


async def test_two_runs_are_a_line_each_though_they_differ_only_in_the_seed(tmp_path: Path) -> None:
    first, second, *_ = write_seeds(tmp_path)
    async with comparing(tmp_path, [first, second, first]) as pilot:
        assert_has(screen_text(pilot), "a ━━ ppo-1", "b ━━ ppo-2")
        await pilot.press("g", "up", "enter")
        assert_has(screen_text(pilot), "1 group ", "a ━━ same settings")


async def test_a_group_is_marked_in_the_legend_and_its_runs_come_first(tmp_path: Path) -> None:
    async with comparing(tmp_path, write_seeds(tmp_path)) as pilot:
        assert "▸" not in screen_text(pilot)
        await pilot.press("down", "down", "down")
        assert_has(screen_text(pilot), "▸b ━━ agent=dqn", "2-6 of 6 runs")
        await pilot.press("up")
        assert "▸a ━━ agent=ppo" in screen_text(pilot)
        await pilot.press("up", "up")
        assert "▸" not in screen_text(pilot)


async def test_many_runs_are_told_apart_by_letters_at_80x24(tmp_path: Path) -> None:
    async with comparing(tmp_path, write_seeds(tmp_path, seeds=10), (80, 24)) as pilot:
        await pilot.press("g", "down", "enter")
        assert "1-5 of 20" in screen_text(pilot)
        await pilot.press(*["down"] * 20)
        text = screen_text(pilot)
        assert_has(text, "▸t ┅┅ dqn-10", "18-20 of 20 runs")
        await pilot.press("pagedown")
        assert "↓" not in screen_lines(pilot)[-2]


async def test_a_run_that_cannot_be_read_is_named_and_the_others_are_drawn(tmp_path: Path) -> None:
    names = write_seeds(tmp_path, seeds=1)
    async with comparing(tmp_path, [*names, "gone"]) as pilot:
        assert await comes_to_show(pilot, "There is no saved run 'gone'.")
        assert "ppo-1" in screen_text(pilot)
    async with comparing(tmp_path, ["gone"]) as pilot:
        assert "There is no saved run 'gone'." in screen_text(pilot)
        await pilot.press("c", "b", "m", "x", "g", "escape", "down", "pagedown")


async def test_a_run_without_episodes_has_no_curve(tmp_path: Path) -> None:
    async with comparing(tmp_path, [write_run(tmp_path, "new", [])]) as pilot:
        assert "None of these runs has this figure yet." in screen_text(pilot)


async def test_without_colours_lines_differ(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with comparing(tmp_path, write_seeds(tmp_path)) as pilot:
        assert_has(screen_text(pilot), "a ━━ agent=ppo", "b ┅┅ agent=dqn")


def test_any_number_of_runs_is_a_table_with_last_and_best_figures(tmp_path: Path) -> None:
    names = write_seeds(tmp_path, seeds=2)
    result = succeed("runs", *names, "--save-dir", str(tmp_path))
    head, *rows = result.stdout.splitlines()
    assert head.split()[:6] == ["run", "steps", "episodes", "return", "best", "at"]
    assert [row.split()[0] for row in rows[:4]] == names
    assert rows[0].split()[1:3] == ["6,000", "60"]
    assert rows[0].endswith("agent=ppo seed=1")
    assert rows[4].startswith("2 runs, agent=ppo: return 10")
    assert rows[-1] == "Return and success: means of 30 episodes."
