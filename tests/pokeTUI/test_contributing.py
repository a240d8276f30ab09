"""What CONTRIBUTING.md says of adding something is so: each is done, in small, or looked up.

A pane is added in test_worlds.py.
"""

import importlib
import re
import tomllib
from pathlib import Path
from typing import get_args

import pytest

from engine.config import PPOConfig, RewardConfig, RunConfig
from engine.games import catalog
from engine.games.base import Game
from engine.games.catalog import load_game
from engine.ground.providers import PROVIDERS
from engine.planning.models import backends
from engine.rewards import composer
from engine.rewards.base import Payments, Transition
from engine.training.build import build_agent
from engine.types import GameState, Spaces
from pokeTUI.cli.completion import complete_settings
from pokeTUI.input import keymap
from pokeTUI.input.entry import WATCH, KeyAction
from pokeTUI.settings import settings_of
from tests.engine.states import make_state
from tests.toy_game.install import install

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
HOW_TOS = dict(re.findall(r"^### (.+?)\n(.*?)(?=^##)", TEXT, re.DOTALL | re.MULTILINE))
PARTS = ("chat", "probe", "load", "close")
"""Of a language model backend."""
PATH = re.compile(r"`((?:engine|pokeTUI|docs|tests)/[\w./]+|pyproject\.toml)`")


def test_there_is_a_how_to_for_each() -> None:
    assert list(HOW_TOS) == [
        "A game", "A reward", "A pane", "A key", "A backend", "An agent", "A setting",
    ]  # fmt: skip


@pytest.mark.parametrize("name", HOW_TOS)
def test_named_files_are_there(name: str) -> None:
    paths = PATH.findall(HOW_TOS[name])
    assert paths
    for path in paths:
        found = ROOT / path
        # What is to be written has a folder already, unless the folder is what is added.
        assert found.exists() or "NAME" in path, path
        if "NAME" in path:
            assert next(each for each in found.parents if "NAME" not in str(each)).is_dir(), path


def test_a_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert f"`{catalog.ENTRY_POINTS}`" in HOW_TOS["A game"]
    assert len(catalog._GAMES) == 2
    rom = install(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    game = load_game(rom)
    assert all(hasattr(game, name) for name in Game.__annotations__)
    files = list((ROOT / "tests/toy_game/lantern_garden").glob("[!_]*.py"))
    assert len(files) == 6
    assert "six short files" in HOW_TOS["A game"]


class Idling:
    """Pay 1 for every step."""

    name = "idling"

    def reset(self, state: GameState) -> None:
        pass

    def pay(self, step: Transition, payments: Payments) -> float:
        return 1.0

    def save(self) -> None:
        pass

    def restore(self, saved: None) -> None:
        pass


def test_a_reward() -> None:
    assert f"`{composer.ENTRY_POINTS}`" in HOW_TOS["A reward"]
    weighed = RewardConfig(extra={f"{__name__}:Idling": 2.0})
    paying = composer.RewardComposer(weighed)
    state = make_state()
    paying.reset(state)
    assert dict(paying.pay(Transition(state, state, 0)).components)["idling"] == 2.0
    own = composer.RewardComposer(RewardConfig()).names
    assert set(own) == set(RewardConfig.model_fields) - {"extra"}


def test_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = KeyAction(WATCH, ("f9",), "wave", "Wave at the game.", label="wave", rank=0)
    known = keymap.entries_for
    monkeypatch.setattr(keymap, "entries_for", lambda actions: [*known(actions), entry])
    table = keymap.KeyTable({"wave": "f8"})
    assert any(binding.key == "f8" and binding.action == "wave" for binding in table.bindings())
    (helped,) = [one for _, group in table.groups() for one in group if one.action == "wave"]
    assert (helped.shown, helped.help) == ("f8", "Wave at the game.")
    assert "| `f9` | `wave` | Wave at the game. |" in keymap.keys_markdown()


def test_a_backend() -> None:
    names = set(get_args(RunConfig.model_fields["llm_backend"].annotation)) - {""}
    assert names == set(backends._EXTRA_PACKAGES)
    assert set(PROVIDERS) | {"local"} == names
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for name in names:
        module = importlib.import_module(f"engine.planning.models.backends.{name}")
        kinds_of = [kind for kind in vars(module).values() if isinstance(kind, type)]
        assert any(all(hasattr(kind, part) for part in PARTS) for kind in kinds_of), name
        assert not backends._EXTRA_PACKAGES[name] or name in extras["optional-dependencies"]


def test_an_agent() -> None:
    names = get_args(RunConfig.model_fields["agent"].annotation)
    for name in names:
        config = RunConfig(agent=name, num_envs=1, ppo=PPOConfig(hidden_size=16))
        assert build_agent(config, Spaces(12, 5)).name == name


class Extended(RunConfig):
    """The settings with one more."""

    patience: int = 3
    """How long to wait, in seconds."""


def test_a_setting() -> None:
    (found,) = [one for one in settings_of(Extended) if one.key == "patience"]
    assert (found.default, found.description) == (3, "How long to wait, in seconds.")
    offered = [key for key, _ in complete_settings("env.max")]
    assert any(key.startswith("env.max_steps") for key in offered)
