"""Components and rewards of a user's own, in a real environment."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine.config import RewardConfig, RunConfig, load_config
from engine.env.game_env import GameEnv
from engine.env.vector.world import PLAIN_FACTORY, VectorEnv
from engine.errors import CheckpointError, ConfigurationError
from engine.rewards.composer import ENTRY_POINTS, RewardComposer
from engine.types import Action, GameState
from tests.engine.states import make_state

MODULE = "tests.engine.rewards.own"
STEPS = f"{MODULE}:Steps"
Make = Callable[..., GameEnv]


@pytest.fixture
def env(game_env: Make) -> GameEnv:
    env = game_env(rewards=RewardConfig(extra={STEPS: 2.0}))
    env.reset(seed=0)
    return env


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a package that announces a component."""
    (tmp_path / "westward.py").write_text(f"from {MODULE} import Steps\n")
    facts = tmp_path / "westward-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: westward\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(f"[{ENTRY_POINTS}]\nwestward = westward:Steps\n")
    monkeypatch.syspath_prepend(str(tmp_path))


def test_class_pays_in_the_environment(env: GameEnv) -> None:
    assert env.component_names[-1] == "leftwards"
    paid = []
    for action in (Action.LEFT, Action.RIGHT, Action.LEFT, Action.LEFT):
        _, reward, *_ = env.step(action)
        components = dict(env.breakdown.components)
        paid.append(components["leftwards"])
        assert reward == sum(components.values())
    assert paid == [2.0, 0.0, 0.0, 2.0]
    assert "further left than ever" in env.breakdown.causes
    assert dict(env.summary().components)["leftwards"] == 4.0


def test_state_of_a_component_is_saved(env: GameEnv, game_env: Make) -> None:
    env.step(Action.LEFT)
    saved = env.save()
    env.step(Action.LEFT)
    env.restore(saved)
    env.step(Action.RIGHT)
    assert dict(env.breakdown.components)["leftwards"] == 0.0
    with pytest.raises(CheckpointError, match="other reward components"):
        game_env().restore(saved)


@pytest.mark.usefixtures("installed")
def test_worker_process_pays_it_too(tmp_path: Path) -> None:
    config = RunConfig(save_dir=str(tmp_path), rewards=RewardConfig(extra={"westward": 2.0}))
    with VectorEnv(PLAIN_FACTORY, config, 2, 1) as vector:
        vector.reset([1, 2])
        assert vector.reward_weights[-1][0] == "leftwards"
        rewards = vector.step(np.array([Action.LEFT, Action.RIGHT])).rewards
    assert rewards[0] > 2.0 > rewards[1]


def test_config_file_adds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POKETUI_TRUST", STEPS)
    file = tmp_path / "run.toml"
    file.write_text(f'[rewards.extra]\n"{STEPS}" = 0.5\n')
    assert RewardComposer(load_config(file).rewards).names[-1] == "leftwards"


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({f"{MODULE}:Badge": 1.0}, "the name 'badge' is taken"),
        ({f"{MODULE}:Custom": 1.0}, "the name 'custom' is taken"),
        ({STEPS: 1.0, "tests.engine.rewards.test_own:Steps": 1.0}, "Cannot find"),
        ({f"{MODULE}:Demanding": 1.0}, "how_far"),
        ({f"{MODULE}:Nameless": 1.0}, "is not a reward component"),
        ({f"{MODULE}:NOTHING_TO_CALL": 1.0}, "not callable"),
        ({"swim": 1.0}, "under poketui.rewards"),
    ],
)
def test_entry_that_is_no_component_is_one_clear_line(
    extra: dict[str, float], message: str
) -> None:
    with pytest.raises(ConfigurationError) as raised:
        GameEnv(observation_type="state", rewards=RewardConfig(extra=extra))
    assert message in str(raised.value)
    assert raised.value.hint


def test_wrong_component_stops_the_worker_with_the_same_line(tmp_path: Path) -> None:
    config = RunConfig(save_dir=str(tmp_path), rewards=RewardConfig(extra={"swim": 1.0}))
    with pytest.raises(ConfigurationError, match=r"under poketui\.rewards"):
        VectorEnv(PLAIN_FACTORY, config, 1, 1)


def test_component_that_is_switched_off_pays_nothing() -> None:
    composer = RewardComposer(RewardConfig(extra={STEPS: 0.0}))
    composer.reset(make_state())
    assert composer.names[-1] == "leftwards"


# The two examples of the documented override, word for word but for the types.


class CustomPokemonEnv(GameEnv):
    def _calculate_reward(
        self, current_state: GameState, previous_state: GameState, action: int
    ) -> float:
        base_reward = super()._calculate_reward(current_state, previous_state, action)

        # Add custom rewards
        custom_reward = 0.0
        if current_state.get("custom_condition"):
            custom_reward += 50.0

        return base_reward + custom_reward


class CustomRewardEnvironment(GameEnv):
    def _check_custom_condition(self, state: GameState) -> bool:
        return state.place.facing.name == "LEFT"

    def _calculate_reward(
        self, current_state: GameState, previous_state: GameState, action: int
    ) -> float:
        base_reward = super()._calculate_reward(current_state, previous_state, action)

        # Add custom reward logic
        custom_reward = 0.0
        if self._check_custom_condition(current_state):
            custom_reward += 100.0

        return base_reward + custom_reward


class OwnRewardOnly(GameEnv):
    def _calculate_reward(
        self, current_state: GameState, previous_state: GameState, action: int
    ) -> float:
        return 7.0


def own_env(kind: type[GameEnv]) -> GameEnv:
    env = kind(observation_type="state")
    env.reset(seed=0)
    return env


def test_documented_example_without_its_condition_changes_nothing() -> None:
    with own_env(CustomPokemonEnv) as env, own_env(GameEnv) as plain:
        for action in (Action.LEFT, Action.UP, Action.A):
            assert env.step(action)[1] == plain.step(action)[1]
            assert env.breakdown == plain.breakdown


def test_documented_example_shows_as_custom_and_sums_exactly() -> None:
    with own_env(CustomRewardEnvironment) as env:
        for action, custom in ((Action.LEFT, 100.0), (Action.RIGHT, 0.0), (Action.LEFT, 100.0)):
            _, reward, *_ = env.step(action)
            components = dict(env.breakdown.components)
            assert components.get("custom", 0.0) == pytest.approx(custom)
            assert reward == env.breakdown.total == sum(components.values())
        assert dict(env.episode_sums)["custom"] == pytest.approx(200.0)


def test_override_may_replace_the_reward() -> None:
    with own_env(OwnRewardOnly) as env:
        for _ in range(3):
            assert env.step(Action.LEFT)[1] == 7.0
            assert env.breakdown.components == (("custom", 7.0),)
        assert env.summary().total_reward == 21.0
