"""Observations and masks of battles between teams that nobody would play."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.battles.env import VGCDoublesEnv
from engine.battles.play.players import SCRIPTED
from engine.battles.sim.observation import MAX_ID, MOVE, MOVES, MOVES_PART
from engine.battles.sim.setup import NodeCommand
from engine.battles.sim.teams import DEFAULT_FORMAT, FORMATS, parse_team
from tests.engine.battles.helpers import REG_C, run_script

RECHARGE = Path(__file__).with_name("team_files") / "recharge.txt"
_HUGE = "9" * 400


def fuzz(node: NodeCommand, format: str, battles: int, seed: int) -> dict[str, Any]:
    """Return what was found in battles of legal teams; `faults` lists what is wrong."""
    found: dict[str, Any] = run_script(node, "fuzz.js", format=format, battles=battles, seed=seed)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("format", [each.id for each in FORMATS])
def test_every_decision_of_any_legal_team_is_finite_inside_its_space_and_rightly_masked(
    showdown, format
):
    found = fuzz(showdown, format, battles=3, seed=1)
    assert not found["faults"]
    assert found["decisions"] > 40
    assert found["moves"] > 80


def test_a_turn_of_recharging_is_inside_the_space_and_looks_like_a_move_that_does_nothing(
    simulator, showdown
):
    team = parse_team(simulator, REG_C, RECHARGE.read_text())
    env = VGCDoublesEnv("random", REG_C.id, team, node=showdown)
    rng = np.random.default_rng(1)
    recharging: list[dict[str, float]] = []
    for seed in range(3):
        observation, _ = env.reset(seed=seed)
        is_over = False
        while not is_over:
            assert env.observation_space.contains(observation)
            moves = observation[MOVES_PART].reshape(MOVES)[:, 0]
            named = [dict(zip(MOVE, fields.tolist(), strict=True)) for fields in moves]
            recharging += [one for one in named if one["is_known"] and not one["move"]]
            action = rng.choice(np.flatnonzero(env.action_masks()))
            observation, _, is_over, _, facts = env.step(action)
            assert facts["is_legal"]
    env.close()
    assert len(recharging) >= 5
    for one in recharging:
        assert one["is_legal"] == one["is_status"] == one["accuracy"] == one["pp"] == 1
        assert not any(value for name, value in one.items() if name.startswith(("base", "damage")))


def test_numbers_of_another_server_that_are_none_leave_the_observation_finite(simulator):
    names = ("Nobody-Odd", "Pikachu")
    lines = [f"|poke|{side}|{name}, L1e300|" for side in ("p1", "p2") for name in names]
    for side in ("p1", "p2"):
        lines.append(f"|switch|{side}a: One|Nobody-Odd, L1e300|0/0")
        lines.append(f"|switch|{side}b: Two|Pikachu, Lx|{_HUGE}/x")
    lines += ["|-boost|p1a: One|atk|x", f"|-setboost|p2a: One|atk|{_HUGE}", "|-boost|p1a: One|x|1"]
    lines += ["|-start|p1a: One|perishsong", "|turn|x", "|-terastallize|p1a: One|Nothing"]
    own = [
        {"ident": f"p1: {nick}", "details": f"{name}, L50", "condition": condition,
         "stats": dict.fromkeys(("atk", "def", "spa", "spd", "spe"), 0), "moves": ["x", "tackle"],
         "item": "x", "ability": "x", "teraType": "Nothing"}
        for nick, name, condition in (("One", names[0], "0/0"), ("Two", names[1], f"{_HUGE}/1"))
    ]  # fmt: skip
    moves = [{"move": "X", "id": "x", "pp": 0, "maxpp": 0}, {"move": "T", "id": "tackle", "pp": 1}]
    request = {"active": [{"moves": moves}] * 2, "side": {"id": "p1", "pokemon": own}}
    seen = simulator.track("odd", DEFAULT_FORMAT.id, "p1", lines, request)
    for player in SCRIPTED:
        assert simulator.track("odd", DEFAULT_FORMAT.id, "p1", player=player).choice
    assert seen.observation is not None
    assert seen.info is not None
    assert (np.abs(seen.observation) <= MAX_ID).all()
    assert np.isfinite(seen.info).all()
