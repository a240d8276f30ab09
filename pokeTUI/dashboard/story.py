"""Say in plain words what is going on: a sentence or two, from the state alone."""

from pokeTUI.dashboard.conditions import is_replay, only_records
from pokeTUI.dashboard.planner import planned_share
from pokeTUI.dashboard.state import DashboardState

_TEACHES_FROM = 0.5
_LEADS_FROM = 0.02
"""Share of the decisions below which the planner is left out."""
_UNTRAINED = {
    "rules": "The planner plays alone: nothing is learnt.",
    "random": "Actions are chosen at random: nothing is learnt.",
    "explore": "Saved states are explored at random: nothing is learnt.",
}


def story(state: DashboardState) -> tuple[str, str]:
    """Return who plays, and how the policy does alone; either may be ""."""
    run, status = state.run, state.status
    if run is None or status is None:
        return "", ""
    if is_replay(state):
        return "A recorded episode is replayed: nothing is trained.", ""
    if only_records(state):
        return "Demonstrations are recorded: nothing is trained.", ""
    if run.agent in _UNTRAINED:
        return _untrained(state, run.agent), ""
    return _who_plays(state), _alone(state)


def _untrained(state: DashboardState, agent: str) -> str:
    if state.end is not None:
        return "The run has ended."
    return f"{_by_hand(state)}: nothing is learnt." if state.is_human else _UNTRAINED[agent]


def _by_hand(state: DashboardState) -> str:
    return "You are in control" if state.is_played_here else "Another viewer is in control"


def _who_plays(state: DashboardState) -> str:
    assert state.run is not None
    if state.end is not None:
        return "Training has ended."
    if state.is_human:
        return f"{_by_hand(state)}: training waits, and what is played by hand does not count."
    if state.is_paused:
        return "Training is paused."
    if state.policy is None:
        return "Learning has not started: collecting the first experience."
    mode = state.steering.mode if state.steering is not None else state.run.mode
    share = planned_share(state.shares)
    if mode == "rl_only":
        return "The policy learns by itself, without a planner."
    if share is None:
        return ""
    planner = "The planner (rules)" if state.planner.is_rules else "The planner"
    if share >= _TEACHES_FROM:
        return f"{planner} is teaching: it makes {share:.0%} of the decisions."
    if share >= _LEADS_FROM:
        return f"{planner} is handing over: it makes {share:.0%} of the decisions."
    return "The policy plays by itself."


def _alone(state: DashboardState) -> str:
    if state.evaluated is None:
        return "The policy alone has not been evaluated yet." if state.policy is not None else ""
    found = state.evaluated.evaluation
    if not found.episodes:
        return f"Alone, the policy has come {found.came:.0%} of the way to the goal."
    reached = round(found.success_rate * found.episodes)
    return f"Alone, the policy reaches the goal in {reached} of {found.episodes} tries."
