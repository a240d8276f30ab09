"""Another game trains, is recorded, replayed and cloned, and the cockpit shows it."""

import re
from pathlib import Path

import pytest

from engine.commands import Hold, Pause, PlayLive, Press, StepOnce, TakeOver
from engine.config import EnvConfig, RunConfig
from engine.demos.demonstration import read_demo
from engine.demos.recorder import record_actions
from engine.events import DecisionMade, FrameRendered, GameObserved, ReasoningLogged, RunStarted
from engine.planning.models.prompt import Notes, compose
from engine.planning.models.single_plan import first_situation
from engine.runs.checkpoint import CheckpointStore
from engine.sessions.replay import ReplaySession
from engine.sessions.replay_sources import RecordedDemo
from engine.sessions.train import EngineSession
from pokeTUI.app.cockpit import CockpitApp
from tests.engine.sessions.recording.conftest import Watcher
from tests.pokeTUI.conftest import comes_to_show, screen_text
from tests.pokeTUI.in_process import poketui
from tests.toy_game.playing import begin_recording, command, end_recording

pytestmark = pytest.mark.slow

FRAME_SHAPE = (96, 120, 3)
NAMES = ("NORTH", "EAST", "SOUTH", "WEST", "WAIT")
WAIT = 4
TO_THE_KEY = bytes((2, 2, 2, 3, WAIT))
NOT_OF_THE_RUN = {"config", "uptime_s", "history"}
"""Facts of a checkpoint that tell of the clock and of rows in a file."""
SMALL = ("--set", "ppo.rollout_steps=16", "--set", "ppo.minibatch_size=32",
         "--set", "ppo.hidden_size=32", "--set", "ppo.distillation_gradients=4",
         "--set", "env.max_steps=50", "--set", "env.progress_steps=0")  # fmt: skip


def train(rom: str, folder: Path, agent: str, steps: int) -> None:
    options = ("--agent", agent, "--envs", "2", "--workers", "1", "--steps", str(steps))
    command(rom, folder, "run", "--headless", "--quiet", *options, *SMALL)


def outcome(folder: Path) -> tuple[str, object]:
    """Return a run's journal and its last checkpoint."""
    (found,) = folder.glob("runs/*")
    checkpoint, *_ = CheckpointStore(found / "checkpoints", keep=3).load_newest()
    arrays = {name: array.tobytes() for name, array in checkpoint.arrays.items()}
    facts = {name: fact for name, fact in checkpoint.facts.items() if name not in NOT_OF_THE_RUN}
    return (found / "journal.jsonl").read_text(), (arrays, facts, dict(checkpoint.blobs))


@pytest.mark.parametrize("agent", ["ppo", pytest.param("dqn", marks=pytest.mark.slow)])
def test_a_run_resumes_bit_for_bit(rom: str, tmp_path: Path, agent: str) -> None:
    train(rom, tmp_path / "whole", agent, 160)
    train(rom, tmp_path / "halves", agent, 90)
    resume = ("run", "--headless", "--quiet", "--resume", "latest", "--steps", "160")
    assert poketui(*resume, "--save-dir", str(tmp_path / "halves")).returncode == 0
    journal, checkpoint = outcome(tmp_path / "whole")
    assert "took_key" in journal
    assert (journal, checkpoint) == outcome(tmp_path / "halves")


def test_a_planner_is_told_which_game_it_plans_for(rom: str) -> None:
    config = RunConfig(rom_path=rom)
    request = compose(first_situation(config), Notes(), max_tokens=8000, settings=config.planner)
    assert "plays a game of lanterns to be lit. " in request.system
    assert "Game Boy" not in request.system + request.user


def test_a_demonstration_is_recorded_and_replayed_exactly(rom: str, tmp_path: Path) -> None:
    config = RunConfig(rom_path=rom, save_dir=str(tmp_path))
    path, demo = record_actions(TO_THE_KEY, config, tmp_path / "demos")
    assert read_demo(path).recording == demo.recording
    assert "exactly as recorded" in command(rom, tmp_path, "demos", "validate", str(path))


def test_the_rules_record_demonstrations_and_a_policy_is_cloned(rom: str, tmp_path: Path) -> None:
    command(rom, tmp_path, "record", "--headless", "--player", "rules", "--episodes", "2")
    files = [*map(str, tmp_path.glob("demos/*.demo"))]
    assert {read_demo(Path(file)).is_success for file in files} == {True}
    validated = command(rom, tmp_path, "demos", "validate", *files)
    assert validated.count("exactly as recorded") == 2
    small = ("--epochs", "2", "--hidden-size", "16", "--eval-episodes", "1")
    assert re.search(r"epoch +2 +loss", command(rom, tmp_path, "bc", *small))
    assert "WAIT" in poketui("demos", "stats", "--save-dir", str(tmp_path)).stdout


def test_a_person_records_a_demonstration_and_watches_it(rom: str, tmp_path: Path) -> None:
    config = RunConfig(rom_path=rom, save_dir=str(tmp_path))
    watcher = begin_recording(config)
    assert watcher.next(RunStarted).actions.names == NAMES
    watcher.press(TO_THE_KEY)
    watcher.send(PlayLive(True), Hold(frozenset({0})))  # north, in real time
    watcher.next(GameObserved, lambda event: event.state.place.y < 5)
    watcher.send(PlayLive(False))
    path, demo = end_recording(watcher)
    assert demo.recording.actions == TO_THE_KEY
    replay = ReplaySession(RecordedDemo.of(path, demo, config), speed=0)
    replay.start()
    watcher = Watcher(replay)
    assert watcher.next(FrameRendered).frame.shape == FRAME_SHAPE
    watcher.next(GameObserved, lambda event: "took_key" in event.milestones)
    assert replay.stop(300)


def test_words_about_actions_have_the_games_names(rom: str, tmp_path: Path) -> None:
    session = EngineSession(small_run(rom, tmp_path))
    watcher = Watcher(session)
    watcher.send(Pause(), StepOnce())
    session.start()
    watcher.next(GameObserved)
    watcher.send(TakeOver(), Press(1))
    reason = watcher.next(DecisionMade, lambda event: event.decision.action == 1).decision.reason
    assert reason == "You pressed EAST (agent: SOUTH)"
    assert session.stop(300)
    told = " ".join(event.text for event in watcher.all(ReasoningLogged))
    assert not re.search(r"\b(START|SELECT|UP|DOWN|LEFT|RIGHT)\b", told)


def small_run(rom: str, folder: Path) -> RunConfig:
    env = EnvConfig(max_steps=50, progress_steps=0)
    return RunConfig(
        rom_path=rom, save_dir=str(folder), num_envs=2, workers=1, agent="rules", env=env
    )


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_the_cockpit_shows_and_plays_it(
    rom: str, tmp_path: Path, size: tuple[int, int]
) -> None:
    config = small_run(rom, tmp_path)
    session = EngineSession(config)
    session.send(Pause())  # so that a person takes over where it begins
    session.send(StepOnce())
    app = CockpitApp(session, config)
    async with app.run_test(size=size, notifications=True) as pilot:
        assert await comes_to_show(pilot, "GARDEN 2,3")
        await pilot.press("t")
        assert await comes_to_show(pilot, "nswe walk  ")
        assert "z WAIT" in screen_text(pilot)
        frame = app.dashboard.frame
        assert frame.shape == FRAME_SHAPE
        for key, name in (("s", "SOUTH"), ("n", "NORTH")):
            await pilot.press(key)
            if size == (80, 24):
                await pilot.press("3")  # the pane with the decision is a tab here
            assert await comes_to_show(pilot, f"human   {name}")
    assert session.stop(300)
