"""Record demonstrations with the real program on the real game in a real terminal, by keys."""

from pathlib import Path

import pytest

from engine.demos.demonstration import read_demo
from tests.pokeTUI.terminal import Terminal, needs_tmux, terminal

__all__ = ["terminal"]

pytestmark = [pytest.mark.slow, needs_tmux]


def walk(terminal: Terminal, *keys: str, steps: int) -> None:
    """Press keys one after the other, each when the one before is counted."""
    for count, key in enumerate(keys, start=steps - len(keys) + 1):
        terminal.press(key)
        terminal.wait_for(f"● {count} step")


def test_demonstrations_recorded_by_keys_replay_exactly(terminal: Terminal, tmp_path: Path) -> None:
    saves = str(tmp_path / "saves")
    record = ["record", "--dataset", "gym", "--episodes", "2", "--save-dir", saves]
    terminal.start_command((120, 40), *record)
    terminal.wait_for("▲ you play", "● rec 1/2", "HOME", "d end", "Party and place")
    walk(terminal, "Down", "Left", "Down", "Right", steps=4)
    terminal.press("d")
    terminal.wait_for("● review", "KEEP IT? you stopped it", "d keep", "V watch")
    terminal.press("d")
    terminal.wait_for("… press to begin")
    walk(terminal, "Left", "Right", "Left", steps=3)
    terminal.press("X")
    terminal.wait_for("Discard the demonstration of 3 steps?")
    terminal.press("Enter")
    terminal.wait_for("● rec 2/2", "● 0 steps")
    walk(terminal, *("Right", "Left") * 6, steps=12)
    terminal.press("u")
    terminal.wait_for("● 2 steps")
    walk(terminal, "Down", steps=3)
    terminal.resize(80, 24)
    terminal.wait_for("● rec 2/2", "● 3 steps", "d end", "? help")
    terminal.resize(120, 40)
    terminal.wait_for("● rec 2/2", "D discard")
    terminal.press("*")
    terminal.wait_for("✓ marked")
    terminal.press("d")
    terminal.wait_for("KEEP IT?")
    terminal.press("d")
    screen = terminal.wait_for("exit code 0", "2 demonstrations saved in", "poketui bc")
    assert screen.count("Demonstration saved as") == 2
    assert screen.count("Demonstration discarded: 3 steps") == 1
    demos = [read_demo(path) for path in sorted((tmp_path / "saves/demos/gym").glob("*.demo"))]
    assert [demo.episode_length for demo in demos] == [4, 3]
    assert [demo.is_success for demo in demos] == [False, True]
    files = map(str, (tmp_path / "saves/demos/gym").glob("*.demo"))
    terminal.start_command((120, 40), "demos", "validate", *files, "--save-dir", saves)
    screen = terminal.wait_for("exit code 0")
    assert screen.count("exactly as recorded") == 2


def test_quit_within_a_demonstration_saves_it(terminal: Terminal, tmp_path: Path) -> None:
    saves = str(tmp_path / "saves")
    terminal.start_command((80, 24), "record", "--save-dir", saves)
    terminal.wait_for("▲ you play", "● rec", "HOME")
    walk(terminal, "Down", "Left", steps=2)
    terminal.press("q")
    terminal.wait_for("exit code 0", "1 demonstration saved in")
    (path,) = (tmp_path / "saves/demos").glob("*.demo")
    assert read_demo(path).episode_length == 2


def test_a_person_takes_over_and_sees_proposals(terminal: Terminal, tmp_path: Path) -> None:
    saves = str(tmp_path / "saves")
    terminal.start_command((120, 40), "record", "--player", "rules", "--save-dir", saves)
    terminal.wait_for("● rec", "HOME", "t play")
    terminal.press("t")
    terminal.wait_for("YOU PLAY ● recorded", "t gives back")
    terminal.press("Left")
    terminal.wait_for("1 by you", "You pressed", "(rules: ")
    terminal.press("q")
    terminal.wait_for("exit code 0", "1 demonstration saved in")
    (path,) = (tmp_path / "saves/demos").glob("*.demo")
    demo = read_demo(path)
    assert demo.is_intervention.sum() == 1
    assert demo.proposals[demo.is_intervention][0] < 9


def test_a_run_is_recorded_when_a_person_takes_over(terminal: Terminal, tmp_path: Path) -> None:
    terminal.start((80, 24))
    terminal.wait_for("► playing  ", "Party and place")
    terminal.press("t")
    terminal.wait_for("YOU PLAY ● recorded", "gives back", "● rec 0:")
    terminal.press("Left")
    terminal.wait_for("intervention: 1 step")
    terminal.resize(120, 40)
    terminal.wait_for("Learning curve", "● intervention: 1 step", "You pressed")
    terminal.resize(80, 24)
    terminal.wait_for("● rec", "d end")
    terminal.press("t")
    terminal.wait_until("no recording", "► playing  ", gone=("● rec",))
    terminal.press("q")
    terminal.wait_for("Resume with: poketui run --resume", "exit code 0")
    (path,) = (tmp_path / "saves/demos/interventions").glob("*.demo")
    assert "intervention" in read_demo(path).tags
