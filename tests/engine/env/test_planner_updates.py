"""Plans, questions and goal outcomes on their way between the trainer and the games."""

import os
import signal
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from engine.config import EnvConfig, RunConfig
from engine.env.batch import Batch
from engine.env.stepping import make_game_env
from engine.env.vector.world import ArrayWorld, GymnasiumEnv, LocalVector, VectorEnv, plain_env
from engine.planning.goals.planned import PlannedAdvisor
from engine.planning_types import (
    Condition,
    GoalOption,
    Outcome,
    PlannerUpdate,
    PlanningQuery,
    Subgoal,
    SubgoalBook,
)
from engine.types import Action, Goal, GoalKind
from tests.engine.env.factories import SEEDS, are_same
from tests.engine.planning.goals.planning import MODEL, ON, clever, plan_of

FACTORY = "engine.planning.goals.planned:make_env"


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> RunConfig:
    folder = str(tmp_path_factory.mktemp("run"))
    env = EnvConfig(max_steps=60, progress_steps=0)
    return RunConfig(save_dir=folder, seed=3, num_envs=3, env=env)


@pytest.fixture(scope="module")
def shared(config: RunConfig) -> Iterator[VectorEnv]:
    with VectorEnv(FACTORY, config, 3, 2) as vector:
        yield vector


@pytest.fixture
def vector(shared: VectorEnv) -> VectorEnv:
    """Not yet reset; nothing is known of a plan."""
    shared.update_planner(PlannerUpdate(is_whole=True))
    return shared


def follow(vector: ArrayWorld, batch: Batch) -> Batch:
    """Step by the prior, by B where there is none."""
    has_prior = batch.prior.any(1)
    return vector.step(np.where(has_prior, batch.prior.argmax(1), int(Action.B)))


def ask(vector: ArrayWorld, batch: Batch, book: list[Subgoal]) -> None:
    """Have a script plan for the first environment that wants it."""
    for index in np.flatnonzero(batch.wants_plan).tolist()[:1]:
        query = vector.question(index)
        assert query.env_index == index
        book.append(plan_of(query, clever(query)))
        vector.update_planner(replace(ON, plans=(book[-1],)))


def test_question_is_none_while_no_model_is_on(vector: VectorEnv) -> None:
    batch = vector.reset(SEEDS)
    for _ in range(5):
        assert not batch.wants_plan.any()
        assert not batch.goal_sources.any()
        assert batch.goal_outcomes == ()
        batch = follow(vector, batch)
    assert vector.question(1) is None


def test_one_plan_serves_every_game_in_the_same_query(vector: VectorEnv) -> None:
    vector.update_planner(ON)
    batch = vector.reset(SEEDS)
    assert batch.wants_plan.tolist() == [True] * 3
    assert not batch.prior.any()
    query = vector.question(2)
    assert (query.env_index, query.trigger) == (2, "start")
    assert vector.question(2) is None
    plan = plan_of(query, clever(query))
    vector.update_planner(replace(ON, plans=(plan,)))
    batch = vector.step(np.full(3, Action.NOOP))
    assert batch.goal_sources.tolist() == [1] * 3
    assert batch.prior.any(1).all()
    assert not batch.wants_plan.any()
    assert np.allclose(batch.advice_confidence, 0.9)


def test_goal_outcomes_come_with_the_step_that_showed_them(vector: VectorEnv) -> None:
    vector.update_planner(ON)
    batch, book, judged = vector.reset(SEEDS), [], []
    for _ in range(61):
        ask(vector, batch, book)
        batch = follow(vector, batch)
        judged += batch.goal_outcomes
    reached = {v.env_index for v in judged if v.text == "Go to LAB" and v.made_progress}
    assert reached == {0, 1, 2}
    assert {v.goal_source for v in judged} == {MODEL}


def test_an_episode_that_ends_judges_what_it_pursued(vector: VectorEnv) -> None:
    vector.update_planner(ON)
    batch, book = vector.reset(SEEDS), []
    ask(vector, batch, book)
    while not batch.truncated.any():
        assert batch.goal_outcomes == ()
        batch = vector.step(np.full(3, Action.NOOP))
    assert [(v.env_index, v.outcome) for v in batch.goal_outcomes] == [
        (index, Outcome.FAILED) for index in range(3)
    ]


def test_a_replaced_process_knows_the_plans(vector: VectorEnv) -> None:
    vector.update_planner(ON)
    batch, book = vector.reset(SEEDS), []
    ask(vector, batch, book)
    vector.step(np.full(3, Action.NOOP))
    vector.update_planner(replace(ON, fallback="rules"))
    os.kill(vector.pids[0], signal.SIGKILL)
    batch = vector.step(np.full(3, Action.NOOP))
    assert batch.warnings
    assert batch.goal_sources.tolist() == [1] * 3
    assert batch.prior.any(1).all()


def test_plans_sent_while_a_process_is_dead_are_not_lost(vector: VectorEnv) -> None:
    vector.update_planner(ON)
    vector.reset(SEEDS)
    os.kill(vector.pids[0], signal.SIGKILL)
    query = vector.question(2)
    assert query is not None
    vector.update_planner(replace(ON, plans=(plan_of(query, clever(query)),)))
    assert vector.question(0) is None
    batch = vector.step(np.full(3, Action.NOOP))
    assert batch.warnings
    assert batch.goal_sources.tolist() == [1] * 3


def test_a_resumed_vector_continues_bit_for_bit(config: RunConfig, vector: VectorEnv) -> None:
    """In the middle of pursuits, some of them ignored."""
    on = replace(ON, model_share=0.6, holdout_fraction=0.3, fallback="rules")
    rng = np.random.default_rng(0)
    book: dict[str, Subgoal] = {}

    def turn(vector: VectorEnv, actions: np.ndarray) -> tuple[Batch, PlanningQuery | None]:
        batch = vector.step(actions)
        for index in np.flatnonzero(batch.wants_plan).tolist()[:1]:
            query = vector.question(index)
            assert query is not None
            plan = plan_of(query, clever(query))
            book[plan.key] = plan
            vector.update_planner(replace(on, plans=(plan,)))
            return batch, query
        return batch, None

    vector.update_planner(on)
    batch = vector.reset(SEEDS)
    for _ in range(30):
        acts = np.where(rng.random(3) < 0.7, batch.prior.argmax(1), int(Action.LEFT))
        batch, _ = turn(vector, acts)
    states, known = vector.save(), dict(book)
    actions = [rng.integers(9, size=3) for _ in range(35)]
    expected = [turn(vector, one) for one in actions]
    with VectorEnv(FACTORY, config, 3, 1) as other:
        other.update_planner(replace(on, plans=tuple(known.values()), is_whole=True))
        resumed = other.load(states)
        for name in ("prior", "advice_confidence", "goal_sources", "features", "mask"):
            assert np.array_equal(getattr(resumed, name), getattr(batch, name)), name
        assert resumed.goal_outcomes == ()
        for one, (wanted, asked) in zip(actions, expected, strict=True):
            now, question = turn(other, one)
            for name in ("prior", "advice_confidence", "goal_sources", "wants_plan", "features"):
                assert np.array_equal(getattr(now, name), getattr(wanted, name)), name
            assert now.goal_outcomes == wanted.goal_outcomes
            assert now.summaries == wanted.summaries
            assert question == asked
    assert any(wanted.goal_outcomes for wanted, _ in expected)


def test_the_local_vector_is_the_vector_of_one_process(config: RunConfig) -> None:
    """Step for step, over the end of an episode."""
    env = make_game_env(config, 0)
    local = LocalVector(GymnasiumEnv(env, PlannedAdvisor(env.game, 0, config.seed)))
    books: list[list[Subgoal]] = [[], []]
    with VectorEnv(FACTORY, config, 1) as remote:
        both: tuple[ArrayWorld, ArrayWorld] = (local, remote)
        for vector in both:
            vector.update_planner(ON)
        batches = [vector.reset(SEEDS[:1]) for vector in both]
        for _ in range(70):
            for vector, batch, book in zip(both, batches, books, strict=True):
                ask(vector, batch, book)
            one, two = batches = [
                follow(vector, batch) for vector, batch in zip(both, batches, strict=True)
            ]
            assert are_same(one, two, "goal_sources", "wants_plan")
            assert np.array_equal(np.broadcast_to(one.goal_kinds, (1,)), two.goal_kinds)
            assert (one.goal_outcomes, one.reached) == (two.goal_outcomes, two.reached)
            assert books[0] == books[1]
    assert len(books[0]) > 2
    env.close()


def test_an_environment_without_an_advisor_takes_no_notice(config: RunConfig) -> None:
    env = plain_env(config, 0)
    env.update_planner(ON)
    env.begin(1)
    assert not env.wants_plan
    assert env.question() is None
    env.close()


class TestPlanBook:
    def plan(self, key: str) -> Subgoal:
        goal = Goal("explore", "Walk", kind=GoalKind.EXPLORE)
        option = GoalOption(GoalKind.EXPLORE, "", "walk", goal, (Condition.NEW_TILES,))
        return Subgoal(key, (MODEL,), option, option.conditions[0], 0.5, "")

    def test_the_newest_plan_for_a_key_counts(self) -> None:
        book = SubgoalBook()
        book.take(PlannerUpdate(plans=(self.plan("a"), self.plan("b"))))
        newer = replace(self.plan("a"), confidence=0.7)
        book.take(PlannerUpdate(True, plans=(newer,)))
        assert book.get("a") == newer
        assert book.get("c") is None
        whole = book.whole()
        assert whole.is_on
        assert whole.is_whole
        assert {plan.key for plan in whole.plans} == {"a", "b"}

    def test_the_oldest_go_first(self) -> None:
        book = SubgoalBook(most=2)
        for key in "abac":
            book.take(PlannerUpdate(plans=(self.plan(key),)))
        assert [plan.key for plan in book.whole().plans] == ["a", "c"]

    def test_a_whole_book_takes_the_place_of_all_before(self) -> None:
        book = SubgoalBook()
        book.take(PlannerUpdate(plans=(self.plan("a"),)))
        book.take(PlannerUpdate(plans=(self.plan("b"),), is_whole=True))
        assert [plan.key for plan in book.whole().plans] == ["b"]
