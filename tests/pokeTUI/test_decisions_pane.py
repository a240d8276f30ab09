import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from engine.config import RunConfig
from engine.planning.history.decisions import DecisionHistoryAnalyzer
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.panes.decision_lines import View, describe_context, history_path
from pokeTUI.panes.decisions import DecisionsPane
from pokeTUI.panes.dialogs import DetailScreen
from tests.pokeTUI.decision_file import add_decision, write_history
from tests.pokeTUI.fake_session import make_run
from tests.pokeTUI.pane_app import PaneApp, fold_all, open_pane, texts
from tests.pokeTUI.says import assert_has

SIZE = (80, 20)


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    write_history(tmp_path / "decisions.db", 100)
    return tmp_path


def state_of(run_dir: Path) -> DashboardState:
    return fold_all([replace(make_run(), run_dir=str(run_dir))])


class Shown:
    """A pane on the screen that reads a file."""

    def __init__(self, pane: DecisionsPane, app: PaneApp) -> None:
        self.pane, self.app = pane, app

    @property
    def lines(self) -> list[str]:
        """What it shows."""
        return texts(self.pane, self.pane._state, SIZE)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Wait for what it reads."""
        for _ in range(6000):
            if is_so():
                return
            await asyncio.sleep(0.01)
        raise AssertionError(self.text)

    async def comes(self, text: str) -> None:
        """Wait until it shows a text."""
        await self.until(lambda: text in self.text)

    def steps(self) -> list[int]:
        """The steps in the table."""
        return [int(line.replace("›", " ").split()[1]) for line in self.lines[1:-1] if line.strip()]


@asynccontextmanager
async def opened(run_dir: Path, config: RunConfig | None = None) -> AsyncIterator[Shown]:
    pane = DecisionsPane()
    async with open_pane(pane, state_of(run_dir), SIZE, config) as (_, app):
        yield Shown(pane, app)


async def test_the_newest_decisions_are_shown(run_dir: Path) -> None:
    async with opened(run_dir) as shown:
        await shown.comes("page 1 of 100 decisions")
        assert shown.steps() == list(range(100, 82, -1))
        first = shown.lines[1]
        assert_has(first, "■ rules", "RIGHT", "0.99", "+0.02", "✓", "MILLBROOK PATH · walking")


@pytest.mark.parametrize("acts", [(), ("down",), ("patterns",)])
async def test_no_line_is_wider_than_the_pane(run_dir: Path, acts: tuple[str, ...]) -> None:
    async with opened(run_dir) as shown:
        await shown.comes("page 1")
        for name in acts:
            shown.pane.act(name)
        await shown.until(lambda: bool(shown.pane._rows()))
        for size in ((38, 20), (56, 9), (80, 20), (110, 30), (198, 56), (20, 4)):
            assert texts(shown.pane, shown.pane._state, size)


async def test_new_decisions_come_in_by_themselves(run_dir: Path) -> None:
    async with opened(run_dir) as shown:
        await shown.comes("page 1 of 100")
        with DecisionHistoryAnalyzer(run_dir / "decisions.db", run="mossy-otter-7") as history:
            add_decision(history, 150)
            history.flush()
            await shown.comes("of 101 decisions")
        assert shown.steps()[0] == 51


async def test_the_page_keeps_still_while_a_row_is_chosen(run_dir: Path) -> None:
    async with opened(run_dir) as shown:
        await shown.comes("page 1 of 100")
        shown.pane.act("down")
        with DecisionHistoryAnalyzer(run_dir / "decisions.db") as history:
            for number in range(100, 104):
                add_decision(history, number)
        await shown.comes("page 1, held, 4 newer")
        assert shown.steps()[0] == 100
        assert shown.lines[1].startswith("›")
        shown.pane.act("first")
        await shown.until(lambda: shown.steps()[0] == 4)


async def test_pages_and_rows_lead_through_all_decisions(run_dir: Path) -> None:
    async with opened(run_dir) as shown:
        await shown.comes("page 1 of 100")
        shown.pane.act("page_down")
        await shown.until(lambda: shown.steps()[:1] == [82])
        assert "page 2" in shown.lines[-1]
        shown.pane.act("up")
        shown.pane.act("up")  # over the top of the page, to the one before
        for _ in range(40):
            shown.pane.act("up")
        await shown.until(lambda: shown.steps()[:1] == [100])
        for page in range(5):
            shown.pane.act("page_down")
            await shown.until(lambda page=page: shown.steps()[:1] == [82 - 18 * page])  # type: ignore[misc]
        assert shown.steps()[-1] == 1
        shown.pane.act("page_down")
        assert "page 6" in shown.lines[-1]
        shown.pane.act("page_up")
        await shown.comes("page 5")


async def test_decisions_pane_can_be_filtered(run_dir: Path) -> None:
    async with opened(run_dir) as shown:
        await shown.comes("page 1")
        keys = dict(shown.pane.choices())
        assert keys[""] == "✓ everything"
        assert keys["source:planner"] == "  by planner"
        shown.pane.choose("outcome:failure")
        await shown.comes("only failures")
        await shown.until(lambda: not any("✓" in line for line in shown.lines))
        shown.pane.choose("source:planner")
        await shown.until(lambda: all("planner" in line for line in shown.lines[1:-1] if line))
        shown.pane.choose("source:planner")
        shown.pane.choose("action:0")
        await shown.comes("No match: f changes the filter.")
        shown.pane.choose("")
        await shown.comes("page 1")


async def test_patterns_are_shown_with_how_well_they_go(run_dir: Path) -> None:
    async with opened(run_dir) as shown:
        await shown.comes("page 1")
        shown.pane.act("patterns")
        await shown.comes("patterns 1 to ")
        assert any("100 %" in line and "MILLBROOK PATH" in line for line in shown.lines)
        shown.pane.choose("action:4")
        await shown.until(lambda: all(" UP " in line for line in shown.lines[1:-1] if line))
        shown.pane.act("open")
        await asyncio.sleep(0)
        shown.pane.act("patterns")


async def test_a_row_is_opened_and_copied(run_dir: Path) -> None:
    async with opened(run_dir) as shown:
        await shown.comes("page 1")
        shown.pane.act("down")
        shown.pane.act("down")
        shown.pane.act("copy")
        assert_has(shown.app.copied, "step: 99 of episode 1", "reason: reason 98")
        shown.pane.act("open")
        await shown.until(lambda: isinstance(shown.app.screen, DetailScreen))


async def test_before_the_first_decision_it_says_so(tmp_path: Path) -> None:
    async with opened(tmp_path) as shown:
        await shown.comes("No decision has been written yet.")
        write_history(tmp_path / "decisions.db", 3)
        await shown.comes("page 1 of 3 decisions")


async def test_a_history_without_decisions_says_so(tmp_path: Path) -> None:
    write_history(tmp_path / "decisions.db", 0)
    async with opened(tmp_path) as shown:
        await shown.comes("No decisions yet")
        shown.pane.act("patterns")
        await shown.comes("No action was taken three times")


async def test_a_damaged_history_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "decisions.db").write_bytes(b"nothing" * 999)
    async with opened(tmp_path) as shown:
        await shown.comes("is damaged")
        await shown.comes("Move it away")


async def test_a_locked_history_is_tried_again(run_dir: Path) -> None:
    other = sqlite3.connect(run_dir / "decisions.db")
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    other.execute("DELETE FROM decisions WHERE id = 1")
    async with opened(run_dir) as shown:
        await shown.comes("Another program has locked the history.")
        other.rollback()
        other.close()
        await shown.comes("page 1")


async def test_a_folder_in_place_of_the_file_means_that_it_is_off(tmp_path: Path) -> None:
    (tmp_path / "decisions.db").mkdir()
    async with opened(tmp_path) as shown:
        await shown.comes("history is off")


async def test_a_run_that_was_moved_away_says_so(tmp_path: Path) -> None:
    async with opened(tmp_path / "gone") as shown:
        await shown.comes("It may have been moved.")


async def test_hidden_decisions_pane_reads_nothing(run_dir: Path) -> None:
    async with opened(run_dir) as shown:
        await shown.comes("page 1 of 100")
        shown.pane.display = False
        await shown.until(lambda: not shown.app.workers)  # what was being read already
        write_history(run_dir / "decisions.db", 5)
        shown.pane._due = 0.0
        shown.pane.read_if_due()
        assert not shown.app.workers
        shown.pane.display = True
        await shown.comes("of 105 decisions")


def test_the_file_is_where_the_settings_say(tmp_path: Path) -> None:
    assert history_path(str(tmp_path), "decisions.db") == tmp_path / "decisions.db"
    assert history_path(str(tmp_path), "/a/b.db") == Path("/a/b.db")
    (tmp_path / "config.json").write_text(json.dumps({"decision_db_path": "other.db"}))
    assert history_path(str(tmp_path), "decisions.db") == tmp_path / "other.db"
    (tmp_path / "config.json").write_text("[]")
    assert history_path(str(tmp_path), "decisions.db") == tmp_path / "decisions.db"


def test_a_second_choice_undoes_the_first() -> None:
    view = View(above=9, before=(None,)).toggled("action:3")
    assert (view.action, view.above, view.before) == (3, None, ())
    assert view.toggled("action:3").action is None
    assert view.toggled("outcome:failure").toggled("") == View()


def test_a_context_is_readable() -> None:
    assert describe_context({"situation": "walking", "map": "HOME", "goal": "reach"}) == (
        "HOME · walking · to reach"
    )
    assert describe_context({"situation": "wild battle", "own_health": "low"}) == (
        "wild battle · own low"
    )
    assert describe_context({}) == "not known"


def test_before_the_run_it_says_so() -> None:
    pane = DecisionsPane()
    assert texts(pane, DashboardState(), SIZE) == ["The run is about to start."]
