"""Step an environment through plain arrays: what a worker process and the trainer deal in."""

import base64
import json
import math
import struct
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.config import RunConfig
from engine.env.array_env import Advisor, Inspection, PlannerAdvisor
from engine.env.demo_requests import CANNOT_RECORD, DemoEnded, DemoFacts, DemoRequest
from engine.env.game_env import GameEnv
from engine.env.pixels import FrameStack, Sight
from engine.env.start_states import states_folder
from engine.errors import DemoError
from engine.planning_types import GoalOutcome, PlannerUpdate, PlanningQuery, UserOverrides
from engine.rewards.paid import Paid
from engine.types import (
    EpisodeSummary,
    Frame,
    Goal,
    GoalKind,
)

BRANCHED = "branched"
"""Where an episode began that a person let begin at a moment: at no milestone."""

_GOAL_KINDS = tuple(GoalKind)

_SIZES = struct.Struct("<II")
"""Bytes of the JSON about advisor and starts, and of the last frames."""


class SteppedEnv:
    """An `ArrayEnv` over the Gymnasium environment, with an advisor or without.

    Args:
        env: The game, best with `observation_type="state"`.
        advisor: Fills `prior` and `confidence`.
        sees_pixels: Render every step, for `pixels`.
        sight: Makes `pixels` of the frames; None: the agents' three grey ones.
        is_advised: Ask the advisor from the beginning on; else only once a person wants it.
    """

    def __init__(
        self,
        env: GameEnv,
        advisor: Advisor | None = None,
        *,
        sees_pixels: bool = False,
        sight: Sight | None = None,
        is_advised: bool = True,
    ) -> None:
        self.env = env
        self.feature_size = env.feature_size
        self.num_actions = num_actions = len(env.game.actions)
        self.component_names = env.component_names
        self.milestone_keys = env.milestone_keys
        self.features = np.zeros(env.feature_size, np.float32)
        self.mask = np.ones(num_actions, np.bool_)
        self.prior = np.zeros(num_actions, np.float32)
        self.confidence = 0.0
        self.nearness = math.nan
        self._advisor = advisor
        self._planner_advisor = advisor if isinstance(advisor, PlannerAdvisor) else None
        self._began_advised = self._wants_advice = self._is_advised = is_advised
        self._goal_sources: dict[str, int] = {}
        self._goal: Goal | None = None
        self._reason = ""
        self._start = ""
        self._next_start: tuple[str, bytes] | None = None
        self._paid = Paid()
        self._is_watched = self._shows_frames = False
        self._stack = (sight or FrameStack(env.game.frame_shape)) if sees_pixels else None
        self._renders_always = env.is_rendering or sees_pixels
        env.is_rendering = self._renders_always

    @property
    def pixels(self) -> NDArray[np.uint8] | None:
        """Return the last frames, None where nobody wants them."""
        return None if self._stack is None else self._stack.pixels

    @property
    def is_watched(self) -> bool:
        """Return whether payments are collected for `inspect`."""
        return self._is_watched

    def watch(self, is_watched: bool, *, renders: bool = True) -> None:
        """Collect payments for `inspect` from now on, or no more; render for it, or not."""
        self._is_watched = is_watched
        self._shows_frames = is_watched and renders
        self.env.is_rendering = self._shows_frames or self._renders_always

    def render(self, shows: bool) -> None:
        """Draw the next steps' pictures, if they are watched at all, or leave them out.

        What asks for a picture that was left out waits for it, and nothing else changes.
        """
        self.env.is_rendering = self._renders_always or (self._shows_frames and shows)

    def begin(self, seed: int | None = None) -> None:
        """Start an episode; without a seed the random numbers continue."""
        if seed is not None:
            self.env.seed_random(seed)
        if self._next_start is None:
            self._start = ""
            self._reset(seed)
        else:
            self._start, snapshot = self._next_start
            self._next_start = None
            self.env.begin_from(snapshot)
        self._is_advised = self._wants_advice
        if self._advisor is not None and self._is_advised:
            self._advisor.reset(self.env.state)
        if self._stack is not None:
            self._stack.begin(self.env.frame())
        self._observe()

    def step(self, action: int) -> tuple[float, bool, bool]:
        """Act; return reward, terminated, truncated. The arrays are then those of now."""
        if self._is_advised is not self._wants_advice:
            self._turn_advice()
        result = self._advance(action)
        if self._is_watched:
            self._paid.add(self.env.breakdown, self.place)
        if self._stack is not None:
            self._stack.push(self.env.frame())
        self._observe()
        return result

    def play_frames(self, buttons: frozenset[int], frames: int, *, render: bool) -> Frame | None:
        """Let the game run with `buttons` down; `count_frames` reads the result.

        Returns:
            The picture after the last of them, if it was rendered and somebody wants it.
        """
        self.env.play_frames(buttons, frames, render=render)
        return self.env.frame() if render and self._shows_frames else None

    def count_frames(self, *, is_over: bool) -> tuple[float, bool, bool]:
        """Take in the result of live frames; return what `step` returns.

        The advisor is asked at the end only: it would judge the time that a person takes.

        Args:
            is_over: First let go of all buttons and let what has begun come to its end.
        """
        if is_over:
            self.env.come_to_rest()
        result = self.env.advance_live()
        if self._is_watched:
            self._paid.add(self.env.breakdown, self.place)
        if is_over:
            if self._stack is not None:
                self._stack.push(self.env.frame())
            self._observe()
        return result

    def summary(self) -> EpisodeSummary:
        """Return the episode so far."""
        has_goals = self._advisor is not None and self._is_advised
        goals = self._advisor.outcomes() if self._advisor is not None and has_goals else ()
        return replace(self.env.summary(), goals=goals, start=self._start)

    @property
    def goal_kind(self) -> int:
        """Return the kind of the goal that the suggestion serves, as place in `GoalKind`."""
        return _GOAL_KINDS.index(self._goal.kind if self._goal is not None else GoalKind.EXPLORE)

    @property
    def goal_source(self) -> int:
        """Return who set that goal, as place in `PlannerUpdate.goal_sources`."""
        return (
            0
            if self._planner_advisor is None
            else self._goal_sources.get(self._planner_advisor.goal_source, 0)
        )

    @property
    def wants_plan(self) -> bool:
        """Return whether the planner is to be asked."""
        return (
            self._planner_advisor is not None
            and self._is_advised
            and self._planner_advisor.wants_plan
        )

    def update_planner(self, update: PlannerUpdate) -> None:
        """Tell the advisor of plans; one that follows none takes no notice."""
        self._goal_sources = {name: place for place, name in enumerate(update.goal_sources)}
        if self._planner_advisor is not None:
            self._planner_advisor.update_planner(update)

    def override(self, overrides: UserOverrides) -> None:
        """Do what a person wants, from the next step on."""
        wanted = overrides.is_advised
        self._wants_advice = self._began_advised if wanted is None else wanted
        self.env.weigh(overrides.weights)
        if self._planner_advisor is not None:
            self._planner_advisor.prioritise_milestone(overrides.goal)

    def question(self) -> PlanningQuery | None:
        """Return what the advisor asks the planner, once; None when there is nothing."""
        return None if self._planner_advisor is None else self._planner_advisor.question()

    def take_goal_outcomes(self) -> tuple[GoalOutcome, ...]:
        """Return the outcome of plans since the last time."""
        return () if self._planner_advisor is None else self._planner_advisor.take_goal_outcomes()

    @property
    def frames_per_s(self) -> float:
        """Return as fast as the game runs on its own machine."""
        return self.env.game.frames_per_s

    @property
    def can_record(self) -> bool:
        """Return whether what is played can be kept: see `engine.demos.recorded_env`."""
        return False

    def record(self, order: DemoRequest) -> DemoFacts:
        """Refuse.

        Raises:
            DemoError: Always.
        """
        raise DemoError(CANNOT_RECORD)

    def take_demos(self) -> tuple[DemoEnded, ...]:
        """Return nothing: nothing is kept."""
        return ()

    @property
    def milestone(self) -> str:
        """Return the milestone that the last step reached, the last of several, or ""."""
        reached = self.env.just_reached
        return reached[-1] if reached else ""

    @property
    def steps_from_start(self) -> int:
        """Return the steps since the true start, over all episodes that led here."""
        return self.env.steps_from_start

    @property
    def is_walking(self) -> bool:
        """Return whether the player can walk."""
        state = self.env.state
        return state.control.is_free and state.battle is None

    @property
    def place(self) -> str:
        """Return the name of the map."""
        return self.env.state.place.name

    @property
    def reward_weights(self) -> tuple[tuple[str, float], ...]:
        """Return (component, weight) as they count now."""
        return self.env.reward_weights

    def snapshot(self) -> bytes:
        """Return the current game, for `reset_from`."""
        return self.env.save()

    def reset_from(self, milestone: str, snapshot: bytes) -> None:
        """Let the next episode, and only that, begin at an archived snapshot."""
        self._next_start = (milestone, snapshot)

    def begin_now(self, snapshot: bytes = b"") -> None:
        """Leave this episode and begin another: from the true start, or at a snapshot."""
        self._next_start = (BRANCHED, snapshot) if snapshot else None
        self.begin()
        self.take_goal_outcomes()  # what was pursued did not fail: it was left

    def inspect(self) -> Inspection:
        """Return what to show, and start collecting payments anew."""
        env = self.env
        return Inspection(
            frame=env.frame() if self._shows_frames else None,
            state=env.state,
            breakdown=env.breakdown,
            goal=self._goal,
            reason=self._reason,
            milestones=env.milestones,
            episode=env.episode_sums,
            paid=self._paid.take(),
            path=self._path() if self._shows_frames else (),
            visited=env.stood_on() if self._shows_frames else None,
        )

    def save(self) -> bytes:
        """Return the environment, the advisor's memory, the next start and the last frames."""
        following = None
        if self._next_start is not None:
            milestone, snapshot = self._next_start
            following = [milestone, base64.b64encode(snapshot).decode()]
        facts = json.dumps(
            {
                "advisor": self._advisor.save() if self._advisor and self._is_advised else None,
                "start": self._start,
                "next_start": following,
            }
        ).encode()
        pixels = b"" if self._stack is None else self._stack.pixels.tobytes()
        return _SIZES.pack(len(facts), len(pixels)) + facts + pixels + self.env.save()

    def restore(self, saved: bytes) -> None:
        """Put back what `save` returned; the arrays are then those of now."""
        size, num_pixels = _SIZES.unpack_from(saved)
        rest = saved[_SIZES.size + size :]
        self.env.restore(rest[num_pixels:])
        facts = json.loads(saved[_SIZES.size :][:size])
        self._start = facts["start"]
        self._next_start = None
        if facts["next_start"] is not None:
            milestone, snapshot = facts["next_start"]
            self._next_start = (milestone, base64.b64decode(snapshot))
        self._is_advised = facts["advisor"] is not None
        if self._advisor is not None and self._is_advised:
            self._advisor.reset(self.env.state)
            self._advisor.restore(facts["advisor"])
        if self._stack is not None:
            self._stack.restore(rest[:num_pixels])
        self._observe()
        self.take_goal_outcomes()  # judged again: they were told before it was saved

    def close(self) -> None:
        """Free the emulator."""
        self.env.close()

    def _reset(self, seed: int | None) -> None:
        self.env.begin_episode()

    def _advance(self, action: int) -> tuple[float, bool, bool]:
        return self.env.advance(action)

    def _turn_advice(self) -> None:
        """Begin to advise in mid-episode, or end it."""
        self._is_advised = self._wants_advice
        if self._advisor is not None and self._is_advised:
            self._advisor.reset(self.env.state)
            self.take_goal_outcomes()

    def _path(self) -> tuple[tuple[int, int], ...]:
        is_led = self._planner_advisor is not None and self._is_advised and self.is_walking
        return (
            self._planner_advisor.path(self.env.state) if self._planner_advisor and is_led else ()
        )

    def _observe(self) -> None:
        self.features = self.env.features()
        self.mask = self.env.action_mask()
        advice = None
        if self._advisor is not None and self._is_advised:
            advice = self._advisor.advise(self.env.state, self.mask)
        if advice is None:
            self.prior[:] = 0.0
            self.confidence, self._goal, self._reason = 0.0, None, ""
            self.nearness = math.nan
        else:
            self.prior[:] = advice.prior
            self.confidence = advice.confidence
            self.nearness = advice.nearness
            self._goal, self._reason = advice.goal, advice.reason


def make_game_env(config: RunConfig, env_index: int) -> GameEnv:
    """Build a game for training from a run's settings: state observations, no pictures."""
    return GameEnv(
        config.rom_path,
        observation_type="state",
        config=config.env,
        rewards=config.rewards,
        cache_dir=states_folder(config),
        start_state=config.start_state,
        allow_unknown_rom=config.allow_unknown_rom,
        env_index=env_index,
    )
