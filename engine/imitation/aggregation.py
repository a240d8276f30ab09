"""Run DAgger: its rounds, evaluations of the student, and all of it saved as it goes."""

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from engine.agents.rules import RandomAgent
from engine.config import RunConfig, parse_config
from engine.env.observation.layout import kind_of
from engine.env.observation.pixels import sight_of
from engine.errors import CheckpointError, ConfigurationError
from engine.games.catalog import load_game
from engine.ground.files import os_errors_as
from engine.ground.trust import check_permissions, remember
from engine.imitation.blocking_planner import make_asked_games
from engine.imitation.cloning import Cloned, Note, Progress, evaluate_clone, score_of, tracked
from engine.imitation.dagger import Dagger, Round
from engine.imitation.examples import Examples
from engine.imitation.from_demonstrations import (
    PROJECT,
    Source,
    gather,
    part_of,
    run_config,
    saved_game,
    saved_source,
    settings_of_policy,
)
from engine.imitation.games import Expert, Games, make_games, policy_expert, rules_expert
from engine.imitation.policies import PolicyWriter, policy_of, read_policy
from engine.runs.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from engine.runs.cloning_settings import IN_BATCHES, CloningConfig, DaggerConfig, check
from engine.runs.policy_folders import FEATURES, PolicyFolder, check_name, check_save_folder
from engine.runs.weights_biases import tracking
from engine.types import Evaluation

RULES, PLANNER = "rules", "planner"

ReportRound = Callable[[Progress | Note | Round | Evaluation], None]


def aggregate(
    save_dir: str,
    given: Mapping[str, Any],
    rounds: Mapping[str, Any],
    source: Source,
    *,
    expert: str = RULES,
    game: Mapping[str, Any] | None = None,
    resume: str = "",
    report: ReportRound = lambda event: None,
    may_go_on: Callable[[], bool] = lambda: True,
    name: str = "",
    is_tracked: bool = False,
    project: str = PROJECT,
) -> Cloned:
    """Learn by DAgger from the rules, from the planner, or from another policy.

    Settings are given as to `clone_policy`: those of `CloningConfig`, with the epochs of each
    round, and in `rounds` those of `DaggerConfig`. It may begin without demonstrations. The expert
    is "rules"; "planner": the rules with goals of a language model (`llm_model` of the game), whose
    answers are waited for; or a policy's id or path. `may_go_on` is asked before each round, and
    ends the rounds by False.

    Raises:
        PokeTUIError: Demonstrations, settings, game or policy cannot be used.
    """
    torch.set_num_threads(1)
    check_name(name)
    if in_batches := sorted(set(given) & set(IN_BATCHES)):
        raise ConfigurationError(
            f"{in_batches[0]} counts batches, of which each round of DAgger has more.",
            f"Set {IN_BATCHES[in_batches[0]]} instead.",
        )
    if resume:
        folder = PolicyFolder.find(save_dir, resume)
        saved = _resumable(folder, given)
        config = check(CloningConfig, part_of(saved, "cloning"))
        dagger_config = check(DaggerConfig, {**part_of(saved, "dagger"), **rounds})
        source, game = saved_source(saved), saved_game(saved)
        expert = str(saved.get("expert", RULES))
    else:
        own = {"epochs": given["epochs"]} if "epochs" in given else {}
        config = check(CloningConfig, dict(given))
        dagger_config = check(DaggerConfig, {**own, **rounds})
        check_save_folder(save_dir)
    run = tracking(run_config(save_dir, game or {}, source), is_tracked=is_tracked)
    run = _seeing_as(run, save_dir, expert)
    make_expert = _expert_maker(save_dir, expert, config)
    dagger = Dagger(dagger_config, config, make_expert, lambda seed: RandomAgent(seed).player(seed))
    saved_facts: Mapping[str, Any] = {}
    settings = settings_of_policy(config, source, run)
    settings |= {"dagger": dagger_config.model_dump(), "expert": expert}
    with contextlib.ExitStack() as undo:
        if resume:
            saved_facts = _load_rounds(dagger, folder)
        else:
            if source.demos or source.rules:
                dagger.examples.append(gather(config, run, source, report))
            folder = undo.enter_context(PolicyFolder.begin(save_dir, settings, name))
            remember(run.permissions())
        writers = tracked(run, folder, settings, project)
        store = folder.store(config.keep_checkpoints)
        writer = PolicyWriter(
            folder, store, saved_facts, dagger.rounds, writers, lambda text: report(Note(text))
        )
        undo.callback(writer.close)
        count, sight = dagger_config.envs, sight_of(config.encoder)
        if expert == PLANNER:
            path = folder.path / "exchanges.jsonl"
            games = make_asked_games(run, count, sight, path, lambda text: report(Note(text)))
        else:
            games = make_games(run, count, sight, is_advised=True)
        undo.callback(games.close)
        every = _Rounds(dagger, dagger_config, config, run, folder, writer, report, may_go_on)
        played = every.play(games)
    return Cloned(folder.path, played, writer.evaluation, writer.best)


def _resumable(folder: PolicyFolder, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a policy's settings, if DAgger can be resumed from it without further permission."""
    saved = folder.settings()
    if "dagger" not in saved:
        raise CheckpointError(
            f"{folder.path.name} was cloned without DAgger.", "Leave --dagger out."
        )
    if given:
        raise ConfigurationError(
            f"{sorted(given)[0]} cannot change when DAgger is resumed.", "Leave it out."
        )
    if saved.get("expert", RULES) == PLANNER:
        permitting = {key: value for key, value in saved_game(saved).items() if key != FEATURES}
        check_permissions(parse_config(permitting, str(folder.path)).permissions(), folder.path)
    return saved


@dataclass(frozen=True, slots=True)
class _Rounds:
    """Play the rounds that are left; the student is evaluated by rollout after each."""

    dagger: Dagger
    dagger_config: DaggerConfig
    config: CloningConfig
    run: RunConfig
    folder: PolicyFolder
    writer: PolicyWriter
    report: ReportRound
    may_go_on: Callable[[], bool]

    def play(self, games: Games) -> tuple[Round, ...]:
        dagger, episodes = self.dagger, self.dagger_config.episodes
        played: list[Round] = []
        first = dagger.learn_first(self._report_epochs)
        if first is not None:
            self.writer.note(0, 0, first.figures())
            self._end_round()
        while not dagger.is_over and self.may_go_on():
            found = dagger.round(
                games,
                lambda done: self.report(Progress("playing and labelling", done, episodes)),
                self._report_epochs,
            )
            played.append(found)
            self.report(found)
            self.writer.learnt(found.number, found.number, found.figures())
            self._end_round()
        return tuple(played)

    def _report_epochs(self, done: int) -> None:
        self.report(Progress("learning", done, self.dagger_config.epochs))

    def _end_round(self) -> None:
        """Save, evaluate, and save again with the result: Ctrl-C while it plays loses nothing."""
        _save_part(self.dagger, self.folder)
        self._save_student(None)
        episodes = self.config.eval_episodes
        policy = self.dagger.policy
        if not episodes or policy is None:
            return
        found = evaluate_clone(policy, self.run, episodes, self.report)
        if found is not None:
            self.report(found)
            self.writer.evaluated(self.dagger.rounds, self.dagger.rounds, found)
            if self.config.save_best:
                self._save_student(score_of(found))

    def _save_student(self, score: list[float] | None) -> None:
        dagger = self.dagger
        assert dagger.policy is not None
        facts, arrays = dagger.policy.save()
        facts |= {"rounds": dagger.rounds, "parts": len(dagger.examples)}
        self.writer.save(facts, arrays, dagger.rounds, score)


def _save_part(dagger: Dagger, folder: PolicyFolder) -> None:
    """Write what was labelled last, before the student, which cannot be resumed without it."""
    part = dagger.examples[-1]
    path = folder.path / f"examples-{len(dagger.examples):04d}.zip"
    with os_errors_as(CheckpointError, f"Cannot write {path}", "Free some disk space."):
        write_checkpoint(path, Checkpoint({}, part.save()))


def _load_rounds(dagger: Dagger, folder: PolicyFolder) -> Mapping[str, Any]:
    """Restore the student and its examples; return the checkpoint's facts."""
    saved, path, _ = folder.store().load_newest()
    dagger.policy = policy_of(saved, path)
    dagger.rounds = int(saved.facts["rounds"])
    for number in range(1, int(saved.facts["parts"]) + 1):
        part = read_checkpoint(folder.path / f"examples-{number:04d}.zip")
        try:
            dagger.examples.append(Examples.load(part.arrays))
        except (KeyError, ValueError, AssertionError):
            raise CheckpointError(
                f"Part {number} of the examples in {folder.path} is damaged.", "Start again."
            ) from None
    return saved.facts


def _seeing_as(run: RunConfig, save_dir: str, expert: str) -> RunConfig:
    """Return the settings with the features that a policy as expert was trained with."""
    if expert in {RULES, PLANNER}:
        return run
    size = read_policy(save_dir, expert)[0].spaces.feature_size
    kind = kind_of(load_game(run.rom_path, run.allow_unknown_rom), size) or run.env.features
    return run.model_copy(update={"env": run.env.model_copy(update={"features": kind})})


def _expert_maker(save_dir: str, name: str, config: CloningConfig) -> Callable[[int], Expert]:
    if name in {RULES, PLANNER}:
        return rules_expert
    policy, path = read_policy(save_dir, name)
    if (policy.config.inputs, policy.config.network) != (config.inputs, config.network) and (
        policy.config.inputs != "features"
    ):
        raise ConfigurationError(
            f"The expert {path} sees different pixels than the student.",
            "Give both the same inputs, or use an expert that sees features.",
        )
    return lambda seed: policy_expert(policy.player(seed))
