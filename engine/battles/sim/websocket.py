"""Play on a battle server as one of its users, with the simulator's observations."""

import asyncio
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.battles.sim.connection import ServerClient
from engine.battles.sim.simulator import Simulator
from engine.battles.sim.teams import Format, plain_name
from engine.errors import WorkerError

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


_SHEETS_TIMEOUT_S = 40.0
"""Time for a person to accept or reject open team sheets."""
_SET = re.compile(r'href="/(game-bestof3-[^"]+)"')
"""In a battle's room, the room of its set."""
_TELLING = frozenset({"poke", "showteam", "switch", "drag", "replace"})
_BEST_OF_THREE = "@@@Best of = 3"
"""What makes a set of any format that a server has."""


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
    set: str = ""
    """The room of the set that it is a game of."""
    shown: list[str] = field(default_factory=list)
    """The lines that tell of teams, sheets, and who was brought."""


@dataclass(slots=True)
class ServerSet:
    """A best of three on the server, with the games that have ended; `result` is as a battle's."""

    room: str
    games: list[ServerBattle] = field(default_factory=list)
    result: int | None = None

    @property
    def opponent(self) -> str:
        """Return who it is played against."""
        return next((game.opponent for game in self.games), "")


Select = Callable[[ServerBattle, Sequence[ServerBattle]], int | None]
"""Return a selection for a game after others of its set; None: as the player decides anyway."""


class ServerPlayer:
    """Our user on a server: it answers every request of its battles by `act`.

    It must be made in the event loop that it runs in.

    Attributes:
        counts: "decisions", and the choices that were "rejected" and "trapped".
        battles: Those in progress, by room.
        sets: Those in progress, by room.
        started: How many battles, or sets where the format is a best of three, have begun.
        active_at: When the last message about a battle came.
        accepts: Returns whether a user's challenge is accepted.
    """

    def __init__(
        self,
        name: str,
        address: str,
        format: Format,
        team: str,
        eyes: Simulator,
        act: Act,
        on_end: Callable[[ServerBattle], None],
        *,
        on_set: Callable[[ServerSet], None] = lambda found: None,
        select: Select = lambda battle, games: None,
        has_timer: bool = False,
    ) -> None:
        self.name = name
        self.format = format
        self.counts: Counter[str] = Counter()
        self.battles: dict[str, ServerBattle] = {}
        self.sets: dict[str, ServerSet] = {}
        self.started = 0
        self.active_at = time.monotonic()
        self.popups: list[str] = []
        self.accepts: Callable[[str], bool] = lambda opponent: False
        self._team = team
        self._eyes = eyes
        self._act = act
        self._on_end = on_end
        self._on_set = on_set
        self._select = select
        self._has_timer = has_timer
        self._changed = asyncio.Event()
        self._is_flushing = False
        self._failure: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._client = ServerClient(
            name, address, self._receive, self._answer_challenge, self._take_popup
        )

    async def run(self, *parts: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Log in, and run the parts concurrently until the first one ends.

        Raises:
            WorkerError: The server does not answer or refuses us, the connection or the simulator
                is lost, or another part ended first.
        """
        listening = asyncio.create_task(self._client.listen())
        tasks: list[asyncio.Future[Any]] = [listening]
        try:
            login = asyncio.create_task(self._client.until_logged_in())
            tasks.append(login)
            await _first(login, listening)
            if not login.done():
                raise self._client.why_lost(listening.exception())
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

    @property
    def is_playing(self) -> bool:
        """Return whether a battle or a set is in progress."""
        return bool(self.battles or self.sets)

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until `is_so`, which is asked when something about our battles changes."""
        while not is_so():
            self._changed.clear()
            await self._changed.wait()

    async def challenge(self, opponent: str) -> None:
        """Challenge a user to a battle, or to a set."""
        rules = _BEST_OF_THREE if self.format.best_of == 3 else ""
        await self._client.challenge(opponent, self.format.id + rules, self._team)

    async def search(self) -> None:
        """Ask the server for an opponent."""
        await self._client.search_ladder_game(self.format.name, self._team)

    async def forfeit(self, battle: ServerBattle) -> None:
        """Give a battle up."""
        await self._client.send_message("/forfeit", battle.room)

    async def _answer_challenge(self, message: list[str]) -> None:
        opponent = message[2].strip()
        if len(message) < 6 or opponent == self.name:
            return
        if plain_name(message[5]) != self.format.name:
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
        if room.startswith("game-"):
            await self._receive_set(room, message)
            return
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

    async def _receive_set(self, room: str, message: list[list[str]]) -> None:
        """Take the server's message about a set: whether to go on, and how it ended."""
        found = self.sets.get(room)
        if found is None:
            if not any(parts[1:2] == ["init"] for parts in message):
                return
            found = self.sets[room] = ServerSet(room)
            self.started += 1
            self._changed.set()
        for parts in message[1:]:
            if parts[1:3] == ["c", "~"] and "/confirmready" in "|".join(parts[3:]):
                await self._client.send_message("/confirmready", room)
            elif parts[1:2] in (["win"], ["tie"]):
                found.result = self._result(parts)
        await self._end_set(room)

    async def _end_set(self, room: str) -> None:
        """Report a set if all of it has ended."""
        found = self.sets.get(room)
        if found is None or found.result is None:
            return
        if any(battle.set == room for battle in self.battles.values()):
            return
        del self.sets[room]
        self._on_set(found)
        self._changed.set()
        await self._client.send_message(f"/leave {room}")

    async def _take_line(self, battle: ServerBattle, parts: list[str]) -> None:
        kind = parts[1] if len(parts) > 1 else ""
        battle.lines.append("|".join(parts))
        if kind in _TELLING:
            battle.shown.append(battle.lines[-1])
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
                self.started += self.format.best_of == 1
                self._changed.set()
        elif kind == "turn":
            battle.turns = int(parts[2])
        elif kind == "uhtml" and parts[2] == "bestof" and (found := _SET.search("|".join(parts))):
            battle.set = found[1]
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
            await self._end(battle, self._result(parts))

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

    def _result(self, parts: list[str]) -> int:
        """Return what a line "win" or "tie" means to us."""
        return 0 if parts[1] == "tie" else 1 if parts[2] == self.name else -1

    async def _end(self, battle: ServerBattle, result: int) -> None:
        battle.result = result
        battle.request = None
        self.battles.pop(battle.room, None)
        self._eyes.track(battle.room, self.format.id, battle.side, is_over=True)
        if (found := self.sets.get(battle.set)) is None:
            self._on_end(battle)
        else:
            found.games.append(battle)
            self._on_set(found)
        self._changed.set()
        await self._client.send_message(f"/leave {battle.room}")
        await self._end_set(battle.set)

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
            seen = self._eyes.track(battle.room, self.format.id, battle.side, battle.lines, request)
            battle.lines, battle.request = [], None
            assert seen.observation is not None
            assert seen.legal is not None
            observations.append(seen.observation)
            legal.append(seen.legal)
            is_preview.append(bool(request.get("teamPreview")))
        codes = self._act(np.stack(observations), np.stack(legal), np.array(is_preview))
        for (battle, request), code in zip(waiting, codes, strict=True):
            if request.get("teamPreview") and (found := self.sets.get(battle.set)):
                selected = self._select(battle, found.games)
                code = code if selected is None else selected
            choice = self._eyes.track(
                battle.room, self.format.id, battle.side, code=int(code)
            ).choice
            self.counts["decisions"] += 1
            await self._client.send_message(f"/choose {choice}|{battle.rqid}", battle.room)


def deciding(policy: Acting, rng: np.random.Generator, *, greedy: bool) -> Act:
    """Return a function by which a policy decides, with this generator."""
    return lambda observations, legal, is_preview: policy.act(
        observations, legal, is_preview, rng, greedy
    )[0]


async def _first(*tasks: "asyncio.Future[Any]") -> None:
    """Wait until one of the tasks has ended."""
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
