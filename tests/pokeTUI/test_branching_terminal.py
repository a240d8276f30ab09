"""Play on by hand from within what was recorded, in a real terminal."""

from pathlib import Path

import pytest

from engine.config import EnvConfig, RunConfig
from engine.demos.demonstration import Demonstration, read_demo
from engine.demos.recorder import record_policy, rules_policy
from engine.demos.validation import validate
from engine.sessions.train import EngineSession
from tests.pokeTUI.terminal import Terminal, needs_tmux, terminal

__all__ = ["terminal"]


pytestmark = [pytest.mark.slow, needs_tmux]


@pytest.fixture
def config(tmp_path: Path) -> RunConfig:
    return RunConfig(save_dir=str(tmp_path / "saves"))


def play_on(terminal: Terminal, length: int) -> None:
    """Play on from step 20 of what is replayed, and come back to it."""
    terminal.wait_for("replay", "10 steps")
    terminal.press("End")  # stands there, however far it has come by itself
    terminal.wait_for(f"‖ replay {length}/{length}")
    terminal.press("Home")
    terminal.wait_for(f"‖ replay 0/{length}")
    terminal.press("Right", "Right")
    terminal.wait_for(f"‖ replay 20/{length}", "t play")
    terminal.press("t")
    terminal.wait_for("you play", "0 steps")
    for number, key in enumerate(("Up", "z", "Left"), start=1):
        terminal.press(key)
        terminal.wait_for(f"{number} step")
    terminal.press("q")
    terminal.wait_for("saved as")  # on a small screen over the status line
    terminal.wait_for(f"‖ replay 20/{length}")
    terminal.press("q")


def branch(saves: Path, config: RunConfig) -> Demonstration:
    (path,) = (path for path in (saves / "demos").glob("*.demo") if "human" in path.name)
    (found,) = validate([path], config)
    assert (found.refusal, found.steps) == ("", 3)  # those that led there show nothing
    return read_demo(path)


def test_a_demonstration_is_played_on_from_the_start_screen(
    terminal: Terminal, config: RunConfig, tmp_path: Path
) -> None:
    saves = tmp_path / "saves"
    played = record_policy(rules_policy(1), config, 1, saves / "demos", by="rules", max_steps=60)
    ((_, demo),) = list(played)
    terminal.start_bare((120, 40))
    terminal.wait_for("New run", "no saved run yet", "newest first")
    terminal.press("e")
    terminal.wait_for("rules", "60")
    terminal.press("Enter")
    play_on(terminal, 60)
    terminal.wait_for("New run", "Demonstration saved as", "was replayed")
    terminal.press("q")
    terminal.wait_for("exit code 0")
    branched = branch(saves, config)
    assert bytes(branched.actions[:20]) == bytes(demo.actions[:20])
    assert branched.begins_at == 20
    assert branched.tags == {"branched"}


def test_an_episode_of_a_run_is_played_on_from_the_command_line(
    terminal: Terminal, config: RunConfig, tmp_path: Path
) -> None:
    changes = {
        "headless": True,
        "num_envs": 1,
        "workers": 1,
        "agent": "rules",
        "total_episodes": 1,
        "tensorboard": False,
        "env": EnvConfig(max_steps=60, progress_steps=0),
    }
    session = EngineSession(config.model_copy(update=changes))
    session.start()
    assert session.join(120)
    terminal.start_bare((80, 24), "replay", "--watch")
    play_on(terminal, 60)
    terminal.wait_for("Demonstration saved as", "was replayed", "exit code 0")
    assert branch(tmp_path / "saves", config).begins_at == 20
