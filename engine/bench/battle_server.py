"""Measure poke-env's random players over a websocket, which the simulator is compared with."""

import asyncio
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.battles.formats import Format
from engine.battles.server import ShowdownServer
from engine.battles.setup import NodeCommand
from engine.battles.websocket import listen, poke_env_player

if TYPE_CHECKING:
    from poke_env.player import Player

_AT_ONCE = 25
_WARM_UP = 50
"""Battles until the server's code is compiled."""


@dataclass(frozen=True, slots=True)
class ServerRate:
    """Decisions of both players, by CPU time of this process and the server, and by the clock."""

    rate: float
    wall_rate: float


def measure_server(format: Format, team: str, battles: int, node: NodeCommand) -> ServerRate:
    """Let two random players of poke-env meet on a server of our own, not patched.

    Both have the packed team.

    Raises:
        WorkerError: The server does not start.
        TimeoutError: The battles do not end.
    """
    with ShowdownServer(node) as server:
        return asyncio.run(_measure(server, format, team, battles))


async def _measure(server: ShowdownServer, format: Format, team: str, battles: int) -> ServerRate:
    first, second = (
        poke_env_player("random", name, server.address, format.id, team, _AT_ONCE)
        for name in ("benchone", "benchtwo")
    )
    listening = [asyncio.create_task(listen(player.ps_client)) for player in (first, second)]
    counts = [_count_decisions(player) for player in (first, second)]

    async def play(number: int) -> None:
        await asyncio.wait_for(first.battle_against(second, n_battles=number), 60 + 2 * number)

    try:
        await asyncio.wait_for(first.ps_client.logged_in.wait(), 60)
        await play(_WARM_UP)
        done, cpu_s, wall_s = sum(map(len, counts)), _cpu_s(server), time.perf_counter()
        await play(battles)
        done = sum(map(len, counts)) - done
        return ServerRate(done / (_cpu_s(server) - cpu_s), done / (time.perf_counter() - wall_s))
    finally:
        for task in listening:
            task.cancel()
        await asyncio.gather(*listening, return_exceptions=True)


def _count_decisions(player: "Player") -> list[str]:
    """Return the list to which each decision that the player sends will be added."""
    sent: list[str] = []
    send = player.ps_client.send_message

    async def count(message: str, *arguments: Any, **named: Any) -> None:
        if message.startswith(("/choose", "/team")):
            sent.append(message[:5])
        await send(message, *arguments, **named)

    player.ps_client.send_message = count  # type: ignore[method-assign]
    return sent


def _cpu_s(server: ShowdownServer) -> float:
    """Return the CPU time of this process and, by proc(5), the server."""
    fields = Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()
    ticks = int(fields[11]) + int(fields[12])  # utime and stime
    return ticks / os.sysconf("SC_CLK_TCK") + time.process_time()
