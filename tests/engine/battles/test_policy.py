import io
import zipfile

import numpy as np
import pytest
import torch

from engine.battles.learn.networks import TwoHeadedHybridModel
from engine.battles.policy import NUM_WEIGHTS, Policy, read_network
from engine.battles.sim.actions import joint_mask
from engine.errors import CheckpointError
from engine.runs.checkpoint import Checkpoint, write_checkpoint
from tests.engine.battles.helpers import random_legal, random_observations


@pytest.fixture
def model() -> TwoHeadedHybridModel:
    torch.manual_seed(3)
    model = TwoHeadedHybridModel()
    for parameter in model.parameters():
        parameter.data.mul_(1.5)
    return model


def test_numpy_and_torch_agree(model):
    rng = np.random.default_rng(0)
    observations, legal = random_observations(40, rng), random_legal(40, rng)
    is_preview = rng.random(40) < 0.3
    with torch.no_grad():
        found = model(*map(torch.from_numpy, (observations, legal, is_preview)))
    policy = Policy(model.flat())
    log_probs = policy.log_probs(observations, legal, is_preview)
    np.testing.assert_allclose(found.log_probs.numpy(), log_probs, atol=1e-4)
    codes, chosen, values = policy.act(observations, legal, is_preview, rng)
    np.testing.assert_allclose(torch.tanh(found.win / 2).numpy(), values, atol=1e-4)
    np.testing.assert_allclose(log_probs[np.arange(40), codes], chosen, atol=1e-4)


def test_drawn_codes_are_legal_and_as_frequent_as_they_are_likely(model):
    rng = np.random.default_rng(1)
    one, mask = random_observations(1, rng), random_legal(1, rng)
    observations, legal = np.repeat(one, 2000, 0), np.repeat(mask, 2000, 0)
    is_preview = np.zeros(2000, bool)
    policy = Policy(model.flat())
    codes, _, _ = policy.act(observations, legal, is_preview, rng)
    assert joint_mask(mask)[0, codes].all()
    expected = np.exp(policy.log_probs(one, mask, is_preview[:1])[0])
    counts = np.bincount(codes, minlength=2025) / 2000
    assert np.abs(counts - expected).max() < 0.04
    greedy, _, _ = policy.act(one, mask, is_preview[:1], rng, greedy=True)
    assert greedy[0] == expected.argmax()


def test_a_side_without_a_choice_passes_twice(model):
    rng = np.random.default_rng(2)
    legal = np.zeros((1, 90), bool)
    legal[:, [44, 89]] = True
    policy = Policy(model.flat())
    codes, log_probs, _ = policy.act(random_observations(1, rng), legal, np.zeros(1, bool), rng)
    assert (codes[0], log_probs[0]) == (2024, 0)
    assert 0.6e6 < NUM_WEIGHTS < 1.0e6


def test_compatible_weights_are_loaded_by_name(model):
    arrays = {name: each.detach().numpy() for name, each in model.named_weights().items()}
    del arrays["win_1.bias"]
    arrays["trunk_1.weight"] = arrays["trunk_1.weight"][:, :5]
    arrays["other"] = np.zeros(3)
    other = TwoHeadedHybridModel()
    report = other.load_compatible(arrays)
    assert report.missing == ("win_1.bias",)
    assert report.mismatched == ("trunk_1.weight",)
    assert report.unknown == ("other",)
    assert len(report.loaded) == len(arrays) - 2
    np.testing.assert_array_equal(other.flat()[:1000], model.flat()[:1000])


def zipped(member: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(member, b"x")
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (zipped("archive/data.pkl"), "is a torch file, not a policy of battles"),
        (zipped("a.npy"), "is an archive of NumPy, not a policy of battles"),
        (b"\x80\x02}q\x00.", "is a torch file of the old kind"),
        (b"hello", "of another kind, not a policy of battles"),
        (b"PK\x03\x04 and no more", "damaged"),
        (None, r"is a checkpoint of a game's run \(agent ppo\)"),
    ],
)
def test_a_file_of_something_else_is_called_what_it_is(tmp_path, content, said):
    path = tmp_path / "other.zip"
    of_a_run = Checkpoint({"agent": {"name": "ppo"}}, {"agent/weights": np.zeros(3)})
    path.write_bytes(content) if content else write_checkpoint(path, of_a_run)
    with pytest.raises(CheckpointError, match=said):
        read_network(path)
