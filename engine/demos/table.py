"""Export demonstrations as tables of actions, CSV, and import tables.

Beside the actions a table may say what they were played in and what was paid. Then it is only
imported if playing the actions here gives the same.
"""

import csv
import io
import math
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from engine.config import PressFrames, RunConfig
from engine.demos.demonstration import MAP, NO_PROPOSAL, Demonstration, write_demo
from engine.demos.layout import read_limited, write_whole
from engine.demos.recorder import import_actions
from engine.errors import DemoError
from engine.games.catalog import load_game
from engine.ground.files import EXPORT_MODE, decode_text
from engine.ground.numerals import parse_number, parse_whole

_MAX_FILE, _MAX_LINE, _MAX_ROWS = 1 << 25, 1 << 12, 1 << 20
_COLUMNS = ("step", "action", "reward", "done", "proposal", "intervention", "shown")
_FIRST_ROW = ("random", "rom", "start", "press", "return")
"""Columns of what holds for all rows, filled in the first one only."""
_UNKNOWN = 255
_CLOSE = 1e-3
_TAKE_ACTIONS = "To import only its actions, remove all columns but 'action'."


@dataclass(slots=True)
class Table:
    """A table that was read. T is the number of its rows; an array is empty without its column.

    Attributes:
        actions: T of them.
        rewards: NaN where not known.
        dones: 1 where the episode ended, 0 where not, 255 where that is not known.
        proposals: What the agent would have done, or `NO_PROPOSAL`.
        interventions: 1 where a person acted in the agent's place.
        shown: 0 for steps before the shown part.
        random: The game's two random bytes at the start.
        rom: SHA-1 of the ROM.
        start: SHA-1 of the start state.
        press: Frames of an action.
        paid: The return.
    """

    actions: "array[int]" = field(default_factory=lambda: array("B"))
    rewards: "array[float]" = field(default_factory=lambda: array("d"))
    dones: "array[int]" = field(default_factory=lambda: array("B"))
    proposals: "array[int]" = field(default_factory=lambda: array("B"))
    interventions: "array[int]" = field(default_factory=lambda: array("B"))
    shown: "array[int]" = field(default_factory=lambda: array("B"))
    random: tuple[int, int] | None = None
    rom: str = ""
    start: str = ""
    press: PressFrames | None = None
    paid: float | None = None

    @property
    def begins_at(self) -> int:
        """Return the number of steps before the shown part."""
        return next((at for at, is_shown in enumerate(self.shown) if is_shown), len(self.shown))


def to_csv(demo: Demonstration, path: Path) -> int:
    """Write a demonstration as a table; return the number of its rows.

    Raises:
        DemoError: A table cannot represent it, or cannot be written.
    """
    if demo.has_live or len(demo.recording.segments) > 1:
        how = "in real time" if demo.has_live else "continuing another episode"
        raise DemoError(
            f"It was played {how}, which CSV cannot represent.",
            "Export it with --format npz, or copy the .demo file.",
        )
    recording = demo.recording
    about = (
        "{} {}".format(*recording.segments[-1].random),
        recording.rom,
        recording.start,
        " ".join(map(str, recording.frames.pack())),
        repr(demo.episode_return),
    )
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow((*_COLUMNS, *_FIRST_ROW))
    for step, action in enumerate(demo.actions):
        proposal, is_shown = int(demo.proposals[step]), step >= demo.begins_at
        table.writerow(
            (
                step,
                demo.action_names[action],
                repr(float(demo.rewards[step])) if is_shown else "",
                int(demo.dones[step]) if is_shown else "",
                "" if proposal == NO_PROPOSAL else demo.action_names[proposal],
                int(demo.is_intervention[step]),
                int(is_shown),
                *(about if step == 0 else [""] * len(about)),
            )
        )
    write_whole(path, text.getvalue().encode(), EXPORT_MODE)
    return demo.episode_length


def from_csv(path: Path, config: RunConfig, folder: Path) -> tuple[Demonstration, Path]:
    """Play the actions of a table, given by name or number; return the demonstration and its file.

    Raises:
        DemoError: It is no such table, or playing it gives another result than it says.
    """
    table = read_table(path, load_game(config.rom_path, config.allow_unknown_rom).actions.names)
    if table.press is not None:
        config = config.model_copy(update={"env": config.env.pressed(table.press)})
    demo, made = import_actions(table.actions, config, folder, origin=path, random=table.random)
    try:
        _compare(demo, table, path)
        demo = _completed(demo, table)
        write_demo(made, demo)
    except BaseException:  # leave no useless file behind; it is raised again
        made.unlink(missing_ok=True)
        raise
    return demo, made


def read_table(path: Path, action_names: Sequence[str]) -> Table:
    """Read a table of a game whose actions have these names.

    Raises:
        DemoError: It is no table of actions.
    """
    data = read_limited(path, _MAX_FILE)
    found = Table()
    numbers = {name.upper(): number for number, name in enumerate(action_names)}
    readers: dict[str, tuple[array[Any], Callable[[str], float]]] = {
        "action": (found.actions, lambda text: _action(text, numbers)),
        "reward": (found.rewards, _reward),
        "done": (found.dones, lambda text: _flag(text) if text else _UNKNOWN),
        "proposal": (found.proposals, lambda text: _action(text, numbers) if text else NO_PROPOSAL),
        "intervention": (found.interventions, _flag),
        "shown": (found.shown, _flag),
    }
    try:
        rows = csv.reader(_short_lines(io.StringIO(decode_text(data))))
        columns = {name.strip().lower(): place for place, name in enumerate(next(rows, []))}
        if "action" not in columns:
            raise ValueError("no actions")
        filled = [(columns[name], *readers[name]) for name in readers if name in columns]
        for row in rows:
            if not row:
                continue
            if not found.actions:
                _read_about(row, columns, found)
            for place, kept, read in filled:
                kept.append(read(row[place].strip()))
            if len(found.actions) > _MAX_ROWS:
                raise DemoError(f"{path} contains too many actions.", "Use another file.")
    except (ValueError, IndexError, KeyError, OverflowError, csv.Error):
        raise DemoError(
            f"{path} is not a table of actions.",
            f"It needs a column 'action' with {', '.join(numbers)}, or 0 to {len(numbers) - 1}.",
        ) from None
    return found


def _compare(demo: Demonstration, table: Table, path: Path) -> None:
    """Refuse a demonstration that is not as the table says."""
    if table.rom and table.rom != demo.recording.rom:
        raise DemoError(
            f"{path} was played with a different ROM.", "Name its game: --rom or --game."
        )
    if table.start and table.start != demo.recording.start:
        raise DemoError(f"{path} has a different start state.", "Specify it with --state.")
    difference = _difference(demo, table)
    if difference:
        raise DemoError(
            f"{path} does not match the replay: {difference}.",
            f"It was played with other settings, or was modified. {_TAKE_ACTIONS}",
        )


def _difference(demo: Demonstration, table: Table) -> str:
    """Return where the result of the actions differs from what the table says, "" if nowhere."""
    for step in range(min(demo.episode_length, max(len(table.rewards), len(table.dones)))):
        if table.rewards and not math.isnan(said := table.rewards[step]):
            paid = float(demo.rewards[step])
            if not math.isclose(said, paid, rel_tol=_CLOSE, abs_tol=_CLOSE):
                return f"at step {step + 1:,} the reward is {said:.3f}, here {paid:.3f}"
        ended = table.dones[step] if table.dones else _UNKNOWN
        if ended != _UNKNOWN and bool(ended) != bool(demo.dones[step]):
            how = "ends" if ended else "continues"
            return f"at step {step + 1:,} the episode {how} there, but not here"
    if (table.rewards or table.dones) and demo.episode_length < len(table.actions):
        return f"here the episode ends at step {demo.episode_length:,}"
    paid = float(demo.rewards[table.begins_at :].sum(dtype=np.float64))
    if table.paid is not None and abs(table.paid - paid) > _CLOSE * (1 + len(table.actions)):
        return f"the return is {table.paid:.2f}, here {paid:.2f}"
    return ""


def _completed(demo: Demonstration, table: Table) -> Demonstration:
    """Return it with what only the table has: its beginning, proposals and interventions."""
    length = demo.episode_length
    demo = replace(
        demo,
        proposals=np.array(table.proposals[:length], np.uint8),
        is_intervention=np.array(table.interventions[:length], np.bool_),
    )
    begin = min(table.begins_at, length)
    if not begin:
        return demo
    rewards = demo.rewards.copy()
    rewards[:begin] = 0.0
    # The map on which it begins is the last one before.
    before = [each for each in demo.events if each.step <= begin and each.kind == MAP][-1:]
    after = (each for each in demo.events if each.step > begin)
    events = (*(replace(each, step=begin) for each in before), *after)
    return replace(demo, rewards=rewards, begins_at=begin, events=events)


def _read_about(row: Sequence[str], columns: Mapping[str, int], found: Table) -> None:
    """Read what holds for all rows."""
    cells = {name: row[columns[name]].strip() for name in _FIRST_ROW if name in columns}
    found.random = _pair(cells["random"], 255) if cells.get("random") else None
    found.press = _press(cells["press"]) if cells.get("press") else None
    found.paid = _reward(cells["return"]) if cells.get("return") else None
    found.rom, found.start = cells.get("rom", "").lower(), cells.get("start", "").lower()


def _short_lines(text: io.StringIO) -> Iterator[str]:
    """Yield lines; an endless one would be millions of cells in memory."""
    while line := text.readline(_MAX_LINE + 1):
        if len(line) > _MAX_LINE:
            raise ValueError("line too long")
        yield line


def _action(text: str, numbers: Mapping[str, int]) -> int:
    name = text.upper()
    return numbers[name] if name in numbers else parse_whole(name, 0, len(numbers) - 1)


def _pair(text: str, most: int) -> tuple[int, int]:
    first, second = (parse_whole(part, 0, most) for part in text.split())
    return first, second


def _press(text: str) -> PressFrames:
    hold, wait, *asks = (parse_whole(part, 0, 1000) for part in text.split())
    (ask,) = asks or (0,)
    return PressFrames(hold, wait, ask)


def _reward(text: str) -> float:
    return parse_number(text) if text else math.nan


def _flag(text: str) -> int:
    known = {"": 0, "0": 0, "false": 0, "1": 1, "true": 1, "0.0": 0, "1.0": 1}
    if text.lower() not in known:
        raise ValueError("not a boolean")
    return known[text.lower()]
