"""Build MOSSLIGHT ADVANCE: `python roms/mosslight_advance/build.py` writes the ROM image.

Needs Python's standard library and the bare compiler (Debian: `apt-get install
--no-install-recommends gcc-arm-none-eabi`; no C library is used). The steps: write the generated
sources (data/), turn T("...") into Emerald's character codes, compile, link with the RAM addresses
of engine/games/emerald/facts/symbols.csv, fix the header. The engine's tables of the game
(engine/games/mosslight_advance/facts) are written too.
"""

import argparse
import csv
import hashlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

import charset  # noqa: E402
import data  # noqa: E402
from data.facts import CODE, TITLE  # noqa: E402

ROM = ROOT / "roms" / "mosslight_advance.gba"
FACTS = ROOT / "engine" / "games" / "mosslight_advance" / "facts"

PREFIX = "arm-none-eabi-"
MACHINE = ("-mcpu=arm7tdmi", "-mthumb", "-mthumb-interwork")
COMPILER = (
    f"{PREFIX}gcc", *MACHINE, "-std=gnu11", "-O2", "-ffreestanding", "-fno-ipa-icf",
    "-fno-strict-aliasing", "-fno-common", "-fno-tree-loop-distribute-patterns",
    "-ffunction-sections", "-fdata-sections",
    "-Wall", "-Wextra", "-Wno-pointer-sign", "-c",
)  # fmt: skip
"""-fno-ipa-icf: two markers with equal code must keep two addresses."""

MAX_SIZE = 512 * 1024
ROM_START = 0x08000000
PRIVATE = {"iwram": (0x03003100, 0x03005C00), "ewram": (0x02000000, 0x02020000)}
"""Where link.ld puts variables of our own: first address and the one behind the last."""

HEADER = slice(0xA0, 0xBD)
MAKER = "00"

OWN_TABLES = ("map_group_sizes",)
"""What the engine wants to know of this game's ROM beyond what it knows of Emerald's."""

ORDER = (
    "text", "menu", "list_menu",
    "mons", "battle_panels", "summary", "battle_screen", "battlers", "battle_math", "battle_turn",
    "party_screen", "bag", "bag_screen", "catching", "experience", "evolution", "battle_sides",
    "battle_menu", "battle_double", "battle",
    "map", "people", "people_draw", "arrival", "walking", "warp", "script",
    "shop", "starter", "story", "options", "status_window", "start_menu", "overworld",
    "naming", "title",
)  # fmt: skip
"""The game's sources over system, video, canvas, memory and save: each uses only those before it;
anyone may take a marker's address."""

TEXT = re.compile(r'\bT\(\s*((?:"(?:[^"\\\n]|\\.)*"\s*)+)\)')
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


Symbols = Mapping[str, tuple[int, int]]
"""Name -> (address, size in bytes, 0 if unknown)."""


class BuildError(Exception):
    """The game cannot be built; the text says why."""


def run(command: Sequence[str]) -> str:
    """Run a tool and return what it printed; an error shows it all."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(f"{command[0]} failed:\n{done.stdout}{done.stderr}")
    if done.stderr:
        print(done.stderr, file=sys.stderr, end="")
    return done.stdout


def symbols(table: Path) -> Symbols:
    """Return what one of Emerald's tables lists."""
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {row["name"]: (int(row["address"], 16), int(row.get("size") or 0)) for row in rows}


def ram_symbols() -> Symbols:
    """Return what lies in RAM at Emerald's addresses.

    Raises:
        BuildError: A symbol lies where the linker puts variables of our own.
    """
    ram = symbols(charset.EMERALD / "symbols.csv")
    for name, (address, size) in ram.items():
        for first, end in PRIVATE.values():
            if address < end and first < address + size:
                raise BuildError(f"{name} at {address:08X} lies among the private variables")
    return ram


def with_codes(source: str, path: Path) -> str:
    """Replace each T("...") by a literal of character codes; line numbers stay as they are."""

    def literal(match: re.Match[str]) -> str:
        text = "".join(LITERAL.findall(match[1]))
        text = text.replace("\\n", "\n").replace("\\f", "\f").replace('\\"', '"')
        codes = "".join(f"\\{code:03o}" for code in charset.encode(text))
        return f'"{codes}"' + "\n" * match[0].count("\n")

    try:
        return f'#line 1 "{path.name}"\n' + TEXT.sub(literal, source)
    except ValueError as error:
        raise BuildError(f"{path.name}: {error}") from error


def headers(target: Path) -> str:
    """Return the text of all headers, for the stamps."""
    found = [*sorted((HERE / "src").glob("*.h")), *sorted(target.glob("*.h"))]
    return "\0".join(path.read_text(encoding="utf-8") for path in found)


def compile_one(source: Path, target: Path, shared: str) -> Path:
    """Compile one file, unless the compiler has seen it like this before; return the object."""
    expanded = with_codes(source.read_text(encoding="utf-8"), source)
    made, stamp = target / f"{source.stem}.o", target / f"{source.stem}.stamp"
    digest = hashlib.sha256("\0".join((*COMPILER, expanded, shared)).encode()).hexdigest()
    if made.exists() and stamp.exists() and stamp.read_text() == digest:
        return made
    ready = target / "coded" / source.name
    ready.parent.mkdir(exist_ok=True)
    ready.write_text(expanded, encoding="utf-8")
    folders = (f"-I{HERE / 'src'}", f"-I{target}")
    run((*COMPILER, *folders, str(ready), "-o", str(made)))
    stamp.write_text(digest)
    return made


def compile_all(target: Path) -> list[Path]:
    """Compile every source, ours and generated; return the objects, the start-up code first."""
    start = target / "crt0.o"
    run((f"{PREFIX}as", "-mcpu=arm7tdmi", str(HERE / "src" / "crt0.s"), "-o", str(start)))
    shared = headers(target)
    sources = sorted([*(HERE / "src").glob("*.c"), *target.glob("*.c")], key=lambda one: one.name)
    return [start, *(compile_one(source, target, shared) for source in sources)]


def names_in(made: Path, kinds: str) -> set[str]:
    """Return the names that an object file has of some of nm's kinds."""
    lines = (line.split() for line in run((f"{PREFIX}nm", str(made))).splitlines())
    return {name for *_, kind, name in lines if kind in kinds}


def check_order(objects: Iterable[Path]) -> None:
    """Hold the sources to `ORDER`.

    Raises:
        BuildError: One uses what a later one defines.
    """
    by_name, later = {made.stem: made for made in objects}, set[str]()
    for source in reversed(ORDER):
        if wrong := (names_in(by_name[source], "U") & later) - set(rom_names()):
            raise BuildError(f"{source}.c uses what comes after it: {', '.join(sorted(wrong))}")
        later |= names_in(by_name[source], "TDBR")


def link(objects: Iterable[Path], target: Path) -> Path:
    """Link the objects; return the ELF file."""
    places = target / "symbols.ld"
    lines = (f"{name} = 0x{address:08X};\n" for name, (address, _) in ram_symbols().items())
    places.write_text("".join(lines), encoding="ascii")
    made = target / "game.elf"
    kept = (f"-Wl,--undefined={name}" for name in rom_names())
    options = [*kept, "-Wl,--gc-sections", "-Wl,--build-id=none", f"-Wl,-Map={target / 'game.map'}"]
    scripts = ("-T", str(HERE / "src" / "link.ld"), str(places))
    start = (f"{PREFIX}gcc", *MACHINE, "-nostdlib", *options, *scripts)
    run((*start, *(str(one) for one in objects), "-lgcc", "-o", str(made)))
    return made


def addresses(elf: Path) -> Symbols:
    """Return what the ELF file defines; code without the thumb bit."""
    found: dict[str, tuple[int, int]] = {}
    for line in run((f"{PREFIX}nm", "--print-size", str(elf))).splitlines():
        *numbers, kind, name = line.split()
        if numbers:
            at, size = int(numbers[0], 16), int(numbers[1], 16) if len(numbers) > 1 else 0
            found[name] = at & ~1 if kind in "Tt" else at, size
    return found


def memory_left(found: Symbols) -> str:
    """Return, in words, how much room the variables leave."""
    ends = {"iwram": found["__bss_end"][0], "ewram": found["__ewram_end"][0]}
    left = (f"{PRIVATE[name][1] - end} bytes of {name.upper()}" for name, end in ends.items())
    return "variables leave " + " and ".join(left)


def with_header(image: bytes) -> bytes:
    """Return the image with title, code, maker and the header's sum, without a logo."""
    rom = bytearray(image)
    rom[0xA0:0xB3] = f"{TITLE:\0<12}{CODE}{MAKER}".encode("ascii") + b"\x96"
    rom[0xB3:0xC0] = bytes(13)
    rom[0xBD] = -(sum(rom[HEADER]) + 0x19) & 0xFF
    return bytes(rom)


def rom_names() -> list[str]:
    """Return what a reader of memory may look for in the ROM, whether the game has it or not."""
    return [*symbols(charset.EMERALD / "rom_symbols.csv"), *OWN_TABLES]


def write_rom_symbols(found: Symbols, folder: Path) -> None:
    """Write the addresses in the ROM that a reader of memory compares with: rom_symbols.csv."""
    with (folder / "rom_symbols.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("name", "address", "size"))
        for name in rom_names():
            if name in found:
                address, size = found[name]
                writer.writerow((name, f"{address:08X}", size or ""))


def build(target: Path) -> tuple[bytes, Symbols]:
    """Build in the folder `target`; return the ROM image and the addresses and sizes in it."""
    if not shutil.which(f"{PREFIX}gcc"):
        raise BuildError(
            f"{PREFIX}gcc is missing: apt-get install --no-install-recommends gcc-arm-none-eabi"
        )
    target.mkdir(parents=True, exist_ok=True)
    data.generate(target)
    objects = compile_all(target)
    check_order(objects)
    elf = link(objects, target)
    binary = target / "game.bin"
    run((f"{PREFIX}objcopy", "-O", "binary", str(elf), str(binary)))
    rom = with_header(binary.read_bytes())
    rom += b"\xff" * (-len(rom) % 16)
    if len(rom) > MAX_SIZE:
        raise BuildError(f"the image has {len(rom)} bytes, {len(rom) - MAX_SIZE} too many")
    found = addresses(elf)
    print(memory_left(found))
    return rom, found


def main() -> int:
    """Build and write the ROM and the engine's tables."""
    parser = argparse.ArgumentParser(description="Build MOSSLIGHT ADVANCE.")
    parser.add_argument("--out", type=Path, default=ROM, help="the ROM to write")
    parser.add_argument("--facts", type=Path, default=FACTS, help="where the tables go")
    parser.add_argument(
        "--build-dir", type=Path, default=HERE / "build", help="folder for generated files"
    )
    options = parser.parse_args()
    try:
        rom, found = build(options.build_dir.resolve())
    except (BuildError, ValueError) as error:
        print(f"build failed: {error}", file=sys.stderr)
        return 1
    options.out.write_bytes(rom)
    options.facts.mkdir(parents=True, exist_ok=True)
    data.write_facts(options.facts, rom)
    write_rom_symbols(found, options.facts)
    print(f"wrote {options.out} ({len(rom)} bytes)")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
