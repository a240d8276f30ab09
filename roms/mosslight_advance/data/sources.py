"""Bring in what the game shares with the first practice game: its world, its creatures and
the shapes of their pictures.

They are imported from roms/practice, not copied: both games tell the same first act.
"""

import sys
from pathlib import Path

PRACTICE = Path(__file__).resolve().parents[2] / "practice"
if str(PRACTICE) not in sys.path:
    sys.path.append(str(PRACTICE))

import creatures  # noqa: E402
from art import backs, fronts_hills, fronts_meadow, portraits  # noqa: E402
from art import canvas as shapes  # noqa: E402
from world import act_one  # noqa: E402
from world import kinds as world_kinds  # noqa: E402

__all__ = [
    "act_one",
    "backs",
    "creatures",
    "fronts_hills",
    "fronts_meadow",
    "portraits",
    "shapes",
    "world_kinds",
]
