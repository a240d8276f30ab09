import pytest

from engine.commands import Save, Stop
from engine.events import CheckpointSaved, CurriculumChanged, EpisodeEnded
from engine.runs.checkpoint import BEST, read_checkpoint
from tests.engine.training.helpers import Run, played


def saved_at(run: Run) -> list[int]:
    return [event.total_steps for event in run.of(CheckpointSaved)]


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Run:
    return played(tmp_path_factory.mktemp("run"), total_steps=400, save_interval=5)


def test_a_checkpoint_comes_every_so_many_episodes(run):
    due = [event.total_steps for event in run.of(EpisodeEnded) if event.episode % 5 == 0]
    assert len(due) > 3
    assert set(due) <= set(saved_at(run))


@pytest.mark.slow
def test_a_move_of_the_curriculum_is_saved_at_once(tmp_path):
    run = played(tmp_path, total_steps=6000)
    steps, moves = 0, []
    for event in run.events:
        if isinstance(event, EpisodeEnded):
            steps = event.total_steps
        if isinstance(event, CurriculumChanged) and event.has_moved:
            moves.append(steps)
    assert moves
    assert set(moves) <= set(saved_at(run))


def test_a_checkpoint_of_many_reasons_is_written_once(tmp_path):
    run = played(tmp_path, total_steps=100, save_interval=1, checkpoint_interval_s=1e-9)
    steps = saved_at(run)[:-1]  # the last one ends the run, whatever came before
    assert steps == sorted(set(steps))


def test_the_best_checkpoint_is_kept_beside_the_last(run):
    scores = [read_checkpoint(path).facts["score"] for path in run.store.paths()]
    best = read_checkpoint(run.folder / "checkpoints" / BEST)
    assert best.facts["score"] >= max(filter(None, scores))


def test_before_ten_episodes_nothing_is_the_best(tmp_path):
    played(tmp_path, num_envs=1, total_episodes=9)
    assert not (tmp_path / "checkpoints" / BEST).exists()


def test_stop_and_save_are_written_at_once(tmp_path):
    run = played(tmp_path, Save(), Stop("lunch"))
    assert saved_at(run) == [0, 0, 0]
