"""Who plays while demonstrations are recorded."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from engine.commands import Press, Stop, TakeOver
from engine.config import EnvConfig, PlannerConfig, PPOConfig, RunConfig
from engine.demos.demonstration import NO_PROPOSAL
from engine.env.batch import Batch
from engine.env.observation.space import spaces_of_game
from engine.errors import CheckpointError, ConfigurationError
from engine.events import RecordingChanged, RecordingEnded, RunStarted, WarningRaised
from engine.games.catalog import load_game
from engine.imitation.demonstrations import read_examples
from engine.imitation.networks import build_network
from engine.imitation.policies import Policy
from engine.loop.controls import CommandQueue
from engine.runs.checkpoint import Checkpoint
from engine.runs.cloning_settings import CloningConfig, Inputs, NetworkKind
from engine.runs.policy_folders import PolicyFolder
from engine.sessions.record import DemoPoint, RecordingPlan, record_headless
from engine.sessions.recording.players import load_player
from engine.sessions.train import EngineSession
from engine.types import Action
from tests.engine.planning.models.fake_backends import until_no_thread_is_left
from tests.engine.planning.models.servers.scripted_ollama import OllamaServer
from tests.engine.planning.models.servers.scripted_planner import Character, ScriptedPlanner
from tests.engine.sessions.recording.conftest import Begin, assert_replays

pytestmark = pytest.mark.slow

PLANNER = RecordingPlan("p", episodes=1, player="planner")


def short(config: RunConfig, max_steps: int, **env: int) -> RunConfig:
    """Return the settings with episodes of so many steps."""
    return config.model_copy(
        update={"env": EnvConfig(max_steps=max_steps, progress_steps=0, **env)}
    )


def run_to_end(config: RunConfig, **settings: object) -> EngineSession:
    few = {"headless": True, "workers": 1, "tensorboard": False, **settings}
    run = EngineSession(config.model_copy(update=few))
    run.start()
    assert run.join(600)
    return run


def save_untrained(cloning: CloningConfig, config: RunConfig) -> tuple[PolicyFolder, Policy]:
    """Save a policy as if it had been cloned."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        spaces = spaces_of_game(load_game(config.rom_path))
        policy = Policy(cloning, spaces, build_network(cloning, spaces))
    folder = PolicyFolder.create(config.save_dir, {"cloning": cloning.model_dump()})
    folder.store(keep=1).save(Checkpoint(*policy.save()), 1)
    return folder, policy


def test_the_rules_fill_a_set_with_no_screen(config: RunConfig) -> None:
    told: list[object] = []
    plan = RecordingPlan("rules", episodes=1, player="rules", task="badge", tags=("shown",))
    end = record_headless(config, plan, told.append)
    assert end.reason == "the set has its demonstration"
    ended = [event for event in told if isinstance(event, RecordingEnded)]
    assert len(ended) == 1
    demos = assert_replays(config, "rules")
    for demo in demos:
        facts = (demo.by, demo.task, demo.tags, demo.is_success)
        assert facts == ("rules", "badge", {"shown"}, True)
        assert (demo.proposals == NO_PROPOSAL).all()
    before = {demo.recording.segments for demo in demos}
    record_headless(config, RecordingPlan("rules", episodes=2, player="rules"))
    after = {demo.recording.segments for demo in assert_replays(config, "rules")}
    assert before < after
    assert len(after) == 2


def test_with_no_screen_somebody_plays_and_it_ends(config: RunConfig) -> None:
    for plan in (RecordingPlan(episodes=3), RecordingPlan(player="rules")):
        with pytest.raises(ConfigurationError, match="--headless needs a player"):
            record_headless(config, plan)


def test_a_stop_saves_what_a_player_has_played(config: RunConfig) -> None:
    commands = CommandQueue()
    steps = 0

    def count(event: object) -> None:
        nonlocal steps
        steps += 1
        if steps == 30:
            commands.put(Stop("enough"))

    end = record_headless(config, RecordingPlan(episodes=5, player="random"), count, commands)
    assert end.reason == "enough"
    (demo,) = assert_replays(config)
    assert 0 < demo.episode_length == end.total_steps


def test_an_interrupted_recording_is_saved(config: RunConfig) -> None:
    def interrupt(event: object) -> None:
        if getattr(event, "episode_steps", 0) >= 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        record_headless(config, RecordingPlan(episodes=5, player="rules"), interrupt)
    (demo,) = assert_replays(config)
    assert demo.episode_length >= 20


def test_unknown_player_is_refused(config: RunConfig) -> None:
    with pytest.raises(CheckpointError, match="no cloned policy or run"):
        load_player("somebody", config)


@pytest.mark.parametrize("inputs", ["screen", "both"])
@pytest.mark.parametrize("network", ["ppo", "dqn", "impala", "nature", "tiny"])
def test_a_cloned_policy_sees_in_a_recording_what_it_was_cloned_from(
    config: RunConfig, network: NetworkKind, inputs: Inputs
) -> None:
    """From the start and from within a demonstration; so cold it takes the likeliest action."""
    cloning = CloningConfig(network=network, inputs=inputs, hidden_size=16, temperature=1e-6)
    folder, policy = save_untrained(cloning, config)
    plan = RecordingPlan("seen", episodes=1, player=folder.path.name)
    record_headless(short(config, 16), plan)
    (demo,) = assert_replays(config, "seen")
    assert (demo.by, demo.episode_length) == (f"policy-{folder.path.name}", 16)
    (path,) = plan.folder(config).glob("*.demo")
    within = RecordingPlan("on", episodes=1, player=folder.path.name, start=DemoPoint(str(path), 5))
    record_headless(short(config, 16), within)
    (again,) = assert_replays(config, "on")
    assert (again.begins_at, again.episode_length) == (5, 16)
    examples = read_examples(path, cloning, config)
    with torch.inference_mode():
        logits = policy.logits(
            examples.features, examples.pixels, torch.from_numpy(examples.masks)
        ).numpy()
    likeliest = np.where(examples.masks, logits, -np.inf).argmax(1)
    assert examples.actions.tolist() == demo.actions.tolist() == likeliest.tolist()
    if cloning.network not in {"ppo", "dqn"}:  # three frames of before are not known there
        assert again.actions.tolist() == demo.actions.tolist()


@pytest.mark.parametrize("character", ["oracle", "liar"])
def test_the_planner_is_recorded_and_its_goals_are_waited_for(
    config: RunConfig, character: Character
) -> None:
    """By an oracle's goals it comes to the badge; by a liar's nowhere."""
    told: list[object] = []
    with OllamaServer(ScriptedPlanner(character), models=("scripted:latest",)) as server:
        asked = {
            "llm_model": "scripted:latest",
            "llm_base_url": server.url,
            "planner": PlannerConfig(calls_per_minute=6000),
        }
        record_headless(
            short(config, 600).model_copy(update=asked),
            RecordingPlan("p", episodes=1, player="planner"),
            told.append,
        )
    (demo,) = assert_replays(config, "p")
    assert demo.by == "planner-scripted:latest"
    assert demo.is_success is (character == "oracle")
    assert not [event for event in told if isinstance(event, WarningRaised)]
    until_no_thread_is_left()


def test_a_planner_without_a_model_plays_by_the_rules_and_says_so(config: RunConfig) -> None:
    told: list[object] = []
    record_headless(short(config, 16), PLANNER, told.append)
    (demo,) = assert_replays(config, "p")
    assert demo.by == "planner"
    (warning,) = [event for event in told if isinstance(event, WarningRaised)]
    assert warning.message.startswith("No language model is set")


def test_a_player_that_fails_at_once_leaves_nothing(
    config: RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(seed: int, *_: object) -> Callable[[Batch], int]:
        def choose(batch: Batch) -> int:
            raise RuntimeError("it fell over")

        return choose

    monkeypatch.setattr("engine.sessions.recording.players.rules_policy", fail)
    with pytest.raises(RuntimeError, match="fell over"):
        record_headless(config, RecordingPlan("none", episodes=1, player="rules"))
    assert list(RecordingPlan("none").folder(config).iterdir()) == []


def test_a_run_and_a_cloned_policy_play(begin: Begin, config: RunConfig) -> None:
    """What a run learnt plays alone; a policy cloned from the screen is taken over from."""
    run = run_to_end(
        short(config, 40, wait_frames=14),
        num_envs=2,
        total_episodes=2,
        ppo=PPOConfig(rollout_steps=16, hidden_size=16, distillation_gradients=4),
    )
    record_headless(short(config, 40), RecordingPlan("run", episodes=1, player=run.run_id))
    (demo,) = assert_replays(config, "run")
    assert demo.by == f"run-{run.run_id}"
    assert (demo.recording.frames[:2], demo.episode_length) == ((8, 14), 40)

    folder, _ = save_untrained(CloningConfig(inputs="screen", hidden_size=16), config)
    watcher = begin(player=folder.path.name, set_name="policy", speed=20.0)
    assert watcher.next(RunStarted).agent == f"policy-{folder.path.name}"
    watcher.recording(is_recording=True)
    watcher.next(RecordingChanged, lambda now: now.steps >= 5)
    watcher.send(TakeOver())
    watcher.status(is_human=True)
    watcher.send(Press(Action.LEFT), Press(Action.UP))
    watcher.recording(human_steps=2)
    watcher.stop()
    (demo,) = assert_replays(config, "policy")
    assert demo.is_intervention.sum() == 2
    assert (demo.proposals != NO_PROPOSAL).sum() == 2


def test_a_demonstration_begins_within_a_runs_episode(begin: Begin, config: RunConfig) -> None:
    """A person is stopped by no count of steps, though the run's episodes had few."""
    run = run_to_end(short(config, 30), num_envs=1, agent="rules", total_episodes=1)
    for start in (DemoPoint(run.run_id, 29), DemoPoint(f"{run.run_dir}:1", 30)):
        watcher = begin(start=start, set_name="on")
        watcher.recording(is_recording=True)
        watcher.send(*[Press(Action.LEFT), Press(Action.DOWN)] * 4)
        watcher.recording(steps=8)
        watcher.stop()
    demos = assert_replays(config, "on")
    assert [(demo.begins_at, demo.episode_length) for demo in demos] == [(29, 37), (30, 38)]
    assert not any(demo.dones.any() for demo in demos)


def test_a_killed_session_loses_nothing(config: RunConfig) -> None:
    code = (
        "import os, signal, sys\n"
        "from engine.config import RunConfig\n"
        "from engine.sessions.record import DemoPoint, RecordingPlan, record_headless\n"
        "def kill(event):\n"
        "    if getattr(event, 'episode_steps', 0) >= 25: os.kill(os.getpid(), signal.SIGKILL)\n"
        "plan = RecordingPlan(episodes=2, player='rules')\n"
        "record_headless(RunConfig(save_dir=sys.argv[1]), plan, kill)\n"
    )
    killed = subprocess.run([sys.executable, "-c", code, config.save_dir], check=False)
    assert killed.returncode == -9
    assert list((Path(config.save_dir) / "demos").glob("*.part"))
    end = record_headless(short(config, 60), RecordingPlan(episodes=2, player="rules"))
    assert end.reason == "the set has its 2 demonstrations"
    lengths = sorted(demo.episode_length for demo in assert_replays(config))
    assert lengths[0] >= 25
    assert np.diff(lengths) > 0


def test_a_full_disk_ends_it_with_what_fitted(config: RunConfig) -> None:
    """The limit of a file's size stands for the disk's: the log grows into it."""
    code = (
        "import resource, signal, sys\n"
        "from engine.config import RunConfig\n"
        "from engine.errors import DemoError\n"
        "from engine.sessions.record import DemoPoint, RecordingPlan, record_headless\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)\n"
        "plan = RecordingPlan(episodes=1, player='rules')\n"
        "try: record_headless(RunConfig(save_dir=sys.argv[1]), plan)\n"
        "except DemoError as error: print(error)\n"
    )
    from engine.env.stepping import make_game_env

    env = make_game_env(config, 0)  # keeps the start state, so that only the log is written
    env.close()
    probe = record_headless(config, RecordingPlan("probe", episodes=1, player="rules"))
    assert probe.total_steps > 100
    (path,) = (Path(config.save_dir) / "demos" / "probe").glob("*.demo")
    command = [sys.executable, "-c", code, config.save_dir, str(path.stat().st_size + 400)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "Cannot write" in told
    (log,) = (Path(config.save_dir) / "demos").glob("*.part")
    record_headless(config, RecordingPlan(episodes=2, player="rules"))
    assert not log.exists()
    assert len(assert_replays(config)) == 2
