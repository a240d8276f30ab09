"""The table of runs on the screen: sorted, filtered, grouped, compared, named and deleted."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from engine.runs.folder import RunFolder, trashed_runs
from engine.runs.labels import RunLabels, read_labels, write_labels
from engine.runs.lock import RunStatus
from engine.runs.table import RunRow, RunTable
from pokeTUI.panes.dialogs import ChoiceScreen, PromptScreen
from pokeTUI.screens import runs
from pokeTUI.screens.comparison import CompareScreen
from pokeTUI.screens.runs import RunsScreen
from tests.pokeTUI.conftest import screen_lines, screen_text
from tests.pokeTUI.pane_app import Size
from tests.pokeTUI.says import assert_has
from tests.pokeTUI.snapshot import compare, draw
from tests.pokeTUI.test_start import shows, started, until
from tests.saved_runs import append, ended, save_run


@pytest.fixture
def saves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("POKETUI_RUNTIME_DIR", str(tmp_path / "sockets"))
    monkeypatch.setenv("POKETUI_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    saves = tmp_path / "saves"
    states = (RunStatus.FINISHED, RunStatus.STOPPED, RunStatus.RUNNING)
    for number, status in enumerate(states, 1):
        save_run(
            saves,
            [0.0, 1.0 * number, 2.0][: number + 1] * 20,
            run_id=f"2026110{number}-120000",
            changed_s=1e9 + number,
            status=status,
            has_checkpoint=number > 1,
            agent=("ppo", "dqn", "ppo")[number - 1],
            seed=number,
        )
    write_labels(saves / "runs" / "20261102-120000", RunLabels("baseline", "clip 0.1", ("v2",)))
    return saves


@asynccontextmanager
async def opened(
    saves: Path, size: Size = (80, 24)
) -> AsyncIterator[tuple[Pilot[None], RunsScreen]]:
    """Open the table from the start screen."""
    async with started(saves, size=size) as (pilot, app):
        await pilot.press("u")
        await until(pilot, lambda: isinstance(app.screen, RunsScreen))
        await shows(pilot, "baseline")
        yield pilot, app.screen


def names(pilot: Pilot[None]) -> list[str]:
    """Return what the first column shows, from the top."""
    rows = [line.strip("│ ▸✓") for line in screen_lines(pilot)[1:-4]]
    shown = [row.split()[0] for row in rows if row[:1].isalnum() or row[:1] == "▾"]
    return shown[shown.index("run") + 1 :]


THIRD, SECOND, FIRST = "20261103-120000", "baseline", "20261101-120000"


async def test_a_look_that_takes_longer_than_the_pause_between_two_is_shown(
    saves: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = RunTable.look

    def slow(table: RunTable) -> tuple[RunRow, ...]:
        time.sleep(0.2)
        return look(table)

    monkeypatch.setattr(RunTable, "look", slow)
    monkeypatch.setattr(runs, "_PAUSE_S", 0.01)
    async with opened(saves):  # which waits for the runs
        pass


async def test_eighty_columns_look_as_before(saves: Path) -> None:
    async with opened(saves) as (pilot, _screen):
        pilot.app.animation_level = "none"
        await pilot.press("j", "space")
        await shows(pilot, "1 selected")
        compare("runs-80x24-mosslight", draw(pilot.app))


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_every_width_has_what_matters(saves: Path, size: Size) -> None:
    async with opened(saves, size) as (pilot, _screen):
        text = await shows(
            pilot, "run", "state", "steps", "success", "return", "when", "2001-09-09"
        )
        assert ("episodes" in text) == (size[0] > 80)
        assert ("  note" in text.splitlines()[1]) == (size[0] == 200)
        assert_has(text, "✓ finished", "■ stopped", "✗ crashed", "67%", "D delete", "esc back")


async def test_columns_follow_the_terminal(saves: Path) -> None:
    async with opened(saves) as (pilot, _screen):
        await pilot.resize_terminal(160, 40)
        await shows(pilot, "duration", "agent", "1/5")
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: "duration" not in screen_text(pilot))


async def test_a_filter_is_typed_and_taken_back(saves: Path) -> None:
    async with opened(saves) as (pilot, screen):
        await pilot.press("slash", *"agent=ppo")
        await until(pilot, lambda: names(pilot) == [THIRD, FIRST])
        await pilot.press(*" zzz")
        await shows(pilot, "No run matches: agent=ppo zzz")
        for _ in " zzz":
            await pilot.press("backspace")
        await pilot.press(*" agnet=1")
        await shows(pilot, "Did you mean agent")
        for _ in " agnet=1":
            await pilot.press("backspace")
        await pilot.press("enter", "j")
        await until(pilot, lambda: screen._row.run_id == FIRST)
        await shows(pilot, "2 of 3")
        await pilot.press("escape")
        await until(pilot, lambda: names(pilot) == [THIRD, SECOND, FIRST])


async def test_keys_and_a_click_on_a_heading_sort(saves: Path) -> None:
    async with opened(saves) as (pilot, screen):
        assert names(pilot) == [THIRD, SECOND, FIRST]
        await pilot.press("S")
        await until(pilot, lambda: names(pilot) == [FIRST, SECOND, THIRD])
        heading = screen_lines(pilot)[1]
        await pilot.click(offset=(heading.index("return") + 1, 1))
        await until(pilot, lambda: screen._view.sort == "return")
        assert names(pilot) == [THIRD, SECOND, FIRST]
        await pilot.click(offset=(heading.index("return") + 1, 1))
        await until(pilot, lambda: names(pilot) == [FIRST, SECOND, THIRD])
        await pilot.press("s")
        await until(pilot, lambda: isinstance(pilot.app.screen, ChoiceScreen))
        await pilot.press("home", "enter")  # by id
        await until(pilot, lambda: screen._view.sort == "run")


async def test_runs_are_grouped_and_a_group_is_selected_at_once(saves: Path) -> None:
    async with opened(saves) as (pilot, screen):
        await pilot.press("g")
        await until(pilot, lambda: isinstance(pilot.app.screen, ChoiceScreen))
        await shows(pilot, "no groups", "agent", "seed")
        await pilot.press("home", "down", "down", "down", "enter")
        await shows(pilot, "by agent", "▾ ppo", "2 runs", "▾ dqn", "1 run")
        await pilot.press("home", "space")
        await until(pilot, lambda: [row.run_id for row in screen.selected] == [THIRD, FIRST])
        await pilot.press("home", "space")
        await until(pilot, lambda: not screen.selected)


async def test_selected_runs_are_compared(saves: Path) -> None:
    async with opened(saves) as (pilot, screen):
        await pilot.press("enter")
        await shows(pilot, "Select at least two runs with space, then press enter.")
        await pilot.press("space", "j", "space", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, CompareScreen))
        await shows(pilot, THIRD, FIRST, "seed")
        await pilot.press("escape")
        await until(pilot, lambda: pilot.app.screen is screen)


async def test_a_run_is_named_noted_and_tagged(saves: Path) -> None:
    async with opened(saves) as (pilot, screen):
        for key, wrong, text in (
            ("r", "latest", "newest"),
            ("n", "x" * 401, "to keep"),
            ("t", "-x", "v3 #good"),
        ):
            await pilot.press(key)
            await until(pilot, lambda: isinstance(pilot.app.screen, PromptScreen))
            field = pilot.app.screen.query_one("#prompt_input")
            field.value = wrong  # type: ignore[attr-defined]
            await pilot.press("enter")
            await until(pilot, lambda: "cannot be" in screen_text(pilot))
            field.value = text  # type: ignore[attr-defined]
            await pilot.press("enter")
            await until(pilot, lambda: pilot.app.screen is screen)
        await shows(pilot, "newest", "#v3 #good", "to keep")
    assert read_labels(saves / "runs" / THIRD) == RunLabels("newest", "to keep", ("v3", "good"))


async def test_tags_of_selected_runs_are_changed_together(saves: Path) -> None:
    async with opened(saves) as (pilot, _screen):
        await pilot.press("space", "space", "t")
        await shows(pilot, "Tags of 2 runs")
        await pilot.press(*"both", "enter")
        await until(pilot, lambda: read_labels(saves / "runs" / THIRD).tags == ("both",))
    assert read_labels(saves / "runs" / "20261102-120000").tags == ("v2", "both")


async def test_a_run_is_deleted_once_that_is_confirmed(saves: Path) -> None:
    async with opened(saves) as (pilot, _screen):
        await pilot.press("D")
        await shows(pilot, f"Delete {THIRD}?", "move to")
        await pilot.press("enter")  # cancel is first
        await pilot.press("D")
        await until(pilot, lambda: isinstance(pilot.app.screen, ChoiceScreen))
        assert trashed_runs(str(saves)) == []
        await pilot.press("down", "enter")
        await shows(pilot, f"poketui runs {THIRD} --restor")
        assert names(pilot) == [SECOND, FIRST]
        await pilot.press("escape")
        await shows(pilot, "resume a saved run: 1 to choose from")
    assert trashed_runs(str(saves)) == [THIRD]


async def test_a_run_of_another_process_is_followed_and_left_alone(saves: Path) -> None:
    folder = RunFolder(saves / "runs" / THIRD)
    folder.lock()
    async with opened(saves) as (pilot, screen):
        await shows(pilot, "● running")
        await pilot.press("D")
        await shows(pilot, "is running: stop it first.")
        append(folder.path, [ended(61, 40.0)])
        await screen._look()
        await shows(pilot, "6,100")
        await pilot.press("escape")
        await shows(pilot, "resume a saved run: 1 to choose from")
        await pilot.press("r")
        await shows(pilot, "It is running in another terminal.")
        await pilot.press("enter")
        await pilot.pause()
        assert pilot.app.choice is None
        folder.unlock()
        await screen._look()


async def test_a_read_only_viewer_changes_nothing(saves: Path) -> None:
    async with started(saves) as (pilot, _):
        pilot.app.push_screen(RunsScreen("Runs", RunTable(str(saves)), can_change=False))
        await shows(pilot, "baseline")
        assert "D delete" not in screen_text(pilot)
        for key in "rntD":
            await pilot.press(key)
            await shows(pilot, "This viewer is read-only.")
            assert isinstance(pilot.app.screen, RunsScreen)


async def test_without_runs_the_table_says_so(tmp_path: Path) -> None:
    async with started(tmp_path) as (pilot, _):
        pilot.app.push_screen(RunsScreen("Runs", RunTable(str(tmp_path / "none"))))
        await shows(pilot, "There is no saved run in")
        for key in ("enter", "space", "r", "D", "g", "escape", "s"):
            await pilot.press(key)
