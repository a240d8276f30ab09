"""What this game's story has beyond the first act: a hall with a gallery, a bridge of two levels.

One comes in on the ground, passes under the gallery, climbs the steps at the back and walks over
the gallery to its keeper, who hears nobody from below.
"""

from .sources import world_kinds

CELLS: dict[str, str] = {"G": "gallery", "U": "balcony", "/": "steps"}
"""Signs of the map beside those of world_kinds.INDOOR."""

EVENT, SCRIPT = "MET_KEEPER", "keeper"

KEEPER = world_kinds.Person("old_man", 3, 5, script=SCRIPT, face="right")

MAP = world_kinds.Map(
    (
        "^^^n^^n^^^",
        "----------",
        "k........P",
        "........./",
        "UU......UU",
        "UUGGGGGGUU",
        "UU......UU",
        "..........",
        "P........P",
        "....mm....",
    ),
    "indoor",
    "STONEHOLLOW",
    warps=(
        world_kinds.Warp(4, 9, "STONEHOLLOW", 5),
        world_kinds.Warp(5, 9, "STONEHOLLOW", 5),
    ),
    people=(KEEPER,),
)

MILESTONE = world_kinds.Milestone(
    "met_keeper",
    "event",
    EVENT,
    "Meet the keeper on the gallery",
    "GATEHOUSE",
    (KEEPER.x, KEEPER.y),
    "first_badge",
    "talk",
    "the keeper",
)
