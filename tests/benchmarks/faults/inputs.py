"""Hostile preferences, settings, files of other programs, and texts in the game."""

import itertools
import json
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from engine.config import EnvConfig, RunConfig, load_config
from engine.demos.recorder import random_policy, record_policy
from engine.errors import ConfigurationError
from engine.planning.models.prompt import name_of
from engine.planning.models.reply import read_plan
from pokeTUI.app.start.app import preferred_theme
from pokeTUI.input.keymap import KeyTable
from pokeTUI.preferences import PreferenceFile, Preferences
from pokeTUI.settings import to_toml
from tests.benchmarks.faults.damage import said_well
from tests.benchmarks.faults.fault import Fault, Lost, Skipped, Strike
from tests.benchmarks.faults.workshop import Workshop
from tests.engine.demos.damage import archives, damaged, hdf5_files, tables
from tests.engine.planning.models.test_injection import NAMES, ORDERS, ask, shown, unquoted

_ODD = (
    "", "\x1b[2J", "[bold]x[/]", "ctrl+", ",,,", "a" * 5000, "../../x", "$(id)", -1, 2**70, 1e308,
    True, [], {}, [1, "x"], {"a": {"b": 1}}, "\u202e", "q,q,q", "ctrl+c", "escape", "mosslight ",
)  # fmt: skip


def one_line(error: ConfigurationError) -> None:
    if not str(error).isprintable():
        raise Lost(f"a refusal with control characters: {error!s:.60}")


@contextmanager
def preferences(shop: Workshop) -> Iterator[Strike]:
    """Damage preferences.toml: theme, keys, layout, anything."""
    folder = shop.path / "config"
    file = folder / "preferences.toml"
    sound = file.read_bytes()

    def strike(rng: random.Random) -> None:
        values: dict[str, object] = {
            "theme": "daylight",
            "view": "octants",
            "keys": {one.id: "f5" for one in rng.sample(KeyTable().entries, 2)},
            "layout": {"hidden": ["map"], "fronts": [], "sizes": {"main": {"game": 0.5}}},
        }
        values[rng.choice((*values, "other"))] = rng.choice(_ODD)
        if isinstance(keys := values.get("keys"), dict):
            keys[rng.choice((rng.choice(KeyTable().entries).id, "nothing"))] = rng.choice(_ODD)
        data = to_toml(values, "").encode()
        file.write_bytes(damaged(data, rng) if rng.random() < 0.5 else data)
        preferred_theme()
        try:
            found = PreferenceFile(folder).load()
            found.arrangement()
            KeyTable(found.keys, str(file)).bindings()
        except ConfigurationError as error:
            one_line(error)

    try:
        yield strike
    finally:
        file.write_bytes(sound)
        Preferences()


@contextmanager
def settings(shop: Workshop) -> Iterator[Strike]:
    """Damage a file of settings, JSON and TOML."""
    whole = RunConfig().model_dump(mode="json")

    def strike(rng: random.Random) -> None:
        values = json.loads(json.dumps(whole))
        for _ in range(rng.randrange(3)):
            part = rng.choice([values, *(v for v in values.values() if isinstance(v, dict) and v)])
            part[rng.choice((*part, "other"))] = rng.choice(_ODD)
        file = shop.path / rng.choice(("settings.json", "settings.toml"))
        plain = {key: value for key, value in values.items() if value is not None}
        text = json.dumps(values) if file.suffix == ".json" else to_toml(plain, "")
        data = text.encode()
        file.write_bytes(damaged(data, rng) if rng.random() < 0.5 else data)
        try:
            load_config(file, {})
        except ConfigurationError as error:
            one_line(error)

    yield strike


def imports(
    make: Callable[[Path, random.Random], Iterator[Path]],
) -> Callable[[Workshop], AbstractContextManager[Strike]]:
    """Return a scene in which files of other programs are imported."""

    @contextmanager
    def scene(shop: Workshop) -> Iterator[Strike]:
        folder = shop.folder()
        saves = shop.folder()
        made: Iterator[Path] = iter(())

        def strike(rng: random.Random) -> None:
            nonlocal made
            path = next(made, None)
            if path is None:
                made = make(folder, rng)
                path = next(made)
            said_well(
                "poketui demos import", "demos", "import", str(path), "--save-dir", str(saves)
            )
            said_well("poketui demos", "demos", "list", "--save-dir", str(saves))
            shutil.rmtree(saves, ignore_errors=True)
            if not shop.is_outside_whole:
                raise Lost("something outside the save folder has changed")

        yield strike

    return scene


def _tables(folder: Path, rng: random.Random) -> Iterator[Path]:
    for data, _ in tables(rng, 1000):
        (folder / "x.csv").write_bytes(data)
        yield folder / "x.csv"


def _archives(folder: Path, rng: random.Random) -> Iterator[Path]:
    for data, _ in archives(rng, 1000):
        (folder / "x.npz").write_bytes(data)
        yield folder / "x.npz"


def _datasets(folder: Path, rng: random.Random) -> Iterator[Path]:
    try:
        pytest.importorskip("h5py")
        pytest.importorskip("minari")
    except pytest.skip.Exception:
        raise Skipped("needs h5py and minari") from None
    for _ in hdf5_files(folder, rng, 1000):
        yield folder


def _demos(folder: Path, rng: random.Random) -> Iterator[Path]:
    config = RunConfig(save_dir=str(folder), env=EnvConfig(progress_steps=0))
    ((path, _),) = record_policy(random_policy(1), config, 1, folder, by="random", max_steps=60)
    data = path.read_bytes()
    for _ in itertools.count():
        (folder / "x.demo").write_bytes(damaged(data, rng))
        yield folder / "x.demo"


@contextmanager
def injections(shop: Workshop) -> Iterator[Strike]:
    """Let the game and its names order the model about, and the model obey."""
    plain = ask(shown(["Hello", "Hello"], '"'))

    def strike(rng: random.Random) -> None:
        order, name = rng.choice(ORDERS), rng.choice(NAMES)
        if rng.random() < 0.5:
            order = damaged(order.encode(), rng).decode(errors="replace")
            name = damaged(name.encode(), rng).decode(errors="replace")[:20] or "x"
        here = shown([order, order], name)
        request = ask(here)
        if (request.system, request.schema) != (plain.system, plain.schema):
            raise Lost("a text of the game has changed the rules of the question")
        if unquoted(request.user).count("Choices:") != 1 or not all(
            letter.isprintable() or letter == "\n" for letter in request.user
        ):
            raise Lost(f"a text of the game stands outside of its quotes: {order!r}")
        for answer in (order, json.dumps({"choice": order}), json.dumps({"choice": name})):
            plan = read_plan(answer, "stop", here, "m").plan
            if plan is not None and not any(plan.option is one for one in here.action_batch):
                raise Lost(f"{name_of(plan.option)} was no choice")

    yield strike


FAULTS = (
    Fault("hostile themes, keymaps and layouts", 150, preferences),
    Fault("hostile files of settings", 100, settings),
    Fault("hostile CSV tables imported", 40, imports(_tables)),
    Fault("hostile NPZ archives imported", 40, imports(_archives)),
    Fault("hostile Minari datasets (HDF5) imported", 40, imports(_datasets)),
    Fault("hostile demonstrations imported", 40, imports(_demos)),
    Fault("prompt injection by names and texts", 200, injections),
)
