"""Step an environment through plain arrays, which a worker process shares with the trainer."""

import json
import math
import struct
from collections import Counter, defaultdict
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from engine.config import RunConfig
from engine.env.anti_stuck import Standstill
from engine.env.batch import Cell, Inspection, cell_of
from engine.env.choices import CANNOT_RECORD, DemoEnded, DemoFacts, DemoRequest, is_advised
from engine.env.game_env import GameEnv
from engine.env.observation.pixels import MakeSight
from engine.env.start_states import states_folder
from engine.errors import DemoError
from engine.planning_types import GoalOutcome, PlannerUpdate, PlanningQuery, UserOverrides
from engine.types import (
    BRANCHED,
    Advice,
    EpisodeSummary,
    Frame,
    GameState,
    Goal,
    GoalKind,
    GoalTally,
    MapId,
    RewardBreakdown,
)


class Advisor(Protocol):
    """Suggests actions from the game's state alone."""

    def reset(self, state: GameState) -> None:
        """Start an episode at `state`."""
        ...

    def advise(self, state: GameState, mask: NDArray[np.bool_]) -> Advice | None:
        """Return what to do now, None without advice."""
        ...

    def outcomes(self) -> tuple[GoalTally, ...]:
        """Return how the episode's goals went, as if it ended now."""
        ...

    def save(self) -> Any:
        """Return what it remembers, JSON-able."""
        ...

    def restore(self, saved: Any) -> None:
        """Put back what `save` returned."""
        ...


@runtime_checkable
class PlannerAdvisor(Advisor, Protocol):
    """An advisor that follows a planner's subgoals and asks for them."""

    @property
    def goal_source(self) -> str:
        """Return who set the goal that the last advice serves."""
        ...

    @property
    def wants_plan(self) -> bool:
        """Return whether `question` has something to ask."""
        ...

    def update_planner(self, update: PlannerUpdate) -> None:
        """Follow these subgoals from the next advice on."""
        ...

    def prioritise_milestone(self, milestone: str) -> None:
        """Let the rules pursue a milestone before all others, from the next advice on."""
        ...

    def path(self, state: GameState) -> tuple[tuple[int, int], ...]:
        """Return the tiles of this map on the way that the last advice serves, next first."""
        ...

    def route(self, state: GameState) -> tuple[tuple[MapId, tuple[tuple[int, int], ...]], ...]:
        """Return the way beyond this map that the last advice serves, tiles by map."""
        ...

    def question(self) -> PlanningQuery | None:
        """Return what to ask the planner, once; None when there is nothing."""
        ...

    def take_goal_outcomes(self) -> tuple[GoalOutcome, ...]:
        """Return the outcomes of subgoals since the last call."""
        ...


_GOAL_KINDS = tuple(GoalKind)

_SIZES = struct.Struct("<II")
"""Bytes of the JSON about advisor and starts, and of the last frames."""

_COUNTED = {
    "exploration": ("new tile", "new tiles"),
    "stuck": ("step on one tile", "steps on one tile"),
    "step": ("step", "steps"),
}
"""Components that pay often, and so note no cause -> what one payment, and several, are for."""


class Paid:
    """Sums the rewards between two calls of `SteppedEnv.inspect`, with what each was for."""

    def __init__(self) -> None:
        self._clear()

    def add(self, breakdown: RewardBreakdown, place: str) -> None:
        """Add a step's payments, made at `place`."""
        for name, value in breakdown.components:
            self._sums[name] += value
            if value and name in _COUNTED:
                self._counts[name][place] += 1
        self._causes += breakdown.causes
        self._payers += breakdown.payers

    def take(self) -> RewardBreakdown:
        """Return all of it, and begin anew."""
        for name, places in self._counts.items():
            one, several = _COUNTED[name]
            noun = one if places.total() == 1 else several
            (first, count), *others = places.items()
            parts = [f"{count:,} {noun} in {first}", *(f"{n:,} in {place}" for place, n in others)]
            self._causes.append(", ".join(parts))
            self._payers.append(name)
        sums = tuple(self._sums.items())
        taken = RewardBreakdown(sums, tuple(self._causes), tuple(self._payers))
        self._clear()
        return taken

    def _clear(self) -> None:
        self._sums: defaultdict[str, float] = defaultdict(float)
        self._causes: list[str] = []
        self._payers: list[str] = []
        self._counts: defaultdict[str, Counter[str]] = defaultdict(Counter)  # by component, place


class SteppedEnv:
    """A game environment whose current observation lies in arrays, with or without an advisor.

    The trainer can call every method of it (`engine.env.vector.worker.on_envs`): a new one needs no
    code in between.

    Args:
        env: The game, best with `observation_type="state"`.
        advisor: Fills `prior` and `confidence`.
        sight: Makes the `Sight` that turns frames into `pixels`; every step is rendered for it.
            None: there are no pixels.
        is_advised: Ask the advisor from the start; else only once a person wants it.

    Attributes:
        feature_size: F, the length of a feature vector.
        features: (F,) float32.
        mask: (A,) bool for A actions, False for those of no use.
        prior: (A,) float32, the advisor's suggestion, all zero when it has none.
        confidence: The advisor's, 0 to 1.
        nearness: Of its goal, 0 to 1, nan where that is not known.
        goal: What the advisor wants.
        reason: Why, in one line.
        is_watched: Payments are collected for `inspect`.
        cell_tiles: Size of the cells that `cell` names, 0: nobody asks.
    """

    cell_tiles = 0

    def __init__(
        self,
        env: GameEnv,
        advisor: Advisor | None = None,
        *,
        sight: MakeSight | None = None,
        is_advised: bool = True,
    ) -> None:
        self.env = env
        self.feature_size = env.feature_size
        num_actions = len(env.game.actions)
        self.features = np.zeros(env.feature_size, np.float32)
        self.mask = np.ones(num_actions, np.bool_)
        self.prior = np.zeros(num_actions, np.float32)
        self.confidence = 0.0
        self.nearness = math.nan
        self._advisor = advisor
        self._planner_advisor = advisor if isinstance(advisor, PlannerAdvisor) else None
        self._began_advised = self._wants_advice = self._is_advised = is_advised
        self._goal_sources: dict[str, int] = {}
        self.goal: Goal | None = None
        self.reason = ""
        self._start = ""
        self._max_steps = 0
        self._standstill: Standstill | None = None
        self._paid = Paid()
        self.is_watched = self._shows_frames = False
        self._sight = None if sight is None else sight(env.game.frame_shape)
        self._renders_always = env.is_rendering or sight is not None
        env.is_rendering = self._renders_always

    @property
    def pixels(self) -> NDArray[np.uint8] | None:
        """Return the last frames, None where nobody wants them."""
        return None if self._sight is None else self._sight.pixels

    def watch(self, is_watched: bool, *, renders: bool = True) -> None:
        """Collect payments for `inspect` from now on, or no more; render for it, or not."""
        self.is_watched = is_watched
        self._shows_frames = is_watched and renders
        self.env.is_rendering = self._shows_frames or self._renders_always

    def render(self, shows: bool) -> None:
        """Draw the next steps' pictures, if they are watched at all, or leave them out.

        Asking for a picture that was left out takes longer; nothing else changes.
        """
        self.env.is_rendering = self._renders_always or (self._shows_frames and shows)

    def begin(self, seed: int | None = None) -> None:
        """Start an episode; without a seed the random numbers continue."""
        if seed is not None:
            self.env.seed_random(seed)
        self._start, self._max_steps = "", 0
        self._reset(seed)
        self._begin_here()

    def restart(self, seed: int, patience: int) -> None:
        """Start an episode, truncated after `patience` steps without anything new; 0: never."""
        self.begin(seed)
        self._standstill = Standstill(patience) if patience else None

    def chosen_by(self, code: int) -> None:
        """Record who chooses the next action (`engine.env.choices.code_of`), and why."""
        self.env.chosen_by(code, self._why() if is_advised(code) else "")

    def step(self, action: int) -> tuple[float, bool, bool]:
        """Act and update the arrays; return reward, terminated, truncated."""
        self.press(action)
        return self.settle(action)

    def press(self, action: int) -> None:
        """Do the first half of `step`: let the game run.

        It is faster to run all games before any is read: an emulator evicts from the processor's
        cache all that reading needs.
        """
        if self._is_advised is not self._wants_advice:  # advice begins or ends in mid-episode
            self._is_advised = self._wants_advice
            if (advisor := self._asked) is not None:
                advisor.reset(self.env.state)
                self.take_goal_outcomes()
        self._press(action)

    def settle(self, action: int) -> tuple[float, bool, bool]:
        """Do the second half of `step`: read the result of `action`; return what `step` does."""
        reward, is_terminated, is_truncated = self._settle(action)
        if self._max_steps and not is_terminated:
            is_truncated |= self.env.episode_steps - self.env.milestone_step >= self._max_steps
        if self._standstill is not None and not is_terminated:
            self._standstill.update(self.env.state)
            is_truncated |= self._standstill.is_reached
        if self.is_watched:
            self._paid.add(self.env.breakdown, self.place)
        if self._sight is not None:
            self._sight.push(self.env.frame())
        self._observe()
        return reward, is_terminated, is_truncated

    def _why(self) -> str:
        """Return why the advisor suggests its action.

        The number of steps to go is left out: with it, nearly every step's reason would differ.
        """
        aim, separator, left = self.reason.rpartition(": ")
        reason = aim if separator and left.endswith("to go") else self.reason
        goal = "" if self.goal is None or self.goal.text in reason else self.goal.text
        return f"{reason} (goal: {goal})".lstrip() if goal else reason

    def play_frames(self, buttons: frozenset[int], frames: int, *, render: bool) -> Frame | None:
        """Let the game run with `buttons` down; `count_frames` reads the result.

        The picture after the last frame is returned if it was rendered and somebody wants it.
        """
        self.env.play_frames(buttons, frames, render=render)
        return self.env.frame() if render and self._shows_frames else None

    def count_frames(self, *, is_over: bool) -> tuple[float, bool, bool]:
        """Read the result of live frames; return what `step` returns.

        If live play is over, all buttons are let go first, and what has begun comes to its end.
        The advisor is asked only then: earlier, it would judge the time that a person takes.
        """
        if is_over:
            self.env.come_to_rest()
        result = self.env.advance_live()
        if self.is_watched:
            self._paid.add(self.env.breakdown, self.place)
        if is_over:
            if self._sight is not None:
                self._sight.push(self.env.frame())
            self._observe()
        return result

    def summary(self) -> EpisodeSummary:
        """Return the episode so far."""
        advisor = self._asked
        goals = () if advisor is None else advisor.outcomes()
        stood_still = self._standstill is not None and self._standstill.is_reached
        return replace(self.env.summary(), goals=goals, start=self._start, stood_still=stood_still)

    @property
    def _asked(self) -> Advisor | None:
        """Return the advisor if it is to be asked now."""
        return self._advisor if self._is_advised else None

    @property
    def goal_kind(self) -> int:
        """Return the kind of the goal that the suggestion serves, as place in `GoalKind`."""
        return _GOAL_KINDS.index(self.goal.kind if self.goal is not None else GoalKind.EXPLORE)

    @property
    def goal_source(self) -> int:
        """Return who set that goal, as place in `PlannerUpdate.goal_sources`."""
        advisor = self._planner_advisor
        return 0 if advisor is None else self._goal_sources.get(advisor.goal_source, 0)

    @property
    def wants_plan(self) -> bool:
        """Return whether the planner is to be asked."""
        advisor = self._planner_advisor
        return advisor is not None and self._is_advised and advisor.wants_plan

    def update_planner(self, update: PlannerUpdate) -> None:
        """Pass subgoals to the advisor; one that follows none ignores them."""
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
        """Return the outcomes of subgoals since the last call."""
        return () if self._planner_advisor is None else self._planner_advisor.take_goal_outcomes()

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
    def is_walking(self) -> bool:
        """Return whether the player can walk."""
        state = self.env.state
        return state.control.is_free and state.battle is None

    @property
    def place(self) -> str:
        """Return the name of the map."""
        return self.env.state.place.name

    @property
    def cell(self) -> tuple[int, Cell] | None:
        """Return the steps from the true start, and the cell; None where there is none."""
        if not self.cell_tiles:
            return None
        cell = cell_of(self.env.state, len(self.env.milestones), self.cell_tiles)
        return None if cell is None else (self.env.steps_from_start, cell)

    def snapshot(self) -> bytes:
        """Return the current game, for `begin_now`."""
        return self.env.save()

    def begin_now(
        self,
        snapshot: bytes = b"",
        start: str = BRANCHED,
        *,
        continues: bool = False,
        max_steps: int = 0,
    ) -> None:
        """Leave this episode and begin another: from the true start, or at a snapshot.

        `continues`: the snapshot's own episode continues, see
        `engine.env.world.Snapshots.begin_now`.
        """
        if snapshot:
            self._start, self._max_steps = start, max_steps
            if continues:
                self.env.restore(snapshot)
            else:
                self.env.begin_from(snapshot)
            self._begin_here()
        else:
            self.begin()
        self.take_goal_outcomes()  # what was pursued did not fail: it was left

    def go_to(self, snapshot: bytes) -> None:
        """Continue at a snapshot, in its own episode; nothing that was pursued failed."""
        self.env.restore(snapshot)
        self._begin_here()
        self.take_goal_outcomes()

    def inspect(self) -> Inspection:
        """Return what to show, and start collecting payments anew."""
        env, leads = self.env, self._leads
        return Inspection(
            frame=env.frame() if self._shows_frames else None,
            state=env.state,
            breakdown=env.breakdown,
            goal=self.goal,
            reason=self.reason,
            milestones=env.milestones,
            final_milestone=env.final_milestone,
            episode=env.episode_sums,
            paid=self._paid.take(),
            path=leads.path(env.state) if leads else (),
            visited=env.stood_on() if self._shows_frames else None,
            route=leads.route(env.state) if leads else (),
            anti_stuck=env.anti_stuck,
        )

    def save(self) -> bytes:
        """Return the environment, the advisor's memory and the last frames."""
        facts = json.dumps(
            {
                "advisor": None if (advisor := self._asked) is None else advisor.save(),
                "start": self._start,
                "max_steps": self._max_steps,
            }
        ).encode()
        pixels = b"" if self._sight is None else self._sight.pixels.tobytes()
        return _SIZES.pack(len(facts), len(pixels)) + facts + pixels + self.env.save()

    def restore(self, saved: bytes) -> None:
        """Put back what `save` returned, and update the arrays."""
        size, num_pixels = _SIZES.unpack_from(saved)
        rest = saved[_SIZES.size + size :]
        self.env.restore(rest[num_pixels:])
        facts = json.loads(saved[_SIZES.size :][:size])
        self._start, self._max_steps = facts["start"], facts.get("max_steps", 0)
        self._is_advised = facts["advisor"] is not None
        if (advisor := self._asked) is not None:
            advisor.reset(self.env.state)
            advisor.restore(facts["advisor"])
        if self._sight is not None:
            self._sight.restore(rest[:num_pixels])
        self._observe()
        self.take_goal_outcomes()  # evaluated again: they were reported before it was saved

    def close(self) -> None:
        """Free the emulator."""
        self.env.close()

    def _begin_here(self) -> None:
        self._standstill = None
        self._is_advised = self._wants_advice
        if (advisor := self._asked) is not None:
            advisor.reset(self.env.state)
        if self._sight is not None:
            self._sight.begin(self.env.frame())
        self._observe()

    def _reset(self, seed: int | None) -> None:
        self.env.begin_episode()

    def _press(self, action: int) -> None:
        self.env.press(action)

    def _settle(self, action: int) -> tuple[float, bool, bool]:
        return self.env.settle(action)

    @property
    def _leads(self) -> PlannerAdvisor | None:
        """Return who leads the way that is to be shown."""
        is_led = self._shows_frames and self._is_advised and self.is_walking
        return self._planner_advisor if is_led else None

    def _observe(self) -> None:
        self.features = self.env.features()
        self.mask = self.env.action_mask()
        advisor = self._asked
        advice = None if advisor is None else advisor.advise(self.env.state, self.mask)
        if advice is None:
            self.prior[:] = 0.0
            self.confidence, self.goal, self.reason = 0.0, None, ""
            self.nearness = math.nan
        else:
            self.prior[:] = advice.prior
            self.confidence = advice.confidence
            self.nearness = advice.nearness
            self.goal, self.reason = advice.goal, advice.reason


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
