"""Make JSON of what the cockpit shows: docs/statistics-page.md describes every key.

Keys may be added; when one changes its meaning or goes, VERSION rises.
"""

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine import events
from engine.ground.text import printable
from engine.types import Battle, Creature, GameState, Source
from pokeTUI.dashboard.curves import Curve, curves
from pokeTUI.dashboard.history import SUCCESS_WINDOW
from pokeTUI.dashboard.planner import describe_status
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.dashboard.status_report import story

VERSION = 1
MOST_POINTS = 2048
_MEAN_OVER = SUCCESS_WINDOW
_PAYOUTS = 12
_LOG_LINES = 12

Values = dict[str, Any]


def as_json(values: Values) -> str:
    """Return JSON in one line; numbers that are none become null."""
    return json.dumps(_finite(values), separators=(",", ":"), allow_nan=False)


def state_figures(state: DashboardState, screenshot: int) -> Values:
    """Return where the run and the watched game stand: /api/state.

    Args:
        state: What the cockpit shows.
        screenshot: Number of the frame that /screenshot.png has, 0 while there is none.
    """
    run, seen = state.run, state.game
    return {
        "version": VERSION,
        "run": run and _run(run),
        "status": state.status and _status(state, state.status),
        "game": seen and _game(seen.state),
        "goal": state.goal and {"key": state.goal.key, "text": printable(state.goal.text)},
        "milestones": [
            {"key": key, "text": text, "is_reached": seen is not None and key in seen.milestones}
            for key, text in (run.milestones if run is not None else ())
        ],
        "decision": _decision(state),
        "anti_stuck": _anti_stuck(state),
        "screenshot": screenshot,
        "progress": state.work.text if state.work is not None else "",
        "log": [
            {"step": line.step, "source": line.source, "text": line.text, "count": line.count}
            for line in state.log[-_LOG_LINES:]
        ],
        "end": _end(state),
    }


def stats_figures(state: DashboardState) -> Values:
    """Return how the run does: /api/stats."""
    last = state.history.latest[-SUCCESS_WINDOW:]
    return {
        "version": VERSION,
        "rewards": _rewards(state),
        "payouts": [
            {"step": one.step, "component": one.component, "value": one.value, "cause": one.cause}
            for one in state.payouts[-_PAYOUTS:]
        ],
        "episodes": {
            "count": state.history.count,
            "recent": len(last),
            **{
                name: math.fsum(row[name] for row in last) / len(last) if last else None
                for name in ("return", "length", "success", "planner_share", "milestones")
            },
        },
        "evaluation": state.evaluated and _evaluation(state.evaluated),
        "learner": state.policy
        and {"update": state.policy.update, "figures": dict(state.policy.figures)},
        "decisions": dict(state.shares),
        "strategy": state.strategy,
        "curriculum": state.curriculum and _curriculum(state.curriculum),
        "planner": state.planner.status and _planner(state.planner.status),
        "system": state.system and _system(state.system),
        "checkpoint_step": state.checkpoint.total_steps if state.checkpoint is not None else None,
        "history": {
            "episodes": state.history.count,
            "updates": state.updates.count,
            "evaluations": state.evaluations.count,
        },
    }


def history_figures(state: DashboardState, most: int) -> Values:
    """Return the curves of the run, each of at most `most` points: /api/history."""
    found = (_curve(curve, state, most) for curve in curves(state) if curve.source != "milestones")
    return {
        "version": VERSION,
        "run": state.run.run_id if state.run is not None else None,
        "curves": [curve for curve in found if curve["places"]],
        "moves": [
            {"episode": move.episode, "text": move.text, "cause": move.cause}
            for move in state.moves
        ],
    }


def _run(run: events.RunStarted) -> Values:
    return {
        "id": run.run_id,
        "game": run.game,
        "agent": run.agent,
        "mode": run.mode,
        "games": run.num_envs,
        "workers": run.num_workers,
        "resumed_from": run.resumed_from,
    }


def _status(state: DashboardState, status: events.StatusChanged) -> Values:
    return {
        "story": [text for text in story(state) if text],
        "phase": status.phase,
        "done": status.done,
        "total": status.total,
        "is_paused": status.is_paused,
        "is_human": status.is_human,
        "steps": status.total_steps,
        "steps_per_s": status.steps_per_s,
        "episode": status.episode,
        "episodes_per_hour": status.episodes_per_hour,
        "episode_steps": status.episode_steps,
        "watched_game": status.watched_env,
        "uptime_s": status.uptime_s,
    }


def _game(game: GameState) -> Values:
    place = game.place
    return {
        "place": printable(place.name),
        "map": [place.map.group, place.map.number],
        "x": place.x,
        "y": place.y,
        "facing": place.facing.name.lower(),
        "environment": place.environment,
        "party": [_creature(creature) for creature in game.party],
        "battle": game.battle and _battle(game.battle),
        "badges": [[bool(mask >> bit & 1) for bit in range(8)] for mask in game.badges],
        "badge_count": game.badge_count,
        "money": game.money,
        "caught": game.caught,
        "seen": game.seen,
        "play_time_s": game.play_time_s,
        "has_species": bool(game.caught_flags),  # a bit a species, none of another game
        "text": [line for line in map(printable, game.screen_text) if line.strip()],
    }


def _creature(creature: Creature) -> Values:
    return {
        "name": printable(creature.name),
        "level": creature.level,
        "hp": creature.hp,
        "max_hp": creature.max_hp,
        "status": creature.status,
    }


def _battle(battle: Battle) -> Values:
    return {
        "kind": battle.kind.value,
        "own": battle.own and _creature(battle.own),
        "enemy": battle.enemy and _creature(battle.enemy),
    }


def _decision(state: DashboardState) -> Values | None:
    if state.decision is None:
        return None
    decision = state.decision.decision
    return {
        "action": state.actions.name(decision.action),
        "source": decision.source.value,
        "confidence": None if decision.source is Source.RECORDED else decision.confidence,
        "reason": printable(decision.reason),
    }


def _anti_stuck(state: DashboardState) -> Values | None:
    now = state.game.anti_stuck if state.game is not None else None
    if now is None:
        return None
    return {
        "idle_steps": now.idle_steps,
        "masked": [state.actions.name(action) for action in now.masked],
        "interventions": now.interventions,
    }


def _end(state: DashboardState) -> Values | None:
    match state.end:
        case events.RunStopped(reason=reason, total_steps=steps, checkpoint=checkpoint):
            kind = {"kind": "stopped", "message": f"The run has ended at step {steps:,}: {reason}."}
            return {**kind, "hint": "It is saved." if checkpoint else "It is not saved."}
        case events.RunFailed(message=message, hint=hint):
            return {"kind": "failed", "message": message, "hint": hint}
        case events.ConnectionLost(message=message, hint=hint):
            return {"kind": "lost", "message": message, "hint": hint}
        case None:
            return None


def _rewards(state: DashboardState) -> list[Values]:
    """Return what each component paid: now, in this episode, lately, and over the run."""
    if state.reward is None:
        return []
    step, run = dict(state.reward.step.components), dict(state.reward.run)
    weights = dict(state.steering.weights) if state.steering is not None else {}
    rows = []
    for name, episode in state.reward.episode:
        recent = state.history.component_values(name)[-SUCCESS_WINDOW:]
        rows.append(
            {
                "name": name,
                "step": step.get(name, 0.0),
                "episode": episode,
                "recent": math.fsum(recent) / len(recent) if recent else None,
                "run": run.get(name),
                "weight": weights.get(name),
            }
        )
    return rows


def _evaluation(event: events.EvaluationEnded) -> Values:
    found = event.evaluation
    return {
        "episode": event.episode,
        "episodes": found.episodes,
        "return": found.avg_reward,
        "return_std": found.std_reward,
        "length": found.avg_length,
        "success": found.success_rate,
        "progress": found.came,
    }


def _curriculum(now: events.CurriculumChanged) -> Values:
    return {
        "stage": now.stage,
        "stages": now.num_stages,
        "name": now.name,
        "planner_weight": now.planner_share,
        "mean": now.average_reward,
        "threshold": now.threshold,
        "unit": now.unit,
        "next": now.missing,
    }


def _planner(status: events.PlannerStatusChanged) -> Values:
    return {
        "model": printable(status.model),
        "state": status.state,
        "summary": describe_status(status),
        "queries": status.calls,
        "failures": status.failures,
        "cached": status.cached,
        "cost": status.cost,
        "median_latency_s": status.median_latency_s,
        "uplift": status.uplift,
        "uplift_low": status.uplift_low,
        "uplift_high": status.uplift_high,
    }


def _system(seen: events.SystemMeasured) -> Values:
    return {
        "cores": list(seen.cores),
        "memory_used": seen.memory_used,
        "memory_total": seen.memory_total,
        "processes": [
            {"name": use.name, "count": use.count, "bytes": use.resident_bytes}
            for use in seen.processes
        ],
        "gpus": [
            {"name": gpu.name, "load": gpu.load, "used": gpu.used_bytes, "total": gpu.total_bytes}
            for gpu in seen.gpus
        ],
        "disk_free": seen.disk_free,
        "disk_total": seen.disk_total,
        "run_bytes": seen.run_bytes,
        "history_bytes": seen.history_bytes,
        "history_bytes_per_hour": seen.history_bytes_per_hour,
    }


def _curve(curve: Curve, state: DashboardState, most: int) -> Values:
    places, values = curve.points(state)
    _, means = curve.smoothed(state, _MEAN_OVER)
    stride = max(1, -(-len(places) // most))
    ends = np.minimum(np.arange(0, len(places), stride) + stride - 1, len(places) - 1)
    return {
        "name": curve.name,
        "title": curve.title,
        "source": curve.source,
        "is_share": curve.is_share,
        "places": _whole(places[ends]),
        "steps": _whole(curve.steps(state, places)[ends]),
        "values": _binned(values, stride),
        "means": means[ends].tolist(),
    }


def _whole(values: NDArray[np.float64]) -> list[int]:
    return [round(value) for value in values.tolist()]


def _binned(values: NDArray[np.float64], stride: int) -> list[float]:
    """Return the mean of every `stride` values; the last may be of fewer."""
    return [values[at : at + stride].mean() for at in range(0, len(values), stride)]


def _finite(value: Any) -> Any:
    """Return the same with null for what is no number, and six digits of what is one."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return value
