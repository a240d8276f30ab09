"""Read what is known of a game from its folder `facts`: names and numbers, a CSV file a kind."""

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from functools import cache
from pathlib import Path

from engine.games.base import (
    Answer,
    Approach,
    Atlas,
    Checked,
    Ferry,
    GameTables,
    Milestone,
    MilestoneKind,
    Scale,
    Tune,
)
from engine.games.overworld import BlockChange, When
from engine.ground.files import read_text
from engine.types import Facing, Goal, GoalKind, MapId

_MAX_TABLE = 1 << 25
FIRST_VARIABLE = 0x4000
"""Number of the first variable of a Game Boy Advance game's scripts."""
_VARIABLE_SIZE = 2
"""Bytes of a variable in `GameState.scenes`."""


def read_rows(folder: Path, table: str) -> list[dict[str, str]]:
    """Return the rows of `table`.csv, by the names of its columns."""
    return list(csv.DictReader(io.StringIO(read_text(folder / f"{table}.csv", _MAX_TABLE))))


def variable_place(number: int) -> int:
    """Return where in `GameState.scenes` a variable begins, given its number in scripts."""
    return (number - FIRST_VARIABLE) * _VARIABLE_SIZE


@cache
def read_tables(folder: Path) -> GameTables:
    """Return a game's tables; its files name maps, types and events, the tables number them.

    What lies in the image instead of a file stays empty.
    """

    def rows(table: str) -> list[dict[str, str]]:
        return read_rows(folder, table) if (folder / f"{table}.csv").exists() else []

    def names(table: str) -> dict[int, str]:
        return {int(row["id"]): row["name"] for row in rows(table)}

    places = rows("maps")
    maps = {row["name"]: (int(row["group"]), int(row["number"])) for row in places}
    kinds = names("types")
    types = {name: number for number, name in kinds.items()}
    events = {row["name"]: int(row["flag"]) for row in rows("events")}
    species = rows("species")
    scenes = {maps[row["map"]]: int(row["index"]) for row in rows("scenes")}
    numbers = {row["name"]: int(row["id"]) for row in species}
    machines = rows("machines")
    (game,) = rows("game")
    return GameTables(
        NAME=game["name"],
        MAPS={key: name for name, key in maps.items()},
        MAP_LANDMARKS={maps[row["name"]]: int(row["landmark"]) for row in places},
        LANDMARKS=names("landmarks"),
        SPAWNS={int(row["bit"]): maps[row["map"]] for row in rows("spawns")},
        TRAINER_CLASSES=names("trainer_classes"),
        SPECIES={int(row["id"]): row["name"] for row in species},
        SPECIES_TYPES={
            int(row["id"]): tuple(types[row[one]] for one in ("type1", "type2") if row[one])
            for row in species
            if row["type1"]
        },
        TYPES=kinds,
        MOVES={
            int(row["id"]): (
                row["name"],
                types[row["type"]],
                int(row["power"]),
                int(row["accuracy"]),
                int(row["points"]),
            )
            for row in rows("moves")
        },
        ITEMS=names("items"),
        TYPE_CHART={
            (types[row["attacker"]], types[row["defender"]]): float(row["factor"])
            for row in rows("type_chart")
        },
        EVENT_FLAGS=events,
        SCENES=scenes,
        BLOCK_CHANGES=tuple(
            BlockChange(
                maps[row["map"]],
                int(row["x"]),
                int(row["y"]),
                int(row["old"]),
                int(row["new"]),
                When(row["when"]),
                int(row["flag"] or -1),
            )
            for row in rows("block_changes")
        ),
        MILESTONES=tuple(_milestone(row, maps, events, scenes) for row in rows("milestones")),
        ANSWERS=tuple(
            Answer(
                row["question"].lower(),
                row["reply"],
                MapId(*maps[row["map"]]) if row["map"] else None,
                row["goal"],
            )
            for row in rows("answers")
        ),
        SIDES={
            (*maps[row["map"]], *_tile(row)): frozenset(Facing[way] for way in row["ways"].split())
            for row in rows("sides")
        },
        HOLES=_holes(rows("holes"), maps),
        FERRIES=tuple(
            Ferry(
                MapId(*maps[row["map"]]),
                _tile(row),
                MapId(*maps[row["target"]]),
                (int(row["target_x"]), int(row["target_y"])),
                events[row["event"]] if row["event"] else -1,
                row["reply"],
            )
            for row in rows("ferries")
        ),
        TUNES=tuple(
            Tune(MapId(*maps[row["map"]]), _tile(row), int(row["music"]), int(row["dial"]))
            for row in rows("tunes")
        ),
        MACHINES={int(row["item"]): row["move"] for row in machines},
        LEARNERS={
            row["move"]: frozenset(numbers[name] for name in row["species"].split(" "))
            for row in machines
        },
        SCALE=Scale(**{one.name: int(game[one.name]) for one in fields(Scale) if one.name in game}),
    )


@cache
def read_places(folder: Path) -> tuple[tuple[Goal, ...], tuple[Goal, ...]]:
    """Return who heals the party, and where to gain levels."""
    maps = {
        row["name"]: MapId(int(row["group"]), int(row["number"]))
        for row in read_rows(folder, "maps")
    }
    healers, training = [], []
    for row in read_rows(folder, "places"):
        place, text = maps[row["map"]], row["text"]
        if row["kind"] == "heal":
            goal = Goal("heal", text, place, _tile(row), is_interaction=True, kind=GoalKind.HEAL)
            healers.append(goal)
        else:
            training.append(Goal("train", text, place, kind=GoalKind.TRAIN))
    return tuple(healers), tuple(training)


def _holes(
    rows: Iterable[Mapping[str, str]], maps: Mapping[str, tuple[int, int]]
) -> dict[tuple[int, int], dict[int, tuple[int, int]]]:
    found: dict[tuple[int, int], dict[int, tuple[int, int]]] = {}
    for row in rows:
        found.setdefault(maps[row["map"]], {})[int(row["boulder"])] = _tile(row)
    return found


def with_places(atlas: Atlas, folder: Path) -> Atlas:
    """Return an atlas with the healers and training places that a folder lists."""
    healers, training = read_places(folder)
    return replace(atlas, healers=healers, training=training)


def _milestone(
    row: Mapping[str, str],
    maps: Mapping[str, tuple[int, int]],
    events: Mapping[str, int],
    scenes: Mapping[tuple[int, int], int],
) -> Milestone:
    kind, value = MilestoneKind(row["kind"]), row["value"]
    entered = MapId(*maps[value]) if kind is MilestoneKind.MAP else None
    name = row["place"] or (value if entered else "")
    place = maps[name] if name else None
    is_event = kind in (MilestoneKind.EVENT, MilestoneKind.EVENT_CLEAR)
    is_scene = kind in (MilestoneKind.SCENE, MilestoneKind.SCENE_LEFT)
    scene = scenes[place] if is_scene and place else -1
    if kind is MilestoneKind.VAR:
        variable, value = value.split()
        scene = variable_place(int(variable, 16))
    is_named = kind in (MilestoneKind.MAP, MilestoneKind.MOVE)
    return Milestone(
        key=row["key"],
        text=row["text"],
        kind=kind,
        value=0 if is_named else events[value] if is_event else int(value),
        place=MapId(*place) if place else None,
        target=_tile(row) if row["x"] else None,
        requires=tuple(row["requires"].split()),
        how=Approach(row["how"]),
        who=row["who"],
        level=int(row["level"] or 0),
        scene=scene,
        holds_at_start=row["holds_at_start"] == "yes",
        checked=Checked.PLAYED if row["verified"] == "yes" else Checked(row["verified"]),
        entered=entered,
        move=value if kind is MilestoneKind.MOVE else "",
        is_taken_back=row.get("taken_back") == "yes",
        is_optional=row.get("optional") == "yes",
    )


def _tile(row: Mapping[str, str]) -> tuple[int, int]:
    return int(row["x"]), int(row["y"])
