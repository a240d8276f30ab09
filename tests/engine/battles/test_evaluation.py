import math

import numpy as np
import pytest

from engine.battles.play.evaluation import (
    ANCHOR_ELO,
    Score,
    ratings,
    round_robin,
    schedule,
    win_rates,
)
from engine.battles.play.players import Player
from engine.battles.policy import NUM_WEIGHTS, Policy
from engine.battles.sim.teams import DEFAULT_FORMAT, pool

RANDOM, GREEDY = Player("random"), Player("greedy")
TEAMS = [team.packed for team in pool(DEFAULT_FORMAT)[:4]]


def test_a_score_counts_ties_half():
    score = Score(6, 2, 2, 50)
    assert (score.battles, score.win_rate, score.mean_turns) == (10, 0.7, 5.0)
    low, high = score.interval
    assert 0.39 < low < 0.40
    assert 0.89 < high < 0.90


def test_a_schedule_exchanges_sides_at_the_same_teams_and_seed():
    matches = schedule(RANDOM, GREEDY, TEAMS, 64, 3)
    assert len(matches) == 64
    for one, other in zip(matches[::2], matches[1::2], strict=True):
        assert one.players == other.players[::-1] == (RANDOM, GREEDY)
        assert (one.teams, one.seed) == (other.teams, other.seed)
    pairings = [match.teams for match in matches]
    assert all(pairings.count((own, foe)) == 4 for own in TEAMS for foe in TEAMS)


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
    (score,) = win_rates(GREEDY, [RANDOM], DEFAULT_FORMAT, TEAMS[:1], showdown, battles=6)
    assert score.battles == 6
    assert score.won >= 5
