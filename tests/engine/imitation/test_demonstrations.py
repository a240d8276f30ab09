"""Recorded demonstrations become the examples that they were."""

import dataclasses
import re
import shutil

import numpy as np
import pytest

from engine.demos.dataset import DemoSet, Wanted, copy_demo, read_split, write_split
from engine.demos.demonstration import encode_demo, read_demo
from engine.demos.recorder import record_policy, rules_policy
from engine.errors import DemoError, ReplayError
from engine.imitation.demonstrations import demo_files, read_examples
from engine.imitation.examples import CUT, GOES_ON, OVER, split
from engine.runs.cloning_settings import CloningConfig


@pytest.fixture(scope="module")
def recorded(practice, tmp_path_factory):
    """Two demonstrations of the rules, as files."""
    folder = tmp_path_factory.mktemp("demos")
    made = record_policy(rules_policy(0), practice, 2, folder, by="rules", tags=frozenset({"a"}))
    return folder, [demo for _, demo in made]


def read(path, practice, config=None, **options):
    """Return the examples of demonstrations, and what was noted of them."""
    notes = []
    config = config or CloningConfig()
    return read_examples(path, config, practice, note=notes.append, **options), notes


def refusal(path, practice, match, kind=DemoError, **options) -> None:
    with pytest.raises(kind, match=match) as caught:
        read(path, practice, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_every_demonstrated_step_is_an_example_and_the_last_ends_its_episode(recorded, practice):
    folder, demos = recorded
    told = []
    examples, notes = read(folder, practice, report=lambda *done: told.append(done))
    assert (notes, told) == ([], [(1, 2), (2, 2)])
    assert len({*examples.episodes}) == 2
    assert list(examples.actions) == [action for demo in demos for action in demo.actions]
    assert examples.masks[np.arange(len(examples)), examples.actions].all()
    assert len(examples.map_names) >= 6
    assert examples.rewards.sum() == pytest.approx(sum(demo.episode_return for demo in demos))
    last = np.flatnonzero(np.diff(examples.episodes, append=9))
    assert list(examples.ends[last]) == [OVER, OVER]  # both were won
    assert set(np.delete(examples.ends, last)) <= {GOES_ON, CUT}


def test_an_npz_beside_the_demonstration_it_was_exported_from_is_not_read_twice(tmp_path):
    for name in ("a.demo", "a.npz", "b.npz", "c.txt"):
        (tmp_path / name).touch()
    assert [path.name for path in demo_files(tmp_path)] == ["a.demo", "b.npz"]


def test_read_examples_keeps_to_a_written_split(recorded, practice, tmp_path):
    folder, demos = recorded
    for path in folder.iterdir():
        shutil.copyfile(path, tmp_path / path.name)
    whole = DemoSet(tmp_path)
    divided = set()
    for seed in range(20):  # until each of the two was kept once
        write_split(whole, 0.5, seed)
        (valid,) = read_split(tmp_path)
        if valid in divided:
            continue
        divided.add(valid)
        examples, notes = read(tmp_path, practice)
        assert notes == ["1 of 2 are used for validation only (split.json)"]
        learnt, kept = split(examples, 0.2, seed=0)
        place = [path.name for path in whole.paths].index(valid)
        assert list(kept.actions) == list(demos[place].actions)
        assert list(learnt.actions) == list(demos[1 - place].actions)
    assert len(divided) == 2


@pytest.mark.parametrize("text", ["", "[1]", '{"valid": 3}', '{"valid": [3]}', "[" * 100_000])
def test_read_split_refuses_a_damaged_file_in_a_line(text, recorded, practice, tmp_path):
    shutil.copytree(recorded[0], tmp_path / "set")
    (tmp_path / "set" / "split.json").write_text(text)
    refusal(tmp_path / "set", practice, r"split\.json is not a valid split file")


def test_presses_of_no_effect_are_left_out_and_counted(practice, tmp_path):
    """Every third press is one that the agent's mask forbids."""
    plain, rng = rules_policy(0), np.random.default_rng(0)
    forbidden = []

    def choose(batch):
        forbidden.append(len(forbidden) % 3 == 2 and not batch.mask[0].all())
        if forbidden[-1]:
            return int(rng.choice(np.flatnonzero(~batch.mask[0])))
        return plain(batch)

    ((_, demo),) = record_policy(choose, practice, 1, tmp_path, max_steps=30)
    examples, notes = read(tmp_path, practice)
    assert sum(forbidden) > 5
    assert len(examples) == demo.episode_length - sum(forbidden)
    assert notes == [
        f"{sum(forbidden)} presses are left out: they have no effect, so the agent never tries them"
    ]


def test_read_examples_refuses_presses_of_no_effect_alone(practice, tmp_path):
    def choose(batch):
        return int(np.flatnonzero(~batch.mask[0])[0])

    for _ in record_policy(choose, practice, 1, tmp_path, max_steps=4):
        pass
    refusal(tmp_path, practice, "no steps to learn from: 4 presses are left out")


def test_a_single_file_with_the_screen_is_read_too(recorded, practice):
    path = sorted(recorded[0].iterdir())[0]
    examples, _ = read(path, practice, CloningConfig(network="tiny", inputs="both"))
    assert len({*examples.episodes}) == 1
    assert examples.pixels.shape == (len(examples), 3, 84, 84)
    assert examples.pixels.any()


@pytest.mark.parametrize("wanted", [Wanted(by="human"), Wanted(frozenset({"b"}))])
def test_read_examples_refuses_a_choice_of_none_in_one_line(recorded, practice, wanted):
    refusal(recorded[0], practice, "None of the 2 demonstrations", wanted=wanted)


def test_read_examples_of_a_missing_folder_is_one_clear_line(tmp_path, practice):
    for path in (tmp_path, tmp_path / "missing", tmp_path / "missing.demo"):
        refusal(path, practice, "There is no demonstration at")


def test_a_missing_set_names_the_sets_that_there_are(tmp_path, practice, recorded):
    config = practice.model_copy(update={"save_dir": str(tmp_path)})
    refusal(tmp_path / "demos", config, "Record some: poketui record")
    for name in ("home", "road"):
        copy_demo(sorted(recorded[0].glob("*.demo"))[0], tmp_path / "demos" / name)
    for path in (tmp_path / "demos", tmp_path / "demos" / "hom"):
        refusal(path, config, "Datasets: home, road")


def test_a_damaged_file_is_refused_in_one_line(tmp_path, practice, recorded):
    path = sorted(recorded[0].iterdir())[0]
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / path.name).write_bytes(content)
    refusal(tmp_path, practice, None)


def test_demonstration_that_diverges_is_named_among_several(tmp_path, practice, recorded):
    first, second = sorted(recorded[0].iterdir())
    shutil.copy(first, tmp_path)
    demo = read_demo(second)
    rewards = demo.rewards.copy()
    rewards[7] += 1
    path = tmp_path / "forged.demo"
    path.write_bytes(encode_demo(dataclasses.replace(demo, rewards=rewards)))
    refusal(tmp_path, practice, re.escape(f"{path}: "), ReplayError)
