"""Define `poketui vgc train`."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from engine.errors import ConfigurationError
from engine.ground.numerals import parse_number
from pokeTUI.cli import options

_USED = frozenset({"save_dir", "seed", "keep_checkpoints", "log_level", "tensorboard"})
"""Settings beside those of the section vgc that training battles has a use for."""


def train(
    num_workers: Annotated[
        int | None, typer.Option(help="Processes that play.", show_default="4")
    ] = None,
    battle_format: Annotated[
        str | None, typer.Option(help="Battle format.", show_default="gen9vgc2023regc")
    ] = None,
    team: Annotated[
        str | None,
        typer.Option(
            help="File of your team, or folder of your teams.", show_default="a shipped one"
        ),
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
        typer.Option(metavar="[NAME]", help="Resume a run.", show_default="the latest, if no NAME"),
    ] = None,
    checkpoint_dir: options.CheckpointDir = None,
    headless: Annotated[
        bool, typer.Option("--headless", help="Train without the screen; print a status line.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Print only errors, and how to resume.")
    ] = False,
    set_: options.Settings = None,
) -> None:
    """Train a battle policy by self-play and against built-in players."""
    from engine.battles.learn.session import BattleSession
    from engine.config import load_config
    from pokeTUI.app.headless import HeadlessRunner
    from pokeTUI.app.launch import check_preferences, check_terminal, report
    from pokeTUI.battles.commands import saves, show_training

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
    given = {k.removeprefix("vgc."): v for k, v in settings.items() if k.startswith("vgc.")}
    changes = given | changes  # the options go before --set
    overrides = {f"vgc.{key}": value for key, value in changes.items()}
    usual = saves()
    named = options.given(save_dir=checkpoint_dir, seed=seed)
    config = load_config(None, {"save_dir": usual} | settings | overrides | named)
    _refuse_unused(settings)
    session = BattleSession(config, resume, changes)
    try:
        end = HeadlessRunner(session, is_quiet=quiet).run() if headless else show_training(session)
    finally:
        session.discard()
    raise typer.Exit(report(end, session.run_dir, "poketui vgc train", usual))


def _refuse_unused(settings: Iterable[str]) -> None:
    """Refuse settings that are about games."""
    for key in settings:
        if key not in _USED and not key.startswith("vgc."):
            raise ConfigurationError(
                f"--set {key}: training battles does not use it.",
                f"Leave it out; used are the section vgc, {', '.join(sorted(_USED))}.",
            )


def _shares(text: str) -> dict[str, float]:
    """Return shares as in "self=0.5,heuristics=0.5".

    Raises:
        ConfigurationError: They are none.
    """
    found: dict[str, float] = {}
    for pair in text.split(","):
        name, _, share = pair.partition("=")
        try:
            found[name.strip()] = parse_number(share)
        except ValueError:
            raise ConfigurationError(
                f"--opponents {pair}: not KIND=SHARE.", "Example: --opponents self=0.5,random=0.5"
            ) from None
    return found
