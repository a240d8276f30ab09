"""Play MOSSLIGHT ADVANCE to where a test begins."""

from collections.abc import Callable

import pytest

from engine.emulator.core import core_version
from engine.env.game_env import GameEnv
from engine.planning.rules.advisor import RuleAdvisor
from engine.types import Action, GameState
from engine.wayfinding.navigation import Navigator, talk_exits

NAME = "mosslight-advance"
needs_core = pytest.mark.skipif(
    not core_version(), reason="needs the mGBA core: pip install stable-retro"
)


def play_until(env: GameEnv, is_there: Callable[[GameState], bool], limit: int = 400) -> None:
    """Let the rules play until a state is as wanted."""
    advisor = RuleAdvisor(env.game)
    advisor.reset(env.state)
    for _ in range(limit):
        if is_there(env.state):
            return
        advice = advisor.advise(env.state, env.action_mask())
        env.advance(int(advice.prior.argmax()) if advice.confidence else Action.B)
    raise AssertionError(f"not in {limit} steps: {env.state.place}, {env.state.screen_text}")


def talk_to(env: GameEnv, tile: tuple[int, int], limit: int = 60) -> None:
    """Walk to somebody or something and press A."""
    navigator = Navigator()
    for _ in range(limit):
        if not env.state.control.is_free:
            return
        actions, _ = navigator.step_towards(env.state, talk_exits(env.state.map, tile))
        env.advance(actions[0])
    raise AssertionError(f"no way to {tile} from {env.state.place}")
