"""Have a question at hand that is as long as a run's, for trying out a model without a game."""

from engine.games.base import GAME_BOY_ROLE_PLAYING
from engine.llm.prompt import Notes
from engine.planning_types import Condition, GoalOption, PlanningQuery, Section
from engine.types import Goal, GoalKind


def _choice(kind: GoalKind, target: str, text: str, condition: Condition) -> GoalOption:
    goal = Goal(kind.value, text, kind=kind)
    return GoalOption(
        kind,
        target,
        f"{target} {text}".strip(),
        goal,
        tuple(dict.fromkeys((condition, Condition.MILESTONE))),
    )


_REACH = (
    ("exit 1", "to LODGE, 9 steps"),
    ("south edge", "to FERNWICK, 14 steps"),
    ("east edge", "to STONEHOLLOW, 26 steps"),
)
_MEET = (
    ("person A", "(15,14), 6 steps"),
    ("sign 1", "(8,21), 7 steps"),
    ("person B", "(9,8), 18 steps"),
    ("person C", "(3,4), 27 steps"),
    ("sign 2", "(17,3), 28 steps"),
)
_FAR = ("HOME", "LAB", "WREN HOUSE", "CENTER", "GYM", "SHOP", "MILL")
EXAMPLE = PlanningQuery(
    key="example",
    env_index=0,
    trigger="battle",
    game=GAME_BOY_ROLE_PLAYING,
    sections=(
        Section(
            "world",
            "Where ways lead:\n"
            "  HOME: FERNWICK\n"
            "  FERNWICK: HOME, LAB, WREN HOUSE, MILLBROOK PATH\n"
            "  LAB: FERNWICK\n"
            "  WREN HOUSE: FERNWICK\n"
            "  MILLBROOK PATH: FERNWICK, LODGE, STONEHOLLOW\n"
            "  LODGE: MILLBROOK PATH\n"
            "  STONEHOLLOW: CENTER, GYM, SHOP, MILL, MILLBROOK PATH\n"
            "  CENTER: STONEHOLLOW\n"
            "  GYM: STONEHOLLOW\n"
            "  SHOP: STONEHOLLOW\n"
            "  MILL: STONEHOLLOW",
            8,
        ),
        Section("progress", "Badges 0 of 16, money 750, species caught 1, seen 6.", 7),
        Section("bag", "Items: SALVE\nBalls: GLOW BALL x5", 6),
        Section("party", "Party:\n  RILLET L7 3/25: BUMP 34, UNNERVE 30, DOUSE 2, BRACE 30", 5),
        Section("goals", "5 of 10 milestones are passed. Next milestone: Reach Stonehollow", 3),
        Section("place", "MILLBROOK PATH (route) at (15,20) facing right, free to walk.", 0),
        Section("screen", 'On screen:\n  "RILLET is badly hurt!"', 1),
        Section(
            "map",
            "    890123456789012\n"
            " 14 ,,,,....A..####\n"
            " 15 ,,,,.......####\n"
            " 16 ,,,,.......####\n"
            " 17 ...........####\n"
            " 18 .....,,,,..####\n"
            " 19 .....,,,,..####\n"
            " 20 .....,,>,..####\n"
            " 21 ?..........####\n"
            " 22 #..############\n"
            " 23 #..############\n"
            " 24 #..############\n"
            " 25 #..############\n"
            " 26 #..........####",
            4,
        ),
    ),
    options=(
        _choice(
            GoalKind.REACH,
            "next milestone",
            "in STONEHOLLOW, about 45 steps: Reach Stonehollow",
            Condition.MILESTONE,
        ),
        *(_choice(GoalKind.REACH, name, text, Condition.ENTERED) for name, text in _REACH),
        *(_choice(GoalKind.MEET, name, text, Condition.ANSWERED) for name, text in _MEET),
        _choice(GoalKind.HEAL, "", "rest at the lodge", Condition.HEALED),
        _choice(GoalKind.TRAIN, "", "train in the tall grass here", Condition.LEVEL_GAINED),
        _choice(GoalKind.CATCH, "", "catch one in the grass here", Condition.CAUGHT),
        _choice(GoalKind.EXPLORE, "", "walk where you have not been", Condition.NEW_TILES),
        *(_choice(GoalKind.REACH, name, "", Condition.ENTERED) for name in _FAR),
    ),
    recent=(
        ("Go to MILLBROOK PATH", "reached"),
        ("Win the battle", "reached"),
        ("Go to STONEHOLLOW", "failed"),
    ),
    rules=(
        "The milestones in their order: Go downstairs; Leave the house; Enter the laboratory; "
        "Choose a creature; Set out on Millbrook Path; Reach Stonehollow; Enter the gym; Beat the "
        "first pupil; Beat the second pupil; Win the first badge\n"
        "The map is drawn with these symbols, you as one of ^ v < >: # wall  . floor  "
        ", tall grass  ~ water  = counter  % shelf, tree, machine: may answer A  ? sign: answers A"
        "  * other way out  _ ledge, hop down  1-9 exits  A-L people and things"
    ),
)
EXAMPLE_NOTES = Notes(
    summary=(
        "4 episodes, 1 of them won.\n"
        "Milestones reached, the latest first: reached route (episode 1), got starter "
        "(episode 1).\n"
        "Win the battle: tried 11, reached 5, led on 3\n"
        "Go to STONEHOLLOW: tried 10, reached 8, led on 8\n"
        "Go to FERNWICK: tried 6, reached 6, led on 6\n"
        "Go to LAB: tried 6, reached 6, led on 6\n"
        "Rest at the lodge: tried 2, reached 2, led on 1"
    )
)
