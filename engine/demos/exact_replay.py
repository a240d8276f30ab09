"""Replay a demonstration bit for bit, or say at which step it diverges."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.config import EnvConfig, RewardConfig, RunConfig
from engine.demos.demonstration import GOAL, MAP, MILESTONE, NO_PROPOSAL, Demonstration
from engine.demos.layout import decisions, directions_of
from engine.env.game_env import GameEnv
from engine.env.input_recording import moves
from engine.env.input_replay import begin_replay
from engine.env.live import LiveStretch
from engine.env.start_states import pack_state
from engine.env.stepping import make_game_env
from engine.errors import PokeTUIError, ReplayError
from engine.games.bundled import name_of
from engine.games.catalog import load_game
from engine.ground.scratch import scratch_folder
from engine.types import Frame, GameState

END = -1
"""The action of the last `Step` of `play(with_end=True)`: nothing follows."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """An observation, the action in it, and the result.

    Attributes:
        number: Steps of the episode before it.
        features: (F,) float32, before the action.
        mask: (A,) bool, actions that could have an effect. The action itself may be masked.
        frame: (H, W, 3) uint8, None where no frames are rendered.
        action: The button; `END` after the last.
        state: The game before the action.
        is_live: Played in real time: a button that went down, or a direction that stayed down.
    """

    number: int
    features: NDArray[np.float32]
    mask: NDArray[np.bool_]
    frame: Frame | None
    state: GameState
    action: int = END
    reward: float = 0.0
    done: bool = False
    proposal: int = NO_PROPOSAL
    is_intervention: bool = False
    is_live: bool = False


def play(
    demo: Demonstration, config: RunConfig, *, renders: bool = True, with_end: bool = False
) -> Iterator[Step]:
    """Replay a demonstration, and yield the steps that are shown.

    It is played with its own settings of episodes and rewards, and rewards are checked; where it
    has none, those of `config` are used, except the frames of a press.

    Args:
        demo: What to play.
        config: Names the ROM.
        renders: Render frames.
        with_end: Yield the observation at the end too, as a last step with the action `END`.

    Raises:
        ReplayError: It diverges, or belongs to another game or emulator.
        PokeTUIError: The game cannot be set up.
    """
    with closing(DemoPlayer(config, renders=renders)) as player:
        yield from player.play(demo, with_end=with_end)


class DemoPlayer:
    """Replay demonstrations one after the other, in one game where that is possible: see `play`."""

    def __init__(self, config: RunConfig, *, renders: bool = True) -> None:
        self._config = config
        self._renders = renders
        self._env: GameEnv | None = None
        self._made_for: tuple[str, RunConfig] | None = None

    def play(self, demo: Demonstration, *, with_end: bool = False) -> Iterator[Step]:
        """Play one."""
        env = self._env_for(demo)
        begin_replay(env, demo.recording)
        checks = Checks(demo, env, pays_alike=pays_as_recorded(demo, self._config))
        noted = _NotedEvents(demo, env) if demo.settings else None
        for move in moves(demo.recording.segments[-1]):
            if isinstance(move, LiveStretch):
                yield from self._play_live(env, move, demo.begin.frame_in(move), noted)
                checks.pays_alike = False  # rewards of live play depend on when they are counted
                continue
            number = env.episode_steps
            before = self._look(env) if number >= demo.begins_at else None
            reward, *ends = env.advance(move)
            _refuse(number + 1, checks.difference(number, reward, is_done=any(ends)))
            if noted is not None:
                _refuse(*noted.difference(is_done=any(ends)))
                _refuse(number + 1, noted.map_difference())
            if before is not None:
                yield replace(
                    before,
                    action=move,
                    reward=reward,
                    done=any(ends),
                    proposal=int(demo.proposals[number]),
                    is_intervention=bool(demo.is_intervention[number]),
                )
        _refuse(env.episode_steps, checks.end_difference())
        if noted is not None:
            _refuse(*noted.end_difference())
        if with_end:
            yield self._look(env)

    def close(self) -> None:
        """Free the emulator."""
        if self._env is not None:
            self._env.close()
            self._env = None

    def _env_for(self, demo: Demonstration) -> GameEnv:
        settings = settings_for(demo, self._config)
        wanted = (demo.recording.start, settings)
        if self._env is None or self._made_for != wanted:
            self.close()
            self._env, self._made_for = open_env(demo, settings), wanted
            self._env.is_rendering = self._renders
        return self._env

    def _look(self, env: GameEnv) -> Step:
        """Return the current observation, as a step without an action."""
        return Step(
            env.episode_steps,
            env.features().copy(),
            env.action_mask().copy(),
            env.frame() if self._renders else None,
            env.state,
        )

    def _play_live(
        self, env: GameEnv, stretch: LiveStretch, first: int, noted: "_NotedEvents | None"
    ) -> Iterator[Step]:
        """Replay real-time play; yield the decisions from frame `first` on."""
        frames, at = env.config.press.usual, 0
        directions = directions_of(env.game.actions.names)
        for action, holds in decisions(stretch, frames, directions):
            before = self._look(env) if at >= first and action is not None else None
            for buttons, count in holds:
                env.play_frames(buttons, count, render=self._renders)
                at += count
            reward, done, _ = env.advance_live()
            if noted is not None:
                _refuse(*noted.difference(is_done=done, is_live=True))
            if before is not None and action is not None:
                yield replace(before, action=action, reward=reward, done=done, is_live=True)


class Checks:
    """Compare rewards and memory with what was recorded, after every step."""

    def __init__(self, demo: Demonstration, env: GameEnv, *, pays_alike: bool) -> None:
        self._demo = demo
        self._env = env
        self._hashes = dict(demo.memory_hashes)
        self._sound = 0
        self.pays_alike = pays_alike

    def difference(self, number: int, reward: float, *, is_done: bool) -> str:
        """Return how the step that had `number` before it differs, "" if it does not."""
        # What was paid before somebody took over was not recorded.
        if self.pays_alike and number >= self._demo.begins_at:
            recorded = float(self._demo.rewards[number])
            if np.float32(reward) != self._demo.rewards[number]:
                return f"reward {reward:.3f}, expected {recorded:.3f}"
            if is_done != bool(self._demo.dones[number]):
                return "the episode ends" if is_done else "the episode continues"
        if number + 1 in self._hashes:
            if self._env.memory_digest() != self._hashes[number + 1]:
                return self._memory_differs()
            self._sound = number + 1
        return ""

    def end_difference(self) -> str:
        """Compare the memory at the end, live play after the last step included."""
        memory = self._demo.recording.memory
        if memory and self._env.memory_digest() != memory:
            return self._memory_differs()
        return ""

    def _memory_differs(self) -> str:
        return f"memory differs (last match at step {self._sound:,})"


class _NotedEvents:
    """Compare milestones, goal and maps with the recorded events.

    The environment has the demonstration's own settings. Marks and notes are a person's word, and
    are not compared.
    """

    def __init__(self, demo: Demonstration, env: GameEnv) -> None:
        self._env = env
        self._begin = demo.begin
        # Kind and text of events, by step.
        self._noted: dict[int, set[tuple[str, str]]] = {}
        for event in demo.events:
            if event.kind in (MILESTONE, GOAL):
                self._noted.setdefault(event.step, set()).add((event.kind, event.text))
        self._maps = [(event.step, event.text) for event in demo.events if event.kind == MAP]
        self._live_after = {each.after for each in demo.recording.segments[-1].live}
        self._known = env.milestones
        self._step = env.episode_steps
        self._found: set[tuple[str, str]] = set()

    def difference(self, *, is_done: bool, is_live: bool = False) -> tuple[int, str]:
        """Take in a step, or some live play; return (step, how it differs), "" if it does not.

        What happened after a step is compared when the next one is taken: live play may follow.
        """
        env, found = self._env, (0, "")
        if env.episode_steps != self._step:
            found = self.end_difference()
            self._step, self._found = env.episode_steps, set()
        reached, self._known = env.milestones - self._known, env.milestones
        if is_live or env.episode_steps > self._begin.step:
            self._found |= {(MILESTONE, key) for key in reached}
            if is_done and env.is_success:
                self._found.add((GOAL, env.config.goal or "badge"))
        return found

    def end_difference(self) -> tuple[int, str]:
        """Return how what happened after the last step differs; to be asked before the next."""
        step, begin = self._step, self._begin
        # Where it begins amidst live play, an event may be from before the beginning.
        if step < begin.step or (step == begin.step and begin.frames):
            return step, ""
        noted = self._noted.get(step, set())
        for each in sorted(noted ^ self._found):
            how = "recorded but not reached" if each in noted else "reached but not recorded"
            return step, f"{' '.join(each).rstrip()}: {how}"
        return step, ""

    def map_difference(self) -> str:
        """Return how the map after a step differs, "" where it does not or none was noted."""
        step = self._env.episode_steps
        if step < self._begin.step or step in self._live_after:
            return ""
        noted = next((text for at, text in reversed(self._maps) if at <= step), "")
        name = self._env.state.place.name
        return f"map {name}, expected {noted}" if noted and noted != name else ""


def unchecked(demo: Demonstration, config: RunConfig) -> tuple[str, ...]:
    """Return in words what of a demonstration cannot be checked by replaying it.

    What a person said (marks, notes, tags, task) is left out.
    """
    found = []
    last = max((step for step, _ in demo.memory_hashes), default=0)
    if not demo.recording.memory and last < demo.episode_length:
        found.append(f"memory after step {last:,}" if last else "memory (none recorded)")
    if demo.settings and demo.has_live:
        found.append("rewards from real-time play onwards")
    elif not pays_as_recorded(demo, config):
        found.append("rewards")
    if not demo.settings:
        found.append("milestones and goal")
    return tuple(found)


def pays_as_recorded(demo: Demonstration, config: RunConfig) -> bool:
    """Return whether a replay with the demonstration's settings must pay as recorded."""
    if not demo.settings or demo.has_live:
        return False
    return not json.loads(demo.settings)["extra"] and not config.rewards.extra


def _refuse(step: int, difference: str) -> None:
    if difference:
        raise ReplayError(
            f"The demonstration diverges at step {step:,}: {difference}.",
            "It is damaged, or was not recorded with this game.",
        )


def settings_for(demo: Demonstration, config: RunConfig) -> RunConfig:
    """Return the settings to replay a demonstration with: see `play`.

    Where `config` names no ROM, the practice game that was recorded is played.
    """
    config = config.model_copy(update={"rom_path": rom_for(demo, config)})
    if not demo.settings:
        env = config.env.pressed(demo.recording.frames)
        return config.model_copy(update={"env": env})
    facts = json.loads(demo.settings)
    rewards = RewardConfig(**{**facts["rewards"], "extra": config.rewards.extra})
    env = EnvConfig.of_saved({**facts["env"], "features": config.env.features})
    return config.model_copy(update={"env": env, "rewards": rewards})


def rom_for(demo: Demonstration, config: RunConfig) -> str:
    """Return the `rom_path` to replay a demonstration with, as in `settings_for`."""
    return config.rom_path or name_of(demo.recording.rom)


def open_env(demo: Demonstration, config: RunConfig) -> GameEnv:
    """Build the game of a demonstration, at its start state.

    Raises:
        ReplayError: The demonstration is of another ROM or emulator, or its start is damaged.
        PokeTUIError: The game cannot be set up.
    """
    with scratch_folder() as folder:
        start = folder / "start.state"
        start.write_bytes(pack_state(demo.recording.rom, demo.start_state))
        try:
            return make_game_env(config.model_copy(update={"start_state": str(start)}), 0)
        except PokeTUIError as error:
            if str(start) not in error.message:
                raise
            raise _refusal(demo, config) from None


def _refusal(demo: Demonstration, config: RunConfig) -> ReplayError:
    """Return why a demonstration does not start in the game of these settings."""
    game = load_game(config.rom_path, config.allow_unknown_rom)
    recorded, own = demo.recording.emulator, game.emulator_version
    if demo.recording.rom != game.sha1:
        return ReplayError(
            "The demonstration was recorded with a different ROM.",
            "Name its game with --rom or --game; those of one dataset must be of one game.",
        )
    if recorded != own:
        return ReplayError(
            f"The demonstration was recorded with emulator {recorded}, not {own}.",
            "Use that one (--core for Game Boy Advance games), or record a new one.",
        )
    return ReplayError("The demonstration's start state is damaged.", "Record a new one.")
