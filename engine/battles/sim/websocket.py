"""Play on a battle server as one of its users, with the simulator's observations.

poke-env sends and receives our messages; only its own players use its model of a battle.
Importing this raises ConfigurationError where poke-env is not installed.
"""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.battles.sim.simulator import Simulator
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

Act = Callable[
    [NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_]], NDArray[np.integer[Any]]
]
"""Return codes (n,) for observations (n, 1560), legal (n, 90) and is_preview (n,)."""


class Acting(Protocol):
    """Decides on choices, as `engine.battles.policy.Policy` does."""

    def act(
        self,
        observations: NDArray[np.float32],
        legal: NDArray[np.bool_],
        is_preview: NDArray[np.bool_],
        rng: np.random.Generator,
        greedy: bool = False,
    ) -> tuple[NDArray[np.integer[Any]], Any, Any]:
        """Return codes (n,), and two values that are not used here."""


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
_SHEETS_TIMEOUT_S = 40.0
"""Time for a person to accept or reject open team sheets."""


@dataclass(slots=True)
class ServerBattle:
    """A battle on the server; `result` is 1 (won), 0 (tie), -1 (lost) or None while it lasts."""

    room: str
    opponent: str = ""
    result: int | None = None
    turns: int = 0
    active_at: float = 0.0
    is_void: bool = False
    has_begun: bool = False
    lines: list[str] = field(default_factory=list)
    request: dict[str, Any] | None = None
    """The decision to make; None where there is none."""
    side: str = ""
    rqid: int = 0
    awaits_sheets: bool = False


class ServerPlayer:
    """Our user on a server: it answers every request of its battles by `act`.

    It must be made in the event loop that it runs in.

    Attributes:
        counts: "decisions", and the choices that were "rejected" and "trapped".
        battles: Those in progress, by room.
        started: How many have begun.
        active_at: When the last message about a battle came.
        accepts: Returns whether a user's challenge is accepted.
    """

    def __init__(
        self,
        name: str,
        address: str,
        format: str,
        team: str,
        eyes: Simulator,
        act: Act,
        on_end: Callable[[ServerBattle], None],
        *,
        has_timer: bool = False,
    ) -> None:
        self.name = name
        self._address = address
        self.format = format
        self.counts: Counter[str] = Counter()
        self.battles: dict[str, ServerBattle] = {}
        self.started = 0
        self.active_at = time.monotonic()
        self.popups: list[str] = []
        self.accepts: Callable[[str], bool] = lambda opponent: False
        self._team = team
        self._eyes = eyes
        self._act = act
        self._on_end = on_end
        self._has_timer = has_timer
        self._changed = asyncio.Event()
        self._is_flushing = False
        self._failure: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._client = _Client(
            on_battle_message=self._receive,
            on_challenge_request=self._answer_challenge,
            **client_options(name, address),
        )
        self._client.on_popup = self._take_popup

    async def run(self, *parts: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Log in, and run the parts concurrently until the first one ends.

        Raises:
            WorkerError: The server does not answer or refuses us, the connection or the simulator
                is lost, or another part ended first.
        """
        listening = asyncio.create_task(self._client.listen())
        tasks: list[asyncio.Future[Any]] = [listening]
        try:
            login = asyncio.create_task(self._log_in())
            tasks.append(login)
            await _first(login, listening)
            if not login.done():
                raise self._why_lost(listening.exception())
            login.result()
            running = [asyncio.create_task(part()) for part in parts]
            tasks += running
            await _first(listening, self._failure, *running)
            if self._failure.done():
                self._failure.result()
            if not running[0].done():
                raise WorkerError("The battle server stopped or does not answer.")
            running[0].result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until `is_so`, which is asked when something about our battles changes."""
        while not is_so():
            self._changed.clear()
            await self._changed.wait()

    async def challenge(self, opponent: str) -> None:
        """Challenge a user to a battle."""
        await self._client.challenge(opponent, self.format, self._team)

    async def search(self) -> None:
        """Ask the server for an opponent."""
        await self._client.search_ladder_game(self.format, self._team)

    async def forfeit(self, battle: ServerBattle) -> None:
        """Give a battle up."""
        await self._client.send_message("/forfeit", battle.room)

    async def _log_in(self) -> None:
        """Wait until the server has accepted us: a busy one may take long.

        Raises:
            WorkerError: It refuses us, or does not answer.
        """
        try:
            async with asyncio.timeout(_LOGIN_TIMEOUT_S):
                await self._client.has_answered.wait()
        except TimeoutError:
            raise WorkerError(
                f"The battle server at {self._address} did not answer in {_LOGIN_TIMEOUT_S:.0f} s: "
                "it hangs, or this machine is too busy.",
                "Try again when less is running, or start the server again.",
            ) from None
        if self._client.refusal:
            raise WorkerError(
                f"The battle server at {self._address} does not let {self.name} in: "
                f"{self._client.refusal}",
                "Use another name.",
            )

    def _why_lost(self, error: BaseException | None) -> WorkerError:
        """Return the error for a connection that was lost before the login."""
        if isinstance(error, OSError):
            return WorkerError(
                f"No battle server answers at {self._address}.", "Start one: poketui vgc server."
            )
        if isinstance(error, InvalidHandshake):
            return WorkerError(
                f"What answers at {self._address} is no battle server.",
                "Use the address that poketui vgc server printed.",
            )
        return WorkerError(f"The battle server at {self._address} hung up.", "Try again.")

    async def _answer_challenge(self, message: list[str]) -> None:
        opponent = message[2].strip()
        if len(message) < 6 or message[5] != self.format or opponent == self.name:
            return
        if self.accepts(opponent):
            await self._client.accept_challenge(opponent, self._team)
        else:
            await self._client.send_message(f"/reject {opponent}")

    def _take_popup(self, text: str) -> None:
        self.popups.append(text)
        self._changed.set()

    async def _receive(self, message: list[list[str]]) -> None:
        """Take the server's message about one battle."""
        room = message[0][0][1:]
        battle = self.battles.get(room)
        if battle is None:
            if not any(parts[1:2] == ["init"] for parts in message):
                return  # the battle is over
            battle = self.battles[room] = ServerBattle(room)
        battle.active_at = self.active_at = time.monotonic()
        try:
            for parts in message[1:]:
                await self._take_line(battle, parts)
            if battle.request and not battle.awaits_sheets and not self._is_flushing:
                self._is_flushing = True
                await asyncio.sleep(0)  # decide other battles' requests along with this
                self._is_flushing = False
                await self._decide()
        except Exception as error:  # this runs in poke-env's task, which would only log it
            if not self._failure.done():
                self._failure.set_exception(error)

    async def _take_line(self, battle: ServerBattle, parts: list[str]) -> None:
        kind = parts[1] if len(parts) > 1 else ""
        battle.lines.append("|".join(parts))
        if kind == "request" and parts[2]:
            battle.lines.pop()
            request = json.loads("|".join(parts[2:]))
            battle.side, battle.rqid = request["side"]["id"], request.get("rqid", 0)
            battle.request = None if request.get("wait") else request
        elif kind == "player" and len(parts) > 3 and parts[3] not in ("", self.name):
            battle.opponent = parts[3]
            if not battle.has_begun:
                battle.has_begun = True
                if self._has_timer:
                    await self._client.send_message("/timer on", battle.room)
                self.started += 1
                self._changed.set()
        elif kind == "turn":
            battle.turns = int(parts[2])
        elif kind == "uhtml" and parts[2] == "otsrequest":
            battle.awaits_sheets = True
            await self._client.send_message("/acceptopenteamsheets", battle.room)
            asyncio.get_running_loop().call_later(_SHEETS_TIMEOUT_S, self._end_wait, battle)
        elif (kind == "showteam" and parts[2] == "p2") or (
            len(parts) == 1 and parts[0].endswith(" rejected open team sheets.")
        ):
            battle.awaits_sheets = False
        elif kind == "error":
            await self._take_error(battle, parts[2])
        elif kind in ("win", "tie"):
            await self._end(battle, parts[2] if kind == "win" else None)

    def _end_wait(self, battle: ServerBattle) -> None:
        if battle.awaits_sheets and battle.result is None:
            battle.awaits_sheets = False
            asyncio.ensure_future(self._decide())  # noqa: RUF006 (the loop outlives it)

    async def _take_error(self, battle: ServerBattle, text: str) -> None:
        if text.startswith("[Unavailable choice]"):
            self.counts["trapped"] += 1  # a new request follows
        elif text.startswith("[Invalid choice]"):
            self.counts["rejected"] += 1
            await self._client.send_message("/choose default", battle.room)

    async def _end(self, battle: ServerBattle, winner: str | None) -> None:
        battle.result = 0 if winner is None else 1 if winner == self.name else -1
        battle.request = None
        self.battles.pop(battle.room, None)
        self._eyes.track(battle.room, self.format, battle.side, is_over=True)
        self._on_end(battle)
        self._changed.set()
        await self._client.send_message(f"/leave {battle.room}")

    async def _decide(self) -> None:
        """Answer all waiting requests."""
        waiting = [
            (battle, battle.request)
            for battle in self.battles.values()
            if battle.request and not battle.awaits_sheets
        ]
        if not waiting:
            return
        observations, legal, is_preview = [], [], []
        for battle, request in waiting:
            seen = self._eyes.track(battle.room, self.format, battle.side, battle.lines, request)
            battle.lines, battle.request = [], None
            assert seen.observation is not None
            assert seen.legal is not None
            observations.append(seen.observation)
            legal.append(seen.legal)
            is_preview.append(bool(request.get("teamPreview")))
        codes = self._act(np.stack(observations), np.stack(legal), np.array(is_preview))
        for (battle, _), code in zip(waiting, codes, strict=True):
            choice = self._eyes.track(battle.room, self.format, battle.side, code=int(code)).choice
            self.counts["decisions"] += 1
            await self._client.send_message(f"/choose {choice}|{battle.rqid}", battle.room)


def deciding(policy: Acting, rng: np.random.Generator, *, greedy: bool) -> Act:
    """Return a function by which a policy decides, with this generator."""
    return lambda observations, legal, is_preview: policy.act(
        observations, legal, is_preview, rng, greedy
    )[0]


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


async def _first(*tasks: "asyncio.Future[Any]") -> None:
    """Wait until one of the tasks has ended."""
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)


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


class _Client(PSClient):
    """poke-env's client, with our login, and with the server's popups, which it would only log.

    Attributes:
        has_answered: We are logged in, or refused.
        refusal: Why we are refused, or "".
    """

    on_popup: Callable[[str], None]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.has_answered = asyncio.Event()
        self.refusal = ""

    async def listen(self) -> None:
        """Handle the server's messages, see `_listen`."""
        await _listen(self)

    async def log_in(self, split_message: list[str]) -> None:
        """Send our name; poke-env's own `log_in` gives up after 5 s."""
        await self.send_message(f"/trn {self.username},0,")

    async def _handle_message(self, message: str) -> None:
        kind, *parts = message.partition("\n")[0].removeprefix("|").split("|")
        if kind == "popup":
            self.on_popup(message.removeprefix("|popup|").replace("||", " "))
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
