"""Build commands from functions, and their options from docstrings and settings models.

A command's file holds only what is its own: the parameters of its function are its arguments (those
before the "/") and its options, and the docstring's Args say what they are for. Settings of a run,
of cloning or of DAgger are only named: type, default, choices and help come from the field of the
model, as on the settings screen. The model validates the values, too, so that a wrong value gets
the same message from an option, a variable or a file.

The command line of pydantic-settings is not used: it turns every field of a model into an option,
needs the models for `poketui --help` already, and has neither completion nor panels.
"""

import dataclasses
import inspect
import os
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, get_args, get_origin

import typer
from typer.core import TyperArgument, TyperCommand, TyperOption
from typer.models import OptionInfo, ParameterInfo

from engine.errors import ConfigurationError
from engine.games.bundled import FIRST, IMAGES
from engine.ground.folders import CORE_VARIABLE, user_path
from pokeTUI.cli.completion import complete_runs_or_latest, complete_settings, words
from pokeTUI.cli.help_texts import FEW, FORMER, HIDDEN, PANEL_OF, Doc, docs_of, summary_of
from pokeTUI.terminal.printing import say

if TYPE_CHECKING:
    from engine.config import RunConfig
    from pokeTUI.settings import Setting

_KEYS = {"goal": "env.goal", "state": "start_state"}
"""Settings of shared options that have another name."""
_KEYWORD = inspect.Parameter.KEYWORD_ONLY
_PLACEHOLDERS = {"env.goal": "MILESTONE"}

COLOR_WORDS = ("auto", "truecolor", "256", "16", "none")
"""The depths of `pokeTUI.terminal.probe`, which is too slow to load for completion."""

Game = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help=f"Practice game: {' or '.join(IMAGES)}.",
        show_default=FIRST,
        autocompletion=words(*IMAGES),
    ),
]
Rom = Annotated[
    str | None, typer.Option(help="Your ROM file, instead of --game.", show_default="none")
]


def _use_core(file: str | None) -> None:
    """Run all games of this process and of its children in a core."""
    if file is None:
        return
    core = user_path(file)
    refuse_if(not core.is_file(), f"There is no core {file}.", "Check --core.")
    os.environ[CORE_VARIABLE] = str(core.resolve())


Core = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        callback=_use_core,
        expose_value=False,
        help="mGBA's libretro core, for Game Boy Advance games.",
        show_default="the installed one",
    ),
]
ConfigFile = Annotated[Path | None, typer.Option(help="Config file (JSON or TOML).")]
Seed = Annotated[int | None, typer.Option()]
SaveDir = Annotated[str | None, typer.Option(help="Folder for saved runs.", show_default="saves")]
CheckpointDir = Annotated[
    str | None, typer.Option(help="Folder of the runs.", show_default="saves/vgc")
]
Color = Annotated[
    str,
    typer.Option(
        metavar="DEPTH",
        help="Colour depth: auto, truecolor, 256, 16 or none.",
        autocompletion=words(*COLOR_WORDS),
    ),
]
LatestRun = Annotated[
    str,
    typer.Argument(
        metavar="[RUN]",
        help="A saved run.",
        show_default="the latest",
        autocompletion=complete_runs_or_latest,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Override any setting, e.g. ppo.epochs=4; repeatable. help: list them.",
        autocompletion=complete_settings,
    ),
]


Given = dict[str, Any]
"""Settings from the command line, by key; those that were not given are absent.

A command annotates the parameter with the keys, each with its option names where these differ from
the last part of the key: "seed num_envs=--envs". "rom_path" stands for --game, --rom and --core,
"set" for --set, which the options override.
"""


def command(
    app: typer.Typer, name: str | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a function as a command of `app`; by default with its own name."""

    def define(function: Callable[..., None]) -> Callable[..., None]:
        def placeholder() -> None:
            """Stand in for the function until its options are needed."""

        kind = type("Command", (Panels,), {"function": staticmethod(function)})
        app.command(name or function.__name__, cls=kind, help=summary_of(function))(placeholder)
        return function

    return define


class Panels(TyperCommand):
    """A command whose help groups its options, if they are many; the rest come first.

    Its options are built on first use, because the settings models take long to load.
    """

    function: Callable[..., None]

    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        del self.params, self.callback  # built by __getattr__

    def __getattr__(self, name: str) -> Any:
        if name not in ("params", "callback"):
            raise AttributeError(name)
        app = typer.Typer(add_completion=False)
        app.command()(_with_options(self.function))
        made = typer.main.get_command(app)
        self.params, self.callback = made.params, made.callback
        options = [each for each in self.params if isinstance(each, TyperOption)]
        for option in options:
            option.hidden = option.hidden or option.name in HIDDEN
            if len(options) > FEW:
                option.rich_help_panel = PANEL_OF.get(option.name or "")
        order = [None, *dict.fromkeys(PANEL_OF.values())]
        self.params.sort(key=lambda each: order.index(getattr(each, "rich_help_panel", None)))
        return getattr(self, name)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Accept former names of options, too."""
        former = FORMER.get(ctx.command_path.partition(" ")[2], {})
        named = [each.partition("=") for each in args]
        return super().parse_args(ctx, [former.get(n, n) + sep + value for n, sep, value in named])

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Show defaults as `[default: 32]`: Typer puts defaults that are texts in parentheses."""
        for each in self.params:
            if isinstance(each, TyperOption | TyperArgument) and isinstance(each.show_default, str):
                default = f"[dim]\\[default: {each.show_default}][/dim]"
                each.help, each.show_default = f"{each.help} {default}", False
        super().format_help(ctx, formatter)


def _with_options(function: Callable[..., None]) -> Callable[..., None]:
    """Return a function with the signature from which Typer builds arguments and options."""
    docs = docs_of(function)
    parameters: list[inspect.Parameter] = []
    keys: dict[str, str] = {}
    groups: dict[str, Any] = {}
    own = inspect.signature(function).parameters
    for each in own.values():
        if each.name == "given":
            for key, option in _options_of(get_args(each.annotation)[1], docs):
                parameters.append(option)
                keys[option.name] = key
        elif dataclasses.is_dataclass(each.annotation):
            groups[each.name] = each.annotation
            its_docs = docs_of(each.annotation)
            fields = inspect.signature(groups[each.name]).parameters.values()
            parameters += [_parameter(field, its_docs.get(field.name)) for field in fields]
        else:
            parameters.append(_parameter(each, docs.get(each.name)))

    def call(**values: Any) -> None:
        """Call the function with settings and option groups put together from their options."""
        if keys:
            values["given"] = _given({name: values.pop(name, None) for name in keys}, keys)
        for name, group in groups.items():
            fields = inspect.signature(group).parameters
            values[name] = group(**{field: values.pop(field) for field in fields})
        first = [name for name, each in own.items() if each.kind is each.POSITIONAL_ONLY]
        function(*[values.pop(name) for name in first], **values)

    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    return call


def _parameter(
    own: inspect.Parameter, doc: Doc | None, setting: "Setting | None" = None
) -> inspect.Parameter:
    """Return a parameter with the annotation that Typer reads.

    Without a docstring entry it is a shared option with its own help, or the setting of its name.
    """
    is_noted = get_origin(own.annotation) is Annotated
    kind, *notes = get_args(own.annotation) if is_noted else (own.annotation,)
    is_argument = own.kind is own.POSITIONAL_ONLY
    usual = typer.Argument() if is_argument else typer.Option()
    info = copy(next((each for each in notes if isinstance(each, ParameterInfo)), usual))
    info.autocompletion = next(filter(callable, notes), info.autocompletion)
    if doc is None and info.help is None:
        setting = setting or _settings().get(_KEYS.get(own.name, own.name))
        placeholder = _PLACEHOLDERS.get(setting.key) if setting else None
        doc = Doc(placeholder, setting.purpose, setting.usual or None) if setting else None
    if setting is not None and setting.choices and bool not in (kind, *get_args(kind)):
        info.autocompletion = words(*filter(None, setting.choices))
    if doc is not None:
        info.help, info.metavar = doc.text, doc.placeholder or info.metavar
        info.show_default = doc.default or info.show_default
    if isinstance(info, OptionInfo) and info.default is ... and not info.param_decls:
        option = own.name.strip("_").replace("_", "-")
        default = own.default if setting is None else setting.default
        is_pair = bool in (kind, *get_args(kind)) and default is not False
        info.param_decls = (f"--{option}/--no-{option}" if is_pair else f"--{option}",)
    return own.replace(kind=_KEYWORD, annotation=Annotated[kind, info])


@cache
def _settings() -> "dict[str, Setting]":
    """Return all settings that a command can name, by key."""
    from engine.config import RunConfig
    from engine.runs.cloning_settings import CloningConfig, DaggerConfig
    from pokeTUI.settings import settings_of

    found = settings_of(RunConfig)
    found += settings_of(CloningConfig, "cloning.") + settings_of(DaggerConfig, "dagger.")
    return {one.key: one for one in found}


def _options_of(settings: str, docs: Mapping[str, Doc]) -> Iterator[tuple[str, inspect.Parameter]]:
    """Yield the key of each named setting with its option; some settings have several."""
    known = _settings()
    several: dict[str, dict[str, Any]] = {
        "rom_path": {"game": Game, "rom": Rom, "core": Core},
        "set": {"set_": Settings},
    }
    for word in settings.split():
        key, _, names = word.partition("=")
        named = names.split(",") if names else []
        options = several.get(key, {})
        if named or not options:
            name = (named or [key.rpartition(".")[2]])[0].partition("/")[0]
            base: Any = type(known[key].default) | None
            options |= {name.strip("-").replace("-", "_"): Annotated[base, typer.Option(*named)]}
        for name, kind in options.items():
            own = inspect.Parameter(name, _KEYWORD, default=None, annotation=kind)
            yield key, _parameter(own, docs.get(name), known.get(key))


def _given(values: dict[str, Any], keys: Mapping[str, str]) -> Given:
    """Return the given values by key; options override `--set`."""
    given = parse_settings(values.pop("set_", None))
    rom = chosen_rom(values.pop("rom", None), values.pop("game", None))
    named = {keys[name]: value for name, value in values.items()} | {"rom_path": rom}
    return given | {key: value for key, value in named.items() if value is not None}


def given(**values: Any) -> dict[str, Any]:
    """Return the values of the options that were given: those that are not None."""
    return {key: value for key, value in values.items() if value is not None}


def section(given: Given, prefix: str) -> Given:
    """Return the values whose keys begin with `prefix`, by the rest of the key."""
    return {key.removeprefix(prefix): given[key] for key in given if key.startswith(prefix)}


def refuse_if(is_wrong: object, message: str, hint: str) -> None:
    """Refuse a command line with a message and a hint what to change.

    Raises:
        ConfigurationError: `is_wrong` is true.
    """
    if is_wrong:
        raise ConfigurationError(message, hint)


def load_config_of(
    given: Given, option: str, player: str, others: Given | None = None
) -> "RunConfig":
    """Load the settings of a game whose player is named by `option`; only the planner has a model.

    `given` overrides `others`.

    Raises:
        ConfigurationError: Another player is given a model, or the planner's cannot be used.
    """
    from engine.config import load_config
    from engine.planning.models.backends import make_backends

    needed = f"{option} planner"
    has_model = given.keys() & {"llm_model", "llm_backend"} and player != "planner"
    refuse_if(has_model, f"--llm-model and --llm-backend need {needed}.", f"Add {needed}.")
    config = load_config(None, (others or {}) | given)
    if config.models and player == "planner":
        make_backends(config)  # reports what is wrong with them before anything is created
    return config


def exclusive(*named: str | bool | None) -> None:
    """Refuse options that exclude each other; an option that was not given is empty or None.

    Raises:
        ConfigurationError: Two are given.
    """
    found = [name for name in named if name]
    both = " and ".join(map(str, found[:2]))
    refuse_if(len(found) > 1, f"{both} are mutually exclusive.", "Leave one out.")


def chosen_rom(rom: str | None, game: str | None, option: str = "--rom") -> str | None:
    """Return the `rom_path` that --rom (`option`) or --game means, None if neither is given.

    Raises:
        ConfigurationError: Both are given, or no practice game has that name.
    """
    if game is None:
        return rom
    exclusive(f"--game {game}", rom is not None and f"{option} {rom}")
    hint = f"Choose from: {', '.join(IMAGES)}."
    refuse_if(game not in IMAGES, f"There is no practice game '{game}'.", hint)
    return game


def parse_settings(pairs: list[str] | None) -> dict[str, Any]:
    """Return the settings of `--set` by dotted key; of `--set help`, list them all and exit.

    Raises:
        ConfigurationError: One is not KEY=VALUE, or given twice.
    """
    settings: dict[str, Any] = {}
    for pair in pairs or []:
        key, separator, value = pair.partition("=")
        if pair == "help":
            _list_settings()
        hint = "Example: --set ppo.epochs=4, or --set help"
        refuse_if(not separator or not key, f"--set {pair}: not KEY=VALUE.", hint)
        message = f"--set {key} is given twice: {settings.get(key)} and {value}."
        refuse_if(key in settings, message, "Leave one out.")
        settings[key] = value
    return settings


def _list_settings() -> NoReturn:
    """Print every setting with its default, what is allowed and what it is for."""
    from engine.config import RunConfig
    from pokeTUI.settings import settings_of, shown

    for one in settings_of(RunConfig):
        facts = "; ".join(filter(None, (one.kind, one.allowed, one.description)))
        say(f"{one.key}={shown(one.default)}  {facts}")
    raise typer.Exit
