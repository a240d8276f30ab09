"""Measure environments against the bare emulator and print a table with the targets."""

import statistics
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.bench.cartridge import is_like_cartridge, make_cartridge
from engine.bench.pace import play_in_turn, reset_ms, write_script
from engine.bench.workers import GAMES, measure_crews
from engine.config import RunConfig
from engine.env.game_env import GameEnv
from engine.env.observation import ObservationType
from engine.env.start_states import states_folder
from engine.games.catalog import load_game

KINDS: tuple[ObservationType, ...] = ("state", "multi_modal")
PRACTICE_TARGETS = {"state": 0.55, "multi_modal": 0.45}
CARTRIDGE_TARGETS = {"state": 0.85, "multi_modal": 0.75}
"""Shares of the bare loop's speed; a cartridge's frames cost three to four times as much."""

CARTRIDGE_STEP_MS = 1.3
"""CPU time of a bare step of 20 frames on a real cartridge, measured once."""

CREW_TARGET = 0.9
PRACTICE_MEMORY_MB, CARTRIDGE_MEMORY_MB = 90, 100
RESET_TARGET_MS = 10


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table.

    Attributes:
        is_met: Whether the target is met, None where there is none.
    """

    name: str
    value: float
    text: str
    target: str = ""
    is_met: bool | None = None


def measure_environment(
    rom_path: str = "",
    *,
    steps: int = 1000,
    repeats: int = 7,
    allow_unknown_rom: bool = False,
    is_cartridge: bool = False,
) -> tuple[Figure, ...]:
    """Print a table of medians and what missed its target; return the lines.

    Each repetition takes `steps` random steps from the start. Its loops take turns every few steps,
    and ratios are taken within it, so that a busy machine slows all alike. `is_cartridge`
    measures an image like a real cartridge, made of the practice game.
    """
    with tempfile.TemporaryDirectory() as folder:
        if is_cartridge:
            image = Path(folder, "cartridge.gbc")
            image.write_bytes(make_cartridge(load_game().rom))
            rom_path, allow_unknown_rom = str(image), True
        config = RunConfig(rom_path=rom_path, allow_unknown_rom=allow_unknown_rom, save_dir=folder)
        return print_table(_figures(config, steps, repeats))


def print_table(figures: Iterable[Figure], kind: str = "median") -> tuple[Figure, ...]:
    """Print each figure as soon as it is there, then name those that missed their target."""
    printed: list[Figure] = []
    for figure in figures:
        if not printed:  # not sooner: the ROM may turn out to be unusable
            print(f"| what | {kind} | target | |\n|---|---|---|---|")
        verdict = {None: "", True: "met", False: "missed"}[figure.is_met]
        print(f"| {figure.name} | {figure.text} | {figure.target} | {verdict} |", flush=True)
        printed.append(figure)
    missed = [figure.name for figure in printed if figure.is_met is False]
    print(f"\nMissed: {'; '.join(missed)}." if missed else "\nEvery target is met.")
    return tuple(printed)


def _figures(config: RunConfig, steps: int, repeats: int) -> Iterator[Figure]:
    def make(kind: ObservationType) -> GameEnv:
        return GameEnv(
            config.rom_path,
            observation_type=kind,
            cache_dir=states_folder(config),
            allow_unknown_rom=config.allow_unknown_rom,
        )

    bare, envs = make("state"), {kind: make(kind) for kind in KINDS}
    yield from _paces(bare, envs, steps, repeats)
    bare.close()
    for kind, env in envs.items():
        cost = statistics.median(reset_ms(env) for _ in range(repeats))
        name = f"reset, `{kind}`, CPU time"
        yield _at_most(RESET_TARGET_MS, "ms", name, cost, f"{cost:.1f} ms")
        env.close()
    is_practice = not is_like_cartridge(envs["state"].game.rom)
    most_mb = PRACTICE_MEMORY_MB if is_practice else CARTRIDGE_MEMORY_MB
    yield from _crews(config, steps, repeats, most_mb)


def _paces(
    bare_env: GameEnv, envs: dict[ObservationType, GameEnv], steps: int, repeats: int
) -> Iterator[Figure]:
    """Compare steps with the bare loop, both by CPU time."""
    bare: list[float] = []
    whole: dict[ObservationType, list[float]] = {kind: [] for kind in KINDS}
    frames = 0
    for seed in range(repeats):
        script = write_script(bare_env, steps, seed)
        frames += sum(press.held + press.waited for press in script)
        first, *others = play_in_turn(bare_env, list(envs.values()), script, seed)
        bare.append(first / steps)
        for kind, cost in zip(envs, others, strict=True):
            whole[kind].append(cost / steps)
    cost, length = statistics.median(bare), frames / (steps * repeats)
    yield Figure(
        "bare press and tick, CPU time",
        cost,
        f"{cost:.3f} ms a step of {length:.1f} frames, {1000 * length / cost:,.0f} frames/s",
    )
    is_practice = not is_like_cartridge(envs["state"].game.rom)
    targets = PRACTICE_TARGETS if is_practice else CARTRIDGE_TARGETS
    for kind, costs in whole.items():
        ratio = statistics.median(b / w for b, w in zip(bare, costs, strict=True))
        extra = statistics.median(w - b for b, w in zip(bare, costs, strict=True))
        text = f"{statistics.median(costs):.3f} ms, {ratio:.2f} of the bare speed"
        name = f"`env.step`, `{kind}`, CPU time"
        yield _at_least(targets[kind], name, ratio, f"{text}, {extra:.3f} ms on top")
        if is_practice:
            share = CARTRIDGE_STEP_MS / (CARTRIDGE_STEP_MS + extra)
            name = f"computed from that for a cartridge's {CARTRIDGE_STEP_MS} ms a bare step"
            yield _at_least(CARTRIDGE_TARGETS[kind], name, share, f"{share:.2f}")


def _crews(config: RunConfig, steps: int, repeats: int, most_mb: int) -> Iterator[Figure]:
    for crew in measure_crews(config, steps, repeats):
        text = f"{crew.rate:,.0f} steps/s"
        if crew.size == 1:
            yield Figure(f"1 worker, {GAMES} games, wall time", crew.rate, text)
        else:
            name = f"{crew.size} workers, {GAMES} games each, wall time"
            text += f", {crew.share:.2f} of {crew.size} x 1 worker"
            yield _at_least(CREW_TARGET, name, crew.share, text)
        if crew.size == 1 and crew.weight_mb is not None:
            weight, own = crew.weight_mb
            text = f"{weight:.0f} MB resident, {own:.0f} MB private"
            name = f"memory of a worker with {GAMES} games"
            yield _at_most(most_mb, "MB", name, weight, text)


def _at_least(target: float, name: str, value: float, text: str) -> Figure:
    return Figure(name, value, text, f"at least {target}", value >= target)


def _at_most(target: float, unit: str, name: str, value: float, text: str) -> Figure:
    return Figure(name, value, text, f"at most {target} {unit}", value <= target)
