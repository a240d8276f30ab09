from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import torch
from gymnasium.utils.env_checker import check_env

from engine.types import Action
from tests.benchmarks.against_sb3 import ours
from tests.benchmarks.against_sb3.cases import CASES
from tests.benchmarks.against_sb3.games import (
    GAMES,
    SIZE,
    TIME_LIMIT,
    Noted,
    NutFall,
    Observations,
    make_nutfall,
    play,
)
from tests.benchmarks.against_sb3.runs import Clock, Outcome
from tests.benchmarks.against_sb3.statistics import (
    difference,
    estimate,
    interquartile_mean,
    resampled,
)
from tests.benchmarks.against_sb3.tables import returns_rows, speed_row

LEFT, STAY, RIGHT = range(3)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    usual = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(usual)


def board(observation: Observations) -> Observations:
    return observation.reshape(3, SIZE, SIZE)


def columns(observation: Observations) -> tuple[int, Observations, Observations]:
    """Return where the catcher stands, and the rows of nuts and stones that come down next."""
    catcher, nuts, stones = board(observation)
    return int(catcher[-1].argmax()), nuts[:-1], stones[:-1]


def forager(observations: Observations) -> np.ndarray:
    """Walk to the lowest nut, and never to where a stone is about to land."""
    actions = []
    for observation in observations:
        column, nuts, stones = columns(observation)
        rows, places = np.nonzero(nuts)
        wanted = int(places[rows.argmax()]) if len(rows) else column
        safe = [
            action
            for action in (LEFT, STAY, RIGHT)
            if not stones[-1, min(max(column + action - 1, 0), SIZE - 1)]
        ]
        moves = sorted(safe or [STAY], key=lambda action: abs(column + action - 1 - wanted))
        actions.append(moves[0])
    return np.array(actions)


def test_nutfall_is_a_sound_gymnasium_environment() -> None:
    check_env(NutFall(), skip_render_check=True)


def test_nutfall_repeats_with_its_seed() -> None:
    games = [NutFall(), NutFall()]
    starts = [game.reset(seed=3)[0] for game in games]
    assert np.array_equal(*starts)
    for _ in range(20):
        ends = [game.step(RIGHT)[:3] for game in games]
        assert np.array_equal(ends[0][0], ends[1][0])
        assert ends[0][1:] == ends[1][1:]


@pytest.mark.parametrize(("channel", "result"), [(1, (1.0, False)), (2, (0.0, True))])
def test_a_nut_pays_and_a_stone_ends_the_game_where_they_land(
    channel: int, result: tuple[float, bool]
) -> None:
    game = NutFall()
    column, _, _ = columns(game.reset(seed=0)[0])
    game._board[channel, -2, column] = 1.0
    assert game.step(STAY)[1:3] == result


def test_nut_beside_the_catcher_is_gone() -> None:
    game = NutFall()
    column, _, _ = columns(game.reset(seed=0)[0])
    game._board[1:, -2, column] = 1.0
    away = LEFT if column else RIGHT
    observation, reward, is_over, _, _ = game.step(away)
    assert (reward, is_over) == (0.0, False)
    assert not board(game.step(STAY)[0])[1:, -1].any()
    assert board(observation)[0].sum() == 1.0


def test_nutfall_pays_a_looking_player_far_more() -> None:
    rng = np.random.default_rng(0)
    blind = play("NutFall", lambda states: rng.integers(3, size=len(states)), 20, seed=0)
    seeing = play("NutFall", forager, 20, seed=0)
    assert np.mean(seeing) > 10 * np.mean(blind)


def test_nutfall_is_cut_short_at_its_time_limit() -> None:
    game = make_nutfall()
    observation, _ = game.reset(seed=0)
    ends = (False, False)
    steps = 0
    while not any(ends):
        observation, _, *ends, _ = game.step(int(forager(observation[None])[0]))
        steps += 1
    assert (ends, steps) == ([False, True], TIME_LIMIT)


def test_returns_are_noted_in_the_order_in_which_episodes_end() -> None:
    returns: list[float] = []
    games = ours.Plain([Noted(GAMES["CartPole-v1"](), returns) for _ in range(2)])
    games.reset(0)
    lengths = np.zeros(2)
    expected = []
    for _ in range(60):
        batch = games.step(np.array([0, 1]))
        lengths += 1
        expected += lengths[batch.terminated].tolist()
        lengths[batch.terminated] = 0
    assert returns == expected


def test_agents_get_the_next_episodes_first_state_and_the_last_one_apart() -> None:
    games = ours.Plain([GAMES["CartPole-v1"]()])
    before = games.reset(0)
    batch = before
    while not batch.terminated[0]:
        before = batch
        batch = games.step(np.array([1]))
    assert np.abs(batch.features).max() < 0.06  # CartPole begins within 0.05
    assert abs(batch.final_features[0, 2]) > 0.2  # and ends at 0.2095 radians
    assert not before.final_features.any()
    assert batch.rewards[0] == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_our_agents_learn_and_act_within_the_games_actions(case) -> None:
    config = case.config
    if hasattr(config, "warmup_steps"):
        config = config.model_copy(update={"warmup_steps": 100, "capacity": 2_000})
    run = ours.train(replace(case, steps=600), 0, config)
    assert 600 <= run.steps < 600 + case.num_envs
    assert run.clock.wall_s > 0
    assert run.returns
    games = ours.Plain([GAMES[case.game]()])
    states = games.reset(0).features.repeat(50, 0)
    for policy in (run.acting, run.greedy):
        assert set(policy(states)) <= set(range(games.num_actions))
    assert len(set(run.greedy(states))) == 1


def test_no_action_is_open_that_the_game_lacks() -> None:
    mask = ours.batch_of(np.zeros((2, 4), np.float32), 3).mask
    assert mask.shape == (2, len(Action))
    assert mask.sum(1).tolist() == [3, 3]


def test_the_interquartile_mean_leaves_out_a_quarter_on_either_side() -> None:
    values = np.array([100.0, 3.0, 1.0, 2.0, -50.0, 4.0, 5.0, 6.0])
    assert interquartile_mean(values) == pytest.approx(np.mean([2, 3, 4, 5]))
    assert interquartile_mean(np.array([7.0])) == 7.0


def test_runs_of_one_value_each_vary_only_by_which_are_drawn() -> None:
    returns = np.repeat([[0.0], [10.0]], 8, axis=1)
    drawn = resampled(returns, np.random.default_rng(0), 400)
    assert set(drawn) == {0.0, 5.0, 10.0}
    assert np.mean(drawn == 5.0) == pytest.approx(0.5, abs=0.1)


def test_episodes_of_few_runs_do_not_narrow_the_interval() -> None:
    rng = np.random.default_rng(0)
    runs = rng.normal(100.0, 10.0, (5, 1))
    few = estimate(runs + rng.normal(0.0, 1.0, (5, 20)), rng)
    many = estimate(runs + rng.normal(0.0, 1.0, (5, 200)), rng)
    assert many.high - many.low == pytest.approx(few.high - few.low, rel=0.25)
    assert few.low < few.value < few.high


def test_a_clear_difference_has_an_interval_on_one_side_of_0() -> None:
    rng = np.random.default_rng(0)
    low, high = rng.normal(10.0, 1.0, (5, 20)), rng.normal(20.0, 1.0, (5, 20))
    gap = difference(low, high, rng)
    assert gap.high < 0
    assert gap.value == pytest.approx(-10.0, abs=1.0)
    same = difference(low, rng.normal(10.0, 1.0, (5, 20)), rng)
    assert same.low < 0 < same.high


def test_tables_say_who_is_below_and_take_ratios_within_each_seed() -> None:
    slow = [Outcome(100, Clock(2.0, 1.0), {"greedy": [1.0] * 20}) for _ in range(3)]
    fast = [Outcome(100, Clock(1.0, 0.5), {"greedy": [2.0] * 20}) for _ in range(3)]
    row = returns_rows(CASES[0], "PPO", slow, fast)
    assert row[0].endswith("| 1.0 [1.0, 1.0] | 2.0 [2.0, 2.0] | -1.0 [-1.0, -1.0] | no |")
    assert "| 0.50 (0.50 to 0.50) |" in speed_row("PPO", slow, fast)


def test_theirs_takes_the_same_hyperparameters() -> None:
    pytest.importorskip("stable_baselines3")
    from tests.benchmarks.against_sb3 import theirs

    for case in CASES:
        run = theirs.train(replace(case, steps=300), 0)
        assert run.steps >= 300
        states = np.zeros((2, 4 if "CartPole" in case.game else 300), np.float32)
        assert run.acting(states).shape == run.greedy(states).shape == (2,)
    zoo = CASES[1].config
    assert theirs.steps_between(zoo, zoo.gradient_steps) == 256
    assert theirs.steps_between(zoo, zoo.target_interval) == 256
