"""Plans drive the real practice game: what leads, what is asked, what is judged."""

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.planning.goals.planned import PlannedAdvisor
from engine.planning.goals.text_state import rules
from engine.planning.rules.goal_tracker import LIFE_STEPS
from engine.planning_types import GoalOption, Outcome, PlannerUpdate, PlanningQuery, Subgoal
from engine.types import Action, Advice, GoalKind
from tests.engine.led import rules_of
from tests.engine.planning.goals.planning import MODEL, ON, Played, clever, pick, plan_of


def upstairs(query: PlanningQuery):
    """Never leave the bedroom: look at the same thing again and again."""
    return next(c for c in query.options if c.kind is GoalKind.MEET)


def planning(env, update: PlannerUpdate = ON, index: int = 0) -> PlannedAdvisor:
    """Return an advisor at the game's beginning that knows of no plan."""
    env.reset(seed=0)
    return resumed(env, update, index)


def resumed(env, update: PlannerUpdate = ON, index: int = 0, seed: int = 0) -> PlannedAdvisor:
    """Return another advisor where the game is now."""
    advisor = PlannedAdvisor(env.game, index, seed)
    advisor.update_planner(update)
    advisor.reset(env.state)
    return advisor


def assert_same(one: Advice, two: Advice) -> None:
    assert (one.goal, one.reason, one.confidence) == (two.goal, two.reason, two.confidence)
    assert np.array_equal(one.prior, two.prior)


def test_the_next_milestone_alone_leads_from_bed_to_the_badge(env):
    """What a model that knows nothing of the world can choose every time."""

    def story(query: PlanningQuery) -> GoalOption:
        return pick(query, GoalKind.FIGHT) or query.options[0]

    played = Played(env, story).run(450, until="first_badge")
    assert "first_badge" in env.milestones
    walks = [one for one in played.goal_outcomes if one.kind is not GoalKind.FIGHT]
    assert {one.outcome for one in walks} == {Outcome.REACHED}


def test_plans_alone_lead_from_bed_to_a_creature_and_on(env):
    played = Played(env).run(250, until="reached_stonehollow")
    assert "reached_stonehollow" in env.milestones
    assert set(played.goal_sources[1:]) <= {"rules", MODEL}
    assert played.goal_sources.count(MODEL) > 0.9 * len(played.goal_sources)
    lab, *_ = played.goal_outcomes
    assert (lab.text, lab.outcome, lab.made_progress) == ("Go to LAB", Outcome.REACHED, True)
    assert (lab.goal_source, lab.kind) == (MODEL, GoalKind.REACH)
    assert (lab.is_control, lab.env_index) == (False, 0)
    starter = next(v for v in played.goal_outcomes if v.text == "Meet who stands at (7,4) in LAB")
    assert starter.outcome is Outcome.REACHED
    assert starter.made_progress


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_plans_alone_win_the_badge(env, seed):
    played = Played(env, seed=seed).run(1500)
    assert env.is_success, played.situations[-1]
    played.advisor.reset(env.state)  # the episode that the badge ended is judged
    *_, leader = played.goal_outcomes + list(played.advisor.take_goal_outcomes())
    assert (leader.kind, leader.outcome) == (GoalKind.MEET, Outcome.REACHED)


def test_without_directions_it_is_the_rule_planner(env):
    env.reset(seed=1)
    advisors = [rules_of(env), resumed(env, PlannerUpdate())]
    rng = np.random.default_rng(1)
    for _ in range(200):
        mask = env.action_mask()
        one, two = (advisor.advise(env.state, mask) for advisor in advisors)
        assert_same(one, two)
        assert not advisors[1].wants_plan
        assert advisors[1].goal_source == "rules"
        is_led = one.prior.any() and rng.random() < 0.8
        env.advance(int(one.prior.argmax() if is_led else rng.choice(np.flatnonzero(mask))))
    rules, planned = (advisor.save() for advisor in advisors)
    assert rules.items() <= planned.items()
    assert advisors[0].outcomes() == advisors[1].outcomes()
    assert advisors[1].question() is None
    assert advisors[1].take_goal_outcomes() == ()


def test_the_rules_lead_where_no_plan_is_known(env):
    advisor = planning(env, replace(ON, fallback="rules"))
    rules = rules_of(env)
    for _ in range(40):
        advice = advisor.advise(env.state, env.action_mask())
        expected = rules.advise(env.state, env.action_mask())
        assert (advice.goal, advice.confidence) == (expected.goal, expected.confidence)
        assert np.array_equal(advice.prior, expected.prior)
        assert advisor.wants_plan
        env.advance(int(advice.prior.argmax()))


def test_a_query_is_asked_about_once(env):
    advisor = planning(env, index=7)
    advice = advisor.advise(env.state, env.action_mask())
    assert (advice.prior.any(), advice.confidence) == (False, 0.0), "neither a plan nor rules"
    assert advisor.wants_plan
    query = advisor.question()
    assert (query.trigger, query.env_index) == ("start", 7)
    assert {part.name for part in query.sections} >= {"world", "place", "map", "goals"}
    assert not any(part.text.startswith("Goal:") for part in query.sections)
    assert query.rules == rules(env.game)
    assert advisor.question() is None
    for _ in range(3):
        advisor.advise(env.state, env.action_mask())
        assert not advisor.wants_plan
    for _ in range(LIFE_STEPS):  # the answer may have been lost
        advisor.advise(env.state, env.action_mask())
    assert advisor.wants_plan


def test_games_in_the_same_query_have_the_same_key(env):
    keys = []
    for seed in (0, 1):
        played = Played(env, seed=seed).run(60, until="got_starter")
        keys.append([one.key for one in played.situations[:4]])
    assert keys[0] == keys[1]
    assert len(set(keys[0])) == 4


def test_a_place_key_tells_the_map_and_its_milestones_apart_and_nothing_else(env):
    places, keys = {}, {}
    for one in Played(env).run(60, until="entered_lab").situations:
        text = {part.name: part.text for part in one.sections}
        place = text["place"].partition(" (")[0], text["goals"]
        assert places.setdefault(place, one.place_key) == one.place_key
        assert keys.setdefault(one.key, one.place_key) == one.place_key
    assert len(set(places.values())) == len(places) > 2


def test_an_ignored_plan_does_not_lead_but_is_judged(env):
    ignoring = replace(ON, holdout_fraction=0.999999, fallback="rules")
    played = Played(env, update=ignoring).run(60, until="entered_lab")
    played.advise()
    assert set(played.goal_sources) == {"rules"}
    played.advisor.reset(env.state)
    judged = [*played.goal_outcomes, *played.advisor.take_goal_outcomes()]
    assert judged
    assert all(goal_outcome.is_control for goal_outcome in judged)
    assert any(v.outcome is Outcome.REACHED and v.made_progress for v in judged)


def test_a_goal_that_is_not_reached_fails_at_the_end_of_its_life(env):
    """Before that the next one is asked for, so that it is there."""
    played = Played(env)
    for step in range(LIFE_STEPS + 2):
        assert played.advise().goal.text in {"Go to LAB", "No goal"}
        env.advance(Action.LEFT if step % 4 < 2 else Action.RIGHT)
    failed = [v for v in played.goal_outcomes if v.outcome is Outcome.FAILED]
    assert [(v.text, v.steps) for v in failed] == [("Go to LAB", LIFE_STEPS)]
    assert not failed[0].made_progress
    start, late = played.situations
    assert (start.trigger, late.trigger) == ("start", "late")
    assert late.recent == (("Go to LAB", "not within 280 steps"),)
    assert late.key == played.advisor._scheduler.memory.walk.key
    assert played.advisor._scheduler.memory.walk.is_assigned


def test_a_goal_that_changes_nothing_gives_way_once_another_is_known(env):
    played = Played(env)
    for _ in range(40):
        played.advise()
    assert [one.trigger for one in played.situations] == ["start", "stuck"]
    assert not played.goal_outcomes  # progress may yet come of it
    played.advisor.reset(env.state)
    goal_outcome = played.advisor.take_goal_outcomes()[-1]
    assert (goal_outcome.text, goal_outcome.outcome) == ("Go to LAB", Outcome.REPLACED)


def test_progress_after_a_goal_was_reached_is_its_own(env):
    """To read a sign is worth nothing unless something comes of it in time."""
    played = Played(env, upstairs)
    for _ in range(30):
        played.step()
        if any("reached" in words for _, words in played.situations[-1].recent):
            break
    assert not played.goal_outcomes
    played.choose = clever
    played.advisor.update_planner(replace(ON, is_whole=True))
    played.run(60, until="left_bedroom")
    played.advise()
    sign = next(v for v in played.goal_outcomes if v.kind is GoalKind.MEET)
    assert (sign.outcome, sign.made_progress) == (Outcome.REACHED, True)


def test_the_end_of_an_episode_judges_what_is_open(env):
    played = Played(env)
    for _ in range(5):
        played.step()
    assert not played.goal_outcomes
    played.advisor.reset(env.state)
    (goal_outcome,) = played.advisor.take_goal_outcomes()
    assert (goal_outcome.outcome, goal_outcome.text) == (Outcome.FAILED, "Go to LAB")
    assert played.advisor.take_goal_outcomes() == ()


def test_a_goal_ages_and_is_believed_less(env):
    played = Played(env)
    played.advise()
    sure = [played.advise().confidence for _ in range(4)]
    assert sure[0] == pytest.approx(0.9)
    assert all(before > after for before, after in pairwise(sure))


def test_a_farther_goal_outlives_maps_without_a_plan(env):
    played = Played(env)
    played.advise()
    played.advise()
    for _ in range(25):
        mask = env.action_mask()
        advice = played.advisor.advise(env.state, mask)
        assert advice.goal.text == "Go to LAB"
        if env.state.place.name == "FERNWICK":
            break
        env.advance(int(advice.prior.argmax()))
    assert env.state.place.name == "FERNWICK"
    assert played.advisor.take_goal_outcomes() == ()
    assert played.advisor.wants_plan  # though what is pursued is not in doubt


def test_a_plan_for_where_one_is_replaces_a_farther_goal(env):
    far = {"HOME 2F": "LAB", "HOME 1F": "to FERNWICK"}

    def choose(query: PlanningQuery):
        (place,) = (part.text for part in query.sections if part.name == "place")
        wanted = next((goal for name, goal in far.items() if place.startswith(name)), "")
        return pick(query, GoalKind.REACH, wanted) or query.options[0]

    played = Played(env, choose).run(40, until="left_house")
    first = played.goal_outcomes[0]
    assert (first.text, first.outcome) == ("Go to LAB", Outcome.REPLACED)


def test_a_goal_that_ends_alike_again_and_again_is_not_offered_again(env):
    played = Played(env, lambda query: pick(query, GoalKind.MEET, "sign 1"))
    played.choose = upstairs
    wanted = None
    for _ in range(200):
        played.step()
        for query in played.situations:
            same = {text for text, _ in query.recent[-3:]}
            if len(query.recent) >= 3 and len(same) == 1:
                wanted = (same.pop(), {option.goal.text for option in query.options})
    assert wanted[0] not in wanted[1]


def test_a_restored_advisor_goes_on_as_the_saved_one(env):
    played = Played(env, update=replace(ON, holdout_fraction=0.3, fallback="rules"), seed=2)
    for _ in range(100):
        played.advise()
        env.advance(int(played.rng.choice(np.flatnonzero(env.action_mask()))))
    saved = json.loads(json.dumps(played.advisor.save()))
    other = resumed(env, played.advisor._book.whole(), seed=2)
    other.restore(saved)
    last = other.advise(env.state, env.action_mask())
    other.take_goal_outcomes()
    assert other.goal_source == played.goal_sources[-1]
    assert last.goal is not None
    for _ in range(100):
        env.advance(int(played.rng.choice(np.flatnonzero(env.action_mask()))))
        one, two = (a.advise(env.state, env.action_mask()) for a in (played.advisor, other))
        assert_same(one, two)
        assert played.advisor.take_goal_outcomes() == other.take_goal_outcomes()
        assert played.advisor.wants_plan == other.wants_plan
        question = played.advisor.question()
        assert question == other.question()
        if question is not None:
            news = replace(played.update, plans=(plan_of(question, clever(question)),))
            played.advisor.update_planner(news)
            other.update_planner(news)
    assert played.advisor.save() == other.save()


def test_a_plan_that_comes_after_the_last_advice_is_not_in_what_is_saved(env):
    advisor = planning(env)
    mask = env.action_mask()
    before = advisor.advise(env.state, mask)
    query = advisor.question()
    advisor.update_planner(replace(ON, plans=(plan_of(query, clever(query)),)))
    other = resumed(env, advisor._book.whole())
    other.restore(json.loads(json.dumps(advisor.save())))
    assert np.array_equal(other.advise(env.state, mask).prior, before.prior)
    assert other.advise(env.state, mask).goal.text == "Go to LAB"


def test_restore_takes_a_state_saved_before_there_were_subgoals(env):
    planned = planning(env, PlannerUpdate())
    rules = rules_of(env)
    rules.advise(env.state, env.action_mask())
    planned.restore(json.loads(json.dumps(rules.save())))
    assert planned.advise(env.state, env.action_mask()).prior.any()


def test_plans_that_are_switched_off_are_forgotten(env):
    played = Played(env)
    played.advise()
    played.advise()
    assert played.advisor.goal_source == MODEL
    played.advisor.update_planner(PlannerUpdate())
    advice = played.advisor.advise(env.state, env.action_mask())
    assert played.advisor.goal_source == "rules"
    assert advice.goal.key == "left_bedroom"
    assert played.advisor.take_goal_outcomes() == ()


@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 10_000))
def test_no_plan_makes_the_advice_name_a_masked_action(env, seed):
    """Whatever is chosen, on whatever condition, and in situations that it was not made for."""
    rng = np.random.default_rng(seed)
    plans: list[Subgoal] = []
    update = replace(ON, holdout_fraction=0.1)
    env.reset(seed=seed)
    advisor = resumed(env, update, seed=seed)
    for _ in range(120):
        mask = env.action_mask()
        advice = advisor.advise(env.state, mask)
        assert not advice.prior[~mask].any()
        assert advice.prior.sum() == pytest.approx(1.0) or not advice.prior.any()
        assert 0 <= advice.confidence <= 1
        query = advisor.question()
        if query is not None:
            option = query.options[int(rng.integers(len(query.options)))]
            condition = int(rng.integers(len(option.conditions)))
            plans.append(plan_of(query, option, condition=condition))
            plan = plans[int(rng.integers(len(plans)))] if rng.random() < 0.3 else plans[-1]
            advisor.update_planner(replace(update, plans=(replace(plan, key=query.key),)))
        is_led = advice.prior.any() and rng.random() < 0.7
        wanted = advice.prior.argmax() if is_led else rng.choice(np.flatnonzero(mask))
        env.advance(Action(int(wanted)))


def test_asked_again_what_is_pursued_goes_on_until_a_new_plan_comes(env):
    played = Played(env)
    played.advise()
    first = played.advisor.advise(env.state, env.action_mask())
    assert played.advisor.goal_source == MODEL
    assert not played.advisor.wants_plan
    played.advisor.update_planner(replace(ON, is_whole=True, asks_anew=True))
    saved = played.advisor.save()
    again = played.advisor.advise(env.state, env.action_mask())
    assert (again.goal, played.advisor.goal_source) == (first.goal, MODEL)
    assert played.advisor.wants_plan
    query = played.advisor.question()
    other = next(c for c in query.options if c.goal != first.goal)
    played.advisor.update_planner(replace(ON, plans=(plan_of(query, other),)))
    assert played.advisor.advise(env.state, env.action_mask()).goal == other.goal
    again = resumed(env)
    again.restore(json.loads(json.dumps(saved)))
    assert again.advise(env.state, env.action_mask()).goal == first.goal
    again.advise(env.state, env.action_mask())
    assert again.wants_plan
