"""Draw team sheets: what each Pokémon holds and can do, whole at any width."""

from collections.abc import Container, Sequence

from pokeTUI.battles.view import BattleView, Mon, Side
from pokeTUI.draw.lines import Line, beside, flow
from pokeTUI.draw.theme import Ink
from pokeTUI.panes.creatures import health

SIDE_MARKS = (("▲ ", Ink.accent), ("▼ ", Ink.bad))
"""Before the name of the side that is watched, and of its opponent."""

_LEAST_WIDTH = 40
"""Of a team's sheet beside another one."""


def sheet_lines(
    view: BattleView,
    numbers: Sequence[int],
    own: int,
    leads: Container[tuple[int, str]],
    size: tuple[int, int],
) -> list[Line]:
    """Return the sheets of some sides, side by side or stacked, whichever takes fewer lines.

    Where not even one team fits, they have no moves. `leads` are sides and nicknames of those that
    were sent out first.
    """
    width, height = size
    has_moves = height > 2 * max((len(view.sides[number].team) for number in numbers), default=0)

    def team(number: int, width: int) -> list[Line]:
        side = view.sides[number]
        lines = [_head(side, width, is_own=number == own)] if side.team else []
        for mon in side.team:
            lines += _mon_lines(side, mon, (number, mon.name) in leads, width)
            lines += flow(side.moves(mon), width, Ink.dim, indent=2) if has_moves else []
        return lines

    stacked = [line for number in numbers for line in team(number, width)]
    if len(numbers) < 2 or width < 2 * _LEAST_WIDTH:
        return stacked
    middle = width // 2
    halves = [team(number, middle - 1) for number in numbers]
    return min(beside(halves[0], halves[1], middle, width), stacked, key=len)


def _head(side: Side, width: int, *, is_own: bool) -> Line:
    mark, ink = SIDE_MARKS[not is_own]
    head = Line(width).add(mark, ink).add(side.player or "?", Ink.strong)
    brought = f"  {side.brought} of {len(side.team)} brought"
    return head.add_whole(brought if side.brought else "", Ink.dim)


def _mon_lines(side: Side, mon: Mon, is_lead: bool, width: int) -> list[Line]:
    """Return a Pokémon and what it holds, in one line if that fits."""
    name = bench_mark(Line(width), mon).add(mon.shown, Ink.dim if mon.is_fainted else Ink.text)
    name.add(" lead" if is_lead else "", Ink.key)
    head = flow((name, "/".join(mon.types)), width, Ink.info, gap=" ")
    rest = flow(side.facts(mon), width, Ink.dim, indent=2)
    if len(head) == len(rest) == 1 and head[0].used + rest[0].used <= width:
        return [head[0].append(rest[0])]
    return [*head, *rest]


def bench_mark(line: Line, mon: Mon) -> Line:
    """Add a sign for whether a Pokémon has fainted, was sent out, or not."""
    if mon.is_fainted:
        return line.add("✗ ", Ink.bad)
    return line.add("● ", health(mon.hp)[0]) if mon.is_seen else line.add("○ ", Ink.dim)
