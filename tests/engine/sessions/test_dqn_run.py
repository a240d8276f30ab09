"""Whole runs of DQN."""

import json

import pytest

from engine.config import DQNConfig
from tests.engine.sessions import test_practice_run as practice
from tests.engine.sessions import test_session as toy

DQN = DQNConfig(capacity=200, warmup_steps=100, batch_size=32, hidden_size=32, target_interval=20)
SETTINGS = {"agent": "dqn", "dqn": DQN}


def assert_alike(whole, parted) -> None:
    told = [json.loads(line)["event"] for line in practice.journal(whole).splitlines()]
    assert {"EpisodeEnded", "PolicyUpdated"} <= set(told)
    assert practice.journal(parted) == practice.journal(whole)
    assert practice.final_checkpoint(parted) == practice.final_checkpoint(whole)


def test_a_resumed_run_on_the_toy_is_the_uninterrupted_one_bit_for_bit(tmp_path):
    whole, parted = tmp_path / "whole", tmp_path / "parted"
    toy.play(toy.session(whole, total_steps=500, **SETTINGS))
    toy.play(toy.session(parted, total_steps=350, **SETTINGS))
    toy.play(toy.session(parted, "latest", total_steps=500, **SETTINGS))
    assert_alike(whole, parted)


@pytest.mark.slow
def test_a_resumed_run_on_the_practice_game_is_the_uninterrupted_one_bit_for_bit(tmp_path):
    whole, parted = tmp_path / "whole", tmp_path / "parted"
    practice.play(whole, total_steps=800, **SETTINGS)
    practice.play(parted, total_steps=460, **SETTINGS)
    practice.play(parted, "latest", total_steps=800)
    assert_alike(whole, parted)
