"""Read what is known of a game from its folder `facts`: names and numbers, a CSV file a kind."""

import csv
import io
from collections.abc import Mapping
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
    facts = _Facts(folder)
    (game,) = facts.rows("game")
    return GameTables(
        NAME=game["name"],
        MAPS={key: name for name, key in facts.maps.items()},
        MAP_LANDMARKS={facts.maps[row["name"]]: int(row["landmark"]) for row in facts.rows("maps")},
        LANDMARKS=facts.names("landmarks"),
        SPAWNS={int(row["bit"]): facts.maps[row["map"]] for row in facts.rows("spawns")},
        TRAINER_CLASSES=facts.names("trainer_classes"),
        SPECIES=facts.names("species"),
        SPECIES_TYPES=facts.species_types(),
        TYPES=facts.names("types"),
        MOVES=facts.moves(),
        ITEMS=facts.names("items"),
        TYPE_CHART=facts.type_chart(),
        EVENT_FLAGS=facts.events,
        SCENES=facts.scenes,
        BLOCK_CHANGES=facts.block_changes(),
        MILESTONES=facts.milestones(),
        ANSWERS=facts.answers(),
        SIDES=facts.sides(),
        HOLES=facts.holes(),
        FERRIES=facts.ferries(),
        TUNES=facts.tunes(),
        MACHINES={int(row["item"]): row["move"] for row in facts.rows("machines")},
        LEARNERS=facts.learners(),
        SCALE=Scale(**{one.name: int(game[one.name]) for one in fields(Scale) if one.name in game}),
    )


class _Facts:
    """The files of a folder.

    Attributes:
        maps, types, events: Name -> number.
        scenes: Map -> where its scene number lies.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.maps = {row["name"]: _numbers(row, "group", "number") for row in self.rows("maps")}
        self.types = {name: number for number, name in self.names("types").items()}
        self.events = {row["name"]: int(row["flag"]) for row in self.rows("events")}
        self.scenes = {self.maps[row["map"]]: int(row["index"]) for row in self.rows("scenes")}

    def rows(self, table: str) -> list[dict[str, str]]:
        """Return the rows of a file; none where there is no such file."""
        is_there = (self._folder / f"{table}.csv").exists()
        return read_rows(self._folder, table) if is_there else []

    def names(self, table: str) -> dict[int, str]:
        return {int(row["id"]): row["name"] for row in self.rows(table)}

    def _map_id(self, name: str) -> MapId:
        return MapId(*self.maps[name])

    def species_types(self) -> dict[int, tuple[int, ...]]:
        return {
            int(row["id"]): tuple(self.types[row[one]] for one in ("type1", "type2") if row[one])
            for row in self.rows("species")
            if row["type1"]
        }

    def moves(self) -> dict[int, tuple[str, int, int, int, int]]:
        found = {}
        for row in self.rows("moves"):
            power, accuracy, points = (int(row[one]) for one in ("power", "accuracy", "points"))
            found[int(row["id"])] = row["name"], self.types[row["type"]], power, accuracy, points
        return found

    def type_chart(self) -> dict[tuple[int, int], float]:
        return {
            (self.types[row["attacker"]], self.types[row["defender"]]): float(row["factor"])
            for row in self.rows("type_chart")
        }

    def learners(self) -> dict[str, frozenset[int]]:
        numbers = {name: number for number, name in self.names("species").items()}
        return {
            row["move"]: frozenset(numbers[name] for name in row["species"].split(" "))
            for row in self.rows("machines")
        }

    def block_changes(self) -> tuple[BlockChange, ...]:
        found = []
        for row in self.rows("block_changes"):
            old, new, flag = int(row["old"]), int(row["new"]), int(row["flag"] or -1)
            place = self.maps[row["map"]]
            found.append(BlockChange(place, *_tile(row), old, new, When(row["when"]), flag))
        return tuple(found)

    def answers(self) -> tuple[Answer, ...]:
        found = []
        for row in self.rows("answers"):
            place = self._map_id(row["map"]) if row["map"] else None
            found.append(Answer(row["question"].lower(), row["reply"], place, row["goal"]))
        return tuple(found)

    def sides(self) -> dict[tuple[int, int, int, int], frozenset[Facing]]:
        return {
            (*self.maps[row["map"]], *_tile(row)): frozenset(
                map(Facing.__getitem__, row["ways"].split())
            )
            for row in self.rows("sides")
        }

    def holes(self) -> dict[tuple[int, int], dict[int, tuple[int, int]]]:
        found: dict[tuple[int, int], dict[int, tuple[int, int]]] = {}
        for row in self.rows("holes"):
            found.setdefault(self.maps[row["map"]], {})[int(row["boulder"])] = _tile(row)
        return found

    def ferries(self) -> tuple[Ferry, ...]:
        found = []
        for row in self.rows("ferries"):
            place, target = self._map_id(row["map"]), self._map_id(row["target"])
            arrival = _numbers(row, "target_x", "target_y")
            flag = self.events[row["event"]] if row["event"] else -1
            found.append(Ferry(place, _tile(row), target, arrival, flag, row["reply"]))
        return tuple(found)

    def tunes(self) -> tuple[Tune, ...]:
        return tuple(
            Tune(self._map_id(row["map"]), _tile(row), *_numbers(row, "music", "dial"))
            for row in self.rows("tunes")
        )

    def milestones(self) -> tuple[Milestone, ...]:
        rows = self.rows("milestones")
        return tuple(_milestone(row, self.maps, self.events, self.scenes) for row in rows)


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
    return _numbers(row, "x", "y")


def _numbers(row: Mapping[str, str], first: str, second: str) -> tuple[int, int]:
    return int(row[first]), int(row[second])
