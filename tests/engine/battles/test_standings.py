import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.battles.learn.actor import Report
from engine.battles.learn.experience import SharedWeights
from engine.battles.learn.matchmaking import EVALUATION, Matchmaker, OpponentPlan
from engine.battles.learn.networks import TwoHeadedHybridModel
from engine.battles.learn.standings import Pool, Standings
from engine.battles.learn.team_sampling import TeamSampling
from engine.battles.policy import NUM_WEIGHTS, Policy, flat_weights
from tests.engine.battles.small_game import settings


def report(**results: list[int]) -> Report:
    battles = sum(map(sum, results.values()))
    return Report(0, 64, 1, 1.0, 0, 0, results, {}, {}, {}, battles, 10 * battles)


def untrained() -> dict[str, np.ndarray]:
    """Return the weights of a network as checkpoints have them."""
    named = TwoHeadedHybridModel().named_weights().items()
    return {f"network/{name}": each.detach().numpy() for name, each in named}


def test_standings_count_results_by_opponent_and_come_back_from_a_checkpoint():
    standings = Standings()
    assert standings.score() is None
    standings.add(report(random=[90, 2, 8], heuristics=[30, 0, 70], self=[50, 0, 50]))
    assert standings.score() == pytest.approx(((0.91 + 0.3) / 2,))
    assert standings.mean_turns == 10
    for _ in range(9):
        standings.add(report(self=[50, 0, 50]))
    score = standings.scores()[2]
    assert (score.name, score.battles, score.recent_battles) == ("self", 1000, 500)
    assert score.recent_wins == 250
    other = Standings()
    other.load(standings.save())
    assert other.scores() == standings.scores()
    heuristics, random, _ = other.scores()
    assert (heuristics.name, heuristics.battles, heuristics.wins) == ("heuristics", 100, 30)
    assert (random.name, random.recent_wins) == ("random", 91.0)


def test_the_pool_prefers_whom_it_loses_to_and_drops_whom_it_beats(tmp_path):
    named = untrained()
    pool = Pool(tmp_path / "pool", 2)
    pool.add(named, 1)
    pool.add(named, 2)
    first, second = (str(tmp_path / "pool" / f"policy-{n:08d}.zip") for n in (1, 2))
    pool.add_results({first: [9, 0, 1], second: [1, 0, 9], "unknown": [1, 1, 1]})
    (path, low), (_, high) = pool.shares()
    assert path == first
    assert high > 10 * low
    pool.add(named, 3)
    assert [each.name for each in pool.policies] == ["policy-00000002.zip", "policy-00000003.zip"]
    pool.tidy()
    assert len(list((tmp_path / "pool").iterdir())) == 2
    Path(second).unlink()
    warnings: list[str] = []
    other = Pool(tmp_path / "pool", 2)
    other.load(pool.save(), warnings.append)
    assert [each.name for each in other.policies] == ["policy-00000003.zip"]
    assert warnings


def test_the_greedy_evaluation_alone_decides_the_best_checkpoint_and_is_recent():
    standings = Standings()
    standings.add(report(random=[90, 0, 10], **{EVALUATION: [20, 0, 30]}))
    assert standings.score() is None  # too few
    for won in (40, 10, 30):
        standings.add(report(**{EVALUATION: [won, 0, 100 - won]}))
    assert standings.score() == (0.2,)
    score = standings.scores()[0]
    assert (score.name, score.recent_battles) == ("heuristics (greedy)", 200)


def test_teams_that_lose_are_drawn_more_often_and_all_keep_a_share():
    teams = TeamSampling(("a", "b", "c"), own=2, priority=0.5)
    assert teams.shares() == ([0.5, 0.5], pytest.approx([1 / 3] * 3))
    results = {"0": [90, 0, 10], "1": [10, 0, 90]}
    given = replace(report(), own_teams=results, foe_teams={"2": [0, 10, 90]})
    teams.add(given)
    (strong, weak), foe = teams.shares()
    assert weak > 0.7
    assert strong == pytest.approx(1 - weak)
    assert foe[2] == max(foe)
    assert sum(foe) == pytest.approx(1)
    np.testing.assert_allclose(teams.win_rates()[0], [100 / 120, 20 / 120, 0.5])
    other = TeamSampling(("b", "a", "new"), own=3, priority=1.0)
    other.load(teams.save())
    np.testing.assert_allclose(other.win_rates()[0, :2], teams.win_rates()[0, 1::-1])
    before = teams.win_rates()[0, 0]
    for _ in range(100):
        teams.decay()
    assert abs(teams.win_rates()[0, 0] - 0.5) < abs(before - 0.5) / 2


def matchmaker() -> Matchmaker:
    own = Policy(np.zeros(NUM_WEIGHTS, np.float32))
    return Matchmaker(settings(), own, np.random.default_rng(0))


def test_past_policies_are_loaded_and_play_and_without_one_it_plays_against_itself(tmp_path):
    alone = matchmaker()
    alone.plan = OpponentPlan({"past": 1.0})
    alone.load_past()
    assert alone.draw()[1].opponent == "self"
    pool = Pool(tmp_path, 2)
    pool.add(weights := untrained(), 1)
    found = matchmaker()
    found.plan = OpponentPlan({"past": 1.0}, [*pool.shares(), (str(tmp_path / "gone.zip"), 1.0)])
    found.load_past()
    lane, matchup = found.draw()
    (past,) = (player for player in matchup.players if player is not found.own)
    assert lane.players == ("policy", "policy")
    expected = flat_weights({n.removeprefix("network/"): w for n, w in weights.items()}, "")
    np.testing.assert_array_equal(past.policy.weights, expected)


def test_a_policy_s_file_plays_as_an_opponent_under_its_name(tmp_path):
    Pool(tmp_path, 1).add(untrained(), 1)
    path = str(tmp_path / "policy-00000001.zip")
    found = matchmaker()
    found.plan = OpponentPlan({path: 1.0})
    drawn = [matchup for _, matchup in (found.draw(), found.draw())]
    theirs = {one for matchup in drawn for one in matchup.players if one is not found.own}
    assert [one.path for one in theirs] == [path]
    standings = Standings()
    standings.add(report(**{path: [1, 0, 2]}))
    assert standings.scores()[0].name == "policy-00000001"


def test_weights_are_read_as_they_were_published_last():
    with tempfile.TemporaryFile() as file:
        ours, theirs = SharedWeights(file), SharedWeights(file)
        into = np.zeros(NUM_WEIGHTS, np.float32)
        assert theirs.read(into) == 0
        for number in (1, 2, 3):
            ours.publish(np.full(NUM_WEIGHTS, number, np.float32))
            assert theirs.version == number
            assert theirs.read(into) == number
            assert (into == number).all()


@pytest.mark.parametrize("wrong", ["x", [], {"recent": 5}, {"wins": "x"}, {"recent": [["a", 1]]}])
def test_standings_that_are_none_are_refused(wrong):
    with pytest.raises(ValueError, match="validation error"):
        Standings().load({"mean_turns": None, "by_name": {"self": wrong}})
