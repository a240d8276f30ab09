"""Define `poketui vgc train`."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from engine.errors import ConfigurationError
from engine.ground.folders import user_path
from engine.ground.numerals import parse_number
from pokeTUI.battles.commands import saves, show_training
from pokeTUI.cli import options

_USED = frozenset({"save_dir", "seed", "keep_checkpoints", "log_level", "tensorboard"})
"""Settings outside the section vgc that battle training uses."""


def train(
    given: Annotated[
        options.Given,
        "vgc.num_workers vgc.format=--battle-format vgc.team vgc.num_teams vgc.bc_model "
        "vgc.freeze_shared vgc.buffer_size vgc.learning_rate=--lr vgc.gamma vgc.gae_lambda "
        "vgc.epochs=--ppo-epochs vgc.minibatches=--num-minibatches vgc.clip=--clip-coef "
        "vgc.entropy=--ent-coef vgc.value_coefficient=--vf-coef vgc.target_kl vgc.anneal "
        "vgc.minutes vgc.steps seed",
    ],
    opponents: str | None = None,
    resume: str | None = None,
    checkpoint_dir: options.CheckpointDir = None,
    headless: bool = False,
    quiet: bool = False,
    set_: options.Settings = None,
) -> None:
    """Train a battle policy by self-play and against built-in players.

    Args:
        team: File of your team, or folder of your teams. Default: a shipped one.
        opponents (KIND=SHARE,...): Share of the battles against self, past, random, max_power,
            greedy, heuristics, or a policy's file. Default: self=0.75,past=0.2,random=0.05.
        resume ([NAME]): Resume a run. Default: the latest, if no NAME.
        headless: Train without the screen; print a status line.
        quiet: Print only errors, and how to resume.
    """
    from engine.battles.learn.session import BattleSession
    from engine.config import load_config
    from pokeTUI.app.headless import HeadlessRunner
    from pokeTUI.app.launch import check_preferences, check_terminal, report

    if not headless:
        check_terminal("Use `poketui vgc train --headless` to train without a screen.")
        check_preferences()
    settings = options.parse_settings(set_)
    for key in given.keys() & {"vgc.team", "vgc.bc_model"}:
        given[key] = given[key] and str(Path(given[key]).absolute())
    if opponents:
        given["vgc.opponents"] = _shares(opponents)
    if checkpoint_dir is not None:
        given["save_dir"] = checkpoint_dir
    usual = saves()
    given = settings | given  # the options go before --set
    config = load_config(None, {"save_dir": usual} | given)
    refuse_unused(settings)
    session = BattleSession(config, resume, options.section(given, "vgc."))
    try:
        end = HeadlessRunner(session, is_quiet=quiet).run() if headless else show_training(session)
    finally:
        session.discard()
    raise typer.Exit(report(end, session.run_dir, "poketui vgc train", usual))


def refuse_unused(settings: Iterable[str]) -> None:
    """Refuse settings that battle training does not use."""
    for key in settings:
        is_used = key in _USED or key.startswith("vgc.")
        hint = f"Leave it out; used are the section vgc, {', '.join(sorted(_USED))}."
        options.refuse_if(not is_used, f"--set {key}: training battles does not use it.", hint)


def _shares(text: str) -> dict[str, float]:
    """Return shares as in "self=0.5,other.zip=0.5"; paths of files become absolute.

    Raises:
        ConfigurationError: A share cannot be read, or an opponent is named twice.
    """
    found: dict[str, float] = {}
    example = "Example: --opponents self=0.5,random=0.5"
    for pair in text.split(","):
        name, _, share = pair.strip().rpartition("=")
        name = str(user_path(name).absolute()) if name.endswith(".zip") else name.strip()
        options.refuse_if(name in found, f"--opponents {pair}: named twice.", example)
        try:
            found[name] = parse_number(share)
        except ValueError:
            raise ConfigurationError(f"--opponents {pair}: not KIND=SHARE.", example) from None
    return found
