"""Put cloning and DAgger together: where the steps come from, where the policy is saved."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from engine.agents.base import Player
from engine.agents.random import RandomAgent
from engine.config import RunConfig, load_config
from engine.env.start_states import prepare_start_state
from engine.errors import CheckpointError, ConfigurationError
from engine.imitation.dagger import Dagger, Round
from engine.imitation.examples import Examples, join
from engine.imitation.games import Expert, make_games, policy_expert, rules_expert
from engine.imitation.settings import CloningConfig, DaggerConfig, check
from engine.imitation.sight import make_sight
from engine.training.checkpoint import (
    Checkpoint,
    CheckpointStore,
    read_checkpoint,
    write_checkpoint,
)
from engine.training.cloning import (
    Cloned,
    CloningRun,
    Progress,
    Tell,
    evaluate_clone,
    evaluation_figures,
    rule_examples,
)
from engine.training.policies import policy_of, read_policy
from engine.training.policy_folders import PolicyFolder
from engine.training.tensorboard import TensorBoardFile
from engine.types import Evaluation

_GAME_KEYS = ("rom_path", "start_state", "allow_unknown_rom")

_CHANGEABLE = frozenset(
    {"epochs", "patience", "eval_episodes", "eval_every", "save_every", "keep_checkpoints"}
)
"""Settings that a resumed cloning takes from the new command."""

RULES = "rules"


@dataclass(frozen=True, slots=True)
class Source:
    """Where demonstrations come from.

    Attributes:
        demos: Folder or file of recorded ones; "" for none.
        rules: Episodes that the rule planner plays.
        tags: Of the recorded ones, only those with all of these tags.
        by: Only those that this one played; "": anybody.
        is_success: Only those that succeeded.
    """

    demos: str = ""
    rules: int = 0
    tags: tuple[str, ...] = ()
    by: str = ""
    is_success: bool = False


@dataclass(frozen=True, slots=True)
class Aggregated:
    """What came of DAgger.

    Attributes:
        folder: Where it is saved.
        rounds: Those of now.
        evaluation: Of the last student; None if it was not to be evaluated.
    """

    folder: Path
    rounds: tuple[Round, ...]
    evaluation: Evaluation | None


def clone_policy(
    save_dir: str,
    given: Mapping[str, Any],
    source: Source,
    *,
    game: Mapping[str, Any] | None = None,
    resume: str = "",
    tell: Tell = lambda told: None,
    may_go_on: Callable[[], bool] = lambda: True,
) -> Cloned:
    """Clone a policy from demonstrations.

    Args:
        save_dir: Where policies are saved.
        given: Settings of `CloningConfig` that are not to be as usual.
        source: Demonstrations; a resumed cloning has its own.
        game: Settings of the run that say which game it is.
        resume: Go on with this policy, or "latest"; "" begins a new one.
        tell: Is told of everything.
        may_go_on: Asked often; no: it ends, and can be resumed.

    Raises:
        PokeTUIError: Demonstrations, settings, game or policy are no use.
    """
    torch.set_num_threads(1)
    if resume:
        folder = PolicyFolder.find(save_dir, resume)
        saved = folder.settings()
        refused = sorted(set(given) - _CHANGEABLE)
        if refused:
            raise ConfigurationError(
                f"{refused[0]} cannot change when cloning is resumed.",
                "Leave it out, or clone anew without --resume.",
            )
        config = check(CloningConfig, {**_part(saved, "cloning"), **given})
        source, game = _source(saved), _part(saved, "game")
    else:
        config = check(CloningConfig, dict(given))
    run = _run_config(save_dir, game or {})
    examples = gather(config, run, source, tell)
    if not resume:
        folder = PolicyFolder.create(save_dir, _settings(config, source, run))
    cloning = CloningRun(
        config, run, examples, folder, tell=tell, is_resumed=bool(resume), may_go_on=may_go_on
    )
    return cloning.run()


def gather(
    config: CloningConfig,
    run: RunConfig,
    source: Source,
    tell: Callable[[Progress], None] = lambda told: None,
) -> Examples:
    """Return the steps of all demonstrations.

    Raises:
        PokeTUIError: There are none, or they are no use.
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
                Path(source.demos).expanduser(),
                config,
                run,
                lambda done, total: tell(Progress("reading demonstrations", done, total)),
                None if wanted == Wanted() else wanted,
            )
        )
    if source.rules:
        parts.append(rule_examples(config, run, source.rules, tell)[0])
    return join(parts)


def aggregate(
    save_dir: str,
    given: Mapping[str, Any],
    rounds: Mapping[str, Any],
    source: Source,
    *,
    expert: str = RULES,
    game: Mapping[str, Any] | None = None,
    resume: str = "",
    tell: Callable[[Progress | Round | Evaluation], None] = lambda told: None,
) -> Aggregated:
    """Learn by DAgger from the rule planner, or from another policy.

    Args:
        save_dir: Where policies are saved.
        given: Settings of `CloningConfig` that are not to be as usual.
        rounds: Likewise of `DaggerConfig`.
        source: Demonstrations to begin with; it may be empty.
        expert: "rules", or a policy's id or path.
        game: Settings of the run that say which game it is.
        resume: Go on with this policy, or "latest"; "" begins a new one.
        tell: Is told of everything.

    Raises:
        PokeTUIError: Demonstrations, settings, game or policy are no use.
    """
    torch.set_num_threads(1)
    if resume:
        folder = PolicyFolder.find(save_dir, resume)
        saved = folder.settings()
        if "dagger" not in saved:
            raise CheckpointError(
                f"{folder.path.name} was cloned without DAgger.", "Leave --dagger out."
            )
        if given:
            raise ConfigurationError(
                f"{sorted(given)[0]} cannot change when DAgger is resumed.", "Leave it out."
            )
        config = check(CloningConfig, _part(saved, "cloning"))
        dagger_config = check(DaggerConfig, {**_part(saved, "dagger"), **rounds})
        source, game = _source(saved), _part(saved, "game")
        expert = str(saved.get("expert", RULES))
    else:
        config, dagger_config = check(CloningConfig, dict(given)), check(DaggerConfig, dict(rounds))
    run = _run_config(save_dir, game or {})
    dagger = Dagger(dagger_config, config, _expert_maker(save_dir, expert, config), _nobody)
    if resume:
        _load_rounds(dagger, folder)
    else:
        if source.demos or source.rules:
            dagger.examples.append(gather(config, run, source, tell))
        settings = _settings(config, source, run)
        settings |= {"dagger": dagger_config.model_dump(), "expert": expert}
        folder = PolicyFolder.create(save_dir, settings)
    return _play_rounds(dagger, dagger_config, config, run, folder, tell)


def _play_rounds(
    dagger: Dagger,
    dagger_config: DaggerConfig,
    config: CloningConfig,
    run: RunConfig,
    folder: PolicyFolder,
    tell: Callable[[Progress | Round | Evaluation], None],
) -> Aggregated:
    games = make_games(run, dagger_config.envs, lambda: make_sight(config), is_advised=True)
    figures = TensorBoardFile(folder.tensorboard_path, dagger.rounds)
    store, told, evaluation = folder.store(config.keep_checkpoints), [], None
    try:
        if dagger.learn_first(lambda done: _tell_epoch(tell, dagger_config, done)) is not None:
            _save_round(dagger, folder, store)
        while not dagger.is_over:
            found = dagger.round(
                games,
                lambda done: tell(Progress("playing and labelling", done, dagger_config.episodes)),
                lambda done: _tell_epoch(tell, dagger_config, done),
            )
            told.append(found)
            tell(found)
            figures.write(found.number, found.figures())
            _save_round(dagger, folder, store)
        if dagger.policy is not None and config.eval_episodes:
            evaluation = evaluate_clone(
                dagger.policy,
                run,
                config.eval_episodes,
                lambda done: tell(Progress("the policy plays", done, config.eval_episodes)),
            )
            if evaluation is not None:
                tell(evaluation)
                figures.write(dagger.rounds, evaluation_figures(evaluation))
    finally:
        figures.close()
        games.close()
    return Aggregated(folder.path, tuple(told), evaluation)


def _tell_epoch(
    tell: Callable[[Progress | Round | Evaluation], None], config: DaggerConfig, done: int
) -> None:
    tell(Progress("learning", done, config.epochs))


def _save_round(dagger: Dagger, folder: PolicyFolder, store: CheckpointStore) -> None:
    """Write what was labelled, then the student: a student without its examples is not resumed."""
    assert dagger.policy is not None
    part = dagger.examples[-1]
    name = f"examples-{len(dagger.examples):04d}.zip"
    try:
        write_checkpoint(folder.path / name, Checkpoint({}, part.save()))
    except OSError as error:
        raise CheckpointError(
            f"Cannot write {folder.path / name}: {error.strerror or error}.",
            "Free some disk space.",
        ) from None
    facts, arrays = dagger.policy.save()
    facts |= {"rounds": dagger.rounds, "parts": len(dagger.examples)}
    store.save(Checkpoint(facts, arrays), dagger.rounds)


def _load_rounds(dagger: Dagger, folder: PolicyFolder) -> None:
    saved, path, _ = folder.store(keep=1).load_newest()
    dagger.policy = policy_of(saved, path)
    dagger.rounds = int(saved.facts["rounds"])
    for number in range(1, int(saved.facts["parts"]) + 1):
        part = read_checkpoint(folder.path / f"examples-{number:04d}.zip")
        try:
            dagger.examples.append(Examples.load(part.arrays))
        except (KeyError, ValueError, AssertionError):
            raise CheckpointError(
                f"The examples of part {number} in {folder.path} are damaged.", "Begin anew."
            ) from None


def _expert_maker(save_dir: str, name: str, config: CloningConfig) -> Callable[[int], Expert]:
    if name == RULES:
        return rules_expert
    policy, path = read_policy(save_dir, name)
    if (policy.config.inputs, policy.config.network) != (config.inputs, config.network) and (
        policy.config.inputs != "features"
    ):
        raise ConfigurationError(
            f"The expert {path} sees other pixels than the student.",
            "Let them see the same, or take an expert that sees features.",
        )
    return lambda seed: policy_expert(policy.player(seed))


def _nobody(seed: int) -> Player:
    return RandomAgent(seed).player(seed)


def _run_config(save_dir: str, game: Mapping[str, Any]) -> RunConfig:
    config = load_config(None, {**game, "save_dir": save_dir})
    prepare_start_state(config, lambda done, most: None)
    return config


def _source(settings: Mapping[str, Any]) -> Source:
    part = _part(settings, "source")
    try:
        return Source(**{**part, "tags": tuple(part.get("tags", ()))})
    except TypeError:
        raise CheckpointError(
            "The policy's config.json does not say what it was cloned from.", "Clone it again."
        ) from None


def _settings(config: CloningConfig, source: Source, run: RunConfig) -> dict[str, Any]:
    return {
        "cloning": config.model_dump(),
        "source": asdict(source),
        "game": {key: getattr(run, key) for key in _GAME_KEYS},
    }


def _part(settings: Mapping[str, Any], name: str) -> dict[str, Any]:
    part = settings.get(name)
    if not isinstance(part, dict):
        raise CheckpointError(f"The policy's config.json has no '{name}'.", "Clone it again.")
    return part
