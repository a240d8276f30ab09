"""Take a plan from a language model's reply: one of the query's options, or nothing.

Whatever is written, by the model or by a game that it obeys, nothing but an option that exists now
can come of it.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.llm.asking import Answer
from engine.llm.objects import read_object
from engine.llm.option_names import pick, tokens
from engine.planning_types import Condition, GoalOption, PlanningQuery, Subgoal
from engine.quoting import one_line

_FIELDS = ("choice", "goal", "target")
"""At least one of them makes an object an answer."""

_REASONING = 300
_UNSTATED = 0.5
"""Confidence where none can be read."""
_PERCENT = re.compile(r"\+?(\d{1,3}(?:[.,]\d{1,6})?)\s*(%|percent|/\s*100)?")
_WORDS: Mapping[str, float] = {
    "very high": 0.9,
    "high": 0.8,
    "medium": 0.5,
    "moderate": 0.5,
    "low": 0.2,
    "very low": 0.1,
}


@dataclass(frozen=True, slots=True)
class Reading:
    """What could be taken from a reply.

    Attributes:
        plan: None if nothing could.
        repairs: What had to be mended: of the object, then names of fields.
        error: Why there is no plan, "" if there is.
    """

    plan: Subgoal | None
    repairs: tuple[str, ...] = ()
    error: str = ""


def read_answer(answer: Answer, query: PlanningQuery, goal_source: str) -> Reading:
    """Read an answer as `read_plan` does; of one that is not whole the error says why."""
    reading = read_plan(answer.text, answer.done_reason, query, goal_source)
    if reading.plan is None and answer.cut:
        return replace(reading, error=f"{reading.error} ({answer.cut})")
    return reading


def read_plan(text: str, done_reason: str, query: PlanningQuery, goal_source: str) -> Reading:
    """Read the answer to `engine.llm.prompt.compose`.

    An option named as kind and target apart is taken too, and so is one that is spelt or worded
    otherwise as long as no other can be meant. What was cut off does not count as written: all
    reasons but "stop" say that the model was stopped before it was done. `goal_source` names it.
    """
    found = read_object(text, done_reason, _FIELDS)
    if found.values is None:
        return Reading(None, found.repairs, found.error)
    values = found.values
    option, target = _text(values, "choice"), _text(values, "target")
    goal = option or _text(values, "goal") or _text(values, "kind")
    if not goal and not target:
        return Reading(None, found.repairs, "no choice given")
    has_target = bool(option or target) or "cut off" not in found.repairs
    if not has_target and sum(tokens(one.kind) == tokens(goal) for one in query.options) > 1:
        return Reading(None, found.repairs, "cut off before the target")
    picked = pick(goal, target, query.options)
    if picked.option is None:
        return Reading(None, found.repairs, picked.error)
    condition, is_condition = _read_condition(values.get("success"), picked.option)
    confidence, is_confidence = _read_confidence(values.get("confidence"))
    stated = values.get("reasoning")
    reasoning = one_line(stated, _REASONING) if isinstance(stated, str) else ""
    is_sound = {
        "choice": picked.is_exact,
        "success": is_condition,
        "confidence": is_confidence,
        "reasoning": reasoning == stated,
    }
    mended = (field for field, is_kept in is_sound.items() if not is_kept)
    plan = Subgoal(query.key, (goal_source,), picked.option, condition, confidence, reasoning)
    return Reading(plan, tuple(dict.fromkeys((*found.repairs, *mended))))


def _text(values: Mapping[str, Any], field: str) -> str:
    """Return a field that is text; a number names nothing."""
    value = values.get(field)
    return value.strip() if isinstance(value, str) else ""


def _read_condition(value: object, option: GoalOption) -> tuple[Condition, bool]:
    """Return a condition of the option, and whether it was named word for word."""
    for condition in option.conditions:
        if value == condition:
            return condition, True
    said = tokens(value) if isinstance(value, str) else ()
    names = {c: (tokens(c), tokens(c.name)) for c in option.conditions}
    meant = [c for c, spelt in names.items() if said and said in spelt]
    return (meant[0] if len(meant) == 1 else option.conditions[0]), False


def _read_confidence(value: object) -> tuple[float, bool]:
    """Return 0 to 1, and whether it was stated as asked for: as 0 to 100."""
    if isinstance(value, int) and not isinstance(value, bool):
        return min(max(value, 0), 100) / 100, 0 <= value <= 100
    if isinstance(value, float) and math.isfinite(value):
        share = value if 0 < value <= 1 else value / 100
        return min(max(share, 0.0), 1.0), False
    if isinstance(value, str):
        said = value.strip().lower()
        if match := _PERCENT.fullmatch(said):
            number = float(match[1].replace(",", "."))
            is_share = number <= 1 and not match[2] and not match[1].isdigit()
            return min(number if is_share else number / 100, 1.0), False
        return _WORDS.get(" ".join(tokens(said)), _UNSTATED), False
    return _UNSTATED, False
