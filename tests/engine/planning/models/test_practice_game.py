"""Each choice that the practice game offers, from bed to badge, can be asked for and read back."""

import json
from dataclasses import replace
from itertools import pairwise
from statistics import mean

import numpy as np
import pytest

from engine.config import EnvConfig, PlannerConfig
from engine.env.game_env import GameEnv
from engine.planning.goals.queries import is_settled, make_planning_query
from engine.planning.models.backends.base import ChatRequest
from engine.planning.models.backends.tokens import estimate_tokens
from engine.planning.models.prompt import Notes, compose, name_of
from engine.planning.models.reply import read_plan
from engine.planning.models.summary import RunSummary
from engine.planning.rules.advisor import RuleAdvisor
from engine.planning_types import PlanningQuery
from engine.types import EpisodeSummary, GoalKind
from tests.engine.planning.goals.planning import Played

SETTINGS = PlannerConfig()


def assert_each_choice_can_be_picked(here: PlanningQuery) -> None:
    request = compose(here, Notes(), max_tokens=8000, settings=SETTINGS)
    names = request.schema["properties"]["choice"]["enum"]
    assert names == [name_of(option) for option in here.options]
    assert estimate_tokens(request.user) < 1200
    told = request.user.rpartition("\nChoices:")[2].strip().replace("Other choices: ", "")
    *lines, bare = told.split("\n")
    offered = [*lines, *bare.split("; ")]
    for name, line, option in zip(names, offered, here.options, strict=True):
        apart = {"goal": option.kind, "target": option.target}
        for answer in ({"choice": name}, {"choice": line}, apart):
            assert read_plan(json.dumps(answer), "stop", here, "m").plan.option is option


@pytest.mark.slow
def test_a_question_begins_like_the_one_before_it():
    """So that a server which keeps what it has read has little to read; see `RunSummary`."""
    env = GameEnv(observation_type="state", config=EnvConfig(max_steps=100_000))
    summary = RunSummary()
    asked: list[tuple[bool, ChatRequest]] = []
    for seed in range(3):
        played, judged = Played(env, seed=seed), 0
        while not env.is_success:
            num_asked = len(played.situations)
            played.step()
            for here in played.situations[num_asked:]:
                notes = Notes(summary.text(1200))
                request = compose(here, notes, max_tokens=8000, settings=SETTINGS)
                is_walking = all(section.name != "battle" for section in here.sections)
                asked.append((is_walking, request))
            for verdict in played.goal_outcomes[judged:]:
                summary.add(verdict)
            judged = len(played.goal_outcomes)
        steps = {key: n for n, key in enumerate(env.milestones)}
        summary.episode(EpisodeSummary(0, 1.0, 100, (), steps, is_success=True))
    env.close()
    assert len({request.system for _, request in asked}) == 1
    shares = []
    for (_, before), (is_walking, request) in pairwise(asked):
        if is_walking:
            text = request.system + request.user
            pairs = enumerate(zip(before.system + before.user, text, strict=False))
            differs_at = next(index for index, (one, other) in pairs if one != other)
            shares.append(estimate_tokens(text[:differs_at]) / estimate_tokens(text))
    assert len(shares) > 30
    assert mean(shares) >= 0.7


@pytest.mark.slow
def test_each_choice_of_a_whole_game_can_be_picked():
    env = GameEnv(observation_type="state", config=EnvConfig(max_steps=100_000))
    # The second game stays in the tall grass, where somebody is hurt sooner or later.
    kinds: set[GoalKind] = set()
    for seed, wanted_level, most in ((0, 0, 450), (1, 20, 1000)):
        env.reset(seed=seed)
        advisor = RuleAdvisor(env.game)
        advisor.reset(env.state)
        asked: PlanningQuery | None = None
        for _ in range(most):
            if is_settled(env.state):
                here = make_planning_query(
                    env.state,
                    env.game,
                    advisor.world,
                    env.milestones,
                    tried=(),
                    key="",
                    env_index=0,
                    trigger="map",
                    recent=(),
                )
                if asked is None or replace(here, sections=()) != replace(asked, sections=()):
                    assert_each_choice_can_be_picked(here)
                asked = here
                kinds |= {option.kind for option in here.options}
            if wanted_level:
                if kinds >= {GoalKind.RUN, GoalKind.HEAL}:
                    break
                advisor._planner.load(advisor._planner.save() | {"wanted_level": wanted_level})
            mask = env.action_mask()
            advice = advisor.advise(env.state, mask)
            if env.advance(int(np.where(mask, advice.prior, -1.0).argmax()))[1]:
                break
        assert env.is_success or wanted_level
    env.close()
    # Rules buy by themselves.
    assert kinds >= set(GoalKind) - {GoalKind.BUY}
