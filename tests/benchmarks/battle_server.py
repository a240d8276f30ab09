"""Compare the battle simulator with poke-env's random players over a websocket (extra `vgc`).

`python -m tests.benchmarks.battle_server [--format FORMAT] [--battles N] [--lanes N] [--seed N]`
"""

import argparse
import asyncio
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from poke_env.player import Player

from engine.battles.sim.connection import poke_env_player
from engine.battles.sim.server import ShowdownServer
from engine.battles.sim.setup import NodeCommand, find_simulator
from engine.battles.sim.teams import DEFAULT_FORMAT, Format, find_format, pool
from engine.bench.battles import plan_lanes, play_lanes
from engine.bench.environment import Figure, print_table

TARGET_RATIO = 4
_SERVER_BATTLES = 200
_AT_ONCE = 25
_WARM_UP = 50
"""Battles until the server's code is compiled."""


def measure(format: Format, battles: int, lanes: int, seed: int) -> Iterator[Figure]:
    """Compare decisions a CPU second.

    Both play one team against itself: others make battles that cost more.
    """
    node, team = find_simulator(), pool(format)[0].packed
    own = play_lanes(plan_lanes(format, [team], battles, lanes, seed), node, seed, is_patched=True)
    server = measure_server(format, team, _SERVER_BATTLES, node)
    for name, rate, wall_rate in (
        ("the simulator, observations and masks included", own.rate, own.wall_rate),
        ("poke-env over a websocket", server.rate, server.wall_rate),
    ):
        text = f"{rate:,.0f} (of wall time {wall_rate:,.0f})"
        yield Figure(f"{name}, decisions a CPU second", rate, text)
    ratio = own.rate / server.rate
    is_met = ratio >= TARGET_RATIO
    yield Figure("ratio", ratio, f"{ratio:.1f}", f"at least {TARGET_RATIO}", is_met)


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
    listening = [asyncio.create_task(player.ps_client.listen()) for player in (first, second)]
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


def _count_decisions(player: Player) -> list[str]:
    """Return the list to which each decision that the player sends will be added."""
    sent: list[str] = []
    send = player.ps_client.send_message

    async def count(message: str, *arguments: Any, **named: Any) -> None:
        if message.startswith(("/choose", "/team")):
            sent.append(message[:5])
        await send(message, *arguments, **named)

    player.ps_client.send_message = count
    return sent


def _cpu_s(server: ShowdownServer) -> float:
    """Return the CPU time of this process and, by proc(5), the server."""
    fields = Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()
    ticks = int(fields[11]) + int(fields[12])  # utime and stime
    return ticks / os.sysconf("SC_CLK_TCK") + time.process_time()


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--format", default=DEFAULT_FORMAT.id)
    parser.add_argument("--battles", type=int, default=500, help="in the simulator")
    parser.add_argument("--lanes", type=int, default=16, help="battles at once in the simulator")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    format = find_format(args.format)
    print_table(measure(format, args.battles, args.lanes, args.seed), "value")


if __name__ == "__main__":
    main()
