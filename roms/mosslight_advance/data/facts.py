"""Write what the engine knows of the game: CSV files as engine/games/facts.py reads them."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterable
from pathlib import Path

from .gatehouse import MILESTONE
from .maps import MAPS, STORY_SPAWNS, World, flags, map_ids, scenes
from .sources import act_one
from .tables import TYPE_IDS, species_number
from .world_source import wild_shares

NAME = "Mosslight Advance (practice game)"
TITLE, CODE = "MOSSLIGHTADV", "AMLE"

Rows = Iterable[tuple[object, ...]]

PLACES: tuple[tuple[str, str, int | str, int | str, str], ...] = (
    ("heal", "CENTER", 4, 2, "Rest at the rest house"),
    ("heal", "HOME_1F", 2, 4, "Rest at home with mother"),
    ("train", "MILLBROOK_PATH", "", "", "Train in the tall grass"),
)
"""Kind, map, x, y, the goal in words: who heals, and grass to train in."""


ANSWERS: tuple[tuple[str, str, str, str], ...] = (
    ("LAB", "", "RILLET", "got_starter"),
    ("LAB", "gift", "GRUBBUD", ""),
)
"""Map, words of the question, reply, milestone: whose types beat the first leader's; company."""


def title(name: str) -> str:
    """Return a map's name for people."""
    return name.replace("_", " ")


def _milestones() -> Rows:
    for one in (*act_one.MILESTONES, MILESTONE):
        value = title(str(one.value)) if one.kind == "map" else one.value
        x, y = one.tile or ("", "")
        at_start = "yes" if one.holds_at_start else ""
        story = (one.how, one.who, one.requires, 0, at_start, "yes", "", "")
        yield one.key, one.kind, value, one.text, title(one.place), x, y, *story


def _wild() -> Rows:
    """Yield the wild creatures of a map: species, lowest and highest level, percent."""
    for name, one in MAPS.items():
        if not one.pool:
            continue
        for slot, share in wild_shares(one.pool):
            yield title(name), species_number(slot.species), slot.low, slot.high, share


def _changes(world: World) -> Rows:
    numbers = flags()
    for name, event, x, y, cell in world.changes:
        yield title(name), x, y, world.cells[name][y][x], cell, "set", numbers[event]


def tables(world: World, rom: bytes) -> dict[str, tuple[str, Rows]]:
    """Return file name -> (columns, rows)."""
    landmarks = act_one.LANDMARKS
    digest = hashlib.sha1(rom, usedforsecurity=False).hexdigest()
    return {
        "game": ("name,sha1,title,code", [(NAME, digest, TITLE, CODE)]),
        "maps": (
            "group,number,name,landmark",
            (
                (*map_ids()[name], title(name), landmarks.index(one.landmark))
                for name, one in MAPS.items()
            ),
        ),
        "landmarks": ("id,name", enumerate(landmarks)),
        "spawns": ("bit,map", ((i, title(name)) for i, name in enumerate(STORY_SPAWNS))),
        "wild": ("map,species,low,high,share", _wild()),
        "types": ("id,name", ((number, name) for name, number in TYPE_IDS.items())),
        "events": ("flag,name", ((flag, name) for name, flag in flags().items())),
        "scenes": ("map,index", ((title(name), var) for name, var in scenes().items())),
        "block_changes": ("map,x,y,old,new,when,flag", _changes(world)),
        "milestones": (
            "key,kind,value,text,place,x,y,how,who,requires,level,holds_at_start,verified,"
            "taken_back,optional",
            _milestones(),
        ),
        "answers": (
            "map,question,reply,goal,verified",
            ((title(place), *words, "yes") for place, *words in ANSWERS),
        ),
        "places": (
            "kind,map,x,y,text,verified",
            ((kind, title(place), x, y, text, "yes") for kind, place, x, y, text in PLACES),
        ),
    }


def write(world: World, rom: bytes, folder: Path) -> None:
    """Write all tables of the built image into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (columns, lines) in tables(world, rom).items():
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns.split(","))
            writer.writerows(lines)
