import json
from dataclasses import replace

import pytest

from engine.games.base import Approach, Atlas, GameTables, Milestone, MilestoneKind
from engine.games.overworld import Ability
from engine.planning.rules.goal_tracker import LIFE_STEPS, UNREACHABLE
from engine.planning.rules.goals import GoalPlanner
from engine.planning.rules.training import training_places, worthwhile
from engine.types import Bag, BattleKind, Facing, Goal, GoalKind, MapId, Move
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


def trainer_of(level: int, **atlas) -> GoalPlanner:
    """Return a planner for whom Moe wants a level."""
    return GoalPlanner((replace(MILESTONES[4], level=level), MILESTONES[5]), Atlas(**atlas))


def loaded(subject: GoalPlanner) -> GoalPlanner:
    """Return another that was loaded from what a planner saved."""
    other = planner()
    other.load(json.loads(json.dumps(subject.save())))
    return other


def in_gym(**changes):
    return state(map_id=GYM, party=[creature(**changes)])


def in_town(**changes):
    return state(map_id=TOWN, party=[creature(**changes)])


REACHED = ("in_town", "in_lab", "starter")
FAINTED = creature(hp=0)
LOST = state(map_id=GYM, party=[FAINTED], fight=battle(FAINTED, creature(), BattleKind.TRAINER))


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
    nearer = subject.next_goal(in_gym(hp=7), REACHED, lambda _, goal: 1 + (goal.map != CENTER))
    assert (nearer.key, nearer.map) == ("heal", CENTER)
    keys = [goal_key(subject, in_gym(hp=hp), REACHED) for hp in (15, 20, 15)]
    assert keys == ["heal", "beat_moe", "beat_moe"]


def test_after_a_defeat_by_a_trainer_levels_are_gained_first():
    subject = planner()
    goal_key(subject, LOST, REACHED)
    keys = [goal_key(subject, in_town(level=level), REACHED) for level in (5, 6, 7)]
    assert keys == ["train", "train", "beat_moe"]
    assert all(subject.is_preparing(goal) for goal in subject.open_goals(state(), REACHED))


def test_who_has_beaten_the_trainer_after_all_prepares_no_more():
    subject = planner()
    for shown in (LOST, in_town(level=5)):
        goal_key(subject, shown, REACHED)
    other, won = loaded(subject), [*REACHED, "beat_moe"]
    assert goal_key(other, in_gym(level=6), won) == "badge"
    assert not any(other.is_preparing(goal) for goal in other.open_goals(state(), won))


def test_nobody_decides_to_rest_within_a_fight():
    subject = trainer_of(5, healers=HEALERS)
    hurt = in_gym(hp=10)
    fight = battle(hurt.party[0], creature(), BattleKind.TRAINER)
    assert goal_key(subject, replace(hurt, battle=fight)) == "beat_moe"
    assert goal_key(subject, hurt, ["beat_moe"]) == "badge"


def test_a_second_creature_is_welcome_while_it_is_a_milestone():
    subject = planner()
    assert subject.wants_catch(state(party=[creature()]), ["starter"])
    assert not subject.wants_catch(state(party=[creature(), creature()]), ["starter", "caught"])


def test_one_is_caught_where_the_milestone_says_of_those_that_learn_its_move():
    place = {"place": TOWN, "how": Approach.CATCH}
    swimmer = Milestone("swims", "Catch one", MilestoneKind.MOVE, move="SURF", **place)
    second = Milestone("second", "Catch a second one", MilestoneKind.PARTY, 2, **place)
    subject = GoalPlanner(
        (swimmer, second), Atlas(), GameTables(LEARNERS={"SURF": frozenset({60})})
    )
    goal = subject.next_goal(in_gym(), (), lambda *_: 1)
    assert (goal.kind, goal.map, subject.learners(goal)) == (GoalKind.CATCH, TOWN, {60})
    assert subject.learners(subject.goals["second"]) == frozenset()
    knows = in_gym(moves=(Move(57, "SURF", 15),))
    assert goal_key(subject, knows) == "second"
    assert subject.wants_catch(knows, ())
    assert not subject.wants_catch(replace(knows, party=2 * knows.party), ())


def test_a_hunt_goes_on_for_long_but_not_for_ever():
    place = {"place": TOWN, "target": (1, 1), "how": Approach.CATCH}
    subject = GoalPlanner(
        (Milestone("swims", "Catch one", MilestoneKind.MOVE, move="SURF", **place),), Atlas()
    )
    shown = replace(in_town(), place=replace(in_town().place, x=1, y=1), bag=Bag(balls=((5, 1),)))
    keys = [goal_key(subject, shown) for _ in range(6 * LIFE_STEPS)]
    assert keys[4 * LIFE_STEPS] == "swims"
    assert keys[-1] == ""


def test_a_loaded_planner_goes_on_as_the_saved_one():
    subject = planner()
    goal_key(subject, in_gym(hp=7))
    assert goal_key(loaded(subject), in_gym(hp=15)) == "heal"


@pytest.mark.parametrize(
    ("first", "reached", "hp", "expected"),
    [
        pytest.param("beat_moe", (), 20, "beat_moe", id="it comes first"),
        pytest.param("beat_moe", ("beat_moe",), 20, "starter", id="it is reached"),
        pytest.param("beat_moe", (), 1, "heal", id="a weak party rests"),
        pytest.param("caught", (), 20, "in_town", id="no way to it is known"),
    ],
)
def test_a_milestone_that_is_wanted_comes_first(first, reached, hp, expected):
    shown = in_gym(hp=hp) if hp < 20 else state(map_id=GYM)
    assert planner().next_goal(shown, reached, lambda *_: 1, first).key == expected


@pytest.mark.parametrize(
    ("level", "distance", "expected"), [(9, 1, "heal"), (9, 3, "beat_moe"), (0, 1, "beat_moe")]
)
def test_a_party_that_is_not_well_rests_before_a_hard_fight_that_is_near(level, distance, expected):
    shown = in_gym(level=9, hp=12)
    assert goal_key(trainer_of(level, healers=HEALERS), shown, (), {GYM: distance}) == expected


@pytest.mark.parametrize(
    ("steps", "hp", "expected"), [(12, 11, "heal"), (90, 11, "beat_moe"), (12, 13, "beat_moe")]
)
def test_who_is_hurt_rests_before_leaving_a_healer_behind(steps, hp, expected):
    subject = trainer_of(0, healers=HEALERS[:1])
    goal = subject.next_goal(
        in_town(hp=hp),
        (),
        lambda _, goal: 1 if goal.map == CENTER else 3,
        "",
        lambda _, goal: steps,
    )
    assert goal.key == expected


def test_levels_that_a_milestone_asks_for_are_gained_before_it():
    subject = trainer_of(9, healers=HEALERS, training=(TRAINING,))
    assert goal_key(subject, in_gym(level=8)) == "train"
    assert goal_key(subject, in_gym(level=9)) == "beat_moe"
    assert goal_key(subject, in_gym(), (), {TOWN: UNREACHABLE}) == "beat_moe"
    assert rest(subject, in_gym(), {TOWN: None}, ()).key == "beat_moe"


def test_a_milestone_waits_for_what_it_requires():
    badge, moe = MILESTONES[5], replace(MILESTONES[4], requires=("badge",))
    subject = GoalPlanner((badge, moe), Atlas())
    assert goal_key(subject, state(map_id=GYM)) == "badge"
    assert goal_key(subject, state(map_id=GYM, badges=1)) == "beat_moe"
    assert goal_key(GoalPlanner((replace(badge, place=None), moe), Atlas()), in_gym()) == ""


def test_a_milestone_pursued_in_vain_is_set_aside_until_the_others_were_tried():
    subject = GoalPlanner(MILESTONES[4:], Atlas())
    shown = state(map_id=TOWN)
    keys = [goal_key(subject, shown) for _ in range(4 * LIFE_STEPS + 12)]
    assert (keys[0], keys[LIFE_STEPS + 2], keys[2 * LIFE_STEPS + 5]) == ("beat_moe", "badge", "")
    assert keys[3 * LIFE_STEPS + 9] == "beat_moe"
    other = GoalPlanner(MILESTONES[4:], Atlas())
    other.load(json.loads(json.dumps(subject.save())))
    assert goal_key(other, shown) == goal_key(subject, shown) == "badge"


HALL = MapId(1, 9)
AWAY = Milestone("seen", "See the hall", MilestoneKind.EVENT, 9, HALL, (1, 1), how=TALK)


def with_moe_aside() -> GoalPlanner:
    """Return a planner that pursued Moe in vain, with another goal on his map and one elsewhere."""
    subject = GoalPlanner((*MILESTONES[4:], AWAY), Atlas(field_moves={Ability.CUT: ("CUT", None)}))
    while goal_key(subject, in_town()) == "beat_moe":
        pass
    return subject


def test_set_aside_names_what_was_pursued_in_vain():
    assert with_moe_aside().set_aside == ("beat_moe",)


@pytest.mark.parametrize(
    ("news", "shown", "expected"),
    [
        pytest.param((), in_town(), "badge", id="nothing new"),
        pytest.param(("seen",), in_town(), "badge", id="something elsewhere was reached"),
        pytest.param(("badge",), in_town(), "beat_moe", id="something there was reached"),
        pytest.param((), in_town(level=12), "beat_moe", id="the party has grown"),
        pytest.param((), in_town(moves=(Move(15, "CUT", 30),)), "beat_moe", id="it learned a move"),
        pytest.param(("badge", "seen"), in_town(), "beat_moe", id="all others are done"),
    ],
)
def test_what_failed_is_tried_again_when_its_reason_has_changed(news, shown, expected):
    assert goal_key(with_moe_aside(), shown, news) == expected


def test_the_last_one_left_is_tried_again_as_soon_as_another_was_reached():
    subject = GoalPlanner((MILESTONES[4], AWAY), Atlas())
    while goal_key(subject, in_town()) == "beat_moe":
        pass
    assert [goal_key(subject, in_town(), ["seen"]) for _ in range(2)] == ["", "beat_moe"]


def test_an_optional_milestone_waits_until_the_story_has_nothing_to_do():
    rod = Milestone("rod", "Get the rod", MilestoneKind.EVENT, 3, TOWN, (1, 1), is_optional=True)
    subject = GoalPlanner((rod, MILESTONES[4]), Atlas())
    keys = {goal_key(subject, in_town()) for _ in range(LIFE_STEPS + 9)}
    assert keys == {"beat_moe", ""}
    assert goal_key(subject, in_town(), ["beat_moe"]) == "rod"


def test_of_two_badges_the_nearest_comes_first_and_stays_until_it_is_won():
    far = replace(MILESTONES[5], key="far", value=1, place=HALL)
    subject = GoalPlanner((far, MILESTONES[5]), Atlas())
    assert goal_key(subject, in_town(), (), {HALL: 5, GYM: 2}) == "badge"
    assert goal_key(subject, in_town(), (), {HALL: 1, GYM: 2}) == "badge"
    assert goal_key(subject, in_town(), ("badge",), {HALL: 1, GYM: 2}) == "far"


def test_a_town_far_from_the_last_rest_is_rested_in_once():
    tables = GameTables(SPAWNS={1: (1, 1), 2: (1, 9)})
    subject = GoalPlanner(MILESTONES[4:5], Atlas(healers=HEALERS[:1]), tables)
    arrived = replace(in_town(), healing_place=HALL)

    def key(shown, from_hall: int) -> str:
        def away(at, goal):
            return from_hall if at.place.map == HALL else {CENTER: 1}.get(goal.map, 3)

        return subject.next_goal(shown, (), away).key

    assert key(arrived, 2) == key(replace(arrived, healing_place=None), 9) == "beat_moe"
    assert key(arrived, 9) == "heal"
    inside = replace(arrived, place=replace(arrived.place, map=CENTER))
    assert key(inside, 9) == "heal"
    assert key(replace(inside, healing_place=TOWN), 9) == "beat_moe"


def test_places_to_train_have_wild_ones_near_the_partys_level():
    tables = GameTables(
        MAPS={(1, 7): "MEADOW"}, WILD_LEVELS={(1, 1): (2, 3), (1, 7): (9, 12), (1, 9): (30, 33)}
    )
    places = training_places(Atlas(training=(TRAINING,)), tables)
    assert [one.text for one in places] == ["Train", "Train: MEADOW", "Train: map 1.9"]

    def maps(level: int) -> list[list[MapId | None]]:
        found = worthwhile(places, tables, level, lambda goal: 0)
        return [[one.map for one in part] for part in found]

    assert maps(5) == [[TOWN], []]
    assert maps(14) == [[MapId(1, 7)], [TOWN]]
    assert maps(80) == [[HALL], [MapId(1, 7), TOWN]]
    assert worthwhile(places, GameTables(), 80, lambda goal: 0) == (list(places), [])


def test_where_no_way_leads_to_a_place_that_suits_the_strongest_other_one_is_trained_in():
    tables = GameTables(WILD_LEVELS={(1, 1): (2, 3), (1, 7): (9, 12), (1, 9): (16, 20)})
    meadow = MapId(1, 7)
    fight = replace(MILESTONES[4], level=24)
    subject = GoalPlanner([fight], Atlas(training=(TRAINING,)), tables)
    shown = state(map_id=TOWN, party=[creature(level=20)])

    def place(*shut: MapId) -> MapId | None:
        def steps(_, goal: Goal) -> int | None:
            return None if goal.map in shut else 9

        return subject.next_goal(shown, (), lambda *_: 1, "", steps).map

    assert place() == HALL
    assert place(HALL) == meadow
    assert place(HALL, meadow) == TOWN


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
        assert (goal.key, goal.map, goal.target) == (expected.key, expected.place, expected.target)
        reached.append(goal.key)


def rest(subject: GoalPlanner, shown, steps: dict[MapId, int | None], reached=REACHED):
    return subject.next_goal(shown, reached, lambda *_: 1, "", lambda _, goal: steps[goal.map])


def test_a_healer_to_whom_no_way_is_open_is_no_goal():
    weak = in_gym(hp=7)
    assert rest(planner(), weak, {CENTER: 5, TOWN: 9}).map == CENTER
    assert rest(planner(), weak, {CENTER: None, TOWN: 9}).map == TOWN
    assert rest(planner(), weak, {CENTER: None, TOWN: None}).key == "beat_moe"


def test_a_healer_that_comes_no_nearer_gives_way_to_another_and_then_to_the_story():
    subject, weak = planner(), in_gym(hp=7)
    steps: dict[MapId, int | None] = {CENTER: 30, TOWN: 90}
    goals = [rest(subject, weak, steps) for _ in range(250)]
    assert [one.map for one in goals[:100]] == [CENTER] * 100
    assert goals[120].map == TOWN
    assert goals[-1].key == "beat_moe"
    other = loaded(subject)
    assert rest(other, weak, steps).key == "beat_moe"
    # Once it was healed all the same, or the story went on, they are tried again.
    rest(subject, in_gym(), steps)
    assert rest(subject, weak, steps).map == CENTER
    assert rest(other, weak, steps, (*REACHED, "beat_moe")).key == "heal"


def test_a_healer_that_comes_nearer_is_not_given_up():
    subject = planner()
    for left in range(400, 1, -1):
        assert rest(subject, in_gym(hp=7), {CENTER: left, TOWN: 900}).map == CENTER


def test_training_goes_on_in_the_grass_for_long_but_not_for_ever():
    subject = trainer_of(9, training=(TRAINING,))
    shown = state(party=[creature()])
    keys = [rest(subject, shown, {TOWN: 0}, ()).key for _ in range(2500)]
    assert keys[1500] == "train"
    assert keys[2100] == "beat_moe"


def test_the_hurt_rest_before_a_row_of_trainers():
    """With 57 % of its health the starter lost on a route with several of them."""

    def key(hp: int, num_trainers: int) -> str:
        goal = planner().next_goal(
            in_gym(hp=hp, max_hp=100), REACHED, lambda *_: 1, num_trainers=num_trainers
        )
        return goal.key if goal else ""

    assert key(57, 2) == "heal"
    assert key(57, 1) == key(61, 2) == "beat_moe"
