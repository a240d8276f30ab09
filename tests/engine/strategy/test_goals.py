import json

from engine.games.base import Atlas
from engine.strategy.goals import GoalPlanner
from engine.types import BattleKind, Goal, MapId
from tests.engine.strategy.helpers import battle, creature, state

TOWN, LAB, GYM, CENTER = MapId(1, 1), MapId(1, 2), MapId(1, 3), MapId(1, 4)
MILESTONES = (
    ("in_town", "Go to town", "map", (1, 1)),
    ("in_lab", "Go to the laboratory", "map", (1, 2)),
    ("starter", "Choose a creature", "party", 1),
    ("caught", "Catch a second creature", "party", 2),
    ("beat_moe", "Beat Moe", "event", 7),
    ("badge", "Win the badge", "badge", 0),
)
SPOTS = {"starter": (LAB, (3, 4)), "beat_moe": (GYM, (1, 1)), "badge": (GYM, (5, 5))}
HEALERS = (Goal("heal", "Rest", CENTER, (1, 1), True), Goal("heal", "Go home", TOWN, (2, 2), True))
TRAINING = Goal("train", "Train", TOWN)


def planner() -> GoalPlanner:
    return GoalPlanner(MILESTONES, Atlas(spots=SPOTS, healers=HEALERS, training=TRAINING))


def goal_key(subject: GoalPlanner, shown, reached=(), distances=None) -> str:
    goal = subject.next_goal(shown, reached, lambda _, goal: (distances or {}).get(goal.map, 1))
    return goal.key if goal else ""


def test_the_first_open_milestone_is_the_goal():
    assert goal_key(planner(), state(map_id=GYM)) == "in_town"
    assert goal_key(planner(), state(map_id=GYM), ["in_town"]) == "in_lab"


def test_a_goal_to_enter_a_map_is_that_map():
    goal = planner().next_goal(state(map_id=GYM), [], lambda *_: 1)
    assert (goal.map, goal.target, goal.text) == (TOWN, None, "Go to town")


def test_a_place_that_was_passed_by_is_not_gone_back_to():
    shown = state(map_id=GYM, party=[creature()])
    assert goal_key(planner(), shown, ["in_town", "starter"]) == "beat_moe"


def test_milestone_that_ram_shows_as_reached_is_no_goal_any_more():
    shown = state(map_id=GYM, party=[creature()], flags=[7])
    assert goal_key(planner(), shown, ["in_town", "in_lab"]) == "badge"


def test_a_weak_party_rests_at_the_nearest_healer_until_it_is_well():
    subject = planner()
    reached = ["in_town", "in_lab", "starter"]

    def health(hp: int):
        return state(map_id=GYM, party=[creature(hp=hp)])

    goal = subject.next_goal(health(7), reached, lambda _, goal: 1 if goal.map == CENTER else 2)
    assert (goal.key, goal.map) == ("heal", CENTER)
    assert goal_key(subject, health(15), reached) == "heal"
    assert goal_key(subject, health(20), reached) == "beat_moe"
    assert goal_key(subject, health(15), reached) == "beat_moe"


def test_after_a_defeat_by_a_trainer_levels_are_gained_first():
    subject = planner()
    reached = ["in_town", "in_lab", "starter"]
    beaten = creature(hp=0)
    lost = state(map_id=GYM, party=[beaten], fight=battle(beaten, creature(), BattleKind.TRAINER))
    goal_key(subject, lost, reached)
    assert goal_key(subject, state(map_id=TOWN, party=[creature(level=5)]), reached) == "train"
    assert goal_key(subject, state(map_id=TOWN, party=[creature(level=6)]), reached) == "train"
    assert goal_key(subject, state(map_id=TOWN, party=[creature(level=7)]), reached) == "beat_moe"


def test_a_second_creature_is_welcome_while_it_is_a_milestone():
    subject = planner()
    assert subject.wants_catch(state(party=[creature()]), ["starter"])
    assert not subject.wants_catch(state(party=[creature(), creature()]), ["starter", "caught"])


def test_a_loaded_planner_goes_on_as_the_saved_one():
    subject, other = planner(), planner()
    goal_key(subject, state(map_id=GYM, party=[creature(hp=7)]))
    other.load(json.loads(json.dumps(subject.save())))
    assert goal_key(other, state(map_id=GYM, party=[creature(hp=15)])) == "heal"


def test_a_milestone_that_comes_first_is_pursued_until_it_is_reached():
    def key(reached=()) -> str:
        goal = planner().next_goal(state(map_id=GYM), reached, lambda *_: 1, "beat_moe")
        return goal.key if goal else ""

    assert key() == "beat_moe"
    assert key(["beat_moe"]) == "starter"


def test_a_weak_party_rests_whatever_comes_first():
    weak = state(map_id=GYM, party=[creature(hp=1)])
    assert planner().next_goal(weak, (), lambda *_: 1, "beat_moe").kind is HEALERS[0].kind


def test_milestone_without_a_known_way_does_not_come_first():
    assert planner().next_goal(state(map_id=GYM), (), lambda *_: 1, "caught").key == "in_town"
