"""Draw the milestones, reached and still ahead: in a line or two, or as a list."""

from collections.abc import Set as AbstractSet

from rich.cells import cell_len

from engine.events import GameObserved
from engine.ground.text import counted
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.draw.lines import Line, add_bar, wrap
from pokeTUI.draw.theme import Ink
from pokeTUI.panes.creatures import LABEL

Named = tuple[tuple[str, str], ...]
"""Milestones: key and text, in order."""

_MOST_TICKS = 16
"""Milestones that have a mark each; more of them share a bar."""
_GRID = 60
"""Cells from which two columns of names have room."""


def milestone_lines(state: DashboardState, width: int, room: int) -> list[Line]:
    """Tick the milestones on the way to the goal: by name if there is room, else only the next."""
    reached = state.game.milestones if state.game else frozenset[str]()
    if state.run is None or not state.run.milestones:
        return [
            Line(width)
            .add("done", Ink.dim, LABEL)
            .add(counted(len(reached), "milestone"), Ink.text)
        ]
    known = state.run.milestones
    way = known[: _way_size(known, state.game)]
    is_column = room > len(way)
    is_grid = not is_column and room >= (len(way) + 1) // 2 and width >= _GRID
    if not is_grid and not is_column:
        goal = state.game.goal.text if state.game and state.game.goal else ""
        return _next(known, len(way), reached, goal, width, room)
    lines = _grid(way, reached, width) if is_grid else _column(way, reached, width)
    if len(way) < len(known) and len(lines) < room:
        total = Line(width).add("", Ink.dim, LABEL).add(_in_game(known, reached), Ink.dim)
        lines.append(total.add_whole(", m lists them", Ink.dim))
    return lines


def milestone_list(
    known: Named, game: GameObserved, width: int, height: int, scrolled: int
) -> tuple[list[Line], int]:
    """List all milestones around the next one, those beyond the goal under a heading of their own.

    `scrolled` is how far the user has scrolled from there; it is returned limited to the list.
    """
    reached, size = game.milestones, _way_size(known, game)
    head = Line(width).add(f"{_count(known[:size], reached)} of {size} milestones", Ink.strong)
    if size < len(known):
        head.add_whole(" to the goal", Ink.strong)
        head.add_whole(f", {_in_game(known, reached)}", Ink.dim)
    following = _following(known, reached)
    rows = []
    at = 0
    for index, (key, text) in enumerate(known):
        if index == size:
            rows.append(Line(width).add("beyond the goal", Ink.dim))
        parts = wrap(text, width - 2, 2)
        ink = Ink.text if key in reached else Ink.dim
        head_line = _tick(Line(width), parts[0], key in reached)
        if index == following:
            at, ink = len(rows), Ink.strong
            head_line = Line(width).add("► ", Ink.accent).add(parts[0], ink)
        rows += [head_line, *(Line(width).add("  ", ink).add(part, ink) for part in parts[1:])]
    if following == len(known):
        at = len(rows)
    room = max(0, height - 1)
    last = max(0, len(rows) - room)
    middle = max(0, min(last, at - room // 2))
    first = max(0, min(last, middle + scrolled))
    return [head, *rows[first : first + room]], first - middle


def _way_size(known: Named, game: GameObserved | None) -> int:
    """Return how many milestones, the first ones, lead to the goal; all where none is known."""
    final = game.final_milestone if game is not None else ""
    return next((n for n, (key, _) in enumerate(known, 1) if key == final), len(known))


def _following(known: Named, reached: AbstractSet[str]) -> int:
    """Return the index of the first milestone that is not reached."""
    return next((i for i, (key, _) in enumerate(known) if key not in reached), len(known))


def _count(known: Named, reached: AbstractSet[str]) -> int:
    return sum(key in reached for key, _ in known)


def _in_game(known: Named, reached: AbstractSet[str]) -> str:
    return f"{_count(known, reached)} of {len(known)} in the game"


def _next(
    known: Named, size: int, reached: AbstractSet[str], goal: str, width: int, room: int
) -> list[Line]:
    """Count the milestones and name the next one: beside the ticks, below or instead of them.

    If that is the goal, it is left out: the line above names it.
    """
    way = known[:size]
    line = Line(width).add("done", Ink.dim, LABEL)
    if size <= _MOST_TICKS:
        for key, _ in way:
            line.add("✓" if key in reached else "·", Ink.good if key in reached else Ink.dim)
    else:
        add_bar(line, _count(way, reached) / size, _MOST_TICKS // 2, Ink.good, Ink.faint)
    count = f"{_count(way, reached)}/{size}"
    line.add(f" {count}", Ink.text)
    total = f"  game {_count(known, reached)}/{len(known)}" if size < len(known) else ""
    at = _following(known, reached)
    following = known[at][1] if at < len(known) else ""
    if following and following == goal:
        return [line.add_whole(total, Ink.dim)]
    text = f"  next: {following}" if following else "  all done"
    if cell_len(text) <= line.room:
        return [line.add(text, Ink.dim).add_whole(total, Ink.dim)]
    if room > 1:
        line.add_whole(total, Ink.dim)
        return [line, Line(width).add("next", Ink.dim, LABEL).add(following, Ink.dim)]
    short = Line(width).add("done", Ink.dim, LABEL).add(count, Ink.text)
    if cell_len(text) <= short.room:
        return [short.add(text, Ink.dim)]
    return [line.add_whole(total, Ink.dim)]  # the goal above says as much as the next milestone


def _grid(way: Named, reached: AbstractSet[str], width: int) -> list[Line]:
    """Tick the milestones in two columns, read downwards."""
    half = (len(way) + 1) // 2
    column = (width - LABEL) // 2
    lines = []
    for index in range(half):
        line = Line(width).add("done" if index == 0 else "", Ink.dim, LABEL)
        for key, text in way[index::half]:
            cell = _tick(Line(column - 1), text, key in reached)
            line.append(cell).skip_to(line.used + 1 + cell.room)
        lines.append(line)
    return lines


def _column(way: Named, reached: AbstractSet[str], width: int) -> list[Line]:
    """Tick the milestones one below the other."""
    return [
        _tick(Line(width).add("done" if index == 0 else "", Ink.dim, LABEL), text, key in reached)
        for index, (key, text) in enumerate(way)
    ]


def _tick(line: Line, text: str, is_reached: bool) -> Line:
    line.add("✓ " if is_reached else "· ", Ink.good if is_reached else Ink.dim)
    return line.add(text, Ink.text if is_reached else Ink.dim)
