"""Measure how soon a key's effect is seen at the far end of a link, and what the loop feels."""

import json
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from engine.bench.environment import Figure
from engine.events import Event, FrameRendered
from engine.ground.processes import python_command
from engine.ground.scratch import scratch_folder
from engine.types import Frame
from tests.benchmarks.cockpit.child import options_of, write_down, write_preferences
from tests.benchmarks.cockpit.fast_terminal import FastTerminal
from tests.benchmarks.cockpit.measured import MeasuredApp
from tests.benchmarks.cockpit.scripted import ScriptedSession
from tests.pokeTUI.throttled_pty import ThrottledPty
from tests.pokeTUI.tiny_terminal import TinyTerminal

SLOW = 100_000
FAST_TARGET_S, SLOW_TARGET_S, STALL_TARGET_S = 0.05, 0.4, 0.1
_SETTLED_S = 4.0
"""The start of the program is not measured."""
_FRAMES_PER_S = 30
_WALK = 480
"""Frames of a walk that is shown again and again."""
_BETWEEN_S = 0.7
PROGRAM = tuple(python_command("tests.benchmarks.cockpit.keys", options=("-W", "ignore")))


@dataclass(frozen=True, slots=True)
class Inside:
    """What the program saw.

    Attributes:
        worst_stall_s: The longest time in which the event loop did nothing else.
        longest_queue: Most texts that waited to be written; at 30 the loop would stand still.
        rtt_s: The last round trip of the gate, None without answers.
    """

    worst_stall_s: float
    longest_queue: int
    rtt_s: float | None


@dataclass(frozen=True, slots=True)
class Drive:
    """What a person at the far end saw.

    Attributes:
        key_s: From pressing a key to seeing what it did, each time.
        key_bytes: What arrived meanwhile.
        bytes_per_s: What arrived in all, a second.
    """

    key_s: list[float]
    key_bytes: list[int]
    bytes_per_s: float
    inside: Inside


def measure_keys(presses: int) -> Iterator[Figure]:
    """Press keys over no link at all and over a slow one while the game walks about."""
    for found, target_s, name in (
        (drive_at_once(presses=presses), FAST_TARGET_S, "a fast link"),
        (drive(SLOW, presses=presses), SLOW_TARGET_S, "100 KB/s"),
    ):
        median, worst = statistics.median(found.key_s), max(found.key_s)
        yield Figure(
            f"key to visible, {name}",
            median,
            f"{1000 * median:.0f} ms, worst {1000 * worst:.0f}; "
            f"{found.bytes_per_s / 1000:.0f} KB/s arrive",
            f"at most {1000 * target_s:.0f} ms",
            median <= target_s,
        )
        stall = found.inside.worst_stall_s
        yield Figure(
            f"longest stall of the loop, {name}",
            stall,
            f"{1000 * stall:.0f} ms",
            "at most 100 ms",
            stall <= STALL_TARGET_S,
        )


def drive_at_once(size: tuple[int, int] = (120, 40), *, presses: int = 8) -> Drive:
    """Let a game walk about on a terminal that takes all at once, and pause and continue by key."""
    with scratch_folder() as folder:
        out = folder / "inside.json"
        with FastTerminal(
            [*PROGRAM, str(out), "{}"],
            columns=size[0],
            rows=size[1],
            environment=write_preferences(folder / "config"),
        ) as terminal:
            terminal.wait_for(b"MOSSLIGHT")
            time.sleep(_SETTLED_S)
            seconds, taken = [], []
            begun, before = time.monotonic(), len(terminal.received)
            for number in range(presses):
                # Not in step with the application's own clock.
                time.sleep(_BETWEEN_S + 0.005 * (number % 7))
                at, pressed = len(terminal.received), time.monotonic()
                terminal.press(b"p")
                wanted = b"paused" if number % 2 == 0 else b"playing"
                seconds.append(terminal.wait_for(wanted, since=at) - pressed)
                taken.append(len(terminal.received) - at)
            rate = (len(terminal.received) - before) / (time.monotonic() - begun)
        return Drive(seconds, taken, rate, Inside(**json.loads(out.read_text())))


def drive(
    bytes_per_s: float,
    size: tuple[int, int] = (120, 40),
    *,
    delay_s: float = 0.0,
    presses: int = 8,
    is_gated: bool = True,
) -> Drive:
    """Let a game walk about over a link, and pause and continue by key."""
    with scratch_folder() as folder:
        out = folder / "inside.json"
        command = [*PROGRAM, str(out), "{}"]
        environment = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        environment |= write_preferences(folder / "config")
        with ThrottledPty(
            command,
            bytes_per_s=bytes_per_s,
            delay_s=delay_s,
            columns=size[0],
            rows=size[1],
            environment=environment,
            is_answering=is_gated,
        ) as link:
            link.wait_for(lambda screen: "MOSSLIGHT" in screen.text, 60)
            link.work(_SETTLED_S)
            seconds, taken = [], []
            begun, before = time.monotonic(), link.received
            for number in range(presses):
                link.work(_BETWEEN_S)
                at = link.received
                link.press("p")
                wanted = _is_paused if number % 2 == 0 else _is_playing
                seconds.append(link.wait_for(wanted, 40))
                taken.append(link.received - at)
            rate = (link.received - before) / (time.monotonic() - begun)
        return Drive(seconds, taken, rate, Inside(**json.loads(out.read_text())))


def _is_paused(screen: TinyTerminal) -> bool:
    return "paused" in screen.text


def _is_playing(screen: TinyTerminal) -> bool:
    return "playing" in screen.text


class _Script:
    """Walk about at 30 frames a second, unless paused."""

    def __init__(self) -> None:
        from tests.pokeTUI.scenery import draw_frame

        self._frames: list[Frame] = [draw_frame(tick) for tick in range(_WALK)]
        self._at = self._last = 0

    def __call__(self, session: ScriptedSession) -> list[Event]:
        at = int(time.monotonic() * _FRAMES_PER_S)
        if at == self._last or session.status.is_paused:
            return []
        self._last = at
        self._at += 1
        if self._at % 3 == 0:
            session.change(total_steps=session.status.total_steps + 120)
        return [FrameRendered(self._frames[self._at % _WALK], 0)]


class _LaterApp(MeasuredApp):
    """Feels nothing before it has settled."""

    def on_mount(self) -> None:  # besides that of the class above: Textual calls both
        self.set_timer(_SETTLED_S, lambda: self.run_worker(self.feel()))


def main() -> None:
    """Run the application and write down what its event loop felt."""
    from engine.config import RunConfig

    out, _ = options_of(sys.argv)
    app = _LaterApp(ScriptedSession(_Script()), RunConfig())
    app.run()
    inside = Inside(app.worst_stall_s, app.longest_queue, app.gate.rtt_s)
    write_down(app, out, asdict(inside))


if __name__ == "__main__":
    main()
