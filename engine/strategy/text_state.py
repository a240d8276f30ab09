"""Put a game state into words, for a language model that plans.

Plain text without colours, at most 80 columns, the same for the same state.
"""

import json
import re
import textwrap
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from engine.env.facts import move_facts
from engine.env.milestones import still_ahead
from engine.games.profile import GameTables
from engine.plans import Section
from engine.strategy.surroundings import Spot, survey
from engine.types import Battle, BattleKind, Creature, GameState, Goal

_COLUMNS = 80
_LISTED = 12
"""Of exits, people or signs, at most as many are listed."""

_NEXT_MILESTONES = _LAST_MILESTONES = 3
_BADGES = 16
_QUOTED = 72
"""Characters of what the game shows in a line: more would be broken within its quotes."""
_NAME = re.compile(r"[\w .'’♀♂-]{1,16}")
"""Names that need no quotes; those of both games' tables are such."""


def describe(
    state: GameState,
    tables: GameTables,
    *,
    goal: Goal | None = None,
    milestones: Collection[str] = (),
    max_characters: int | None = None,
) -> str:
    """Return the state in words; see `sections`.

    Args:
        state: The game now.
        tables: The game's names and figures.
        goal: What is wanted now.
        milestones: Keys of those reached in this episode.
        max_characters: Sections are left out, those of the highest rank first, until the text has
            no more; the one of rank 0 always stays.
    """
    kept = list(sections(state, tables, goal=goal, milestones=milestones))
    while max_characters is not None and len(_joined(kept)) > max_characters and len(kept) > 1:
        kept.remove(max(kept, key=lambda section: section.rank))
    return _joined(kept)


def sections(
    state: GameState,
    tables: GameTables,
    *,
    goal: Goal | None = None,
    milestones: Collection[str] = (),
) -> tuple[Section, ...]:
    """Return the parts of the text that have something to say, in reading order.

    Every rank comes once. In a battle the surroundings are left out.
    """
    around = survey(state, tables)
    drawing = "\n".join((*around.drawing, f"legend: {around.legend}"))
    parts = (
        Section("place", _place(state), 0),
        Section("screen", _screen(state), 1),
        Section("battle", _battle(state.battle, tables) if state.battle else "", 2),
        Section("goals", _goals(state, tables, goal, milestones), 3),
        Section("map", drawing if around.drawing else "", 5),
        Section("exits", _spots(state, "Exits", around.exits), 4),
        Section("people", _spots(state, "People and things", around.people), 7),
        Section("signs", _spots(state, "Signs", around.signs), 9),
        Section("party", _party(state), 6),
        Section("bag", _bag(state, tables), 8),
        Section("progress", _progress(state, tables), 10),
    )
    return tuple(replace(part, text=_fitted(part.text)) for part in parts if part.text)


def _joined(parts: Iterable[Section]) -> str:
    return "\n".join(part.text for part in parts)


def _place(state: GameState) -> str:
    place, control = state.place, state.control
    if not control.in_game:
        return "The game has not begun."
    landmark = f" in {place.landmark}" if place.landmark not in {"", place.name} else ""
    where = f"{place.name} ({place.environment}{landmark})"
    if state.battle is not None:
        return f"{where}, in a battle."
    doing = "something happens by itself"
    if control.is_free:
        doing = "free to walk"
    elif control.in_menu:
        doing = f"in a menu, cursor at row {control.cursor[0]}, column {control.cursor[1]}"
    elif control.in_text:
        doing = "reading"
    return f"{where} at ({place.x},{place.y}) facing {place.facing.name.lower()}, {doing}."


def _screen(state: GameState) -> str:
    """Quote what the game shows: it is data, whatever it says."""
    if not state.screen_text:
        return ""
    return "\n".join(["On screen:", *(f"  {_quoted(line)}" for line in state.screen_text)])


def _battle(battle: Battle, tables: GameTables) -> str:
    if battle.own is None or battle.enemy is None:
        return "The battle begins."
    who = _named(battle.trainer_name) or "a trainer"
    against = f"Battle against {who}" if battle.kind is BattleKind.TRAINER else "Wild battle"
    lines = [f"{against}:", f"  enemy {_creature(battle.enemy)}", f"  own {_creature(battle.own)}"]
    facts = move_facts(battle, tables)
    return "\n".join(lines + [f"  {_move(facts[slot])}" for slot in battle.legal_moves])


def _move(facts: Mapping[str, Any]) -> str:
    text = f"move {facts['name']}, {facts['points']} left"
    if "type" not in facts:
        return text
    if not facts["power"]:
        return f"{text}: {facts['type']}, does no damage itself"
    return (
        f"{text}: {facts['type']} {facts['power']}, hits {facts['accuracy']} %, "
        f"{facts['effectiveness']:g}x"
    )


def _goals(
    state: GameState, tables: GameTables, goal: Goal | None, milestones: Collection[str]
) -> str:
    lines = [f"Goal: {goal.text}"] if goal else []
    reached = [text for key, text, *_ in tables.MILESTONES if key in milestones]
    if reached:
        earlier = len(reached) - _LAST_MILESTONES
        more = f" (and {earlier} before)" if earlier > 0 else ""
        lines.append("Reached: " + "; ".join(reached[-_LAST_MILESTONES:]) + more)
    coming = [text for _, text, *_ in still_ahead(tables.MILESTONES, state, milestones)]
    if coming:
        lines.append("Next milestones: " + "; ".join(coming[:_NEXT_MILESTONES]))
    return "\n".join(lines)


def _spots(state: GameState, title: str, spots: tuple[Spot, ...]) -> str:
    if not spots:
        return ""
    lines = [f"{title}:", *(f"  {_spot(state, spot)}" for spot in spots[:_LISTED])]
    if len(spots) > _LISTED:
        lines.append(f"  and {len(spots) - _LISTED} more")
    return "\n".join(lines)


def _spot(state: GameState, spot: Spot) -> str:
    """Return e.g. "1 (7,2) to HOME 1F: 5 steps, up-right"."""
    tiles = "".join(f"({x},{y})" for x, y in spot.tiles)
    where = " ".join(word for word in (spot.mark, tiles or f"{spot.side} edge") if word)
    target = f"{where} to {spot.name}" if spot.name else where
    if spot.is_faced:
        return f"{target}: in front"
    way = _direction(state, spot.tiles[0]) if spot.tiles else ""
    if spot.steps is None:
        far = "out of reach now"
    elif not spot.steps:
        far = "beside you"
    else:
        far = f"{spot.steps} step{'s' if spot.steps > 1 else ''}"
    return f"{target}: {far}, {way}" if way else f"{target}: {far}"


def _direction(state: GameState, tile: tuple[int, int]) -> str:
    dx, dy = tile[0] - state.place.x, tile[1] - state.place.y
    words = ("up" if dy < 0 else "down" if dy else "", "left" if dx < 0 else "right" if dx else "")
    return "-".join(word for word in words if word)


def _party(state: GameState) -> str:
    if not state.party:
        return "Party: no creature yet."
    return "\n".join(["Party:", *(f"  {_member(creature)}" for creature in state.party)])


def _member(creature: Creature) -> str:
    moves = ", ".join(f"{move.name} {move.points}" for move in creature.moves)
    return f"{_creature(creature)}: {moves}" if moves else _creature(creature)


def _creature(creature: Creature) -> str:
    text = f"{_named(creature.name)} L{creature.level} {creature.hp}/{creature.max_hp}"
    status = creature.status if creature.hp else "fainted"
    return f"{text} {status}" if status else text


def _bag(state: GameState, tables: GameTables) -> str:
    bag, names = state.bag, tables.ITEMS
    pockets = {
        "Items": bag.items,
        "Balls": bag.balls,
        "Key items": tuple((item, 1) for item in bag.key_items),
        "Machines": bag.machines,
    }
    lines = [
        f"{title}: " + ", ".join(_item(names.get(item) or f"item {item}", n) for item, n in pocket)
        for title, pocket in pockets.items()
        if pocket
    ]
    return "\n".join(lines) or "The bag is empty."


def _item(name: str, count: int) -> str:
    return f"{name} x{count}" if count > 1 else name


def _progress(state: GameState, tables: GameTables) -> str:
    lines = [
        f"Badges {state.badge_count} of {_BADGES}, money {state.money}, "
        f"species caught {state.caught}, seen {state.seen}."
    ]
    if state.repel_steps:
        lines.append(f"The wild ones stay away for {state.repel_steps} steps.")
    maps = [tables.MAPS.get((place.group, place.number)) for place in state.fly_points]
    if any(maps):
        lines.append("To fly to, if one can: " + ", ".join(name for name in maps if name))
    return "\n".join(lines)


def _quoted(line: str, longest: int = _QUOTED) -> str:
    """Return a line in quotes, out of which it cannot get, without what could hide in it."""
    shown = "".join(c if c.isprintable() or c == "\n" else " " for c in line[:longest])
    while len(text := json.dumps(shown, ensure_ascii=False)) > longest:
        shown = shown[:-1]
    return text


def _named(name: str) -> str:
    """Return a name from the game; in quotes if it could be taken for more than a name."""
    return name if not name or _NAME.fullmatch(name) else _quoted(name, 24)


def _fitted(text: str) -> str:
    """Break the lines that are too long."""
    lines = []
    for line in text.splitlines():
        is_long = len(line) > _COLUMNS
        lines += textwrap.wrap(line, _COLUMNS, subsequent_indent="    ") if is_long else [line]
    return "\n".join(lines)
