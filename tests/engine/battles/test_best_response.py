import json
from pathlib import Path

import numpy as np
import pytest

from engine.battles.learn.networks import TwoHeadedHybridModel
from engine.battles.play.best_response import (
    Exploit,
    add_exploit,
    digest,
    exploit_folder,
    exploits,
    freeze,
    response_settings,
    worst_exploit,
)
from engine.battles.policy import NUM_WEIGHTS, Policy
from engine.config import VgcConfig
from engine.errors import CheckpointError
from engine.runs.checkpoint import Checkpoint, write_checkpoint

POLICY = Policy(np.ones(NUM_WEIGHTS, np.float32))


def exploit(won: int, policy: Policy = POLICY, *, is_greedy: bool = True) -> Exploit:
    return Exploit(
        digest(policy), is_greedy, "gen9vgc2023regc", 4, 5000, 2.0, "run", won, 0, 100 - won
    )


def test_the_worst_exploit_of_just_this_policy_counts(tmp_path):
    assert worst_exploit(tmp_path, POLICY, is_greedy=True) is None
    other = Policy(np.zeros(NUM_WEIGHTS, np.float32))
    for each in (exploit(60), exploit(70), exploit(90, other), exploit(95, is_greedy=False)):
        add_exploit(tmp_path, each)
    found = worst_exploit(tmp_path, POLICY, is_greedy=True)
    assert found == exploit(70)
    assert str(found).startswith("Exploitability at least 70.0 % (60.4 to 78.1 %)")
    assert len(exploits(tmp_path)) == 4


@pytest.mark.parametrize("text", ["{", "{}", '{"exploits": [{"policy": 3}]}'])
def test_a_damaged_file_of_exploits_is_refused_and_left_alone(text, tmp_path):
    path = tmp_path / "exploitability.json"
    path.write_text(text)
    with pytest.raises(CheckpointError, match="is unreadable"):
        add_exploit(tmp_path, exploit(60))
    assert path.read_text() == text


def test_a_frozen_policy_is_the_checkpoint_s_and_nothing_else(tmp_path):
    model = TwoHeadedHybridModel()
    arrays = {f"network/{n}": w.detach().numpy() for n, w in model.named_weights().items()}
    source = tmp_path / "step.zip"
    write_checkpoint(source, Checkpoint({"secret": 1}, {**arrays, "adam/x": np.ones(3)}))
    frozen = freeze(source, tmp_path / "deep" / "policy.zip")
    np.testing.assert_array_equal(Policy.load(frozen).weights, model.flat())
    assert b"secret" not in frozen.read_bytes()
    assert exploit_folder(source) == tmp_path / "step.exploit"
    assert exploit_folder(tmp_path) == tmp_path / "exploit"


def test_a_best_response_meets_only_whom_it_is_to_beat():
    vgc = VgcConfig(num_teams=8, minutes=30, anneal=True, learning_rate=2e-4)
    settings = response_settings(vgc, {"/a/x.zip": 1.0}, Path("/a/x.zip"), is_greedy=True)
    found = VgcConfig.model_validate(settings | {"minutes": 5.0})
    assert found.greedy_opponents
    assert found.opponents == {"/a/x.zip": 1.0}
    assert (found.bc_model, found.minutes, found.evaluation_share) == ("/a/x.zip", 5.0, 0.0)
    assert (found.num_teams, found.learning_rate) == (8, 2e-4)
    assert json.loads(found.model_dump_json())["anneal"] is False
