"""Names and figures of the garden; what it does not have is empty."""

from engine.games.base import Atlas, GameTables
from engine.types import MapId

GATE_KEY = 1
TABLES = GameTables(
    NAME="LANTERN GARDEN",
    MAPS={(1, 1): "GARDEN", (1, 2): "GLASSHOUSE"},
    MAP_LANDMARKS={(1, 1): 1, (1, 2): 1},
    LANDMARKS={1: "GARDEN"},
    ITEMS={GATE_KEY: "GATE KEY"},
    MILESTONES=(
        ("took_key", "Take the key of the gate", "event", 0),
        ("lit_garden", "Light the lantern of the garden", "event", 1),
        ("in_glasshouse", "Go into the glasshouse", "map", (1, 2)),
        ("lit_north", "Light the lantern in the north", "event", 2),
        ("lit_south", "Light the lantern in the south", "event", 3),
        ("all_lit", "Have all lanterns lit", "badge", 0),
    ),
)

_GARDEN, _GLASSHOUSE = MapId(1, 1), MapId(1, 2)

ATLAS = Atlas(
    links={(1, 1): (("warp", 9, 5, (1, 2)),), (1, 2): (("warp", 0, 4, (1, 1)),)},
    spots={
        "took_key": (_GARDEN, (1, 5)),
        "lit_garden": (_GARDEN, (7, 1)),
        "lit_north": (_GLASSHOUSE, (8, 1)),
        "lit_south": (_GLASSHOUSE, (1, 6)),
    },
)
