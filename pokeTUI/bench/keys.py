"""Measure the cockpit over a slow link: python -m pokeTUI.bench.keys [BYTES_PER_S]."""

import asyncio
import json
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from pokeTUI.bench.throttled_pty import ThrottledPty
from pokeTUI.bench.tiny_terminal import TinyTerminal

_LAG_SAMPLE_S = 0.005
_SETTLED_S = 4.0
"""The start of the program is not measured."""


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


def drive(
    bytes_per_s: float,
    size: tuple[int, int] = (120, 40),
    *,
    delay_s: float = 0.0,
    presses: int = 8,
    is_gated: bool = True,
) -> Drive:
    """Let the demonstration walk about over a link, and pause and go on by key."""
    with TemporaryDirectory() as folder:
        out = Path(folder) / "inside.json"
        command = [sys.executable, "-m", "pokeTUI.bench.keys", "--program", str(out)]
        environment = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
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
                link.work(0.7)
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


def _program(out: Path) -> None:
    """Run the demonstration and write down what the event loop felt."""
    from engine.config import RunConfig
    from pokeTUI.app import CockpitApp
    from tests.pokeTUI.demo import DemoSession

    class Measured(CockpitApp):
        worst, longest = 0.0, 0

        async def feel(self) -> None:
            await asyncio.sleep(_SETTLED_S)
            while True:
                before = time.monotonic()
                await asyncio.sleep(_LAG_SAMPLE_S)
                self.worst = max(self.worst, time.monotonic() - before - _LAG_SAMPLE_S)
                writer = getattr(self._driver, "_writer_thread", None)
                if writer is not None:
                    self.longest = max(self.longest, writer._queue.qsize())

    app = Measured(DemoSession(), RunConfig())
    app.call_later(lambda: app.run_worker(app.feel()))
    app.run()
    out.write_text(json.dumps(asdict(Inside(app.worst, app.longest, app.gate.rtt_s))))


def main() -> None:
    """Measure at several sizes, with and without a terminal that answers."""
    if sys.argv[1:2] == ["--program"]:
        _program(Path(sys.argv[2]))
        return
    rate = float(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    for size in ((80, 24), (120, 40), (200, 60), (240, 78)):
        for is_gated in (True, False):
            try:
                found = drive(rate, size, is_gated=is_gated)
            except TimeoutError:
                print(f"{size} gated={is_gated}: a key was not seen within 40 s", flush=True)
                continue
            worst, median = max(found.key_s), sorted(found.key_s)[len(found.key_s) // 2]
            print(
                f"{size} gated={is_gated}: key {median * 1e3:.0f} ms, at worst {worst * 1e3:.0f} "
                f"ms; {found.bytes_per_s / 1e3:.0f} KB/s; {found.inside}",
                flush=True,
            )


if __name__ == "__main__":
    main()
