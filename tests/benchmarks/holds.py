"""What inferring a hold from repeats alone costs: `python -m tests.benchmarks.holds`.

Keys repeat as terminals on several systems let them, each event delayed at random as links do. For
every HOLD_S it shows how often a held key is let go of in the middle, how long a key is held on
after it was let go of, and how long the first stop of a held key is.
"""

import numpy as np

from engine.types import Action
from pokeTUI.input import playing
from pokeTUI.input.playing import Holds

REPEATS = {
    "X11 660/40 ms": (0.66, 0.04),
    "macOS 500/90": (0.5, 0.09),
    "Windows 500/33": (0.5, 0.033),
}
JITTERS_S = (0.005, 0.025, 0.06)
WAITS_S = (0.06, 0.1, 0.15, 0.2, 0.3, 0.5)
PRESSES = 200
LOOK_S = 0.005
TAP_S = 0.08


def events(down_s: float, delay_s: float, interval_s: float, jitter_s: float, rng) -> np.ndarray:
    """Return when a key's events arrive that is down from 0 to `down_s`; links keep their order."""
    sent = np.array([0.0, *np.arange(delay_s, down_s, interval_s)])
    return np.maximum.accumulate(sent + rng.gamma(2, jitter_s / 2, len(sent)))


def simulate(delay_s: float, interval_s: float, jitter_s: float, rng) -> tuple[float, ...]:
    """Return breaks a second, ms held on after a hold (95 %) and after a tap, ms of first stop."""
    breaks, overs, taps, stops, seconds = 0, [], [], [], 0.0
    for _ in range(PRESSES):
        for down_s in (2.0 * rng.uniform(0.7, 1.3), TAP_S):
            arrivals = events(down_s, delay_s, interval_s, jitter_s, rng)
            state, due, was_held, last = Holds(), list(arrivals), False, 0.0
            for now in np.arange(0.0, arrivals[-1] + 1.0, LOOK_S):
                while due and due[0] <= now:
                    state.press(Action.RIGHT, due.pop(0))
                is_held = bool(state.held(now))
                last = now if is_held else last
                is_after_first = now > delay_s + 0.1 and now < down_s
                breaks += was_held and not is_held and is_after_first
                was_held = is_held
            if down_s == TAP_S:
                taps.append(max(0.0, last - down_s))
            else:
                seconds += down_s - delay_s
                overs.append(max(0.0, last - down_s))
                stops.append(max(0.0, delay_s - playing.HOLD_S))
    return (
        breaks / seconds,
        1000 * float(np.percentile(overs, 95)),
        1000 * float(np.median(taps)),
        1000 * float(np.median(stops)),
    )


def main() -> None:
    print(
        "| repeats | jitter ms | HOLD_S | breaks/s | held on, p95 ms | tap held on ms | stop ms |"
    )
    print("|---|---|---|---|---|---|---|")
    for name, (delay_s, interval_s) in REPEATS.items():
        for jitter_s in JITTERS_S:
            for wait_s in WAITS_S:
                playing.HOLD_S = wait_s
                figures = simulate(delay_s, interval_s, jitter_s, np.random.default_rng(0))
                columns = " | ".join(f"{value:.1f}" for value in figures)
                print(f"| {name} | {1000 * jitter_s:.0f} | {wait_s} | {columns} |")


if __name__ == "__main__":
    main()
