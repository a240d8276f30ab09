"""Keep the last questions and answers on disk, one JSON object a line, with their outcomes."""

import contextlib
import dataclasses
import json
import os
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from engine.ground.files import open_file, parse_json, read_lines, remedy, write_all, write_file
from engine.ground.numerals import MAX_INT, MAX_TIME, is_number
from engine.planning_types import GoalOutcome, Outcome

_WAITING_LINES = 4096
"""Lines that wait to be written; beyond it the oldest are lost."""

T = TypeVar("T")

_TALLIES = ("reached", "failed", "replaced", "progress", "proven", "ignored", "ignored_progress")
_ADDED = frozenset({"choice", "place_key"})
"""Fields that older files lack."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question to one model and its answer.

    Attributes:
        exchange: Number, as in the events.
        key: Of the planning query.
        prompt: The whole question.
        text: Its answer, as far as it came.
        goal: What was read from it, "" if nothing.
        condition: By which the goal is reached; of the subgoal that it became, if it did.
        setter: `Subgoal.goal_source` of the subgoal that it became, or voted for; "" if none.
        choice: Name of the goal among the choices of the prompt, "" if nothing was read.
        place_key: Of the planning query.
        time: Seconds since the epoch.
    """

    exchange: int
    env_index: int
    trigger: str
    key: str
    model: str
    prompt: str
    text: str
    thinking: str
    goal: str
    kind: str
    condition: str
    confidence: float
    reasoning: str
    error: str
    repairs: tuple[str, ...]
    latency_s: float
    first_token_s: float
    prompt_tokens: int
    answer_tokens: int
    cost: float
    setter: str = ""
    time: float = dataclasses.field(default_factory=time.time)
    choice: str = ""
    place_key: str = ""


_TYPES: Mapping[str, type] = {
    field.name: field.type for field in dataclasses.fields(Exchange) if isinstance(field.type, type)
}
"""Of all fields but `repairs`."""


class ExchangeLog:
    """The last exchanges of a run.

    `add` and `add_goal_outcome` may be called from any thread and only note what is to be written;
    `flush`, which writes, from one. What a full disk does not take is lost, never anything else.
    The file is made when there is something to write, and rewritten with the last `keep` exchanges
    when it has twice as many lines.
    """

    def __init__(self, path: Path, keep: int = 1000) -> None:
        self.path = path
        self._keep = keep
        self._waiting: deque[dict[str, Any]] = deque(maxlen=_WAITING_LINES)
        self._num_lines: int | None = None
        self._has_warned = False

    def add(self, exchange: Exchange) -> None:
        """Have an exchange written soon."""
        self._waiting.append(dataclasses.asdict(exchange))

    def add_goal_outcome(self, goal_outcome: GoalOutcome) -> None:
        """Have the outcome of a goal written soon; reading finds the exchange that set it."""
        self._waiting.append(
            {
                "verdict": str(goal_outcome.outcome),
                "key": goal_outcome.key,
                "setter": goal_outcome.goal_source,
                "made_progress": goal_outcome.made_progress,
                "is_ignored": goal_outcome.is_control,
            }
        )

    def flush(self) -> str:
        """Write what waits; return a warning the first time that the disk refuses, else ""."""
        if not self._waiting:
            return ""
        lines = [_line(self._waiting.popleft()) for _ in range(len(self._waiting))]
        try:
            if self._num_lines is None:
                self._num_lines = sum(1 for _ in _lines(self.path))
            _append(self.path, lines)
            self._num_lines += len(lines)
            if self._num_lines > 2 * self._keep:
                # The last exchanges stay, each with its goal outcomes; whole or not at all.
                kept = scan(self.path).exchanges[-self._keep :]
                write_file(self.path, b"".join(_line(row) for row in kept))
                self._num_lines = len(kept)
        except OSError as error:
            if not self._has_warned:
                self._has_warned = True
                return (
                    f"Cannot write queries and answers to {self.path}: "
                    f"{error.strerror or error}. {remedy(error, 'Free some disk space.')}"
                )
        return ""

    def last_number(self) -> int:
        """Return the highest number of an exchange in the file; 0 if there is none to be read."""
        with contextlib.suppress(OSError):
            return max((row["exchange"] for row in scan(self.path).exchanges), default=0)
        return 0


@dataclass(frozen=True, slots=True)
class Scan:
    """What a file of exchanges holds.

    Attributes:
        exchanges: Newest last; the fields of `Exchange`, with "verdicts", how often the goal was
            "reached", "failed", "replaced" or made "progress" when it was followed, and how often
            it was "ignored", with "ignored_progress"; "proven" counts those that were reached and
            made progress. "outcome" is the last one of those that were followed.
        damaged: Lines that cannot be read.
    """

    exchanges: list[dict[str, Any]]
    damaged: int


def scan(path: Path) -> Scan:
    """Return a file's exchanges, and how many of its lines are damaged.

    Raises:
        OSError: The file cannot be read; a missing one holds nothing.
    """
    exchanges: list[dict[str, Any]] = []
    by_plan: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    damaged = 0
    for line in _lines(path):
        try:
            values = parse_json(line, parse_constant=_refuse)
            if "verdict" in values:
                for exchange in by_plan.get((values["key"], values["setter"]), {}).values():
                    _count_outcome(exchange, values)
            else:
                exchange = _exchange(values)
                exchanges.append(exchange)
                if exchange["setter"]:
                    plan = exchange["key"], exchange["setter"]
                    by_plan.setdefault(plan, {})[exchange["model"]] = exchange
        except (ValueError, TypeError, KeyError, OverflowError):
            damaged += 1
    return Scan(exchanges, damaged)


def export_rows(exchanges: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield exchanges as flat rows, for tables; a number that is none is None."""
    for exchange in exchanges:
        row = {key: value for key, value in exchange.items() if key != "verdicts"}
        row["repairs"] = "; ".join(exchange["repairs"])
        yield row | {f"verdicts:{name}": exchange["verdicts"][name] for name in _TALLIES}


def _lines(path: Path) -> Iterator[bytes]:
    with contextlib.suppress(FileNotFoundError):
        yield from read_lines(path)


def _append(path: Path, lines: Sequence[bytes]) -> None:
    descriptor = open_file(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    try:
        # A write that was cut off must not spoil the line after it.
        size = os.fstat(descriptor).st_size
        is_torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
        write_all(descriptor, b"\n" * is_torn + b"".join(lines))
    finally:
        os.close(descriptor)


def _line(values: Mapping[str, Any]) -> bytes:
    plain = {
        key: None if isinstance(value, float) and not is_number(value) else value
        for key, value in values.items()
    }
    return json.dumps(plain, allow_nan=False).encode() + b"\n"


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not valid JSON")


def _exchange(values: Mapping[str, Any]) -> dict[str, Any]:
    exchange: dict[str, Any] = {}
    for name, kind in _TYPES.items():
        value = values[name] if name not in _ADDED else values.get(name, "")
        exchange[name] = _number(value) if kind is float else _exactly(value, kind)
    if not 0 <= (exchange["time"] or 0) < MAX_TIME:
        raise ValueError("invalid date")
    repairs, tally = values["repairs"], values.get("verdicts", {})
    outcome = values.get("outcome", "")
    exchange["repairs"] = [_exactly(word, str) for word in _exactly(repairs, list)]
    exchange["verdicts"] = {
        name: _exactly(_exactly(tally, dict).get(name, 0), int) for name in _TALLIES
    }
    exchange["outcome"] = str(Outcome(outcome)) if outcome else ""
    return exchange


def _number(value: Any) -> float | None:
    if value is None:
        return None
    number = float(value) if type(value) is int else _exactly(value, float)
    if not is_number(number):
        raise ValueError("number out of range")
    return number


def _exactly(value: Any, kind: type[T]) -> T:
    if type(value) is not kind:
        raise TypeError(f"no {kind.__name__}")
    if isinstance(value, int) and not -MAX_INT <= value < MAX_INT:
        raise ValueError("a number is too large")
    return value


def _count_outcome(exchange: dict[str, Any], values: Mapping[str, Any]) -> None:
    outcome = str(Outcome(values["verdict"]))
    tally = exchange["verdicts"]
    if values["is_ignored"]:
        tally["ignored"] += 1
        tally["ignored_progress"] += bool(values["made_progress"])
    else:
        tally[outcome] += 1
        tally["progress"] += bool(values["made_progress"])
        tally["proven"] += outcome == Outcome.REACHED and bool(values["made_progress"])
        exchange["outcome"] = outcome
