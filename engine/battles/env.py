"""One side of a battle as a Gymnasium environment."""

from types import MappingProxyType
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from engine.battles.learn.collector import potentials
from engine.battles.play.players import SCRIPTED, Player
from engine.battles.sim.actions import JOINT_CODES, PREVIEW_CODES, joint_mask
from engine.battles.sim.observation import MAX_ID, SIZE
from engine.battles.sim.setup import NodeCommand, find_simulator
from engine.battles.sim.simulator import (
    FOE_FAINTED,
    FOE_HP,
    NOBODY,
    OWN_FAINTED,
    OWN_HP,
    POLICY,
    TURN,
    Decisions,
    Lane,
    Simulator,
)
from engine.battles.sim.teams import DEFAULT_FORMAT, find_format, pool, validate
from engine.errors import ClosedError, ConfigurationError, EnvironmentError, WorkerError

MAX_ILLEGAL = 100
"""Illegal actions in a row after which an episode is truncated."""
_FIGURES = MappingProxyType(
    {
        "turns": TURN,
        "own_hp": OWN_HP,
        "foe_hp": FOE_HP,
        "own_fainted": OWN_FAINTED,
        "foe_fainted": FOE_FAINTED,
    }
)
"""Columns of a decision's figures by their names at a battle's end."""


class NoBattleError(EnvironmentError, gymnasium.error.ResetNeeded):
    """The battle has not begun, or is over; also Gymnasium's `ResetNeeded`."""

    def __init__(self, message: str = "There is no battle.", hint: str = "Call reset().") -> None:
        super().__init__(message, hint)


class VGCDoublesEnv(gymnasium.Env[NDArray[np.float32], np.int64]):
    """One side of a VGC doubles battle against an opponent; an episode is a battle.

    An action is a joint code of both slots, or at team preview one of the first 90 codes
    (engine/battles/sim/actions.py). One that `action_masks` does not allow is not played, and the
    same observation is returned. After a choice that the simulator rejects, as when something
    hidden keeps a Pokémon from switching, the decision comes again with a new observation.

    Args:
        opponent: Name of one of the simulator's own players, or any player.
        battle_format: Name of the format.
        team: Packed; "": the first shipped one.
        opponent_team: Packed; "": the same team.
        damage_reward: Shaping reward, see `engine.battles.learn.collector`.
        faint_reward: The same.
        gamma: Discount factor of the shaping rewards.
        render_mode: "ansi" lets `render` return the battle's log.
        node: How the simulator is run.

    Raises:
        ConfigurationError: There is no such opponent or format, or no simulator.
        BattleError: A team is not legal.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 (gymnasium's form)

    def __init__(
        self,
        opponent: str | Player = "heuristics",
        battle_format: str = DEFAULT_FORMAT.id,
        team: str = "",
        opponent_team: str = "",
        *,
        damage_reward: float = 0.0,
        faint_reward: float = 0.0,
        gamma: float = 0.99,
        render_mode: str | None = None,
        node: NodeCommand | None = None,
    ) -> None:
        self.observation_space = spaces.Box(-MAX_ID, MAX_ID, (SIZE,), np.float32)
        self.action_space = spaces.Discrete(JOINT_CODES)
        self.render_mode = render_mode
        if isinstance(opponent, str):
            if opponent not in SCRIPTED:
                names = ", ".join(SCRIPTED)
                raise ConfigurationError(f"There is no opponent {opponent!r}.", f"Use {names}.")
            opponent = Player(opponent)
        self._opponent = opponent
        self._format = find_format(battle_format)
        own = team or pool(self._format)[0].packed
        self._teams = (own, opponent_team or own)
        self._shaping = (damage_reward, faint_reward)
        self._gamma = gamma
        self._node = node or find_simulator()
        self._simulator: Simulator | None = Simulator((), self._node)
        try:
            for each in set(self._teams):
                validate(self._simulator, self._format, each)
        except BaseException:
            self._end()
            raise
        self._side = 0
        self._is_closed = False
        self._illegal = 0
        self._decisions: Decisions | None = None
        self._ended: NDArray[np.void] | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin a battle on a randomly drawn side.

        Raises:
            ClosedError: The environment was closed.
        """
        if self._is_closed:
            raise ClosedError
        super().reset(seed=seed)
        self._side = int(self.np_random.integers(2))
        seats = [POLICY, POLICY if self._opponent.policy else self._opponent.name]
        teams = list(self._teams)
        if self._side:
            seats.reverse()
            teams.reverse()
        chance = int(self.np_random.integers(1 << 31))
        lane = Lane(self._format.id, (teams[0], teams[1]), (seats[0], seats[1]), chance, limit=1)
        if self._simulator is None:
            self._simulator = Simulator((), self._node)
        self._illegal, self._ended = 0, None
        try:
            self._simulator.configure([lane])
            self._advance(NOBODY, NOBODY)
        except WorkerError:
            self._end()
            raise
        return self._observation.copy(), self._facts()

    def step(
        self, action: np.int64
    ) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Play to the next decision of this side, or to the end.

        Raises:
            NoBattleError: There is none, or it has ended.
            ClosedError: The environment was closed.
            WorkerError: The simulator died; `reset` starts another.
        """
        self._check()
        if self._ended is not None:
            raise NoBattleError
        if not self.action_masks()[action]:
            self._illegal += 1
            is_enough = self._illegal >= MAX_ILLEGAL
            return self._observation.copy(), 0.0, False, is_enough, self._facts(is_legal=False)
        self._illegal = 0
        assert self._decisions is not None
        before = self._potential()
        foes = (self._decisions.seats != self._side).nonzero()[0]
        seats = np.array([self._side, *self._decisions.seats[foes]])
        self._advance(seats, np.array([int(action), *self._codes(self._decisions, foes)]))
        is_over = self._ended is not None
        reward = self._gamma * self._potential() - before
        if self._ended is not None:
            reward += int(self._ended["result"])
        return self._observation.copy(), reward, is_over, False, self._facts()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal, (2025,); raises what `step` raises."""
        self._check()
        if not self._is_preview:
            mask: NDArray[np.bool_] = joint_mask(self._legal[None])[0]
            return mask
        return np.arange(JOINT_CODES) < PREVIEW_CODES

    def render(self) -> str | None:
        """Return the battle's log as spectators have seen it, in the simulator's protocol."""
        if self._is_closed:
            raise ClosedError
        if self.render_mode is None or self._simulator is None or self._decisions is None:
            return None
        if self._ended is None:
            return "\n".join(self._simulator.inspect(0))
        return "\n".join(self._log)

    def close(self) -> None:
        """End the simulator for good. May be called again."""
        self._is_closed = True
        self._end()

    def _check(self) -> None:
        """Raise unless there is a battle."""
        if self._is_closed:
            raise ClosedError
        if self._decisions is None:
            raise NoBattleError

    def _end(self) -> None:
        """End the simulator; `reset` starts another."""
        if self._simulator is not None:
            self._simulator.close()
        self._simulator = self._decisions = None

    def _advance(self, seats: NDArray[np.int64], codes: NDArray[np.int64]) -> None:
        """Answer decisions, and the opponent's that follow before our next."""
        assert self._simulator is not None
        try:
            while True:
                decisions = self._simulator.step(seats, codes)
                for row in decisions.ended:
                    if int(row["seat"]) == self._side:
                        self._ended = row
                        if self.render_mode:
                            (log,) = self._simulator.logs()
                            self._log = self._simulator.replay(log.input_log).lines
                        return
                if self._side in decisions.seats:
                    break
                seats = decisions.seats
                codes = self._codes(decisions, np.arange(len(seats)))
        except WorkerError:
            self._end()
            raise
        own = int((decisions.seats == self._side).argmax())
        self._decisions = decisions
        self._observation = decisions.observations[own]
        self._legal = decisions.legal[own]
        self._figures = decisions.info[own]
        self._is_preview = bool(decisions.is_preview[own])

    def _codes(self, decisions: Decisions, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the opponent's codes for these rows."""
        if not len(rows):
            return NOBODY
        assert self._simulator is not None
        return self._opponent.decide(self._simulator, decisions, rows, self.np_random)

    def _potential(self) -> float:
        """Return the potential of the position; 0 at the end."""
        if self._ended is not None:
            return 0.0
        return float(potentials(self._figures[None], *self._shaping)[0])

    def _facts(self, *, is_legal: bool = True) -> dict[str, Any]:
        """Return the info beside the observation, with the slot masks."""
        facts = {"legal": self._legal.copy(), "is_preview": self._is_preview, "is_legal": is_legal}
        if self._ended is None:
            return facts | {name: float(self._figures[at]) for name, at in _FIGURES.items()}
        return facts | {name: self._ended[name].item() for name in ("result", *_FIGURES)}
