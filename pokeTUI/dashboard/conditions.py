"""Say why an action makes no sense now: a function per condition returns "" where it does."""

from collections.abc import Callable
from pathlib import Path

from engine.events import RECORD, REPLAY
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.draw.layout import FRAMES, GAME_STATE, TRAINING

HUMAN = "you"
"""Who plays where nobody else does."""

READ_ONLY = "this viewer is read-only"
REVIEW = "the demonstration has ended: d keeps it, X retakes it, D discards it"

WhyNot = Callable[[DashboardState], str]


def is_replay(state: DashboardState) -> bool:
    """Return whether a recorded episode is played again."""
    return state.run is not None and state.run.mode == REPLAY


def only_records(state: DashboardState) -> bool:
    """Return whether this is no run, but demonstrations are recorded."""
    return state.run is not None and state.run.mode == RECORD


def is_recording(state: DashboardState) -> bool:
    """Return whether a demonstration is recorded."""
    return state.recording is not None and state.recording.is_recording


def is_reviewing(state: DashboardState) -> bool:
    """Return whether a demonstration has ended and waits to be kept or discarded."""
    return is_recording(state) and state.recording is not None and bool(state.recording.review)


def is_live(state: DashboardState) -> bool:
    """Return whether a person plays in real time."""
    return state.status is not None and state.status.is_live


def _only_if(is_so: Callable[[DashboardState], bool], else_why: str) -> WhyNot:
    return lambda state: "" if is_so(state) else else_why


always = _only_if(lambda state: True, "")
by_hand = _only_if(lambda state: state.is_human, "only while you play")
reviewing = _only_if(is_reviewing, "only when a demonstration has ended, before it is kept")
by_agent = _only_if(lambda state: not state.is_human, "not while you play")
trains = _only_if(
    lambda state: not only_records(state),
    "not while recording: nothing is trained",
)
recording = _only_if(is_recording, "nothing is being recorded: d starts")
replaying = _only_if(is_replay, "only in a replay")
evaluating = _only_if(
    lambda state: state.status is not None and state.status.phase == "evaluating",
    "no evaluation is running",
)
started = _only_if(lambda state: state.run is not None, "the run is still starting")
kept_states = _only_if(
    lambda state: bool(state.kept_states) or state.is_keeping, "no saved state yet: K saves one"
)
with_model = _only_if(
    lambda state: state.planner.has_model,
    "this run has no language model: start it with --llm-model",
)


battle_turns = _only_if(lambda state: state.battle.has_turns, "there is no other turn yet")
another_battle = _only_if(lambda state: state.battle.has_next, "the battle is not over yet")
choosing = _only_if(lambda state: bool(state.battle.menu), "there is nothing to choose now")
gimmick = _only_if(
    lambda state: bool(state.battle.gimmick),
    "no Terastallization or Mega Evolution is possible here",
)
picked = _only_if(lambda state: state.battle.has_picked, "nothing is chosen yet")


def view_shown(view: str, why_not: str, state: DashboardState) -> str:
    """Allow bringing a view to the front that has something to show."""
    return "" if view in state.battle.views else why_not


def battles_trained(state: DashboardState) -> str:
    """Allow it while a battle policy is trained."""
    if state.end is not None:
        return "the run has ended"
    return "" if state.run is not None else "nothing is trained here"


def playable(state: DashboardState) -> str:
    """Allow it while a person plays, but not while they review what they have played."""
    return by_hand(state) or (REVIEW if is_reviewing(state) else "")


def loadable(state: DashboardState, slot: int) -> str:
    """Allow loading a slot that holds something, or may by the time the engine looks."""
    is_there = state.is_keeping or any(kept.slot == slot for kept in state.kept_states)
    return started(state) or ("" if is_there else f"slot {slot} is empty: shift+F{slot} saves it")


def unrecorded(state: DashboardState) -> str:
    """Allow it where a person plays and nothing is recorded."""
    if is_recording(state):
        return "it is being recorded already: d saves it"
    is_between = state.status is not None and state.status.phase == "resetting"
    return by_hand(state) or ("nothing is played yet" if is_between else "")


def restartable(state: DashboardState) -> str:
    """Allow it once there is a game, but not while a demonstration is reviewed."""
    return started(state) or (REVIEW if is_reviewing(state) else "")


def lacks(state: DashboardState, need: str) -> str:
    """Return why there is not what a pane needs (see `PaneInfo.needs`), "" if there is."""
    run = state.run
    if need == TRAINING:
        return trains(state)
    if need == GAME_STATE and run is not None and not run.has_game_state:
        return "this world has no map and no party"
    if need == FRAMES and run is not None and run.frame_shape is None:
        return "this world has no frames"
    return ""


def rewindable(state: DashboardState) -> str:
    """Allow it only where some of the demonstration can be taken back."""
    there_is = state.recording is not None and state.recording.rewindable > 0
    return recording(state) or ("" if there_is else "there is nothing to undo")


def backable(state: DashboardState) -> str:
    """Allow it where a person plays, and some of the demonstration can be taken back."""
    return by_hand(state) or rewindable(state)


def saved_runs(state: DashboardState) -> str:
    """Allow it where the folder of runs is within reach."""
    if state.run is None:
        return "the run is still starting"
    if only_records(state):
        return trains(state)
    if is_replay(state) and Path(state.run.run_dir).is_file():
        return "a demonstration has no run"
    return "the run is on another machine" if not Path(state.run.run_dir).is_dir() else ""


def pausable(state: DashboardState) -> str:
    """Allow it while the agent plays, and where time passes though a person plays."""
    return "" if only_records(state) or is_live(state) else by_agent(state)


def takeable(state: DashboardState) -> str:
    """Allow it where somebody else than a person plays, and there is something to reach."""
    if is_replay(state) and state.status is not None and state.status.is_goal_reached:
        return "the goal is reached here: seek back first"
    is_alone = only_records(state) and state.run is not None and state.run.agent == HUMAN
    return started(state) or ("no other player: set one with --player" if is_alone else "")


def paused(state: DashboardState) -> str:
    """Allow it only while paused; a person's own play needs no pause before."""
    if state.is_human:
        return playable(state)
    return "" if state.is_paused else "only while paused"


def several_games(state: DashboardState) -> str:
    """Allow it where there is more than one game."""
    if state.end is not None:
        return "the run has ended"
    if state.run is not None and state.run.num_envs < 2:
        return "there is only one game"
    return by_agent(state)


def beside_others(state: DashboardState) -> str:
    """Allow it where others look at the run, too."""
    viewers = state.viewers
    if viewers is None:
        return "this is not an attached viewer"
    if viewers.is_read_only:
        return READ_ONLY
    if state.end is not None:
        return "the run has ended"
    return "" if viewers.viewers > 1 or not viewers.is_yours else "there is no other viewer"
