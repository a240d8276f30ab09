"""Define what a session records, the game that it is recorded in, and that game's save slots."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.commands import NUM_SLOTS
from engine.config import PressFrames, RunConfig
from engine.demos.dataset import demos_folder
from engine.demos.layout import BROKEN, plain_text, read_limited, read_tags, write_whole
from engine.demos.live_recorder import LiveRecorder
from engine.demos.recent_play import RecentPlay
from engine.env.game_env import GameEnv
from engine.env.start_states import pack_env, unpack_env
from engine.env.stepping import SteppedEnv, make_game_env
from engine.errors import ConfigurationError, DemoError, PokeTUIError
from engine.events import KeptState, StatesKept
from engine.planning.goals.planned import PlannedAdvisor
from engine.sessions.recording.players import LoadedPlayer

if TYPE_CHECKING:
    from engine.imitation.blocking_planner import BlockingPlanner


@dataclass(frozen=True, slots=True)
class DemoPoint:
    """A moment of a recording."""

    source: str
    """A demonstration's path, or "run:episode" with the run's id or path."""
    step: int
    """Moves before it, as a replay counts them: see `engine.sessions.replay_player`."""


@dataclass(frozen=True, slots=True)
class RecordingPlan:
    """What a session records.

    Raises:
        ConfigurationError: A value cannot be used.
    """

    set_name: str = ""
    """The dataset: a folder below that of all demonstrations; "": that folder itself. Existing
    demonstrations count: a dataset is resumed."""
    episodes: int = 0
    """How many the dataset is to have; 0: any number."""
    limit_s: float = 0.0
    """Time limit after which a demonstration is saved; 0: none. Pauses do not count."""
    pause_s: float = 0.0
    """Between two demonstrations."""
    has_reset: bool = False
    """Without a pause, a person's next demonstration waits for the first press."""
    has_review: bool = False
    """A person keeps, discards, retakes or watches each demonstration before it is saved."""
    task: str = ""
    tags: tuple[str, ...] = ()
    player: str = ""
    """Who plays: "" a person; "rules"; "planner"; "random"; or the name of a cloned policy or a
    run. A person may take over; what the player would have done is recorded as proposals."""
    start: DemoPoint | None = None
    """Where every demonstration begins; None: where the game begins."""
    is_live: bool = False
    """A person begins in real time."""

    def __post_init__(self) -> None:
        if self.episodes < 0:
            raise ConfigurationError("The number of episodes cannot be negative.", "Use 0 or more.")
        for name, seconds in (("limit", self.limit_s), ("pause", self.pause_s)):
            if not math.isfinite(seconds) or seconds < 0:
                raise ConfigurationError(
                    f"The {name} cannot be {seconds} seconds.", "Use 0 seconds or more."
                )
        if self.set_name != Path(self.set_name).name or self.set_name.startswith("."):
            raise ConfigurationError(
                f"Invalid dataset name: {self.set_name!r}.", "Use a valid folder name."
            )
        try:
            plain_text(self.task)
            read_tags(self.tags)
        except (ValueError, TypeError):
            raise ConfigurationError(
                "The task must be one line of text, and each tag a word.", "Correct them."
            ) from None

    def folder(self, config: RunConfig) -> Path:
        """Return the dataset's folder."""
        return demos_folder(config) / self.set_name


class RecordedGame(SteppedEnv):
    """One game, and the demonstration that is written of it.

    Args:
        config: Names the game, and says how an action is pressed and what ends an episode.
        player: Who plays; None: a person, for whom there is no limit of steps.
        saved: Demonstrations in the dataset: the next ones get other random numbers.
        can_rewind: Actions may be taken back.

    Attributes:
        folder: Where demonstrations are written.
        recorder: Writes what is played.
        recent: What a person has just played while nothing is recorded.

    Raises:
        PokeTUIError: The game cannot be set up, or cannot begin at the plan's start.
    """

    def __init__(
        self,
        config: RunConfig,
        plan: RecordingPlan,
        player: LoadedPlayer | None,
        saved: int,
        *,
        can_rewind: bool = True,
    ) -> None:
        self._asking: BlockingPlanner | None = None
        env = _open(config, plan, player)
        if player is None:
            env.lift_limits()
        else:
            env.encode_for(player.feature_size)
        advisor = PlannedAdvisor(env.game, 0, config.seed)
        sight = None if player is None else player.sight
        super().__init__(env, advisor, sight=sight)
        env.seed_random(config.seed + saved)
        if player is not None and player.make_planner is not None:
            self._asking = player.make_planner()
            self._asking.begin([self])
        self.folder = plan.folder(config)
        self._point = self._go_on() if plan.start is not None else b""
        self.recorder = LiveRecorder(
            self,
            self.folder,
            by="human" if player is None else player.by,
            task=plan.task,
            tags=plan.tags,
            can_rewind=can_rewind,
        )
        self.recent = RecentPlay(self)

    def begin_episode(self, snapshot: bytes = b"") -> None:
        """Bring the game to where the next demonstration begins, or to a snapshot instead."""
        if snapshot:
            random = self.env.np_random.bit_generator.state
            self.go_to(snapshot)
            self.env.np_random.bit_generator.state = random  # not the snapshot's random numbers
        elif self._point:
            self.restore(self._point)
        else:
            self.begin()

    def close(self) -> None:
        """Leave an unfinished demonstration in its log, unless it is empty; free the emulator."""
        if self.recorder.is_recording and self.recorder.is_empty:
            self.recorder.discard()
        self.recorder.close()
        if self._asking is not None:
            self._asking.close()
        super().close()

    def _observe(self) -> None:
        """Observe the game; wait for a language model's goals, if it sets them."""
        super()._observe()
        if self._asking is not None:
            self._asking.follow([self])

    def _go_on(self) -> bytes:
        """Continue the episode that the game is in; return a snapshot of it at rest."""
        if self._advisor is not None:
            self._advisor.reset(self.env.state)
        if self._sight is not None:
            self._sight.begin(self.env.frame())
        last = self.env.last_live
        if last is not None and last.after == self.env.episode_steps:
            self.count_frames(is_over=True)
        self._observe()
        if self.env.is_success:
            self.env.close()
            raise ConfigurationError(
                "Cannot record from there: the goal is already reached.",
                "Start at an earlier step.",
            )
        return self.save()


def _open(config: RunConfig, plan: RecordingPlan, player: LoadedPlayer | None) -> GameEnv:
    if plan.start is not None:
        from engine.sessions.replay_player import open_at
        from engine.sessions.replay_sources import find_recorded

        return open_at(find_recorded(plan.start.source, config), plan.start.step)
    if player is not None and player.frames is not None:
        config = config.model_copy(update={"env": config.env.pressed(player.frames)})
    return make_game_env(config, 0)


_FOLDER = "states"
_MAX_SIZE = 1 << 22


class Slots:
    """The slots 1 to 10 of a dataset, each a file, with those of earlier sessions.

    Args:
        now: Seconds since 1970.

    Attributes:
        refused: Why existing files cannot be used, in a line each.
    """

    def __init__(self, game: RecordedGame, now: Callable[[], float] = time.time) -> None:
        self._game = game
        self._folder = game.folder / _FOLDER
        self._now = now
        self._states: dict[int, KeptState] = {}
        self.refused: list[str] = []
        for slot in range(1, NUM_SLOTS + 1):
            if self._path(slot).exists():
                try:
                    self._states[slot] = self._read(slot)[0]
                except DemoError as error:
                    self.refused.append(str(error))

    @property
    def listed(self) -> StatesKept:
        """Return the saved states, oldest first."""
        return StatesKept(tuple(sorted(self._states.values(), key=lambda one: one.kept_s)))

    @property
    def next_free(self) -> int:
        """Return an empty slot; where there is none, the one that was saved first."""
        free = (slot for slot in range(1, NUM_SLOTS + 1) if slot not in self._states)
        return next(free, min(self._states, key=lambda slot: self._states[slot].kept_s, default=1))

    def save(self, slot: int, episode: int) -> KeptState:
        """Save the game, which is at rest, in place of what the slot held.

        Raises:
            DemoError: It cannot be written; the slot keeps what it held.
        """
        env = self._game.env
        state = KeptState(
            slot, 0, env.episode_steps, self._game.place, True, episode, self._now(), slot
        )
        facts = {
            "start": self._start,
            "steps": state.episode_steps,
            "place": state.place,
            "episode": episode,
            "kept_s": state.kept_s,
        }
        write_whole(self._path(slot), pack_env(facts, self._game.snapshot()))
        self._states[slot] = state
        return state

    def load(self, slot: int) -> tuple[KeptState, bytes]:
        """Return a slot's state and snapshot; the game, at rest, is left where it is.

        Raises:
            DemoError: It is empty, damaged, or of another game; or the goal is reached there.
        """
        if slot not in self._states:
            raise DemoError(f"Slot {slot} is empty.", "Save it first.")
        state, snapshot = self._read(slot)
        now = self._game.save()
        try:
            self._game.go_to(snapshot)
            is_over = self._game.env.is_success
        except (*BROKEN, PokeTUIError):
            raise _damaged(self._path(slot)) from None
        finally:
            self._game.restore(now)
        if is_over:
            raise DemoError(f"The goal is reached in slot {slot}.", "Load another slot.")
        return state, snapshot

    @property
    def _start(self) -> list[Any]:
        """Return what must be equal for a demonstration to continue from a slot."""
        env = self._game.env
        return [env.game.sha1, env.game.emulator_version, env.start_hash, *env.config.press.pack()]

    def _check_start(self, path: Path, start: Sequence[Any]) -> None:
        """Refuse a slot whose `_start` was another.

        Raises:
            DemoError: A demonstration cannot continue from it.
        """
        if start == self._start:
            return
        what, hint = "is of another ROM, start or emulator", "Save it again."
        if start[:3] == self._start[:3]:
            frames = PressFrames(*map(int, start[3:]))
            what = f"was saved with {frames} frames per press, not {self._game.env.config.press}"
            hint = f"Add {frames.options}, or save it again."
        raise DemoError(f"The save slot {path} {what}.", hint)

    def _path(self, slot: int) -> Path:
        return self._folder / f"slot-{slot}.slot"

    def _read(self, slot: int) -> tuple[KeptState, bytes]:
        path = self._path(slot)
        try:
            facts, snapshot = unpack_env(read_limited(path, _MAX_SIZE))
            steps, episode, kept_s = (facts[name] for name in ("steps", "episode", "kept_s"))
            place = plain_text(facts["place"])
            state = KeptState(slot, 0, int(steps), place, True, int(episode), float(kept_s), slot)
            if not math.isfinite(state.kept_s):
                raise ValueError("it has no time")
            self._check_start(path, list(facts["start"]))
        except DemoError:
            raise
        except (*BROKEN, PokeTUIError):
            raise _damaged(path) from None
        return state, snapshot


def _damaged(path: Path) -> DemoError:
    return DemoError(f"The save slot {path} is damaged.", "Save it again.")
