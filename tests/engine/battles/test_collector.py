import tempfile
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from engine.battles.learn.collector import Collector, gae
from engine.battles.learn.experience import Experience, map_buffers
from engine.battles.learn.matchmaking import (
    EVALUATION,
    PAST,
    SELF,
    ActorSettings,
    Matchmaker,
    OpponentPlan,
)
from engine.battles.policy import NUM_WEIGHTS, Policy
from engine.battles.sim.simulator import POLICY
from tests.engine.battles.small_game import SmallGame, settings


def collector_of(
    given: ActorSettings, plan: OpponentPlan | None = None, dies_at: int = 0
) -> tuple[Collector, tuple[Experience, ...]]:
    rng = np.random.default_rng(0)
    policy = Policy(rng.normal(0, 0.02, NUM_WEIGHTS).astype(np.float32))
    matchmaker = Matchmaker(given, policy, rng)
    matchmaker.plan = plan or OpponentPlan({"random": 1.0})
    with tempfile.TemporaryFile() as file:
        buffers = map_buffers(file, given.capacity)
    collector = Collector(
        given, lambda lanes: SmallGame(lanes, dies_at=dies_at), matchmaker, buffers[0]
    )
    return collector, buffers


def fill(collector: Collector) -> int:
    while collector.step():
        pass
    return collector.finish()


def test_gae_is_the_closed_form():
    gamma, gae_lambda = 0.9, 0.8
    deltas = [1.0 + 0.9 * 0.5 - 2.0, 0.9 * 0.25 - 0.5, 3.0 - 0.25]
    expected = [
        sum((gamma * gae_lambda) ** (k - t) * deltas[k] for k in range(t, 3)) for t in range(3)
    ]
    found = gae([1.0, 0.0, 3.0], [2.0, 0.5, 0.25, 0.0], gamma, gae_lambda)
    assert found == pytest.approx(expected)


def test_a_battle_s_result_reaches_its_own_decisions_only():
    given = settings(capacity=24, gamma=1.0, gae_lambda=1.0)
    collector, (buffer, _) = collector_of(given, OpponentPlan({SELF: 1.0}))
    count = fill(collector)
    assert count == 24  # 4 lanes, 2 sides, 3 decisions
    assert buffer.is_complete.all()
    returns = buffer.advantages + buffer.values
    won = buffer.codes[16:] // 45 == 3
    for turn in range(3):  # in each step the seats come in the same order
        np.testing.assert_allclose(
            returns[8 * turn : 8 * turn + 8], np.where(won, 1, -1), atol=1e-5
        )


def test_a_trajectory_that_goes_on_is_worth_its_last_value_and_continues():
    given = settings(capacity=10)
    collector, (first, second) = collector_of(given)
    assert fill(collector) == 8
    assert first.is_complete[:8].tolist() == [True] * 4 + [False] * 4
    expected = given.gamma * first.values[4:8] - first.values[:4]
    np.testing.assert_allclose(first.advantages[:4], expected, atol=1e-6)
    collector.continue_in(second)
    assert fill(collector) == 8
    np.testing.assert_array_equal(second.codes[:4], first.codes[4:8])
    won = np.where(second.codes[4:8] // 45 == 3, 1, -1)
    np.testing.assert_allclose(second.advantages[4:8], won - second.values[4:8], atol=1e-6)
    assert second.is_complete[:8].all()


def test_shaping_rewards_are_differences_that_sum_up_to_nothing():
    given = settings(capacity=12, gamma=1.0, gae_lambda=1.0, damage_reward=0.5)
    collector, (buffer, _) = collector_of(given)
    fill(collector)
    won = np.where(buffer.codes[8:12] // 45 == 3, 1, -1)
    returns = buffer.advantages + buffer.values
    np.testing.assert_allclose(returns[:4], won, atol=1e-5)  # all health on both sides
    np.testing.assert_allclose(returns[4:8], won - 0.5 / 4, atol=1e-5)


def test_against_built_in_players_one_side_learns_and_results_are_counted_by_opponent():
    collector, _ = collector_of(settings(capacity=24), OpponentPlan({"greedy": 1.0}))
    fill(collector)
    assert list(collector.counts.results) == ["greedy"]
    assert sum(collector.counts.results["greedy"]) == collector.counts.battles == 8
    assert sum(collector.counts.own_teams[0]) == 8
    assert sum(map(sum, collector.counts.foe_teams.values())) == 8


def test_lanes_get_opponents_by_their_shares():
    given = settings(lanes=1)
    rng = np.random.default_rng(0)
    matchmaker = Matchmaker(given, Policy(np.zeros(NUM_WEIGHTS, np.float32)), rng)
    matchmaker.plan = OpponentPlan({SELF: 0.5, "random": 0.25, PAST: 0.25, "greedy": 0.0})
    drawn = [matchmaker.draw() for _ in range(400)]
    counts = Counter(matchup.opponent for _, matchup in drawn)
    assert set(counts) == {SELF, "random"}  # there is no past policy yet
    assert 70 < counts["random"] < 130
    sides = Counter(lane.players.index("random") for lane, m in drawn if m.opponent == "random")
    assert min(sides.values()) > 25
    for lane, matchup in drawn:
        own = matchup.players.index(matchmaker.own)
        assert lane.players[own] == POLICY
        assert matchup.opponent == SELF or matchup.teams[own] == 0
        assert lane.teams == tuple(given.foe_teams[team] for team in matchup.teams)


def test_teams_are_drawn_by_their_shares():
    given = settings(teams=("a", "b"), foe_teams=("a", "b", "c"))
    matchmaker = Matchmaker(
        given, Policy(np.zeros(NUM_WEIGHTS, np.float32)), np.random.default_rng(0)
    )
    matchmaker.plan = OpponentPlan({"random": 1.0}, (), (0.9, 0.1), (0.0, 0.5, 0.5))
    drawn = [matchmaker.draw()[1] for _ in range(200)]
    pairs = [one.teams if one.players[0] else one.teams[::-1] for one in drawn]
    own, foe = (Counter(side) for side in zip(*pairs, strict=True))
    assert own[0] > 150
    assert own.keys() == {0, 1}
    assert foe.keys() == {1, 2}
    matchmaker.plan = replace(matchmaker.plan, weights={EVALUATION: 1.0})
    drawn = [matchmaker.draw()[1] for _ in range(200)]
    pairs = [one.teams if one.players[0] else one.teams[::-1] for one in drawn]
    own, foe = (Counter(side) for side in zip(*pairs, strict=True))
    assert own[0] < 150
    assert foe[0] > 30  # a measurement draws all teams equally often


def test_greedy_evaluations_are_counted_but_nothing_is_learned_from_them():
    given = settings(capacity=24)
    collector, _ = collector_of(given, OpponentPlan({EVALUATION: 1.0}))
    for _ in range(9):
        assert collector.step()
    assert collector.finish() == 0
    counts = collector.counts
    assert counts.results.keys() == {EVALUATION}
    assert sum(counts.results[EVALUATION]) == counts.battles == 8
    assert not counts.own_teams
    assert max(counts.results[EVALUATION]) == 8  # the same choice in all of them


def test_after_the_simulator_died_its_open_trajectories_do_not_count():
    collector, (buffer, _) = collector_of(settings(capacity=40), dies_at=3)
    with pytest.raises(Exception, match="died"):
        fill(collector)
    former = collector.simulator
    collector.restart()
    assert isinstance(former, SmallGame)
    assert former.is_closed
    assert collector.restarts == 1
    assert not buffer.is_complete.any()
