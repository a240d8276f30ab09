"""Record demonstrations in a thread, with the commands and events of a run.

Nothing is trained. The learning library is loaded only if a trained policy plays.
"""

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from engine.config import RunConfig
from engine.demos.demonstration import SUFFIX, read_demo
from engine.demos.recording_log import LOG_SUFFIX, read_log
from engine.demos.writer import is_being_written, recover
from engine.errors import ConfigurationError, DemoError
from engine.events import Event, ProgressReported, ReasoningLogged, RunStopped, WarningRaised
from engine.games.base import check_goal
from engine.games.catalog import load_game
from engine.ground.folders import user_path
from engine.ground.text import counted
from engine.loop.controls import FIRST_SPEED, CommandQueue
from engine.sessions.recording.game import DemoPoint, RecordingPlan
from engine.sessions.threaded import StartLeft, ThreadedSession

__all__ = ["DemoPoint", "RecordingPlan", "RecordingSession", "record_headless"]


class RecordingSession(ThreadedSession):
    """A game that demonstrations are recorded in; the counterpart of `EngineSession`.

    Recording begins by itself. A demonstration ends with its episode, at its time limit, or by a
    command; then it is saved, and the next one begins, until the dataset is complete. The commands
    are in `engine.sessions.recording.loop`.

    Args:
        config: Names the game and the save folder.
        speed: Actions a second of the player, if one plays; 0: unlimited.

    Attributes:
        run_id: The dataset's name.
        run_dir: The dataset's folder.

    Raises:
        ConfigurationError: The dataset's folder cannot be written.
        RomError: The ROM is unusable.
    """

    def __init__(
        self, config: RunConfig, plan: RecordingPlan, *, speed: float = FIRST_SPEED
    ) -> None:
        super().__init__("recording")
        self.config = config
        folder = plan.folder(config)
        self.run_id, self.run_dir = folder.name, str(folder)
        self._plan = plan
        self._speed = speed
        _check(config, plan)

    def _work(self) -> RunStopped:
        return _record(
            self.config,
            self._plan,
            self._commands,
            self.mailbox.post,
            speed=self._speed,
            is_shown=True,
        )

    @property
    def _remedy(self) -> str:
        return "What was played is recovered the next time you record into this set."


def record_headless(
    config: RunConfig,
    plan: RecordingPlan,
    emit: Callable[[Event], None] = lambda event: None,
    commands: CommandQueue | None = None,
) -> RunStopped:
    """Let a player record a dataset without a screen, at full speed; return why it ended.

    A Stop among the commands saves what is played and ends it. After Ctrl-C, too, what was played
    is saved, and KeyboardInterrupt is raised again.

    Args:
        config: Names the game and the save folder.
        plan: What is recorded; it must name a player and a number of episodes.
        emit: Takes events: RecordingEnded names each file.
        commands: The queue to obey.

    Raises:
        ConfigurationError: There is no player, or no end.
        PokeTUIError: The game or the player is unusable, or nothing can be written.
    """
    if not plan.player or not plan.episodes:
        raise ConfigurationError(
            "--headless needs a player and a number of episodes.",
            "Add --player rules --episodes 5.",
        )
    _check(config, plan)
    queue = commands or CommandQueue()
    try:
        return _record(config, plan, queue, emit, speed=0.0, is_shown=False)
    except KeyboardInterrupt:
        resume_set(plan.folder(config))
        raise


def _check(config: RunConfig, plan: RecordingPlan) -> None:
    """Check what can be checked at once, without writing anything."""
    check_goal(load_game(config.rom_path, config.allow_unknown_rom), config.env.goal)
    if plan.player:
        # Here, not above: it takes longer to load than all that a person needs to play.
        from engine.sessions.recording.players import check_player

        check_player(plan.player, config)
    if config.start_state and not user_path(config.start_state).is_file():
        # Here, not above: it loads the emulator. It raises the error for the missing file.
        from engine.env.start_states import keep_given_state

        keep_given_state(config)
    folder = plan.folder(config)
    there = next(each for each in (folder, *folder.parents) if os.path.lexists(each))
    reason = "" if os.access(there, os.W_OK | os.X_OK) else "it is not writable"
    if not there.is_dir():
        reason = f"{there} is not a folder"
    if reason:
        raise ConfigurationError(
            f"Cannot write to {folder}: {reason}.", "Choose another folder with --save-dir."
        )


def _record(
    config: RunConfig,
    plan: RecordingPlan,
    commands: CommandQueue,
    emit: Callable[[Event], None],
    *,
    speed: float,
    is_shown: bool,
) -> RunStopped:
    # Here, not above: the emulator takes a second, and the terminal shows its first screen
    # meanwhile.
    from engine.env.vector.world import prepare_start
    from engine.sessions.recording.game import RecordedGame
    from engine.sessions.recording.loop import RecordingLoop
    from engine.sessions.recording.players import load_player

    def post(event: Event) -> None:
        if commands.stop is not None:
            raise StartLeft
        emit(event)

    saved, rescued, refused = resume_set(plan.folder(config))
    player = None
    try:
        for text in rescued:
            post(ReasoningLogged(0, "run", text))
        for text in refused:
            post(WarningRaised(text))
        if plan.player:
            post(ProgressReported(f"loading {plan.player}"))
            player = load_player(plan.player, config, lambda text: emit(WarningRaised(text)))
        prepare_start(config, post)
        post(ProgressReported("loading the game"))
    except StartLeft:
        reason = commands.stop.reason if commands.stop is not None else ""
        return RunStopped(reason or "asked to stop", 0, "")
    with closing(RecordedGame(config, plan, player, saved, can_rewind=is_shown)) as game:
        recording = RecordingLoop(game, plan, player, saved, emit, speed=speed, is_shown=is_shown)
        return recording.run(commands)


def resume_set(folder: Path) -> tuple[int, list[str], list[str]]:
    """Rescue what crashed sessions left in a folder.

    Returns:
        How many demonstrations with steps there are then, a line for each that was rescued, and one
        for each file that cannot be used.
    """
    rescued, refused = [], []
    for log in sorted(folder.glob(f"*{SUFFIX}{LOG_SUFFIX}")):
        if is_being_written(log):
            continue
        try:
            if steps := _rescue(log):
                rescued.append(f"{log.stem} was left by a crash and has been recovered: {steps}")
        except DemoError as error:
            refused.append(str(error))
    count = 0
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        try:
            count += bool(read_demo(path).shown)
        except DemoError as error:
            refused.append(str(error))
    return count, rescued, refused


def _rescue(log: Path) -> str:
    """Recover a log's demonstration; return its length in words, "" where there is nothing."""
    demo = read_log(log)
    path = log.with_name(log.stem)
    segments = demo.recording.segments
    # Its file may have been written whole before its program died.
    if not demo.shown or (path.exists() and read_demo(path).recording.segments == segments):
        log.unlink(missing_ok=True)
        return ""
    recover(log)
    steps = len(demo.shown)
    live = ", partly in real time" if demo.has_live else ""
    return f"{counted(steps, 'step')}{live}"
