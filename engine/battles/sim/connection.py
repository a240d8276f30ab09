"""Connect to a battle server by poke-env, with logins and errors of our own.

poke-env sends and receives our messages; only its own players use its model of a battle.
Importing this raises ConfigurationError where poke-env is not installed.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from engine.errors import ConfigurationError, WorkerError

try:
    from poke_env import AccountConfiguration, ServerConfiguration
    from poke_env.player import MaxBasePowerPlayer, Player, RandomPlayer, SimpleHeuristicsPlayer
    from poke_env.ps_client import PSClient
    from websockets.asyncio.client import connect
    from websockets.exceptions import InvalidHandshake
except ModuleNotFoundError:
    raise ConfigurationError(
        "Battles over a websocket need the package poke-env, which is not installed.",
        "Install it: pip install 'poketui[vgc]'.",
    ) from None

PLAYERS: Mapping[str, Callable[..., Player]] = MappingProxyType(
    {"random": RandomPlayer, "max_power": MaxBasePowerPlayer, "heuristics": SimpleHeuristicsPlayer}
)
"""poke-env's own players, by our names for them."""
_SILENT = 60
"""A log level above all of poke-env's."""
_LOGIN_TIMEOUT_S = 240.0
"""Longer than any working server takes; a refused name is answered at once."""
_OPEN_TIMEOUT_S = 30.0
_FIRST_PAUSE_S = 1.0
"""Before the second try to connect; it doubles with each."""
_PING_S = 60.0


def poke_env_player(
    kind: str, name: str, address: str, format: str, team: str, at_once: int
) -> Player:
    """Return one of poke-env's players; `player.ps_client.listen` connects it.

    Args:
        kind: A name in `PLAYERS`.
        name: Its name on the server.
        address: host:port.
        format: By the server's name.
        team: Packed.
        at_once: How many battles it may play at the same time.
    """
    player = PLAYERS[kind](
        battle_format=format,
        team=team,
        max_concurrent_battles=at_once,
        accept_open_team_sheet=True,
        **client_options(name, address),
    )
    player.ps_client.listen = partial(_listen, player.ps_client)  # type: ignore[method-assign]
    return player


async def _listen(client: PSClient) -> None:
    """Connect, again if the server is too busy to answer in time, and handle its messages.

    poke-env's own `listen` connects once, even through proxies, and hides errors.

    Raises:
        OSError: Nothing listens there.
        WebSocketException: It is no battle server, or the connection is lost.
    """
    pause_s = _FIRST_PAUSE_S
    while True:
        try:
            async with connect(
                client.websocket_url,
                proxy=None,
                max_queue=None,
                open_timeout=_OPEN_TIMEOUT_S,
                ping_interval=_PING_S,
                ping_timeout=_PING_S,
            ) as client.websocket:
                async for message in client.websocket:
                    task = asyncio.create_task(client._handle_message(str(message)))
                    client._active_tasks.add(task)
                    task.add_done_callback(client._active_tasks.discard)
                return
        except TimeoutError:
            await asyncio.sleep(pause_s)
            pause_s *= 2


def client_options(name: str, address: str) -> dict[str, Any]:
    """Return a client's options for a user of a server without accounts."""
    return {
        "account_configuration": AccountConfiguration(name, None),
        "server_configuration": ServerConfiguration(f"ws://{address}/showdown/websocket", ""),
        "start_listening": False,
        "log_level": _SILENT,
        "loop": asyncio.get_running_loop(),
    }


class ServerClient(PSClient):
    """poke-env's client, with our login, and with the server's popups, which it would only log.

    Attributes:
        has_answered: We are logged in, or refused.
        refusal: Why we are refused, or "".
    """

    def __init__(
        self,
        name: str,
        address: str,
        on_battle_message: Callable[[list[list[str]]], Awaitable[None]],
        on_challenge_request: Callable[[list[str]], Awaitable[None]],
        on_popup: Callable[[str], None],
    ) -> None:
        super().__init__(
            on_battle_message=on_battle_message,
            on_challenge_request=on_challenge_request,
            **client_options(name, address),
        )
        self.address = address
        self._on_popup = on_popup
        self.has_answered = asyncio.Event()
        self.refusal = ""

    async def listen(self) -> None:
        """Handle the server's messages, see `_listen`."""
        await _listen(self)

    async def log_in(self, split_message: list[str]) -> None:
        """Send our name; poke-env's own `log_in` gives up after 5 s."""
        await self.send_message(f"/trn {self.username},0,")

    async def until_logged_in(self) -> None:
        """Wait until the server has accepted us: a busy one may take long.

        Raises:
            WorkerError: It refuses us, or does not answer.
        """
        try:
            async with asyncio.timeout(_LOGIN_TIMEOUT_S):
                await self.has_answered.wait()
        except TimeoutError:
            raise WorkerError(
                f"The battle server at {self.address} did not answer in {_LOGIN_TIMEOUT_S:.0f} s: "
                "it hangs, or this machine is too busy.",
                "Try again when less is running, or start the server again.",
            ) from None
        if self.refusal:
            raise WorkerError(
                f"The battle server at {self.address} does not let {self.username} in: "
                f"{self.refusal}",
                "Use another name.",
            )

    def why_lost(self, error: BaseException | None) -> WorkerError:
        """Return the error for a connection that was lost before the login."""
        if isinstance(error, OSError):
            return WorkerError(
                f"No battle server answers at {self.address}.", "Start one: poketui vgc server."
            )
        if isinstance(error, InvalidHandshake):
            return WorkerError(
                f"What answers at {self.address} is no battle server.",
                "Use the address that poketui vgc server printed.",
            )
        return WorkerError(f"The battle server at {self.address} hung up.", "Try again.")

    async def _handle_message(self, message: str) -> None:
        kind, *parts = message.partition("\n")[0].removeprefix("|").split("|")
        if kind == "popup":
            self._on_popup(message.removeprefix("|popup|").replace("||", " "))
        elif kind == "nametaken":
            self._answer(parts[-1])
        else:
            await super()._handle_message(message)
            if self.logged_in.is_set():
                self._answer("")
            elif kind == "updateuser" and parts[1:2] == ["1"]:
                self._answer(f"it would be {parts[0].strip()!r} there.")

    def _answer(self, refusal: str) -> None:
        if not self.has_answered.is_set():
            self.refusal = refusal
            self.has_answered.set()
