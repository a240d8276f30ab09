"""Write the engine's tables of the game: CSV files as engine/games/facts.py reads them."""

import csv
import hashlib
from collections.abc import Iterable
from pathlib import Path

import creatures
import world
from layout import FIRST_SCENE, event_number, map_number, scene_places, tileset_of
from pack import World
from world import MAPS

Rows = Iterable[tuple[object, ...]]


def title(name: str) -> str:
    """Return a map's name for people."""
    return name.replace("_", " ")


def _level(trainer: str) -> int:
    """Return the level that usually beats a team alone; 0: there is none.

    That is half as high again as the team's highest where a starter stands against the player's,
    else one above it.
    """
    if not trainer:
        return 0
    species, levels = zip(*creatures.TRAINERS[trainer].team, strict=True)
    highest = max(levels)
    return (3 * highest + 1) // 2 if creatures.RIVAL_STARTER in species else highest + 1


def _milestones() -> Rows:
    for one in world.MILESTONES:
        value = title(str(one.value)) if one.kind == "map" else one.value
        x, y = one.tile or ("", "")
        late = "yes" if one.holds_at_start else ""
        taken_back = "yes" if one.is_taken_back else ""
        story = (one.how, one.who, one.requires, _level(one.trainer), late, "yes", taken_back, "")
        yield one.key, one.kind, value, one.text, title(one.place), x, y, *story


def _places() -> Rows:
    for kind, place, x, y, text in world.PLACES:
        yield kind, title(place), x, y, text, "yes"


def _wild() -> Rows:
    """Yield the wild creatures of a map: species, lowest and highest level, share of 256."""
    for name, one in MAPS.items():
        for slot in creatures.POOLS[one.pool] if one.pool else ():
            species = creatures.species_id(slot.species)
            yield title(name), species, slot.low, slot.high, slot.weight


def _items() -> Rows:
    yield from ((item.id, item.name) for item in creatures.ITEMS.values())
    for key, machine in creatures.MACHINES.items():
        yield machine.id, f"{creatures.ALL_MOVES[key].name} TABLET"


def _machines() -> Rows:
    """Yield each machine's item, its move and the species that can learn it."""
    for key, machine in creatures.MACHINES.items():
        learners = (creatures.SPECIES[name].name for name in machine.learners)
        yield machine.id, creatures.ALL_MOVES[key].name, " ".join(learners)


def _trainer_classes() -> Rows:
    """Yield each class with the name of its first trainer."""
    classes: dict[int, str] = {}
    for trainer in creatures.TRAINERS.values():
        classes.setdefault(trainer.trainer_class, trainer.name)
    yield from classes.items()


def _block_changes(packed: World) -> Rows:
    for name, one in MAPS.items():
        blocks, width = packed.blocks[tileset_of(one)], len(one.rows[0]) // 2
        for change in one.changes:
            old = packed.map_blocks[name][change.y // 2 * width + change.x // 2]
            new = packed.changed_block(name, change, blocks)
            flag = event_number(change.event)
            yield title(name), change.x, change.y, old, new, "set", flag


def write(rom: bytes, packed: World, folder: Path) -> None:
    """Write the tables of the built image and its world into a folder."""
    sha1 = hashlib.sha1(rom, usedforsecurity=False).hexdigest()
    landmarks = world.LANDMARKS
    tables: dict[str, tuple[str, Rows]] = {
        "game": ("name,sha1", [("Mosslight (practice game)", sha1)]),
        "maps": (
            "group,number,name,landmark",
            (
                (world.MAP_GROUP, map_number(n), title(n), landmarks.index(one.landmark))
                for n, one in MAPS.items()
            ),
        ),
        "landmarks": ("id,name", enumerate(landmarks)),
        "spawns": ("bit,map", ((m.spawn[2], title(n)) for n, m in MAPS.items() if m.spawn)),
        "wild": ("map,species,low,high,share", _wild()),
        "species": (
            "id,name,type1,type2",
            (
                (number, one.name, *[*(kind.name for kind in one.types), ""][:2])
                for number, one in enumerate(creatures.SPECIES.values(), 1)
            ),
        ),
        "moves": (
            "id,name,type,power,accuracy,points",
            (
                (number, move.name, move.type.name, move.power, move.accuracy, move.points)
                for number, move in enumerate(creatures.ALL_MOVES.values(), 1)
            ),
        ),
        "items": ("id,name", _items()),
        "machines": ("item,move,species", _machines()),
        "answers": (
            "map,question,reply,goal,verified",
            ((title(place), *words, "", "yes") for place, *words in world.ANSWERS),
        ),
        "holes": (
            "map,boulder,x,y,verified",
            ((title(place), *rest, "yes") for place, *rest in world.HOLES),
        ),
        "ferries": (
            "map,x,y,target,target_x,target_y,event,reply,verified",
            (
                (title(place), x, y, title(target), *arrival, "", reply, "yes")
                for place, (x, y), target, arrival, reply in world.FERRIES
            ),
        ),
        "types": ("id,name", ((int(kind), kind.name) for kind in creatures.Type)),
        "type_chart": (
            "attacker,defender,factor",
            ((a.name, b.name, n / 10) for (a, b), n in creatures.TYPE_CHART.items()),
        ),
        "trainer_classes": ("id,name", _trainer_classes()),
        "events": ("flag,name", ((event_number(name), name) for name in world.EVENTS)),
        "scenes": (
            "map,index",
            ((title(name), place - FIRST_SCENE) for name, place in scene_places().items()),
        ),
        "block_changes": ("map,x,y,old,new,when,flag", _block_changes(packed)),
        "milestones": (
            "key,kind,value,text,place,x,y,how,who,requires,level,holds_at_start,verified,"
            "taken_back,optional",
            _milestones(),
        ),
        "places": ("kind,map,x,y,text,verified", _places()),
    }
    folder.mkdir(exist_ok=True)
    for name, (columns, rows) in tables.items():
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns.split(","))
            writer.writerows(rows)
