"""Turn a GameState into the vector that a small policy learns from.

What it holds, and where: `engine.env.observation.layout`.
"""

import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.config import FeatureKind
from engine.env.observation.compass import Bearing, goal_features
from engine.env.observation.layout import (
    CHANNELS,
    COLUMNS,
    CURSOR_COLUMNS,
    CURSOR_ROWS,
    FACINGS,
    FIRST_BUCKETS,
    MOVE_FIGURES,
    MOVE_SLOTS,
    PARTY_SLOTS,
    ROWS,
    STRETCHES,
    TILES,
    UNCHANGED,
    WORDS,
    code_of,
    layout_of,
)
from engine.games.base import SAME_TYPE_BONUS, Game, MenuKind, effectiveness, menu_kind
from engine.types import (
    MAP_BORDER,
    Battle,
    Creature,
    GameState,
    MapView,
    Move,
    Place,
    Prompt,
    Terrain,
)

_UP, _LEFT = ROWS // 2, COLUMNS // 2

_STATIC = 5
"""Channels that depend on the map alone; the first three on its terrain alone."""
_OBJECT, _VISITED = 5, 6
_BITS = (Terrain.WALKABLE, Terrain.GRASS, Terrain.LEDGE, Terrain.ANSWERS, Terrain.WARP)
"""Of the first channels, which depend on the map alone."""

_PARTY = 4 + 3 * PARTY_SLOTS
_PROMPTS = {prompt: place for place, prompt in enumerate(Prompt)}


@dataclass(frozen=True, slots=True)
class Recent:
    """What the state does not show of the last steps.

    Attributes:
        idle_steps: Since the last new tile.
        episode_share: Share of the episode's steps that are used up.
        last_action: -1 at the start of an episode.
        unchanged_steps: For how many steps nothing visible has changed.
        last_prompt: What the screen waited for before, other than for a step.
    """

    idle_steps: int = 0
    episode_share: float = 0.0
    last_action: int = -1
    unchanged_steps: int = 0
    last_prompt: Prompt = Prompt.NONE


class FeatureEncoder:
    """Encode states of one game.

    Attributes:
        layout: Of what it writes.
    """

    def __init__(self, game: Game, kind: FeatureKind = "goal") -> None:
        self._game, self._tables = game, game.tables
        self._num_actions = len(game.actions)
        self.layout = layout_of(game, kind)
        self._is_first, self._has_goal = kind == "first", kind == "goal"
        self._begin = self.layout.slices["map"].start
        self._rest = struct.Struct(f"{self.layout.size - self._begin}f")
        self._num_milestones = self.layout.size_of("milestones")
        self._num_in_battle = self.layout.size_of("battle") + self.layout.size_of("moves")
        self._keys = [one.key for one in game.tables.MILESTONES[: self._num_milestones]]
        self._buckets = {key: i % FIRST_BUCKETS for i, key in enumerate(self._tables.MAPS)}
        self._planes_of: object = None
        self._planes = np.zeros((_STATIC, 0, 0), np.float32)
        self._control_of: tuple[object, ...] = (None,) * 3
        self._progress_of: tuple[object, ...] = (None,) * 3
        self._goal_of: tuple[object, ...] = (None,) * 3
        self._bag_of: object = None
        self._control, self._progress, self._bag = [0.0], [0.0], [0.0]
        self._words, self._goal = [0.0], [0.0]

    def encode(
        self,
        out: NDArray[np.float32],
        state: GameState,
        visited: NDArray[np.float32] | None,
        milestones: Mapping[str, int],
        recent: Recent,
        bearing: Bearing | None = None,
    ) -> None:
        """Write the features of `state`.

        Args:
            out: (F,) float32, contiguous, overwritten.
            state: The game at rest.
            visited: (height + 12, width + 12) float32 of the current map, None if not known.
            milestones: Those reached in this episode.
            recent: What the state does not show.
            bearing: Where to; None: nothing is left to do that is known.
        """
        self._write_window(out, state, visited)
        place = state.place
        rest = self._place_in_buckets(place) if self._is_first else _place(place)
        rest += [1.0 if place.facing is facing else 0.0 for facing in FACINGS]
        rest += _ahead(state)
        self._update_slowly_changing(state, milestones)
        rest += self._control
        if not self._is_first:
            rest += _waiting(recent, state.control.prompt)
            rest += self._words
        rest += self._progress
        rest += self._battle(state.battle)
        rest += self._bag
        rest.append(min(state.money, 5000) / 5000)
        rest += (min(recent.idle_steps, 100) / 100, min(recent.episode_share, 1.0))
        if self._has_goal:
            aimed = (bearing, state.party, state.place)
            if not _are_same(aimed, self._goal_of):
                self._goal_of, self._goal = aimed, goal_features(bearing, state)
            rest += self._goal
        rest += [0.0] * self._num_actions
        if recent.last_action >= 0:
            rest[recent.last_action - self._num_actions] = 1.0
        # A third of the time that numpy needs for assigning a list.
        self._rest.pack_into(out.data, self._begin * out.itemsize, *rest)

    def _place_in_buckets(self, place: Place) -> list[float]:
        rest = [0.0] * (3 * FIRST_BUCKETS)
        rest[self._buckets.get((place.map.group, place.map.number), 0)] = 1.0
        rest[FIRST_BUCKETS + min(place.x, FIRST_BUCKETS - 1)] = 1.0
        rest[2 * FIRST_BUCKETS + min(place.y, FIRST_BUCKETS - 1)] = 1.0
        rest += (min(place.x, 64) / 32, min(place.y, 64) / 32)
        return rest

    def _write_window(
        self, out: NDArray[np.float32], state: GameState, visited: NDArray[np.float32] | None
    ) -> None:
        view, place = state.map, state.place
        grid = view.bordered
        window = out[: self._begin].reshape(len(CHANNELS), ROWS, COLUMNS)
        if not _is_map_known(state):
            window[:] = 0.0
            return
        if self._planes_of is not grid:
            self._planes_of, self._planes = grid, _planes(view)
        top, left = place.y + MAP_BORDER - _UP, place.x + MAP_BORDER - _LEFT
        rows, columns = slice(top, top + ROWS), slice(left, left + COLUMNS)
        window[:_STATIC] = self._planes[:, rows, columns]
        window[_OBJECT] = 0.0
        for thing in view.objects:
            row, column = thing.y - place.y + _UP, thing.x - place.x + _LEFT
            if 0 <= row < ROWS and 0 <= column < COLUMNS:
                window[_OBJECT, row, column] = 1.0
        window[_VISITED] = 0.0 if visited is None else visited[rows, columns]

    def _update_slowly_changing(self, state: GameState, milestones: Mapping[str, int]) -> None:
        """Recompute what depends on control, milestones, party and bag, where these changed."""
        shown = (state.control, state.screen_text, state.battle)
        if not _are_same(shown, self._control_of):
            self._control_of, self._control = shown, self._controls(state)
            self._words = _words(state.screen_text)
        gained = (state.party, milestones, len(milestones))  # more are added in place
        if not _are_same(gained, self._progress_of):
            self._progress_of = gained
            reached = [1.0 if key in milestones else 0.0 for key in self._keys]
            reached += [0.0] * (self._num_milestones - len(self._keys))
            self._progress = reached + _party(state)
        if state.bag is not self._bag_of:
            self._bag_of = state.bag
            balls = sum(count for _, count in state.bag.balls)
            self._bag = [min(count_potions(state, self._game), 5) / 5, min(balls, 5) / 5]

    def _controls(self, state: GameState) -> list[float]:
        control = state.control
        kind = menu_kind(state)
        row, column = control.cursor
        flags = (
            control.is_free,
            control.in_text,
            control.in_menu,
            control.is_scripted,
            control.in_transition,
            state.battle is not None,
        )
        result = [float(flag) for flag in flags]
        menu = [0.0] * (len(MenuKind) + CURSOR_ROWS + CURSOR_COLUMNS)
        menu[kind] = 1.0
        if row:
            menu[len(MenuKind) + min(row, CURSOR_ROWS) - 1] = 1.0
        if column:
            menu[len(MenuKind) + CURSOR_ROWS + min(column, CURSOR_COLUMNS) - 1] = 1.0
        return result + menu

    def _battle(self, battle: Battle | None) -> list[float]:
        if battle is None:
            return [0.0] * self._num_in_battle
        own, enemy = battle.own, battle.enemy
        result = [1.0 if battle.trainer_class else 0.0, min(battle.enemy_slot, 5) / 5]
        for creature in (own, enemy):
            if creature is None:
                result += (0.0, 0.0, 0.0)
            else:
                result += (health(creature), _level(creature), 1.0 if creature.status else 0.0)
        gap = own.level - enemy.level if own and enemy else 0
        result += (min(max(gap, -10), 10) / 10, min(own.hp, 60) / 60 if own else 0.0)
        moves = own.moves if own else ()
        for slot in range(MOVE_SLOTS):
            move = moves[slot] if slot < len(moves) else None
            result += self._move(move, own, enemy)
        return result

    def _move(self, move: Move | None, own: Creature | None, enemy: Creature | None) -> list[float]:
        """Return known, power, effectiveness, points left, strength (all three together)."""
        if move is None or own is None:
            return [0.0] * MOVE_FIGURES
        facts = self._tables.MOVES.get(move.id)
        power, kind, points = (facts[2], facts[1], facts[4]) if facts else (0, 0, 0)
        effect = effectiveness(self._tables, kind, enemy.types if enemy else ())
        bonus = SAME_TYPE_BONUS if kind in own.types else 1.0
        strength = power * effect * bonus if move.points else 0.0
        left = move.points / points if points else 0.0
        return [1.0, power / 100, effect / 2, min(left, 1.0), min(strength / 150, 1.0)]


def _planes(view: MapView) -> NDArray[np.float32]:
    """Return (5, height + 12, width + 12) float32: the static channels of a map."""
    grid = view.bordered
    assert grid is not None
    planes = np.stack([grid & bits != 0 for bits in _BITS]).astype(np.float32)
    for warp in view.warps:
        planes[4, warp.y + MAP_BORDER, warp.x + MAP_BORDER] = 1.0
    for x, y in view.signs:
        planes[3, y + MAP_BORDER, x + MAP_BORDER] = 1.0
    return planes


def _place(place: Place) -> list[float]:
    """Return the map's code, and each coordinate by its tile in a stretch and by the stretch."""
    result = [*code_of(place.map)]
    for at in (place.x, place.y):
        stretch, tile = divmod(min(at, TILES * STRETCHES - 1), TILES)
        axis = [0.0] * (TILES + STRETCHES)
        axis[tile] = axis[TILES + stretch] = 1.0
        result += axis
    result += (min(place.x, 255) / 128, min(place.y, 255) / 128)
    return result


def _waiting(recent: Recent, prompt: Prompt) -> list[float]:
    """Return what the screen waits for, what it did before, and for how long nothing changed."""
    result = [0.0] * (2 * len(_PROMPTS) + 1 + UNCHANGED)
    result[_PROMPTS[prompt]] = result[len(_PROMPTS) + _PROMPTS[recent.last_prompt]] = 1.0
    result[2 * len(_PROMPTS)] = min(recent.unchanged_steps, 8) / 8
    result[recent.unchanged_steps % UNCHANGED - UNCHANGED] = 1.0
    return result


def _words(lines: tuple[str, ...]) -> list[float]:
    """Return which words are on the screen, by their hashes."""
    result = [0.0] * WORDS
    for line in lines:
        for word in line.split():
            result[_hash(word)] = 1.0
    return result


@lru_cache(maxsize=4096)
def _hash(word: str) -> int:
    return zlib.crc32(word.lower().encode()) % WORDS


def _are_same(values: tuple[object, ...], others: tuple[object, ...]) -> bool:
    """Return whether two tuples hold the same three objects, which is cheaper than comparing."""
    return values[0] is others[0] and values[1] is others[1] and values[2] is others[2]


def _is_map_known(state: GameState) -> bool:
    view, place = state.map, state.place
    is_inside = place.x < view.width and place.y < view.height
    return view.bordered is not None and is_inside and state.battle is None


def _ahead(state: GameState) -> list[float]:
    """Return whether the tile ahead answers A, holds someone, is a warp, can be walked on."""
    view, place = state.map, state.place
    dx, dy = place.facing.delta
    x, y = place.x + dx, place.y + dy
    if view.bordered is None or not _is_map_known(state):
        return [0.0] * 4
    ahead = view.bordered.item(y + MAP_BORDER, x + MAP_BORDER)
    is_taken = any(thing.x == x and thing.y == y for thing in view.objects)
    return [
        float(view.answers(place.x, place.y, place.facing)),
        float(is_taken),
        float(ahead & Terrain.WARP != 0),
        float(ahead & Terrain.WALKABLE != 0 and not is_taken),
    ]


def _party(state: GameState) -> list[float]:
    """Return size, health of all, best level, any status, then three of each of the first three."""
    party = state.party
    if not party:
        return [0.0] * _PARTY
    result = [
        min(len(party), 6) / 6,
        party_health(party),
        max(_level(c) for c in party),
        float(any(c.status for c in party)),
    ]
    for creature in party[:PARTY_SLOTS]:
        result += (1.0, health(creature), _level(creature))
    result += [0.0] * (_PARTY - len(result))
    return result


def count_potions(state: GameState, game: Game) -> int:
    """Return how many of the items in the bag heal."""
    healing = game.healing_items
    return sum(count for item, count in state.bag.items if item in healing)


def health(creature: Creature) -> float:
    """Return a creature's share of health, 0 to 1 even where RAM holds more than the maximum."""
    return min(creature.hp / max(1, creature.max_hp), 1.0)


def party_health(party: tuple[Creature, ...]) -> float:
    """Return the share of health of all creatures together, 0 to 1."""
    total = sum(creature.max_hp for creature in party)
    return min(sum(creature.hp for creature in party) / max(1, total), 1.0)


def _level(creature: Creature) -> float:
    return min(creature.level, 60) / 20
