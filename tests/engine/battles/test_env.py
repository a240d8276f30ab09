from collections.abc import Iterator

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from engine.battles.env import MAX_ILLEGAL, VGCDoublesEnv
from engine.battles.play.players import Player
from engine.battles.policy import NUM_WEIGHTS, Policy
from engine.battles.sim.actions import PREVIEW_CODES
from engine.errors import BattleError, ConfigurationError, WorkerError

GAMMA = 0.9


@pytest.fixture(scope="module")
def env(showdown) -> Iterator[VGCDoublesEnv]:
    rewards = {"damage_reward": 0.5, "faint_reward": 0.25, "gamma": GAMMA}
    found = VGCDoublesEnv("random", render_mode="ansi", node=showdown, **rewards)
    yield found
    found.close()


def play(env: VGCDoublesEnv, seed: int) -> tuple[list[float], dict]:
    """Play a battle at random, and return its rewards and the last facts."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    rewards, is_over = [], False
    while not is_over:
        action = rng.choice(env.action_masks().nonzero()[0])
        _, reward, is_over, is_cut, facts = env.step(action)
        assert facts["is_legal"]
        assert not is_cut
        rewards.append(reward)
    return rewards, facts


def test_the_environment_is_as_gymnasium_wants_it(env):
    check_env(env, skip_render_check=True)


def test_an_episode_begins_at_team_preview_with_ninety_actions(env):
    observation, facts = env.reset(seed=1)
    assert facts["is_preview"]
    assert env.action_masks().nonzero()[0].tolist() == list(range(PREVIEW_CODES))
    after, _, _, _, facts = env.step(np.int64(0))
    assert not facts["is_preview"]
    assert (observation != after).any()


def test_shaping_rewards_are_paid_back_by_the_end(env):
    for seed in range(3):
        rewards, facts = play(env, seed)
        paid = sum(GAMMA**step * reward for step, reward in enumerate(rewards))
        # The potential of team preview is 0, and so is that of the end.
        assert paid == pytest.approx(GAMMA ** (len(rewards) - 1) * facts["result"], abs=1e-5)
        assert any(reward for reward in rewards[:-1])
        assert facts["result"] * (facts["foe_fainted"] - facts["own_fainted"]) > 0


def test_an_illegal_action_is_not_played_and_many_truncate_the_episode(env):
    observation, _ = env.reset(seed=2)
    for left in reversed(range(MAX_ILLEGAL)):
        again, reward, is_over, is_cut, facts = env.step(np.int64(PREVIEW_CODES))
        assert (again == observation).all()
        assert (reward, is_over, is_cut, facts["is_legal"]) == (0, False, left == 0, False)


def test_a_battle_that_has_ended_needs_a_reset_and_its_log_is_rendered(env):
    _, facts = play(env, 4)
    lines = env.render().split("\n")
    assert lines[-1].startswith("|win|p")
    assert f"|turn|{facts['turns']:.0f}" in lines
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(np.int64(0))
    env.reset()
    assert "|teampreview|4" in env.render().split("\n")


def test_an_opponent_with_a_policy_decides_for_its_own_side(showdown):
    policy = Player("mine", Policy(np.zeros(NUM_WEIGHTS, np.float32)), is_greedy=False)
    env = VGCDoublesEnv(policy, node=showdown)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(np.int64(0))
    _, facts = play(env, 5)
    assert facts["result"] in (-1, 0, 1)
    env._simulator._process.kill()
    with pytest.raises(WorkerError):
        env.reset()
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(np.int64(0))
    env.reset()
    env.close()


def test_what_is_unknown_or_illegal_is_refused(showdown):
    with pytest.raises(ConfigurationError, match="no opponent 'nobody'"):
        VGCDoublesEnv("nobody", node=showdown)
    with pytest.raises(BattleError, match="not legal"):
        VGCDoublesEnv(team="Pikachu||||Thunderbolt|||||||", node=showdown)
