import json
from dataclasses import replace

from engine.games.base import Approach, Atlas, Milestone, MilestoneKind
from engine.planning.rules.goals import LIFE_STEPS, UNREACHABLE, GoalPlanner
from engine.types import BattleKind, Facing, Goal, MapId
from tests.engine.games.images import CRYSTAL
from tests.engine.planning.goals.helpers import battle, creature, state

TOWN, LAB, GYM, CENTER = MapId(1, 1), MapId(1, 2), MapId(1, 3), MapId(1, 4)
TALK = Approach.TALK
MILESTONES = (
    Milestone("in_town", "Go to town", MilestoneKind.MAP, place=TOWN),
    Milestone("in_lab", "Go to the laboratory", MilestoneKind.MAP, place=LAB),
    Milestone("starter", "Choose a creature", MilestoneKind.PARTY, 1, LAB, (3, 4), how=TALK),
    Milestone("caught", "Catch a second creature", MilestoneKind.PARTY, 2),
    Milestone("beat_moe", "Beat Moe", MilestoneKind.EVENT, 7, GYM, (1, 1), how=TALK),
    Milestone("badge", "Win the badge", MilestoneKind.BADGE, 0, GYM, (5, 5), how=TALK),
)
HEALERS = (Goal("heal", "Rest", CENTER, (1, 1), True), Goal("heal", "Go home", TOWN, (2, 2), True))
TRAINING = Goal("train", "Train", TOWN)


def planner() -> GoalPlanner:
    return GoalPlanner(MILESTONES, Atlas(healers=HEALERS, training=(TRAINING,)))


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
    moe = subject.open_goals(state(), reached)
    assert all(subject.is_preparing(goal) for goal in moe)


def test_who_has_beaten_the_trainer_after_all_prepares_no_more():
    subject, other = planner(), planner()
    beaten = creature(hp=0)
    lost = state(map_id=GYM, party=[beaten], fight=battle(beaten, creature(), BattleKind.TRAINER))
    reached = ["in_town", "in_lab", "starter"]
    for shown in (lost, state(map_id=TOWN, party=[creature(level=5)])):
        goal_key(subject, shown, reached)
    other.load(json.loads(json.dumps(subject.save())))
    won = [*reached, "beat_moe"]
    assert goal_key(other, state(map_id=GYM, party=[creature(level=6)]), won) == "badge"
    assert not any(other.is_preparing(goal) for goal in other.open_goals(state(), won))


def test_nobody_decides_to_rest_within_a_fight():
    rows = (replace(MILESTONES[4], level=5), MILESTONES[5])
    subject = GoalPlanner(rows, Atlas(healers=HEALERS))
    hurt = creature(hp=10)
    fight = battle(hurt, creature(), BattleKind.TRAINER)
    assert goal_key(subject, state(map_id=GYM, party=[hurt], fight=fight)) == "beat_moe"
    assert goal_key(subject, state(map_id=GYM, party=[hurt]), ["beat_moe"]) == "badge"


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


def test_a_party_that_is_not_well_rests_before_a_fight_that_is_near():
    rows = (replace(MILESTONES[4], level=9), MILESTONES[5])

    def key(rows, distance: int) -> str:
        subject = GoalPlanner(rows, Atlas(healers=HEALERS))
        shown = state(map_id=GYM, party=[creature(level=9, hp=12, max_hp=20)])
        return goal_key(subject, shown, distances={GYM: distance})

    assert key(rows, 1) == "heal"
    assert key(rows, 3) == "beat_moe"
    assert key(MILESTONES[4:], 1) == "beat_moe"


def test_levels_that_a_milestone_asks_for_are_gained_before_it():
    rows = (replace(MILESTONES[4], level=9), MILESTONES[5])
    subject = GoalPlanner(rows, Atlas(healers=HEALERS, training=(TRAINING,)))
    assert goal_key(subject, state(map_id=GYM, party=[creature(level=8)])) == "train"
    assert goal_key(subject, state(map_id=GYM, party=[creature(level=9)])) == "beat_moe"
    far = {TOWN: UNREACHABLE}
    assert goal_key(subject, state(map_id=GYM, party=[creature()]), (), far) == "beat_moe"


def test_a_milestone_waits_for_what_it_requires():
    rows = (replace(MILESTONES[4], requires=("badge",)), MILESTONES[5])
    rows = (rows[1], rows[0])
    subject = GoalPlanner(rows, Atlas())
    assert goal_key(subject, state(map_id=GYM)) == "badge"
    assert goal_key(subject, state(map_id=GYM, badges=1)) == "beat_moe"
    hidden = GoalPlanner((replace(rows[0], place=None), rows[1]), Atlas())
    assert goal_key(hidden, state(map_id=GYM)) == ""


def test_a_milestone_pursued_in_vain_is_set_aside_until_the_others_were_tried():
    subject = GoalPlanner(MILESTONES[4:], Atlas())
    shown = state(map_id=TOWN)
    keys = [goal_key(subject, shown) for _ in range(3 * LIFE_STEPS + 10)]
    assert keys[0] == "beat_moe"
    assert keys[LIFE_STEPS + 2] == "badge"
    assert keys[2 * LIFE_STEPS + 5] == ""
    assert keys[-1] == "beat_moe"
    for _ in range(LIFE_STEPS + 2):
        goal_key(subject, shown)
    other = GoalPlanner(MILESTONES[4:], Atlas())
    other.load(json.loads(json.dumps(subject.save())))
    assert goal_key(other, shown) == goal_key(subject, shown) == "badge"
    assert goal_key(subject, shown, ["starter"]) == "badge"
    assert goal_key(subject, shown, ["starter"]) == "beat_moe"


def test_coming_nearer_keeps_a_milestone_from_being_set_aside():
    subject = GoalPlanner(MILESTONES[4:], Atlas())
    shown = state(map_id=TOWN)
    for maps_away in (3, 2, 1):
        for _ in range(LIFE_STEPS - 1):
            assert goal_key(subject, shown, (), {GYM: maps_away}) == "beat_moe"


def test_standing_at_a_milestone_that_does_not_come_wears_patience_sooner():
    subject = GoalPlanner(MILESTONES[4:], Atlas())
    shown = state(map_id=GYM, at=(1, 0), facing=Facing.DOWN)
    keys = [goal_key(subject, shown) for _ in range(LIFE_STEPS // 10)]
    assert "badge" in keys


def test_the_rows_of_crystals_opening_are_pursued_in_their_order():
    rows = CRYSTAL.MILESTONES
    subject = GoalPlanner(rows, Atlas())
    reached: list[str] = []
    for expected in rows[: [one.key for one in rows].index("first_badge") + 1]:
        party = [creature(level=20)] if "got_starter" in reached else []
        goal = subject.next_goal(state(map_id=GYM, party=party), reached, lambda *_: 1)
        assert goal is not None
        assert (goal.key, goal.map, goal.target) == (expected.key, expected.place, expected.target)
        reached.append(goal.key)


REACHED = ("in_town", "in_lab", "starter")


def rest(subject: GoalPlanner, shown, steps: dict[MapId, int | None], reached=REACHED):
    return subject.next_goal(shown, reached, lambda *_: 1, "", lambda _, goal: steps[goal.map])


def test_a_healer_to_whom_no_way_is_open_is_no_goal():
    weak = state(map_id=GYM, party=[creature(hp=7)])
    assert rest(planner(), weak, {CENTER: 5, TOWN: 9}).map == CENTER
    assert rest(planner(), weak, {CENTER: None, TOWN: 9}).map == TOWN
    assert rest(planner(), weak, {CENTER: None, TOWN: None}).key == "beat_moe"


def test_training_without_an_open_way_is_no_goal():
    rows = (replace(MILESTONES[4], level=9), MILESTONES[5])
    subject = GoalPlanner(rows, Atlas(training=(TRAINING,)))
    assert rest(subject, state(map_id=GYM, party=[creature()]), {TOWN: None}).key == "beat_moe"


def test_a_healer_that_comes_no_nearer_gives_way_to_another_and_then_to_the_story():
    subject, other = planner(), planner()
    weak = state(map_id=GYM, party=[creature(hp=7)])
    steps: dict[MapId, int | None] = {CENTER: 30, TOWN: 90}
    goals = [rest(subject, weak, steps) for _ in range(250)]
    assert [one.map for one in goals[:100]] == [CENTER] * 100
    assert goals[120].map == TOWN
    assert goals[-1].key == "beat_moe"
    other.load(json.loads(json.dumps(subject.save())))
    assert rest(other, weak, steps).key == "beat_moe"
    # Once it was healed all the same, or the story went on, they are tried again.
    rest(subject, state(map_id=GYM, party=[creature()]), steps)
    assert rest(subject, weak, steps).map == CENTER
    assert rest(other, weak, steps, (*REACHED, "beat_moe")).key == "badge"


def test_a_healer_that_comes_nearer_is_not_given_up():
    subject = planner()
    weak = state(map_id=GYM, party=[creature(hp=7)])
    for left in range(400, 1, -1):
        assert rest(subject, weak, {CENTER: left, TOWN: 900}).map == CENTER


def test_training_goes_on_in_the_grass_for_long_but_not_for_ever():
    rows = (replace(MILESTONES[4], level=9), MILESTONES[5])
    subject = GoalPlanner(rows, Atlas(training=(TRAINING,)))
    keys = [rest(subject, state(party=[creature()]), {TOWN: 0}).key for _ in range(2500)]
    assert keys[1500] == "train"
    assert keys[2100] == "beat_moe"
