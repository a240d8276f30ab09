"""Play MOSSLIGHT ADVANCE to where a test begins."""

import pytest

from engine.emulator.core import core_version
from engine.env.game_env import GameEnv
from engine.wayfinding.exits import talk_exits
from engine.wayfinding.navigation import Navigator

NAME = "mosslight-advance"
needs_core = pytest.mark.skipif(
    not core_version(), reason="needs the mGBA core: pip install stable-retro"
)


def talk_to(env: GameEnv, tile: tuple[int, int], limit: int = 60) -> None:
    """Walk to somebody or something and press A."""
    navigator = Navigator()
    for _ in range(limit):
        if not env.state.control.is_free:
            return
        actions, _ = navigator.step_towards(env.state, talk_exits(env.state.map, tile))
        env.advance(actions[0])
    raise AssertionError(f"no way to {tile} from {env.state.place}")
