"""What the foe hides cannot change what a side sees."""

import base64
from typing import Any

import numpy as np
import pytest

from engine.battles.sim.observation import SIZE
from engine.battles.sim.setup import NodeCommand
from engine.battles.sim.teams import FORMATS, pool
from tests.engine.battles.helpers import REG_C, run_script

OWN = pool(REG_C)[0].packed
CHOICES = [
    # Talonflame and Gholdengo lead, which show nothing as they come in, and do nothing whose
    # outcome depends on stats or on who is first.
    ("team 3456", "team 3456"),
    ("move protect, move nastyplot", "move tailwind, move nastyplot"),
    ("switch 3, move nastyplot", "switch 4, switch 3"),
]
HIDDEN = {
    "effort values": (",252,,,4,252|", "252,,,4,,252|"),
    "nature": ("|Jolly|", "|Impish|"),
    "individual values": ("||||50|,,,,,Ghost", "||0,0,0,0,0,0||50|,,,,,Ghost"),
}
SHEETS = {
    "item": ("CovertCloak", "SafetyGoggles"),
    "ability": ("|GaleWings|", "|FlameBody|"),
    "move": ("Tailwind,BraveBird", "Tailwind,Taunt"),
    "tera type": (",,,,,Ghost", ",,,,,Water"),
}


def run(node: NodeCommand, method: str, **parameters: Any) -> Any:
    return run_script(node, "hidden.js", method=method, **parameters)


def variants(node: NodeCommand, changes: dict, *, sheets: bool) -> list[list[str]]:
    """Return what p1 sees against its own team, and against that with each of the changes."""
    foes = [OWN] + [OWN.replace(*change) for change in changes.values()]
    assert len(set(foes)) == len(foes)
    given = {"own": OWN, "foes": foes, "sheets": sheets, "seed": "1,2,3,4", "choices": CHOICES}
    return run(node, "variants", format=REG_C.id, **given)


def test_stats_that_the_foe_hides_change_no_observation(showdown):
    plain, *others = variants(showdown, HIDDEN, sheets=True)
    assert len(plain) == len(CHOICES) + 1
    assert len(set(plain)) == len(plain)
    for name, other in zip(HIDDEN, others, strict=True):
        assert other == plain, name


def test_without_open_team_sheets_what_was_not_shown_changes_no_observation(showdown):
    plain, *others = variants(showdown, HIDDEN | SHEETS, sheets=False)
    for name, other in zip(HIDDEN | SHEETS, others, strict=True):
        assert other == plain, name


def test_open_team_sheets_show_items_abilities_moves_and_tera_types(showdown):
    plain, *others = variants(showdown, SHEETS, sheets=True)
    for name, other in zip(SHEETS, others, strict=True):
        assert all(one != two for one, two in zip(other, plain, strict=True)), name
        first, second = (
            np.frombuffer(base64.b64decode(each[0]), np.float32, SIZE) for each in (other, plain)
        )
        assert (first != second).sum() < 100, name


@pytest.mark.parametrize("format", [REG_C, FORMATS[-1]], ids=lambda each: each.id)
def test_an_observation_is_made_of_public_lines_and_the_own_request_alone(showdown, format):
    teams = [team.packed for team in pool(format)[:2]]
    seeds = [f"{number},2,3,4" for number in range(4)]
    found = run(showdown, "copies", format=format.id, teams=teams, seeds=seeds)
    assert found["decisions"] > 50
    assert found["differing"] == 0
