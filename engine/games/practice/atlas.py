"""Say where the practice game's milestones are reached: what the rule planner steers by.

By hand, after roms/practice/world.py; milestones of kind "map" need no entry. Maps as in
tables.MAPS, tiles (x, y) of who or what is faced and answers A.
"""

from engine.games.base import Atlas
from engine.games.practice.tables import MAP_LINKS
from engine.types import Goal, GoalKind, MapId

_HOME_1F, _LAB, _PATH = MapId(40, 2), MapId(40, 4), MapId(40, 6)
_CENTER, _GYM = MapId(40, 8), MapId(40, 10)

_SPOTS = {
    "got_starter": (_LAB, (7, 4)),  # RILLET, whose water beats the gym's rock
    "beat_moe": (_GYM, (2, 9)),
    "beat_ida": (_GYM, (7, 6)),
    "first_badge": (_GYM, (4, 2)),
}

_HEALERS = (
    Goal("heal", "Rest at the rest house", _CENTER, (4, 2), True, GoalKind.HEAL),
    Goal("heal", "Rest at home with mother", _HOME_1F, (2, 4), True, GoalKind.HEAL),
)

_TRAINING = Goal("train", "Train in the tall grass", _PATH, kind=GoalKind.TRAIN)

ATLAS = Atlas(MAP_LINKS, _SPOTS, _HEALERS, _TRAINING, rest_name="CENTER", healer=1)
