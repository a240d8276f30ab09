"""Odd numbers in each field of each file of a run from elsewhere, and other emulators' files."""

import json
import random
import shutil
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any

from engine.errors import ConfigurationError
from engine.games.catalog import load_game
from tests.benchmarks.faults.damage import check_resume, check_saves, file_of, said_well
from tests.benchmarks.faults.fault import Fault, Lost, Strike
from tests.benchmarks.faults.workshop import Workshop
from tests.engine.cartridges import crystal_like, saved_game
from tests.engine.demos.damage import damaged
from tests.engine.training.helpers import sealed

ODD = (
    "1.7e308", "-1e308", "1e300", "1e16", "1e-320", "1e400", "-1e400", "NaN", "Infinity", "-0.0",
    "0", "-1", str(2**31), str(2**53 + 1), str(2**63 - 1), str(2**63), str(-(2**63)), str(2**70),
    "9" * 5000, "true", "null", '"1"', '"\\u0661"', '"1_000"', '""', "[]", "{}", "[[[[1]]]]",
    '"nan"',
)  # fmt: skip
"""Values as JSON."""
_MARK = '"\\u0000odd"'


def odd_json(text: bytes, rng: random.Random) -> bytes:
    """Return JSON, or a line of it, with an odd value in one to three places."""
    value = json.loads(text)
    for _ in range(rng.randrange(1, 4)):
        parts = list(_parts(value))
        if parts:
            part, key = rng.choice(parts)
            part[key] = json.loads(_MARK)
    out = json.dumps(value)
    odd = rng.choice(ODD)  # the same everywhere: two huge ones have no sum
    return out.replace(_MARK, odd).encode()


def _parts(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each place in a JSON value: what holds it, and its key or index."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inside in list(pairs):
        yield value, key
        if isinstance(inside, dict | list):
            yield from _parts(inside)


def _odd_object(file: Path, rng: random.Random) -> None:
    file.write_bytes(odd_json(file.read_bytes(), rng))


def _odd_lines(file: Path, rng: random.Random) -> None:
    lines = file.read_bytes().splitlines()
    kinds = {json.loads(line).get("event", ""): line for line in lines}
    line = odd_json(rng.choice(list(kinds.values())), rng)
    file.write_bytes(b"\n".join([*lines, line, line]) + b"\n")


def _odd_labels(file: Path, rng: random.Random) -> None:
    values = {"name": "x", "note": "y", "tags": ["a", "b"]}
    file.write_bytes(odd_json(json.dumps(values).encode(), rng))


def _odd_status(file: Path, rng: random.Random) -> None:
    file.write_bytes(odd_json(b'{"status": "stopped", "reason": "x"}', rng))


def _odd_checkpoint(file: Path, rng: random.Random) -> None:
    """Put an odd value into the facts of a checkpoint, and seal it again."""
    with zipfile.ZipFile(file) as old:
        members = {name: old.read(name) for name in old.namelist()}
        comment = old.comment
    members["facts.json"] = odd_json(members["facts.json"], rng)
    file.unlink()
    with zipfile.ZipFile(file, "w") as new:
        new.comment = comment
        for name, content in members.items():
            new.writestr(name, content)
    file.write_bytes(sealed(file.read_bytes()))


def _odd_decisions(file: Path, rng: random.Random) -> None:
    """Put an odd value into a column of the decisions: SQLite takes any of them."""
    with closing(sqlite3.connect(file)) as database, database:
        tables = database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        (table,) = rng.choice(tables)
        columns = database.execute(f"PRAGMA table_info({table})").fetchall()
        column = rng.choice(columns)[1]
        values = (1.7e308, -1e308, float("inf"), 2**63 - 1, -1, "1", "", None, b"\xff", 1e-320)
        try:
            database.execute(f"UPDATE OR IGNORE {table} SET {column} = ?", (rng.choice(values),))
        except sqlite3.Error:  # a rule of the table forbids it
            return


KINDS: dict[str, tuple[str, Callable[[Path, random.Random], None]]] = {
    "the journal": ("journal.jsonl", _odd_lines),
    "the settings": ("config.json", _odd_object),
    "the exchanges": ("exchanges.jsonl", _odd_lines),
    "the checkpoints": ("checkpoints/step-*.zip", _odd_checkpoint),
    "the decisions": ("decisions.db", _odd_decisions),
    "the labels": ("labels.json", _odd_labels),
    "the status": ("status.json", _odd_status),
}


def odd_numbers(
    pattern: str, change: Callable[[Path, random.Random], None]
) -> Callable[[Workshop], AbstractContextManager[Strike]]:
    """Return a scene in which a file of a run from elsewhere holds odd numbers."""

    @contextmanager
    def scene(shop: Workshop) -> Iterator[Strike]:
        name = file_of(shop.saved_run, pattern).name if "*" in pattern else pattern

        def strike(rng: random.Random) -> None:
            saves = shop.copy_of_saves(own=name)
            run = saves / "runs" / "bad"
            change(file_of(run, pattern) if "*" in pattern else run / pattern, rng)
            check_saves(saves, shop)
            said_well("poketui runs RUN RUN", "runs", "good", "bad", "--save-dir", str(saves))
            said_well("poketui runs --json", "runs", "--json", "--save-dir", str(saves))
            said_well("poketui replay", "replay", "bad:1", "--save-dir", str(saves))
            check_resume(saves, shop, must_go=False)
            shutil.rmtree(saves)

        yield strike

    return scene


@contextmanager
def batteries(shop: Workshop) -> Iterator[Strike]:
    """Append to a battery file what emulators append, or damage it, and continue from it."""
    folder = shop.folder()
    rom = folder / "tiny.gbc"
    rom.write_bytes(crystal_like())
    good = saved_game(folder / "good.sav").read_bytes()
    game = load_game(str(rom), allow_unknown=True)

    def strike(rng: random.Random) -> None:
        more = rng.randbytes(rng.randrange(64)) + rng.choice((b"\0", b"\xff")) * rng.choice(
            (0, 16, 44, 48, 0x8000, 0x18000, 0x19000)
        )
        for data, is_good in ((good + more, True), (damaged(good, rng), False)):
            try:
                game.start_saved(data, "x.dat").close()
            except ConfigurationError as error:
                if is_good or not str(error).isprintable():
                    raise Lost(f"{len(more)} bytes more: {error}") from None

    yield strike


FAULTS = (
    *(Fault(f"odd numbers in {each} of a run", 40, odd_numbers(*KINDS[each])) for each in KINDS),
    Fault("battery files of other emulators", 100, batteries),
)
