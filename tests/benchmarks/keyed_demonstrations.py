"""Record demonstrations through the real application: keys go into a terminal, files come out.

`python -m tests.benchmarks.keyed_demonstrations FOLDER [EPISODES] [SEED]` starts `poketui record`
in a pseudo-terminal and presses keys until the set `FOLDER/demos/keyed` is complete. Which keys: a
mirror of the same game runs here, from the same start with the same random numbers, and the rules
decide in it. Every key waits until the screen says that the one before was taken. At the end the
files are compared with what was pressed and played in another process.
"""

import re
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from engine.config import RunConfig
from engine.demos.dataset import DemoSet
from engine.demos.demonstration import Demonstration
from engine.demos.recorder import Chooser, batch_of, rules_policy
from engine.demos.validation import validate
from engine.ground.processes import python_command
from engine.sessions.recording.game import RecordedGame, RecordingPlan
from engine.types import Action
from tests.benchmarks.cockpit.child import write_preferences
from tests.pokeTUI.throttled_pty import ThrottledPty
from tests.pokeTUI.tiny_terminal import TinyTerminal

SET = "keyed"
KEYS = {
    Action.UP: "\x1b[A",
    Action.DOWN: "\x1b[B",
    Action.RIGHT: "\x1b[C",
    Action.LEFT: "\x1b[D",
    Action.A: "z",
    Action.B: "x",
    Action.START: "\r",
    Action.SELECT: "\x7f",
}
SAVE = "d"
_SIZE = (100, 30)
_BYTES_PER_S = 50_000_000
_GAP_S = 0.14
"""Between two presses: what comes sooner is taken for a key that is held down."""
_PATIENCE_S = 60.0
_LOST_S = 20.0
"""A key that is told so late was not taken: one that is pressed twice is in the file twice."""
_INTRODUCTION = "press any key"
_STATUS = re.compile(r"rec (\d+)/\d+ .*?([\d,]+) steps?\b")


@dataclass(frozen=True, slots=True)
class Keyed:
    """What was recorded.

    Attributes:
        folder: Where the demonstrations are.
        pressed: The actions of each, as they were pressed.
        seconds: How long it took.
        said: What the application said at its end.
    """

    folder: Path
    pressed: tuple[bytes, ...]
    seconds: float
    said: str


def record_by_keys(save_dir: Path, episodes: int, seed: int, *, max_steps: int = 0) -> Keyed:
    """Record a new set by pressing keys.

    Args:
        save_dir: Save folder of the application and of the mirror.
        episodes: How many the set is to have.
        seed: Of the game, and of what is drawn.
        max_steps: Steps after which a demonstration is saved by its key; 0: at the goal.

    Raises:
        TimeoutError: The screen never said that a key was taken.
    """
    command = python_command("pokeTUI", "record", "--dataset", SET, "--no-review")
    command += ["--episodes", str(episodes), "--seed", str(seed), "--save-dir", str(save_dir)]
    command.append("--no-reset")  # else the next one would wait for its first press
    environment = write_preferences(save_dir / "config", view="half blocks")
    columns, rows = _SIZE
    config = RunConfig(save_dir=str(save_dir), seed=seed)
    plan = RecordingPlan(set_name=SET, episodes=episodes)
    began_s = time.monotonic()
    pressed: list[bytes] = []
    # The mirror first: it plays the introduction, which the application then finds.
    with (
        closing(RecordedGame(config, plan, None, 0, can_rewind=False)) as mirror,
        ThrottledPty(
            command, bytes_per_s=_BYTES_PER_S, columns=columns, rows=rows, environment=environment
        ) as terminal,
    ):
        choose = rules_policy(seed)
        terminal.wait_for(lambda screen: _INTRODUCTION in screen.text, _PATIENCE_S)
        terminal.press(" ")
        for number in range(1, episodes + 1):
            pressed.append(_press_episode(terminal, mirror, choose, number, max_steps))
        code = _wait_for_end(terminal)
        if code:
            raise RuntimeError(f"the application ended with {code}:\n{terminal.screen.text}")
        said = terminal.screen.text
    return Keyed(plan.folder(config), tuple(pressed), time.monotonic() - began_s, said)


def _press_episode(
    terminal: ThrottledPty, mirror: RecordedGame, choose: Chooser, number: int, max_steps: int
) -> bytes:
    """Play one episode in the mirror, and press the same in the application."""
    mirror.begin_episode()
    terminal.wait_for(lambda screen: _status(screen) == (number, 0), _PATIENCE_S)
    actions = bytearray()
    while True:
        action = _key_action(choose, mirror)
        actions.append(action)
        _, *ends = mirror.step(action)
        _press(terminal, KEYS[Action(action)], (number, len(actions)), is_last=any(ends))
        if any(ends):
            return bytes(actions)
        if len(actions) == max_steps:
            terminal.press(SAVE)
            return bytes(actions)


def _key_action(choose: Chooser, mirror: RecordedGame) -> int:
    """Return what the rules do; no key means to wait, so B is pressed, which changes nothing."""
    action = choose(batch_of(mirror))
    return int(Action.B) if action == Action.NOOP else action


def _press(terminal: ThrottledPty, key: str, wanted: tuple[int, int], *, is_last: bool) -> None:
    """Press a key until the screen says that it was taken.

    After the last of an episode it says that the next one has begun, or nothing any more.
    """

    def is_taken(screen: TinyTerminal) -> bool:
        found = _status(screen)
        return found == wanted or (is_last and (found is None or found[0] > wanted[0]))

    end_s = time.monotonic() + _PATIENCE_S
    while True:
        terminal.press(key)
        terminal.work(_GAP_S)
        try:
            terminal.wait_for(lambda screen: is_taken(screen) or _has_ended(terminal), _LOST_S)
        except TimeoutError:
            if time.monotonic() > end_s:
                raise
        else:
            return


def _has_ended(terminal: ThrottledPty) -> bool:
    return terminal.process.poll() is not None


def _status(screen: TinyTerminal) -> tuple[int, int] | None:
    """Return which demonstration is recorded and its steps, None if none is."""
    match = _STATUS.search(screen.text.partition("\n")[0])
    return (int(match[1]), int(match[2].replace(",", ""))) if match else None


def _wait_for_end(terminal: ThrottledPty) -> int:
    """Return the exit code."""
    terminal.wait_for(lambda screen: _has_ended(terminal), _PATIENCE_S)
    terminal.work(0.2)
    return int(terminal.process.returncode)


def differences(keyed: Keyed) -> list[str]:
    """Return what is otherwise in the files than it was pressed, or than the game goes again."""
    read = list(DemoSet(keyed.folder).read())
    found = [
        f"{path.name}: other actions than were pressed"
        for (path, demo), actions in zip(read, keyed.pressed, strict=False)
        if bytes(demo.actions) != actions or demo.by != "human"
    ]
    if len(read) != len(keyed.pressed):
        found.append(f"{len(read)} files of {len(keyed.pressed)} demonstrations")
    config = RunConfig(save_dir=str(keyed.folder.parent.parent))
    played = validate([path for path, _ in read], config)
    return found + [each.refusal for each in played if each.refusal]


def main() -> int:
    """Return the exit code: 1 if anything is otherwise than it was pressed."""
    folder = Path(sys.argv[1])
    episodes, seed = (
        int(sys.argv[at]) if len(sys.argv) > at else default for at, default in ((2, 5), (3, 0))
    )
    folder.mkdir(parents=True, exist_ok=True)
    keyed = record_by_keys(folder, episodes, seed)
    read = [demo for _, demo in DemoSet(keyed.folder).read()]
    keys = sum(len(actions) for actions in keyed.pressed)
    print(f"{len(read)} demonstrations in {keyed.folder}: {keys:,} keys, {_outcome(read)}")
    print(f"{keyed.seconds:.0f} s, {keyed.seconds / keys:.2f} s a key")
    found = differences(keyed)
    print("\n".join(found) or "all as pressed, and the same again in another process")
    return int(bool(found))


def _outcome(demos: Sequence[Demonstration]) -> str:
    won = sum(demo.is_success for demo in demos)
    return f"{won} of {len(demos)} came to the goal"


if __name__ == "__main__":
    raise SystemExit(main())
