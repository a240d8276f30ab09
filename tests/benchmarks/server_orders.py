"""Convert all orders of real requests there and back: `python -m tests.benchmarks.server_orders`.

Battles on a server of our own, in every format, until 10,000 requests have come. With `--record`
one battle of each format is written to the file that tests/engine/battles/test_orders.py reads.
"""

import argparse
import asyncio
import json
import lzma
from pathlib import Path
from typing import Any

from poke_env.battle import AbstractBattle, DoubleBattle
from poke_env.player import DoubleBattleOrder, RandomPlayer

from engine.battles.sim.connection import client_options
from engine.battles.sim.orders import from_actions, to_actions, to_code, to_order
from engine.battles.sim.server import ShowdownServer
from engine.battles.sim.setup import find_simulator
from engine.battles.sim.teams import FORMATS, pool

RECORDED = Path(__file__).parents[1] / "engine" / "battles" / "server_battles.json.xz"


class CheckingPlayer(RandomPlayer):
    """Chooses at random, after converting every order that poke-env knows there and back."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_concurrent_battles=5, accept_open_team_sheet=True, **options)
        self.requests = 0
        self.orders = 0
        self.messages: list[str] = []

    async def _handle_battle_message(self, split_messages: list[list[str]]) -> None:
        self.messages.append("\n".join("|".join(parts) for parts in split_messages))
        await super()._handle_battle_message(split_messages)

    def choose_move(self, battle: AbstractBattle) -> DoubleBattleOrder:
        assert isinstance(battle, DoubleBattle)
        known = DoubleBattleOrder.join_orders(*battle.valid_orders)
        codes = [to_code(order, battle) for order in known]
        assert len(set(codes)) == len(known)
        for code, order in zip(codes, known, strict=True):
            assert to_order(code, battle).message == order.message
            assert from_actions(to_actions(code, battle), battle) == code
        self.requests += 1
        self.orders += len(known)
        return self.choose_random_doubles_move(battle)


def replay(format: str, team: str, messages: list[str]) -> CheckingPlayer:
    """Give a player that is not connected what the server once said; return it."""

    async def play() -> CheckingPlayer:
        player = CheckingPlayer(
            battle_format=format, team=team, **client_options("checkera", "127.0.0.1:0")
        )

        async def send(*arguments: Any, **named: Any) -> None:
            return

        player.ps_client.send_message = send  # type: ignore[method-assign]
        for message in messages:
            await player._handle_battle_message([line.split("|") for line in message.split("\n")])
        return player

    return asyncio.run(play())


async def _play(address: str, format: str, team: str, battles: int) -> CheckingPlayer:
    first, second = (
        CheckingPlayer(battle_format=format, team=team, **client_options(name, address))
        for name in ("checkera", "checkerb")
    )
    failed: list[Any] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda loop, context: failed.append(context))
    listening = [
        asyncio.create_task(player.ps_client.listen())  # type: ignore[no-untyped-call]
        for player in (first, second)
    ]
    try:
        await first.ps_client.logged_in.wait()
        await asyncio.wait_for(first.battle_against(second, n_battles=battles), 600 + 5 * battles)
    finally:
        if failed:
            print(failed[0])
        for task in listening:
            task.cancel()
        await asyncio.gather(*listening, return_exceptions=True)
    first.requests += second.requests
    first.orders += second.orders
    return first


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    recorded, requests, orders = [], 0, 0
    with ShowdownServer(find_simulator()) as server:
        while requests < arguments.requests:
            for format in FORMATS:
                for team in pool(format)[: 1 if arguments.record else None]:
                    played = asyncio.run(
                        _play(server.address, format.id, team.packed, 1 if arguments.record else 20)
                    )
                    requests, orders = requests + played.requests, orders + played.orders
                    recorded.append((format.id, team.packed, played.messages))
                    print(f"{format.id} {team.name}: {requests:,} requests, {orders:,} orders")
            if arguments.record:
                RECORDED.write_bytes(lzma.compress(json.dumps(recorded).encode()))
                return


if __name__ == "__main__":
    main()
