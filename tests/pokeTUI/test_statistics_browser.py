"""Look at the statistics page of a real run with a real browser, as a person does."""

import re
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pokeTUI.chromium import LIMIT_S, Page, chromium
from tests.pokeTUI.test_serve_browser import check_requests, program, read_address

pytestmark = [pytest.mark.slow, pytest.mark.tool("chromium")]

HEADLESS = ("run", "--headless", "--workers", "1", "--save-dir", "saves")
SHORT = ("--envs", "4", "--set", "env.max_steps=40", "--set", "ppo.rollout_steps=32")
SIZES = ((390, 844), (1440, 900))


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short name: its sockets have one that is longer."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


async def shows(page: Page, words: str) -> bool:
    return await page.comes_true(f"document.body.innerText.includes({words!r})")


async def test_a_page_shows_a_run_its_end_and_finds_it_again(folder: Path, tmp_path: Path) -> None:
    async with chromium(tmp_path) as browser:
        with program(folder, *HEADLESS, *SHORT, "--web-port", "0") as run:
            address = read_address(run)
            page = await browser.open(address)
            picture = "document.getElementById('screen')"
            assert await page.comes_true(f"{picture}.naturalWidth == 160 && !{picture}.hidden")
            assert await page.comes_true("document.querySelectorAll('#curves .mean').length > 3")
            assert await shows(page, "Go downstairs")
            assert await shows(page, "exploration")
            assert await page.evaluate("location.search") == ""
            for width, height in SIZES:
                await page.resize(width, height)
                assert await page.comes_true(f"innerWidth == {width}")
                wide = (
                    "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
                )
                assert await page.comes_true(wide), width
            check_requests(page, address)
            run.send_signal(signal.SIGINT)
            assert await shows(page, "The run has ended at step")
            assert run.wait(LIMIT_S) in (0, 130)
            assert await shows(page, "open the address that is printed then")
        port = re.findall(r":(\d+)/", address)[0]
        with program(folder, *HEADLESS, "--resume", "--web-port", port) as run:
            again = read_address(run)
            assert again != address
            assert await shows(page, "The address is not valid any more")
            page = await browser.open(again)
            assert await shows(page, "acting")
