"""Take a subgoal from a language model's reply: one of the query's options, or nothing."""

import json
import math
import re
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.ground.text import one_line
from engine.planning.models.asking import Answer
from engine.planning.models.prompt import pick, tokens
from engine.planning_types import Condition, GoalOption, PlanningQuery, Subgoal

# Find the JSON object in what a language model wrote, however it is wrapped, cut off or misspelt.
#
# Nothing is ever evaluated and no prose is searched: what stands outside an object does not count.
# The time taken is bounded by the text's length, whatever the text is.

_LONGEST = 20_000
"""Characters that are looked at; what is longer counts as cut off there."""
_TRIES = 12
"""How many places are tried at most, of those that look like an object."""
_OPEN_TRIES = 4
_DEPTH = 16
"""Brackets within brackets; what is deeper is no answer."""
_THOUGHT = re.compile(r"<(/?)(?:think|thinking|thought)>", re.IGNORECASE)
_STRUCTURE = re.compile(r'["\\{}\[\],]')
_TOKEN = re.compile(
    r"""
      (?P<double>"(?:[^"\\]|\\.)*+"?)
    | (?P<single>'(?:[^'\\]|\\.)*+'?)
    | (?P<comment>//[^\n]*+|\#[^\n]*+)
    | (?P<comma>,\s*+(?=[}\]]))
    | (?P<word>[A-Za-z_]\w*+)(?P<colon>\s*+:)?
    """,
    re.VERBOSE | re.DOTALL,
)
_LITERALS = {"True": "true", "False": "false", "None": "null", "undefined": "null"}
_PLAIN_QUOTE = re.compile(r'(?<!\\)"')
_RESPELT = str.maketrans("\u201c\u201d\u201e\u00a0", '""" ')


_Read = tuple[dict[str, Any] | None, tuple[str, ...]]
"""An object, and what had to be repaired."""


@dataclass(frozen=True, slots=True)
class Found:
    """The object in a reply.

    Attributes:
        values: By name in lower case; each is whole, nothing that was cut off is among them. None
            if there is no object that can be read.
        repairs: What had to be mended.
        error: Why there is none, "" if there is.
    """

    values: dict[str, Any] | None
    repairs: tuple[str, ...] = ()
    error: str = ""


def read_object(text: str, done_reason: str = "stop", keys: Collection[str] = ()) -> Found:
    """Return the last object in a reply that has one of `keys`; any object will do without keys.

    A whole text that is JSON comes first, then the last object in it that is whole, or that was
    cut off (which is closed after the last value that is whole). Not even a cut off object is
    passed over for an earlier one: that may have been a draft. Numbers that are none become None.

    All reasons but "stop" say that the model was stopped before it was done. Of `keys` one must be
    there, with a value that is no list and no object.
    """
    names = frozenset(key.lower() for key in keys)
    is_cut = done_reason != "stop" or len(text) > _LONGEST
    text = text[:_LONGEST].lstrip("\ufeff")
    if not text.strip():
        return Found(None, error="empty reply")
    values, repairs = _parse(text, names, is_whole=True)
    if values is None:
        text, is_thinking = _without_thoughts(text)
        if is_thinking:
            return Found(None, error="it never stopped thinking")
        values, repairs = _search(text, names, is_cut)
    if values is None and not _PLAIN_QUOTE.search(text):
        respelt = text.replace('\\"', '"').translate(_RESPELT)
        values, repairs = _search(respelt, names, is_cut)
        repairs = ("quotes", *repairs)
    if values is None:
        return Found(None, error=_missing(text, names, is_cut))
    encodable = _encodable(values)
    if encodable is not values:
        repairs = (*repairs, "half characters")
    return Found(encodable, tuple(dict.fromkeys(repairs)))


def _missing(text: str, names: frozenset[str], is_cut: bool) -> str:
    if "{" not in text:
        return "no JSON object"
    if is_cut:
        return "cut off before the answer"
    wanted = f" with {' or '.join(sorted(names))}" if names else ""
    return f"no readable JSON object{wanted}"


def _without_thoughts(text: str) -> tuple[str, bool]:
    """Return what follows the thoughts, and whether they never ended."""
    tags = list(_THOUGHT.finditer(text))
    if not tags:
        return text, False
    last = tags[-1]
    if last[1]:
        return text[last.end() :], False
    return text, "{" not in text[: last.start()]


def _search(text: str, names: frozenset[str], is_cut: bool) -> _Read:
    """Look for the object within the text; see `read_object`."""
    objects, opened = _brackets(text)
    for start in opened[:_OPEN_TRIES]:
        for closed in _closed(text[start:]):
            values, repairs = _parse(closed, names)
            if values is not None:
                return values, (*repairs, "cut off")
    after = -1
    if opened and (is_cut or re.match(r'\{\s*"', text[opened[-1] :])):
        after = opened[-1]
    tries = 0
    lowered = text.lower()
    for start, end in reversed(objects):
        if start < after or tries == _TRIES:
            break
        part = lowered[start:end]
        if names and not any(name in part for name in names):
            continue
        tries += 1
        values, repairs = _parse(text[start:end], names)
        if values is not None:
            return values, (*repairs, "text around it")
    return None, ()


def _brackets(text: str) -> tuple[list[tuple[int, int]], list[int]]:
    """Return start and end of each whole object, by end, and the starts of those never closed.

    Quotes count within objects only: in prose they come singly.
    """
    objects: list[tuple[int, int]] = []
    opened: list[int] = []
    for at, character in _structure(text):
        if character == "{":
            opened.append(at)
        elif character == "}" and opened:
            objects.append((opened.pop(), at + 1))
    return objects, opened


def _structure(text: str) -> Iterator[tuple[int, str]]:
    """Yield brackets and commas with their places, those within strings left out."""
    depth, is_text, skipped = 0, False, -1
    for match in _STRUCTURE.finditer(text):
        at, character = match.start(), match[0]
        if at == skipped:
            continue
        if character == "\\":
            skipped = at + 1 if is_text else -1
        elif character == '"':
            is_text = not is_text and depth > 0
        elif not is_text:
            depth += (character == "{") - (character == "}" and depth > 0)
            yield at, character
    if is_text:
        yield len(text), '"'


def _closed(text: str) -> Iterator[str]:
    """Yield an object that was cut off, closed after its last whole values, longest first."""
    stack: list[str] = []
    commas: deque[tuple[int, str]] = deque(maxlen=3)
    is_text = False
    for at, character in _structure(text):
        if character in "{[":
            stack.append("}" if character == "{" else "]")
        elif character in "}]" and stack:
            stack.pop()
        elif character == ",":
            commas.append((at, "".join(reversed(stack))))
        is_text = character == '"'
        if len(stack) > _DEPTH:
            return
    # Of a number, digits may be missing; white space after it says that it is whole.
    if not is_text and not text[-1:].isalnum():
        yield text + "".join(reversed(stack))
    for at, closing in reversed(commas):
        yield text[:at] + closing


def _parse(text: str, names: frozenset[str], *, is_whole: bool = False) -> _Read:
    """Read a text that is all JSON, or nearly; a whole reply may wrap it in a list or a text."""
    value, mending = _loads(text)
    repairs = [mending] if mending else []
    if is_whole and isinstance(value, str):
        value, mending = _loads(value)
        repairs += ["unwrapped", mending] if mending else ["unwrapped"]
    if is_whole and isinstance(value, list) and len(value) == 1:
        value = value[0]
        repairs.append("unwrapped")
    if not isinstance(value, dict):
        return None, ()
    values = {name.strip().lower(): item for name, item in value.items()}
    if list(values) != list(value):
        repairs.append("names")
    if names and all(isinstance(values.get(name), dict | list | None) for name in names):
        return None, ()
    return values, tuple(repairs)


def _loads(text: str) -> tuple[Any, str]:
    """Return what JSON it is, None if it is none, and what had to be mended."""
    for mending, is_strict in (("", True), ("control characters", False), ("spelling", False)):
        spelt = _TOKEN.sub(_spell, text) if mending == "spelling" else text
        try:
            value = json.loads(
                spelt, strict=is_strict, parse_constant=lambda _: None, parse_float=_finite
            )
        except (ValueError, RecursionError):
            continue
        return value, mending
    return None, ""


def _spell(match: re.Match[str]) -> str:
    """Respell a token as JSON wants it."""
    kind = match.lastgroup
    token = match[0]
    if kind == "single":
        is_whole = len(token) > 1 and token.endswith("'")
        return json.dumps(token[1:-1].replace("\\'", "'")) if is_whole else token
    if kind in {"comment", "comma"}:
        return ""
    if kind == "colon":
        return f'"{match["word"]}"{match["colon"]}'
    return _LITERALS.get(token, token)


def _finite(number: str) -> float | None:
    value = float(number)
    return value if abs(value) < float("inf") else None


def _encodable(values: dict[str, Any]) -> dict[str, Any]:
    """Replace halves of characters, which no file could hold."""
    try:
        spelt = json.dumps(values, ensure_ascii=False)
        spelt.encode()
    except UnicodeEncodeError:
        read: dict[str, Any] = json.loads(spelt.encode(errors="replace").decode())
        return read
    return values


# Whatever is written, by the model or by a game that it obeys, nothing but an option that exists
# now can come of it.

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
    """Read the answer to `engine.planning.models.prompt.compose`.

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
