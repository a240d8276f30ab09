"""A player that sees only RAM: finds its way on the collision grid, talks, fights, wins the badge.

The walkthrough test gives it a written route; the soak test lets it win from wherever random
buttons left the game.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from engine.games.catalog import load_game
from engine.types import MapId
from engine.wayfinding.world_map import WorldMap
from tests.engine.games.images import PRACTICE
from tests.roms.first_act import (
    DIRECTIONS,
    PATIENCE,
    Cell,
    FirstActPlayer,
    MapKey,
    StuckError,
    cheapest_path,
)
from tests.roms.machine import Machine

FACING = {"down": 0, "up": 4, "left": 8, "right": 12}
EDGES = {"north": "up", "south": "down", "west": "left", "east": "right"}
GRASS, CARPET, HOP = 0x18, 0x70, 0xA3
WALLS = frozenset((0x07, 0x12, *range(0x20, 0x40), *range(0x90, 0xA0), 0xFF))
OBJECTS, OBJECT_SIZE = 12, 40
_STEP_DURATION = 10
MAP_NUMBERS = {title: key for key, title in PRACTICE.MAPS.items()}
WORLD = WorldMap.of(load_game())


def map_of(title: str) -> MapKey:
    """Return the map's group and number."""
    return MAP_NUMBERS[title]


@dataclass(frozen=True, slots=True)
class Grid:
    """Collision ids of the current map."""

    width: int
    height: int
    cells: dict[Cell, int]

    @classmethod
    def read(cls, game: Machine) -> "Grid":
        width, height = game.get("wMapWidth"), game.get("wMapHeight")
        blocks = game.read("wOverworldMapBlocks", 0, (width + 6) * (height + 6))
        bank = game.get("wTilesetCollisionBank")
        address = int.from_bytes(game.read("wTilesetCollisionAddress"), "little")
        cells = {}
        for y in range(-1, height * 2 + 1):
            for x in range(-1, width * 2 + 1):
                block = blocks[(width + 6) * ((y + 6) // 2) + (x + 6) // 2]
                place = address + 4 * block + (x & 1) + 2 * (y & 1)
                cells[x, y] = game.rom_bytes(bank, place, 1)[0]
        return cls(width * 2, height * 2, cells)

    def inside(self, cell: Cell) -> bool:
        return 0 <= cell[0] < self.width and 0 <= cell[1] < self.height


def objects(game: Machine) -> dict[Cell, tuple[int, int]]:
    """Return where people are, on their way too: cell -> (sprite, map object index)."""
    raw = game.read("wObject1Struct", 0, OBJECTS * OBJECT_SIZE)
    found = {}
    for start in range(0, OBJECTS * OBJECT_SIZE, OBJECT_SIZE):
        one = raw[start : start + OBJECT_SIZE]
        if one[0]:
            found[one[16] - 4, one[17] - 4] = (one[0], one[1])
        if one[0] and one[_STEP_DURATION]:
            found[one[18] - 4, one[19] - 4] = (one[0], one[1])
    return found


def warps(game: Machine) -> dict[Cell, MapKey]:
    """Return the current map's warps: cell -> target map."""
    count = game.get("wCurMapWarpEventCount")
    address = int.from_bytes(game.read("wCurMapWarpEventsPointer"), "little")
    raw = game.rom_bytes(game.get("wMapScriptsBank"), address, 5 * count)
    rows = [raw[i : i + 5] for i in range(0, 5 * count, 5)]
    return {(row[1], row[0]): (row[3], row[4]) for row in rows}


class Player(FirstActPlayer):
    """Plays the practice game by RAM."""

    def __init__(self, game: Machine, grass_cost: int = 4) -> None:
        super().__init__(game, grass_cost)
        self._in_battle = False
        self._grids: dict[MapKey, Grid] = {}

    # ---- small things ----------------------------------------------------------------------

    def settle(self) -> None:
        game = self.game
        for _ in range(PATIENCE):
            if game.is_free:
                self._in_battle = False
                return
            if game.get("wBattleMode"):
                self.battle_action()
            else:
                is_in_text = game.get("wScriptRunning") == 255 or game.get("wWindowStackSize")
                game.act("b" if is_in_text else "")
        raise StuckError(f"never free again: {self.where()}")

    def where(self) -> str:
        game = self.game
        text = "\n".join(line for line in game.lines if line.strip())
        return f"{PRACTICE.MAPS.get(game.map_key)} {game.position}, {game.actions} actions\n{text}"

    def face(self, button: str) -> None:
        for _ in range(8):
            if self.game.get("wPlayerDirection") & 12 == FACING[button]:
                return
            self.game.act(button)
            self.settle()

    def step(self, button: str) -> None:
        self.game.act(button)
        if not self.game.is_free:
            self.settle()

    def choose(self, index: int) -> None:
        """Take the entry `index` (0-based) of the open one-column menu."""
        game = self.game
        for _ in range(20):
            at = game.get("wMenuCursorY") - 1
            if at == index:
                game.act("a")
                return
            game.act("" if at < 0 else "down" if at < index else "up")
        raise StuckError(f"no menu entry {index}: {self.where()}")

    def wait_for_menu(self, button: str = "a") -> None:
        """Press on until a menu takes input."""
        for _ in range(PATIENCE):
            if self.game.get("wMenuCursorY"):
                return
            self.game.act(button)
        raise StuckError(f"no menu came: {self.where()}")

    # ---- walking ---------------------------------------------------------------------------

    def grid(self) -> Grid:
        key = self.game.map_key
        if key not in self._grids:
            self._grids[key] = Grid.read(self.game)
        return self._grids[key]

    def neighbours(self, at: Cell, blocked: Iterable[Cell]) -> list[tuple[str, Cell, int]]:
        """Return (button, next cell, cost) of every possible step."""
        grid, found = self.grid(), []
        taken = set(blocked)
        for button, (dx, dy) in DIRECTIONS.items():
            to = at[0] + dx, at[1] + dy
            if button == "down" and grid.cells[at] == HOP:
                to = at[0], at[1] + 2
            if not grid.inside(to) or to in taken or grid.cells[to] in WALLS:
                continue
            found.append((button, to, self.grass_cost if grid.cells[to] == GRASS else 1))
        return found

    def path(self, goals: set[Cell], blocked: Iterable[Cell] | None = None) -> list[str]:
        """Return the cheapest buttons to one of the goals, empty if there is none.

        Args:
            blocked: Where one cannot go; None: people, and warps that are not wanted.
        """
        start = self.game.position
        taken = set(self.blocked_cells(goals) if blocked is None else blocked) - {start}
        return cheapest_path(start, goals, lambda at: self.neighbours(at, taken))

    def blocked_cells(self, goals: set[Cell]) -> set[Cell]:
        """People, and warps that are not wanted."""
        return set(objects(self.game)) | (set(warps(self.game)) - goals)

    def map_of(self, title: str) -> MapKey:
        return map_of(title)

    def next_map(self, target: MapKey) -> MapKey:
        nearer, *_ = WORLD.maps.links_towards(MapId(*self.game.map_key), MapId(*target))
        return nearer.target.group, nearer.target.number

    def leave_to(self, target: MapKey) -> bool:
        """Take the way to a neighbouring map; false if a battle or a script interfered."""
        here = self.game.map_key
        for link in WORLD.maps.links_from(MapId(*here)):
            if link.target == MapId(*target):
                if link.warp is not None:
                    return self._take_warp(link.warp, target)
                return self._cross_edge(link.side, target)
        raise StuckError(f"no way from {here} to {target}")

    def _take_warp(self, at: Cell, target: MapKey) -> bool:
        same = {cell for cell, to in warps(self.game).items() if to == target} | {at}
        if self.game.position in same and self.grid().cells[self.game.position] != CARPET:
            self._step_aside()  # stairs and doors work only when stepped on
        if self.walk_to(*same) and self.grid().cells[self.game.position] == CARPET:
            here = self.game.map_key
            for _ in range(4):
                if self.game.map_key == here and self.game.position in same:
                    self.step("down")
        self.settle()
        return self.game.map_key == target

    def _step_aside(self) -> None:
        here = self.game.position
        for button, _, _ in self.neighbours(here, self.blocked_cells(set())):
            for _ in range(3):
                if self.game.position == here:
                    self.step(button)
            if self.game.position != here:
                return

    def _cross_edge(self, side: str, target: MapKey) -> bool:
        grid, button = self.grid(), EDGES[side]
        dx, dy = DIRECTIONS[button]
        goals = {
            cell
            for cell, collision in grid.cells.items()
            if grid.inside(cell)
            and collision not in WALLS
            and not grid.inside((cell[0] + dx, cell[1] + dy))
            and grid.cells[cell[0] + dx, cell[1] + dy] not in WALLS
        }
        here = self.game.map_key
        if self.walk_to(*goals):
            for _ in range(6):
                if self.game.map_key == here and self.game.position in goals:
                    self.step(button)
        return self.game.map_key == target

    # ---- battles ---------------------------------------------------------------------------

    def battle_action(self) -> None:
        """One action of a battle: always the strongest move."""
        game = self.game
        if not self._in_battle:
            self._in_battle = True
            self.battles += 1
        rows, columns = game.get("w2DMenuNumRows"), game.get("w2DMenuNumCols")
        if not game.get("wMenuCursorY"):
            game.act("b")
        elif (rows, columns) == (2, 2):
            self._to_fight()
        elif game.shows("YES"):
            game.act("b")
        elif game.shows("FIGHT") or game.shows("TYPE") or game.shows("PP"):
            self._pick_move()
        else:
            self._next_creature()

    def _to_fight(self) -> None:
        game = self.game
        if game.get("wMenuCursorY") != 1:
            game.act("up")
        elif game.get("wMenuCursorX") != 1:
            game.act("left")
        else:
            game.act("a")

    def _pick_move(self) -> None:
        best = self.best_move()
        at = self.game.get("wMenuCursorY") - 1
        self.game.act("a" if at == best else "down" if at < best else "up")

    def best_move(self) -> int:
        """Return the slot of the move with the highest expected damage."""
        game = self.game
        moves, points = game.read("wBattleMonMoves"), game.read("wBattleMonPP")
        enemy = set(PRACTICE.SPECIES_TYPES.get(game.get("wEnemyMonSpecies"), ()))
        own = set(PRACTICE.SPECIES_TYPES.get(game.get("wBattleMonSpecies"), ()))

        def worth(slot: int) -> float:
            if moves[slot] not in PRACTICE.MOVES or not points[slot] & 63:
                return -1.0
            _, kind, power, accuracy, _ = PRACTICE.MOVES[moves[slot]]
            value = float(power * accuracy) * (1.5 if kind in own else 1.0)
            for target in enemy:
                value *= PRACTICE.TYPE_CHART.get((kind, target), 1.0)
            return value

        return max(range(4), key=worth)

    def _next_creature(self) -> None:
        """A list is open: the first creature that can still fight."""
        game = self.game
        count = game.get("wPartyCount")
        alive = [i for i in range(count) if game.number("wPartyMon1HP", 48 * i)]
        at = game.get("wMenuCursorY") - 1
        goal = alive[0] if alive else 0
        game.act("a" if at == goal else "down" if at < goal else "up")

    # ---- goals -----------------------------------------------------------------------------

    def start_game(self) -> None:
        """From the title to the bedroom."""
        for _ in range(PATIENCE):
            if self.game.in_game:
                break
            self.game.act("a" if self.game.get("wMenuCursorY") else "start")
            if not self.game.in_game:
                self.game.act("a")
        self.settle()

    def answer_yes(self) -> None:
        self.wait_for_menu("a")
        self.game.act("a")

    def knows_rest_house(self) -> bool:
        return bool(self.game.get("wLastSpawnMapGroup"))

    def has_badge(self) -> bool:
        return bool(self.game.get("wJohtoBadges") & 1)

    @property
    def party_size(self) -> int:
        return self.game.get("wPartyCount")

    @property
    def level(self) -> int:
        return self.game.get("wPartyMon1Level")

    def set_options(self) -> None:
        """START, OPTIONS: text speed to instant, battle scene off."""
        game = self.game
        game.act("start")
        self.wait_for_menu("")
        self.choose(game.get("w2DMenuNumRows") - 2)
        self.wait_for_menu("")
        while not game.get("wOptions") & 0x10:
            game.act("a")
        for button in ("down", "a", "b", "b"):
            game.act(button)
        self.settle()

    def health(self) -> float:
        full = self.game.number("wPartyMon1MaxHP")
        return self.game.number("wPartyMon1HP") / full if full else 0.0
