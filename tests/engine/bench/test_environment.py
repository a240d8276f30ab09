"""The measurements measure what they say; how fast this machine is, no test asserts."""

import math

import pytest

from engine.bench.environment import Figure, measure_environment, print_table
from engine.bench.pace import crew_sizes, play_bare, play_in_turn, play_steps, write_script
from engine.env.game_env import GameEnv
from tests.engine.games.emerald.practice import NAME, needs_core


@pytest.mark.parametrize("game", ["", pytest.param(NAME, marks=(needs_core, pytest.mark.slow))])
def test_bare_loop_runs_the_frames_of_the_steps_doors_included(game: str) -> None:
    env = GameEnv(game, observation_type="state")
    script = write_script(env, 300, seed=5)
    frames = env.config.hold_frames + env.config.wait_frames
    assert len(script) == 300
    assert min(press.held + press.waited for press in script) == frames
    assert max(press.held + press.waited for press in script) > 2 * frames, "a door"
    ends = []
    for play in (play_steps, play_bare):
        play(env, script, seed=5)
        ends.append(env.memory_digest())
    assert ends[0] == ends[1]
    env.close()


def test_loops_that_take_turns_go_the_same_way() -> None:
    bare, steps = (GameEnv(observation_type="state") for _ in range(2))
    script = write_script(bare, 50, seed=5)
    costs = play_in_turn([bare], [steps], script, seed=5)
    assert len(costs) == 2
    assert min(costs) > 0
    assert bare.memory_digest() == steps.memory_digest()
    assert steps.episode_steps == 50
    bare.close()
    steps.close()


@pytest.mark.slow
def test_table_holds_every_figure(capsys: pytest.CaptureFixture[str]) -> None:
    figures = measure_environment(steps=16, repeats=1)
    assert all(math.isfinite(figure.value) and figure.value > 0 for figure in figures)
    targets = [(figure.name.split(",")[0], figure.target) for figure in figures if figure.target]
    assert targets[:6] == [
        ("`env.step`", "at least 0.55"),
        ("computed from that for a cartridge's 1.3 ms a bare step", "at least 0.85"),
        ("`env.step`", "at least 0.45"),
        ("computed from that for a cartridge's 1.3 ms a bare step", "at least 0.75"),
        ("reset", "at most 10 ms"),
        ("reset", "at most 10 ms"),
    ]
    assert any(figure.name.startswith("1 worker") for figure in figures)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + len(figures) + 2


@pytest.mark.slow
def test_cartridge_has_targets_of_its_own() -> None:
    figures = measure_environment(steps=16, repeats=1, is_cartridge=True)
    targets = [figure.target for figure in figures if figure.target]
    assert targets[:4] == ["at least 0.85", "at least 0.75", "at most 10 ms", "at most 10 ms"]
    assert "at most 100 MB" in targets or not any("memory" in figure.name for figure in figures)


@needs_core
@pytest.mark.slow
def test_advance_game_is_measured_against_loops_that_draw_the_same_frames() -> None:
    figures = measure_environment(settings={"rom_path": NAME}, steps=16, repeats=1)
    assert all(math.isfinite(figure.value) and figure.value > 0 for figure in figures)
    names = [figure.name for figure in figures]
    assert names[1].startswith("bare press and tick, drawing each step's last frame")
    assert "1 worker, 4 games, wall time" in names
    targets = [figure.target for figure in figures if figure.target]
    assert targets[:6] == ["at least 3,000 frames/s", *["at least 0.8"] * 4, "at most 1.5 ms"]
    assert "at most 220 MB" in targets or not any("memory" in name for name in names)


def test_last_line_names_what_missed_its_target(capsys: pytest.CaptureFixture[str]) -> None:
    met = Figure("steps", 0.6, "0.60", "at least 0.55", True)
    missed = Figure("reset", 11.0, "11.0 ms", "at most 10 ms", False)
    print_table((met, Figure("frames", 5.0, "5"), missed))
    assert capsys.readouterr().out.splitlines()[-1] == "Missed: reset."
    print_table((met,))
    assert capsys.readouterr().out.splitlines()[-1] == "Every target is met."


@pytest.mark.parametrize(
    ("cores", "sizes"), [(1, [1]), (2, [1, 2]), (6, [1, 2, 4, 6]), (8, [1, 2, 4, 8])]
)
def test_crews_double_up_to_one_worker_a_core(cores: int, sizes: list[int]) -> None:
    assert crew_sizes(cores) == sizes
