"""Show where the player is, and the party."""

from enum import StrEnum
from typing import ClassVar

from engine.events import GameObserved
from engine.ground.text import printable
from engine.types import Battle, Creature, Facing, GameState
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.draw.layout import GAME_STATE, PaneInfo
from pokeTUI.draw.lines import Line, beside, labelled, shorten
from pokeTUI.draw.theme import Ink
from pokeTUI.panes.creatures import LABEL, VERSUS, WIDE, battle_lines, creature_line, move_lines
from pokeTUI.panes.milestones import Named, milestone_lines, milestone_list
from pokeTUI.panes.mini_map import map_lines
from pokeTUI.panes.pane import Pane, PaneKey, empty
from pokeTUI.panes.world_map import WorldMap

_TWO_COLUMNS = 50
_BESIDE = 52
"""Cells from which the map has room beside the facts."""
_LIST_BESIDE = 100
"""Cells from which the list of milestones fits beside the facts; below, it is shown alone."""
_MIN_MAP = 5
"""Fewest rows in which a map is drawn."""
_ARROWS = {Facing.UP: "↑", Facing.DOWN: "↓", Facing.LEFT: "←", Facing.RIGHT: "→"}


class Zoom(StrEnum):
    """How much of the world the map shows."""

    MAP = "this map"
    NEIGHBOURS = "nearby maps"
    REGION = "the region"


class PartyPane(Pane):
    """Place, goal, milestones, badges and money, the party, and the map or who is fought."""

    INFO: ClassVar[PaneInfo] = PaneInfo(
        "party", "Party and place", needs=GAME_STATE, rows=(10, 14, 15), column=1, appetite=1
    )

    PARTS = ("game", "run", "world")
    KEYS: ClassVar[tuple[PaneKey, ...]] = (
        PaneKey(("z",), "zoom", "z", "map", "Show this map, nearby maps, or the region."),
        PaneKey(("m",), "milestones", "m", "milestones", "List the milestones, or show the map."),
        PaneKey(("up", "k"), "up", "↑/k", "", "Scroll the milestones up."),
        PaneKey(("down", "j"), "down", "↓/j", "", "Scroll the milestones down."),
        PaneKey(("pageup",), "page_up", "pgup", "", "Scroll them up by ten."),
        PaneKey(("pagedown",), "page_down", "pgdn", "", "Scroll them down by ten."),
    )
    _STEPS: ClassVar[dict[str, int]] = {"up": -1, "down": 1, "page_up": -10, "page_down": 10}

    def __init__(self) -> None:
        super().__init__()
        self._zoom = Zoom.MAP
        self._world = WorldMap(())
        self._lists = False
        self._scrolled = 0

    def act(self, name: str) -> None:
        """Zoom the map, or list the milestones and scroll them."""
        match name:
            case "zoom":
                zooms = tuple(Zoom)
                self._zoom = zooms[(zooms.index(self._zoom) + 1) % len(zooms)]
                self._lists = False
            case "milestones":
                self._lists, self._scrolled = not self._lists, 0
            case _ if self._lists:
                self._scrolled += self._STEPS[name]
        self.border_subtitle = "" if self._zoom is Zoom.MAP or self._lists else self._zoom.value
        self.redraw()

    def lines(self, state: DashboardState, width: int, height: int) -> list[Line]:
        """Return the facts, with the map beside or below them where there is room for it."""
        if state.game is None:
            return empty("The game is about to start.", width)
        if self._lists and width < _LIST_BESIDE and state.run is not None:
            return self._milestones(state.run.milestones, state.game, width, height)
        if width >= _BESIDE and height >= _MIN_MAP:
            left = max(31, min(66, width * 11 // 20 if width < 70 else width * 2 // 5))
            facts = _facts(state, state.game, left, height, is_listed=True)[:height]
            scene = self._scene(state, state.game, width - left - 2, height)
            return beside(facts, scene, left + 2, width)
        # Place, goal and milestones take a line each, and one parts the facts from the map.
        game = state.game.state
        room = height - 4 - len(_belongings(game, width)) - _party_rows(game)
        if room < _MIN_MAP:
            lines = _facts(state, state.game, width, height, is_listed=True, has_battle=True)
            return lines[:height]
        facts = _facts(state, state.game, width, height - room, is_listed=False)
        scene = self._scene(state, state.game, width, height - len(facts) - 1)
        return [*facts, Line(width), *scene]

    def _scene(
        self, state: DashboardState, game: GameObserved, width: int, height: int
    ) -> list[Line]:
        """Draw the milestones, the battle, or else the map."""
        if self._lists and state.run is not None:
            return self._milestones(state.run.milestones, game, width, height)
        if game.state.battle is not None:
            return battle_lines(game.state.battle, width, height)
        if self._zoom is Zoom.MAP:
            return map_lines(game, width, height)
        if self._world.outlines is not state.world:
            self._world = WorldMap(state.world)
        return self._world.lines(game, width, height, is_whole=self._zoom is Zoom.REGION)

    def _milestones(self, known: Named, game: GameObserved, width: int, height: int) -> list[Line]:
        lines, self._scrolled = milestone_list(known, game, width, height, self._scrolled)
        return lines


def _facts(
    state: DashboardState,
    game: GameObserved,
    width: int,
    height: int,
    *,
    is_listed: bool,
    has_battle: bool = False,
) -> list[Line]:
    """Return what there is room for, the most important lines first.

    Milestones are listed by name only if `is_listed`, and only with `has_battle` who is fought.
    """
    now = game.state
    last = _belongings(now, width)
    if has_battle and now.battle is not None:
        last.append(_battle(now.battle, width))
    spare = height - 2 - len(last) - _party_rows(now)
    goal = printable(game.goal.text) if game.goal else "none yet"
    ink = Ink.text if game.goal else Ink.dim
    lines = [_place(now, width)]
    lines += labelled("goal", goal, ink, width, LABEL, 2 if is_listed and spare > 1 else 1)
    spare = height - len(lines) - len(last) - _party_rows(now)
    lines += milestone_lines(state, width, max(1, spare) if is_listed else 1)
    lines += last
    if not now.party:
        nobody = Line(width).add("party", Ink.dim, LABEL).add("nobody yet", Ink.dim)
        return [*lines, nobody] if _has_species(now) else lines
    return lines + _party(now.party, width, height - len(lines))


def _has_species(game: GameState) -> bool:
    """Return whether it is a game of creatures, badges and money, though none may be there yet."""
    return bool(game.caught_flags)  # one bit a species, none of another game


def _party_rows(game: GameState) -> int:
    return len(game.party) or int(_has_species(game))


def _party(party: tuple[Creature, ...], width: int, room: int) -> list[Line]:
    """Return a line for each creature, or for two where there is not enough room."""
    knows = [move_lines(creature, width - LABEL) for creature in party]
    if any(knows) and width >= WIDE and len(party) + sum(len(moves) + 1 for moves in knows) <= room:
        return [
            line
            for creature, moves in zip(party, knows, strict=True)
            for line in (
                Line(width),
                creature_line("", creature, width),
                *(Line(width).skip_to(LABEL).append(move) for move in moves),
            )
        ]
    if len(party) <= room:
        return [
            creature_line("party" if index == 0 else "", creature, width)
            for index, creature in enumerate(party)
        ]
    if width < _TWO_COLUMNS:
        shown = [creature_line("", creature, width) for creature in party[: max(0, room - 1)]]
        hidden = len(party) - len(shown)
        return [*shown, Line(width).add(f"and {hidden} more", Ink.dim)]
    half = (width - 1) // 2
    lines = []
    for index in range(0, len(party), 2):
        line = Line(width)
        for creature in party[index : index + 2]:
            line.append(creature_line("", creature, half)).skip_to(half + 1)
        lines.append(line)
    return lines


def _place(game: GameState, width: int) -> Line:
    place = game.place
    at = f" {place.x},{place.y} {_ARROWS[place.facing]}"
    is_wide = width >= WIDE
    line = Line(width).add("place", Ink.dim, LABEL)
    line.add(shorten(printable(place.name), line.room - len(at)), Ink.strong)
    line.add(f"  x {place.x} y {place.y} {_ARROWS[place.facing]}" if is_wide else at, Ink.text)
    return line.add_whole(f"  {place.environment}", Ink.dim)


def _belongings(game: GameState, width: int) -> list[Line]:
    """Return badges, money and species, as far as the game has them; [] if it has none.

    They take a line, or two where the money does not fit behind the badges.
    """
    has_species = _has_species(game)
    line = Line(width)
    if has_species or game.badge_count:
        line.add("badges", Ink.dim, LABEL)
        for index in range(8):
            has_badge = bool(game.badges[0] >> index & 1)
            line.add("◆" if has_badge else "◇", Ink.warn if has_badge else Ink.faint)
    if game.badges[1]:
        line.add(f" +{game.badges[1].bit_count()}", Ink.warn)
    before = []
    if has_species or game.money:
        money = f"  money {game.money:,}"
        if len(money) > line.room:
            before, line = [line], Line(width).add("money", Ink.dim, LABEL)
            money = f"{game.money:,}"
        line.add(money, Ink.text)
    if has_species:
        line.add_whole(f"  caught {game.caught}", Ink.dim)
        line.add_whole(f"  seen {game.seen}", Ink.dim)
    return [*before, line] if line.used else []


def _battle(battle: Battle, width: int) -> Line:
    if battle.enemy is None:
        return Line(width).add(VERSUS, Ink.bad, LABEL).add(f"{battle.kind.value} battle", Ink.text)
    return creature_line(VERSUS, battle.enemy, width, label_ink=Ink.bad)
