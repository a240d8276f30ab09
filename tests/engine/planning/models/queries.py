"""Build situations to ask a language model about."""

from collections.abc import Sequence

from engine.planning_types import Condition, GoalOption, PlanningQuery, Section
from engine.types import Goal, GoalKind

C = Condition


def option(
    kind: GoalKind, target: str = "", text: str = "", conditions: Sequence[Condition] = ()
) -> GoalOption:
    usual = {
        GoalKind.EXPLORE: (C.NEW_TILES, C.MILESTONE),
        GoalKind.REACH: (C.ENTERED, C.MILESTONE),
        GoalKind.MEET: (C.ANSWERED, C.MILESTONE),
        GoalKind.HEAL: (C.HEALED,),
        GoalKind.TRAIN: (C.LEVEL_GAINED,),
        GoalKind.CATCH: (C.CAUGHT,),
        GoalKind.FIGHT: (C.BATTLE_WON, C.LEVEL_GAINED),
        GoalKind.RUN: (C.BATTLE_LEFT,),
        GoalKind.BUY: (C.ENTERED,),
    }
    text = text or f"{target or kind}, 5 steps"
    return GoalOption(
        kind, target, text, Goal("", text, kind=kind), tuple(conditions) or usual[kind]
    )


TOWN = (
    option(GoalKind.EXPLORE, "", "walk over new ground on this map"),
    option(GoalKind.REACH, "exit 1", "exit 1 to HOME 1F, 5 steps"),
    option(GoalKind.REACH, "exit 2", "exit 2 to HERBARIUM, 9 steps"),
    option(GoalKind.REACH, "exit 12", "exit 12 to MILLBROOK PATH, 21 steps"),
    option(GoalKind.REACH, "GYM", "GYM, the next milestone is there"),
    option(GoalKind.MEET, "person A", "person A, 3 steps"),
    option(GoalKind.MEET, "person B", "person B, 8 steps"),
    option(GoalKind.MEET, "sign (3,2)", "sign at (3,2), 4 steps"),
    option(GoalKind.HEAL, "", "have the party healed at POKéMON CENTER"),
    option(GoalKind.TRAIN, "", "fight wild ones in the tall grass"),
)
BATTLE = (
    option(GoalKind.FIGHT, "", "win the battle"),
    option(GoalKind.RUN, "", "get out of the battle"),
    option(GoalKind.CATCH, "NEWT", "catch the wild NEWT, 5 balls left"),
)
SECTIONS = (
    Section("place", "FERNWICK (town) at (7,5) facing down, free to walk.", 0),
    Section("screen", 'On screen:\n  "The GYM is closed."', 1),
    Section("goals", "Next milestones: Enter the laboratory; Choose a creature", 3),
    Section("map", "    0123\n  0 #..#\n  1 #.v#\nlegend: # wall  . floor", 5),
    Section("exits", "Exits:\n  1 (7,2) to HOME 1F: 5 steps, up", 4),
    Section("party", "Party:\n  NEWT L5 20/20: BUMP 25", 6),
    Section("progress", "Badges 0 of 16, money 0, species caught 0, seen 0.", 10),
)


def query(
    options: Sequence[GoalOption] = TOWN,
    *,
    sections: Sequence[Section] = SECTIONS,
    key: str = "town",
    trigger: str = "map",
    recent: Sequence[tuple[str, str]] = (("reach exit 3", "failed"), ("meet person A", "reached")),
    env_index: int = 0,
) -> PlanningQuery:
    return PlanningQuery(
        key,
        env_index,
        trigger,
        tuple(sections),
        tuple(options),
        tuple(recent),
    )
