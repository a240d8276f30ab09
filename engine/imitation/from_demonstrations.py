"""Clone a policy from a source of demonstrations into a folder of its own."""

import contextlib
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch

from engine.config import RunConfig, load_config
from engine.env.start_states import prepare_start_state
from engine.errors import CheckpointError, ConfigurationError
from engine.ground.folders import user_path
from engine.imitation.cloning import (
    Cloned,
    CloningRun,
    Note,
    Progress,
    Report,
    rule_examples,
    tracked,
)
from engine.imitation.examples import Examples, join, validates
from engine.runs.cloning_settings import CloningConfig, check, in_epochs
from engine.runs.policy_folders import (
    FEATURES,
    PolicyFolder,
    check_name,
    check_save_folder,
    features_of_policy,
)
from engine.runs.weights_biases import tracking

_GAME_KEYS = (
    "rom_path", "start_state", "allow_unknown_rom", "llm_model", "llm_backend", "llm_base_url",
)  # fmt: skip

PROJECT = "pokemon-il"
"""The documented project of Weights & Biases."""

_CHANGEABLE = frozenset(
    {"epochs", "patience", "eval_episodes", "eval_every", "save_every", "keep_checkpoints"}
)
"""Settings that a resumed cloning takes from the new command."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where demonstrations come from.

    Attributes:
        demos: Folder or file of recorded ones; "" for none.
        rules: Episodes that the rule planner plays.
        tags: Use only the recorded ones with all of these tags.
        by: Use only those that this one played; "": anybody's.
        is_success: Use only those that succeeded.
    """

    demos: str = ""
    rules: int = 0
    tags: tuple[str, ...] = ()
    by: str = ""
    is_success: bool = False


def clone_policy(
    save_dir: str,
    given: Mapping[str, Any],
    source: Source,
    *,
    game: Mapping[str, Any] | None = None,
    resume: str = "",
    report: Report = lambda event: None,
    may_go_on: Callable[[], bool] = lambda: True,
    name: str = "",
    is_tracked: bool = False,
    project: str = PROJECT,
) -> Cloned:
    """Clone a policy from demonstrations.

    Args:
        save_dir: The save folder.
        given: Settings of `CloningConfig` that differ from the defaults, or the documented ones
            that count batches (`IN_BATCHES`).
        source: Where the demonstrations come from; a resumed cloning keeps its own.
        game: Settings of a run that say which game it is.
        resume: The id or path of a policy, or "latest"; "": begin a new one.
        report: Called with progress and results.
        may_go_on: Asked often; False ends the cloning, which can then be resumed.
        name: The id of a new policy begins with it.
        is_tracked: Send the figures to Weights & Biases.
        project: The project there.

    Raises:
        PokeTUIError: Demonstrations, settings, game or policy cannot be used.
    """
    torch.set_num_threads(1)
    check_name(name)
    usual: dict[str, Any] = {}
    if resume:
        folder = PolicyFolder.find(save_dir, resume)
        saved = folder.settings()
        if refused := sorted(set(in_epochs(given)) - _CHANGEABLE):
            raise ConfigurationError(
                f"{refused[0]} cannot change when cloning is resumed.",
                "Leave it out, or clone again without --resume.",
            )
        usual = part_of(saved, "cloning")
        source, game = saved_source(saved), saved_game(saved)
    else:
        check_save_folder(save_dir)
    config = check(CloningConfig, {**usual, **in_epochs(given)})
    run = tracking(run_config(save_dir, game or {}, source), is_tracked=is_tracked)
    examples = gather(config, run, source, report)
    learnt_from = np.count_nonzero(~validates(examples, config.val_share, config.seed))
    batches = max(1, math.ceil(learnt_from / config.batch_size))
    config = check(CloningConfig, {**usual, **in_epochs(given, batches)})
    settings = settings_of_policy(config, source, run)
    with contextlib.ExitStack() as undo:
        if not resume:
            folder = undo.enter_context(PolicyFolder.begin(save_dir, settings, name))
        cloning = CloningRun(
            config,
            run,
            examples,
            folder,
            report=report,
            is_resumed=bool(resume),
            may_go_on=may_go_on,
        )
        return cloning.run(tracked(run, folder, settings, project))


def gather(
    config: CloningConfig,
    run: RunConfig,
    source: Source,
    report: Callable[[Progress | Note], None] = lambda event: None,
) -> Examples:
    """Return the steps of all demonstrations.

    Raises:
        PokeTUIError: There are none, or they cannot be used.
    """
    parts: list[Examples] = []
    if source.demos:
        # Here, not above: only recorded demonstrations need it.
        from engine.demos.dataset import Wanted
        from engine.imitation.demonstrations import read_examples

        is_success = True if source.is_success else None
        wanted = Wanted(frozenset(source.tags), is_success, source.by)
        parts.append(
            read_examples(
                user_path(source.demos),
                config,
                run,
                lambda done, total: report(Progress("reading demonstrations", done, total)),
                None if wanted == Wanted() else wanted,
                lambda text: report(Note(text)),
            )
        )
    if source.rules:
        parts.append(rule_examples(config, run, source.rules, report)[0])
    return join(parts)


def run_config(save_dir: str, game: Mapping[str, Any], source: Source) -> RunConfig:
    """Return the settings of the game that is played, and prepare the state after its introduction.

    Where they name no game, it is the practice game that was recorded.

    Raises:
        PokeTUIError: The game or its start state cannot be used.
    """
    config = load_config(None, {**game, "save_dir": save_dir})
    if source.demos and not config.rom_path:
        from engine.imitation.demonstrations import recorded_game

        recorded = recorded_game(user_path(source.demos), config)
        config = config.model_copy(update={"rom_path": recorded})
    prepare_start_state(config, lambda done, most: None)
    return config


def saved_source(settings: Mapping[str, Any]) -> Source:
    """Return where a saved policy's demonstrations come from, or raise CheckpointError."""
    part = part_of(settings, "source")
    try:
        return Source(**{**part, "tags": tuple(part.get("tags", ()))})
    except TypeError:
        raise CheckpointError(
            "The policy's config.json does not say what it was cloned from.", "Clone it again."
        ) from None


def settings_of_policy(config: CloningConfig, source: Source, run: RunConfig) -> dict[str, Any]:
    """Return the content of a policy's config.json."""
    return {
        "cloning": config.model_dump(),
        "source": asdict(source),
        "game": {key: getattr(run, key) for key in _GAME_KEYS} | {FEATURES: run.env.features},
    }


def saved_game(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a saved policy's game, and no others, or raise CheckpointError."""
    part = part_of(settings, "game")
    kept = {key: part[key] for key in _GAME_KEYS if key in part}
    return kept | {FEATURES: features_of_policy(settings)}


def part_of(settings: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return one part of a policy's config.json, or raise CheckpointError."""
    part = settings.get(name)
    if not isinstance(part, dict):
        raise CheckpointError(f"The policy's config.json has no '{name}'.", "Clone it again.")
    return part
