"""Say how a run stands in plain words: in a sentence or two, or in a few lines for logs."""

import math
from collections.abc import Sequence
from statistics import fmean

from engine import events
from engine.ground.text import counted
from engine.types import GameState
from pokeTUI.dashboard.conditions import is_replay, only_records
from pokeTUI.dashboard.history import SUCCESS_WINDOW
from pokeTUI.dashboard.planner import describe_status, planned_share
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.draw.units import size_text

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


_SMALLEST = 0.05
"""Of a reward component: what rounds to nothing is left out."""
_MOST = 6
"""Reward components that are shown."""
_LEARNER = ("value_loss", "entropy", "epsilon")
"""Figures of an update that are shown, as far as its agent has them."""


def status_report(state: DashboardState, width: int) -> list[str]:
    """Return lines of at most `width` characters: speed, rewards, learner, game and resources."""
    if state.status is None:
        return ["starting"]
    topics = [
        _progress(state.status),
        _rewards(state),
        _learner(state),
        _game(state),
        _resources(state.system),
    ]
    return [line for topic in topics for line in _wrap(topic, width)]


def end_report(state: DashboardState) -> str:
    """Return how far a run came, and what it used, in one line; "" before its first step."""
    if state.status is None or not state.status.total_steps:
        return ""
    return " · ".join(_progress(state.status) + _resources(state.system))


def _resources(seen: events.SystemMeasured | None) -> list[str]:
    if seen is None:
        return []
    memory = size_text(sum(use.resident_bytes for use in seen.processes))
    return [f"memory {memory}", f"decision database {history_text(seen)}"]


def history_text(seen: events.SystemMeasured) -> str:
    """Return the size of the decision database and how fast it grows."""
    growth = seen.history_bytes_per_hour
    text = size_text(seen.history_bytes)
    return text if math.isnan(growth) else f"{text} (+{size_text(max(0.0, growth))}/hour)"


def _progress(status: events.StatusChanged) -> list[str]:
    return [
        f"steps {status.total_steps:,}",
        f"{status.steps_per_s:,.0f} steps/s",
        f"episode {status.episode}"
        + (f" ({status.episodes_per_hour:,.0f}/hour)" if status.episodes_per_hour else ""),
        f"up {status.uptime_s / 60:.1f} min",
    ]


def _rewards(state: DashboardState) -> list[str]:
    """Return what the last episodes were paid, and for what; the most first."""
    rows = state.history.latest[-SUCCESS_WINDOW:]
    if not rows:
        return []
    names = {name for row in rows for name in row if name.startswith("reward/")}
    means = {name: fmean(row.get(name, 0.0) for row in rows) for name in names}
    paid = sorted(means.items(), key=lambda each: (-abs(each[1]), each[0]))
    return [
        f"return {fmean(row['return'] for row in rows):z.1f}",
        f"success {fmean(row['success'] for row in rows):.0%} of last {len(rows)}",
        *(
            f"{name.removeprefix('reward/')} {value:+z.1f}"
            for name, value in paid[:_MOST]
            if abs(value) >= _SMALLEST
        ),
    ]


def _learner(state: DashboardState) -> list[str]:
    """Return who decides, and the learner's figures."""
    parts = []
    if state.curriculum is not None and state.status is not None:
        parts.append(f"stage {state.curriculum.stage}/{state.curriculum.num_stages}")
        decided = planned_share(state.status.shares)
        if decided is not None:
            weight = state.curriculum.planner_share
            parts.append(f"planner {decided:.0%} of decisions (weight {weight:.0%})")
    if state.starts:
        parts.append(state.starts)
    if state.planner.status is not None:
        parts += f"model {describe_status(state.planner.status)}".split(" · ")
    if state.policy is not None:
        figures = state.policy.figures
        name = state.run.agent if state.run is not None else "policy"
        parts.append(f"{name} update {state.policy.update:,}")
        parts += [
            f"{key.replace('_', ' ')} {figures[key]:.2f}" for key in _LEARNER if key in figures
        ]
    if state.evaluated is not None:
        found = state.evaluated.evaluation
        parts.append(f"policy alone {found.came:.0%} of the way")
        if found.episodes:
            games = counted(found.episodes, "game")
            parts.append(f"to the goal in {found.success_rate:.0%} of {games}")
    return parts


def _game(state: DashboardState) -> list[str]:
    """Return where the watched game stands, what it was paid, and whether it is stuck."""
    if state.game is None or state.status is None:
        return []
    place, *rest = _standing(state.game.state)
    parts = [f"game {state.status.watched_env + 1}: {place}", *rest]
    if state.reward is not None:
        parts.append(f"reward {sum(value for _, value in state.reward.episode):z.1f}")
    if stuck := state.game.anti_stuck:
        parts.append(f"idle {counted(stuck.idle_steps, 'step')}")
        if stuck.masked:
            masked = ", ".join(state.actions.name(action) for action in stuck.masked)
            parts.append(f"stuck: {masked} masked")
        if stuck.interventions:
            parts.append(counted(stuck.interventions, "anti-stuck intervention"))
    return parts


def _standing(game: GameState) -> list[str]:
    place = game.place
    parts = [f"{place.name} {place.x},{place.y}"]
    if game.party:
        parts.append(f"level {max(creature.level for creature in game.party)}")
    if game.party or game.badge_count:
        parts.append(counted(game.badge_count, "badge"))
    if game.party or game.money:
        parts.append(f"money {game.money:,}")
    return parts


def _wrap(parts: Sequence[str], width: int) -> list[str]:
    """Return the parts in lines, broken between two of them."""
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + 3 + len(part) <= width:
            lines[-1] += f" · {part}"
        else:
            lines.append(part)
    return lines
