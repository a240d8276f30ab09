"""Where the player is and with whom."""

from engine.types import Creature, Facing, GameState
from pokeTUI.panes.pane import Pane, empty
from pokeTUI.rendering.lines import Line, add_bar, shorten
from pokeTUI.state import DashboardState
from pokeTUI.theme import Ink

_LABEL = 7
_VERSUS = "versus"
_WIDE = 44
_TWO_COLUMNS = 50
_ARROWS = {Facing.UP: "↑", Facing.DOWN: "↓", Facing.LEFT: "←", Facing.RIGHT: "→"}


class PartyPane(Pane):
    """Place, goal, milestones, badges and money, the party, and who is fought."""

    def parts(self, state: DashboardState) -> tuple[object, ...]:
        """Return what the pane depends on."""
        return (state.game, state.run)

    def lines(self, state: DashboardState, width: int, height: int) -> list[Line]:
        """Return what there is room for, the most telling lines first."""
        if state.game is None:
            return empty("The game is about to start.", width)
        game = state.game.state
        goal = state.game.goal
        lines = [_place(game, width)]
        lines.append(
            Line(width)
            .add("goal", Ink.dim, _LABEL)
            .add(goal.text if goal else "none yet", Ink.text)
        )
        lines_below = 1 + (game.battle is not None)
        spare = height - len(lines) - lines_below - max(1, len(game.party))
        lines += _milestones(state, width, max(1, spare))
        lines.append(_belongings(game, width))
        if game.battle is not None:
            lines.append(_battle(game, width))
        return lines + _party(game.party, width, height - len(lines))


def _party(party: tuple[Creature, ...], width: int, room: int) -> list[Line]:
    """Return a line for each creature, or for two where there is not enough room."""
    if not party:
        return [Line(width).add("party", Ink.dim, _LABEL).add("nobody yet", Ink.dim)]
    if len(party) <= room:
        return [
            _creature("party" if index == 0 else "", creature, width)
            for index, creature in enumerate(party)
        ]
    if width < _TWO_COLUMNS:
        shown = [_creature("", creature, width) for creature in party[: max(0, room - 1)]]
        hidden = len(party) - len(shown)
        return [*shown, Line(width).add(f"and {hidden} more", Ink.dim)]
    half = (width - 1) // 2
    lines = []
    for index in range(0, len(party), 2):
        line = Line(width)
        for creature in party[index : index + 2]:
            line.append(_creature("", creature, half)).skip_to(half + 1)
        lines.append(line)
    return lines


def _place(game: GameState, width: int) -> Line:
    place = game.place
    at = f" {place.x},{place.y} {_ARROWS[place.facing]}"
    is_wide = width >= _WIDE
    line = Line(width).add("place", Ink.dim, _LABEL)
    line.add(shorten(place.name, line.room - len(at)), Ink.strong)
    line.add(f"  x {place.x} y {place.y} {_ARROWS[place.facing]}" if is_wide else at, Ink.text)
    return line.add_whole(f"  {place.environment}", Ink.dim)


def _milestones(state: DashboardState, width: int, room: int) -> list[Line]:
    """Tick the milestones: all by name if there is room, else the next one by name."""
    reached = state.game.milestones if state.game else frozenset[str]()
    known = state.run.milestones if state.run else ()
    if not known:
        return [
            Line(width).add("done", Ink.dim, _LABEL).add(f"{len(reached)} milestones", Ink.text)
        ]
    if room >= (len(known) + 1) // 2 and width >= 60:
        return _milestone_grid(known, reached, width)
    if room > len(known):
        return [
            _tick(
                Line(width).add("done" if index == 0 else "", Ink.dim, _LABEL), text, key in reached
            )
            for index, (key, text) in enumerate(known)
        ]
    line = Line(width).add("done", Ink.dim, _LABEL)
    for key, _ in known:
        line.add("✓" if key in reached else "·", Ink.good if key in reached else Ink.dim)
    line.add(f" {len(reached)}/{len(known)}", Ink.text)
    following = next((text for key, text in known if key not in reached), "")
    return [line.add(f"  next: {following}" if following else "  all done", Ink.dim)]


def _milestone_grid(
    known: tuple[tuple[str, str], ...], reached: frozenset[str], width: int
) -> list[Line]:
    """Tick the milestones in two columns, read downwards."""
    half = (len(known) + 1) // 2
    column = (width - _LABEL) // 2
    lines = []
    for index in range(half):
        line = Line(width).add("done" if index == 0 else "", Ink.dim, _LABEL)
        for key, text in known[index::half]:
            cell = _tick(Line(column - 1), text, key in reached)
            line.append(cell).skip_to(line.used + 1 + cell.room)
        lines.append(line)
    return lines


def _tick(line: Line, text: str, is_reached: bool) -> Line:
    line.add("✓ " if is_reached else "· ", Ink.good if is_reached else Ink.dim)
    return line.add(text, Ink.text if is_reached else Ink.dim)


def _belongings(game: GameState, width: int) -> Line:
    line = Line(width).add("badges", Ink.dim, _LABEL)
    for index in range(8):
        has_badge = bool(game.badges[0] >> index & 1)
        line.add("◆" if has_badge else "◇", Ink.warn if has_badge else Ink.faint)
    if game.badges[1]:
        line.add(f" +{game.badges[1].bit_count()}", Ink.warn)
    line.add(f"  money {game.money:,}", Ink.text)
    return line.add_whole(f"  caught {game.caught}", Ink.dim).add_whole(
        f"  seen {game.seen}", Ink.dim
    )


def _battle(game: GameState, width: int) -> Line:
    battle = game.battle
    assert battle is not None
    if battle.enemy is None:
        return (
            Line(width).add(_VERSUS, Ink.bad, _LABEL).add(f"{battle.kind.value} battle", Ink.text)
        )
    return _creature(_VERSUS, battle.enemy, width, label_ink=Ink.bad)


def _creature(label: str, creature: Creature, width: int, label_ink: Ink = Ink.dim) -> Line:
    """Return name, level, health bar, health and status; a mark says what the colour says."""
    is_wide = width >= _WIDE
    line = Line(width)
    if is_wide:
        line.add(label, label_ink, _LABEL)
    elif label == _VERSUS:
        line.add("vs ", label_ink)
    fraction = creature.hp / creature.max_hp if creature.max_hp else 0.0
    ink, mark = health(fraction)
    status = creature.status[:3] if creature.hp else "out"
    line.add(creature.name, Ink.text, 11 if is_wide else 10 if width > 30 else 9)
    if is_wide or not status:
        line.add(f"L{creature.level:<3}", Ink.dim)
    else:
        line.add(f"{status} ", Ink.bad, 4)
    figures = f"{creature.hp:>3}/{creature.max_hp:<3}"
    room = line.room - len(figures) - 1 - (4 if is_wide else 0)
    add_bar(line, fraction, max(3, min(24, room)), ink, Ink.faint)
    line.add(mark, ink).add(figures, Ink.text)
    return line.add(f" {status}", Ink.bad) if is_wide and status else line


def health(fraction: float) -> tuple[Ink, str]:
    """Return the ink of a health bar and the mark that says the same without colour."""
    if fraction > 0.5:
        return Ink.good, " "
    if fraction > 0.2:
        return Ink.warn, " "
    return Ink.bad, "!"
