"""Play a game once, from power-on to a goal, and report what happened on the way.

`python -m engine.bench.playthrough ORDER` does it in a process of its own and prints its report so
far as a line of JSON every second, and at the end. SIGTERM ends it after the current step.
"""

import json
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self

from pydantic import TypeAdapter

from engine.bench.kept_games import KeptGame
from engine.bench.play_notes import Mark, Playthrough, Situation, StandstillWatch
from engine.config import RunConfig
from engine.demos.recorder import batch_of
from engine.env.stepping import SteppedEnv, make_game_env
from engine.errors import PokeTUIError
from engine.ground.text import counted
from engine.planning.goals.planned import PlannedAdvisor
from engine.sessions.recording.players import RULES, LoadedPlayer, load_player

_REPORT_INTERVAL_S = 1.0
_SAVE_INTERVAL_S = 60.0
_WHITEOUT = "whiteout"

Report = Callable[[Playthrough], None]
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Order:
    """What to play.

    Attributes:
        config: The game, its seed, and the goal in `env.goal`.
        agent: "rules", "random", or the name of a cloned policy or a run.
        steps: Step limit; 0: as in the settings, with which a policy was trained.
        minutes: Time limit by the clock.
        resumes: Whether to resume the game if it was played before.
    """

    config: RunConfig
    agent: str
    steps: int
    minutes: float
    resumes: bool = True

    def encode(self) -> str:
        """Return it as JSON."""
        return TypeAdapter(Order).dump_json(self).decode()

    @classmethod
    def decode(cls, text: str) -> Self:
        """Read what `encode` returned."""
        return TypeAdapter(cls).validate_json(text)


@dataclass(slots=True)
class _Memory:
    """All that is remembered of a game besides its environment.

    Attributes:
        at_start: Keys of the milestones that were reached before the first step.
        random: State of the generator that the player draws from.
    """

    found: Playthrough
    at_start: frozenset[str]
    watch: StandstillWatch = field(default_factory=StandstillWatch)
    random: dict[str, Any] = field(default_factory=dict)


def play(
    order: Order,
    report: Report = lambda found: None,
    say: Say = lambda text: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Playthrough:
    """Play once, or resume what was kept of it.

    Args:
        order: What to play.
        report: Called about every second, and at the end.
        say: Takes lines for the user.
        should_stop: Asked before each step.

    Raises:
        PokeTUIError: The game or the agent is unusable.
    """
    player = load_player(order.agent, order.config)
    stepped, advisor = _open(order, player)
    try:
        game = _Game(order, player, stepped, advisor, say)
        return _play(game, report, should_stop)
    finally:
        stepped.close()


def _open(order: Order, player: LoadedPlayer) -> tuple[SteppedEnv, PlannedAdvisor | None]:
    config = order.config
    if player.frames is not None:
        config = config.model_copy(update={"env": config.env.pressed(player.frames)})
    if order.steps and config.env.stuck_steps < 0:  # training is no standstill
        endless = config.env.model_copy(update={"stuck_steps": 0})
        config = config.model_copy(update={"env": endless})
    env = make_game_env(config, 0)
    if order.steps:
        env.limit_steps(order.steps)
    advisor = PlannedAdvisor(env.game, 0, config.seed) if order.agent == RULES else None
    return SteppedEnv(env, advisor, sight=player.sight), advisor


class _Game:
    """A game while it is played."""

    def __init__(
        self,
        order: Order,
        player: LoadedPlayer,
        stepped: SteppedEnv,
        advisor: PlannedAdvisor | None,
        say: Say,
    ) -> None:
        self.found = Playthrough(order.config.seed)
        self._order = order
        self._choose = player.choose
        self._random = player.random
        self._stepped = stepped
        self._advisor = advisor
        self._say = say
        self._kept: KeptGame | None = None
        if player.random is not None:  # what a network remembers cannot be kept
            self._kept = KeptGame(order.config, order.agent, stepped.env, say)
        if not (order.resumes and self._resume()):
            stepped.begin(order.config.seed)
            self._memory = _Memory(self.found, stepped.env.milestones)
        self._began_s = time.monotonic() - 60 * self.found.minutes

    def _resume(self) -> bool:
        """Go to where the game was kept; return whether it was."""
        kept = self._kept.load() if self._kept else None
        if kept is None:
            return False
        memory = TypeAdapter(_Memory).validate_python(kept[0])
        found, order = memory.found, self._order
        if found.steps > order.steps or (found.is_success and found.minutes > order.minutes):
            self._say("starts anew: it was played beyond these limits before")
            return False
        self._memory, self.found = memory, found
        self._stepped.restore(kept[1])
        if self._random is not None:
            self._random.bit_generator.state = memory.random
        found.ending = "goal reached" if found.is_success else self._limit()
        done = "was played before" if found.ending else "resumes"
        self._say(f"{done}, after {counted(found.steps, 'step')}")
        return True

    def step(self) -> None:
        """Do a step, and note what it led to."""
        stepped, found = self._stepped, self.found
        env, before = stepped.env, stepped.env.state
        action = int(self._choose(batch_of(stepped)).actions[0])
        _, found.is_success, is_truncated = stepped.step(action)
        found.steps += 1
        found.frames += env.step_frames
        found.minutes = (time.monotonic() - self._began_s) / 60
        found.whiteouts += _WHITEOUT in env.breakdown.payers
        found.spent.add(before, is_unchanged=env.unchanged_steps > 0)
        new = env.milestones - self._memory.at_start - found.milestones.keys()
        found.milestones |= {key: Mark(found.steps, found.minutes) for key in sorted(new)}
        found.note(env.state)
        self._memory.watch.update(env.state, found.steps, is_milestone=bool(new))
        found.stuck = self._memory.watch.longest
        spent = "out of steps" if is_truncated else self._limit()
        found.ending = "goal reached" if found.is_success else spent

    def _limit(self) -> str:
        """Return which limit is reached, "" if none is."""
        order, found = self._order, self.found
        if 0 < order.steps <= found.steps:
            return "out of steps"
        return "out of time" if found.minutes >= order.minutes else ""

    def look(self) -> Playthrough:
        """Return what was found so far, and where the game stands."""
        stepped = self._stepped
        goal = stepped.goal.text if stepped.goal else ""
        aside = self._advisor.set_aside if self._advisor else ()
        self.found.last = Situation.of(stepped.env.state, goal, stepped.reason, aside)
        return self.found

    def save(self) -> None:
        """Keep the game."""
        if self._kept is not None and self._random is not None:
            self.look()
            self._memory.random = dict(self._random.bit_generator.state)
            facts = TypeAdapter(_Memory).dump_python(self._memory, mode="json")
            self._kept.save(facts, self._stepped.save())


def _play(game: _Game, report: Report, should_stop: Callable[[], bool]) -> Playthrough:
    reported_s = saved_s = time.monotonic()
    was_played = bool(game.found.ending)
    while not game.found.ending and not should_stop():
        game.step()
        now_s = time.monotonic()
        if now_s - reported_s >= _REPORT_INTERVAL_S:
            reported_s = now_s
            report(game.look())
        if now_s - saved_s >= _SAVE_INTERVAL_S:
            saved_s = now_s
            game.save()
    if not was_played:
        game.save()
    report(game.look())
    return game.found


def main() -> int:
    """Play what the first argument orders; print lines of JSON."""
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())

    def say(facts: dict[str, Any]) -> None:
        print(json.dumps(facts), flush=True)

    try:
        play(
            Order.decode(sys.argv[1]),
            lambda found: say(found.facts()),
            lambda text: say({"note": text}),
            stop.is_set,
        )
    except PokeTUIError as error:
        say({"error": error.message, "hint": error.hint})
        return 2
    except (KeyboardInterrupt, BrokenPipeError):  # whoever started it has what is known
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
