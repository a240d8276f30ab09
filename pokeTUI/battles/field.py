"""Draw the field: both sides' active Pokémon, their benches, weather and conditions."""

from collections.abc import Sequence

from pokeTUI.battles.sheets import SIDE_MARKS, bench_mark
from pokeTUI.battles.view import BattleView, Condition, Mon, Side
from pokeTUI.draw.lines import Line, add_bar, beside, flow
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
Details = tuple[int, int]
"""Of the opponent's and of the own active Pokémon: 0 nothing more, 1 item and ability, 2 moves."""
_GENDERS = {"M": "♂", "F": "♀"}


def field_lines(
    view: BattleView, own: int, details: Sequence[Details], width: int, height: int
) -> list[Line]:
    """Return the field, the opponent's half on top, with the first details that there is room for.

    Args:
        view: The battle.
        own: The side below.
        details: How much is said of the active Pokémon, best first.
        width: Cells of a line.
        height: Lines that fit.
    """
    airy = [(one, True) for one in details[:1]]
    lines: list[Line] = []
    for one, is_airy in (*airy, *((one, False) for one in (*details, (0, 0)))):
        lines = _lines(view, own, one, width, is_airy=is_airy)
        if len(lines) <= height:
            break
    return lines[:height]


def _lines(
    view: BattleView, own: int, details: Details, width: int, *, is_airy: bool
) -> list[Line]:
    gap = [Line(width)] * is_airy
    foes = _pair(view.sides[1 - own], width, details[0])
    mine = _pair(view.sides[own], width, details[1])
    return [
        *_edge(view, 1 - own, width, is_own=False),
        *gap,
        *foes,
        *gap,
        _middle(view, width),
        *gap,
        *mine,
        *gap,
        *_edge(view, own, width, is_own=True),
    ]


def _middle(view: BattleView, width: int) -> Line:
    """Return the line between the halves: what concerns both."""
    line = Line(width).add("──", Ink.faint)
    if view.winner is not None:
        text = f" {view.winner} won " if view.winner else " tie "
        line.add(" ", Ink.faint).add(text, Ink.badge).add(" ", Ink.faint)
    shown = [one for one in (view.weather, *view.field) if one is not None]
    for conditions in flow(_conditions(shown, view.turn, width), line.room, Ink.info)[:1]:
        line.add(" ", Ink.faint).append(conditions).add(" ", Ink.faint)
    return line.add("─" * line.room, Ink.faint)


def _edge(view: BattleView, number: int, width: int, *, is_own: bool) -> list[Line]:
    """Return a side's name and conditions, and its bench."""
    side, (mark, ink) = view.sides[number], SIDE_MARKS[not is_own]
    name = Line(width).add(mark, ink).add(side.player or "?", Ink.strong)
    head = [name, *_conditions(side.conditions, view.turn, width)]
    bench = [_bench_entry(mon, width) for mon in side.bench()]
    rows = flow(["bench", *bench], width, Ink.dim, gap="  ", indent=2) if bench else []
    lines = flow(head, width, Ink.info, gap="  ")
    return [*rows, *lines] if is_own else [*lines, *rows]


def _pair(side: Side, width: int, details: int) -> list[Line]:
    """Return a side's two slots next to each other."""
    middle = width // 2
    blocks = [
        _mon_lines(side.mon(slot), side, size, details)
        for slot, size in ((0, middle - 2), (1, width - middle))
    ]
    return beside(blocks[0], blocks[1], middle, width)


def _conditions(conditions: Sequence[Condition], turn: int, width: int) -> list[Line]:
    entries = []
    for one in conditions:
        entries.append(Line(width).add(one.name, Ink.info))
        left = one.turns_left(max(1, turn)) or (f"×{one.layers}" if one.layers > 1 else "")
        entries[-1].add(f" {left}" * bool(left), Ink.strong)
    return entries


def _bench_entry(mon: Mon, width: int) -> Line:
    entry = bench_mark(Line(width), mon)
    entry.add(mon.shown, Ink.text if mon.is_seen and not mon.is_fainted else Ink.dim)
    if mon.is_seen and not mon.is_fainted:
        entry.add(f" {_percent(mon)}", health(mon.hp)[0])
        entry.add(f" {mon.status.upper()}" * bool(mon.status), _status_ink(mon))
    return entry


def _mon_lines(mon: Mon | None, side: Side, width: int, details: int) -> list[Line]:
    if mon is None:
        return [Line(width).add("  –", Ink.faint), *[Line(width)] * 2]
    head = Line(width).add("  ", Ink.text).add(mon.shown, Ink.dim if mon.is_fainted else Ink.strong)
    if mon.gender:
        head.add(_GENDERS[mon.gender], Ink.dim)
    if mon.species != mon.shown and mon.species.partition("-")[0] != mon.shown:
        head.add_whole(f" ({mon.species})", Ink.dim)
    types = Line(width).add("/".join(mon.types), Ink.info)
    if mon.tera:
        types = Line(width).add(f"◆Tera {mon.tera}", Ink.odd)
    if mon.is_mega:
        types.add(" Mega", Ink.odd)
    known = (side.facts(mon), side.moves(mon))[:details]
    rest = [line for names in known for line in flow(names, width, Ink.dim, indent=2)]
    heads = flow((head, types), width, Ink.info, gap=" ")
    return [*heads, _health(mon, width), *_state(mon, width), *rest]


def _health(mon: Mon, width: int) -> Line:
    line = Line(width).add("  ", Ink.text)
    if mon.is_fainted:
        return line.add("✗ fainted", Ink.bad)
    ink, mark = health(mon.hp)
    status = f" {mon.status.upper()}" if mon.status else ""
    figures = f"{_percent(mon):>4}{mark}"
    add_bar(line, mon.hp, min(40, line.room - len(figures) - len(status) - 2), ink, Ink.faint)
    line.add(figures, ink)
    return line.add(status, _status_ink(mon))


def _status_ink(mon: Mon) -> Ink:
    return _STATUS_INKS.get(mon.status, Ink.warn)


def _state(mon: Mon, width: int) -> list[Line]:
    """Return stat stages and what it is under; an empty line for nothing."""
    stages = [
        Line(width).add(f"{_STATS[stat]}{stage:+d}", Ink.good if stage > 0 else Ink.bad)
        for stat, stage in mon.boosts.items()
    ]
    parts: list[str | Line] = [*stages, *mon.effects, *mon.turn_effects]
    return flow(parts, width, Ink.warn, indent=2) or [Line(width)]


def _percent(mon: Mon) -> str:
    """Return the health as figures: exact where it is known, else in percent."""
    if mon.hp_text and not mon.hp_text.endswith("/100") and "/" in mon.hp_text:
        return mon.hp_text
    return f"{max(1, round(100 * mon.hp)) if mon.hp else 0}%"
