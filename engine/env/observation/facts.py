"""List the facts of a game state by name: plain numbers, words and lists, JSON-able."""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from engine.env.observation.features import count_potions, health, party_health
from engine.games.base import Game, GameTables, effectiveness, strength
from engine.types import Battle, Creature, GameState

STATE_VARIABLES: Mapping[str, float] = MappingProxyType(
    {
        "map_group": 64.0,  # wMapGroup
        "map_number": 128.0,  # wMapNumber
        "x": 64.0,  # walk tiles from the map's left edge
        "y": 64.0,  # walk tiles from its top
        "facing": 12.0,  # `Facing`'s value; scaled: 0 down, 1/3 up, 2/3 left, 1 right
        "is_free": 1.0,  # the player can walk
        "in_text": 1.0,  # a text box waits
        "in_menu": 1.0,  # a menu waits
        "in_battle": 1.0,
        "is_trainer_battle": 1.0,
        "party_size": 6.0,
        "party_health": 1.0,  # share of all their health
        "best_level": 100.0,  # of the party
        "lead_hp": 1.0,  # share of the first creature's health
        "lead_level": 100.0,  # of the first creature
        "own_hp": 1.0,  # share of the health of the creature that fights
        "enemy_hp": 1.0,  # share of its enemy's health
        "enemy_level": 100.0,
        "badges": 16.0,  # of both regions
        "money": 100_000.0,
        "caught": 251.0,  # species
        "seen": 251.0,  # species
        "balls": 20.0,  # in the bag
        "potions": 20.0,  # in the bag
        "play_time": 36_000.0,  # in seconds
    }
)
"""The 25 documented state variables in order, each with what the observation divides it by.

A fact is 1 or 0; a share lies between 0 and 1; what is not there (a battle, a party) is 0.
"""

_WORDS = ("map_name", "environment", "next_milestone", "goal")
_WORD_LISTS, _ROW_LISTS = ("screen_text", "milestones"), ("party", "exits")
_BEYOND = 1e15
"""No number of a game is as large."""


def state_numbers(state: GameState, potions: int) -> tuple[float, ...]:
    """Return the 25 state variables in the order of `STATE_VARIABLES`, not scaled."""
    party, battle, place, control = state.party, state.battle, state.place, state.control
    own = battle.own if battle else None
    enemy = battle.enemy if battle else None
    lead = party[0] if party else None
    return (
        place.map.group,
        place.map.number,
        place.x,
        place.y,
        place.facing,
        control.is_free,
        control.in_text,
        control.in_menu,
        battle is not None,
        battle is not None and battle.trainer_class > 0,
        len(party),
        party_health(party),
        max((creature.level for creature in party), default=0),
        health(lead) if lead else 0.0,
        lead.level if lead else 0,
        health(own) if own else 0.0,
        health(enemy) if enemy else 0.0,
        enemy.level if enemy else 0,
        state.badge_count,
        state.money,
        state.caught,
        state.seen,
        sum(count for _, count in state.bag.balls),
        potions,
        state.play_time_s,
    )


def state_facts(
    state: GameState, game: Game | None = None, milestones: Collection[str] = (), goal: str = ""
) -> dict[str, Any]:
    """Return the facts that `GameStateAnalysis` reads.

    `milestones` are the keys of those reached in this episode, `goal` is what is wanted now in one
    line. Without a game, moves are given without figures, and potions are not counted.
    """
    place, tables = state.place, game.tables if game else None
    numbers = state_numbers(state, count_potions(state, game) if game else 0)
    listed = tables.MILESTONES if tables else ()
    return {
        **dict(zip(STATE_VARIABLES, numbers, strict=True)),
        "map_name": place.name,
        "environment": place.environment,
        "screen_text": list(state.screen_text),
        "party": [_creature(creature) for creature in state.party],
        "battle": _battle(state.battle, tables) if state.battle else None,
        "exits": _exits(state),
        "milestones": [one.key for one in listed if one.key in milestones],
        "next_milestone": next((one.text for one in listed if one.key not in milestones), ""),
        "goal": goal,
    }


def player_facts(state: GameState) -> dict[str, Any]:
    """Return who plays and where, as Gymnasium's `info` has it."""
    place = state.place
    return {
        "player": {
            "x": place.x,
            "y": place.y,
            "facing": place.facing.name.lower(),
            "money": state.money,
            "badges": state.badge_count,
            "party": [_creature(creature) for creature in state.party],
        },
        "map": {
            "group": place.map.group,
            "number": place.map.number,
            "name": place.name,
            "environment": place.environment,
        },
    }


def checked_facts(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts in `given` that make sense, JSON-able.

    All 25 state variables together, none beyond ±1, are an observation's: they are scaled back.
    """
    numbers = {
        name: number
        for name in STATE_VARIABLES
        if (number := as_number(given.get(name))) is not None
    }
    if len(numbers) == len(STATE_VARIABLES) and all(abs(n) <= 1 for n in numbers.values()):
        scales = STATE_VARIABLES.items()
        numbers = {
            name: numbers[name] if scale == 1 else round(numbers[name] * scale)
            for name, scale in scales
        }
    words = {name: word for name in _WORDS if isinstance(word := given.get(name), str)}
    lists = {name: [str(word) for word in _list(given.get(name))] for name in _WORD_LISTS}
    rows = {name: as_rows(_plain(given.get(name))) for name in _ROW_LISTS}
    known = {name: entries for name, entries in (lists | rows).items() if name in given}
    return {**numbers, **words, **known, "battle": as_row(_plain(given.get("battle")))}


def as_number(value: Any) -> int | float | None:
    """Return a number, whole where it is; None for what is none."""
    if isinstance(value, np.ndarray | np.generic) and value.size == 1:
        value = value.item()
    if not isinstance(value, int | float) or not abs(value) < _BEYOND:  # also where it is NaN
        return None
    return int(value) if value == int(value) else float(round(value, 6))


def as_row(value: Any) -> dict[str, Any]:
    """Return named values, none where `value` is something else."""
    return value if isinstance(value, dict) else {}


def as_rows(value: Any) -> list[dict[str, Any]]:
    """Return those of a list that are rows."""
    return [row for row in _list(value) if isinstance(row, dict)]


def move_facts(battle: Battle, tables: GameTables) -> list[dict[str, Any]]:
    """Return what the own creature's moves would do now, in the order of the menu.

    `strength` is the damage to expect, in no unit; a move that is not in the tables has none.
    """
    own, enemy = battle.own, battle.enemy
    rows: list[dict[str, Any]] = []
    for move in own.moves if own else ():
        row: dict[str, Any] = {"name": move.name, "points": move.points}
        known = tables.MOVES.get(move.id)
        if own is not None and known is not None:
            _, kind, power, accuracy, _ = known
            row |= {
                "type": tables.TYPES.get(kind, f"type {kind}"),
                "power": power,
                "accuracy": accuracy,
                "effectiveness": effectiveness(tables, kind, enemy.types if enemy else ()),
                "strength": strength(tables, move.id, own, enemy),
            }
        rows.append(row)
    return rows


def side_names(state: GameState) -> dict[str, str]:
    """Return the neighbour on each side of the map that leads to one; "" where it has no name."""
    names = dict.fromkeys(sorted(state.map.connections), "")
    return names | {edge.side: edge.name for edge in state.map.edges}


def _creature(creature: Creature) -> dict[str, Any]:
    return {
        "name": creature.name,
        "level": creature.level,
        "hp": creature.hp,
        "max_hp": creature.max_hp,
        "status": creature.status,
        "moves": [{"name": move.name, "points": move.points} for move in creature.moves],
    }


def _battle(battle: Battle, tables: GameTables | None) -> dict[str, Any]:
    own = _creature(battle.own) if battle.own else None
    return {
        "kind": battle.kind.value,
        "own": own,
        "enemy": _creature(battle.enemy) if battle.enemy else None,
        "moves": move_facts(battle, tables) if tables else own["moves"] if own else [],
    }


def _exits(state: GameState) -> list[dict[str, Any]]:
    """Return the warps, and the sides that lead to a neighbour."""
    warps = [{"x": warp.x, "y": warp.y, "to": warp.name} for warp in state.map.warps]
    sides = side_names(state).items()
    return [*warps, *({"side": side, "to": name} for side, name in sides)]


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    number = as_number(value)
    return number if number is not None or value is None else str(value)
