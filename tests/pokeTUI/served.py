"""Run a real server on loopback, and ask it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp

from pokeTUI.serve.connections import COOKIE, Guard, address_of, listen
from pokeTUI.serve.server import BrowserServer
from pokeTUI.serve.statistics import StatisticsSite

LIMIT_S = 180.0
"""A machine may be slow, and others at work on it."""


@dataclass(frozen=True)
class Served:
    """A server that runs, as somebody sees it who asks."""

    address: str
    guard: Guard
    client: aiohttp.ClientSession
    stop: asyncio.Event

    @property
    def host(self) -> str:
        return self.address.split("/")[2]

    @property
    def port(self) -> int:
        return int(self.host.partition(":")[2])

    @property
    def cookie(self) -> dict[str, str]:
        return {"Cookie": f"{COOKIE}={self.guard.key}"}

    async def status(self, path: str, **headers: str) -> int:
        async with self.client.get(f"http://{self.host}{path}", headers=headers) as response:
            await response.read()
            return response.status


@asynccontextmanager
async def serving(server: BrowserServer | StatisticsSite) -> AsyncIterator[Served]:
    """Run a server until the block ends."""
    stop, listener = asyncio.Event(), listen(0, "--port")
    running = asyncio.create_task(server.run(listener, stop))
    try:
        async with aiohttp.ClientSession() as client:
            yield Served(address_of(listener, server.guard), server.guard, client, stop)
    finally:
        stop.set()
        await running
