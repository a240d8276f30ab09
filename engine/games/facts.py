"""Read what is known of a game from its folder `facts`: names and numbers, a CSV file a kind."""

import csv
from functools import cache
from pathlib import Path

from engine.games.base import GameTables


def read_rows(folder: Path, table: str) -> list[dict[str, str]]:
    """Return the rows of `table`.csv, by the names of its columns."""
    with (folder / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@cache
def read_tables(folder: Path) -> GameTables:
    """Return a game's tables; its files name maps, types and events, the tables number them."""

    def names(table: str) -> dict[int, str]:
        return {int(row["id"]): row["name"] for row in read_rows(folder, table)}

    places = read_rows(folder, "maps")
    maps = {row["name"]: (int(row["group"]), int(row["number"])) for row in places}
    kinds = names("types")
    types = {name: number for number, name in kinds.items()}
    events = {row["name"]: int(row["flag"]) for row in read_rows(folder, "events")}
    species = read_rows(folder, "species")

    def value(kind: str, named: str) -> int | tuple[int, int]:
        return maps[named] if kind == "map" else events[named] if kind == "event" else int(named)

    (game,) = read_rows(folder, "game")
    return GameTables(
        NAME=game["name"],
        MAPS={key: name for name, key in maps.items()},
        MAP_LANDMARKS={maps[row["name"]]: int(row["landmark"]) for row in places},
        LANDMARKS=names("landmarks"),
        SPAWNS={int(row["bit"]): maps[row["map"]] for row in read_rows(folder, "spawns")},
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
            for row in read_rows(folder, "moves")
        },
        ITEMS=names("items"),
        TYPE_CHART={
            (types[row["attacker"]], types[row["defender"]]): float(row["factor"])
            for row in read_rows(folder, "type_chart")
        },
        EVENT_FLAGS=events,
        MILESTONES=tuple(
            (row["key"], row["text"], row["kind"], value(row["kind"], row["value"]))
            for row in read_rows(folder, "milestones")
        ),
    )
