"""Play many battles at once in a Node process, as arrays."""

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from engine.battles.sim import observation
from engine.battles.sim.processes import FrameProcess
from engine.battles.sim.records import (
    Asked,
    BattleLog,
    LiveBattle,
    Replay,
    Tracked,
    Transcript,
    read_battle_log,
)
from engine.battles.sim.setup import NodeCommand
from engine.errors import BattleError

NOBODY = np.empty(0, np.int64)
"""Seats, or codes, of a step that answers nothing; it starts the lanes."""
POLICY = "policy"
"""The player whose decisions come from here; others play by themselves in the simulator."""
FORCED, PREVIEW = 1, 2
"""Kinds of a decision in `info`; 0 is an ordinary turn."""
KIND, TURN, OWN_HP, FOE_HP, OWN_FAINTED, FOE_FAINTED, BEST_DAMAGE, TEACHER = range(8)
"""Columns of `info`; TEACHER is the code that the lane's teacher would choose."""

ENDED = np.dtype(
    [
        ("seat", "<u4"),
        ("result", "<i4"),  # 1 won, 0 tie, -1 lost
        ("turns", "<u4"),
        ("number", "<u4"),  # of the battle in its lane, from 0
        ("own_hp", "<f4"),
        ("foe_hp", "<f4"),
        ("own_fainted", "<f4"),
        ("foe_fainted", "<f4"),
    ]
)
"""A battle that ended, as one of its sides saw it."""

_JSON, _STEP, _ROWS = 0, 1, 2
_UNDECIDED = 2


@dataclass(frozen=True, slots=True)
class Lane:
    """What one lane plays, again and again.

    Attributes:
        format: Name of the format in the simulator.
        teams: Packed, of p1 and p2.
        players: `POLICY`, or the name of one of the simulator's own players.
        seed: Decides all chance in a battle, with the battle's number.
        limit: How many battles; 0: no limit.
        turn_limit: A battle that lasts longer is a tie.
        teacher: Player whose choice comes with every decision, or "".
    """

    format: str
    teams: tuple[str, str]
    players: tuple[str, str]
    seed: int
    limit: int = 0
    turn_limit: int = 200
    teacher: str = ""


@dataclass(frozen=True, slots=True)
class Decisions:
    """The waiting decisions, and the battles that ended on the way to them.

    Attributes:
        seats: (n,) int64, lane * 2 + side.
        observations: (n, 1560) float32.
        legal: (n, 90) bool, masks of both slots, or 90 selections at team preview.
        info: (n, 8) float32.
        ended: (m,) of `ENDED`, for sides of the policy, or for p1 where no side is.
    """

    seats: NDArray[np.int64]
    observations: NDArray[np.float32]
    legal: NDArray[np.bool_]
    info: NDArray[np.float32]
    ended: NDArray[np.void]

    @property
    def is_preview(self) -> NDArray[np.bool_]:
        """Which decisions are selections at team preview."""
        return np.asarray(self.info[:, KIND] == PREVIEW)


@dataclass(frozen=True, slots=True)
class Outlook:
    """Decisions in n copies of a battle, or of a battle that was played.

    Attributes:
        results: (n,) int64; the meaning depends on the method that returns it.
        info: (n, 8) float32.
        observations: (n, 1560) float32.
        legal: (n, 90) bool.
    """

    results: NDArray[np.int64]
    info: NDArray[np.float32]
    observations: NDArray[np.float32]
    legal: NDArray[np.bool_]

    @property
    def is_preview(self) -> NDArray[np.bool_]:
        """Which decisions are selections at team preview."""
        return np.asarray(self.info[:, KIND] == PREVIEW)

    @property
    def is_over(self) -> NDArray[np.bool_]:
        """Where the battle ended: `results` are then 1, 0 or -1."""
        return np.asarray(self.results != _UNDECIDED)


class Simulator:
    """A Node process that plays the battles of some lanes; not to be shared between threads.

    All methods raise WorkerError when the process died or does not answer in time, and BattleError
    for what it refuses.

    Args:
        lanes: What it plays; may be none, to use the other methods.
        node: How it is started.
        timeout_s: Longest wait for an answer.
        is_patched: Use the speed patch where it passes its test; False to compare.
    """

    def __init__(
        self,
        lanes: Sequence[Lane],
        node: NodeCommand,
        *,
        timeout_s: float = 120.0,
        is_patched: bool = True,
    ) -> None:
        self._process = FrameProcess(
            "battle simulator",
            node.script("worker.js", str(node.cache or ""), "" if is_patched else "unpatched"),
            node.environment(),
            timeout_s,
        )
        try:
            self.hello: Mapping[str, Any] = self._request("hello")
            if lanes:
                self.configure(lanes)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process; what it is playing is lost."""
        self._process.close()

    def step(self, seats: NDArray[np.integer[Any]], codes: NDArray[np.integer[Any]]) -> Decisions:
        """Answer decisions and play until every lane waits for some or is done.

        Args:
            seats: (n,) of the answered decisions; none starts the lanes.
            codes: (n,) joint codes, or selections at team preview.
        """
        pairs = np.empty((len(seats), 2), "<u4")
        pairs[:, 0], pairs[:, 1] = seats, codes
        return self._decisions(*self._process.ask(_STEP, pairs.tobytes()))

    def resume(self, input_log: Sequence[str]) -> Decisions:
        """Replace the lanes by one battle, as it stands after a part of its input log.

        Returns:
            Its waiting decisions, as `step` does; both sides' are to be answered.
        """
        return self._decisions(*self._ask("resume", {"input_log": list(input_log)}))

    def _decisions(self, op: int, content: NDArray[np.uint8]) -> Decisions:
        if op != _STEP:
            self._refuse(content)
        count, ended = (int(number) for number in content[:8].view("<u4"))
        seats_, info, observations, legal, end = _columns(content, 8, count)
        results = np.frombuffer(content[end:].tobytes(), ENDED)
        assert len(results) == ended
        return Decisions(seats_.view("<u4").astype(np.int64), observations, legal, info, results)

    def configure(self, lanes: Sequence[Lane]) -> None:
        """Replace the lanes; unfinished battles are lost."""
        self._request("configure", lanes=[asdict(lane) for lane in lanes])

    def set_lanes(self, lanes: Mapping[int, Lane]) -> None:
        """Give lanes other plans from their next battles on, which are numbered from 0."""
        self._request("set_lanes", lanes={index: asdict(lane) for index, lane in lanes.items()})

    def validate(self, format: str, team: str) -> tuple[str, ...]:
        """Return what makes a packed team illegal in a format; nothing if it is legal."""
        return tuple(self._request("validate", format=format, team=team)["errors"])

    def read_team(self, text: str) -> tuple[str, tuple[str, ...]]:
        """Return a team of any format packed, and the lines that are not understood."""
        found = self._request("read_team", text=text)
        return str(found["team"]), tuple(found["errors"])

    def sheet(self, team: str) -> str:
        """Return a packed team as players share it."""
        return str(self._request("sheet", team=team)["text"])

    def generate(
        self, format: str, count: int, seed: int, known: Sequence[str] = ()
    ) -> list[tuple[str, str]]:
        """Build legal teams (generate.js): names that tell plan and content, and packed teams.

        Args:
            format: Of all teams.
            count: How many.
            seed: The same seed builds the same teams.
            known: Packed teams, of which none may share more than four species with a new one.

        Raises:
            BattleError: The format does not have that many.
        """
        found = self._request("generate", format=format, count=count, seed=seed, known=list(known))
        return [(str(name), str(packed)) for name, packed in found["teams"]]

    def logs(self) -> list[BattleLog]:
        """Return the battles that ended since the last call; of many, only the latest."""
        return [read_battle_log(battle) for battle in self._request("logs")["battles"]]

    def stats(self) -> Mapping[str, Any]:
        """Return the counts since the start: decisions, rejected, trapped, turn_limit and so on."""
        return self._request("stats")

    def replay(self, input_log: Sequence[str]) -> Replay:
        """Play a battle again."""
        found = self._request("replay", input_log=list(input_log))
        return Replay(tuple(found["lines"]), found["hash"], found["winner"], found["turns"])

    def decisions(self, input_log: Sequence[str]) -> Outlook:
        """Replay a battle and return the decisions of both sides, in order.

        `results` are the codes chosen, -1 for a choice that has none; `info` has 1 in its column
        `TEACHER` for the side that won, -1 for the other, 0 for both after a tie.
        """
        return self._rows("decisions", input_log=list(input_log))

    def replayed(self, lines: Sequence[str], format: str) -> Outlook:
        """Return the same from what spectators saw; a result below 0 says why it is unknown."""
        return self._rows("replayed", lines=list(lines), format=format)

    def inspect(self, lane: int) -> tuple[str, ...]:
        """Return what spectators have seen of a lane's battle."""
        return tuple(self._request("inspect", lane=lane)["lines"])

    def spectate(self, lane: int) -> LiveBattle:
        """Return a lane's battle, with the decisions to make in it."""
        found = self._request("spectate", lane=lane)
        first, second = found["requests"]
        types = {name: tuple(known) for name, known in found["types"].items()}
        return LiveBattle(tuple(found["lines"]), types, (first, second), found["number"])

    def transcript(self, log: Sequence[str], format: str = "") -> Transcript:
        """Replay a battle, and return what was shown and the requests in it.

        Args:
            log: An input log, or what spectators saw.
            format: Of what spectators saw; "" for an input log.
        """
        found = self._request("transcript", log=list(log), format=format)
        return Transcript(
            tuple(found["lines"]),
            {name: tuple(known) for name, known in found["types"].items()},
            tuple(Asked(**one) for one in found["decisions"]),
        )

    def track(
        self,
        battle: str,
        format: str,
        side: str,
        lines: Sequence[str] = (),
        request: Mapping[str, Any] | None = None,
        code: int | None = None,
        *,
        player: str = "",
        is_over: bool = False,
    ) -> Tracked:
        """Follow a battle on a server, with the same observations.

        Args:
            battle: Any name for it; the first call begins it.
            format: Of the simulator.
            side: Our side, p1 or p2.
            lines: New lines of its protocol.
            request: The decision to make; the observation is of it.
            code: A decision about the last request, to be translated.
            player: One of the simulator's own, who decides instead.
            is_over: Forget the battle.
        """
        found = self._request(
            "track",
            id=battle,
            format=format,
            side=side,
            lines=list(lines),
            request=request,
            code=code,
            player=player,
            is_over=is_over,
        )
        choice = found.get("choice", "")
        if "observation" not in found:
            return Tracked(None, None, None, choice)
        return Tracked(
            np.frombuffer(base64.b64decode(found["observation"]), np.float32),
            np.frombuffer(base64.b64decode(found["legal"]), np.bool_),
            np.array(found["info"], np.float32),
            choice,
        )

    def fork(self, seat: int, samples: int, seed: int, seconds: float = 0.0) -> Outlook:
        """Copy the battle of a seat that has a decision to make, to look ahead in.

        What the seat cannot know is drawn anew in each copy (engine/battles/sim/node/search.js).

        Args:
            seat: Lane * 2 + side.
            samples: How many copies.
            seed: Below 2 ** 31; of all draws.
            seconds: After which no further copy is made; the first always is. 0: no limit.

        Returns:
            The foe's view of each copy; results are 1 where it has a decision to make, else 0.
        """
        return self._rows("fork", seat=seat, samples=samples, seed=seed, seconds=seconds)

    def roll(self, seat: int, plays: NDArray[np.integer[Any]], seconds: float = 0.0) -> Outlook:
        """Play choices in the copies of the latest `fork`, each from the same beginning.

        Args:
            seat: As for `fork`.
            plays: (n, 3): copy, code of the seat, code of the foe or -1 where it has none.
            seconds: After which no other copy, or code of the foe, is begun. 0: no limit.

        Returns:
            The seat's next decisions, of the first plays.
        """
        return self._rows("roll", seat=seat, plays=plays.tolist(), seconds=seconds)

    def _rows(self, method: str, **parameters: Any) -> Outlook:
        op, content = self._ask(method, parameters)
        if op != _ROWS:
            self._refuse(content)
        count = int(content[:4].view("<u4")[0])
        results, info, observations, legal, _ = _columns(content, 4, count)
        return Outlook(results.view("<i4").astype(np.int64), info, observations, legal)

    def _request(self, method: str, **parameters: Any) -> dict[str, Any]:
        _, content = self._ask(method, parameters)
        answer: dict[str, Any] = json.loads(content.tobytes())
        if "error" in answer:
            self._refuse(content)
        return answer

    def _ask(self, method: str, parameters: dict[str, Any]) -> tuple[int, NDArray[np.uint8]]:
        return self._process.ask(_JSON, json.dumps({"method": method, **parameters}).encode())

    def _refuse(self, content: NDArray[np.uint8]) -> None:
        raise BattleError(f"The simulator refused: {json.loads(content.tobytes())['error']}.")


def _columns(
    content: NDArray[np.uint8], start: int, count: int
) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], int]:
    """Return the columns of a frame's rows, and where they end.

    The columns are four bytes a row whose meaning depends on the frame, figures, observations and
    masks.
    """
    sizes = (4 * count, 4 * count * observation.INFO, 4 * count * observation.SIZE)
    ends = np.cumsum([start, *sizes, count * observation.LEGAL])
    first, info, observations, legal = (content[a:b] for a, b in pairwise(ends))
    return (
        first,
        info.view("<f4").reshape(count, observation.INFO),
        observations.view("<f4").reshape(count, observation.SIZE),
        legal.view(np.bool_).reshape(count, observation.LEGAL),
        int(ends[-1]),
    )
