"""Beginning anew and branching from kept states, on the toy."""

import time

import pytest

from engine.commands import Branch, KeepState, LoadSlot, Press, Restart, SaveSlot, TakeOver, Watch
from engine.events import (
    CommandObeyed,
    DecisionMade,
    EpisodeEnded,
    ReasoningLogged,
    StatesKept,
    StatusChanged,
)
from engine.training.state import KeptStates
from engine.types import Action, Source
from tests.engine.toy import GOAL
from tests.engine.training.helpers import Clock, Run, played


@pytest.fixture
def run(tmp_path):
    settings = {"keep_states": 3, "keep_states_interval": 4, "clock": Clock(tick_s=1.0)}
    made = Run(tmp_path, headless=False, **settings)
    made.trainer.reporter.watch(1)
    return made


def kept(run: Run) -> list[tuple[int, int, bool]]:
    states = run.trainer.state.kept_states.listed.states
    return [(one.number, one.episode_steps, one.is_asked) for one in states]


def stay(run: Run, count: int) -> None:
    """Let a person wait: nothing ends the episode."""
    if not run.trainer.handler.controls.is_human:
        run.obey(TakeOver())
    run.obey(*[Press(Action.A)] * count)


def test_a_restart_ends_the_episode_uncounted(run):
    for _ in range(5):
        run.trainer.step()
    features, ppo = run.trainer.state.batch.features, run.trainer.learning.agent.ppo
    others = [game.save() for i, game in enumerate(run.vector.games) if i != 1]
    count = len(run.of(EpisodeEnded))
    run.obey(Restart())
    assert ppo.rollout.boundaries[4, 1]
    value = ppo.evaluate(features, None, ppo.memory).values[1]
    assert ppo.rollout.boundary_values[4, 1] == pytest.approx(value)
    assert run.trainer.state.tally.steps[1] == run.vector.games[1].steps == 0
    assert [game.save() for i, game in enumerate(run.vector.games) if i != 1] == others
    assert len(run.of(EpisodeEnded)) == count
    assert run.trainer.state.metrics.total_steps == 20
    assert run.of(StatusChanged)[-1].episode_steps == 0
    run.trainer.step()
    assert ppo.rollout.length == 6


def test_human_control_survives_a_restart(run):
    stay(run, 3)
    run.obey(Restart())
    assert run.trainer.handler.controls.is_human
    assert not run.trainer.state.tally.is_touched[1]
    stay(run, 1)
    assert run.trainer.state.tally.is_touched[1]


def test_moments_are_kept_every_so_many_steps_and_the_oldest_go(run):
    stay(run, 17)
    assert kept(run) == [(2, 8, False), (3, 12, False), (4, 16, False)]
    assert run.of(StatesKept)[-1] == run.trainer.state.kept_states.listed
    assert {one.env_index for one in run.of(StatesKept)[-1].states} == {1}


def test_moments_are_two_seconds_apart_however_fast_the_steps(tmp_path):
    run = Run(tmp_path, headless=False, keep_states_interval=2, clock=Clock())
    run.trainer.reporter.watch(0)
    stay(run, 8)
    run.trainer.reporter._clock.now_s += 2.0
    stay(run, 8)
    assert [steps for _, steps, _ in kept(run)] == [2, 10]


def test_requested_kept_states_are_not_pushed_out(run):
    stay(run, 2)
    run.obey(KeepState())
    stay(run, 30)
    assert kept(run)[0] == (1, 2, True)
    assert len(kept(run)) == 4


def test_kept_states_keep_the_last_twelve_requested(run):
    run.obey(*[KeepState()] * 14)
    assert [number for number, *_ in kept(run)] == list(range(3, 15))


@pytest.mark.parametrize("settings", [{}, {"headless": False, "keep_states": 0}])
def test_no_state_is_kept_automatically_headless_or_when_switched_off(tmp_path, settings):
    run = played(tmp_path, keep_states_interval=1, total_steps=200, **settings)
    assert [event.states for event in run.of(StatesKept)] == [()]


def test_a_branch_goes_on_from_the_moment_and_does_not_count(run):
    game = run.vector.games[1]
    stay(run, 1)
    game.x, game.y = GOAL[0] - 1, GOAL[1]
    run.obey(KeepState())
    game.x = 0
    run.trainer.handler.controls.is_human = False
    run.obey(Branch(1))
    assert (game.x, game.y, game.steps) == (GOAL[0] - 1, GOAL[1], 0)
    assert any("branched from state 1: BOARD" in e.text for e in run.of(ReasoningLogged))
    count = len([e for e in run.of(EpisodeEnded) if e.summary.env_index == 1])
    for _ in range(60):
        run.steps(1)
        if not run.trainer.state.tally.is_touched[1]:
            break
    assert not run.trainer.state.tally.is_touched[1]
    assert count == len([e for e in run.of(EpisodeEnded) if e.summary.env_index == 1])
    assert any("does not count" in event.text for event in run.of(ReasoningLogged))


def test_another_environment_may_branch_from_it(run):
    run.obey(KeepState())
    expected = run.vector.games[1].x, run.vector.games[1].y
    run.obey(Watch(2), Branch(1))
    assert (run.vector.games[2].x, run.vector.games[2].y) == expected


def test_a_state_that_is_not_kept_is_refused(run):
    run.obey(Branch(7), KeepState(), Branch(7))
    assert run.refusals == ["State 7 does not exist.", "State 7 does not exist; saved: 1."]


def test_branching_waits_for_the_end_of_an_evaluation(run):
    run.trainer.reporter.phase("evaluating")
    run.obey(Restart(), KeepState(), Branch(1))
    assert run.refusals == ["Wait until the evaluation is over."] * 3


def test_branching_reports_each_outcome(run):
    run.obey(KeepState(), Branch(1), Restart())
    told = run.of(CommandObeyed)
    assert [one.command for one in told] == ["KeepState", "Branch", "Restart"]
    assert "saved state 1" in told[0].text
    assert "branched from state 1" in told[1].text
    assert "restarted the episode" in told[2].text


def test_a_state_says_when_it_was_kept_unless_an_earlier_version_saved_it(run):
    before_s = time.time()
    run.trainer.state.metrics.episodes = 7
    run.obey(KeepState())
    kept_states = run.trainer.state.kept_states
    (state,) = kept_states.listed.states
    assert state.episode == 7
    assert before_s <= state.kept_s <= time.time()
    facts, snapshots = kept_states.save()
    facts["asked"] = [entry[:4] for entry in facts["asked"]]
    kept_states.load(facts, snapshots)
    (state,) = kept_states.listed.states
    assert (state.number, state.episode, state.kept_s) == (1, 0, 0.0)


def test_requested_kept_states_survive_in_the_checkpoint(run, tmp_path):
    stay(run, 9)
    run.obey(KeepState())
    snapshot = run.trainer.state.kept_states.find(3)
    run.trainer.save()
    resumed = Run(tmp_path, headless=False).resume()
    assert kept(resumed) == [(3, 9, True)]
    assert resumed.trainer.state.kept_states.find(3) == snapshot
    resumed.obey(KeepState())
    assert kept(resumed)[-1][0] == 4


def test_a_persons_presses_are_among_the_shares(run):
    stay(run, 3)
    run.trainer.reporter.status()
    assert run.of(StatusChanged)[-1].shares == (("human", 1.0),)
    assert run.of(DecisionMade)[-1].decision.source is Source.HUMAN


def test_shares_of_a_run_sum_to_one(tmp_path):
    shares = dict(played(tmp_path, total_steps=400).of(StatusChanged)[-1].shares)
    assert set(shares) == {"policy", "planner"}
    assert sum(shares.values()) == pytest.approx(1)


def test_a_slot_holds_its_last_state_and_is_kept_by_a_checkpoint(run):
    stay(run, 2)
    run.obey(KeepState(), SaveSlot(3), SaveSlot(4))
    stay(run, 1)
    run.obey(SaveSlot(3))
    stay(run, 1)
    run.obey(LoadSlot(3))
    assert run.trainer.state.tally.steps[1] == 0  # it branched: another episode
    assert "you saved slot 3" in run.of(CommandObeyed)[-2].text
    assert "you branched from state 4" in run.of(CommandObeyed)[-1].text
    run.obey(LoadSlot(5), LoadSlot(0), SaveSlot(11))
    assert run.refusals == ["Slot 5 is empty.", *["There are slots 1 to 10."] * 2]
    kept_states = run.trainer.state.kept_states
    restored = KeptStates(3, 4)
    restored.load(*kept_states.save())
    asked = [one for one in kept_states.listed.states if one.is_asked]
    assert [(one.slot, one.episode_steps) for one in asked] == [(0, 2), (4, 2), (3, 3)]
    assert list(restored.listed.states) == asked
    assert restored.in_slot(3) == kept_states.in_slot(3)
