"""Cloning from its start to its end: saved, resumed, judged, and begun from."""

import dataclasses
import json

import numpy as np
import pytest

from engine.config import RunConfig
from engine.errors import CheckpointError, ConfigurationError
from engine.events import PolicyUpdated
from engine.imitation.aggregation import aggregate
from engine.imitation.bc import Epoch
from engine.imitation.cloning import CloningRun, Progress, score_of
from engine.imitation.from_demonstrations import Source, clone_policy
from engine.imitation.policies import read_policy
from engine.runs.checkpoint import BEST, Checkpoint, read_checkpoint, write_checkpoint
from engine.runs.cloning_settings import CloningConfig
from engine.runs.export import export_run
from engine.runs.journal import read_journal
from engine.runs.policy_folders import (
    PolicyFolder,
    agent_settings,
    features_of_policy,
    list_policies,
)
from engine.runs.table import digest_run, saved_curves
from engine.training.build import build_agent
from engine.training.warm_start import begin_from_demonstrations, begins_from_others
from engine.types import Evaluation
from tests.engine.imitation.arrays import make_examples
from tests.engine.runs.test_tensorboard import summaries

SMALL = CloningConfig(
    hidden_size=16, batch_size=32, learning_rate=3e-3, epochs=6, eval_every=2, patience=0,
    eval_episodes=3, save_every=1,
)  # fmt: skip
EXAMPLES = make_examples(np.random.default_rng(0).integers(0, 9, 200))


@pytest.fixture
def folder(tmp_path):
    """Return where `clone` keeps what it makes."""
    return tmp_path / "policies" / "one"


def made(success: float, reward: float = 1.0) -> Evaluation:
    shares = {"a": 1.0, "b": 0.0}
    return Evaluation(
        3, reward, 0.0, 100.0, 0.0, success, shares, 0.0, 0.5, avg_q_value=2.0, std_q_value=0.25
    )


def clone(folder, *, judge=None, resumed=False, told=None, may_go_on=lambda: True, **changes):
    folder.mkdir(parents=True, exist_ok=True)
    run = CloningRun(
        SMALL.model_copy(update=changes),
        RunConfig(save_dir=str(folder)),
        EXAMPLES,
        PolicyFolder(folder),
        report=(told if told is not None else []).append,
        is_resumed=resumed,
        may_go_on=may_go_on,
    )
    run._evaluate = judge or (lambda episodes: made(0.0))
    return run


def epochs_of(told: list) -> list[Epoch]:
    return [one for one in told if isinstance(one, Epoch)]


def newest(folder) -> Checkpoint:
    return PolicyFolder(folder).store(keep=9).load_newest()[0]


def test_a_resumed_cloning_ends_as_the_uninterrupted_one(tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    clone(whole).run()
    clone(parts, epochs=3).run()
    clone(parts, resumed=True).run()
    one, other = newest(whole), newest(parts)
    lengths = [saved.facts.pop("journal") for saved in (one, other)]
    assert one.facts == other.facts
    assert all(np.array_equal(one.arrays[name], other.arrays[name]) for name in one.arrays)
    lines = [(folder / "journal.jsonl").read_text().splitlines(True) for folder in (whole, parts)]
    assert [sum(map(len, each)) for each in lines] == lengths
    (more,) = set(lines[1]) - set(lines[0])  # the first part was judged at its end, too
    assert '"EvaluationEnded", "episode": 3' in more
    assert [line for line in lines[1] if line != more] == lines[0]


def test_the_journal_has_every_epoch_and_evaluation_once(folder):
    """An epoch that no checkpoint holds comes again after a break, and is there once."""
    told: list[object] = []
    answers = iter([made(0.2), made(0.9)])
    seldom = {"save_every": 9, "eval_every": 4, "judge": lambda *_: next(answers)}
    with pytest.raises(KeyboardInterrupt):
        clone(folder, told=Breaks(5), **seldom).run()
    clone(folder, resumed=True, told=told, **seldom).run()
    events = list(read_journal(PolicyFolder(folder).journal_path))
    updates = [one for one in events if isinstance(one, PolicyUpdated)]
    assert [one.update for one in updates] == [1, 2, 3, 4, 5, 6]
    last = epochs_of(told)[-1]
    assert updates[-1].figures["bc_loss"] == last.loss
    assert updates[-1].figures["validation_accuracy"] == last.validation.accuracy
    judged = [(one.episode, one.evaluation.success_rate) for one in events if one not in updates]
    assert judged == [(4, 0.2), (6, 0.9)]


class Breaks(list):
    """Interrupts as Ctrl-C does, once it is told of an epoch."""

    def __init__(self, epoch: int) -> None:
        self._epoch = epoch

    def append(self, told) -> None:
        if isinstance(told, Epoch) and told.number == self._epoch:
            raise KeyboardInterrupt


def test_curves_and_figures_of_a_policy_are_read_as_a_runs(tmp_path, folder):
    clone(folder, judge=lambda *_: made(0.5)).run()
    (folder / "config.json").write_text('{"cloning": {"network": "dqn", "seed": 4}}')
    for name in ("one", str(folder)):
        title, curves = saved_curves(str(tmp_path), name)
        assert title == "one"
        found = {figure: tuple(values) for figure, values in curves.items()}
        assert len(found["train/bc_loss"]) == 6
        assert found["eval/success_rate"] == (0.5, 0.5, 0.5)
    digest = digest_run(str(tmp_path), "one")
    assert digest.settings == {"cloning.network": "dqn", "cloning.seed": "4"}
    assert (digest.updates, digest.episodes) == (6, 0)
    assert digest.figures["bc_loss"] == found["train/bc_loss"][-1]
    (info,) = list_policies(str(tmp_path))
    assert (info.policy_id, info.how, info.network, info.seed) == ("one", "cloned", "dqn", 4)
    path, count = export_run(str(tmp_path), "one", form="json", out=tmp_path / "one.json")
    assert json.loads(path.read_text())["config"]["cloning"]["network"] == "dqn"
    assert count == 6 + 3
    with pytest.raises(CheckpointError, match="no saved run 'two'"):
        saved_curves(str(tmp_path), "two")


def test_cloning_keeps_the_policy_that_plays_best(folder):
    answers = iter([made(0.2), made(0.9), made(0.5)])
    found = clone(folder, judge=lambda *_: next(answers)).run()
    saved = read_checkpoint(found.best)
    assert saved.facts["score"][0] == 0.9
    assert saved.facts["cloning"]["epoch"] == 4
    assert found.evaluation == made(0.5)


def test_without_evaluations_the_lowest_validation_loss_is_the_best_and_progress_is_told(folder):
    told = []
    run = clone(folder, eval_episodes=0, told=told)
    found = run.run()
    best = min(epochs_of(told), key=lambda epoch: epoch.validation.balanced_loss)
    assert read_checkpoint(found.best).facts["cloning"]["epoch"] == best.number
    steps = [one for one in told if isinstance(one, Progress) and one.what == "learning"]
    batches = 6 * run.cloning.batches
    assert [(one.done, one.total) for one in steps] == [(n, batches) for n in range(1, batches + 1)]


def test_the_documented_metrics_are_in_the_event_file_with_those_by_map_and_action(folder):
    told = []
    clone(folder, told=told, judge=lambda *_: made(0.6, 7.0)).run()
    found = {tag: each[2][0] for tag, each in summaries(folder / "tensorboard").items()}
    last = epochs_of(told)[-1]
    expected = {
        "train/bc_loss": last.loss, "train/accuracy": last.accuracy,
        "eval/episodic_return": 7.0, "eval/milestones": 0.5, "eval/milestone/a": 1.0,
        "eval/milestone/b": 0.0, "eval/mean_ep_length": 100.0, "eval/success_rate": 0.6,
        "eval/q_values": 2.0, "eval/q_values_std": 0.25,
    }  # fmt: skip
    assert {tag: found[tag] for tag in expected} == pytest.approx(expected)
    tags = " ".join(found)
    assert all(name in tags for name in ("bc/loss", "validation_map/TOWN", "validation_action/up"))


def test_a_cloning_that_is_broken_off_keeps_its_whole_epochs(folder):
    count = iter(range(10_000))
    run = clone(folder, may_go_on=lambda: next(count) < 12)
    found = run.run()
    assert len(found.epochs) == 12 // run.cloning.batches
    assert newest(folder).facts["cloning"]["epoch"] == len(found.epochs)


def saved_policy(tmp_path, **changes) -> str:
    changes = {"epochs": 1, **changes}
    cloning = SMALL.model_copy(update=changes).model_dump()
    settings = {"cloning": cloning, "source": {"demos": "", "rules": 1}, "game": {}}
    folder = PolicyFolder.create(str(tmp_path), settings)
    clone(folder.path, **changes).run()
    return folder.path.name


def test_a_policy_is_found_by_its_name_its_path_its_file_and_as_the_latest(tmp_path):
    name = saved_policy(tmp_path)
    path = tmp_path / "policies" / name
    for given in (name, str(path), str(path / "checkpoints" / BEST), "latest"):
        policy, found = read_policy(str(tmp_path), given)
        assert found == path / "checkpoints" / BEST
        assert policy.spaces == EXAMPLES.spaces
        begun = agent_settings(str(tmp_path), given)
        assert begun["agent"] == "ppo"
        assert begun["env.features"] == "first", "older policies do not say it"


@pytest.mark.parametrize("name", ["latest", "nobody", "/nowhere/at/all.zip"])
def test_a_policy_that_is_not_there_is_one_clear_line(tmp_path, name):
    with pytest.raises(CheckpointError, match=r"poketui bc") as caught:
        read_policy(str(tmp_path), name)
    assert "\n" not in str(caught.value)


def test_damaged_and_foreign_policies_are_refused_in_one_line(tmp_path):
    name = saved_policy(tmp_path)
    path = tmp_path / "policies" / name / "checkpoints" / BEST
    content = path.read_bytes()
    saved = read_checkpoint(path)
    rng = np.random.default_rng(0)
    for _ in range(60):
        broken = bytearray(content)
        broken[rng.integers(len(broken))] ^= 1 << rng.integers(8)
        path.write_bytes(broken[: rng.integers(len(broken)) if rng.random() < 0.3 else None])
        with pytest.raises(CheckpointError) as caught:
            read_policy(str(tmp_path), str(path))
        assert "\n" not in str(caught.value)
    kind = {"kind": "imitation"}
    for facts in ({}, kind, {**kind, "policy": []},
                  {**kind, "policy": {"config": {"epochs": -1}, "feature_size": 3}},
                  {**kind, "policy": {"config": {}, "feature_size": "many"}}):  # fmt: skip
        write_checkpoint(path, dataclasses.replace(saved, facts=facts))
        with pytest.raises(CheckpointError):
            read_policy(str(tmp_path), str(path))


def config_for(tmp_path, name: str, **changes) -> RunConfig:
    return RunConfig(
        save_dir=str(tmp_path), start_policy=name, num_envs=2, workers=1,
        ppo={"hidden_size": 16}, dqn={"hidden_size": 16}, **changes,
    )  # fmt: skip


@pytest.mark.parametrize("network", ["ppo", "dqn"])
def test_an_agent_begins_from_a_cloned_policy(tmp_path, network):
    name = saved_policy(tmp_path, network=network)
    config = config_for(tmp_path, name, agent=network)
    agent = build_agent(config, EXAMPLES.spaces)
    begin_from_demonstrations(agent, config, lambda event: None)
    policy, _ = read_policy(str(tmp_path), name)
    network_ = agent.ppo.network if network == "ppo" else agent.network
    wanted = policy.network.network.encoder.state_dict()
    found = network_.encoder.state_dict()
    assert all((wanted[key] == found[key]).all() for key in wanted)


@pytest.mark.parametrize(
    ("cloned", "changes", "named"),
    [
        ({"network": "dqn"}, {"agent": "ppo"}, "has network dqn"),
        ({}, {"agent": "ppo", "encoder": "both"}, "has ppo, both"),
        ({}, {"agent": "rules"}, "does not learn"),
        ({"hidden_size": 32}, {"agent": "ppo"}, "hidden size 32"),
    ],
)
def test_a_policy_of_another_kind_is_refused_in_one_line(tmp_path, cloned, changes, named):
    config = config_for(tmp_path, saved_policy(tmp_path, **cloned), **changes)
    spaces = dataclasses.replace(EXAMPLES.spaces, pixels_shape=(3, 72, 80))
    agent = build_agent(config, spaces)
    with pytest.raises(ConfigurationError, match=named) as caught:
        begin_from_demonstrations(agent, config, lambda event: None)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("imitation", [{"demos": "nowhere"}, {"rules": 3}])
@pytest.mark.parametrize("name", ["ppo", "rules", "random"])
def test_demonstrations_for_an_agent_that_learns_from_none_are_refused(tmp_path, name, imitation):
    config = RunConfig(
        save_dir=str(tmp_path), agent=name, num_envs=2, workers=1, imitation=imitation
    )
    assert begins_from_others(config)
    agent = build_agent(config, EXAMPLES.spaces)
    with pytest.raises(ConfigurationError, match=f"the agent {name} does not learn from") as caught:
        begin_from_demonstrations(agent, config, lambda event: None)
    assert "\n" not in str(caught.value)
    assert f"imitation.{next(iter(imitation))}" in str(caught.value)


@pytest.mark.slow
def test_cloning_the_practice_game_can_be_resumed_with_more_epochs(tmp_path):
    given = {"hidden_size": 16, "epochs": 1, "eval_episodes": 0}
    first = clone_policy(str(tmp_path), given, Source(rules=2))
    second = clone_policy(str(tmp_path), {"epochs": 3}, Source(), resume="latest")
    assert second.folder == first.folder
    assert [epoch.number for epoch in second.epochs] == [2, 3]
    with pytest.raises(ConfigurationError, match="batch_size cannot change"):
        clone_policy(str(tmp_path), {"batch_size": 2}, Source(), resume="latest")


@pytest.mark.slow
def test_dagger_is_resumed_with_all_that_was_labelled(tmp_path):
    given = {"hidden_size": 16, "eval_episodes": 0, "learning_rate": 1e-3}
    ways = {"envs": 2, "episodes": 2, "epochs": 2, "beta_start": 1.0, "beta_decay": 1.0}
    whole = aggregate(str(tmp_path / "a"), given, {**ways, "rounds": 2}, Source())
    aggregate(str(tmp_path / "b"), given, {**ways, "rounds": 1}, Source())
    parts = aggregate(str(tmp_path / "b"), {}, {"rounds": 2}, Source(), resume="latest")
    assert [found.number for found in parts.epochs] == [2]
    assert parts.epochs[0].total == whole.epochs[1].total
    journals = [(found.folder / "journal.jsonl").read_text() for found in (whole, parts)]
    assert journals[0] == journals[1]
    assert '"dagger_examples"' in journals[0]
    one, other = newest(whole.folder), newest(parts.folder)
    assert all(np.array_equal(one.arrays[name], other.arrays[name]) for name in one.arrays)


@pytest.mark.slow
def test_dagger_keeps_the_student_that_played_best_and_runs_begin_from_it(tmp_path):
    given = {"hidden_size": 16, "eval_episodes": 2, "learning_rate": 1e-3}
    ways = {"envs": 2, "episodes": 2, "epochs": 3, "rounds": 2}
    told = []
    found = aggregate(str(tmp_path), given, ways, Source(rules=1), report=told.append)
    judged = [one for one in told if isinstance(one, Evaluation)]
    assert len(judged) == 3  # of the demonstrations alone, too
    scores = [score_of(one) for one in judged]
    best = read_checkpoint(found.best)
    assert best.facts["score"] == max(scores)
    assert best.facts["rounds"] == scores.index(max(scores))
    assert read_policy(str(tmp_path), "latest")[1] == found.best
    tags = summaries(found.folder / "tensorboard").keys()
    assert {"train/bc_loss", "dagger/beta", "eval/episodic_return", "eval/milestones"} <= tags
    unsaved = aggregate(
        str(tmp_path), {**given, "save_best": False}, ways | {"rounds": 1}, Source()
    )
    assert unsaved.evaluation is not None
    assert unsaved.best is None


def test_a_policy_from_before_there_were_layouts_keeps_its_features():
    assert features_of_policy({"game": {"rom_path": ""}}) == features_of_policy({}) == "first"
    assert features_of_policy({"game": {"env.features": "plain"}}) == "plain"
