"""Damage, remove and replace the files of a saved run; then list, show, export and resume it."""

import contextlib
import os
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.config import RunConfig
from engine.errors import PokeTUIError
from engine.planning.history.reading import Wanted, read_decisions
from engine.runs.checkpoint import CheckpointStore
from engine.runs.journal import Journal
from engine.sessions.train import EngineSession
from tests.benchmarks.faults.fault import Fault, Lost, Skipped, Strike
from tests.benchmarks.faults.workshop import SMALL, Workshop, run_here
from tests.engine.demos.damage import damaged

KINDS = {
    "the journal": "journal.jsonl",
    "the settings": "config.json",
    "a checkpoint": "checkpoints/step-*.zip",
    "the decisions": "decisions.db",
    "the lock": "lock",
    "the exchanges with a model": "exchanges.jsonl",
    "a kept state": "states/*",
}
_HOSTILE_SETTINGS = (
    b"[]", b"null", b'{"seed":"x"}', b'{"seed":1e400}', b"[" * 100_000, b'{"agent":"\\u001b[2J"}',
    b'{"mode":["a"]}', b"{}", b"", b"\xff\xfe", b'{"num_envs":-1}', b'{"num_envs":99999999999}',
    b'{"rom_path":"/dev/zero"}', b'{"save_dir":"\\u0000"}', b'{"seed":NaN}', b'{"total_steps":{}}',
)  # fmt: skip


def file_of(run: Path, pattern: str) -> Path:
    """Return the newest file of a kind.

    Raises:
        Skipped: The run has none.
    """
    found = sorted(run.glob(pattern))
    if not found:
        raise Skipped(f"a run has no {pattern}")
    return found[-1]


def said_well(name: str, *arguments: str) -> str:
    """Run a command that does it or refuses it in a line; return what it said."""
    code, said, complained = run_here(*arguments)
    if code not in (0, 2):
        raise Lost(f"{name} ended with {code}: {complained}")
    if code == 2 and complained.count("\n") != 1:
        raise Lost(f"{name} was refused in {complained.count(chr(10))} lines: {complained}")
    hidden = [c for c in said + complained if not (c.isprintable() or c == "\n")]
    if hidden:
        raise Lost(f"{name} printed {hidden[0]!r}")
    return said


def check_saves(saves: Path, shop: Workshop) -> None:
    """Check that every command copes with what has become of `bad`, and `good` is whole.

    Raises:
        Lost: Something is lost.
    """
    where = ("--save-dir", str(saves))
    if "good" not in said_well("poketui runs", "runs", *where):
        raise Lost("a whole run is no longer listed")
    out = str(saves / "out")
    said_well("poketui runs RUN", "runs", "bad", *where)
    for options in (("--format", "json"), ("--table", "exchanges"), ("--table", "updates")):
        said_well("poketui export", "export", "bad", *options, "--out", out, "--force", *where)
    said_well("poketui llm log", "llm", "log", "bad", "--full", *where)
    with contextlib.suppress(PokeTUIError, FileNotFoundError):
        read_decisions(saves / "runs" / "bad" / "decisions.db", Wanted(), 50)
    if not shop.is_outside_whole:
        raise Lost("something outside the save folder has changed")


def check_resume(saves: Path, shop: Workshop, *, must_go: bool) -> None:
    """Check that `bad` can be continued with: what a run reads before its first step.

    Raises:
        Lost: It cannot, or its journal is another one than was saved.
    """
    whole = (shop.saved_run / "journal.jsonl").read_bytes()
    try:
        session = EngineSession(RunConfig(save_dir=str(saves), headless=True), "bad")
    except PokeTUIError as error:
        if must_go:
            raise Lost(f"cannot be resumed: {error}") from None
        return
    try:
        run = Path(session.run_dir)
        checkpoint, _, _ = CheckpointStore(run / "checkpoints", 3).load_newest()
        length = int(checkpoint.facts["journal_bytes"])
        journal = Journal(run / "journal.jsonl")
        journal.truncate(length)
        journal.close()
        if must_go and (run / "journal.jsonl").read_bytes() != whole[:length]:
            raise Lost("the journal is not the one of the checkpoint")
    finally:
        session._folder.unlock()


def damages(pattern: str) -> Callable[[Workshop], contextlib.AbstractContextManager[Strike]]:
    """Return a scene in which one file of a run is damaged."""

    @contextmanager
    def scene(shop: Workshop) -> Iterator[Strike]:
        name = file_of(shop.saved_run, pattern).name

        def strike(rng: random.Random) -> None:
            saves = shop.copy_of_saves(own=name)
            file = file_of(saves / "runs" / "bad", pattern)
            if name == "config.json" and rng.random() < 0.3:
                file.write_bytes(rng.choice(_HOSTILE_SETTINGS))
            else:
                file.write_bytes(damaged(file.read_bytes(), rng))
            check_saves(saves, shop)
            is_data = name not in ("config.json", "journal.jsonl")
            check_resume(saves, shop, must_go=is_data)
            shutil.rmtree(saves)

        yield strike

    return scene


@contextmanager
def missing(shop: Workshop) -> Iterator[Strike]:
    """Take away files and folders of a run."""

    def strike(rng: random.Random) -> None:
        saves = shop.copy_of_saves()
        run = saves / "runs" / "bad"
        for path in rng.sample(sorted(run.iterdir()), rng.randrange(1, 4)):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        check_saves(saves, shop)
        check_resume(saves, shop, must_go=False)
        shutil.rmtree(saves)

    yield strike


@contextmanager
def links(shop: Workshop) -> Iterator[Strike]:
    """Put symbolic links to a victim in place of files and folders of a run."""

    def strike(rng: random.Random) -> None:
        saves = shop.copy_of_saves()
        run = saves / "runs" / "bad"
        path = rng.choice(sorted(run.iterdir()))
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        path.symlink_to(rng.choice((shop.outside / "victim", shop.outside, "/dev/zero", path)))
        check_saves(saves, shop)
        check_resume(saves, shop, must_go=False)
        if not shop.is_outside_whole:
            raise Lost(f"a link {path.name} was followed")
        shutil.rmtree(saves)

    yield strike


@contextmanager
def names(shop: Workshop) -> Iterator[Strike]:
    """Give runs names that a terminal would obey."""

    def strike(rng: random.Random) -> None:
        saves = shop.copy_of_saves()
        letters = "\x1b[2J]0;\x07\x9b\u202e\n\r\tab'\";$`*?%&|<>\\ \udcff"
        name = "".join(rng.choice(letters) for _ in range(rng.randrange(1, 20))) + "x"
        os.rename(saves / "runs" / "bad", saves / "runs" / name)  # noqa: PTH104
        where = ("--save-dir", str(saves))
        said_well("poketui runs", "runs", *where)
        said_well("poketui runs RUN", "runs", "--", name, *where)
        said_well("poketui export", "export", "nobody", *where)
        shutil.rmtree(saves)

    yield strike


@contextmanager
def resumed(shop: Workshop) -> Iterator[Strike]:
    """Damage a file, and let the program itself continue with the run."""
    data = [pattern for pattern in KINDS.values() if pattern != "config.json"]

    def strike(rng: random.Random) -> None:
        pattern = rng.choice(data)
        saves = shop.copy_of_saves(own=file_of(shop.saved_run, "checkpoints/step-*.zip").name)
        file = file_of(saves / "runs" / "bad", pattern)
        file.write_bytes(damaged(file.read_bytes(), rng))
        go_on = ("--resume", "bad", "--save-dir", str(saves), "--steps", "1700", "--no-llm")
        done = shop.run("run", "--headless", *go_on)
        if "Move it away" in done.stderr and done.stderr.count("\n") <= 2:
            pass  # a history of decisions that cannot be added to is refused, and says what helps
        elif "Traceback" in done.stdout + done.stderr or done.returncode:
            raise Lost(f"damaged {pattern}: ended with {done.returncode}: {done.stderr}")
        shutil.rmtree(saves)

    yield strike


@contextmanager
def deleted(shop: Workshop) -> Iterator[Strike]:
    """Delete the folder of a run while it continues; then end it, and resume it."""
    from tests.benchmarks.faults.processes import Headless

    def strike(rng: random.Random) -> None:
        saves = shop.folder()
        with Headless(shop, saves, *SMALL) as run:
            run.wait_for("saved at step")
            (path,) = (saves / "runs").iterdir()
            shutil.rmtree(path, ignore_errors=True)
            run.end()
            says_resume = "--resume" in run.text
        if says_resume:
            done = shop.run(
                "run", "--headless", "--resume", "--save-dir", str(saves), "--episodes", "1"
            )
            if done.returncode:
                raise Lost(f"it says --resume, and that fails: {done.stderr}")
        shutil.rmtree(saves)

    yield strike


FAULTS = (
    *(Fault(f"damaged bytes in {kind}", 30, damages(file)) for kind, file in KINDS.items()),
    Fault("files of a run missing", 40, missing),
    Fault("symbolic links in a run's folder", 40, links),
    Fault("control characters in a run's name", 40, names),
    Fault("a damaged file, and the run resumed", 6, resumed),
    Fault("the folder deleted in mid-run", 2, deleted),
)
