"""The start screen's pages at three sizes in two themes, against what they looked like before."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot

from engine.config import RunConfig
from engine.demos.demonstration import Demonstration, write_demo
from engine.demos.recorder import record_actions
from pokeTUI.app.start.app import StartApp
from tests.pokeTUI.snapshot import compare, draw
from tests.pokeTUI.test_snapshots import LOOKS
from tests.pokeTUI.test_start import shows, until

PAGES = {"start": (), "new_run": ("n",), "recordings": ("e",)}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demonstration:
    folder = tmp_path_factory.mktemp("made")
    _, demo = record_actions(bytes((7, 7, 0, 5)), RunConfig(save_dir=str(folder)), folder)
    return replace(demo, by="human", task="Walk to the door", tags=frozenset({"clean", "door"}))


@pytest.mark.slow
@pytest.mark.parametrize(("size", "theme"), LOOKS)
@pytest.mark.parametrize("page", PAGES)
async def test_the_page_looks_as_before(
    page: str,
    size: tuple[int, int],
    theme: str,
    demo: Demonstration,
    config_dir: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (config_dir / "preferences.toml").write_text(f'theme = "{theme}"\n', encoding="utf-8")
    (tmp_path / "runtime").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.chdir(tmp_path)
    write_demo(Path("saves/demos/20261122-101500-human-001.demo"), demo)
    write_demo(Path("saves/demos/doors/20261122-101600-human-002.demo"), demo)
    Path("saves/demos/20261122-101700-human-003.demo").write_bytes(b"no demonstration")
    app = StartApp("saves")
    async with app.run_test(size=size) as pilot:
        app.animation_level = "none"
        await shows(pilot, "no saved run yet", "newest first")
        await pilot.press(*PAGES[page])
        await _comes(pilot, page)
        await asyncio.sleep(0)
        compare(f"{page}-{size[0]}x{size[1]}-{theme}", draw(app))


async def _comes(pilot: Pilot[None], page: str) -> None:
    if page == "recordings":
        await shows(pilot, "! damaged", "in door")
    elif page == "new_run":
        await until(pilot, lambda: type(pilot.app.screen).__name__ == "NewRunScreen")
        await shows(pilot, "MOSSLIGHT")
    await pilot.pause()
