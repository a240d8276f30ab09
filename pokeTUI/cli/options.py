"""Define what several commands have in common, and the panels of their help."""

import os
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperArgument, TyperCommand, TyperOption

from engine.errors import ConfigurationError
from engine.games.bundled import FIRST, IMAGES
from engine.ground.folders import CORE_VARIABLE, user_path
from pokeTUI.cli.completion import choices_of, complete_runs_or_latest, complete_settings, words
from pokeTUI.terminal.printing import say

_FEW = 7
"""A command with no more options than these shows them in one panel."""
_PANELS = {
    "Game": "game rom core state goal allow_unknown_rom",
    "Agent": "agent no_dqn mode strategy start_policy player",
    "Language model": "llm_model llm_backend llm_interval no_llm",
    "Data": "task tag rules by success min_right min_success progress dedupe val_share balance",
    "Battles": "battle_format team num_teams opponents num_workers",
    "Network and training": "network inputs hidden_size epochs batch_size lr weight_decay patience "
    "eval_episodes eval_every save_every device bc_model freeze_shared",
    "PPO": "buffer_size gamma gae_lambda ppo_epochs num_minibatches clip_coef ent_coef vf_coef "
    "target_kl anneal",
    "As in CleanRL's scripts": "expert_data_dir total_training_steps eval_frequency save_frequency "
    "save_best torch_deterministic cuda",
    "DAgger": "dagger rounds round_episodes beta",
    "Run": "dataset demo at steps episodes minutes time_limit pause reset review seed seeds "
    "first_seed envs workers processes",
    "Video": "gif mp4 panes size speed scale first last",
    "Table of runs": "sort reverse filter_ group watch_ once",
    "Labels and trash": "name note add_tag untag delete restore yes",
    "Output": "headless detach web web_port quiet color save_dir checkpoint_dir exp_name track "
    "wandb_project_name json_ out force",
}
_PANEL_OF = {name: panel for panel, names in _PANELS.items() for name in names.split()}

_FORMER = {
    "record": {"--from": "--demo"},
    "replay": {"--from": "--first-step", "--to": "--last-step"},
    "demos watch": {"--from": "--first-step", "--to": "--last-step"},
    "bench play": {"--agent": "--player", "--json": "--out"},
    "llm check": {"--backend": "--llm-backend"},
    "llm ask": {"--backend": "--llm-backend"},
    "vgc ladder": {"--games": "--battles", "--search": "--matchmaking"},
}
"""By command: what options were called before each name meant one thing everywhere."""

COLOR_WORDS = ("auto", "truecolor", "256", "16", "none")
"""Those of `pokeTUI.terminal.probe`, which takes too long to load while a shell waits."""

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
    """Have every game of this process, and of those that it starts, run in a core."""
    if file is None:
        return
    core = user_path(file)
    if not core.is_file():
        raise ConfigurationError(f"There is no core {file}.", "Check --core.")
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
AnyRom = Annotated[
    bool, typer.Option("--allow-unknown-rom", help="Allow a ROM with an unknown hash.")
]
StartState = Annotated[
    str | None,
    typer.Option(help="Save state or battery file to start from.", show_default="a new game"),
]
ConfigFile = Annotated[Path | None, typer.Option(help="Config file (JSON or TOML).")]
Tags = Annotated[list[str] | None, typer.Option(metavar="TAG", help="Tag; repeatable.")]
Seed = Annotated[int | None, typer.Option(help="Random seed.", show_default="0")]
Goal = Annotated[
    str | None,
    typer.Option(metavar="MILESTONE", help="Goal.", show_default="the first badge"),
]
SaveDir = Annotated[str | None, typer.Option(help="Folder for saved runs.", show_default="saves")]
CheckpointDir = Annotated[
    str | None,
    typer.Option(help="Folder of the runs.", show_default="saves/vgc"),
]
Color = Annotated[
    str,
    typer.Option(
        metavar="DEPTH",
        help="Colour depth: auto, truecolor, 256, 16 or none.",
        autocompletion=words(*COLOR_WORDS),
    ),
]
LlmBackend = Annotated[
    str | None,
    typer.Option(
        help="ollama, openai, anthropic, or local (a GGUF file).",
        show_default="by the model's name",
        autocompletion=choices_of("llm_backend"),
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


class Panels(TyperCommand):
    """A command whose help groups its options, if they are many; the rest come first."""

    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        options = [each for each in self.params if isinstance(each, TyperOption)]
        for option in options if len(options) > _FEW else ():
            option.rich_help_panel = _PANEL_OF.get(option.name or "")

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take options by their former names, too."""
        former = _FORMER.get(ctx.command_path.partition(" ")[2], {})
        named = [each.partition("=") for each in args]
        return super().parse_args(ctx, [former.get(n, n) + sep + value for n, sep, value in named])

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Show defaults as `[default: 32]`; Typer would put those of ours in parentheses."""
        for each in self.params:
            if isinstance(each, TyperOption | TyperArgument) and isinstance(each.show_default, str):
                default = f"[dim]\\[default: {each.show_default}][/dim]"
                each.help, each.show_default = f"{each.help} {default}", False
        super().format_help(ctx, formatter)


def given(**values: Any) -> dict[str, Any]:
    """Return the values of the options that were given: those that are not None."""
    return {key: value for key, value in values.items() if value is not None}


def chosen_rom(rom: str | None, game: str | None, option: str = "--rom") -> str | None:
    """Return what `rom_path` is to be by --rom (`option`) and --game, None if neither is given.

    Raises:
        ConfigurationError: Both are given, or no practice game has that name.
    """
    if game is None:
        return rom
    if rom is not None:
        raise ConfigurationError(
            f"--game {game} and {option} {rom} are mutually exclusive.", "Leave one out."
        )
    if game not in IMAGES:
        raise ConfigurationError(
            f"There is no practice game '{game}'.", f"Choose from: {', '.join(IMAGES)}."
        )
    return game


def planner_model(option: str) -> Any:
    """Return the option that names the model behind `option`, e.g. "--player planner"."""
    return typer.Option(
        help=f"Language model for {option}; each step waits for its answer.",
        show_default="none: the rules set goals",
    )


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
        if not separator or not key:
            raise ConfigurationError(
                f"--set {pair}: not KEY=VALUE.", "Example: --set ppo.epochs=4, or --set help"
            )
        if key in settings:
            raise ConfigurationError(
                f"--set {key} is given twice: {settings[key]} and {value}.", "Leave one out."
            )
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
