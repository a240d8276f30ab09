"""A session without an engine: it records commands and answers as the engine would.

    python -m tests.pokeTUI.fake_session

shows the application on it.
"""

import sys
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from engine import commands, events
from engine.commands import Command
from engine.config import RunConfig
from engine.events import Event
from engine.types import (
    Action,
    Bag,
    Battle,
    BattleKind,
    Control,
    Creature,
    Decision,
    Edge,
    EpisodeSummary,
    Facing,
    GameState,
    Goal,
    MapId,
    MapObject,
    MapView,
    Place,
    RewardBreakdown,
    Source,
    TileKind,
    Warp,
)
from tests.benchmarks.cockpit.scripted import CURRICULUM, RUN, STATUS
from tests.pokeTUI.scenery import draw_frame

MILESTONES = (
    ("left_house", "left the house"),
    ("met_professor", "met DR. ALDER"),
    ("got_starter", "got a first creature"),
    ("reached_path", "reached MILLBROOK PATH"),
    ("first_win", "won a battle"),
    ("reached_town", "reached STONEHOLLOW"),
    ("entered_gym", "entered the gym"),
    ("beat_trainers", "beat both trainers"),
    ("first_badge", "won the COBBLE BADGE"),
)
COMPONENTS = (
    "milestone", "badge", "exploration", "map", "level", "battle", "heal", "stuck", "whiteout",
    "step",
)  # fmt: skip
_MAP = (
    "####################",
    "##HHHHH##########~~#",
    "##HHHHH#......##~~~#",
    "##HHDHH#.......~~~~#",
    "#..................#",
    '#...."""".........##',
    '#....""""....#.....#',
    '#....""""....#.....#',
    "#.............#....#",
    "######__________####",
    "#..................#",
    "#...................",
    "#...................",
    "#...................",
    '#."""..........""".#',
    '#."""..........""".#',
    "#..................#",
    "####################",
)
_TILES = {
    "#": TileKind.WALL,
    "H": TileKind.WALL,
    "D": TileKind.DOOR,
    ".": TileKind.FLOOR,
    '"': TileKind.GRASS,
    "~": TileKind.WATER,
    "_": TileKind.LEDGE,
}


class FakeMailbox:
    """A list of events."""

    def __init__(self) -> None:
        self.waiting: list[Event] = []
        self.before_drain: Callable[[], None] | None = None

    def drain(self) -> list[Event]:
        if self.before_drain is not None:
            self.before_drain()
        drained, self.waiting = self.waiting, []
        return drained


class FakeSession:
    """Answer commands at once with the events of an engine."""

    def __init__(self) -> None:
        self.mailbox = FakeMailbox()
        self.sent: list[Command] = []
        self.is_alive = False
        self.saves_on_stop = True
        self.status = make_status()

    def start(self) -> None:
        self.is_alive = True

    def post(self, *new: Event) -> None:
        self.mailbox.waiting.extend(new)

    def post_all(self) -> None:
        """Post one of everything that fills the screen."""
        self.post(make_run(), *one_of_everything())

    def send(self, command: Command) -> None:
        self.sent.append(command)
        match command:
            case commands.Pause():
                self._change(is_paused=True)
            case commands.Resume():
                self._change(is_paused=False)
            case commands.SetSpeed(actions_per_s=speed):
                self._change(speed=speed)
            case commands.Watch(env_index=env_index):
                self._change(watched_env=env_index)
            case commands.TakeOver():
                self.post(events.ControlChanged(True))
                self._change(is_human=True)
            case commands.GiveBack():
                self.post(events.ControlChanged(False))
                self._change(is_human=False, is_live=False)
            case commands.PlayLive(is_live=is_live):
                self._change(is_live=is_live)
            case commands.Save():
                self.post(events.CheckpointSaved("saves/x.zip", self.status.total_steps))
            case commands.Stop(reason=reason) if self.saves_on_stop:
                self.finish(reason)
            case _:
                pass

    def finish(self, reason: str = "quit") -> None:
        self.post(events.RunStopped(reason, self.status.total_steps, "saves/x.zip"))
        self.is_alive = False

    def _change(self, **changes: object) -> None:
        self.status = replace(self.status, **changes)  # type: ignore[arg-type]
        self.post(self.status)


def make_status(**changes: object) -> events.StatusChanged:
    return replace(STATUS, **changes)  # type: ignore[arg-type]


def make_run(num_envs: int = 16) -> events.RunStarted:
    return replace(
        RUN,
        run_id="mossy-otter-7",
        run_dir="saves/runs/mossy-otter-7",
        num_envs=num_envs,
        milestones=MILESTONES,
    )


def make_creature(name: str, level: int, hp: int, max_hp: int, status: str = "") -> Creature:
    return Creature(species=1, name=name, level=level, hp=hp, max_hp=max_hp, status=status)


def make_game(
    *,
    x: int = 9,
    y: int = 12,
    facing: Facing = Facing.DOWN,
    party: tuple[Creature, ...] | None = None,
    battle: Battle | None = None,
    screen_text: tuple[str, ...] = (),
    name: str = "MILLBROOK PATH",
) -> GameState:
    if party is None:
        party = (
            make_creature("RILLET", 11, 27, 34),
            make_creature("FLITJAY", 6, 8, 21, "poison"),
            make_creature("PEBBLIT", 5, 2, 19),
            make_creature("GRUBBUD", 4, 0, 15),
        )
    control = Control(True, True, False, False, False, False, (0, 0), (0, 0))
    place = Place(MapId(1, 2), name, x, y, facing, "route")
    return GameState(
        place=place,
        control=control,
        party=party,
        battle=battle,
        badges=(0, 0),
        money=2860,
        play_time_s=754.0,
        caught=4,
        seen=7,
        bag=Bag(),
        event_flags=bytes(256),
        caught_flags=bytes(32),
        screen_text=screen_text,
        map=make_map(),
    )


def make_map() -> MapView:
    """Draw a route with a house, a pond, grass, a ledge, two people and a sign."""
    kinds = np.array([[_TILES[char] for char in row] for row in _MAP], np.uint8)
    warps = (Warp(4, 3, MapId(1, 9), 1, "HOME 1F"),)
    people = (MapObject(1, 3, 12, 8), MapObject(2, 5, 6, 13))
    edges = (Edge("east", MapId(1, 3), "STONEHOLLOW"),)
    return MapView(
        20, 18, kinds, warps, people, frozenset({"east"}), ((7, 4),), edges=edges, kinds=kinds
    )


def observe(game: GameState, goal: Goal | None = None) -> events.GameObserved:
    """Return what is told of a game: the way east, and the tiles of the way here."""
    visited = np.zeros((18, 20), bool)
    visited[4:13, 9] = True
    visited[4, 4:9] = True
    path = tuple((x, 12) for x in range(10, 20))
    return events.GameObserved(game, goal, frozenset(), path, visited)


def make_battle(hp: int = 12) -> Battle:
    return Battle(
        BattleKind.WILD, 0, make_creature("RILLET", 11, 27, 34), make_creature("WHISKIT", 5, hp, 18)
    )


def make_reward() -> events.RewardPaid:
    values = (15.0, 0.0, 6.42, 1.5, 2.5, 3.0, 0.5, -0.86, -1.0, -0.64)
    means = (18.25, 1.2, 7.9, 2.11, 3.05, 2.6, 0.71, -1.43, -0.4, -2.1)
    steps = (0.0, 0.0, 0.02, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.002)
    return events.RewardPaid(
        step=RewardBreakdown(tuple(zip(COMPONENTS, steps, strict=True))),
        episode=tuple(zip(COMPONENTS, values, strict=True)),
        run=tuple(zip(COMPONENTS, means, strict=True)),
    )


def make_episode(number: int, total: float, *, is_success: bool = False) -> events.EpisodeEnded:
    return events.EpisodeEnded(
        episode=number,
        total_steps=number * 1400,
        summary=EpisodeSummary(0, total, 1400, (), is_success=is_success),
    )


def make_curriculum(**changes: object) -> events.CurriculumChanged:
    return replace(CURRICULUM, **changes)  # type: ignore[arg-type]


def make_decision(step: int, source: Source, reason: str, confidence: float) -> events.DecisionMade:
    return events.DecisionMade(step, Decision(Action.RIGHT, source, confidence, reason))


def make_goal() -> Goal:
    return Goal("reached_town", "Follow MILLBROOK PATH east to STONEHOLLOW", MapId(1, 3), (39, 8))


def make_measured() -> events.SystemMeasured:
    gb, mb = 1024**3, 1024**2
    return events.SystemMeasured(
        cores=(0.97, 0.5),
        num_cores=2,
        load_average=1.8,
        processes=(
            events.ProcessUse("trainer", 1, 412 * mb),
            events.ProcessUse("workers", 2, 310 * mb),
            events.ProcessUse("evaluation", 1, 380 * mb),
        ),
        memory_used=2 * gb,
        memory_total=8 * gb,
        gpus=(),
        disk_free=30 * gb,
        disk_total=60 * gb,
        run_bytes=14 * mb,
        speeds=(0.0, 400.0, 900.0, 1234.0),
        checkpoints=((62.0, 0.3), (123.0, 0.41)),
        history_bytes=3 * mb,
        history_bytes_per_hour=36.0 * mb,
    )


def one_of_everything() -> list[Event]:
    rng = np.random.default_rng(0)
    curve = [
        make_episode(
            number,
            float(60 / (1 + np.exp(-(number - 40) / 12)) + rng.normal(0, 4)),
            is_success=bool(rng.random() < max(0.0, (number - 40) / 60)),
        )
        for number in range(1, 88)
    ]
    reached = frozenset(key for key, _ in MILESTONES[:5])
    text = ("A wild WHISKIT", "appeared!")
    game = make_game(battle=make_battle(), screen_text=text)
    losses = {"entropy": 1.234, "value_loss": 0.087, "policy_loss": -0.01}
    return [
        events.ProgressReported("reading the game"),
        events.FrameRendered(draw_frame(40, has_text_box=True), 0),
        events.GameObserved(game, make_goal(), reached),
        make_status(),
        make_reward(),
        events.PayoutMade(310, "milestone", 5.0, "won a battle"),
        events.PayoutMade(318, "exploration", 0.02, "first visit to 39,8"),
        events.PayoutMade(320, "map", 0.5, "first visit to MILLBROOK PATH"),
        events.ReasoningLogged(301, "planner", "goal set: follow MILLBROOK PATH to STONEHOLLOW"),
        make_decision(305, Source.PLANNER, "right: 14 tiles to the east edge of the map", 0.92),
        make_decision(312, Source.POLICY, "the policy is surer than the plan", 0.81),
        events.ReasoningLogged(314, "rules", "a wild battle began"),
        make_decision(318, Source.RULES, "A: SPLASH is strong against WHISKIT", 0.75),
        make_decision(321, Source.POLICY, "the policy agrees with the plan", 0.97),
        *curve,
        make_curriculum(),
        events.PolicyUpdated(41, 123000, losses),
        make_measured(),
    ]


def main() -> None:
    """Run the application, with everything on the screen."""
    from pokeTUI.app.cockpit import CockpitApp

    session = FakeSession()
    session.post_all()
    app = CockpitApp(session, RunConfig())
    app.run()
    sys.exit(app.return_code)


if __name__ == "__main__":
    main()
