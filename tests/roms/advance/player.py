"""A player that sees only RAM and the image: finds its way, talks, fights, wins the badge."""

import heapq
import struct
from collections import deque
from collections.abc import Callable, Iterable, Sequence

from tests.roms.advance.machine import Cell, Machine
from tests.roms.advance.world import (
    DOOR,
    GRASS,
    LEDGES,
    MATS,
    MapKey,
    Tile,
    is_level,
    map_names,
    map_of,
    people,
    sides_of,
    size,
    tiles,
    warps_of,
)

DIRECTIONS: dict[str, Cell] = {"down": (0, 1), "up": (0, -1), "left": (-1, 0), "right": (1, 0)}
PATIENCE = 800
"""Actions without getting anywhere before the player gives up."""


class StuckError(AssertionError):
    """The player cannot continue; the text says where."""


class Player:
    """Plays by RAM.

    Args:
        game: The machine; from power-on or from any state.
        grass_cost: What a step into tall grass weighs in path-finding (a plain step is 1).
    """

    def __init__(self, game: Machine, grass_cost: int = 4) -> None:
        self.game = game
        self.grass_cost = grass_cost
        self.battles = 0
        self._tiles: dict[MapKey, dict[Cell, Tile]] = {}

    # ---- small things ----------------------------------------------------------------------

    def settle(self) -> None:
        """Continue until the player is free: end texts and menus, fight battles."""
        game, was_in_battle = self.game, False
        for _ in range(PATIENCE):
            if game.in_battle:
                self.battles += not was_in_battle
                was_in_battle = True
                self.battle_action()
            elif game.is_free:
                return
            else:
                game.act("b", hold=4)
        raise StuckError(f"never free again: {self.where()}")

    def where(self) -> str:
        """Describe the situation for messages."""
        game = self.game
        return f"{map_names().get(game.map_key)} {game.position} {game.mode} {game.text!r}"

    def face(self, button: str) -> None:
        """Turn without walking."""
        for _ in range(8):
            if self.game.facing == button:
                return
            self.game.act(button, hold=4)
            self.settle()
        raise StuckError(f"cannot turn {button}: {self.where()}")

    def step(self, button: str) -> None:
        """One action towards `button`; whatever that starts is played to its end."""
        self.game.act(button)
        for _ in range(4):
            if self.game.is_free:
                return
            self.game.tick(1)
        self.settle()

    # ---- walking ---------------------------------------------------------------------------

    def steps(
        self, at: Cell, found: dict[Cell, Tile], taken: set[Cell], goals: set[Cell]
    ) -> Iterable[tuple[str, Cell, int]]:
        """Yield (button, next cell, cost) of every possible step."""
        for button, (dx, dy) in DIRECTIONS.items():
            to = at[0] + dx, at[1] + dy
            tile = found.get(to)
            if tile is None or to in taken:
                continue
            if LEDGES.get(tile.behaviour) == button:
                to = to[0] + dx, to[1] + dy
                if to not in taken:
                    yield button, to, 2
            elif tile.behaviour == DOOR:
                if to in goals and button == "up":
                    yield button, to, 1
            elif not tile.is_closed and is_level(found[at].elevation, tile.elevation):
                yield button, to, self.grass_cost if tile.behaviour == GRASS else 1

    def tiles(self) -> dict[Cell, Tile]:
        """Return the present map's tiles; read once a map."""
        key = self.game.map_key
        if key not in self._tiles:
            self._tiles[key] = tiles(self.game)
        return self._tiles[key]

    def path(self, goals: set[Cell]) -> list[str]:
        """Return the cheapest buttons to one of the goals, empty if there is none."""
        found, start = self.tiles(), self.game.position
        width, height = size(self.game)
        ways_out = warps_of(self.game, self.header())
        taken = (set(people(self.game)) | set(ways_out)) - goals - {start}
        best: dict[Cell, int] = {start: 0}
        came: dict[Cell, tuple[Cell, str]] = {}
        queue = [(0, start)]
        while queue:
            cost, at = heapq.heappop(queue)
            if at in goals:
                return _way_back(came, start, at)
            if not (0 <= at[0] < width and 0 <= at[1] < height):
                continue
            for button, to, price in self.steps(at, found, taken, goals):
                if cost + price < best.get(to, 1 << 30):
                    best[to] = cost + price
                    came[to] = at, button
                    heapq.heappush(queue, (cost + price, to))
        return []

    def header(self, key: MapKey | None = None) -> int:
        """Return the address of a map's header in the image, of the present map's by default."""
        group, number = key or self.game.map_key
        groups = self.game.profile.rom["gMapGroups"]
        maps = int.from_bytes(self.game.at(groups + 4 * group, 4), "little")
        return int.from_bytes(self.game.at(maps + 4 * number, 4), "little")

    def walk_to(self, *goals: Cell) -> bool:
        """Walk to one of the cells; false if something led off the map."""
        self.settle()
        here, wanted = self.game.map_key, set(goals)
        for _ in range(PATIENCE):
            if self.game.map_key != here:
                return False
            if self.game.position in wanted:
                return True
            buttons = self.path(wanted)
            if buttons:
                self.step(buttons[0])
            else:
                self.game.act()  # somebody is in the way: wait
                self.settle()
        raise StuckError(f"no way to {goals}: {self.where()}")

    def leave_to(self, target: MapKey) -> None:
        """Take the way to a neighbouring map; a battle or a script may interfere."""
        header = self.header()
        doors = {cell for cell, to in warps_of(self.game, header).items() if to == target}
        if doors:
            self._take_warp(doors)
        else:
            self._cross_edge(sides_of(self.game, header)[target])

    def _take_warp(self, doors: set[Cell]) -> None:
        found, here = self.tiles(), self.game.map_key
        if not self.walk_to(*doors):
            return
        mat = MATS.get(found[self.game.position].behaviour)
        for _ in range(4):
            if self.game.map_key != here or self.game.position not in doors or mat is None:
                return
            self.step(mat)

    def _cross_edge(self, side: str) -> None:
        width, height = size(self.game)
        dx, dy = DIRECTIONS[side]
        goals = {
            cell
            for cell, tile in self.tiles().items()
            if not tile.is_closed
            and not (0 <= cell[0] < width and 0 <= cell[1] < height)
            and 0 <= cell[0] - dx < width
            and 0 <= cell[1] - dy < height
        }
        self.walk_to(*goals)

    def travel(self, title: str) -> None:
        """Go to a map by the shortest way over the maps between."""
        self.settle()
        target = map_of(title)
        for _ in range(60):
            if self.game.map_key == target:
                return
            self.leave_to(self._next_map(target))
        raise StuckError(f"never reached {title}: {self.where()}")

    def _next_map(self, target: MapKey) -> MapKey:
        """Return the neighbour of the present map that is nearest to `target`."""
        queue, came = deque([target]), {target}
        while queue:
            at = queue.popleft()
            for key in map_names():
                header = self.header(key)
                to = {*warps_of(self.game, header).values(), *sides_of(self.game, header)}
                if key in came or at not in to:
                    continue
                if key == self.game.map_key:
                    return at
                came.add(key)
                queue.append(key)
        raise StuckError(f"no way to {target}: {self.where()}")

    def talk_at(self, at: Cell, button: str) -> None:
        """Stand at a cell, face a direction, press A."""
        if self.walk_to(at):
            self.face(button)
            self.game.act("a")

    def wait_for(self, condition: Callable[[], bool], button: str = "a") -> None:
        """Press on until something holds."""
        for _ in range(PATIENCE):
            if condition():
                return
            self.game.act(button, hold=4)
        raise StuckError(f"what was waited for never came: {self.where()}")

    def answer_yes(self) -> None:
        """Press on to the next question and say yes."""
        self.wait_for(lambda: "Task_HandleYesNoInput" in self.game.tasks)
        self.game.act("a")

    # ---- battles ---------------------------------------------------------------------------

    def battle_action(self) -> None:
        """One action of a battle: always the strongest move."""
        game = self.game
        doing = game.function("gBattlerControllerFuncs")
        if game.mode == "CB2_UpdatePartyMenu":
            self._next_creature()
        elif game.mode == "BattleMainCB2" and doing == "HandleInputChooseAction":
            self._move_cursor(game.get("gActionSelectionCursor"), 0)
        elif game.mode == "BattleMainCB2" and doing == "HandleInputChooseMove":
            self._move_cursor(game.get("gMoveSelectionCursor"), self.best_move())
        else:
            game.act("b", hold=4)

    def _move_cursor(self, at: int, goal: int) -> None:
        """One press towards a place of a 2x2 menu, whose last place may be empty; A once there."""
        gone, wanted = at & ~goal, goal & ~at
        button = "left" if gone & 1 else "up" if gone & 2 else "right" if wanted & 1 else "down"
        self.game.act("a" if at == goal else button, hold=4)

    def best_move(self) -> int:
        """Return the slot of the move with the highest expected damage."""
        own, foe = (self.game.read("gBattleMons", at, 0x58) for at in (0, 0x58))
        moves, points = struct.unpack_from("<4H", own, 0xC), own[0x24:0x28]
        chart = self._chart()

        def worth(slot: int) -> float:
            if not moves[slot] or not points[slot]:
                return -1.0
            _, power, kind, accuracy = self.game.at(
                self.game.profile.rom["gBattleMoves"] + 12 * moves[slot], 4
            )
            value = power * (accuracy or 100) * (1.5 if kind in own[0x21:0x23] else 1.0)
            for target in set(foe[0x21:0x23]):
                value *= chart.get((kind, target), 1.0)
            return value

        return max(range(4), key=worth)

    def _chart(self) -> dict[tuple[int, int], float]:
        at, found = self.game.profile.rom["gTypeEffectiveness"], {}
        for start in range(at, at + 3 * 512, 3):
            attacking, defending, tenths = self.game.at(start, 3)
            if attacking == 0xFF:
                break
            found[attacking, defending] = tenths / 10
        return found

    def _next_creature(self) -> None:
        """The party is open: the first other creature that can still fight."""
        fighting = self.game.get("gBattlerPartyIndexes", size=2)
        others = [slot for slot in range(self.party_size) if slot != fighting and self.hp(slot)]
        if not others:
            self.game.act("b", hold=4)
            return
        at, goal = self.game.get("gPartyMenu", 9), others[0]
        self.game.act("a" if at == goal else "down" if at < goal else "up", hold=4)

    # ---- the party -------------------------------------------------------------------------

    @property
    def party_size(self) -> int:
        return self.game.get("gPlayerPartyCount")

    def hp(self, slot: int = 0) -> int:
        return self.game.get("gPlayerParty", 100 * slot + 86, 2)

    @property
    def level(self) -> int:
        return self.game.get("gPlayerParty", 84)

    def health(self) -> float:
        """Return the first creature's HP as a share."""
        full = self.game.get("gPlayerParty", 88, 2)
        return self.hp() / full if full else 0.0

    # ---- goals -----------------------------------------------------------------------------

    def start_game(self) -> None:
        """From power-on to the bedroom, with the proposed name."""
        game = self.game
        for _ in range(PATIENCE):
            if game.in_field:
                break
            game.act("start" if game.mode == "CB2_NamingScreen" else "a", hold=4)
            if game.mode == "CB2_NamingScreen":
                game.act("a", hold=4)
        self.settle()

    def take_starter(self, number: int = 1) -> None:
        """In the laboratory: take ball 1, 2 or 3."""
        for _ in range(10):
            if self.party_size:
                return
            self.travel("LAB")
            self.talk_at((5 + number, 5), "up")
            self.answer_yes()
            self.settle()
        raise StuckError(f"no starter: {self.where()}")

    def heal(self) -> None:
        """Rest at the nurse's, or at home before Stonehollow is known."""
        if self.game.block(1, 0x1C, 2) == bytes(map_of("STONEHOLLOW")):
            self.travel("CENTER")
            self.talk_at((4, 4), "up")
            self.answer_yes()
        else:
            self.travel("HOME 1F")
            self.talk_at((3, 4), "left")
        self.settle()

    def train(self, level: int) -> None:
        """Fight in the route's first patch of grass up to a level, resting in between."""
        cells: Sequence[Cell] = ((14, 8), (15, 8))
        for turn in range(PATIENCE):
            if self.level >= level:
                return
            if self.health() < 0.4:
                self.heal()
            self.travel("MILLBROOK PATH")
            self.walk_to(cells[turn % 2])
        raise StuckError(f"never grew to level {level}: {self.where()}")

    def has_badge(self) -> bool:
        return self.game.flag(0x867)

    def win_badge(self) -> None:
        """From any state of a running game to the badge."""
        level = 0
        for _ in range(12):
            self.settle()
            if self.has_badge():
                return
            self.take_starter(2)
            if level:
                self.train(level)
            if self.health() < 0.9:
                self.heal()
            self._fight_gym()
            level = max(8, self.level + 1)
        raise StuckError(f"no badge: {self.where()}")

    def _fight_gym(self) -> None:
        """Up the aisle to the leader; a lost battle leads away from the gym."""
        self.travel("GYM")
        gym = map_of("GYM")
        for goal in ((4, 9), (4, 6), (4, 5), (4, 4), (4, 3)):
            if self.game.map_key != gym or self.has_badge():
                return
            self.walk_to(goal)
        self.face("up")
        self.game.act("a")
        self.settle()


def _way_back(came: dict[Cell, tuple[Cell, str]], start: Cell, at: Cell) -> list[str]:
    buttons = []
    while at != start:
        at, button = came[at]
        buttons.append(button)
    return buttons[::-1]
