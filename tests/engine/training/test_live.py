"""Live play of the practice game, through the trainer as the outside sees it."""

from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from engine.commands import GiveBack, Hold, Pause, PlayLive, Press, Resume, Stop, TakeOver, Watch
from engine.config import EnvConfig, RunConfig
from engine.emulator.base import GAME_BOY_FRAMES_PER_S as FRAMES_PER_S
from engine.env.vector.world import PLAIN_FACTORY, VectorEnv
from engine.events import (
    CheckpointSaved,
    CommandRefused,
    EpisodeEnded,
    FrameRendered,
    GameObserved,
    PolicyUpdated,
    RewardPaid,
    StatusChanged,
)
from engine.loop.live import IDLE_S, SHORTEST_HOLD_FRAMES
from engine.types import Action, Facing
from tests.engine.training.helpers import Clock, Run

LEFT, RIGHT = frozenset({Action.LEFT}), frozenset({Action.RIGHT})
NOTHING: frozenset[Action] = frozenset()
FRAME_S = 1 / FRAMES_PER_S


def make_games(config: RunConfig) -> VectorEnv:
    return VectorEnv(PLAIN_FACTORY, config, config.num_envs, 1)


def settings(folder: Path) -> dict[str, Any]:
    env = EnvConfig(max_steps=200)
    return {"make_vector": make_games, "num_envs": 2, "env": env, "save_dir": str(folder)}


def frames_of(vector: VectorEnv, note: Callable[[], object] = lambda: None) -> list:
    """Return a list to which each of a vector's live frames adds the buttons held in it."""
    held: list[frozenset[Action]] = []
    inner = vector.play_frames

    def spy(index, buttons, frames, *, shows):
        held.extend([buttons] * frames)
        note()
        return inner(index, buttons, frames, shows=shows)

    vector.play_frames = spy
    return held


class Game:
    """A run on the practice game of which a person has taken control, and its clock."""

    def __init__(self, folder: Path) -> None:
        self.clock = Clock()
        self.run = Run(folder, clock=self.clock, headless=False, **settings(folder))
        self.trainer = self.run.trainer
        self.trainer.reporter.watch(1)
        self.obey = self.run.obey
        self.obey(TakeOver())

    def pass_frames(self, frames: int) -> None:
        """Let time pass, frame by frame, with the trainer's loop looking at each."""
        for _ in range(frames):
            self.clock.now_s += FRAME_S
            if self.trainer.handler.controls.is_live:
                self.trainer.handler.live.advance()

    @property
    def place(self):
        return self.run.of(GameObserved)[-1].state.place

    @property
    def status(self) -> StatusChanged:
        return self.run.of(StatusChanged)[-1]


@pytest.fixture
def game(tmp_path: Path) -> Iterator[Game]:
    game = Game(tmp_path)
    yield game
    game.run.vector.close()


def test_holding_a_direction_walks_and_giving_back_leaves_the_game_at_rest(game):
    game.obey(PlayLive(True))
    game.pass_frames(12)
    x = game.place.x
    game.obey(Hold(LEFT))
    game.pass_frames(8 + 2 * 16 - 4)
    game.obey(GiveBack())
    assert (game.place.x, game.place.facing) == (x - 2, Facing.LEFT)
    assert (game.status.is_human, game.status.is_live) == (False, False)
    seen = game.place
    game.trainer.step()
    assert game.run.refusals == []
    assert abs(game.place.x - seen.x) + abs(game.place.y - seen.y) <= 1


def test_live_runs_at_the_games_pace_and_shows_half_of_the_frames(game):
    game.obey(PlayLive(True))
    shown, read = len(game.run.of(FrameRendered)), len(game.run.of(RewardPaid))
    game.pass_frames(600)
    frames = len(game.run.of(FrameRendered)) - shown
    readings = len(game.run.of(RewardPaid)) - read
    assert 58 <= readings <= 62
    assert 295 <= frames - readings <= 305, "30 a second, beside those of the readings"


def test_after_a_stall_the_game_does_not_hurry(game):
    game.obey(PlayLive(True))
    game.pass_frames(10)
    ran = frames_of(game.trainer.state.vector)
    game.clock.now_s += 5.0
    game.pass_frames(30)
    assert len(ran) <= 31
    ran.clear()
    game.clock.now_s += 2 * FRAME_S
    game.pass_frames(30)
    assert 31 <= len(ran) <= 33, "a small delay is made up for"


def test_the_shortest_tap_reaches_the_game(game):
    game.obey(PlayLive(True))
    game.pass_frames(12)
    held = frames_of(game.trainer.state.vector)
    game.obey(Hold(LEFT), Hold(NOTHING), Hold(RIGHT), Hold(RIGHT), Hold(NOTHING))
    game.pass_frames(40)
    runs = [(buttons, len(list(frames))) for buttons, frames in groupby(held)]
    assert runs[:3] == [(buttons, SHORTEST_HOLD_FRAMES) for buttons in (LEFT, NOTHING, RIGHT)]
    assert [buttons for buttons, _ in runs[3:]] == [NOTHING]


def test_status_says_whether_the_game_runs_live(game):
    assert not game.status.is_live
    game.obey(PlayLive(True))
    assert game.status.is_live
    game.obey(PlayLive(True), PlayLive(False))
    assert (game.status.is_live, game.status.is_human) == (False, True)
    game.obey(PlayLive(False), Press(Action.LEFT))
    assert game.run.refusals == []


def test_live_play_refuses_what_it_cannot_do_with_a_reason(game):
    game.obey(Hold(LEFT))
    game.obey(PlayLive(True), Press(Action.A), Watch(0))
    game.obey(GiveBack(), PlayLive(True))
    refused = [(each.command, each.reason) for each in game.run.of(CommandRefused)]
    assert refused == [
        ("Hold", "The game does not run in real time."),
        ("Press", "The game runs in real time."),
        ("Watch", "Give control back first."),
        ("PlayLive", "Take control first."),
    ]


def test_only_the_watched_game_runs_and_nothing_is_learnt(game):
    before = game.trainer.state.vector.save()
    game.obey(PlayLive(True), Hold(LEFT))
    game.pass_frames(60)
    after = game.trainer.state.vector.save()
    assert [old == new for old, new in zip(before, after, strict=True)] == [True, False]
    assert game.trainer.state.tally.is_touched.tolist() == [False, True]
    assert game.trainer.state.metrics.total_steps == 0
    assert game.run.of(PolicyUpdated) + game.run.of(EpisodeEnded) == []


def test_a_pause_stops_the_game_and_a_long_one_ends_live_play(game):
    game.obey(PlayLive(True), Hold(LEFT))
    game.pass_frames(24)
    game.obey(Pause())
    shown = len(game.run.of(FrameRendered))
    game.pass_frames(60)
    assert len(game.run.of(FrameRendered)) == shown
    game.obey(Resume())
    assert game.status.is_live
    game.obey(Pause())
    game.clock.now_s += IDLE_S + 1
    game.pass_frames(1)
    assert (game.status.is_live, game.status.is_human) == (False, True)


def test_a_checkpoint_in_live_play_is_of_a_game_at_rest_and_play_goes_on(game):
    game.obey(PlayLive(True), Hold(LEFT))
    game.pass_frames(20)
    x, vector = game.place.x, game.trainer.state.vector
    game.trainer.save()
    assert game.run.of(CheckpointSaved)
    saved = vector.save()
    game.pass_frames(20)
    assert game.place.x < x
    vector.load(saved)
    vector.watch(1)
    still = vector.inspect().state.place
    vector.step_one(1, Action.NOOP)
    assert vector.inspect().state.place == still


def test_a_run_that_is_stopped_in_live_play_saves_and_resumes(tmp_path):
    run = Run(tmp_path, clock=Clock(tick_s=1e-3), headless=False, **settings(tmp_path))
    ran = frames_of(run.vector, lambda: len(ran) > 20 and run.commands.put(Stop()))
    for command in (Watch(1), TakeOver(), PlayLive(True), Hold(LEFT)):
        run.commands.put(command)
    run.play()
    run.vector.close()
    assert len(ran) >= 20
    assert not run.of(StatusChanged)[-1].is_live
    other = Run(tmp_path, total_steps=4, **settings(tmp_path)).resume()
    assert other.play().total_steps >= 4
    other.vector.close()
