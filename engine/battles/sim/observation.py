"""Name the fields of an observation, whose layout is in node/layout.json."""

import json
from importlib.resources import files

_LAYOUT = json.loads((files("engine.battles.sim") / "node" / "layout.json").read_text("utf-8"))

GLOBAL, MON, MOVE, THREAT = (tuple(_LAYOUT[part]) for part in ("global", "mon", "move", "threat"))
"""Names of the fields of each part, in order."""
TYPES = tuple(_LAYOUT["types"])
MONS, MOVES, THREATS = (12, len(MON)), (2, 4, len(MOVE)), (2, 4, len(THREAT))
"""Shapes: own six and the foe's six; own slots and moves; the foe's slots and moves."""

_MONS_END = len(GLOBAL) + 12 * len(MON)
_MOVES_END = _MONS_END + 8 * len(MOVE)
GLOBAL_PART = slice(0, len(GLOBAL))
MONS_PART = slice(len(GLOBAL), _MONS_END)
MOVES_PART = slice(_MONS_END, _MOVES_END)
THREATS_PART = slice(_MOVES_END, _MOVES_END + 8 * len(THREAT))
SIZE = THREATS_PART.stop
"""Length of an observation, float32."""
LEGAL, INFO = 90, 8
"""Lengths of the slot masks and of the figures beside an observation."""
IDS = 7
"""The first fields of a mon are ids (species, item, ability, four moves); a move's and a threat's
first is its move's id. Ids are below `MAX_ID`, 0 is unknown."""
MAX_ID: int = _LAYOUT["max_id"]
