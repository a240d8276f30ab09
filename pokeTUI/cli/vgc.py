"""Define `poketui vgc`: Pokémon VGC doubles battles on the real simulator."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.errors import ConfigurationError
from engine.folders import user_path
from engine.plurals import counted
from pokeTUI.cli import options
from pokeTUI.cli.completion import words
from pokeTUI.cli.options import Panels
from pokeTUI.cli.progress import progress
from pokeTUI.cli.vgc_battles import play, watch
from pokeTUI.printing import say

if TYPE_CHECKING:
    from engine.battles.cloning import Clone, Epoch

_RUNS = "saves/vgc"
vgc_app = typer.Typer(help="VGC doubles battles: install, train, play.", no_args_is_help=True)
BattleFormat = Annotated[str, typer.Option(help="Battle format.", show_default="gen9vgc2023regc")]
for command in (watch, play):
    vgc_app.command(cls=Panels)(command)


@vgc_app.command("setup", cls=Panels)
def setup() -> None:
    """Install the battle simulator (Pokémon Showdown, by npm); needs Node 18 or newer."""
    from engine.battles.setup import install, is_installed
    from engine.battles.simulator import Simulator

    is_new = not is_installed()
    node = install(say)
    if is_new:
        with Simulator([], node) as simulator:  # tests its speed patch, once
            say(simulator.hello["warning"] or "It works.")


@vgc_app.command("train", cls=Panels)
def train(
    num_workers: Annotated[
        int | None, typer.Option(help="Processes that play.", show_default="4")
    ] = None,
    battle_format: Annotated[
        str | None, typer.Option(help="Battle format.", show_default="gen9vgc2023regc")
    ] = None,
    team: Annotated[
        str | None,
        typer.Option(help="File of your team, pasted or packed.", show_default="a shipped one"),
    ] = None,
    num_teams: Annotated[
        int | None, typer.Option(help="Shipped teams to play with.", show_default="1")
    ] = None,
    opponents: Annotated[
        str | None,
        typer.Option(
            metavar="KIND=SHARE,...",
            help="Share of the battles against self, past, random, max_power, greedy, heuristics.",
            show_default="self=0.5,past=0.2,heuristics=0.15,greedy=0.1,max_power=0.05",
        ),
    ] = None,
    bc_model: Annotated[
        str | None, typer.Option(help="File of a cloned policy to begin from.")
    ] = None,
    freeze_shared: Annotated[
        bool | None, typer.Option("--freeze-shared", help="Train the heads only.")
    ] = None,
    buffer_size: Annotated[
        int | None, typer.Option(help="Decisions in a worker's buffer.", show_default="2048")
    ] = None,
    lr: Annotated[float | None, typer.Option(help="Learning rate.", show_default="3e-4")] = None,
    gamma: Annotated[
        float | None, typer.Option(help="Discount factor.", show_default="0.99")
    ] = None,
    gae_lambda: Annotated[
        float | None, typer.Option(help="Lambda of GAE.", show_default="0.95")
    ] = None,
    ppo_epochs: Annotated[
        int | None, typer.Option(help="Most epochs of an update.", show_default="10")
    ] = None,
    num_minibatches: Annotated[
        int | None, typer.Option(help="Minibatches of an epoch.", show_default="32")
    ] = None,
    clip_coef: Annotated[
        float | None, typer.Option(help="PPO clipping range.", show_default="0.2")
    ] = None,
    ent_coef: Annotated[
        float | None, typer.Option(help="Entropy coefficient.", show_default="0.01")
    ] = None,
    vf_coef: Annotated[
        float | None, typer.Option(help="Value coefficient.", show_default="0.5")
    ] = None,
    target_kl: Annotated[
        float | None,
        typer.Option(help="KL divergence that ends an update.", show_default="0.03"),
    ] = None,
    anneal: Annotated[
        bool | None,
        typer.Option("--anneal", help="Lower learning rate and entropy over --minutes."),
    ] = None,
    seed: options.Seed = None,
    minutes: Annotated[
        float | None, typer.Option(help="Stop after this time.", show_default="no limit")
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option(metavar="[RUN]", help="Resume a run.", show_default="the latest, if no RUN"),
    ] = None,
    checkpoint_dir: Annotated[
        str | None, typer.Option(help="Folder of the runs.", show_default="saves/vgc")
    ] = None,
    headless: Annotated[
        bool, typer.Option("--headless", help="Train without the screen; print a status line.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print errors only.")] = False,
    set_: options.Settings = None,
) -> None:
    """Train a battle policy by self-play and against built-in players."""
    from engine.battles.session import BattleSession
    from engine.config import load_config
    from pokeTUI.battles.commands import show_training
    from pokeTUI.headless import HeadlessRunner
    from pokeTUI.launch import check_preferences, check_terminal, report

    if not headless:
        check_terminal("Use `poketui vgc train --headless` to train without a screen.")
        check_preferences()

    changes = options.given(
        num_workers=num_workers,
        format=battle_format,
        team=team and str(Path(team).absolute()),
        num_teams=num_teams,
        opponents=opponents and _shares(opponents),
        bc_model=bc_model and str(Path(bc_model).absolute()),
        freeze_shared=freeze_shared,
        buffer_size=buffer_size,
        learning_rate=lr,
        gamma=gamma,
        gae_lambda=gae_lambda,
        epochs=ppo_epochs,
        minibatches=num_minibatches,
        clip=clip_coef,
        entropy=ent_coef,
        value_coefficient=vf_coef,
        target_kl=target_kl,
        minutes=minutes,
        anneal=anneal,
    )
    settings = options.parse_settings(set_)
    changes |= {k.removeprefix("vgc."): v for k, v in settings.items() if k.startswith("vgc.")}
    folder = checkpoint_dir or _RUNS
    overrides = {f"vgc.{key}": value for key, value in changes.items()}
    config = load_config(
        None, settings | overrides | {"save_dir": folder} | options.given(seed=seed)
    )
    session = BattleSession(config, resume, changes)
    try:
        end = HeadlessRunner(session, is_quiet=quiet).run() if headless else show_training(session)
    finally:
        session.discard()
    raise typer.Exit(report(end, session.run_dir, "poketui vgc train", _RUNS))


def _shares(text: str) -> dict[str, float]:
    """Return shares as in "self=0.5,heuristics=0.5".

    Raises:
        ConfigurationError: They are none.
    """
    found: dict[str, float] = {}
    for pair in text.split(","):
        name, _, share = pair.partition("=")
        try:
            found[name.strip()] = float(share)
        except ValueError:
            raise ConfigurationError(
                f"--opponents {pair}: not KIND=SHARE.", "Example: --opponents self=0.5,random=0.5"
            ) from None
    return found


@vgc_app.command("bc", cls=Panels)
def bc(
    data: Annotated[
        Path | None,
        typer.Argument(
            help="File or folder of battles to learn from.", show_default=f"{_RUNS}/battles"
        ),
    ] = None,
    battles: Annotated[
        int, typer.Option(min=0, max=1_000_000, help="First generate this many battles there.")
    ] = 0,
    players: Annotated[
        str, typer.Option(help="Who plays them: built-in players, each against each.")
    ] = "heuristics,greedy",
    battle_format: Annotated[
        str, typer.Option(help="Battle format of the generated battles.")
    ] = "gen9vgc2023regc",
    team: Annotated[
        Path | None,
        typer.Option(help="File of their team, pasted or packed.", show_default="a shipped one"),
    ] = None,
    num_teams: Annotated[int, typer.Option(min=1, help="Shipped teams to play them with.")] = 1,
    epochs: Annotated[int, typer.Option(min=1, help="Number of epochs.")] = 15,
    batch_size: Annotated[int, typer.Option(min=1, help="Batch size.")] = 512,
    lr: Annotated[
        float, typer.Option("--lr", "--learning-rate", min=0, help="Learning rate.")
    ] = 1e-3,
    loser_weight: Annotated[
        float, typer.Option(min=0, max=1, help="Weight of the losers' decisions, 0 to 1.")
    ] = 0.25,
    patience: Annotated[
        int, typer.Option(min=1, help="Early stopping after this many epochs.")
    ] = 3,
    num_workers: Annotated[int, typer.Option(min=1, help="Processes that play.")] = 2,
    seed: options.Seed = None,
    out: Annotated[
        Path | None, typer.Option(help="File of the policy.", show_default=f"{_RUNS}/clone.zip")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print errors only.")] = False,
) -> None:
    """Train a battle policy by behavioural cloning."""
    # Here, not above: these load the learning library.
    from engine.battles.cloning import CloningSettings, clone
    from engine.battles.demonstrations import read_battles, replay_decisions
    from engine.battles.setup import find_simulator

    def tell(text: str) -> None:
        if not quiet:
            say(text)

    node = find_simulator()
    folder = user_path(data or Path(_RUNS) / "battles")
    target = user_path(out or Path(_RUNS) / "clone.zip")
    if battles:
        tell(
            _generate(
                battles, folder, players, battle_format, team, num_teams, num_workers, seed or 0
            )
        )
    found = read_battles(folder)
    with progress("Replaying", left="nothing was cloned") as advance:
        demonstrations = replay_decisions(found, node, processes=num_workers, advance=advance)
    tell(f"{counted(len(demonstrations), 'decision')} of {counted(len(found), 'battle')}.")
    settings = CloningSettings(
        epochs=epochs, batch_size=batch_size, learning_rate=lr, loser_weight=loser_weight,
        patience=patience, seed=seed or 0,
    )  # fmt: skip
    with progress("Cloning", left="nothing was saved") as advance:
        cloned = clone(demonstrations, settings, lambda epoch: tell(_epoch_line(epoch)), advance)
    target.parent.mkdir(parents=True, exist_ok=True)
    cloned.save(target, {"battle_format": sorted({battle.format for battle in found})})
    tell(_clone_summary(cloned))
    tell(f"Saved in {target}. Fine-tune it: poketui vgc train --bc-model {target}")


def _generate(
    count: int, folder: Path, players: str, battle_format: str, team: Path | None,
    num_teams: int, processes: int, seed: int,
) -> str:  # fmt: skip
    """Generate battles, write them into the folder, and say what was done."""
    from engine.battles.demonstrations import SUFFIX, generate, rounds, write_battles
    from engine.battles.formats import find_format
    from engine.battles.setup import find_simulator
    from engine.battles.teams import pool, read_team

    known = find_format(battle_format)
    teams = (
        [read_team(user_path(team))] if team else [one.packed for one in pool(known)[:num_teams]]
    )
    names = [name.strip() for name in players.split(",") if name.strip()]
    lanes = rounds(known.id, teams, names, seed)
    with progress("Generating", left="no battle was kept") as advance:
        found = generate(lanes, count, find_simulator(), processes=processes, advance=advance)
    path = folder / f"{known.id}-{'-'.join(names)}-{seed}-{count}{SUFFIX}"
    size = write_battles(path, found)
    return (
        f"Generated {counted(len(found), 'battle')} in {path} ({size / len(found):.0f} bytes each)."
    )


def _epoch_line(epoch: "Epoch") -> str:
    shares = ", ".join(f"{name} {share:.1%}" for name, share in epoch.validation.accuracy.items())
    return (
        f"epoch {epoch.number:>3}  loss {epoch.loss:.3f}  val loss {epoch.validation.loss:.3f}  "
        f"val win loss {epoch.validation.win_loss:.3f}  accuracy: {shares}"
        + "  best"
        * epoch.is_best
    )


def _clone_summary(cloned: "Clone") -> str:
    best = cloned.best.validation
    shares = ", ".join(f"{share:.1%} of {name}s" for name, share in best.accuracy.items())
    return (
        f"Cloned {counted(cloned.decisions, 'decision')} of {counted(cloned.battles, 'battle')}, "
        f"best epoch {cloned.best.number}: predicts {shares}."
    )


@vgc_app.command("eval", cls=Panels)
def evaluate(
    players: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN|FILE",
            help="A run, a policy's file, or one of the simulator's players.",
            show_default="the latest run",
        ),
    ] = None,
    opponent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME|RUN|FILE",
            help="Whom to meet; repeatable.",
            show_default="random, max_power, greedy and heuristics",
        ),
    ] = None,
    battles: Annotated[
        int, typer.Option(min=2, max=1_000_000, help="Battles against each opponent.")
    ] = 1000,
    teams: Annotated[
        str,
        typer.Option(
            metavar="one|pool|unseen|FILE",
            help="Teams of both sides: one shipped, four, four unseen in training, or your own.",
            autocompletion=words("one", "pool", "unseen"),
        ),
    ] = "one",
    backend: Annotated[
        str,
        typer.Option(
            metavar="sim|websocket",
            help="In the simulator, or on a server of its own against poke-env's players.",
            autocompletion=words("sim", "websocket"),
        ),
    ] = "sim",
    battle_format: Annotated[
        str | None, typer.Option(help="Battle format.", show_default="the run's")
    ] = None,
    elo: Annotated[
        bool, typer.Option("--elo", help="Let all meet each other, and rate them.")
    ] = False,
    search: Annotated[
        int, typer.Option(min=0, max=1000, help="Look ahead in this many copies of the battle.")
    ] = 0,
    sample: Annotated[
        bool, typer.Option("--sample", help="Draw choices instead of taking the likeliest.")
    ] = False,
    checkpoint: Annotated[
        str,
        typer.Option(
            metavar="latest|best",
            help="Of a run.",
            autocompletion=words("latest", "best"),
        ),
    ] = "latest",
    seed: options.Seed = None,
    checkpoint_dir: Annotated[
        str | None, typer.Option(help="Folder of the runs.", show_default="saves/vgc")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure a battle policy: win rates with 95 % intervals, or Elo ratings."""
    from engine.battles.formats import find_format
    from engine.battles.players import format_of
    from pokeTUI.cli import vgc_reports

    if backend not in ("sim", "websocket"):
        raise ConfigurationError(f"There is no backend {backend!r}.", "Use sim or websocket.")
    if checkpoint not in ("latest", "best"):
        raise ConfigurationError(f"There is no checkpoint {checkpoint!r}.", "Use latest or best.")
    is_remote = backend == "websocket"
    if elo and is_remote:
        raise ConfigurationError("Ratings are of battles in the simulator.", "Use --backend sim.")
    names, folder = players or ["latest"], checkpoint_dir or _RUNS
    plan = vgc_reports.EvaluationPlan(
        find_format(battle_format) if battle_format else format_of(names[0], folder),
        teams,
        battles,
        seed or 0,
        checkpoint,
        not sample,
        search,
        folder,
    )
    if elo:
        vgc_reports.print_ratings(plan, names, opponent or (), as_json=json_)
        return
    meet = vgc_reports.print_server_win_rates if is_remote else vgc_reports.print_win_rates
    for name in names:
        meet(plan, name, opponent or (), as_json=json_)


@vgc_app.command("teams", cls=Panels)
def list_teams(
    team: Annotated[
        str, typer.Argument(metavar="[FILE]", help="Check this team instead, pasted or packed.")
    ] = "",
    battle_format: BattleFormat = "gen9vgc2023regc",
    packed: Annotated[
        bool, typer.Option("--packed", help="Print teams as the simulator takes them.")
    ] = False,
) -> None:
    """List the teams that are shipped, or check your own by the simulator's rules."""
    from engine.battles.formats import find_format
    from pokeTUI.cli.vgc_reports import print_teams

    print_teams(find_format(battle_format), team, is_packed=packed)
