"""Follow one episode: what was pressed, visited, reached and paid, and whether its time is up."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.config import EnvConfig
from engine.env.anti_stuck import AntiStuck
from engine.env.choices import UNKNOWN, ChoiceLog, Choices
from engine.env.input_recording import Segment, unpack_segments
from engine.env.live import LiveStretch
from engine.env.milestones import MilestoneTracker
from engine.env.start_states import unpack_env
from engine.games.base import Game
from engine.rewards.base import Transition
from engine.types import MAP_BORDER, Creature, GameState, MapId, Prompt, RewardBreakdown

SEEN_EARLIER = 0.5
"""What a plane holds where the player stood before the last milestone, but not since."""


@dataclass(frozen=True, slots=True)
class Visit:
    """What standing on a tile means for the memory.

    Attributes:
        is_new_tile: It was not stood on since the last milestone.
        is_first_visit: Nor before it, in this episode.
        is_new_map: The map is seen for the first time in this episode.
    """

    is_new_tile: bool = False
    is_first_visit: bool = False
    is_new_map: bool = False


_NOTHING_NEW = Visit()


class TileMemory:
    """Remember the tiles that were stood on, and which of them since the last milestone."""

    def __init__(self) -> None:
        self._visited: dict[MapId, NDArray[np.float32]] = {}
        self.maps: set[MapId] = set()

    def begin_milestone(self) -> None:
        """Let every tile count as new again, though not as seen for the first time."""
        for plane in self._visited.values():
            np.minimum(plane, SEEN_EARLIER, out=plane)

    def visit(self, state: GameState) -> Visit:
        """Note where the player stands, if the player can walk."""
        place, view = state.place, state.map
        if not state.control.is_free or place.x >= view.width or place.y >= view.height:
            return _NOTHING_NEW
        is_new_map = place.map not in self.maps
        if is_new_map:
            self.maps.add(place.map)
        visited = self.plane(place.map, view.width, view.height)
        row, column = place.y + MAP_BORDER, place.x + MAP_BORDER
        before = visited.item(row, column)
        if before == 1.0 and not is_new_map:
            return _NOTHING_NEW
        visited[row, column] = 1.0
        return Visit(before < 1.0, before == 0.0, is_new_map)

    def plane(self, map_id: MapId, width: int, height: int) -> NDArray[np.float32]:
        """Return (height + 12, width + 12) float32, border included.

        1 where the player was since the last milestone, `SEEN_EARLIER` where before it, else 0.
        """
        plane = self._visited.get(map_id)
        shape = (height + 2 * MAP_BORDER, width + 2 * MAP_BORDER)
        if plane is None or plane.shape != shape:
            plane = np.zeros(shape, np.float32)
            self._visited[map_id] = plane
        return plane

    def stood_on(self, map_id: MapId, width: int, height: int) -> NDArray[np.bool_]:
        """Return (height, width) where the player was in this episode."""
        plane = self._visited.get(map_id)
        if plane is None or plane.shape != (height + 2 * MAP_BORDER, width + 2 * MAP_BORDER):
            return np.zeros((height, width), np.bool_)
        stood: NDArray[np.bool_] = plane[MAP_BORDER:-MAP_BORDER, MAP_BORDER:-MAP_BORDER] > 0
        return stood

    def save(self) -> dict[str, Any]:
        """Return all of it, JSON-able."""
        return {
            "maps": sorted([entry.group, entry.number] for entry in self.maps),
            "tiles": [
                [
                    *(entry.group, entry.number, *plane.shape),
                    np.flatnonzero(plane == 1.0).tolist(),
                    np.flatnonzero(plane == SEEN_EARLIER).tolist(),
                ]
                for entry, plane in self._visited.items()
            ],
        }

    def restore(self, saved: dict[str, Any]) -> None:
        """Put back what `save` returned."""
        self.maps = {MapId(group, number) for group, number in saved["maps"]}
        self._visited = {}
        for group, number, rows, columns, tiles, earlier in saved["tiles"]:
            plane = np.zeros((rows, columns), np.float32)
            plane.flat[tiles] = 1.0
            plane.flat[earlier] = SEEN_EARLIER
            self._visited[MapId(group, number)] = plane


@dataclass(frozen=True, slots=True)
class Origin:
    """How the game came from its true start to where an episode begins.

    Attributes:
        segments: The inputs, by episode.
        reached: Keys of the milestones reached on the way.
    """

    segments: tuple[Segment, ...] = ()
    reached: tuple[str, ...] = ()


TRUE_START = Origin()


class DefeatWatch:
    """Notice a whiteout: all creatures fainted, then the party well again elsewhere or poorer.

    A lost battle that may be lost looks alike up to its end, but costs no money and leads nowhere
    (emulator.md, "Reading the game").

    Attributes:
        beaten: Money, map group and number when all had fainted, while that is not over.
    """

    beaten: list[int] | None = None

    def update(self, state: GameState) -> bool:
        """Return True in the step in which the player is free again after a whiteout."""
        if state.battle is not None:
            own = state.battle.own
            if own is not None:
                is_beaten = own.hp == 0 and not _others_alive(own, state.party)
                place = state.place.map
                self.beaten = [state.money, place.group, place.number] if is_beaten else None
            return False
        if self.beaten is None or not state.control.is_free:
            return False
        money, group, number = self.beaten
        self.beaten = None
        return state.money < money or state.place.map != MapId(group, number)


class Episode:
    """What the game's state does not tell of an episode.

    Attributes:
        config: Limits and goal that hold from now on.
        origin: How the game came to where the episode began.
        random: The game's random state at the start: two bytes.
        inputs: The actions taken, one byte each.
        live: Real-time play of a person between them.
        chosen: Who chooses the next action, as `code_of` says, and why; for that one alone.
        idle_steps: Steps since the last new tile or milestone.
        total: Reward so far.
        sums: Reward so far by component, in the composer's order.
        battles_won: Battles so far that ended with the last enemy fainted.
        unchanged_steps: For how many steps nothing visible has changed.
        last_prompt: What the screen waited for before, other than for a step.
    """

    def __init__(self, game: Game, component_names: tuple[str, ...], config: EnvConfig) -> None:
        self.config = config
        self.milestones = MilestoneTracker(game.tables.MILESTONES)
        self.tiles = TileMemory()
        self.anti_stuck = AntiStuck(config.stuck_repeats, game.actions)
        self._actions = game.actions
        self._names = component_names

    def begin(self, state: GameState, random: tuple[int, int], origin: Origin = TRUE_START) -> None:
        """Start at `state`."""
        # Nobody asks who chose on the way here; it would be stored with every episode.
        lead = tuple(Segment(each.random, each.actions, each.live) for each in origin.segments)
        self.origin = Origin(lead, origin.reached)
        self.random = random
        self.inputs = bytearray()
        self.chosen: tuple[int, str] = (UNKNOWN, "")
        self._log = ChoiceLog()
        self.live: list[LiveStretch] = []
        self.idle_steps = 0
        self.total = 0.0
        self.sums = dict.fromkeys(self._names, 0.0)
        self.battles_won = 0
        self._badges_at_start = state.badge_count
        self._defeat = DefeatWatch()
        self.milestones.reset(state, origin.reached)
        if not origin.segments:
            self.tiles = TileMemory()
        self.tiles.visit(state)
        self.anti_stuck.reset()
        self.unchanged_steps, self.last_prompt = 0, Prompt.NONE

    @property
    def length(self) -> int:
        """Return the steps taken."""
        return len(self.inputs)

    @property
    def choices(self) -> Choices:
        """Return who chose the actions, and why."""
        return self._log.choices

    @property
    def now(self) -> Origin:
        """Return how the game came to where it is now."""
        own = Segment(self.random, bytes(self.inputs), tuple(self.live), self.choices)
        return Origin((*self.origin.segments, own), tuple(self.milestones.steps))

    @property
    def max_steps(self) -> int:
        """Return after how many steps it is truncated, as far as it has come."""
        config = self.config
        if not config.progress_steps:
            return config.max_steps
        reached_since_start = sum(map(bool, self.milestones.steps.values()))  # not at step 0
        extra = config.progress_steps * reached_since_start
        return config.max_steps + min(extra, config.max_steps)

    @property
    def is_spent(self) -> bool:
        """Return whether it has taken its steps, or too many without anything new."""
        is_stuck = 0 < self.config.stuck_steps <= self.idle_steps
        return is_stuck or self.length >= self.max_steps

    def is_success(self, state: GameState) -> bool:
        """Return whether the goal is reached: a milestone, or one badge more."""
        if self.config.goal:
            return self.config.goal in self.milestones.steps
        return state.badge_count > self._badges_at_start

    def ran(self, buttons: frozenset[int], frames: int) -> None:
        """Add frames that a person played in real time."""
        if not self.live or self.live[-1].after != self.length:
            self.live.append(LiveStretch(self.length))
        self.live[-1] = self.live[-1].then(buttons, frames)

    def follow(
        self, previous: GameState, current: GameState, action: int, *, is_step: bool = True
    ) -> Transition:
        """Add a step, or the result of real-time play; return what it means for the reward.

        Real-time play counts as no step, and nothing gets masked for what it led to.
        """
        if is_step:
            self.inputs.append(action)
            self._log.add(*self.chosen)
            self.chosen = UNKNOWN, ""
        battle = previous.battle
        if battle is not None and battle.enemy is not None and current.battle is None:
            self.battles_won += battle.enemy.hp == 0
        reached = self.milestones.update(current, self.length)
        if reached:
            self.tiles.begin_milestone()
        visit = self.tiles.visit(current)
        is_progress = visit.is_new_tile or bool(reached)
        self.idle_steps = 0 if is_progress else self.idle_steps + is_step
        if previous.control.prompt not in (Prompt.NONE, current.control.prompt):
            self.last_prompt = previous.control.prompt
        is_same = _look_alike(previous, current)
        self.unchanged_steps = self.unchanged_steps + is_step if is_same else 0
        if is_step:
            self.anti_stuck.update(previous, current, action, is_progress=is_progress)
        button = self._actions.actions[action].button
        return Transition(
            previous,
            current,
            button if button == action else action,
            reached,
            visit.is_new_tile,
            visit.is_first_visit,
            visit.is_new_map,
            self._defeat.update(current),
            button,
        )

    def count(self, breakdown: RewardBreakdown, total: float) -> None:
        """Add a step's reward, `total` in all, to the sums."""
        self.total += total
        for name, value in breakdown.components:
            if value:
                self.sums[name] = self.sums.get(name, 0.0) + value

    def save(self) -> dict[str, Any]:
        """Return all of it, JSON-able."""
        return {
            "segments": [segment.pack() for segment in self.now.segments],
            "reached_before": self.origin.reached,
            "idle_steps": self.idle_steps,
            "total": self.total,
            "sums": self.sums,
            "battles_won": self.battles_won,
            "badges_at_start": self._badges_at_start,
            "milestones": self.milestones.steps,
            "tiles": self.tiles.save(),
            "anti_stuck": self.anti_stuck.save(),
            "defeat": self._defeat.beaten,
            "unchanged_steps": self.unchanged_steps,
            "last_prompt": self.last_prompt,
        }

    def restore(self, saved: dict[str, Any]) -> None:
        """Put back what `save` returned."""
        *lead, own = unpack_segments(saved["segments"])
        self.origin = Origin(tuple(lead), tuple(saved["reached_before"]))
        self.random = own.random
        self.inputs = bytearray(own.actions)
        self.live = list(own.live)
        self._log = ChoiceLog(own.choices, len(own.actions))
        self.chosen = UNKNOWN, ""
        self.idle_steps = int(saved["idle_steps"])
        self.total = float(saved["total"])
        self.sums = dict(saved["sums"])
        self.battles_won = int(saved["battles_won"])
        self._badges_at_start = int(saved["badges_at_start"])
        self.milestones.steps = dict(saved["milestones"])
        self.tiles.restore(saved["tiles"])
        self.anti_stuck.restore(saved["anti_stuck"])
        self._defeat.beaten = saved["defeat"]
        self.unchanged_steps = int(saved.get("unchanged_steps", 0))
        self.last_prompt = Prompt(saved.get("last_prompt", ""))


def segments_in(saved: bytes) -> tuple[Segment, ...]:
    """Return the inputs that led to where `GameEnv.save` was called.

    Raises:
        CheckpointError: It was not saved by this version.
    """
    facts, _ = unpack_env(saved)
    return unpack_segments(facts["episode"]["segments"])


def _look_alike(one: GameState, other: GameState) -> bool:
    """Return whether a player sees no difference between two states, but for who walks about."""
    before, after, here, there = one.control, other.control, one.place, other.place
    return (
        (here.x, here.y, here.facing, here.map) == (there.x, there.y, there.facing, there.map)
        and one.screen_text == other.screen_text
        and (before.cursor, before.prompt) == (after.cursor, after.prompt)
        and (before.selection, before.pocket) == (after.selection, after.pocket)
        and _healths(one) == _healths(other)
    )


def _healths(state: GameState) -> list[int]:
    battle = state.battle
    return [one.hp for one in (battle.own, battle.enemy) if one] if battle else []


def _others_alive(own: Creature, party: tuple[Creature, ...]) -> bool:
    """Return whether another creature of the party than the one in battle, `own`, can fight.

    The party's copy of the fighting creature's health lags to the turn's end, so creatures that
    look alike are taken for the one in battle.
    """
    return any(
        creature.hp > 0 and (creature.species, creature.level) != (own.species, own.level)
        for creature in party
    )
