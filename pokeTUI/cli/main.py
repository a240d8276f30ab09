"""Define the commands of `poketui`; what they do lives elsewhere and is imported when needed."""

import os
import sys
from importlib import import_module
from typing import Annotated, Any, NoReturn, cast

import typer
from typer.core import TyperGroup
from typer.main import get_group

from engine.errors import PokeTUIError
from pokeTUI.cli import options
from pokeTUI.cli.bc import bc
from pokeTUI.cli.completion import bash_values, complete_runs_or_latest
from pokeTUI.cli.live import DEFAULT_PORT, attach, serve, stop
from pokeTUI.cli.machine import doctor, trust
from pokeTUI.cli.options import Given, command, exclusive
from pokeTUI.cli.outcomes import evaluate, export, replay
from pokeTUI.cli.record import record
from pokeTUI.cli.runs import runs
from pokeTUI.terminal.printing import complain, complain_of, open_streams, say
from pokeTUI.terminal.signals import unwind_on_signals


class Group(TyperGroup):
    """The commands of the module with its name, which is loaded on first use."""

    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        del self.commands, self.params, self.callback

    def __getattr__(self, name: str) -> Any:
        if name not in ("commands", "params", "callback"):
            raise AttributeError(name)
        module = import_module(f"pokeTUI.cli.{self.name}")
        made = get_group(getattr(module, f"{self.name}_app"))
        self.commands, self.params, self.callback = made.commands, made.params, made.callback
        return getattr(self, name)


app = typer.Typer(
    name="poketui",
    help="A terminal cockpit for Pokémon-playing agents.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_UsageError = cast(type[typer.BadParameter], typer.BadParameter.__mro__[1])
"""Click's base class of usage errors, of whichever Click typer brings."""

_ACCESS = "Use another file or folder, or check its permissions and disk space."


def _print_version(is_asked: bool) -> None:
    if not is_asked:
        return
    from importlib.metadata import PackageNotFoundError, version

    try:
        say(f"poketui {version('poketui')}")
    except PackageNotFoundError:
        say("poketui (not installed, running from source)")
    raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Hold the options that stand before a command."""


@command(app)
def run(
    given: Annotated[
        Given,
        "rom_path start_state=--state env.goal agent mode strategy llm_model llm_backend "
        "llm_interval seed num_envs=--envs workers total_steps=--steps,--actions "
        "total_episodes=--episodes save_dir allow_unknown_rom",
    ],
    config: options.ConfigFile = None,
    headless: bool = False,
    detach: bool = False,
    resume: Annotated[str | None, complete_runs_or_latest] = None,
    start_policy: Annotated[str | None, typer.Option("--from")] = None,
    demo: str | None = None,
    no_dqn: bool = False,
    no_llm: bool = False,
    web: bool | None = None,
    web_port: Annotated[
        int | None, typer.Option(min=0, max=65535, show_default=f"{DEFAULT_PORT}")
    ] = None,
    quiet: bool = False,
    color: options.Color = "auto",
    set_: options.Settings = None,
) -> None:
    """Train the hybrid agent and watch it play.

    Args:
        headless: Train without the cockpit; print the status.
        detach: Train in the background; watch with `poketui attach`.
        resume ([NAME]): Resume a saved run. Default: the latest, if no NAME.
        start_policy (POLICY): Fine-tune a cloned policy (or latest).
        demo (DEMO): Backward curriculum from this demonstration.
        no_dqn: Learn nothing: the planner decides, at random where it has no advice. Same as
            --agent rules.
        no_llm: Use no language model.
        web: Serve a live statistics page to browsers on this machine.
        web_port: Its port on 127.0.0.1, 0 for any free one; serves it without --web, too.
        quiet: Train without the cockpit; print only errors, and how to resume.
    """
    from pokeTUI.app.launch import launch

    agent, model, save_dir = (given.get(key) for key in ("agent", "llm_model", "save_dir"))
    learner = f"--agent {agent}" if agent else f"--from {start_policy}" if start_policy else ""
    exclusive(model and f"--llm-model {model}", no_llm and "--no-llm")
    exclusive(web_port is not None and f"--web-port {web_port}", web is False and "--no-web")
    exclusive(learner, no_dqn and "--no-dqn")
    if no_dqn:
        given["agent"] = "rules"
    if no_llm:
        given["llm_model"] = ""
    if detach or headless or quiet:
        given["headless"] = not detach
    given = options.parse_settings(set_) | given
    if demo is not None:
        from pokeTUI.app.recordings import named

        given["backward.demo"] = str(named(save_dir, [demo])[0])
    if start_policy:
        from engine.runs.policy_folders import agent_settings
        from pokeTUI.saved import saves

        given = agent_settings(saves(save_dir), start_policy) | given
    code = launch(
        config,
        given,
        resume=resume,
        is_quiet=quiet,
        is_detached=detach,
        color=color,
        web_port=DEFAULT_PORT if web and web_port is None else web_port,
    )
    raise typer.Exit(code)


command(app)(runs)


command(app, "eval")(evaluate)
command(app)(export)
command(app)(replay)


@command(app)
def rom(
    file: str | None = None,
    /,
    game: options.Game = None,
    world: bool = False,
    path: tuple[str, str] | None = None,
) -> None:
    """Identify a ROM file; exit code 0 if it can be played, 2 if not.

    Args:
        file: The ROM file, or --game. Default: the practice game.
        world: Print the maps, warps, people and triggers found in it. Pokémon Crystal has 388 maps,
            1,312 warps, 142 connections, 114 triggers, 792 signs, 1,466 people and things.
        path (FROM TO): Print the path from one map to another, e.g. 'ROUTE 29 59,8' or 24.3.
    """
    from engine.games.catalog import describe, identify

    found = identify(options.chosen_rom(file, game, "FILE") or "")
    recognised = found.recognised
    if not (world or path):
        say(*describe(found))
    if recognised.game is None:
        if recognised.refusal is not None:
            raise recognised.refusal
    elif world or path:
        from engine.planning.rules.overview import describe_path, describe_world

        if world:
            say(*describe_world(recognised.game))
        if path:
            say(*describe_path(recognised.game, *path))


for each in (attach, stop, bc, record, doctor, serve, trust):
    command(app)(each)
for name, help_ in {
    "bench": "Benchmarks of learning, environments, play, battles and the cockpit.",
    "demos": "List, watch, validate, filter, import and export demonstrations.",
    "llm": "Check, download and query language models; show and export a run's exchanges.",
    "vgc": "VGC doubles battles: install, train, play.",
}.items():
    is_list = name == "demos"  # without a command it lists them; the other groups show their help
    group = typer.Typer(
        cls=Group, help=help_, no_args_is_help=not is_list, invoke_without_command=is_list
    )
    app.add_typer(group, name=name)


def main() -> None:
    """Run the command line: a user's mistake is one clear line and exit code 2."""
    open_streams()
    unwind_on_signals()
    try:
        values = bash_values(os.environ)
        if values is not None:
            say(*values)
            raise SystemExit(0)
        arguments = _name_latest_run(sys.argv[1:])
        streams = (sys.stdin, sys.stdout, sys.stderr)
        if not arguments and all(stream.isatty() for stream in streams):  # to choose from a screen
            from pokeTUI.cli.start import start

            raise SystemExit(start())
        code = app(args=arguments, prog_name="poketui", standalone_mode=False)
    except _UsageError as error:
        text = error.format_message().rstrip(".")
        if not text:  # no command was given, and the help is shown instead
            raise SystemExit(2) from None
        context = getattr(error, "ctx", None)  # of the command whose arguments are wrong
        command = context.command_path if context else "poketui"
        _fail(f"{text}. See: {command} --help")
    except PokeTUIError as error:
        _fail(str(error))
    except OSError as error:  # of a file or folder, which nothing below has explained
        _fail(f"{error.strerror or error}: {error.filename or 'unknown file'}. {_ACCESS}")
    except (KeyboardInterrupt, typer.Abort):
        raise SystemExit(130) from None
    except ModuleNotFoundError as error:
        _fail(f"The package {error.name} is not installed. Install it: pip install {error.name}")
    except Exception as error:  # the outermost frame: printed raw, it could control the terminal
        complain_of(error)
        raise SystemExit(1) from None
    raise SystemExit(code)


def _fail(text: str) -> NoReturn:
    complain(f"poketui: {text}")
    raise SystemExit(2)


def _name_latest_run(arguments: list[str]) -> list[str]:
    """Give `--resume` without a value that of the latest run."""
    named = list(arguments)
    for index, argument in enumerate(arguments):
        is_last = index + 1 == len(arguments)
        if argument == "--resume" and (is_last or arguments[index + 1].startswith("-")):
            named[index] = "--resume=latest"
    return named


if __name__ == "__main__":
    main()
