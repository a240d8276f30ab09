"""The start screen by keys and mouse, at three sizes, with saved runs and without."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from engine.config import RunConfig
from engine.demos.demonstration import write_demo
from engine.demos.recorder import record_actions
from engine.events import EpisodeEnded
from engine.runs.folder import RunFolder
from engine.runs.journal import Journal
from engine.types import EpisodeSummary
from pokeTUI.app.start.app import StartApp
from pokeTUI.app.start.choices import (
    AttachRun,
    BattleChoice,
    NewRun,
    ReplayEpisode,
    ResumeRun,
    WatchDemo,
)
from pokeTUI.app.start.forms import NewRunScreen
from pokeTUI.app.start.recordings import RecordingsScreen, recorded
from pokeTUI.app.start.screens import DoctorScreen
from pokeTUI.panes.dialogs import PromptScreen
from pokeTUI.screens.comparison import CompareScreen
from pokeTUI.screens.runs import RunsScreen
from pokeTUI.screens.settings import SettingsScreen
from tests.pokeTUI.conftest import screen_text
from tests.pokeTUI.in_process import loaded_of
from tests.pokeTUI.pane_app import Size
from tests.pokeTUI.says import assert_has

SIZES = [(80, 24), (120, 40), (200, 60)]


def make_run(folder: Path, *, seed: int, episodes: int = 3, is_saved: bool = True) -> str:
    """Write what a run leaves behind, and return its id."""
    run = RunFolder.create(RunConfig(save_dir=str(folder), seed=seed, agent="rules"))
    journal = Journal(run.journal_path)
    for number in range(1, episodes + 1):
        summary = EpisodeSummary(
            0, 10.0 * number + seed, 100 + number, (), is_success=number == 2, recording="[]"
        )
        journal.take(EpisodeEnded(number, 100 * number, summary))
    journal.close()
    if is_saved:
        run.checkpoints_path.mkdir()
        (run.checkpoints_path / "step-000000000300.zip").write_bytes(b"")
    run.unlock()
    return run.run_id


@pytest.fixture(autouse=True)
def _no_background(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "runtime").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def saves(tmp_path: Path) -> Path:
    folder = tmp_path / "saves"
    for seed in (1, 2):
        make_run(folder, seed=seed)
    return folder


async def until(pilot: Pilot[None], is_so: Callable[[], bool]) -> None:
    for _ in range(1000):
        await pilot.pause()
        if is_so():
            return
        await asyncio.sleep(0.01)
    raise AssertionError(screen_text(pilot))


async def shows(pilot: Pilot[None], *texts: str) -> str:
    await until(pilot, lambda: all(text in screen_text(pilot) for text in texts))
    return screen_text(pilot)


async def ready(pilot: Pilot[None]) -> None:
    """Wait until it is known what is saved."""
    app = pilot.app
    await until(pilot, lambda: app._saved is not None and "loading" not in screen_text(pilot))


@asynccontextmanager
async def started(
    folder: Path, *, size: Size = (80, 24), **options: Any
) -> AsyncIterator[tuple[Pilot[None], StartApp]]:
    """Open the start screen, and wait until it is known what is saved."""
    app = StartApp(str(folder), **options)
    async with app.run_test(size=size) as pilot:
        await ready(pilot)
        yield pilot, app


async def test_runs_are_loading_until_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    is_due, look = threading.Event(), StartApp._look_around
    monkeypatch.setattr(StartApp, "_look_around", lambda app: (is_due.wait(60), look(app))[1])
    async with StartApp(str(tmp_path)).run_test(size=(80, 24)) as pilot:
        await pilot.press("u")
        await shows(pilot, "Runs: loading saved runs… ")
        is_due.set()
        await ready(pilot)


@pytest.mark.parametrize("size", SIZES)
async def test_without_runs_it_says_what_is_possible(tmp_path: Path, size: Size) -> None:
    async with started(tmp_path / "none", size=size) as (pilot, app):
        text = screen_text(pilot)
        assert_has(text, "New run", "Resume", "Attach", "Runs", "Replay", "Doctor", "Quit")
        assert_has(text, "no saved run yet", "no episode recorded yet", "█")
        await pilot.press("r")
        await shows(pilot, "Resume: no saved run yet: start a new one.")
        assert app.choice is None
        await pilot.press("q")
    assert app.choice is None
    assert app.return_code == 0


@pytest.mark.parametrize("size", [SIZES[0], SIZES[-1]])
async def test_every_list_fits(saves: Path, size: Size) -> None:
    async with started(saves, size=size) as (pilot, app):
        for key, text in (("r", "enter resume"), ("e", "details"), ("p", "Replay: an episode")):
            await pilot.press(key)
            await shows(pilot, text)
            await pilot.press("escape")
            await shows(pilot, "New run")
        await pilot.press("u")
        await shows(pilot, "enter compare", "D delete", "21.00", "22.00")
        await pilot.press("space", "space", "enter")
        await until(pilot, lambda: isinstance(app.screen, CompareScreen))
        await shows(pilot, "seed", "return", "success", "mean of 30 episodes")
        await pilot.press("c")
        await shows(pilot, "length  mean")
        await pilot.press("escape")


async def test_a_new_run_is_asked_for_in_a_form(tmp_path: Path) -> None:
    async with started(tmp_path / "none") as (pilot, app):
        await pilot.press("1")
        await until(pilot, lambda: isinstance(app.screen, NewRunScreen))
        await shows(pilot, "MOSSLIGHT", "ppo")
        await pilot.press("home", "down", "right")  # the agent
        await shows(pilot, "‹ dqn ›")
        await pilot.press("down", "down", "down", "down", "enter")  # games
        await until(pilot, lambda: isinstance(app.screen, PromptScreen))
        for key in ("9", "9", "9", "enter"):
            await pilot.press(key)
        await shows(pilot, "less than or equal to 512")
        for key in (*3 * ("backspace",), "4", "enter"):
            await pilot.press(key)
        await shows(pilot, "games             4")
        await pilot.press("end", "up", "enter")
        await shows(pilot, "yes: it continues when you leave")
        await pilot.press("end", "enter")
        await until(pilot, lambda: app.choice is not None)
    wanted = {"agent": "dqn", "num_envs": "4", "save_dir": str(tmp_path / "none")}
    assert app.choice == NewRun(wanted, is_detached=True)


async def test_a_rom_that_cannot_be_played_is_refused_in_words(tmp_path: Path) -> None:
    async with started(tmp_path / "none", size=(120, 40)) as (pilot, app):
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewRunScreen))
        await pilot.press("home", "enter")
        await until(pilot, lambda: isinstance(app.screen, PromptScreen))
        await pilot.press(*"/no.gbc", "enter")
        await shows(pilot, "no.gbc", "ROM")
        assert isinstance(app.screen, PromptScreen)
        await pilot.press("escape", "escape")
    assert app.choice is None


async def test_a_saved_run_is_gone_on_with(saves: Path) -> None:
    unsaved = make_run(saves, seed=3, is_saved=False)
    async with started(saves) as (pilot, app):
        await pilot.press("2")
        await shows(pilot, "enter resume", unsaved)
        screen = app.screen
        screen.menu.choose(unsaved)
        await shows(pilot, "It has no checkpoint to resume from.")
        assert app.choice is None
        saved = next(row.key for row in screen.menu.rows if not row.why_not)
        screen.menu.mark(saved)
        await pilot.press("enter")
        await until(pilot, lambda: app.choice is not None)
    assert app.choice == ResumeRun(saved)


async def test_live_runs_are_attached_to(saves: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with started(saves) as (pilot, app):
        assert "no run in the background" in screen_text(pilot)
        app._live = ("one", "two")
        app._list()
        await shows(pilot, "2 in the background: one, two")
        await pilot.press("a")
        await pilot.pause()
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.choice is not None)
    assert app.choice == AttachRun("two")


async def test_a_recorded_episode_is_picked_among_all(saves: Path) -> None:
    async with started(saves, size=(120, 40)) as (pilot, app):
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, RecordingsScreen))
        await shows(pilot, "✓ success", "32.00")
        await pilot.press("slash")
        await until(pilot, lambda: isinstance(app.screen, PromptScreen))
        await pilot.press(*"success >21", "enter")
        await shows(pilot, "1 of 6: success >21")
        await pilot.press("enter")
        await until(pilot, lambda: app.choice is not None)
    assert isinstance(app.choice, ReplayEpisode)
    assert app.choice.number == 2


async def test_demonstrations_stand_beside_the_episodes(saves: Path, tmp_path: Path) -> None:
    (saves / "demos" / "mine").mkdir(parents=True)
    config = RunConfig(save_dir=str(tmp_path / "elsewhere"))
    path, demo = record_actions(bytes((7, 7, 0)), config, saves / "demos" / "mine", by="human")
    write_demo(path, replace(demo, task="Walk to the door", tags=frozenset({"clean"})))
    (saves / "demos" / "20200101-000000-bad.demo").write_bytes(b"no demonstration")
    async with started(saves, size=(120, 40)) as (pilot, app):
        await pilot.press("e")
        await shows(pilot, "human", "in mine · clean · Walk", "! damaged", "ep 3")
        screen = app.screen
        assert len(screen.menu.rows) == 8
        await pilot.press("end", *["up"] * 6)
        await pilot.press("slash")
        await until(pilot, lambda: isinstance(app.screen, PromptScreen))
        await pilot.press(*"demo door", "enter")
        await until(pilot, lambda: len(screen.menu.rows) == 1)
        await pilot.press("enter")
        await until(pilot, lambda: app.choice is not None)
    assert app.choice == WatchDemo(str(path))


async def test_an_episode_of_a_run_is_picked(saves: Path) -> None:
    async with started(saves) as (pilot, app):
        await pilot.press("p")
        await shows(pilot, "Replay: an episode of", "21.00", "22.00")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, RecordingsScreen))
        await shows(pilot, "✓ success")
        await pilot.press("enter")
        await until(pilot, lambda: app.choice is not None)
    assert isinstance(app.choice, ReplayEpisode)
    assert app.choice.number == 3


@pytest.mark.parametrize(("key", "screen"), [("d", DoctorScreen), ("s", SettingsScreen)])
async def test_doctor_and_settings_are_shown(tmp_path: Path, key: str, screen: type) -> None:
    async with started(tmp_path / "none") as (pilot, app):
        await pilot.press(key)
        await until(pilot, lambda: isinstance(app.screen, screen))
        if key == "d":
            await shows(pilot, "✓ Python")
        await pilot.press("escape")
        await until(pilot, lambda: len(app.screen_stack) == 1)


async def test_the_mouse_does_the_same(saves: Path) -> None:
    async with started(saves, size=(120, 40)) as (pilot, app):
        await pilot.click("#start_menu", offset=(8, 1))
        await until(pilot, lambda: isinstance(app.screen, RunsScreen))
        await shows(pilot, "21.00", "22.00")
        await pilot.click("#listing_menu", offset=(8, 1))
        await until(pilot, lambda: app.choice is not None)
    assert isinstance(app.choice, ResumeRun)


async def test_arrows_and_letters_move_the_mark_and_the_notice_stays(tmp_path: Path) -> None:
    async with started(tmp_path / "none", notice="Saved at step 300.", marked="doctor") as (
        pilot,
        app,
    ):
        await shows(pilot, "Saved at step 300.", "▸ 9")
        await pilot.press("k", "up", "j")
        await shows(pilot, "▸ 8")
        await pilot.press("end")
        await shows(pilot, "▸   q  Quit")
        await pilot.press("enter")
    assert app.choice is None


async def test_battles_ask_for_their_simulator_or_what_is_to_be_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POKETUI_SHOWDOWN", str(tmp_path))
    async with started(tmp_path / "none") as (pilot, app):
        await pilot.press("b")
        await shows(pilot, "poketui vgc setup")
        simulator = tmp_path / "pokemon-showdown" / "dist" / "sim" / "index.js"
        simulator.parent.mkdir(parents=True)
        simulator.touch()
        await pilot.press("b")
        await shows(pilot, "Play against the latest policy", "Train a policy")
        await pilot.press("down", "enter")
    assert app.choice == BattleChoice("heuristics")


def test_recordings_are_listed_newest_first(saves: Path) -> None:
    rows = recorded(str(saves))
    assert [row.number for row in rows] == [3, 2, 1, 3, 2, 1]
    assert len({row.run_id for row in rows[:3]}) == 1
    assert [row.number for row in rows if row.matches("fail <12")] == [1, 1][
        : len([row for row in rows if row.total_reward < 12])
    ]


def test_start_screen_imports_nothing_slow() -> None:
    code = "from pokeTUI.app.start.app import StartApp\nStartApp()"
    assert loaded_of({"torch", "pyboy", "pydantic", "gymnasium"}, code) == "[]\n"
