"""Running games that leave their episodes for another start, on the toy."""

from pathlib import Path

import pytest

from engine.curriculum.archive import StateArchive
from engine.curriculum.starts import StartMove
from engine.events import EpisodeEnded, StartsChanged
from tests.engine.training.helpers import Run


class Mover(StateArchive):
    """Moves the games that it is told to, and remembers which ones it might have moved."""

    def __init__(self) -> None:
        super().__init__(0.0, 0)
        self.wanted: list[StartMove] = []
        self.have_moved: list[StartMove] = []
        self.free: list[bool] = []

    def moves(self, steps, is_free) -> list[StartMove]:
        self.free = is_free.tolist()
        wanted, self.wanted = self.wanted, []
        return wanted

    def moved(self, move: StartMove) -> None:
        self.have_moved.append(move)

    def describe(self) -> str:
        return "demo 83 %"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    found = Run(tmp_path / "run", mode="rl_only")
    found.trainer.state.starts = Mover()
    return found


def starts(run: Run) -> Mover:
    return run.trainer.state.starts


def test_what_a_moved_game_experienced_ends_with_the_worth_of_its_last_state(run):
    trainer, ppo = run.trainer, run.trainer.learning.agent.ppo
    starts(run).wanted = [StartMove(2, "a", run.vector.snapshot(0))]
    trainer.step()
    assert not trainer.state.batch.terminated[2]
    assert ppo.rollout.boundaries[0, 2]
    assert ppo.rollout.boundary_values[0, 2] != 0  # the game was not over
    assert not ppo.rollout.boundaries[0, 0]
    assert [move.env_index for move in starts(run).have_moved] == [2]
    assert (trainer.state.tally.steps[0], trainer.state.tally.steps[2]) == (1, 0)


def test_a_moved_episode_counts_nowhere(run):
    starts(run).wanted = [StartMove(index, "a", run.vector.snapshot(0)) for index in (0, 2, 3)]
    run.trainer.step()
    assert len(starts(run).have_moved) == 3
    own_end = [event.summary.env_index for event in run.of(EpisodeEnded)]
    assert set(own_end) <= {1}
    assert run.trainer.state.metrics.episodes == len(own_end)


def test_a_game_that_a_person_played_or_sees_in_real_time_is_never_moved(run):
    run.trainer.step()
    assert starts(run).free == [True, True, True, False]  # the last one is the exam game
    run.trainer.state.tally.is_touched[2] = True
    run.trainer.handler.controls.is_live = True
    run.trainer.step()
    assert starts(run).free == [False, True, False, False]


def test_where_episodes_begin_is_told_when_it_changes(run):
    for _ in range(3):
        run.trainer.step()
    assert run.of(StartsChanged) == [StartsChanged("demo 83 %")]
