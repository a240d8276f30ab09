"""Drive a real headless Chromium by its DevTools protocol."""

import asyncio
import base64
import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

from tests.engine.processes import wait_until
from tests.tools import find_tool

LIMIT_S = 180.0
_OPTIONS = (
    "--headless=new --no-sandbox --remote-debugging-port=0 --window-size=1280,800 --disable-gpu "
    "--disable-dev-shm-usage --disable-background-networking --no-first-run"
)

# textual.js keeps its terminal to itself; the object that has it sets this attribute first.
_CATCH_TERMINAL = """
Object.defineProperty(Object.prototype, "websocket_url", {
  configurable: true,
  set(value) {
    window.caught = this;
    Object.defineProperty(this, "websocket_url", { value, writable: true });
  },
});
"""
_READ_TERMINAL = """
(() => {
  const buffer = window.caught?.terminal?.buffer?.active;
  if (!buffer) return "";
  const lines = [];
  for (let row = 0; row < window.caught.terminal.rows; row++)
    lines.push(buffer.getLine(buffer.viewportY + row)?.translateToString(true) ?? "");
  return lines.join("\\n");
})()
"""


async def _comes(is_so: Callable[[], Awaitable[Any]]) -> bool:
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        if await is_so():
            return True
        await asyncio.sleep(0.1)
    return False


class Page:
    """A tab.

    Attributes:
        requested: Every address that was asked for.
        said: What the page wrote to its console, and what its policy refused.
    """

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._next = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.requested: list[str] = []
        self.said: list[str] = []
        self._reader = asyncio.create_task(self._read())

    async def open(self, address: str) -> None:
        for domain in ("Page", "Network", "Runtime", "Log"):
            await self._call(f"{domain}.enable")
        await self._call("Page.addScriptToEvaluateOnNewDocument", source=_CATCH_TERMINAL)
        await self._call("Page.navigate", url=address)

    async def close(self) -> None:
        self._reader.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._reader
        await self._socket.close()

    async def evaluate(self, expression: str) -> Any:
        result = await self._call("Runtime.evaluate", expression=expression, returnByValue=True)
        return result.get("result", {}).get("value")  # nothing, while another page is loaded

    async def terminal(self) -> str:
        """Return what the terminal in the page shows."""
        return str(await self.evaluate(_READ_TERMINAL))

    async def comes_to_show(self, *texts: str) -> str:
        """Return what the terminal shows, once that has all `texts`."""
        shown = ""

        async def is_shown() -> bool:
            nonlocal shown
            shown = await self.terminal()
            return all(text in shown for text in texts)

        assert await _comes(is_shown), f"never saw {texts} in\n{shown}\n{self.said}"
        return shown

    async def comes_true(self, expression: str) -> bool:
        return await _comes(lambda: self.evaluate(expression))

    async def comes_to_look_unlike(self, picture: bytes) -> bool:
        """Wait for another picture: what the terminal has is painted a moment later."""

        async def is_other() -> bool:
            return await self.screenshot() != picture

        return await _comes(is_other)

    async def press(self, key: str) -> None:
        """Press a key that writes its own letter."""
        code = f"Key{key.upper()}" if key.isalpha() else ""
        facts = {"key": key, "code": code, "windowsVirtualKeyCode": ord(key.upper())}
        await self._call("Input.dispatchKeyEvent", type="keyDown", text=key, **facts)
        await self._call("Input.dispatchKeyEvent", type="keyUp", **facts)

    async def screenshot(self) -> bytes:
        """Return a PNG of what is to be seen."""
        result = await self._call("Page.captureScreenshot", format="png")
        return base64.b64decode(result["data"])

    async def resize(self, width: int, height: int) -> None:
        """Make the window another size, in pixels."""
        facts = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        await self._call("Emulation.setDeviceMetricsOverride", **facts)

    async def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._next += 1
        answer = self._waiting[self._next] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": self._next, "method": method, "params": parameters})
        async with asyncio.timeout(LIMIT_S):
            return await answer

    async def _read(self) -> None:
        async for message in self._socket:
            said = json.loads(message.data)
            match said:
                case {"id": number}:
                    self._waiting.pop(number).set_result(said.get("result", said))
                case {"method": "Network.requestWillBeSent", "params": {"request": request}}:
                    self.requested.append(request["url"])
                case {"method": "Network.webSocketCreated", "params": {"url": address}}:
                    self.requested.append(address)
                case {"method": "Log.entryAdded", "params": {"entry": entry}}:
                    self.said.append(f"{entry['level']}: {entry['text']}")
                case {"method": "Runtime.consoleAPICalled", "params": {"args": words}}:
                    self.said.append(" ".join(str(word.get("value")) for word in words))
                case {"method": "Runtime.exceptionThrown", "params": {"exceptionDetails": details}}:
                    self.said.append(f"error: {details}")


@asynccontextmanager
async def chromium(folder: Path) -> AsyncIterator["Browser"]:
    """Start the browser with a profile of its own in `folder`."""
    program = find_tool("chromium")
    profile = folder / "profile"
    process = subprocess.Popen(
        [program, *_OPTIONS.split(), f"--user-data-dir={profile}", "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        told = profile / "DevToolsActivePort"
        assert await asyncio.to_thread(
            wait_until, lambda: told.exists() and "\n" in told.read_text()
        )
        port = int(told.read_text().split()[0])
        async with aiohttp.ClientSession() as session:
            browser = Browser(session, port)
            try:
                yield browser
            finally:
                await browser.close()
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


class Browser:
    """A running Chromium."""

    def __init__(self, session: aiohttp.ClientSession, port: int) -> None:
        self._session = session
        self._address = f"http://127.0.0.1:{port}"
        self._pages: list[Page] = []

    async def open(self, address: str) -> Page:
        """Open a tab."""
        async with self._session.put(f"{self._address}/json/new?about:blank") as response:
            target = await response.json()
        socket = await self._session.ws_connect(target["webSocketDebuggerUrl"], max_msg_size=0)
        page = Page(socket)
        self._pages.append(page)
        await page.open(address)
        return page

    async def close(self) -> None:
        for page in self._pages:
            await page.close()
