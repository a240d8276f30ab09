"""Look at served runs with a real browser, as a person does."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from aiohttp import web

from engine.remote.folder import FOLDER_VARIABLE
from tests.engine.processes import children, is_gone, wait_until
from tests.pokeTUI.chromium import LIMIT_S, Page, chromium
from tests.pokeTUI.in_process import ROOT
from tests.pokeTUI.test_serve import read_pids, server_process

pytestmark = [pytest.mark.slow, pytest.mark.tool("chromium")]

RUN = ("--envs", "4", "--workers", "1")


@contextmanager
def program(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PYTHONWARNINGS": "ignore",
        FOLDER_VARIABLE: str(folder / "sockets"),
        "POKETUI_CONFIG_DIR": str(folder / "config"),
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "pokeTUI", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=folder,
        env=environment,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def finish(folder: Path, *arguments: str) -> str:
    with program(folder, *arguments) as process:
        said, _ = process.communicate(timeout=300)
    assert process.returncode == 0, said
    return said


@pytest.fixture
def live() -> Iterator[Path]:
    """A folder in whose sockets one run continues; a socket's path must not be long."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        preferences = folder / "config" / "preferences.toml"
        preferences.parent.mkdir()
        preferences.write_text("has_seen_first_run = true\n")
        finish(folder, "run", "--detach", *RUN)
        try:
            yield folder
        finally:
            finish(folder, "stop", "--now")


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    with program(folder, "serve", "--port", "0", *options) as process:
        yield process, read_address(process)


def read_address(process: subprocess.Popen[str]) -> str:
    said = ""
    while line := process.stdout.readline():
        said += line
        if found := re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", line):
            return found[0]
    raise AssertionError(said)


def check_requests(page: Page, address: str) -> None:
    """Check that all that was asked for is on this machine's one port, and that nothing failed."""
    host = address.split("/")[2]
    assert len(page.requested) >= 7, page.requested
    places = (f"http://{host}/", f"ws://{host}/", "data:,")
    strangers = [asked for asked in page.requested if not asked.startswith(places)]
    assert strangers == []
    refused = [line for line in page.said if "Content Security Policy" in line or "error" in line]
    assert refused == [], page.said


async def test_a_page_shows_a_terminal_that_takes_keys_and_fits(tmp_path: Path) -> None:
    async with chromium(tmp_path) as browser:
        with server_process(tmp_path) as (_, address):
            page = await browser.open(address)
            await page.comes_to_show("nothing pressed")
            before = await page.screenshot()
            await page.press("a")
            await page.comes_to_show("pressed a")
            assert await page.comes_to_look_unlike(before)
            await page.resize(800, 500)
            assert await page.comes_true("caught.terminal.cols < 120")
            columns, rows = await page.evaluate("[caught.terminal.cols, caught.terminal.rows]")
            await page.comes_to_show("pressed a", "✗", f"{columns}x{rows}")
            assert await page.evaluate("location.search") == ""
            font = "document.fonts.check(\"13px 'Roboto Mono'\")"
            assert await page.evaluate(font) is True
            check_requests(page, address)


async def test_the_page_says_why_the_viewer_ended_and_opens_it_again(tmp_path: Path) -> None:
    async with chromium(tmp_path) as browser:
        with server_process(tmp_path) as (process, address):
            page = await browser.open(address)
            await page.comes_to_show("nothing pressed")
            await page.press("q")
            reason = "document.getElementById('reason').textContent"
            assert await page.comes_true(f"{reason} == 'The run has ended.'")
            await page.evaluate("window.isOld = true; document.getElementById('again').click()")
            assert await page.comes_true("window.isOld === undefined")
            await page.comes_to_show("nothing pressed")
            process.send_signal(signal.SIGTERM)
            assert await page.comes_true(f"{reason}.includes('poketui serve')")


async def test_a_hostile_page_on_this_machine_gets_nothing(tmp_path: Path) -> None:
    """It knows every address, and the browser has the cookie."""

    async def answer(request: web.BaseRequest) -> web.Response:
        return web.Response(text="<!DOCTYPE html><p>hostile", content_type="text/html")

    hostile = web.ServerRunner(web.Server(answer))
    await hostile.setup()
    try:
        site = web.TCPSite(hostile, "127.0.0.1", 0)
        await site.start()
        port = hostile.addresses[0][1]
        async with chromium(tmp_path) as browser:
            with server_process(tmp_path) as (_, address):
                page = await browser.open(address)
                await page.comes_to_show("nothing pressed")
                terminal = await page.evaluate("caught.websocket_url")
                viewers = read_pids(tmp_path / "pids")
                other = await browser.open(f"http://127.0.0.1:{port}/")
                assert await other.comes_true("document.body?.innerText == 'hostile'")
                await other.evaluate(
                    f"var outcome = ''; let it = new WebSocket('{terminal}?width=80&height=24');"
                    "it.onopen = () => outcome = 'opened';"
                    "it.onerror = () => outcome = 'refused'; 0"
                )
                assert await other.comes_true("outcome != ''")
                assert await other.evaluate("outcome") == "refused"
                path = terminal.partition("/ws/")[0].replace("ws://", "http://")
                await other.evaluate(
                    f"outcome = ''; fetch('{path}/', {{credentials: 'include', mode: 'no-cors'}})"
                    ".then(answer => outcome = answer.type, () => outcome = 'refused'); 0"
                )
                assert await other.comes_true("outcome != ''")
                assert await other.evaluate("outcome") == "refused"
                assert read_pids(tmp_path / "pids") == viewers
    finally:
        await hostile.cleanup()


async def test_a_browser_watches_a_run_and_cannot_steer_it(live: Path, tmp_path: Path) -> None:
    async with chromium(tmp_path) as browser:
        with serving(live) as (process, address):
            page = await browser.open(address)
            await page.comes_to_show("Mosslight", "steps", "Party and place")
            before = await page.screenshot()
            await page.press("C")
            await page.comes_to_show("read-only")
            await page.press("p")
            await page.press("?")
            await page.comes_to_show("esc back")
            assert await page.comes_to_look_unlike(before)
            await page.press("?")
            steps = await shown_steps(page)
            assert await comes_to_rise(page, steps)
            assert "paused" not in (await page.terminal()).splitlines()[0]
            check_requests(page, address)
            viewers = children(process.pid)
            assert len(viewers) == 1
            process.send_signal(signal.SIGINT)
            assert process.wait(LIMIT_S) == 0
            assert wait_until(lambda: all(is_gone(pid) for pid in viewers), LIMIT_S)


async def test_a_browser_steers_a_run_where_that_is_allowed(live: Path, tmp_path: Path) -> None:
    async with chromium(tmp_path) as browser:
        with serving(live, "--control") as (_, address):
            page = await browser.open(address)
            await page.comes_to_show("Mosslight", "steps", "Party and place")
            await page.press("C")
            await page.comes_to_show("pause")
            await page.press("p")
            await page.comes_to_show("paused")
            await page.press("p")
            await page.comes_to_show("playing")


async def shown_steps(page: Page) -> int:
    shown = await page.comes_to_show(" steps ")
    found = re.search(r"([\d,]+) steps ", shown)
    return int(found[1].replace(",", ""))


async def comes_to_rise(page: Page, steps: int) -> bool:
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        with contextlib.suppress(AssertionError):
            if await shown_steps(page) > steps:
                return True
    return False
