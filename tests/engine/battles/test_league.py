import json

import numpy as np
import pytest

from engine.battles.play.league import League, Rules, nash_mixture
from engine.battles.policy import NUM_WEIGHTS, Policy, write_network
from engine.battles.sim.teams import DEFAULT_FORMAT, pool
from engine.errors import CheckpointError, ConfigurationError

RULES = Rules(DEFAULT_FORMAT.id, (pool(DEFAULT_FORMAT)[0].packed,), 2, 0, True)


def untrained(path, seed=1):
    rng = np.random.default_rng(seed)
    policy = Policy(rng.normal(0, 0.05, NUM_WEIGHTS).astype(np.float32))
    write_network(path, policy.by_name)
    return path


def test_the_nash_mixture_of_a_cycle_is_mixed_and_of_a_ladder_its_top():
    scissors = np.array([[0.5, 0.8, 0.2], [0.2, 0.5, 0.8], [0.8, 0.2, 0.5]])
    np.testing.assert_allclose(nash_mixture(scissors), [1 / 3] * 3, atol=1e-3)
    # In a cycle of three, each is played by the stake between the other two.
    uneven = np.array([[0.5, 0.6, 0.2], [0.4, 0.5, 0.7], [0.8, 0.3, 0.5]])
    mixture = nash_mixture(uneven)
    np.testing.assert_allclose(mixture, [2 / 6, 3 / 6, 1 / 6], atol=1e-3)
    assert (uneven @ mixture).max() <= 0.5 + 1e-4
    ladder = np.array([[0.5, 0.9, 0.9], [0.1, 0.5, 0.7], [0.1, 0.3, 0.5]])
    np.testing.assert_allclose(nash_mixture(ladder), [1, 0, 0], atol=1e-3)


def test_a_league_comes_back_with_its_results_and_knows_its_members(tmp_path):
    league = League(tmp_path / "league", RULES, {"num_teams": 1})
    source = untrained(tmp_path / "mine.zip")
    assert league.add("random", None) == "random"
    assert league.add("mine", source) == "mine"
    assert league.add("again", source) is None
    other = league.add("mine", untrained(tmp_path / "mine.zip", 2))
    assert other is not None
    assert other.startswith("mine-")
    assert league.unplayed() == 3
    league.wins[0, 1], league.wins[1, 0] = 0.5, 1.5
    league.save()
    found = League.load(tmp_path / "league")
    assert found is not None
    assert found.members == ["random", "mine", other]
    np.testing.assert_array_equal(found.wins, league.wins)
    assert found.rules == RULES
    assert found.unplayed() == 2
    assert found.opponents(np.array([0.25, 0.75, 0.0])) == {
        "random": 0.25, str(tmp_path / "league" / "policies" / "mine.zip"): 0.75
    }  # fmt: skip
    assert found.strongest(np.array([0.9, 0.04, 0.06])).stem == other
    empty = League(tmp_path, RULES, {}, ["random"], np.zeros((1, 1)))
    with pytest.raises(ConfigurationError, match="no policy to start from"):
        empty.strongest(np.ones(1))


@pytest.mark.parametrize("change", [{"wins": [[1]]}, {"members": 3}, {"rules": {}}, {"wins": None}])
def test_a_damaged_league_is_refused(change, tmp_path):
    league = League(tmp_path, RULES, {})
    league.add("random", None)
    league.add("greedy", None)
    league.save()
    path = tmp_path / "league.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(CheckpointError, match=r"league\.json is unreadable"):
        League.load(tmp_path)
    assert League.load(tmp_path / "none") is None


def test_only_those_who_have_not_met_play(showdown, tmp_path):
    league = League(tmp_path, RULES, {})
    for name in ("random", "greedy"):
        league.add(name, None)
    ended: list[int] = []
    league.play(showdown, ended.append)
    assert sum(ended) == 2
    first = league.wins.copy()
    league.add("max_power", None)
    league.play(showdown, ended.append)
    assert sum(ended) == 6
    np.testing.assert_array_equal(league.wins[:2, :2], first)
    assert not league.unplayed()
    mean, low, high = league.against(1, np.array([1.0, 0.0, 0.0]))
    assert low <= mean <= high
    assert mean == first[1, 0] / 2
    assert set(league.ratings()) == {"random", "greedy", "max_power"}
