"""A DQN run on the real practice game."""

import json

from engine.config import DQNConfig
from tests.engine.session.test_practice_run import final_checkpoint, journal, play

DQN = DQNConfig(capacity=400, warmup_steps=100, batch_size=32, hidden_size=32, target_interval=20)


def test_a_resumed_dqn_run_is_the_uninterrupted_one_bit_for_bit(tmp_path):
    whole, parted = tmp_path / "whole", tmp_path / "parted"
    play(whole, total_steps=500, agent="dqn", dqn=DQN)
    play(parted, total_steps=300, agent="dqn", dqn=DQN)
    play(parted, "latest", total_steps=500)
    told = [json.loads(line)["event"] for line in journal(whole).splitlines()]
    assert {"EpisodeEnded", "PolicyUpdated"} <= set(told)
    assert journal(parted) == journal(whole)
    assert final_checkpoint(parted) == final_checkpoint(whole)
