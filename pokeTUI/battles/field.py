"""Draw the field: both sides' active Pokémon, their benches, weather and conditions."""

from collections.abc import Sequence

from pokeTUI.battles.view import BattleView, Condition, Mon, Sheet, Side
from pokeTUI.panes.creatures import health
from pokeTUI.rendering.lines import Line, add_bar, beside
from pokeTUI.theme import Ink

_STATS = {"accuracy": "Acc", "evasion": "Eva"}
_STATUS_INKS = {"brn": Ink.bad, "tox": Ink.odd, "psn": Ink.odd, "frz": Ink.info, "slp": Ink.dim}
TALL, TALLEST = 16, 22
"""Rows from which each Pokémon gets a line more, and two."""
_GENDERS = {"M": "♂", "F": "♀"}


def field_lines(view: BattleView, own: int, width: int, height: int) -> list[Line]:
    """Return the field, the opponent's half on top."""
    foe, mine = view.sides[1 - own], view.sides[own]
    depth = 5 if height >= TALLEST else 4 if height >= TALL else 3
    gap = [Line(width)] if height >= 2 * (depth + 2) + 4 else []
    lines = [
        *_half(foe, view.turn, width, depth, is_own=False),
        *gap,
        _middle(view, width),
        *gap,
        *_half(mine, view.turn, width, depth, is_own=True),
    ]
    return lines[:height]


def _middle(view: BattleView, width: int) -> Line:
    """Return the line between the halves: what concerns both."""
    line = Line(width).add("── ", Ink.faint)
    conditions = [one for one in (view.weather, *view.field) if one is not None]
    if view.winner is not None:
        line.add(f"{view.winner} won" if view.winner else "tie", Ink.badge).add(" ", Ink.faint)
    elif view.is_preview:
        line.add("team preview ", Ink.strong)
    if conditions:
        _add_conditions(line, conditions, view.turn, Ink.info)
        line.add(" ", Ink.faint)
    return line.add("─" * line.room, Ink.faint)


def _half(side: Side, turn: int, width: int, depth: int, *, is_own: bool) -> list[Line]:
    head = Line(width).add("▲ " if is_own else "▼ ", Ink.accent if is_own else Ink.bad)
    head.add(side.player or "?", Ink.strong).add("  ", Ink.dim)
    _add_conditions(head, side.conditions, turn, Ink.info)
    bench = _bench(side, width)
    middle = width // 2
    blocks = [
        _mon_lines(side.mon(slot), side, size, depth)
        for slot, size in ((0, middle - 2), (1, width - middle))
    ]
    pair = beside(blocks[0], blocks[1], middle, width)
    return [head, bench, *pair] if not is_own else [*pair, bench, head]


def _add_conditions(line: Line, conditions: Sequence[Condition], turn: int, ink: Ink) -> None:
    for number, one in enumerate(conditions):
        line.add(" · " if number else "", Ink.faint)
        line.add(one.name, ink)
        left = one.turns_left(max(1, turn))
        if left:
            line.add(f" {left}", Ink.strong)
        elif one.layers > 1:
            line.add(f" ×{one.layers}", Ink.strong)


def _bench(side: Side, width: int) -> Line:
    line = Line(width).add("  bench ", Ink.dim)
    for mon in side.bench():
        entry = Line(width)
        if mon.is_fainted:
            entry.add("✗ ", Ink.bad).add(mon.shown, Ink.dim)
        elif not mon.is_seen:
            entry.add("○ ", Ink.dim).add(mon.shown, Ink.dim)
        else:
            ink, _ = health(mon.hp)
            entry.add("● ", ink).add(mon.shown, Ink.text).add(f" {_percent(mon)}", ink)
            if mon.status:
                entry.add(f" {mon.status.upper()}", _STATUS_INKS.get(mon.status, Ink.warn))
        line.append(entry).add("  ", Ink.dim)
    return line


def _mon_lines(mon: Mon | None, side: Side, width: int, depth: int) -> list[Line]:
    """Return one slot in `depth` lines."""
    if mon is None:
        return [Line(width).add("  –", Ink.faint), *[Line(width)] * (depth - 1)]
    head = Line(width).add("  ", Ink.text).add(mon.shown, Ink.dim if mon.is_fainted else Ink.strong)
    if mon.gender:
        head.add(_GENDERS[mon.gender], Ink.dim)
    if mon.species != mon.shown and mon.species.partition("-")[0] != mon.shown:
        head.add_whole(f" ({mon.species})", Ink.dim)
    head.add(" ", Ink.dim)
    if mon.tera:
        head.add(f"◆Tera {mon.tera}", Ink.odd)
    else:
        head.add_whole("/".join(mon.types), Ink.info)
    if mon.is_mega:
        head.add(" Mega", Ink.odd)
    lines = [head, _health(mon, width), _state(mon, width)]
    sheet = side.sheet(mon)
    if depth > 3:
        lines.append(_held(mon, sheet, width))
    if depth > 4:
        moves = sheet.moves if sheet is not None else mon.moves
        lines.append(Line(width).add("  ", Ink.dim).add(" · ".join(moves), Ink.dim))
    return lines


def _health(mon: Mon, width: int) -> Line:
    line = Line(width).add("  ", Ink.text)
    if mon.is_fainted:
        return line.add("✗ fainted", Ink.bad)
    ink, mark = health(mon.hp)
    status = f" {mon.status.upper()}" if mon.status else ""
    figures = f"{_percent(mon):>4}{mark}"
    add_bar(line, mon.hp, min(40, line.room - len(figures) - len(status) - 2), ink, Ink.faint)
    line.add(figures, ink)
    return line.add(status, _STATUS_INKS.get(mon.status, Ink.warn))


def _state(mon: Mon, width: int) -> Line:
    """Return boosts and what it is under."""
    line = Line(width).add("  ", Ink.text)
    for stat, stage in mon.boosts.items():
        name = _STATS.get(stat, stat.capitalize())
        line.add_whole(f"{name}{stage:+d} ", Ink.good if stage > 0 else Ink.bad)
    effects = [*mon.effects, *mon.turn_effects]
    return line.add(" · ".join(effects), Ink.warn) if effects else line


def _held(mon: Mon, sheet: Sheet | None, width: int) -> Line:
    """Return item and ability, as far as they are known."""
    item = mon.item or (sheet.item if sheet is not None else "")
    ability = mon.ability or (sheet.ability if sheet is not None else "")
    line = Line(width).add("  ", Ink.dim)
    return line.add(" · ".join(part for part in (item, ability) if part), Ink.dim)


def _percent(mon: Mon) -> str:
    """Return the health as figures: exact where it is known, else in percent."""
    if mon.hp_text and not mon.hp_text.endswith("/100") and "/" in mon.hp_text:
        return mon.hp_text
    return f"{max(1, round(100 * mon.hp)) if mon.hp else 0}%"
