import pytest

from engine.commands import Save, Stop
from engine.events import CheckpointSaved, CurriculumChanged, EpisodeEnded
from engine.runs.checkpoint import BEST, read_checkpoint
from tests.engine.training.helpers import Run


def saved_at(run: Run) -> list[int]:
    return [event.total_steps for event in run.of(CheckpointSaved)]


def test_a_checkpoint_comes_every_so_many_episodes(tmp_path):
    run = Run(tmp_path, total_steps=400, save_interval=7)
    run.play()
    due = [event.total_steps for event in run.of(EpisodeEnded) if event.episode % 7 == 0]
    assert len(due) > 3
    assert set(due) <= set(saved_at(run))


@pytest.mark.slow
def test_a_move_of_the_curriculum_is_saved_at_once(tmp_path):
    run = Run(tmp_path, total_steps=6000)
    run.play()
    steps, moves = 0, []
    for event in run.events:
        if isinstance(event, EpisodeEnded):
            steps = event.total_steps
        if isinstance(event, CurriculumChanged) and event.has_moved:
            moves.append(steps)
    assert moves
    assert set(moves) <= set(saved_at(run))


def test_a_checkpoint_of_many_reasons_is_written_once(tmp_path):
    run = Run(tmp_path, total_steps=200, save_interval=1, checkpoint_interval_s=1e-9)
    run.play()
    steps = saved_at(run)[:-1]  # the last one ends the run, whatever came before
    assert steps == sorted(set(steps))


def test_the_best_checkpoint_is_kept_beside_the_last(tmp_path):
    run = Run(tmp_path, total_steps=600, save_interval=5)
    run.play()
    scores = {
        tuple(read_checkpoint(path).facts["score"])
        for path in run.store.paths()
        if read_checkpoint(path).facts["score"]
    }
    best = read_checkpoint(tmp_path / "checkpoints" / BEST)
    assert tuple(best.facts["score"]) >= max(scores)


def test_before_ten_episodes_nothing_is_the_best(tmp_path):
    run = Run(tmp_path, num_envs=1, total_episodes=9)
    run.play()
    assert not (tmp_path / "checkpoints" / BEST).exists()


def test_stop_and_save_are_written_at_once(tmp_path):
    run = Run(tmp_path)
    run.commands.put(Save())
    run.commands.put(Stop("lunch"))
    assert run.play().checkpoint
    assert saved_at(run) == [0, 0, 0]
