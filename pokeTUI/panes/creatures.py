"""Draw creatures: a line of a party, a half of a battle."""

from engine.ground.text import printable
from engine.types import Battle, Creature
from pokeTUI.draw.lines import Line, add_bar
from pokeTUI.draw.theme import Ink

LABEL = 7
"""Cells of the labels on the left, where there is room for them."""
WIDE = 44
VERSUS = "versus"


def health(fraction: float) -> tuple[Ink, str]:
    """Return the ink of a health bar and the mark that says the same without colour."""
    if fraction > 0.5:
        return Ink.good, " "
    if fraction > 0.2:
        return Ink.warn, " "
    return Ink.bad, "!"


def creature_line(label: str, creature: Creature, width: int, label_ink: Ink = Ink.dim) -> Line:
    """Return name, level, health bar, health and status; a mark says what the colour says."""
    is_wide = width >= WIDE
    line = Line(width)
    if is_wide:
        line.add(label, label_ink, LABEL)
    elif label == VERSUS:
        line.add("vs ", label_ink)
    fraction = _share(creature)
    ink, mark = health(fraction)
    status = creature.status[:3] if creature.hp else "out"
    has_beside = bool(status) and not is_wide
    line.add(printable(creature.name), Ink.text, 11 if is_wide else 10 if width > 30 else 9)
    line.add(f"L{creature.level} " if has_beside else f"L{creature.level:<3}", Ink.dim)
    if has_beside:
        line.add(f"{status} ", Ink.bad)
    figures = f"{creature.hp:>3}/{creature.max_hp:<3}"
    room = line.room - len(figures) - 1 - (4 if is_wide else 0)
    if room >= 3 or not has_beside:
        add_bar(line, fraction, max(3, min(24, room)), ink, Ink.faint)
    line.add(mark, ink).add(figures, Ink.text)
    return line.add(f" {status}", Ink.bad) if is_wide and status else line


def battle_lines(battle: Battle, width: int, height: int) -> list[Line]:
    """Draw a battle large: both sides with thick bars, and the own moves."""
    title = f"{battle.kind.value} battle"
    if battle.trainer_name:
        name = printable(battle.trainer_name)
        long = f"{title} against {name}"
        title = long if len(long) <= width else f"against {name}"
    lines = [Line(width).add(title, Ink.bad)]
    thickness = 2 if height >= 14 else 1
    gap = [Line(width)] if height >= 8 else []
    for creature, absent in (
        (battle.enemy, "nobody is sent out yet"),
        (battle.own, "you have sent nobody out yet"),
    ):
        lines += gap
        if creature is None:
            lines.append(Line(width).add(absent, Ink.dim))
        else:
            lines += _side(creature, width, thickness)
    if battle.own is not None and battle.own.moves and height - len(lines) > len(gap):
        lines += [*gap, *move_lines(battle.own, width)]
    return lines[:height]


def _side(creature: Creature, width: int, thickness: int) -> list[Line]:
    """Return one side of a battle: name, level and status over a thick bar."""
    fraction = _share(creature)
    ink, mark = health(fraction)
    status = creature.status if creature.hp else "out"
    figures = f"{mark}{creature.hp:>3}/{creature.max_hp}"
    head = Line(width).add(printable(creature.name), Ink.strong)
    head.add(f"  L{creature.level}", Ink.dim).add(f"  {status}" if status else "", Ink.bad)
    cells = max(4, min(60, width - len(figures) - 1))
    filled = max(1 if creature.hp else 0, round(fraction * cells))
    bar = Line(width).add("█" * filled, ink).add("░" * (cells - filled), Ink.faint)
    first = Line(width).append(bar).add(figures, Ink.text)
    return [head, first, *[bar] * (thickness - 1)]


def move_lines(creature: Creature, width: int) -> list[Line]:
    """Return the moves and how often each can still be used, two a line where there is room."""
    column = max(18, (min(width, 64) - 1) // 2)
    each_line = 2 if width >= 2 * 18 + 1 else 1
    lines = []
    for index in range(0, len(creature.moves), each_line):
        line = Line(width)
        for place, move in enumerate(creature.moves[index : index + each_line]):
            line.skip_to(place * (column + 1))
            ink = Ink.text if move.points else Ink.bad
            line.add(printable(move.name) or f"move {move.id}", ink, column - 4)
            line.add(
                f"{move.points:>3}" if move.points else "  !", ink if ink is Ink.bad else Ink.dim
            )
        lines.append(line)
    return lines


def _share(creature: Creature) -> float:
    return creature.hp / creature.max_hp if creature.max_hp else 0.0
