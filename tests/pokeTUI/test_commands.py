"""Make a command of a function: its arguments, options, settings, and what they are for."""

from dataclasses import dataclass
from typing import Annotated, Any

import pytest
import typer
from typer.main import get_command
from typer.testing import CliRunner

from engine.config import RunConfig
from engine.errors import ConfigurationError
from pokeTUI.cli.completion import words
from pokeTUI.cli.options import Given, Seed, command
from pokeTUI.settings import settings_of
from tests.pokeTUI.test_options import commands

SETTINGS = {one.key: one for one in settings_of(RunConfig)}


@dataclass(frozen=True)
class Tools:
    """What is used.

    Attributes:
        spade (SIZE): Its size.
        lamp: Carry one. Default: by night.
    """

    spade: int = 3
    lamp: bool | None = None


@pytest.fixture
def taken() -> list[Any]:
    return []


@pytest.fixture
def app(taken: list[Any]) -> typer.Typer:
    app = typer.Typer()

    @command(app)
    def dig(
        place: Annotated[str, words("garden", "field")] = "garden",
        /,
        *,
        given: Annotated[Given, "num_envs=--envs,--games ppo.epochs mode rom_path save_dir set"],
        tools: Tools,
        is_deep: Annotated[bool, typer.Option("--deep")] = False,
        quiet: bool = False,
        tidy: bool = True,
        seed: Seed = None,
    ) -> None:
        """Dig a hole.

        It is filled in later.

        Args:
            place ([PLACE]): Where. Default: at home.
            mode: How two of them
                share the work.
            is_deep: Go on.
            quiet: Sing no songs.
            tidy: Fill it in.
        """
        taken.append((place, given, tools, is_deep, quiet, tidy, seed))

    return app


def params(app: typer.Typer) -> dict[str, Any]:
    return {param.name: param for param in get_command(app).params}


def run(app: typer.Typer, *arguments: str) -> Any:
    return CliRunner().invoke(app, arguments)


def test_what_is_not_given_is_left_to_the_settings_and_defaults(
    app: typer.Typer, taken: list[Any]
) -> None:
    assert run(app).exit_code == 0
    assert taken == [("garden", {}, Tools(), False, False, True, None)]


def test_values_arrive_by_key_and_in_their_group(app: typer.Typer, taken: list[Any]) -> None:
    line = "field --games 2 --epochs 4 --spade 5 --no-lamp --deep --quiet --no-tidy --seed 7"
    assert run(app, *line.split()).exit_code == 0
    given = {"num_envs": 2, "ppo.epochs": 4}
    assert taken == [("field", given, Tools(5, False), True, True, False, 7)]


def test_options_go_before_set(app: typer.Typer, taken: list[Any]) -> None:
    run(app, "--set", "ppo.epochs=9", "--set", "ppo.clip=0.1", "--epochs", "4")
    assert taken[0][1] == {"ppo.epochs": 4, "ppo.clip": "0.1"}


def test_a_game_is_the_path_of_its_rom(app: typer.Typer, taken: list[Any]) -> None:
    run(app, "--game", "mosslight")
    assert taken[0][1] == {"rom_path": "mosslight"}
    refused = run(app, "--game", "mosslight", "--rom", "x.gbc")
    assert isinstance(refused.exception, ConfigurationError)


def test_an_option_is_explained_by_the_docstring_and_else_by_its_setting(app: typer.Typer) -> None:
    found = params(app)
    shown = {name: (found[name].help, found[name].show_default) for name in found}
    assert shown["place"] == ("Where.", "at home")
    assert shown["lamp"] == ("Carry one.", "by night")
    assert shown["mode"] == ("How two of them share the work.", True)
    assert shown["seed"] == (SETTINGS["seed"].description, "0")
    assert shown["envs"] == (SETTINGS["num_envs"].purpose, SETTINGS["num_envs"].usual)
    assert (found["place"].metavar, found["spade"].metavar) == ("[PLACE]", "SIZE")
    assert get_command(app).help == "Dig a hole.\n\nIt is filled in later."


def test_an_option_has_the_names_and_the_type_of_its_setting(app: typer.Typer) -> None:
    found = params(app)
    assert found["envs"].opts == ["--envs", "--games"]
    assert found["envs"].type_descriptor.annotation is int
    assert (found["quiet"].opts, found["quiet"].secondary_opts) == (["--quiet"], [])
    assert (found["tidy"].opts, found["tidy"].secondary_opts) == (["--tidy"], ["--no-tidy"])


def test_few_values_are_completed_those_of_settings_too(app: typer.Typer) -> None:
    command = get_command(app)
    context = command.make_context("dig", [], resilient_parsing=True)
    completed = {
        name: [item.value for item in params(app)[name].shell_complete(context, begun)]
        for name, begun in (("place", "f"), ("mode", "r"))
    }
    assert completed == {"place": ["field"], "mode": ["rl_only"]}


def test_every_argument_and_option_is_explained() -> None:
    found = [
        (name, param.name)
        for name, command in commands()
        for param in command.params
        if not param.help
    ]
    assert found == []


@pytest.mark.parametrize(
    ("key", "purpose", "usual"),
    [
        ("total_steps", "Stop after this many steps over all games.", "no limit"),
        ("llm_model", None, "rules set them"),
        ("seed", "Random seed.", "0"),
        ("headless", "", ""),
        ("env.hold_frames", None, "8"),
    ],
)
def test_a_settings_default_is_told_apart_from_its_purpose(
    key: str, purpose: str | None, usual: str
) -> None:
    one = SETTINGS[key]
    assert one.usual == usual
    assert usual not in one.purpose or not one.meaning(one.default)
    assert purpose in (None, one.purpose)
