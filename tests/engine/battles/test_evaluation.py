import math
from collections import Counter

import numpy as np
import pytest

from engine.battles.play.evaluation import (
    ANCHOR_ELO,
    Score,
    TeamScores,
    mean_interval,
    ratings,
    round_robin,
    schedule,
    win_rates,
)
from engine.battles.play.players import Player
from engine.battles.policy import NUM_WEIGHTS, Policy
from engine.battles.sim.teams import DEFAULT_FORMAT, pool

RANDOM, GREEDY = Player("random"), Player("greedy")
TEAMS = [team.packed for team in pool(DEFAULT_FORMAT)]


def test_a_score_counts_ties_half():
    score = Score(6, 2, 2, 50)
    assert (score.battles, score.win_rate, score.mean_turns) == (10, 0.7, 5.0)
    low, high = score.interval
    assert 0.39 < low < 0.40
    assert 0.89 < high < 0.90


def test_a_schedule_exchanges_sides_at_the_same_teams_and_seed():
    teams = TEAMS[:4]
    matches = schedule(RANDOM, GREEDY, teams, 64, 3)
    assert len(matches) == 64
    for one, other in zip(matches[::2], matches[1::2], strict=True):
        assert one.players == other.players[::-1] == (RANDOM, GREEDY)
        assert (one.teams, one.seed) == (other.teams, other.seed)
    pairings = [match.teams for match in matches]
    assert all(pairings.count((own, foe)) == 4 for own in teams for foe in teams)


def test_of_many_teams_each_plays_equally_often_on_both_sides_though_few_pairings_meet():
    matches = schedule(RANDOM, GREEDY, TEAMS, 2 * 3 * len(TEAMS), 1)
    assert matches == schedule(RANDOM, GREEDY, TEAMS, 2 * 3 * len(TEAMS), 1)
    firsts, seconds = zip(*(match.teams for match in matches), strict=True)
    for played in (Counter(firsts), Counter(seconds)):
        assert played.keys() == set(TEAMS)
        assert set(played.values()) == {6}
    assert len({match.teams for match in matches}) == 3 * len(TEAMS)
    fewer = Counter(match.teams[0] for match in schedule(RANDOM, GREEDY, TEAMS, 100, 1))
    assert set(fewer.values()) == {2}


def test_scores_are_told_by_own_and_foe_team():
    counts = np.zeros((2, 2, 4), int)
    counts[0, 1] = 3, 1, 0, 40
    counts[1, 0] = 0, 0, 4, 20
    scores = TeamScores(counts)
    assert scores.total == Score(3, 1, 4, 60)
    assert [score.win_rate for score in scores.by_own] == [0.875, 0.0]
    assert [score.win_rate for score in scores.by_foe] == [0.0, 0.875]
    assert (scores + scores).total.battles == 16


def test_the_mean_of_runs_has_an_interval_over_runs():
    mean, low, high = mean_interval([0.6, 0.7, 0.8])
    assert mean == pytest.approx(0.7)
    assert high - mean == mean - low == pytest.approx(4.30 * 0.1 / math.sqrt(3))
    assert math.isnan(mean_interval([0.6])[1])


def test_ratings_give_a_win_rate_back_as_elo_difference():
    first, second = ratings(["random", "strong"], np.array([[0, 10], [90, 0]]))
    assert (first.name, second.name, second.elo, second.error) == ("strong", "random", 1000, 0)
    assert first.elo - ANCHOR_ELO == pytest.approx(400 * math.log10(90.5 / 10.5))
    chance = 90.5 / 101
    deviation = 400 / math.log(10) / math.sqrt(101 * chance * (1 - chance))
    assert first.error == pytest.approx(deviation)


def test_who_never_wins_has_a_rating_and_the_first_is_the_anchor_without_random():
    found = ratings(["a", "b", "c"], np.array([[0, 9, 9], [1, 0, 9], [1, 1, 0]], float))
    assert [rating.name for rating in found] == ["a", "b", "c"]
    assert found[0].elo == ANCHOR_ELO
    lonely, _ = ratings(["a", "b"], np.array([[0, 1000], [0, 0]], float))
    assert math.isfinite(lonely.error)


def test_players_meet_in_the_simulator_with_equal_results_for_a_seed(showdown):
    untrained = Player("untrained", Policy(np.zeros(NUM_WEIGHTS, np.float32)), False)
    ended = []

    def meet():
        given = [RANDOM, GREEDY, untrained], DEFAULT_FORMAT, TEAMS[:1], showdown
        return round_robin(*given, battles=2, advance=ended.append)

    wins = meet()
    assert (wins + wins.T == 2 * (1 - np.eye(3))).all()
    assert sum(ended) == 6
    assert (meet() == wins).all()


def test_win_rates_are_those_of_the_player_from_both_sides(showdown):
    (scores,) = win_rates(GREEDY, [RANDOM], DEFAULT_FORMAT, TEAMS[:2], showdown, battles=8)
    assert scores.total.battles == 8
    assert scores.total.won >= 6
    assert [score.battles for score in scores.by_own + scores.by_foe] == [4] * 4
