"""Let the player of the game's tests play through the environment, and count what it is paid."""

from collections import Counter
from types import TracebackType
from typing import Any, Self

from engine.config import EnvConfig, RewardConfig
from engine.env.game_env import GameEnv
from engine.types import Action
from tests.roms.machine import Machine

ACTIONS = {"": Action.NOOP, **{action.name.lower(): action for action in Action}}


class PaidMachine(Machine):
    """A machine whose every action is a step of the environment.

    Attributes:
        paid: What was paid since `forget`, by component; charges are left out.
    """

    def __init__(self, rewards: RewardConfig | None = None) -> None:
        # The player's scripts count presses, as of steps that do not wait for a question.
        config = EnvConfig(ask_frames=0)
        self.env = GameEnv(observation_type="state", rewards=rewards, config=config)
        self.env.reset(seed=1)
        self.rom = self.env.emulator.rom
        self._boy: Any = self.env.emulator._pyboy
        self.actions = 0
        self.paid: Counter[str] = Counter()
        self.causes: list[str] = []

    def act(self, button: str = "", hold: int = 0, frames: int = 0) -> None:
        """Take one step; how long the button is held is the environment's business."""
        self.env.advance(ACTIONS[button])
        self.actions += 1
        self.paid.update(
            {name: value for name, value in self.env.breakdown.components if value > 0}
        )
        self.causes += self.env.breakdown.causes

    def forget(self) -> None:
        """Start counting anew."""
        self.paid.clear()
        self.causes.clear()

    def poke_word(self, name: str, value: int) -> None:
        """Write a two-byte number."""
        self.poke(name, value >> 8)
        self.poke(name, value & 255, 1)

    def hurt(self, hp: int) -> None:
        """Leave the first creature with `hp`, as a battle would."""
        self.poke_word("wPartyMon1HP", hp)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.env.close()
