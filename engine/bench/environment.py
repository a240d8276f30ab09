"""Measure environments against the bare emulator and print a table with the targets."""

import statistics
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from engine.bench.pace import measure_crews, play_in_turn, reset_ms, snapshot_ms, write_script
from engine.config import RunConfig, load_config
from engine.emulator.cartridge import HEADER_END, Cartridge
from engine.env.game_env import GameEnv
from engine.env.observation.space import ObservationType
from engine.env.start_states import states_folder
from engine.errors import RomError
from engine.games.base import Game
from engine.games.catalog import load_game
from engine.ground.scratch import scratch_folder
from engine.types import GAME_BOY_ADVANCE_FRAME_SHAPE

KINDS: tuple[ObservationType, ...] = ("state", "multi_modal")


@dataclass(frozen=True, slots=True)
class Targets:
    """Speed and memory aimed at for one kind of game.

    Attributes:
        state: Least speed of an environment with state observations, as a share of the bare
            loop's.
        multi_modal: The same for observations with frames.
        memory_mb: Most memory of a worker.
        is_drawn: Whether the bare loop that `multi_modal` is compared with draws frames, too.
        games: Games of a worker.
        frames_per_s: Least speed of the bare loop; 0: no target.
        snapshot_ms: Most CPU time for saving the machine; 0: no target.
    """

    state: float
    multi_modal: float
    memory_mb: int
    is_drawn: bool = False
    games: int = 8
    frames_per_s: int = 0
    snapshot_ms: float = 0.0


PRACTICE = Targets(0.55, 0.45, memory_mb=90)
CARTRIDGE = Targets(0.85, 0.75, memory_mb=100)
"""A real cartridge: its frames cost three to four times as much as the practice game's."""
ADVANCE = Targets(
    0.8, 0.8, memory_mb=220, is_drawn=True, games=4, frames_per_s=3000, snapshot_ms=1.5
)
"""A Game Boy Advance game; each game has its own copy of the core, 34 MB."""

CARTRIDGE_STEP_MS = 1.3
"""CPU time of a bare step of 20 frames on a real cartridge, measured once."""
EMERALD_FRAMES_PER_S = 2_045
"""Frames a CPU second of a bare loop on Emerald itself, measured once. The practice game halts the
processor while it waits, so that what `env.step` adds weighs seven times as much there."""

CREW_TARGET = 0.9
RESET_TARGET_MS = 10

_CARTRIDGE_SIZE = 0x200000
_CARTRIDGE_KIND = bytes((0x10, 6, 3))
"""At 0147: MBC3 with clock, RAM and battery; 2 MB of ROM; 32 KB of RAM."""

# wait_vbl in roms/practice/src/crt0.s: xor a; ldh (hVblFlag), a; halt; nop; ldh a, (hVblFlag);
# or a; jr z, back to halt; ret. NOP in place of HALT makes it wait for the flag awake.
_WAIT = bytes.fromhex("AF E0F0 76 00 F0F0 B7 28F9 C9")
_HALT, _NOP = 3, 0x00


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
    *,
    steps: int = 1000,
    repeats: int = 7,
    settings: Mapping[str, Any] = MappingProxyType({}),
    is_cartridge: bool = False,
) -> tuple[Figure, ...]:
    """Print a table of medians and what missed its target; return its lines.

    Each repetition takes `steps` random steps from the start. Its loops take turns every few steps,
    and ratios are taken within it, so that a busy machine slows all alike.

    Args:
        steps: Steps of a repetition.
        repeats: Repetitions.
        settings: By dotted key.
        is_cartridge: Measure an image that costs as much as a real cartridge, made of the practice
            game.
    """
    with scratch_folder() as folder:
        if is_cartridge:
            image = folder / "cartridge.gbc"
            image.write_bytes(make_cartridge(load_game().rom))
            settings = {**settings, "rom_path": str(image), "allow_unknown_rom": True}
        config = load_config(None, {**settings, "save_dir": str(folder)})
        return print_table(_figures(config, steps, repeats))


def make_cartridge(practice: bytes) -> bytes:
    """Return an image that plays as `practice` does and costs what a real cartridge costs.

    The practice game sleeps between two frames, which PyBoy skips, and it has neither battery nor
    clock. The image is Crystal's kind of cartridge: 2 MB, MBC3, 32 KB of battery memory and a
    clock, and the game waits without sleeping.

    Args:
        practice: The practice game's image.

    Raises:
        RomError: The game waits for the next frame in another way than this knows.
    """
    if practice.count(_WAIT) != 1:
        raise RomError(
            "The practice game's wait loop is not the one the benchmark expects.",
            "Update engine/bench/environment.py to match wait_vbl in roms/practice/src/crt0.s.",
        )
    image = bytearray(practice.ljust(_CARTRIDGE_SIZE, b"\xff"))
    image[practice.index(_WAIT) + _HALT] = _NOP
    image[0x147:0x14A] = _CARTRIDGE_KIND
    image[0x14D] = -sum(image[0x134:0x14D], 0x19) & 0xFF  # each byte is subtracted, and one more
    image[0x14E:HEADER_END] = bytes(2)
    image[0x14E:HEADER_END] = (sum(image) & 0xFFFF).to_bytes(2, "big")
    return bytes(image)


def is_like_cartridge(rom: bytes) -> bool:
    """Return whether an image costs what a real cartridge of Crystal does."""
    return Cartridge.of(rom).has_clock


def print_table(figures: Iterable[Figure], kind: str = "median") -> tuple[Figure, ...]:
    """Print each figure as soon as it is known, then those that missed their targets."""
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
            config=config.env,
            cache_dir=states_folder(config),
            allow_unknown_rom=config.allow_unknown_rom,
        )

    envs = {kind: make(kind) for kind in KINDS}
    targets = targets_of(envs["state"].game)
    bare = {kind: make(kind if targets.is_drawn else "state") for kind in KINDS}
    yield from _paces(bare, envs, targets, steps, repeats)
    if targets.snapshot_ms:
        cost = statistics.median(snapshot_ms(bare["state"]) for _ in range(repeats))
        name = "saving the machine, CPU time"
        yield _at_most(targets.snapshot_ms, "ms", name, cost, f"{cost:.2f} ms")
    for env in bare.values():
        env.close()
    for kind, env in envs.items():
        cost = statistics.median(reset_ms(env) for _ in range(repeats))
        name = f"reset, `{kind}`, CPU time"
        yield _at_most(RESET_TARGET_MS, "ms", name, cost, f"{cost:.1f} ms")
        env.close()
    yield from _crews(config, targets, steps, repeats)


def targets_of(game: Game) -> Targets:
    """Return what is aimed at where this game is played."""
    if game.frame_shape == GAME_BOY_ADVANCE_FRAME_SHAPE:
        return ADVANCE
    return CARTRIDGE if is_like_cartridge(game.rom) else PRACTICE


def _paces(
    bare_envs: dict[ObservationType, GameEnv],
    envs: dict[ObservationType, GameEnv],
    targets: Targets,
    steps: int,
    repeats: int,
) -> Iterator[Figure]:
    """Compare steps with the bare loops, all by CPU time."""
    bare: dict[ObservationType, list[float]] = {kind: [] for kind in KINDS}
    whole: dict[ObservationType, list[float]] = {kind: [] for kind in KINDS}
    frames = 0
    for seed in range(repeats):
        script = write_script(bare_envs["state"], steps, seed)
        frames += sum(press.held + press.waited for press in script)
        costs = iter(play_in_turn([*bare_envs.values()], [*envs.values()], script, seed))
        for times in (*bare.values(), *whole.values()):
            times.append(next(costs) / steps)
    length = frames / (steps * repeats)
    for kind, times in bare.items() if targets.is_drawn else [("state", bare["state"])]:
        cost = statistics.median(times)
        pace = 1000 * length / cost
        drawn = ", drawing each step's last frame" if kind != "state" else ""
        name = f"bare press and tick{drawn}, CPU time"
        text = f"{cost:.3f} ms a step of {length:.1f} frames, {pace:,.0f} frames/s"
        if targets.frames_per_s and kind == "state":
            target = f"at least {targets.frames_per_s:,} frames/s"
            yield Figure(name, cost, text, target, pace >= targets.frames_per_s)
        else:
            yield Figure(name, cost, text)
    for kind, times in whole.items():
        pairs = list(zip(bare[kind], times, strict=True))
        ratio = statistics.median(b / w for b, w in pairs)
        extra = statistics.median(w - b for b, w in pairs)
        text = f"{statistics.median(times):.3f} ms, {ratio:.2f} of the bare speed"
        name = f"`env.step`, `{kind}`, CPU time"
        yield _at_least(_target(targets, kind), name, ratio, f"{text}, {extra:.3f} ms on top")
        if targets is PRACTICE:
            share = CARTRIDGE_STEP_MS / (CARTRIDGE_STEP_MS + extra)
            name = f"computed from that for a cartridge's {CARTRIDGE_STEP_MS} ms a bare step"
            yield _at_least(_target(CARTRIDGE, kind), name, share, f"{share:.2f}")
        elif targets is ADVANCE:
            step_ms = 1000 * length / EMERALD_FRAMES_PER_S
            share = step_ms / (step_ms + extra)
            name = f"computed from that for Emerald's {EMERALD_FRAMES_PER_S:,} frames/s"
            yield _at_least(_target(targets, kind), name, share, f"{share:.2f}")


def _target(targets: Targets, kind: ObservationType) -> float:
    return targets.state if kind == "state" else targets.multi_modal


def _crews(config: RunConfig, targets: Targets, steps: int, repeats: int) -> Iterator[Figure]:
    games, most_mb = targets.games, targets.memory_mb
    for crew in measure_crews(config, steps, repeats, games):
        text = f"{crew.rate:,.0f} steps/s"
        if crew.size == 1:
            yield Figure(f"1 worker, {games} games, wall time", crew.rate, text)
        else:
            name = f"{crew.size} workers, {games} games each, wall time"
            text += f", {crew.share:.2f} of {crew.size} x 1 worker"
            yield _at_least(CREW_TARGET, name, crew.share, text)
        if crew.size == 1 and crew.weight_mb is not None:
            weight, own = crew.weight_mb
            text = f"{weight:.0f} MB resident, {own:.0f} MB private"
            name = f"memory of a worker with {games} games"
            yield _at_most(most_mb, "MB", name, weight, text)


def _at_least(target: float, name: str, value: float, text: str) -> Figure:
    return Figure(name, value, text, f"at least {target}", value >= target)


def _at_most(target: float, unit: str, name: str, value: float, text: str) -> Figure:
    return Figure(name, value, text, f"at most {target} {unit}", value <= target)
