"""The simulator's own players, on recorded positions and in battles of each against each."""

import gzip
import json
import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.battles.learn.demonstrations import rounds
from engine.battles.sim.actions import joint_mask
from engine.battles.sim.observation import MOVE as FIELDS
from engine.battles.sim.observation import MOVES, MOVES_PART
from engine.battles.sim.setup import NodeCommand
from engine.battles.sim.simulator import POLICY, TEACHER, Lane, Simulator
from engine.battles.sim.teams import pool
from tests.engine.battles.helpers import REG_C

RECORDED = Path(__file__).parent / "poke_env_choices.jsonl.gz"
"""Positions of six battles with all that poke-env 0.16.1 chose in 40 tries (choices)."""
PLAYERS = ("random", "max_power", "greedy", "heuristics")
TEAM = pool(REG_C)[0].packed


def test_built_in_players_choose_as_those_of_poke_env_do(simulator):
    positions = [json.loads(line) for line in gzip.decompress(RECORDED.read_bytes()).splitlines()]
    for at in positions:
        chosen = simulator.track(
            at["battle"], REG_C.id, at["side"], at["lines"], at["request"],
            player=at["player"],
        ).choice  # fmt: skip
        assert not at["choices"] or any(is_like(chosen, each) for each in at["choices"]), chosen
    assert sum(len(position["choices"]) == 1 for position in positions) > 30


def is_like(chosen: str, theirs: str) -> bool:
    """Return whether both mean the same: the other foe where one fainted, any for "default"."""
    ours = re.sub(r"\+[12]", "+", chosen).split(", ")
    other = re.sub(r"\+[12]", "+", theirs).split(", ")
    return all(mine == each or each == "default" for mine, each in zip(ours, other, strict=True))


def test_built_in_players_choose_legally_against_each_other(showdown):
    lanes = rounds(REG_C.id, [TEAM], PLAYERS, seed=1)
    none = np.empty(0, np.int64)
    with Simulator(lanes, showdown) as simulator:
        simulator.step(none, none)
        stats, logs = simulator.stats(), simulator.logs()
    assert {log.players for log in logs} == {lane.players for lane in lanes}
    assert (stats["rejected"], stats["failed"], stats["defaulted"]) == (0, 0, 0)


def test_max_power_takes_the_move_of_greatest_printed_power(showdown):
    for observation, legal, code in taught("max_power", showdown):
        moves = observation[MOVES_PART].reshape(MOVES[0], MOVES[1], len(FIELDS))
        power = moves[..., FIELDS.index("base_power")] * np.where(
            moves[..., FIELDS.index("is_spread")], 1.5, 1
        )
        for slot, chosen in enumerate(divmod(code, 45)):
            usable = legal[slot * 45 : slot * 45 + 40].reshape(4, 10).any(1)
            if usable.any() and usable.sum() > 1:
                assert power[slot, chosen // 10] >= 0.66 * power[slot, usable].max()
                assert chosen % 10 < 5  # it never terastallizes


def test_choices_of_built_in_players_are_legal_by_the_joint_mask(showdown):
    for player in ("greedy", "heuristics"):
        for _, legal, code in taught(player, showdown):
            assert joint_mask(legal[None])[0, code]


def taught(
    player: str, showdown: NodeCommand
) -> list[tuple[NDArray[np.float32], NDArray[np.bool_], int]]:
    """Return observation, masks and the player's code of a battle's decisions, but team preview."""
    lane = Lane(REG_C.id, (TEAM, TEAM), (POLICY, POLICY), 3, limit=1, teacher=player)
    found = []
    with Simulator([lane], showdown) as simulator:
        waiting = simulator.step(np.empty(0, np.int64), np.empty(0, np.int64))
        while len(waiting.seats):
            codes = waiting.info[:, TEACHER].astype(np.int64)
            for row in np.flatnonzero(~waiting.is_preview):
                found.append((waiting.observations[row], waiting.legal[row], int(codes[row])))
            waiting = simulator.step(waiting.seats, codes)
    assert found
    return found
