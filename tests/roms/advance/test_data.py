"""What is generated for MOSSLIGHT ADVANCE fits together and fits Emerald's structures."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
GAME = ROOT / "roms" / "mosslight_advance"
sys.path.append(str(GAME))

import charset  # noqa: E402
from data import maps, pictures, tables, tilesets, world_source  # noqa: E402
from data.art import backdrops, font, people, portraits  # noqa: E402
from data.art.canvas import Canvas  # noqa: E402
from data.facts import write  # noqa: E402
from data.sources import act_one, creatures  # noqa: E402
from data.text import encode  # noqa: E402

MOST_COLOURS = 15
METATILE, COLLISION = 0x3FF, 0xC00
FACTS = ROOT / "engine" / "games" / "practice" / "facts"
Cell = tuple[int, int]


@pytest.fixture(scope="module")
def world() -> maps.World:
    return maps.World()


def behaviour(world: maps.World, name: str, at: Cell) -> int:
    """Return a cell's behaviour as the game finds it, by its metatile, once all has changed."""
    now = world.cells[name][at[1]][at[0]]
    then = ((x, y, cell) for place, _, x, y, cell in world.changes if place == name)
    metatile = next((cell for x, y, cell in then if (x, y) == at), now) & METATILE
    halves = world.pairs[maps.style_of(maps.MAPS[name])].halves
    half = halves[metatile >= tilesets.TILES]
    return half.attributes[metatile - half.first]


def test_every_warp_lies_on_a_way_and_leads_to_one_that_leads_back(world: maps.World) -> None:
    ways = {maps.DOOR, maps.STAIRS, maps.MAT_SOUTH}
    for name, one in maps.MAPS.items():
        for warp in world_source.warps_of(one):
            assert behaviour(world, name, (warp.x, warp.y)) in ways, (name, warp)
            back = world_source.warps_of(maps.MAPS[warp.target])[warp.arrival - 1]
            assert back.target == name


def test_doors_and_ledges_are_walls_but_mats_stairs_and_water_are_not(world: maps.World) -> None:
    closed = {maps.DOOR, maps.LEDGE_SOUTH, maps.COUNTER}
    open_ways = {maps.MAT_SOUTH, maps.STAIRS, maps.WATER, maps.GRASS}
    seen = set()
    for name, rows in world.cells.items():
        for y, row in enumerate(rows):
            for x, cell in enumerate(row):
                kind = behaviour(world, name, (x, y))
                seen.add(kind)
                if kind in closed | open_ways:
                    assert bool(cell & COLLISION) == (kind in closed), (name, x, y)
                if kind == maps.WATER:
                    assert cell >> 12 == maps.WATER_LEVEL
    assert closed | open_ways <= seen


def test_metatiles_and_their_tiles_exist(world: maps.World) -> None:
    for pair in world.pairs.values():
        sizes = [len(half.pictures) for half in pair.halves]
        for half in pair.halves:
            assert len(half.attributes) == len(half.metatiles)
            for entry in (entry for metatile in half.metatiles for entry in metatile):
                place = entry & METATILE
                assert place % tilesets.TILES < sizes[place >= tilesets.TILES]
                assert entry >> 12 < len(pair.palettes) <= tilesets.PALETTES
        assert all(len(palette) <= MOST_COLOURS for palette in pair.palettes)


def test_a_doors_next_two_metatiles_show_it_opening(world: maps.World) -> None:
    half = world.pairs[maps.OUTDOOR].halves[1]
    doors = [n for n, kind in enumerate(half.attributes) if kind == maps.DOOR]
    used = {
        world.cells[name][warp.y][warp.x] & METATILE
        for name, one in maps.MAPS.items()
        if not maps.is_indoor(one)
        for warp in world_source.warps_of(one)
    }
    closed = [n for n in doors if n + half.first in used]
    assert closed
    for number in closed:
        assert {number + 1, number + 2} <= set(doors)
        shut, ajar, wide = half.metatiles[number : number + 3]
        assert shut != ajar != wide != shut


def test_who_wanders_begins_where_one_can_walk() -> None:
    for name, one in maps.MAPS.items():
        names = maps.cell_names(one)
        for person in one.people:
            x, y = world_source.standing_place(one, person)
            if person.move == "wander":
                assert not maps.kind_of(names[y][x]).wall, (name, person)
            else:
                assert (x, y) == (person.x, person.y)


def test_flags_are_distinct_and_where_emerald_has_them() -> None:
    flags = maps.flags()
    assert len(set(flags.values())) == len(flags)
    assert flags["COBBLE_BADGE"] == 0x867
    assert flags["BEAT_GRETA"] == 0x500 + tables.trainer_number("leader")
    story = [flag for name, flag in flags.items() if not name.startswith(("BEAT", "COBBLE"))]
    assert min(story) == 0x20
    assert max(story) < 0x50


def test_the_gate_changes_with_the_badge_and_nothing_else_does(world: maps.World) -> None:
    changed = {(name, event, x, y) for name, event, x, y, _ in world.changes}
    assert {
        ("STONEHOLLOW", "COBBLE_BADGE", x, y) for x in (8, 9, 10, 11) for y in (0, 1)
    } <= changed
    assert all(6 < x < 13 and y < 3 for _, _, x, y in changed)
    for name, _, x, y, cell in world.changes:
        assert cell != world.cells[name][y][x]


def test_wild_places_share_a_hundred_percent_nearly_as_the_pool_says() -> None:
    for key in tables.pool_keys():
        shares = world_source.wild_shares(key)
        assert [slot for slot, _ in shares] == list(creatures.POOLS[key])
        assert sum(share for _, share in shares) == 100
        for slot, share in shares:
            assert abs(share - slot.weight * 100 / 256) < 2


def test_every_letter_of_the_texts_is_drawn() -> None:
    texts = [encode(text) for text in act_one.TEXTS.values()]
    texts += [charset.encode(name.name) for name in creatures.SPECIES.values()]
    controls = {0xFB, 0xFD, 0xFE, charset.END, 0x01, 0x02, 0x06}
    for code in {code for text in texts for code in text} - controls:
        width, rows = font.glyph(code)
        assert 2 <= width <= font.MOST_WIDE, hex(code)
        assert len(rows) == font.HEIGHT
        assert code == 0 or any(font.INK in row for row in rows)


def test_evolutions_lead_to_other_species() -> None:
    for key, (into, level) in tables.EVOLUTIONS.items():
        assert {key, into} <= set(creatures.SPECIES)
        assert key != into
        assert 1 < level <= 100


def test_the_rivals_team_answers_each_starter() -> None:
    source = tables.c_source()
    for number, answer in ((5, "rillet"), (6, "sprigot"), (7, "cindle")):
        team = source.partition(f"team_{number}[]")[2].partition("};")[0]
        assert f"{{0, 5, 0, {tables.species_number(answer)}, 0}}" in team


def test_people_have_nine_frames_and_share_fourteen_palettes() -> None:
    for name in world_source.GRAPHICS:
        frames = people.frames(name)
        assert len(frames) == (1 if name in ("ball_closed", "emote") else 9)
        assert all((frame.width, frame.height) == (16, 32) for frame in frames)
        standing, *steps = frames[:3] if len(frames) > 1 else frames
        assert all(step.rows != standing.rows for step in steps)
    assert pictures.PEOPLE_PALETTES == 14  # more are refused while they are packed
    assert "object_palettes" in pictures.c_people()


@pytest.mark.parametrize("name", list(backdrops.BACKDROPS))
def test_backdrops_fill_the_screen_in_fifteen_colours(name: str) -> None:
    canvas = backdrops.BACKDROPS[name]()
    assert (canvas.width, canvas.height) == (240, 160)
    assert len(canvas.colours()) <= MOST_COLOURS
    assert all(colour >= 0 for row in canvas.rows for colour in row)


def test_tables_have_the_first_practice_games_columns(world: maps.World, tmp_path: Path) -> None:
    write(world, b"image", tmp_path)
    for path in tmp_path.glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            columns, *lines = list(csv.reader(file))
        assert lines
        if path.stem != "game":
            with (FACTS / path.name).open(encoding="utf-8", newline="") as file:
                assert next(csv.reader(file)) == columns
    names = {path.stem for path in tmp_path.glob("*.csv")}
    assert {"maps", "events", "milestones", "places", "spawns", "block_changes"} <= names


@pytest.mark.slow
def test_pictures_have_fifteen_colours_and_stand_on_the_ground() -> None:
    drawn: list[Canvas] = [portraits.front(name) for name in creatures.SPECIES]
    drawn += [portraits.back(name) for name in creatures.SPECIES]
    drawn += [portraits.trainer(name) for name in tables.PICTURES.values()]
    drawn += [portraits.hero_back(girl) for girl in (0, 1)]
    drawn += [portraits.hero_front(girl) for girl in (0, 1)]
    for canvas in drawn:
        assert (canvas.width, canvas.height) == (64, 64)
        assert len(canvas.colours()) <= MOST_COLOURS
        assert any(colour >= 0 for row in canvas.rows[60:] for colour in row)


@pytest.mark.slow
def test_generating_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    made = []
    for seed in ("1", "2"):
        target = tmp_path / seed
        code = f"import data, pathlib; data.generate(pathlib.Path({str(target)!r}))"
        environment = os.environ | {"PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", code], cwd=GAME, env=environment, check=True)
        made.append({path.name: path.read_bytes() for path in target.iterdir()})
    assert made[0] == made[1]
    assert {"world.c", "creatures.c", "pictures.c", "font.c", "world_ids.h"} <= set(made[0])
