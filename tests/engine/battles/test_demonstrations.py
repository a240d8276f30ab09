"""Battles on disk, and as arrays by playing them again."""

import numpy as np
import pytest

from engine.battles.learn.demonstrations import (
    SUFFIX,
    Battle,
    generate,
    read_battles,
    replay_decisions,
    rounds,
    write_battles,
)
from engine.battles.sim.actions import PREVIEW_CODES, joint_mask
from engine.battles.sim.simulator import KIND, POLICY, Lane, Simulator
from engine.battles.sim.teams import DEFAULT_FORMAT, pool
from engine.errors import DemoError

TEAM = pool(DEFAULT_FORMAT)[0].packed
BATTLES = [
    Battle(DEFAULT_FORMAT.id, ("greedy", "random"), "p1", (">start {}", ">p1 pass")),
    Battle(DEFAULT_FORMAT.id, ("ann", "bob"), "", (), ("|tier|x", "|turn|1")),
]


def test_battles_are_read_as_they_were_written(tmp_path):
    write_battles(tmp_path / f"one{SUFFIX}", BATTLES[:1])
    write_battles(tmp_path / f"two{SUFFIX}", BATTLES[1:])
    assert read_battles(tmp_path) == BATTLES


def test_a_damaged_file_of_battles_is_refused_in_one_line(tmp_path):
    path = tmp_path / f"one{SUFFIX}"
    write_battles(path, BATTLES)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DemoError, match=r"one\.battles\.gz cannot be read: it is truncated"):
        read_battles(path)


def test_a_folder_without_battles_says_how_to_get_some(tmp_path):
    with pytest.raises(DemoError, match="There are no battles"):
        read_battles(tmp_path)


def test_replayed_decisions_are_what_the_players_saw_and_chose(showdown):
    rng = np.random.default_rng(0)
    seen = []
    lane = Lane(DEFAULT_FORMAT.id, (TEAM, TEAM), (POLICY, POLICY), seed=5, limit=1)
    with Simulator([lane], showdown) as simulator:
        waiting = simulator.step(np.empty(0, np.int64), np.empty(0, np.int64))
        while len(waiting.seats):
            codes = random_codes(waiting.legal, waiting.is_preview, rng)
            seen += zip(waiting.observations, codes, waiting.info[:, KIND], strict=True)
            waiting = simulator.step(waiting.seats, codes)
        (log,) = simulator.logs()
    battle = Battle(log.format, log.players, log.winner, log.input_log)
    replayed = replay_decisions([battle], showdown)
    assert replayed.dropped == 0
    assert replayed.codes.tolist() == [code for _, code, _ in seen]
    assert replayed.kinds.tolist() == [kind for *_, kind in seen]
    observations = np.stack([observation for observation, *_ in seen])
    assert np.array_equal(replayed.observations, observations.astype(np.float16))
    assert set(replayed.outcomes.tolist()) == ({-1, 1} if log.winner else {0})


def random_codes(legal, is_preview, rng):
    mask = joint_mask(legal)
    mask[is_preview] = np.arange(mask.shape[1]) < PREVIEW_CODES
    return np.array([rng.choice(np.flatnonzero(row)) for row in mask])


def test_generated_battles_are_equal_for_a_seed_however_many_processes_play(showdown):
    lanes = rounds(DEFAULT_FORMAT.id, [TEAM], ["max_power", "greedy"], seed=2)
    alone, together = (generate(lanes, 4, showdown, processes=count) for count in (1, 2))
    assert sorted(each.input_log for each in alone) == sorted(each.input_log for each in together)
    assert {each.players for each in alone} == {lane.players for lane in lanes}
