"""Names and figures of the garden; what it does not have is empty."""

from engine.games.base import Approach, Atlas, GameTables, Milestone, MilestoneKind
from engine.types import MapId

GATE_KEY = 1
_GARDEN, _GLASSHOUSE = MapId(1, 1), MapId(1, 2)


def _lantern(key: str, text: str, event: int, place: MapId, tile: tuple[int, int]) -> Milestone:
    return Milestone(key, text, MilestoneKind.EVENT, event, place, tile, how=Approach.TALK)


TABLES = GameTables(
    NAME="LANTERN GARDEN",
    MAPS={(1, 1): "GARDEN", (1, 2): "GLASSHOUSE"},
    MAP_LANDMARKS={(1, 1): 1, (1, 2): 1},
    LANDMARKS={1: "GARDEN"},
    ITEMS={GATE_KEY: "GATE KEY"},
    MILESTONES=(
        _lantern("took_key", "Take the key of the gate", 0, _GARDEN, (1, 5)),
        _lantern("lit_garden", "Light the lantern of the garden", 1, _GARDEN, (7, 1)),
        Milestone("in_glasshouse", "Go into the glasshouse", MilestoneKind.MAP, place=_GLASSHOUSE),
        _lantern("lit_north", "Light the lantern in the north", 2, _GLASSHOUSE, (8, 1)),
        _lantern("lit_south", "Light the lantern in the south", 3, _GLASSHOUSE, (1, 6)),
        Milestone("all_lit", "Have all lanterns lit", MilestoneKind.BADGE),
    ),
)

ATLAS = Atlas(
    links={(1, 1): (("warp", 9, 5, (1, 2)),), (1, 2): (("warp", 0, 4, (1, 1)),)},
)
