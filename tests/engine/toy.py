"""A grid world with the form of the vector environment, for tests of what learns and trains.

The player starts anywhere on a square board and is paid for reaching the goal tile. Every part of
its state is saved, so that resuming can be compared bit for bit.
"""

import json
from typing import Any

import numpy as np

from engine.config import RunConfig
from engine.env.batch import Batch, Inspection
from engine.planning_types import PlannerUpdate, PlanningQuery, UserOverrides
from engine.types import (
    Action,
    EpisodeSummary,
    Facing,
    GameState,
    Goal,
    MapId,
    MapView,
    Place,
    RewardBreakdown,
    Spaces,
)
from tests.engine.states import make_state

SIZE = 6
MAX_STEPS = 40
STEP_COST = 0.01
GOAL = (SIZE - 1, SIZE - 1)
MOVES = {
    Action.UP: (0, -1),
    Action.DOWN: (0, 1),
    Action.LEFT: (-1, 0),
    Action.RIGHT: (1, 0),
}
FEATURE_SIZE = 2 * SIZE
PIXELS_SHAPE = (3, 72, 80)
SPACES = Spaces(FEATURE_SIZE, len(Action), PIXELS_SHAPE)


class ToyGame:
    """One board."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.rng = np.random.default_rng(0)
        self.total = 0.0
        self.steps = 0
        self.weights = {"goal": 1.0, "step": 1.0}
        self.begin()

    def begin(self) -> None:
        self.total, self.steps = 0.0, 0
        self.x, self.y = (int(v) for v in self.rng.integers(0, SIZE, 2))
        if (self.x, self.y) == GOAL:
            self.x = 0

    def features(self) -> np.ndarray:
        result = np.zeros(FEATURE_SIZE, np.float32)
        result[self.x] = result[SIZE + self.y] = 1.0
        return result

    def pixels(self) -> np.ndarray:
        """Show the player as a white tile of 12 x 12."""
        result = np.zeros(PIXELS_SHAPE, np.uint8)
        result[:, 12 * self.y : 12 * (self.y + 1), 12 * self.x : 12 * (self.x + 1)] = 255
        return result

    def mask(self) -> np.ndarray:
        result = np.zeros(len(Action), np.bool_)
        result[[Action.A, Action.B]] = True
        for action, (dx, dy) in MOVES.items():
            result[action] = 0 <= self.x + dx < SIZE and 0 <= self.y + dy < SIZE
        return result

    def prior(self) -> np.ndarray:
        result = np.zeros(len(Action), np.float32)
        result[Action.RIGHT if self.x < GOAL[0] else Action.DOWN] = 1.0
        return result

    def step(self, action: int) -> tuple[float, bool, bool]:
        assert self.mask()[action], f"masked action {action}"
        dx, dy = MOVES.get(Action(action), (0, 0))
        self.x, self.y, self.steps = self.x + dx, self.y + dy, self.steps + 1
        is_done = (self.x, self.y) == GOAL
        reward = self.weights["goal"] * is_done - self.weights["step"] * STEP_COST
        self.total += reward
        return reward, is_done, self.steps >= MAX_STEPS and not is_done

    def summary(self, is_success: bool) -> EpisodeSummary:
        goal = 1.0 if is_success else 0.0
        return EpisodeSummary(
            env_index=self.index,
            total_reward=self.total,
            length=self.steps,
            components=(("goal", goal), ("step", self.total - goal)),
            steps_to_milestone={"goal": self.steps} if is_success else {},
            maps_seen=1,
            is_success=is_success,
        )

    def save(self) -> bytes:
        facts = [self.x, self.y, self.steps, self.total, self.rng.bit_generator.state]
        return json.dumps(facts).encode()

    def load(self, state: bytes) -> None:
        self.x, self.y, self.steps, self.total, rng = json.loads(state)
        self.rng.bit_generator.state = rng


def blank_batch(count: int, **changes: Any) -> Batch:
    """Return a step of `count` games in which nothing happened, with what the test changes."""
    actions = count, len(Action)
    fields: dict[str, Any] = {
        "features": np.zeros((count, 1), np.float32),
        "mask": np.ones(actions, np.bool_),
        "prior": np.zeros(actions, np.float32),
        "advice_confidence": np.zeros(count, np.float32),
        "rewards": np.zeros(count, np.float32),
        "terminated": np.zeros(count, np.bool_),
        "truncated": np.zeros(count, np.bool_),
        "final_features": np.zeros((count, 1), np.float32),
    }
    return Batch(**fields | changes)


class ToyVector:
    """Several boards as a world that lacks live play, recording and replacement."""

    feature_size = FEATURE_SIZE
    num_actions = len(Action)
    component_names = ("goal", "step")
    milestone_keys = ("goal",)
    reward_weights = (("goal", 1.0), ("step", 1.0))
    can_record = False

    def __init__(self, config: RunConfig) -> None:
        self.num_envs = config.num_envs
        self._has_pixels = config.needs_pixels
        self.games = [ToyGame(index) for index in range(self.num_envs)]
        self.watched: int | None = None
        self.renders = True
        self.update: list[PlannerUpdate] = []
        self.overrides = UserOverrides()
        self.is_closed = False
        self.fail_at_step = 0
        self.num_steps = 0
        self._breakdown = RewardBreakdown(())

    def reset(self, seeds) -> Batch:
        for game, seed in zip(self.games, seeds, strict=True):
            game.rng = np.random.default_rng(seed)
            game.begin()
        return self._batch()

    def step(self, actions: np.ndarray, *, shows: bool = True) -> Batch:
        self.num_steps += 1
        if self.num_steps == self.fail_at_step:
            raise RuntimeError("toy failure")
        return self._step(range(self.num_envs), actions)

    def step_one(self, index: int, action: int) -> Batch:
        return self._step([index], {index: action})

    def _step(self, indices, actions) -> Batch:
        rewards = np.zeros(self.num_envs, np.float32)
        terminated = np.zeros(self.num_envs, np.bool_)
        truncated = np.zeros(self.num_envs, np.bool_)
        final = np.zeros((self.num_envs, FEATURE_SIZE), np.float32)
        final_pixels = np.zeros((self.num_envs, *PIXELS_SHAPE), np.uint8)
        summaries = {}
        for index in indices:
            game = self.games[index]
            rewards[index], terminated[index], truncated[index] = game.step(int(actions[index]))
            if index == self.watched:
                self._breakdown = RewardBreakdown((("goal", float(rewards[index])),))
            if terminated[index] or truncated[index]:
                final[index] = game.features()
                final_pixels[index] = game.pixels()
                summaries[index] = game.summary(bool(terminated[index]))
                game.begin()
        return self._batch(
            rewards=rewards,
            terminated=terminated,
            truncated=truncated,
            final_features=final,
            summaries=summaries,
            final_pixels=final_pixels,
        )

    def _batch(self, **changes: Any) -> Batch:
        n = self.num_envs
        if self._has_pixels:
            changes["pixels"] = np.stack([game.pixels() for game in self.games])
        else:
            changes.pop("final_pixels", None)
        parts = {
            name: np.stack([getattr(game, name)() for game in self.games])
            for name in ("features", "mask", "prior")
        }
        fields: dict[str, Any] = {
            "advice_confidence": np.ones(n, np.float32),
            "final_features": np.zeros((n, FEATURE_SIZE), np.float32),
            "goal_sources": np.zeros(n, np.int64),
            "wants_plan": np.zeros(n, np.bool_),
        }
        return blank_batch(n, **parts, **fields | changes)

    def begin_now(
        self,
        index: int,
        snapshot: bytes = b"",
        start: str = "",
        *,
        continues: bool = False,
        max_steps: int = 0,
    ) -> Batch:
        game = self.games[index]
        truncated = np.zeros(self.num_envs, np.bool_)
        truncated[index] = True
        game.begin()
        if snapshot:
            game.x, game.y = json.loads(snapshot)[:2]
        left = EpisodeSummary(index, 0.0, 0, (), is_aborted=True)
        return self._batch(truncated=truncated, summaries={index: left})

    def snapshot(self, index: int) -> bytes:
        return self.games[index].save()

    def place(self, index: int) -> str:
        return "BOARD"

    def override(self, overrides: UserOverrides) -> None:
        self.overrides = overrides
        weights = dict(self.reward_weights) | dict(overrides.weights)
        for game in self.games:
            game.weights = weights

    def update_planner(self, update: PlannerUpdate) -> None:
        self.update.append(update)

    def question(self, index: int) -> PlanningQuery | None:
        return None

    def watch(self, index: int | None, *, renders: bool = True) -> None:
        self.watched, self.renders = index, renders

    def inspect(self) -> Inspection | None:
        if self.watched is None:
            return None
        game = self.games[self.watched]
        return Inspection(
            frame=np.zeros((144, 160, 3), np.uint8) if self.renders else None,
            state=_state(game),
            breakdown=self._breakdown,
            goal=Goal("goal", "reach the corner"),
            reason="the corner is that way",
            milestones=frozenset(),
            episode=(("goal", game.total),),
        )

    def save(self) -> list[bytes]:
        return [game.save() for game in self.games]

    def load(self, states: list[bytes]) -> Batch:
        for game, state in zip(self.games, states, strict=True):
            game.load(state)
        return self._batch()

    def close(self) -> None:
        self.is_closed = True


def _state(game: ToyGame) -> GameState:
    return make_state(
        place=Place(MapId(1, 1), "BOARD", game.x, game.y, Facing.DOWN, "indoor"),
        money=0,
        map=MapView(SIZE, SIZE, np.zeros((SIZE, SIZE), np.uint8), (), (), frozenset()),
    )
