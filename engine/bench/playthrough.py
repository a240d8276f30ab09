"""Play a game once, from power-on to a goal, and report what happened on the way.

`python -m engine.bench.playthrough ORDER` does it in a process of its own and prints its report so
far as a line of JSON every second, and at the end.
"""

import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from engine.config import RunConfig
from engine.demos.recorder import batch_of
from engine.env.stepping import SteppedEnv, make_game_env
from engine.errors import PokeTUIError
from engine.planning.goals.planned import PlannedAdvisor
from engine.sessions.recording.players import RULES, LoadedPlayer, load_player
from engine.types import GameState

STANDSTILL_STEPS = 500
"""Steps without a new tile or milestone after which the game is stuck."""

_REPORT_INTERVAL_S = 1.0
_WHITEOUT = "whiteout"


@dataclass(frozen=True, slots=True)
class Order:
    """What to play.

    Attributes:
        config: The game, its seed, and the goal in `env.goal`.
        agent: "rules", "random", or the name of a cloned policy or a run.
        steps: Step limit; 0: as in the settings, with which a policy was trained.
        minutes: Time limit by the clock.
    """

    config: RunConfig
    agent: str
    steps: int
    minutes: float

    def encode(self) -> str:
        """Return it as JSON."""
        facts = {"agent": self.agent, "steps": self.steps, "minutes": self.minutes}
        return json.dumps({**facts, "config": self.config.model_dump(mode="json")})

    @classmethod
    def decode(cls, text: str) -> Self:
        """Read what `encode` returned."""
        facts = json.loads(text)
        return cls(**{**facts, "config": RunConfig.model_validate(facts["config"])})


@dataclass(frozen=True, slots=True)
class Mark:
    """When something happened, in steps and minutes since the start."""

    steps: int
    minutes: float


@dataclass(frozen=True, slots=True)
class Standstill:
    """Where a game was stuck.

    Attributes:
        steps: Steps without a new tile or milestone.
        since: Steps before it began.
        map: Name of the map.
        tile: x and y.
        screen: Text on the screen after `STANDSTILL_STEPS` of these steps.
    """

    steps: int
    since: int
    map: str
    tile: tuple[int, int]
    screen: str


@dataclass(slots=True)
class Playthrough:
    """What happened with one seed so far.

    Attributes:
        milestones: By key, when each was reached.
        whiteouts: How often the whole party fainted and the player woke up elsewhere.
        stuck: The longest standstill of at least `STANDSTILL_STEPS`.
        frames: Of the game, in all steps.
        ending: Why it ended; "": it has not.
    """

    seed: int
    is_success: bool = False
    steps: int = 0
    minutes: float = 0.0
    milestones: dict[str, Mark] = field(default_factory=dict)
    whiteouts: int = 0
    stuck: Standstill | None = None
    ending: str = ""
    frames: int = 0

    def facts(self) -> dict[str, Any]:
        """Return it JSON-able."""
        return asdict(self)

    @classmethod
    def of(cls, facts: dict[str, Any]) -> Self:
        """Read what `facts` returned."""
        marks = {key: Mark(**mark) for key, mark in facts["milestones"].items()}
        stuck = facts["stuck"]
        if stuck is not None:
            stuck = Standstill(**{**stuck, "tile": tuple(stuck["tile"])})
        return cls(**{**facts, "milestones": marks, "stuck": stuck})


class _StandstillWatch:
    """Finds standstills; with every milestone all tiles count as new again."""

    def __init__(self) -> None:
        self._tiles: set[tuple[int, int, int, int]] = set()
        self._since = 0
        self._now: Standstill | None = None
        self.longest: Standstill | None = None

    def update(self, state: GameState, steps: int, *, is_milestone: bool) -> None:
        """Take the state after `steps` steps."""
        place = state.place
        tile = (place.map.group, place.map.number, place.x, place.y)
        if is_milestone:
            self._tiles.clear()
        if is_milestone or (state.control.is_free and tile not in self._tiles):
            self._tiles.add(tile)
            self._since, self._now = steps, None
            return
        idle = steps - self._since
        if idle < STANDSTILL_STEPS:
            return
        screen = self._now.screen if self._now else " / ".join(state.screen_text)
        where, at = (place.name, (place.x, place.y))
        if self._now is not None:
            where, at = self._now.map, self._now.tile
        self._now = Standstill(idle, self._since, where, at, screen)
        if self.longest is None or idle >= self.longest.steps:
            self.longest = self._now


def play(order: Order, report: Callable[[Playthrough], None] = lambda found: None) -> Playthrough:
    """Play once; `report` is called about every second, and at the end.

    Raises:
        PokeTUIError: The game or the agent is unusable.
    """
    player = load_player(order.agent, order.config)
    stepped = _open(order, player)
    try:
        return _play(order, player, stepped, report)
    finally:
        stepped.close()


def _open(order: Order, player: LoadedPlayer) -> SteppedEnv:
    config = order.config
    if player.frames is not None:
        config = config.model_copy(update={"env": config.env.pressed(player.frames)})
    env = make_game_env(config, 0)
    if order.steps:
        env.limit_steps(order.steps)
    advisor = PlannedAdvisor(env.game, 0, config.seed) if order.agent == RULES else None
    return SteppedEnv(env, advisor, sight=player.sight)


def _play(
    order: Order, player: LoadedPlayer, stepped: SteppedEnv, report: Callable[[Playthrough], None]
) -> Playthrough:
    found, watch = Playthrough(order.config.seed), _StandstillWatch()
    stepped.begin(order.config.seed)
    env, began_s = stepped.env, time.monotonic()
    at_start = env.milestones
    reported_s = began_s
    while not found.ending:
        action = int(player.choose(batch_of(stepped)).actions[0])
        _, is_terminated, is_truncated = stepped.step(action)
        now_s = time.monotonic()
        found.steps += 1
        found.frames += env.step_frames
        found.minutes = (now_s - began_s) / 60
        found.whiteouts += _WHITEOUT in env.breakdown.payers
        new = env.milestones - at_start - found.milestones.keys()
        found.milestones |= {key: Mark(found.steps, found.minutes) for key in sorted(new)}
        watch.update(env.state, found.steps, is_milestone=bool(new))
        found.stuck = watch.longest
        found.is_success = is_terminated
        found.ending = (
            "goal reached" if is_terminated
            else "out of steps" if is_truncated
            else "out of time" if found.minutes >= order.minutes
            else ""
        )  # fmt: skip
        if now_s - reported_s >= _REPORT_INTERVAL_S:
            reported_s = now_s
            report(found)
    report(found)
    return found


def main() -> int:
    """Play what the first argument orders; print lines of JSON."""

    def say(facts: dict[str, Any]) -> None:
        print(json.dumps(facts), flush=True)

    try:
        play(Order.decode(sys.argv[1]), lambda found: say(found.facts()))
    except PokeTUIError as error:
        say({"error": error.message, "hint": error.hint})
        return 2
    except (KeyboardInterrupt, BrokenPipeError):  # whoever started it has what is known
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
