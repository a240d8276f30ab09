"""Draw the field: both sides' active Pokémon, their benches, weather and conditions."""

from collections.abc import Sequence

from pokeTUI.battles.view import BattleView, Condition, Mon, Sheet, Side
from pokeTUI.draw.lines import Line, add_bar, beside
from pokeTUI.draw.theme import Ink
from pokeTUI.panes.creatures import health

_STATS = {
    "atk": "Atk",
    "def": "Def",
    "spa": "SpA",
    "spd": "SpD",
    "spe": "Spe",
    "accuracy": "Acc",
    "evasion": "Eva",
}
_STATUS_INKS = {"brn": Ink.bad, "tox": Ink.odd, "psn": Ink.odd, "frz": Ink.info, "slp": Ink.dim}
TALL, TALLEST, AIRY = 16, 19, 26
"""Rows from which each Pokémon gets a line more, and two; from which there is air between."""
_GENDERS = {"M": "♂", "F": "♀"}


def field_lines(view: BattleView, own: int, width: int, height: int) -> list[Line]:
    """Return the field, the opponent's half on top."""
    foe, mine = view.sides[1 - own], view.sides[own]
    if not view.turn and all(slot is None for side in view.sides for slot in side.active):
        return _preview_lines(foe, mine, width, height)
    depth = 5 if height >= TALLEST else 4 if height >= TALL else 3
    is_airy = height >= AIRY
    gap = [Line(width)] * is_airy
    lines = [
        *_half(foe, view.turn, width, depth, is_own=False, is_airy=is_airy),
        *gap,
        _middle(view, width),
        *gap,
        *_half(mine, view.turn, width, depth, is_own=True, is_airy=is_airy),
    ]
    return lines[:height]


def _preview_lines(foe: Side, mine: Side, width: int, height: int) -> list[Line]:
    """Return both teams side by side, with what the team sheets say."""
    middle = width // 2
    blocks = []
    for side, size, mark, ink in (
        (mine, middle - 1, "▲ ", Ink.accent),
        (foe, width - middle, "▼ ", Ink.bad),
    ):
        lines = [Line(size).add(mark, ink).add(side.player or "?", Ink.strong)]
        room = (height - 2) // max(1, len(side.team))
        for mon in side.team:
            sheet = side.sheet_of(mon.species)
            parts = (sheet.item, sheet.ability) if sheet else ()
            lines.append(Line(size).add(f"  {mon.species} ", Ink.text))
            lines[-1].add("/".join(mon.types), Ink.info)
            if room > 1:
                tera = f"Tera {sheet.tera}" if sheet and sheet.tera else ""
                text = " · ".join(part for part in (*parts, tera) if part)
                lines.append(Line(size).add("    ", Ink.dim).add(text, Ink.dim))
            if room > 2 and sheet:
                lines.append(Line(size).add("    ", Ink.dim).add(" · ".join(sheet.moves), Ink.dim))
        blocks.append(lines)
    title = Line(width).add("Team preview", Ink.strong)
    return [title, *beside(blocks[0], blocks[1], middle, width)][:height]


def _middle(view: BattleView, width: int) -> Line:
    """Return the line between the halves: what concerns both."""
    line = Line(width).add("──", Ink.faint)
    conditions = [one for one in (view.weather, *view.field) if one is not None]
    if view.winner is not None:
        text = f" {view.winner} won " if view.winner else " tie "
        line.add(" ", Ink.faint).add(text, Ink.badge).add(" ", Ink.faint)
    if conditions:
        line.add(" ", Ink.faint)
        _add_conditions(line, conditions, view.turn, Ink.info)
        line.add(" ", Ink.faint)
    return line.add("─" * line.room, Ink.faint)


def _half(
    side: Side, turn: int, width: int, depth: int, *, is_own: bool, is_airy: bool
) -> list[Line]:
    """Return a side, its active Pokémon next to the middle of the field."""
    head = Line(width).add("▲ " if is_own else "▼ ", Ink.accent if is_own else Ink.bad)
    head.add(side.player or "?", Ink.strong).add("  ", Ink.dim)
    _add_conditions(head, side.conditions, turn, Ink.info)
    middle = width // 2
    blocks = [
        _mon_lines(side.mon(slot), side, size, depth)
        for slot, size in ((0, middle - 2), (1, width - middle))
    ]
    pair = beside(blocks[0], blocks[1], middle, width)
    bench = _bench_rows(side, width) if is_airy else [_bench(side, width)]
    gap = [Line(width)] * is_airy
    return [*pair, *gap, *bench, head] if is_own else [head, *bench, *gap, *pair]


def _bench_rows(side: Side, width: int) -> list[Line]:
    """Return the bench in two columns, each Pokémon with its bar."""
    middle, lines = width // 2, []
    mons = side.bench()
    for start in range(0, 4, 2):
        cells = [_bench_cell(mon, middle - 2) for mon in mons[start : start + 2]]
        cells += [Line(0)] * (2 - len(cells))
        lines += beside(cells[:1], cells[1:], middle, width)
    return lines


def _bench_cell(mon: Mon, width: int) -> Line:
    line = Line(width).add("  ", Ink.dim)
    if mon.is_fainted:
        return line.add("✗ ", Ink.bad).add(mon.shown, Ink.dim)
    if not mon.is_seen:
        return line.add("○ ", Ink.dim).add(mon.shown, Ink.dim)
    ink, mark = health(mon.hp)
    line.add("● ", ink).add(mon.shown, Ink.text, 14).add(" ", Ink.dim)
    add_bar(line, mon.hp, min(16, line.room - 10), ink, Ink.faint)
    line.add(f"{_percent(mon):>4}{mark}", ink)
    return line.add(mon.status.upper(), _STATUS_INKS.get(mon.status, Ink.warn))


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
    sheet = side.sheet_of(mon.species)
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
        name = _STATS[stat]
        line.add(f"{name}{stage:+d} ", Ink.good if stage > 0 else Ink.bad)
    return line.add(" · ".join([*mon.effects, *mon.turn_effects]), Ink.warn)


def _held(mon: Mon, sheet: Sheet | None, width: int) -> Line:
    """Return item and ability, as far as they are known."""
    item = mon.item if mon.item is not None else sheet.item if sheet is not None else ""
    item = "no item" if mon.item == "" else item
    ability = mon.ability or (sheet.ability if sheet is not None else "")
    line = Line(width).add("  ", Ink.dim)
    return line.add(" · ".join(part for part in (item, ability) if part), Ink.dim)


def _percent(mon: Mon) -> str:
    """Return the health as figures: exact where it is known, else in percent."""
    if mon.hp_text and not mon.hp_text.endswith("/100") and "/" in mon.hp_text:
        return mon.hp_text
    return f"{max(1, round(100 * mon.hp)) if mon.hp else 0}%"
