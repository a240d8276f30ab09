"""A player that sees only RAM and the image: finds its way, talks, fights, wins the badge."""

import struct
from collections import deque
from collections.abc import Callable, Iterable

from tests.roms.advance.machine import Machine
from tests.roms.advance.world import (
    DOOR,
    GRASS,
    LEDGES,
    MATS,
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
from tests.roms.first_act import (
    DIRECTIONS,
    PATIENCE,
    Cell,
    FirstActPlayer,
    MapKey,
    StuckError,
    cheapest_path,
)

STARTER_COLUMNS = {1: 1, 2: 2, 3: 0}
"""Number of a ball -> its place on the screen of the choice."""


class Player(FirstActPlayer):
    """Plays MOSSLIGHT ADVANCE by RAM."""

    def __init__(self, game: Machine, grass_cost: int = 4) -> None:
        super().__init__(game, grass_cost)
        self._tiles: dict[tuple[MapKey, bool], dict[Cell, Tile]] = {}
        self.stops_evolution = False

    # ---- small things ----------------------------------------------------------------------

    def settle(self) -> None:
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
        game = self.game
        return f"{map_names().get(game.map_key)} {game.position} {game.mode} {game.text!r}"

    def face(self, button: str) -> None:
        for _ in range(8):
            if self.game.facing == button:
                return
            self.game.act(button, hold=4)
            self.settle()
        raise StuckError(f"cannot turn {button}: {self.where()}")

    def step(self, button: str) -> None:
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
        """Return the present map's tiles; read once a map, and again after the badge."""
        key = self.game.map_key, self.has_badge()
        if key not in self._tiles:
            self._tiles[key] = tiles(self.game)
        return self._tiles[key]

    def path(self, goals: set[Cell]) -> list[str]:
        found, start = self.tiles(), self.game.position
        width, height = size(self.game)
        ways_out = warps_of(self.game, self.header())
        taken = (set(people(self.game)) | set(ways_out)) - goals - {start}

        def steps(at: Cell) -> Iterable[tuple[str, Cell, int]]:
            is_inside = 0 <= at[0] < width and 0 <= at[1] < height
            return self.steps(at, found, taken, goals) if is_inside else ()

        return cheapest_path(start, goals, steps)

    def header(self, key: MapKey | None = None) -> int:
        """Return the address of a map's header in the image, of the present map's by default."""
        group, number = key or self.game.map_key
        groups = self.game.profile.rom["gMapGroups"]
        maps = int.from_bytes(self.game.at(groups + 4 * group, 4), "little")
        return int.from_bytes(self.game.at(maps + 4 * number, 4), "little")

    def map_of(self, title: str) -> MapKey:
        return map_of(title)

    def leave_to(self, target: MapKey) -> None:
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

    def next_map(self, target: MapKey) -> MapKey:
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

    def wait_for(self, condition: Callable[[], bool], button: str = "a") -> None:
        """Press on until something holds."""
        for _ in range(PATIENCE):
            if condition():
                return
            self.game.act(button, hold=4)
        raise StuckError(f"what was waited for never came: {self.where()}")

    def answer_yes(self) -> None:
        self.wait_for(lambda: "Task_HandleYesNoInput" in self.game.tasks)
        self.game.act("a")

    # ---- battles ---------------------------------------------------------------------------

    def battle_action(self) -> None:
        """One action of a battle: always the strongest move."""
        game, asked = self.game, self.game.asked
        doing = game.function("gBattlerControllerFuncs", 4 * asked)
        if game.mode == "CB2_EvolutionSceneUpdate" and game.text.startswith("What?"):
            game.act("b" if self.stops_evolution else "a", hold=4)
        elif game.mode == "CB2_UpdatePartyMenu":
            self._next_creature()
        elif game.mode == "BattleMainCB2" and doing == "HandleInputChooseAction":
            self._move_cursor(game.get("gActionSelectionCursor", asked), 0)
        elif game.mode == "BattleMainCB2" and doing == "HandleInputChooseMove":
            self._move_cursor(game.get("gMoveSelectionCursor", asked), self.best_move())
        elif game.mode == "BattleMainCB2" and doing == "HandleInputChooseTarget":
            game.act("a", hold=4)
        else:
            game.act("b", hold=4)

    def _move_cursor(self, at: int, goal: int) -> None:
        """One press towards a place of a 2x2 menu, whose last place may be empty; A once there."""
        gone, wanted = at & ~goal, goal & ~at
        button = "left" if gone & 1 else "up" if gone & 2 else "right" if wanted & 1 else "down"
        self.game.act("a" if at == goal else button, hold=4)

    def best_move(self) -> int:
        """Return the slot of the move with the highest expected damage."""
        game = self.game
        places = (
            game.asked,
            next((at for at in (1, 3) if game.get("gBattleMons", 0x58 * at + 0x28, 2)), 1),
        )
        own, foe = (game.read("gBattleMons", 0x58 * at, 0x58) for at in places)
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
        own = range(0, self.game.get("gBattlersCount"), 2)
        fighting = {self.game.get("gBattlerPartyIndexes", 2 * one, 2) for one in own}
        others = [slot for slot in range(self.party_size) if slot not in fighting and self.hp(slot)]
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
        full = self.game.get("gPlayerParty", 88, 2)
        return self.hp() / full if full else 0.0

    # ---- goals -----------------------------------------------------------------------------

    def take_starter(self, number: int = 1) -> None:
        """In the laboratory: choose CINDLE, RILLET or SPRIGOT (1, 2 or 3)."""
        if self.party_size:
            return
        self.open_starters()
        self.point_at_starter(STARTER_COLUMNS[number])
        self.confirm_starter()

    def open_starters(self) -> None:
        """Go to the middle ball and take it up: the choice is on the screen."""
        self.travel("LAB")
        self.talk_at((7, 5), "up")
        self.wait_for(lambda: self.game.starter is not None, "")

    def point_at_starter(self, column: int) -> None:
        """Move the cursor to the left, middle or right one (0, 1 or 2)."""
        while self.game.starter != column:
            self.game.act("left" if column < (self.game.starter or 0) else "right", hold=4)

    def confirm_starter(self) -> None:
        """Take the one that the cursor stands at."""
        self.wait_for(lambda: "Task_HandleConfirmStarterInput" in self.game.tasks)
        self.game.act("a")
        self.settle()

    def take_gift(self, row: int) -> None:
        """In the laboratory, with a creature: let DR. ALDER give POTION or GRUBBUD (0 or 1)."""
        self.travel("LAB")
        self.talk_at((5, 4), "up")
        self.wait_for(lambda: "Task_HandleMultichoiceInput" in self.game.tasks)
        while (at := self.game.get("sMenu", 2)) != row:
            self.game.act("up" if row < at else "down", hold=4)
        self.game.act("a")
        self.settle()

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

    def knows_rest_house(self) -> bool:
        return self.game.block(1, 0x1C, 2) == bytes(map_of("STONEHOLLOW"))

    def set_options(self) -> None:
        """START, OPTIONS: text speed fast, battle scene off."""
        for button in ("start", "up", "up", "a"):  # EXIT, OPTIONS
            self.game.act(button)
        self.wait_for(lambda: not self.game.in_field, "")
        for button in ("right", "down", "right"):
            self.game.act(button)
        self.settle()

    def has_badge(self) -> bool:
        return self.game.flag(0x867)
