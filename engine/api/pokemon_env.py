"""Give the environments their documented names."""

from contextlib import ExitStack
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any, cast

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from engine.config import EnvConfig, RewardConfig
from engine.demos.video import AddFrame, mp4_writer
from engine.emulator.base import Camera, Emulator
from engine.env.game_env import GameEnv
from engine.errors import VideoError
from engine.ground.files import make_folder, os_errors_as
from engine.gymnasium.registered import RegisteredEnv
from engine.types import Frame, Observation

_FRAMES_PER_PICTURE = 2
_SCALE = 2


class EnhancedPyBoyPokemonCrystalEnv(GameEnv):
    """Pokémon Crystal, or the practice game, as a Gymnasium environment: see `GameEnv`.

    Its methods may be overridden, `_calculate_reward` above all.
    """


class PokemonEnv(gymnasium.ObservationWrapper[Frame, np.int64, Observation]):
    """A game whose observation is its picture, (height, width, 3) uint8, and nothing else.

    What memory tells is in `info`: "player", "map", "milestones", "action_mask" and more. The
    environment beneath, `unwrapped`, has the rest.

    Args:
        rom_path: The game's file, or a practice game's name (`engine.games.bundled`); empty: the
            first of these.
        headless: False: show every step in a window.
        base_fps: Frames of the game a second that the window shows; 0: as fast as it can. Without
            a window nothing waits, whatever it is.
        record_video: Write each episode to an MP4 file with ffmpeg, at the game's own speed.
        video_folder: Where to; a file has the time when the environment was made in its name, and
            the number of its episode.
        render_mode: See `GameEnv`, for the other arguments too.

    Attributes:
        videos: The files that are finished.

    Raises:
        VideoError: A video cannot be written; in `reset` if there is no ffmpeg.
    """

    def __init__(
        self,
        rom_path: str = "",
        headless: bool = True,
        base_fps: float = 0.0,
        record_video: bool = False,
        *,
        video_folder: str | Path = "saves/videos",
        render_mode: str | None = None,
        config: EnvConfig | None = None,
        rewards: RewardConfig | None = None,
        start_state: str = "",
        allow_unknown_rom: bool = False,
    ) -> None:
        self.game_env = RegisteredEnv(
            rom_path,
            "screen",
            render_mode,
            headless=headless,
            base_fps=base_fps,
            config=config,
            rewards=rewards,
            start_state=start_state,
            allow_unknown_rom=allow_unknown_rom,
        )
        super().__init__(self.game_env)
        self.observation_space = cast(spaces.Dict, self.game_env.observation_space)["screen"]
        self.videos: list[Path] = []
        self._folder = self._path = Path(video_folder)
        self._made = f"{datetime.now():%Y%m%d-%H%M%S-%f}"
        self._numbers = count(1)
        self._writing = ExitStack()
        self._write: AddFrame | None = None
        self._camera: Camera | None = None
        if record_video:
            self._camera = Camera(self.game_env.emulator, _FRAMES_PER_PICTURE)
            self.game_env.emulator = cast(Emulator, self._camera)

    def observation(self, observation: Observation) -> Frame:
        """Return the picture."""
        frame: Frame = observation["screen"]
        return frame

    def action_masks(self) -> NDArray[np.bool_]:
        """Return (A,) bool, False where an action can have no effect now."""
        return self.game_env.action_mask()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Frame, dict[str, Any]]:
        """Start an episode, and its video."""
        self._finish_video()
        frame, info = super().reset(seed=seed, options=options)
        if self._camera is not None:
            self._begin_video(frame)
            self._camera.take()  # not of this episode
        return frame, info

    def step(self, action: int | np.int64) -> tuple[Frame, float, bool, bool, dict[str, Any]]:
        """Press a button, let the game run, and pay for the result."""
        frame, reward, is_terminated, is_truncated, info = super().step(cast(np.int64, action))
        if self._camera is not None and self._write is not None:
            for picture in self._camera.take():
                self._write(picture)
        if is_terminated or is_truncated:
            self._finish_video()
        return frame, float(reward), is_terminated, is_truncated, info

    def close(self) -> None:
        """Finish the video, and free the emulator."""
        try:
            self._finish_video()
        finally:
            super().close()

    def _begin_video(self, first: Frame) -> None:
        path = self._folder / f"{self._made}-episode-{next(self._numbers):04}.mp4"
        hint = "Choose another video_folder."
        with os_errors_as(VideoError, f"Cannot write to {self._folder}", hint):
            make_folder(self._folder)
        fps = self.game_env.game.frames_per_s / _FRAMES_PER_PICTURE
        self._write = self._writing.enter_context(mp4_writer(path, fps, _SCALE))
        self._path = path
        self._write(first)

    def _finish_video(self) -> None:
        if self._write is not None:
            self._write = None
            self._writing.close()
            self.videos.append(self._path)
