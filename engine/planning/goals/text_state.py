"""Put a game state into words, for a language model that plans.

Plain text without colours, at most 80 columns, the same for the same state.
"""

import json
import re
import textwrap
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.env.milestones import Story, still_ahead
from engine.env.observation.facts import move_facts
from engine.games.base import Game, GameTables, Milestone, MilestoneKind
from engine.planning.rules.surroundings import LEGEND, Spot, survey
from engine.planning_types import Section
from engine.types import Battle, BattleKind, Creature, GameState, Goal, MapId
from engine.wayfinding.world_map import WorldMap

_COLUMNS = 80
_ASKED = ("world", "progress", "bag", "party", "goals", "place", "screen", "battle", "map")
"""Sections that precede a planner's options, which name exits, people and signs themselves; that
one could fly is no use where no option is to fly."""
_LISTED = 12
"""Most exits, people or signs that are listed, each."""

_NEXT_MILESTONES = _LAST_MILESTONES = 3
_COURSE = 10
"""Number of milestones that every question names, from the first on."""

_QUOTED = 72
"""Characters of what the game shows in a line: more would be broken within its quotes."""
_NAME = re.compile(r"[\w .'’♀♂-]{1,16}")
"""Names that need no quotes; those of both games' tables are such."""


def describe(
    state: GameState,
    game: Game,
    *,
    goal: Goal | None = None,
    milestones: Collection[str] = (),
    max_characters: int | None = None,
) -> str:
    """Return the state in words; see `sections`.

    Sections are left out, those of the highest rank first, until the text has no more than
    `max_characters`; the one of rank 0 always stays.
    """
    kept = list(sections(state, game, goal=goal, milestones=milestones))
    while max_characters is not None and len(_joined(kept)) > max_characters and len(kept) > 1:
        kept.remove(max(kept, key=lambda section: section.rank))
    return _joined(kept)


def sections(
    state: GameState, game: Game, *, goal: Goal | None = None, milestones: Collection[str] = ()
) -> tuple[Section, ...]:
    """Return the parts of the text that have something to say, in reading order.

    Every rank comes once. In a battle the surroundings are left out.

    Args:
        state: The game now.
        game: What is played.
        goal: What is wanted now.
        milestones: Keys of those reached in this episode.
    """
    around, tables = survey(state, game), game.tables
    party = [_member(creature) for creature in state.party]
    parts = (
        Section("place", _place(state), 0),
        # Quoted: it is data, whatever its words.
        Section("screen", _listed("On screen", [_quoted(one) for one in state.screen_text]), 1),
        Section("battle", _battle(state.battle, tables) if state.battle else "", 2),
        Section("goals", _goals(state, tables, goal, milestones), 3),
        Section("map", "\n".join(around.drawing), 5),
        Section("legend", f"legend: {around.legend}" if around.drawing else "", 6),
        Section("exits", _spots("Exits", around.exits), 4),
        Section("people", _spots("People and things", around.people), 8),
        Section("signs", _spots("Signs", around.signs), 10),
        Section("party", _listed("Party", party) or "Party: no creature yet.", 7),
        Section("bag", _bag(state, tables), 9),
        Section("progress", _progress(state, tables), 11),
        Section("flights", _flights(state, tables), 12),
    )
    return tuple(replace(part, text=_fitted(part.text)) for part in parts if part.text)


def asked_sections(
    state: GameState, game: Game, world: WorldMap, *, milestones: Collection[str] = ()
) -> tuple[Section, ...]:
    """Return the parts that a planner is given, what changes seldom first: see `_ASKED`."""
    by_name = {part.name: part for part in sections(state, game, milestones=milestones)}
    next_ = _next(state, game.tables, milestones)
    by_name["goals"] = replace(by_name["goals"], text=_fitted(next_))
    ways = _ways(world.maps.distances_from(state.place.map), game.tables, world)
    by_name["world"] = Section("world", ways, len(by_name))
    return tuple(by_name[name] for name in _ASKED if name in by_name and by_name[name].text)


def rules(game: Game) -> str:
    """Return what is the same in all situations of a game and helps to read `asked_sections`."""
    listed = game.tables.MILESTONES[:_COURSE]
    course = "; ".join(one.text for one in listed)
    more = len(game.tables.MILESTONES) - len(listed)
    course += f"; and {more} more" if more else ""
    return (
        f"The milestones in their order: {course}\n"
        f"The map is drawn with these symbols, you as one of ^ v < >: {LEGEND}"
    )


def _ways(maps: Iterable[MapId], tables: GameTables, world: WorldMap) -> str:
    """Return where the ways of maps lead, in the same order wherever one is."""
    lines = []
    for map_ in sorted(maps, key=lambda map_: (map_.group, map_.number)):
        name = _map_name(map_, tables)
        targets = dict.fromkeys(
            _map_name(link.target, tables) for link in world.maps.links_from(map_)
        )
        if name and any(targets):
            lines.append(f"{name}: {', '.join(filter(None, targets))}")
    return _listed("Where ways lead", lines)


def _map_name(map_: MapId, tables: GameTables) -> str:
    return tables.MAPS.get((map_.group, map_.number), "")


def _listed(title: str, lines: Sequence[str]) -> str:
    """Return lines under a title, "" where there are none."""
    return "\n".join([f"{title}:", *(f"  {line}" for line in lines)]) if lines else ""


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


def _battle(battle: Battle, tables: GameTables) -> str:
    if battle.own is None or battle.enemy is None:
        return "The battle begins."
    who = _named(battle.trainer_name) or "a trainer"
    against = f"Battle against {who}" if battle.kind is BattleKind.TRAINER else "Wild battle"
    facts = move_facts(battle, tables)
    moves = [_move(facts[slot]) for slot in battle.legal_moves]
    sides = [f"enemy {_creature(battle.enemy)}", f"own {_creature(battle.own)}"]
    return _listed(against, sides + moves)


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
    reached = [one.text for one in tables.MILESTONES if one.key in milestones]
    if reached:
        earlier = len(reached) - _LAST_MILESTONES
        more = f" (and {earlier} before)" if earlier > 0 else ""
        lines.append("Reached: " + "; ".join(reached[-_LAST_MILESTONES:]) + more)
    coming = [one.text for one in still_ahead(tables.MILESTONES, state, milestones)]
    if coming:
        lines.append("Next milestones: " + "; ".join(coming[:_NEXT_MILESTONES]))
    return "\n".join(lines)


def _next(state: GameState, tables: GameTables, milestones: Collection[str]) -> str:
    """Return which milestone comes next, where and with whom; `rules` name those that follow."""
    story = Story(tables.MILESTONES)
    done = story.reached(state, milestones)
    coming = story.ahead(done)
    total = len(tables.MILESTONES)
    passed = f"{total - len(coming)} of {total} milestones are passed."
    if not coming:
        return passed
    next_ = next((one for one in coming if story.is_possible(one, done)), coming[0])
    return f"{passed} Next milestone: {next_.text}{_whereabouts(next_, tables)}"


def _whereabouts(one: Milestone, tables: GameTables) -> str:
    """Return where a milestone that is no map to enter is reached, with whom, and from when."""
    if one.place is None or one.kind is MilestoneKind.MAP:
        return ""
    tile = f" ({one.target[0]},{one.target[1]})" if one.target else ""
    who = f", {one.who}" if one.who else ""
    level = f". Level {one.level} is wanted" if one.level else ""
    return f". Where: {_map_name(one.place, tables)}{tile}{who}{level}"


def _spots(title: str, spots: tuple[Spot, ...]) -> str:
    more = [f"and {len(spots) - _LISTED} more"] if len(spots) > _LISTED else []
    return _listed(title, [_spot(spot) for spot in spots[:_LISTED]] + more)


def _spot(spot: Spot) -> str:
    """Return e.g. "1 (7,2) to HOME 1F: 5 steps, up-right"."""
    tiles = "".join(f"({x},{y})" for x, y in spot.tiles)
    where = " ".join(word for word in (spot.mark, tiles or f"{spot.side} edge") if word)
    target = f"{where} to {spot.name}" if spot.name else where
    return f"{target}: {spot.distance}"


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
    text = (
        f"Badges {state.badge_count} of {tables.BADGES}, money {state.money}, "
        f"species caught {state.caught}, seen {state.seen}."
    )
    repel = f"\nThe wild ones stay away for {state.repel_steps} steps."
    return text + repel if state.repel_steps else text


def _flights(state: GameState, tables: GameTables) -> str:
    maps = ", ".join(filter(None, (_map_name(place, tables) for place in state.fly_points)))
    return f"To fly to, if one can: {maps}" if maps else ""


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
