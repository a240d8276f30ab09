"""Play the game as a Gymnasium environment."""

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from engine.config import EnvConfig, FeatureKind, RewardConfig
from engine.emulator.window import Window, key_codes
from engine.env.choices import Choices
from engine.env.episode import TRUE_START, Episode, Origin
from engine.env.input_recording import Recording
from engine.env.live import LivePad, LiveStretch, buttons_of, mask_of
from engine.env.observation.compass import Compass
from engine.env.observation.features import FeatureEncoder, Recent, count_potions
from engine.env.observation.layout import kind_of
from engine.env.observation.space import (
    ObservationType,
    observation_space,
    state_variables,
    strategic_context,
)
from engine.env.start_states import make_start_state, pack_env, unpack_env
from engine.errors import CheckpointError, ConfigurationError
from engine.games.base import check_goal, fit_env
from engine.games.catalog import load_game
from engine.rewards.base import Transition
from engine.rewards.composer import CUSTOM, RewardComposer
from engine.types import (
    AntiStuckStatus,
    EpisodeSummary,
    Frame,
    GameState,
    Observation,
    RewardBreakdown,
)

_UNLIMITED = 1 << 30
_REST_FRAMES = 120
"""Longest wait for rest after live play: in Crystal a jump takes 32, a door 51."""


class GameEnv(gymnasium.Env[Observation, np.int64]):
    """A game, one action a step.

    An episode starts where the player first has control. It ends with `config.goal`, at first a
    badge (terminated), or after `config.max_steps` and what milestones added to them (truncated).

    Args:
        rom_path: The game's file, or a practice game's name (`engine.games.bundled`); empty: the
            first of these.
        headless: False: show every step in a window, too, as `render_mode="human"` does.
        observation_type: "multi_modal": everything; "screen": picture and mask; "state": no
            picture, which is the fastest.
        config: How an action is pressed and when an episode ends.
        rewards: Weights of the reward components.
        cache_dir: Folder for start states; None: none are kept on disk.
        start_state: File to start from instead of the introduction's end: see `start_states`.
        allow_unknown_rom: Take a changed Crystal as if it were the original.
        env_index: Named in episode summaries.
        render_mode: "rgb_array": `render` returns frames; "human": show every step in a window, as
            fast as the game runs on its own machine.
        base_fps: Frames of the game a second that a window shows; 0: as fast as it can, or with
            "human" the game's own.

    Attributes:
        state: The game now.
        config: As given, with the game's own limits where it leaves them to the game.
        has_own_limit: The given `config` set `max_steps`.
        breakdown: The last step's reward by component.
        step_frames: Frames of the game that the last step took.
        component_names: The reward components in their order.
        milestone_keys: Of the game's milestones in order.
        feature_size: F, the length of the feature vector.
        start_state: The machine that episodes start from, as the emulator saved it.
        start_hash: Its SHA-1.

    Raises:
        RomError: The ROM is missing, damaged or not supported.
        EnvironmentError: No window can be opened, as `headless` asks for.
        ConfigurationError: There is no such `observation_type` or `render_mode`; the goal is no
            milestone of this game, or already reached; or nothing can be started from the file in
            `start_state`.
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "rgb_array"], "render_fps": 3}  # noqa: RUF012 (gymnasium's form)

    def __init__(
        self,
        rom_path: str = "",
        headless: bool = True,
        observation_type: ObservationType = "multi_modal",
        *,
        config: EnvConfig | None = None,
        rewards: RewardConfig | None = None,
        cache_dir: Path | None = None,
        start_state: str = "",
        allow_unknown_rom: bool = False,
        env_index: int = 0,
        render_mode: str | None = None,
        base_fps: float = 0.0,
    ) -> None:
        if render_mode not in (None, *(modes := self.metadata["render_modes"])):
            raise ConfigurationError(
                f"render_mode = {render_mode!r}.",
                f"Allowed values: None, {', '.join(map(repr, modes))}.",
            )
        if base_fps < 0:
            raise ConfigurationError(f"base_fps = {base_fps}.", "Use 0 or more.")
        self.render_mode = render_mode
        self.observation_type = observation_type
        self.game = load_game(rom_path, allow_unknown_rom)
        self.action_space = spaces.Discrete(len(self.game.actions))
        self.env_index = env_index
        given = config or EnvConfig()
        check_goal(self.game, given.goal)
        self.config, self.has_own_limit = fit_env(given, self.game), given.max_steps > 0
        self._encode()
        frames_per_step = self.config.press.usual
        self.metadata = self.metadata | {
            "render_fps": max(1, round(self.game.frames_per_s / frames_per_step))
        }
        is_human = render_mode == "human"
        self.step_frames = 0
        self.is_rendering = observation_type != "state" or render_mode is not None or not headless
        self.emulator = self.game.start()
        self._reader = self.game.reader(self.emulator)
        self._pad = LivePad(self.emulator, self.game.actions.idle)
        self._buttons = frozenset(self.game.actions.buttons)
        self.rewards = rewards or RewardConfig()
        self._composer = RewardComposer(self.rewards)
        self.component_names = self._composer.names
        self._episode = Episode(self.game, self.component_names, self.config)
        self.milestone_keys = self._episode.milestones.keys
        self._all_allowed = np.ones(len(self.game.actions), np.bool_)
        self._blocked: dict[int, str] | None = None
        self._start_frame: Frame | None = None
        self.start_state = make_start_state(self.game, self.emulator, cache_dir, start_state)
        self.start_hash = hashlib.sha1(self.start_state, usedforsecurity=False).hexdigest()
        self.state = self._reader.read()
        self._begin((0, 0))
        self._check_goal()
        if is_human:
            base_fps = base_fps or self.game.frames_per_s
        self._window: Window | None = None
        if is_human or not headless:
            self._window = Window(self.game.name, self.game.frame_shape, base_fps / frames_per_step)

    def _encode(self) -> None:
        kind = self.config.features
        self._encoder = FeatureEncoder(self.game, kind)
        self._compass = Compass(self.game) if kind == "goal" else None
        self.feature_size = self._encoder.layout.size
        self._features = np.zeros(self.feature_size, np.float32)
        self.observation_space = observation_space(self.observation_type, self.game, kind)

    def encode_as(self, kind: FeatureKind) -> None:
        """Return features of this kind from now on, whatever `config` says."""
        self.config = self._episode.config = self.config.model_copy(update={"features": kind})
        self._encode()

    def encode_for(self, feature_size: int) -> None:
        """Return the features that a policy was trained with, known by their number."""
        if kind := kind_of(self.game, feature_size):
            self.encode_as(kind)

    @property
    def reward_weights(self) -> tuple[tuple[str, float], ...]:
        """Return the current (reward component, weight)."""
        return self._composer.weights

    def weigh(self, weights: Iterable[tuple[str, float]]) -> None:
        """Set the weights of these reward components from the next step on."""
        self._composer.weigh(weights)

    @property
    def milestones(self) -> frozenset[str]:
        """Return the keys of the milestones reached in this episode."""
        return frozenset(self._episode.milestones.steps)

    @property
    def milestone_step(self) -> int:
        """Return the step of this episode's last milestone, 0 before the first."""
        return max(self._episode.milestones.steps.values(), default=0)

    @property
    def episode_steps(self) -> int:
        """Return the steps taken in this episode."""
        return self._episode.length

    @property
    def steps_from_start(self) -> int:
        """Return the steps since the true start, over all episodes that led to this one's."""
        return sum(len(segment.actions) for segment in self._episode.now.segments)

    @property
    def last_live(self) -> LiveStretch | None:
        """Return the episode's last frames of real-time play, None before the first."""
        return self._episode.live[-1] if self._episode.live else None

    @property
    def just_reached(self) -> tuple[str, ...]:
        """Return the keys of the milestones that the last step reached."""
        return tuple(key for key, _ in self._transition.reached)

    @property
    def episode_sums(self) -> tuple[tuple[str, float], ...]:
        """Return this episode's reward so far by component."""
        return tuple(self._episode.sums.items())

    def stood_on(self) -> NDArray[np.bool_]:
        """Return (height, width) which tiles of this map the episode has stood on."""
        view = self.state.map
        return self._episode.tiles.stood_on(self.state.place.map, view.width, view.height)

    @property
    def is_success(self) -> bool:
        """Return whether the run's goal is reached: a milestone, or one badge more."""
        return self._episode.is_success(self.state)

    @property
    def final_milestone(self) -> str:
        """Return the key of the milestone that ends this episode, "" if none does."""
        return self._episode.milestones.final(self.config.goal)

    @property
    def max_steps(self) -> int:
        """Return after how many steps this episode is truncated, as far as it has come."""
        return self._episode.max_steps

    def lift_limits(self) -> None:
        """Truncate no episode from now on: a person takes the time it takes."""
        unlimited = {"max_steps": _UNLIMITED, "stuck_steps": 0}
        self.config = self._episode.config = self.config.model_copy(update=unlimited)

    def limit_steps(self, max_steps: int) -> None:
        """Truncate episodes after so many steps from now on, whatever limit `config` sets."""
        limits = {"max_steps": max_steps, "progress_steps": 0}
        self._episode.config = self.config.model_copy(update=limits)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode at the first control; the seed decides the game's random numbers."""
        super().reset(seed=seed)
        self.begin_episode()
        self._show()
        return self.observe()

    def observe(self) -> tuple[Observation, dict[str, Any]]:
        """Return the current observation and info, as after `restore`."""
        return self._observation(), self._info()

    def seed_random(self, seed: int) -> None:
        """Draw the next episodes' random numbers from `seed`."""
        super().reset(seed=seed)

    def begin_episode(self) -> None:
        """Go back to the start with the next random numbers, without an observation."""
        self.begin_recorded(self._next_random())

    def begin_recorded(self, random: tuple[int, int]) -> None:
        """Go back to the start with these two bytes as the game's random state."""
        self.emulator.load_state(self.start_state)
        self._pad.begin()
        self._reader = self.game.reader(self.emulator)
        self._begin_here(random)

    def begin_from(self, saved: bytes, random: tuple[int, int] | None = None) -> None:
        """Start an episode where another one was when `save` returned `saved`.

        What was reached, seen and paid for by then is not paid again. `saved` may be from another
        environment with the same game and settings; `random` is the game's random state, None: the
        next one drawn.

        Raises:
            CheckpointError: It was not saved by this version.
        """
        facts = self._load(saved)
        self._episode.restore(facts["episode"])
        self._begin_here(random or self._next_random(), self._episode.now)
        self._composer.restore(facts["rewards"])

    def _begin_here(self, random: tuple[int, int], origin: Origin = TRUE_START) -> None:
        self.game.seed(self.emulator, random)
        self.state = self._reader.read()
        self._begin(random, origin)

    def _next_random(self) -> tuple[int, int]:
        first, second = self.np_random.integers(256, size=2)
        return int(first), int(second)

    def step(self, action: int | np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Press a button, let the game run, and pay for the result.

        Raises:
            DecisionValidationError: There is no such action.
        """
        reward, is_terminated, is_truncated = self.advance(self.game.actions.check(action))
        self._show()
        return self._observation(), reward, is_terminated, is_truncated, self._info()

    def advance(self, action: int) -> tuple[float, bool, bool]:
        """Step without building an observation; return reward, terminated, truncated."""
        self.press(action)
        return self.settle(action)

    def press(self, action: int) -> None:
        """Do the first half of `advance`: press a button, and let the game run."""
        self._pad.hold(frozenset())
        before = self.emulator.frames_run
        self.game.play(self.emulator, action, self.state, self.config, self.is_rendering)
        self.step_frames = self.emulator.frames_run - before

    def settle(self, action: int) -> tuple[float, bool, bool]:
        """Do the second half of `advance`: read the result of `action`, and pay for it."""
        previous, self.state = self.state, self._reader.read()
        self._transition = self._episode.follow(previous, self.state, action)
        reward, is_terminated = self._pay(previous, action)
        is_truncated = not is_terminated and self._episode.is_spent
        return reward, is_terminated, is_truncated

    def play_frames(self, buttons: frozenset[int], frames: int, *, render: bool = False) -> None:
        """Let the game run with `buttons` down; `advance_live` reads it and pays."""
        buttons &= self._buttons
        self._pad.hold(buttons)
        self.emulator.tick(frames, render)
        self._episode.ran(buttons, frames)

    @property
    def choices(self) -> Choices:
        """Return who chose the episode's actions, and why."""
        return self._episode.choices

    def chosen_by(self, code: int, reason: str) -> None:
        """Record who chooses the next action (`engine.env.choices.code_of`), and why."""
        self._episode.chosen = code, reason

    def come_to_rest(self) -> None:
        """Let go of all buttons and wait until no step and no way through a door is under way."""
        for _ in range(0, _REST_FRAMES, 2):
            self.play_frames(frozenset(), 2)
            if not self.state.control.in_game or self.game.is_at_rest(self.emulator):
                return

    @property
    def is_readable(self) -> bool:
        """Return whether the game can be read now: it is not on its way between two maps."""
        return not self.state.control.in_game or self.game.is_readable(self.emulator)

    def advance_live(self) -> tuple[float, bool, bool]:
        """Pay for the result of live frames since the last time, but count no step.

        It returns what `advance` does; nothing is ever truncated. Between two maps, where the game
        cannot be read, it pays later.
        """
        if not self.is_readable:
            return 0.0, False, False
        previous, self.state = self.state, self._reader.read()
        action = self._pad.take_pressed()
        self._transition = self._episode.follow(previous, self.state, action, is_step=False)
        reward, is_terminated = self._pay(previous, action)
        return reward, is_terminated, False

    def replay_live(self, stretch: LiveStretch) -> tuple[float, bool, bool]:
        """Play live frames again, exactly; return what `advance_live` returns."""
        for each in stretch.spans():
            self.play_frames(*each)
        return self.advance_live()

    def _pay(self, previous: GameState, action: int) -> tuple[float, bool]:
        """Pay for the transition; return its reward, and whether the goal is reached.

        What an override adds to the reward is shown as a component of its own. The components' sum
        is returned: with one added it may miss the override's reward by a rounding.
        """
        self._blocked = None
        self.breakdown = RewardBreakdown(())  # for an override that does not call this class
        paid = self._calculate_reward(self.state, previous, action)
        total = self.breakdown.total
        if extra := paid - total:
            components = (*self.breakdown.components, (CUSTOM, extra))
            self.breakdown = replace(self.breakdown, components=components)
            total = self.breakdown.total
        self._episode.count(self.breakdown, total)
        return total, self.is_success

    def _calculate_reward(
        self, current_state: GameState, previous_state: GameState, action: int
    ) -> float:
        """Return a step's reward; may be overridden and extended.

        What an override adds to this value is shown as the component "custom".
        """
        self.breakdown = self._composer.pay(self._transition)
        return self.breakdown.total

    def features(self) -> NDArray[np.float32]:
        """Return the current features, (F,) float32; the next call overwrites them."""
        view, place, episode = self.state.map, self.state.place, self._episode
        compass, milestones = self._compass, episode.milestones.steps
        is_known = view.bordered is not None and self.state.battle is None
        self._encoder.encode(
            self._features,
            self.state,
            episode.tiles.plane(place.map, view.width, view.height) if is_known else None,
            milestones,
            Recent(
                episode.idle_steps,
                episode.length / episode.max_steps,
                episode.inputs[-1] if episode.inputs else -1,
                episode.unchanged_steps,
                episode.last_prompt,
            ),
            compass.bearing(self.state, milestones) if compass else None,
        )
        return self._features

    @property
    def blocked(self) -> dict[int, str]:
        """Return the currently masked actions, each with its reason."""
        if self._blocked is None:
            blocked = self.game.blocked(self.state)
            both = self._episode.anti_stuck.blocked(self.state) | blocked
            # Something must stay allowed, even if it was tried in vain.
            self._blocked = both if len(both) < len(self.game.actions) else blocked
        return self._blocked

    @property
    def anti_stuck(self) -> AntiStuckStatus:
        """Return how the episode gets on, and what is masked now because it led to nothing."""
        episode = self._episode
        masked = episode.anti_stuck.blocked(self.state).keys() & self.blocked.keys()
        return AntiStuckStatus(
            episode.idle_steps, tuple(sorted(masked)), episode.anti_stuck.interventions
        )

    def action_mask(self) -> NDArray[np.bool_]:
        """Return (A,) bool for the game's A actions, False where one can have no effect now."""
        mask = self._all_allowed.copy()
        for action in self.blocked:
            mask[action] = False
        return mask

    def action_masks(self) -> NDArray[np.bool_]:
        """Return `action_mask`, by the name that sb3-contrib asks for."""
        return self.action_mask()

    def get_keys_to_action(self) -> dict[tuple[int, ...], int]:
        """Return the action of each key, for `gymnasium.utils.play`."""
        return {(code,): action for code, action in key_codes(self.game.actions).items()}

    def render(self) -> Frame | None:
        """Return the current frame, (height, width, 3) uint8; None unless "rgb_array"."""
        return self.frame() if self.render_mode == "rgb_array" else None

    def frame(self) -> Frame:
        """Return the current frame, whatever the render mode.

        Where no step has rendered it, one more frame is emulated for the picture and taken back, so
        that looking never changes the game. That takes 20 ms, so the start's picture is kept.
        """
        if self.emulator.is_drawn:
            return self.emulator.frame()
        if self.steps_from_start:
            return self._next_frame()
        if self._start_frame is None:
            self._start_frame = self._next_frame()
        return self._start_frame.copy()

    def _next_frame(self) -> Frame:
        state = self.emulator.save_state()
        self.emulator.tick(1, render=True)
        frame = self.emulator.frame()
        self.emulator.load_state(state)
        return frame

    def close(self) -> None:
        """Free the emulator, and close the window."""
        self.emulator.close()
        if self._window is not None:
            self._window.close()

    def _show(self) -> None:
        if self._window is not None:
            self._window.show(self.frame())

    def summary(self) -> EpisodeSummary:
        """Return the episode so far."""
        episode = self._episode
        return EpisodeSummary(
            env_index=self.env_index,
            total_reward=episode.total,
            length=episode.length,
            components=self.episode_sums,
            steps_to_milestone=dict(episode.milestones.steps),
            maps_seen=len(episode.tiles.maps),
            is_success=self.is_success,
            battles_won=episode.battles_won,
            interventions=episode.anti_stuck.interventions,
            recording=self.recording().encode(),
        )

    def recording(self) -> Recording:
        """Return the episode so far as its start and inputs, for `engine.env.input_replay`."""
        return Recording(
            rom=self.game.sha1,
            start=self.start_hash,
            emulator=self.game.emulator_version,
            frames=self.config.press,
            segments=self._episode.now.segments,
            memory=self.memory_digest(),
        )

    def memory_digest(self) -> str:
        """Return the SHA-1 of the game's work memory now."""
        return self.game.digest(self.emulator)

    def save(self) -> bytes:
        """Return the whole environment; `restore` continues exactly as this one would."""
        shown = self.breakdown
        facts = {
            "rom": self.game.sha1,
            "episode": self._episode.save(),
            "rewards": self._composer.save(),
            "breakdown": [shown.components, shown.causes, shown.payers],
            "reader": self._reader.save(),
            "held": mask_of(self._pad.held),
            "random": self.np_random.bit_generator.state,
        }
        return pack_env(facts, self.emulator.save_state())

    def restore(self, saved: bytes) -> None:
        """Put back what `save` returned.

        Raises:
            CheckpointError: It was saved by another version, or is of another ROM: the machine
                would run on with code that is not there.
        """
        facts = self._load(saved)
        self.state = self._reader.read()
        self._episode.restore(facts["episode"])
        self._composer.restore(facts["rewards"])
        components, *noted = facts["breakdown"]  # causes and, not in older ones, payers
        self.breakdown = RewardBreakdown(
            tuple((name, value) for name, value in components), *map(tuple, noted)
        )
        self.np_random.bit_generator.state = facts["random"]
        self._blocked = None

    def _load(self, saved: bytes) -> dict[str, Any]:
        """Put the machine and its reader back; return the facts about the rest."""
        facts, machine = unpack_env(saved)
        if facts.get("rom") != self.game.sha1:
            raise CheckpointError(
                f"The games were saved with a different ROM than {self.game.name} as it is now.",
                "Start a new run from its policy: poketui run --from RUN.",
            )
        self.emulator.load_state(machine)
        self._pad.begin(buttons_of(facts.get("held", 0)))
        self._reader = self.game.reader(self.emulator)
        self._reader.restore(facts["reader"])
        return facts

    def _begin(self, random: tuple[int, int], origin: Origin = TRUE_START) -> None:
        """Start an episode at `self.state`."""
        self._blocked = None
        self.breakdown = RewardBreakdown(tuple((name, 0.0) for name in self.component_names))
        self._composer.reset(self.state)
        self._transition = Transition(self.state, self.state, 0)
        self._episode.begin(self.state, random, origin)

    def _check_goal(self) -> None:
        if self.is_success:
            raise ConfigurationError(
                f"env.goal = {self.config.goal!r} is already reached in the start state.",
                "Choose a later milestone or an earlier start state.",
            )

    def _observation(self) -> Observation:
        observation: Observation = {"action_mask": self.action_mask().view(np.int8)}
        if self.observation_type != "state":
            observation["screen"] = self.frame()
        if self.observation_type != "screen":
            potions = count_potions(self.state, self.game)
            observation["state_variables"] = state_variables(self.state, potions)
            observation["features"] = self.features().copy()
        if self.observation_type == "multi_modal":
            observation["strategic_context"] = strategic_context(
                self.state, self._episode.milestones.next_text(), self.game.actions, self.blocked
            )
        return observation

    def _info(self) -> dict[str, Any]:
        return {
            "breakdown": self.breakdown,
            "milestones": self.milestones,
            "blocked": self.blocked,
            "is_success": self.is_success,
            "max_steps": self.max_steps,
            "step_frames": self.step_frames,
            "state": self.state,
            "game": self.game,
        }
