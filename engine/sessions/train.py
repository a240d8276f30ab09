"""Train in a worker thread: commands go in, events come out, exceptions never do."""

import importlib
import logging
import logging.handlers
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

from engine.config import RunConfig
from engine.errors import PokeTUIError
from engine.events import Event, ProgressReported, RunFailed, RunStopped, WarningRaised
from engine.games.base import fit_run
from engine.games.catalog import load_game
from engine.ground.files import open_file, remedy
from engine.ground.text import VisibleFormatter
from engine.planning.models.backends import make_backends
from engine.runs.checkpoint import checkpoint_paths, steps_of
from engine.runs.folder import RunFolder
from engine.runs.settings import resumed_config
from engine.runs.weights_biases import require_wandb
from engine.sessions.threaded import StartLeft, ThreadedSession

if TYPE_CHECKING:
    from engine.env.vector.world import VectorEnv

_TAKE_DOWN_S = 2.0
_LOOK_S = 0.05
"""Interval at which a start looks for a Stop."""
_BY_RULES = "no language model is set, so the rules are the planner. --llm-model sets one."
_log = logging.getLogger(__name__)


class EngineSession(ThreadedSession):
    """One run, new or resumed, in a thread of its own.

    The constructor checks what can be checked at once and takes the run's folder, so that a
    user's mistake is known before anything is drawn.

    A Stop before the first step is published as the end at once, with the checkpoint that a resumed
    run has; what was begun is taken down meanwhile, and `is_alive` and the folder's lock last until
    that is done.

    A new run that fails or is stopped before its first checkpoint leaves no folder.

    Args:
        config: The run's settings.
        resume: Id or path of a saved run, or "latest"; None begins a new one.
        make_vector: Makes the environments; None: games in worker processes.

    Attributes:
        run_id: The run's name.
        run_dir: Its folder.
        config: The settings in force: those of the saved run if one is resumed.
        keeps_log: Keep the log of a failed start beside the runs, whatever failed: there may be no
            reader of the event.

    Raises:
        ConfigurationError: The save folder is not writable, the run is in use or names what is not
            trusted, or nothing can be started from the file in `config.start_state`, or from the
            demonstration in `config.backward.demo`.
        RomError: The ROM is unusable.
        CheckpointError: There is no such run.
    """

    def __init__(
        self,
        config: RunConfig,
        resume: str | None = None,
        *,
        make_vector: "Callable[[RunConfig], VectorEnv] | None" = None,
    ) -> None:
        super().__init__("run")
        self._make_vector = make_vector
        self._is_resumed = resume is not None
        if resume is None:
            self.config = _with_demo_hash(_keep_given_state(check_settings(config)))
            self._folder = RunFolder.create(self.config)
            for key in config.led_by_rules:
                if key in config.model_fields_set:
                    self._warn(f"{key} = {getattr(config, key)}: {_BY_RULES}")
        else:
            self._folder = RunFolder.open(config, resume, self._warn)
            try:
                self.config, ignored = resumed_config(self._folder.path, config)
                self.config = check_settings(self.config)
                _keep_given_state(self.config)
                _with_demo_hash(self.config)
            except BaseException:
                self._folder.unlock()
                raise
            if ignored:
                names = ", ".join(ignored)
                self._warn(f"The saved run's settings are kept: {names}.")
        self.run_id, self.run_dir = self._folder.run_id, str(self._folder.path)
        self._transition = threading.Lock()
        self._is_begun = threading.Event()
        self._is_left = False
        self.keeps_log = False

    def _run(self) -> None:
        threading.Thread(target=self._watch_start, name="engine start", daemon=True).start()
        try:
            with log_to_file(str(self._folder.log_path), self.config.log_level):
                end = self._end()
                if self._begin():
                    self.mailbox.post(end)
        except OSError as error:
            self.mailbox.post(
                RunFailed(
                    f"Cannot write the log {self._folder.log_path}: {error.strerror or error}.",
                    remedy(error, "Make it writable, or free some disk space."),
                    self._folder.has_checkpoint,
                )
            )
        finally:
            self._is_begun.set()
            self._let_go()

    def discard(self) -> None:
        """Delete the folder if nothing came of the run, and unlock it, before the program ends.

        A stopped start may still be taken down then, and a session may never have begun.
        """
        self.join(_TAKE_DOWN_S)
        if not self.is_alive or self._folder.is_unstarted:
            self._let_go()

    def _let_go(self) -> None:
        folder = self._folder
        if self.keeps_log and folder.is_unstarted and folder.log_path.is_file():
            with suppress(OSError):
                folder.log_path.replace(self._failed_log)
        folder.remove_unstarted()

    @property
    def _failed_log(self) -> Path:
        """Return where the log of a failed start is kept."""
        return self._folder.path.parent.parent / "failed-start.log"

    def _watch_start(self) -> None:
        """Report the end as soon as a Stop comes during the start, whose steps take seconds."""
        while (stop := self._commands.stop) is None:
            if self._is_begun.wait(_LOOK_S):
                return
        with self._transition:
            if not self._is_begun.is_set():
                self._is_left = True
                paths = checkpoint_paths(self._folder.checkpoints_path)
                path = str(paths[0]) if paths else ""
                reason = stop.reason or "asked to stop"
                self.mailbox.post(RunStopped(reason, steps_of(Path(path)), path))

    def _begin(self) -> bool:
        """Note that the start is over; return False if it was stopped before."""
        with self._transition:
            self._is_begun.set()
            return not self._is_left

    def _post(self, event: Event) -> None:
        """Post an event, or raise `StartLeft` if the start was stopped."""
        if self._is_left:
            raise StartLeft
        self.mailbox.post(event)

    def _start_games(self) -> "VectorEnv":
        """Start the games here while another thread loads the learning library.

        The games' processes end with the thread that made them, so it must be this one.
        """
        self._post(ProgressReported("loading the learning library"))
        threading.Thread(target=_load_learning, name="loading", daemon=True).start()
        if self._make_vector is not None:
            return self._make_vector(self.config)
        from engine.env.vector.world import start_games

        return start_games(self.config, self._post)

    def _work(self) -> RunStopped:
        try:
            return self._train()
        except StartLeft:
            return RunStopped("cancelled at the start", 0, "")  # that was published already
        except PokeTUIError:
            _log.exception("the run failed")
            raise
        except Exception:  # raised again: only the log has the traceback
            self.keeps_log = True
            raise

    def _train(self) -> RunStopped:
        vector = self._start_games()
        try:
            # Here, not above: it takes seconds, and the terminal shows its first screen meanwhile.
            from engine.training.build import build_trainer

            trainer = build_trainer(
                self.config,
                self._folder,
                self._commands,
                self._post,
                is_resumed=self._is_resumed,
                make_vector=self._make_vector,
                vector=vector,
            )
        except BaseException:
            vector.close()
            raise
        try:
            if not self._begin():
                raise StartLeft
            self._folder.keep()
            return trainer.run()
        finally:
            trainer.close()

    def _warn(self, text: str) -> None:
        self.mailbox.post(WarningRaised(text))

    @property
    def _has_checkpoint(self) -> bool:
        # A run that another process has taken is not ours to resume.
        return self._folder.is_held() and self._folder.has_checkpoint

    @property
    def _remedy(self) -> str:
        log = self._failed_log if self._folder.is_unstarted else self._folder.log_path
        return f"The log has the details: {log}"


def check_settings(config: RunConfig) -> RunConfig:
    """Check what can be checked of a run at once, and write nothing.

    Returns:
        The settings, completed with the game's own defaults.

    Raises:
        ConfigurationError: A package, a key or a model's file that the settings need is missing,
            or the game has no such goal.
        RomError: The ROM is unusable.
        EnvironmentError: Its emulator is not installed.
    """
    require_wandb(config)
    if config.asks_models:
        make_backends(config)
    game = load_game(config.rom_path, config.allow_unknown_rom)
    game.check_emulator()
    return fit_run(config, game)


def _load_learning() -> None:
    with suppress(Exception):  # whoever needs it imports it again, and gets the error
        importlib.import_module("engine.training.build")


def _keep_given_state(config: RunConfig) -> RunConfig:
    if not config.start_state:
        return config
    # Here, not above: it loads the emulator, which this process needs for nothing else.
    from engine.env.start_states import keep_given_state

    return keep_given_state(config)


def _with_demo_hash(config: RunConfig) -> RunConfig:
    if not config.backward.demo:
        return config
    from engine.training.starts import with_demo_hash

    return with_demo_hash(config)


class _QuietFileHandler(logging.handlers.WatchedFileHandler):
    """Drop what a full disk does not take; logging would complain on the terminal.

    A deleted file is created again.
    """

    def emit(self, record: logging.LogRecord) -> None:
        with suppress(OSError):  # its folder is gone, too
            super().emit(record)

    def _open(self) -> TextIOWrapper:
        descriptor = open_file(Path(self.baseFilename), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        return TextIOWrapper(os.fdopen(descriptor, "ab"), encoding=self.encoding)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (logging's name)
        pass


@contextmanager
def log_to_file(path: str, level: str) -> Iterator[None]:
    """Send the engine's log lines to a file, and only there: stderr is the terminal's."""
    logger = logging.getLogger("engine")
    handler = _QuietFileHandler(path, encoding="utf-8")
    handler.setFormatter(VisibleFormatter())
    former = logger.level, logger.propagate
    logger.addHandler(handler)
    logger.setLevel(level)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.level, logger.propagate = former
        with suppress(OSError):
            handler.close()
