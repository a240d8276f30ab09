"""The simulator's process without Node: as it was recorded, dead or hanging."""

import numpy as np
import pytest

from engine.battles.sim.actions import PREVIEW_CODES, SLOT_CODES
from engine.battles.sim.observation import IDS, MAX_ID, MON, MONS, MONS_PART
from engine.battles.sim.setup import NodeCommand
from engine.battles.sim.simulator import FOE_HP, KIND, OWN_HP, PREVIEW, Decisions, Simulator
from engine.errors import BattleError, WorkerError
from tests.engine.battles.recorded import LANES, answering, play


@pytest.fixture(scope="module")
def asked() -> list[Decisions]:
    with Simulator(LANES, answering()) as simulator:
        found = play(simulator)
        logs = sorted((battle.lane, battle.number) for battle in simulator.logs())
        assert logs == [(0, 0), (1, 0), (2, 0)]
    simulator.close()  # once more
    return found


def test_battles_begin_with_a_selection_of_whole_teams(asked):
    first = asked[0]
    assert first.seats.tolist() == [0, 1, 2, 4, 5]
    assert (first.info[:, KIND] == PREVIEW).all()
    assert (first.info[:, [OWN_HP, FOE_HP]] == 4).all()
    assert first.legal.all()
    assert first.legal.shape[1] == PREVIEW_CODES


def test_every_decision_has_a_legal_code_for_each_slot(asked):
    for each in asked:
        assert each.legal[:, :SLOT_CODES].any(1).all()
        assert each.legal[:, SLOT_CODES:].any(1).all()


def test_ids_are_whole_numbers_below_their_limit(asked):
    observations = np.concatenate([each.observations for each in asked])
    mons = observations[:, MONS_PART].reshape(-1, MONS[0], len(MON))[:, :, :IDS]
    assert (mons == np.floor(mons)).all()
    assert 0 < mons.max() < MAX_ID


def test_each_side_of_the_policy_learns_how_its_battle_ended(asked):
    ended = np.concatenate([each.ended for each in asked])
    assert sorted(ended["seat"].tolist()) == [0, 1, 2, 4, 5]
    results = dict(zip(ended["seat"].tolist(), ended["result"].tolist(), strict=True))
    assert results[0] == -results[1] != 0
    won = ended[ended["result"] == 1]
    assert (won["foe_fainted"] == 4).all()
    assert (won["foe_hp"] == 0).all()


def test_decisions_keep_their_arrays_when_others_follow(asked):
    assert len({each.observations.ctypes.data for each in asked}) == len(asked)


@pytest.mark.parametrize(
    ("code", "timeout_s", "said"),
    [
        ("import sys; sys.exit('TypeError: no such thing')", 30.0, "stopped.*TypeError: no such"),
        ("import time; time.sleep(60)", 0.05, "did not answer"),
        (
            "import sys, time\nsys.stdin.buffer.read(23)\n"
            "sys.stdout.buffer.write(bytes([3, 0, 0, 0, 0]) + b'{}')\n"
            "sys.stdout.flush()\ntime.sleep(60)",
            0.5,
            "did not answer",
        ),
    ],
    ids=["dies", "hangs", "reads nothing"],
)
def test_a_process_that_dies_or_hangs_raises_a_worker_error(code, timeout_s, said):
    with pytest.raises(WorkerError, match=said):
        Simulator(LANES * 100, answering(code), timeout_s=timeout_s)


def test_what_the_simulator_refuses_raises_a_battle_error():
    answer = b'{"error": "there is no seat 9"}'
    code = (
        "import sys\nwhile sys.stdin.buffer.read(1):\n"
        f" sys.stdin.buffer.read1(); sys.stdout.buffer.write({bytes([len(answer) + 1, 0, 0, 0, 0])}"
        f" + {answer}); sys.stdout.flush()"
    )
    with pytest.raises(BattleError, match="there is no seat 9"):
        Simulator([], answering(code))


def test_node_that_cannot_be_started_is_said(tmp_path):
    with pytest.raises(WorkerError, match="cannot be started"):
        Simulator([], NodeCommand(str(tmp_path / "none"), tmp_path))
