"""Make training examples for a language model from the answers that RAM proved right.

An example is a chat as OpenAI's fine-tuning and Hugging Face TRL take it, a JSON object a line:
{"messages": [{"role": "system", ...}, {"role": "user", ...}, {"role": "assistant", ...}]}. The
answer is written anew from what was read of it, in the form that the prompt asks for: repairs are
in it, thoughts are not.

Right is what `engine.agents.calibration` counts as good: a goal that was followed, reached, and
brought progress; without the progress a model would learn to name the nearest exit. A goal that
gave way to another proves nothing for or against it, and one of the control group was not followed.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.ground.text import one_line
from engine.planning.models.backends.tokens import estimate_tokens
from engine.planning.models.prompt import MAX_REASONING
from engine.planning_types import Condition

_KEY_LIKE = re.compile(r"\b(?:sk-|hf_|gh[oprsu]_|AKIA|AIza|xox[abp]-)[\w-]{12,}")
_CONDITIONS = frozenset(map(str, Condition))
_END_OF_SYSTEM = "\n\n"
"""In `Exchange.prompt`; the system text has no empty line itself."""


@dataclass(frozen=True, slots=True)
class Requirements:
    """What an answer needs to become an example.

    Attributes:
        needs_progress: Reaching the goal also brought progress.
        min_right: How often it was right at least.
        min_success: In which share of the attempts it was right at least.
        models: Names of the models whose answers are taken; empty for all.
        secrets: Texts that must not be in an example.
        has_duplicates: Keep all answers that make the same choice in the same situation.
    """

    needs_progress: bool = True
    min_right: int = 1
    min_success: float = 0.5
    models: Collection[str] = ()
    secrets: Collection[str] = ()
    has_duplicates: bool = False


@dataclass(frozen=True, slots=True)
class Example:
    """A prompt and the answer to it; `right` of `attempts` reached its goal."""

    key: str
    place_key: str
    model: str
    kind: str
    choice: str
    system: str
    user: str
    answer: str
    right: int
    attempts: int
    time: float

    @property
    def tokens(self) -> int:
        """Return an estimate, rather too many."""
        return sum(map(estimate_tokens, (self.system, self.user, self.answer)))

    def line(self) -> bytes:
        """Return it as a line of JSON."""
        texts = {"system": self.system, "user": self.user, "assistant": self.answer}
        messages = [{"role": role, "content": text} for role, text in texts.items()]
        return json.dumps({"messages": messages}).encode() + b"\n"


@dataclass(frozen=True, slots=True)
class Selection:
    """The examples of exchanges, the oldest first, and how many were dropped for which reason."""

    examples: tuple[Example, ...]
    dropped: Mapping[str, int]


def select(exchanges: Iterable[Mapping[str, Any]], requirements: Requirements) -> Selection:
    """Return what can be learnt from exchanges, as `exchanges.scan` returns them."""
    dropped: Counter[str] = Counter()
    examples: list[Example] = []
    for exchange in exchanges:
        made = _example(exchange, requirements)
        if isinstance(made, Example):
            examples.append(made)
        else:
            dropped[made] += 1
    if not requirements.has_duplicates:
        kept = _distinct(examples)
        dropped["duplicate"] = len(examples) - len(kept)
        examples = kept
    examples.sort(key=lambda one: (one.time, one.key, one.answer))
    return Selection(tuple(examples), {why: count for why, count in dropped.items() if count})


def success(exchange: Mapping[str, Any], *, needs_progress: bool) -> tuple[int, int]:
    """Return how often an exchange's goal was right, of how many attempts."""
    tally = exchange["verdicts"]
    right = tally["proven"] if needs_progress else tally["reached"]
    return right, tally["reached"] + tally["failed"]


def _example(exchange: Mapping[str, Any], requirements: Requirements) -> Example | str:
    """Return the example, or why there is none."""
    if requirements.models and exchange["model"] not in requirements.models:
        return "of other models"
    if not exchange["goal"]:
        return "no goal in the answer"
    if not exchange["setter"]:
        return "outvoted"
    right, attempts = success(exchange, needs_progress=requirements.needs_progress)
    if attempts < 1:
        return "never followed to an end"
    if exchange["verdicts"]["reached"] < 1:
        return "not reached"
    if right < 1:
        return "reached without progress"
    if right < max(requirements.min_right, requirements.min_success * attempts):
        return "right too rarely"
    system, _, user = exchange["prompt"].partition(_END_OF_SYSTEM)
    choice = exchange["choice"] or _choice_of(exchange)
    confidence = exchange["confidence"]
    if not choice:
        return "choice unknown"  # of an older run, whose answer was repaired
    if not is_offered(choice, user):
        return "choice not in the prompt"
    if confidence is None or not 0 <= confidence <= 1 or exchange["condition"] not in _CONDITIONS:
        return "damaged"
    answer = {
        "choice": choice,
        "success": exchange["condition"],
        "confidence": round(100 * confidence),
        "reasoning": one_line(exchange["reasoning"], MAX_REASONING),
    }
    example = Example(
        key=exchange["key"],
        place_key=exchange["place_key"],
        model=exchange["model"],
        kind=exchange["kind"],
        choice=choice,
        system=system,
        user=user,
        answer=json.dumps(answer, ensure_ascii=False),
        right=right,
        attempts=attempts,
        time=exchange["time"] or 0.0,
    )
    text = f"{system}{user}{example.answer}"
    if _KEY_LIKE.search(text) or any(secret in text for secret in requirements.secrets):
        return "contains a key"
    return example if _is_unicode(text) else "damaged"


def _choice_of(exchange: Mapping[str, Any]) -> str:
    """Return the choice of an older exchange, which only an answer without repairs tells."""
    try:
        choice = json.loads(exchange["text"])["choice"] if not exchange["repairs"] else ""
    except (ValueError, TypeError, KeyError, RecursionError):
        return ""
    return choice if isinstance(choice, str) else ""


def is_offered(choice: str, user: str) -> bool:
    """Return whether a choice is one of those that a prompt lists."""
    *_, listed = f"\n{user}".rpartition("\nChoices:")
    lines = listed.splitlines()
    bare = lines[-1].removeprefix("Other choices:").strip().split("; ") if lines else []
    begin = f"- {choice}: "
    return choice in bare or any(line.startswith(begin) for line in lines)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair, which JSON can spell
        return False
    return True


def _distinct(examples: Iterable[Example]) -> list[Example]:
    """Return one example a situation and choice: the one right most often, the newest of equals."""
    best: dict[tuple[str, str], Example] = {}
    for one in examples:
        known = best.get((one.key, one.choice))
        if known is None or (one.right, one.time) >= (known.right, known.time):
            best[one.key, one.choice] = one
    return list(best.values())


def split(
    examples: Sequence[Example], share: float
) -> tuple[tuple[Example, ...], tuple[Example, ...]]:
    """Return examples for training and for validation, a `share` of them as nearly as can be.

    What is alike stays together: queries with the same key, on the same map after the same
    milestones, or in the same words. The same examples are always divided alike.
    """
    group_of = _groups(examples)
    sizes = Counter(map(group_of, examples))
    order = sorted(sizes, key=lambda group: hashlib.blake2b(group.encode()).digest())
    room = max(1, round(share * len(examples))) if share > 0 and len(order) > 1 else 0
    chosen: set[str] = set()
    for group in order[:-1]:
        if sizes[group] <= room:
            chosen.add(group)
            room -= sizes[group]
    if room and not chosen:  # all are larger
        chosen.add(min(order, key=sizes.__getitem__))
    return (
        tuple(one for one in examples if group_of(one) not in chosen),
        tuple(one for one in examples if group_of(one) in chosen),
    )


def _groups(examples: Iterable[Example]) -> Callable[[Example], str]:
    """Return the function that names an example's group: the least of what its members share."""
    parents: dict[str, str] = {}

    def root(name: str) -> str:
        while (parent := parents.setdefault(name, name)) != name:
            name = parent
        return name

    for one in examples:
        names = (f"key {one.key}", f"place {one.place_key or one.key}", f"text {one.user}")
        first, *others = sorted(map(root, names))
        parents.update(dict.fromkeys(others, first))
    return lambda one: root(f"key {one.key}")


def statistics(
    exchanges: Sequence[Mapping[str, Any]],
    selection: Selection,
    parts: Mapping[str, Sequence[Example]],
    *,
    needs_progress: bool,
) -> dict[str, Any]:
    """Return what the files hold and what they were made of, as JSON-able facts.

    Rates are of goals that were followed to an end, in all exchanges; `parts` are the examples by
    the names of their files.
    """
    found = selection.examples
    by_model: dict[str, list[Mapping[str, Any]]] = {}
    for exchange in exchanges:
        by_model.setdefault(exchange["model"], []).append(exchange)
    return {
        "version": 1,
        "exchanges": len(exchanges),
        "examples": len(found),
        "dropped": dict(sorted(selection.dropped.items())),
        "files": {
            name: {"examples": len(part), "tokens": sum(one.tokens for one in part)}
            for name, part in parts.items()
        },
        "goals": dict(Counter(one.kind for one in found).most_common()),
        "success": _rate(exchanges, needs_progress=needs_progress),
        "models": {
            name: {
                "exchanges": len(own),
                "examples": sum(one.model == name for one in found),
                "success": _rate(own, needs_progress=needs_progress),
            }
            for name, own in sorted(by_model.items())
        },
    }


def _rate(exchanges: Iterable[Mapping[str, Any]], *, needs_progress: bool) -> dict[str, Any]:
    counts = [success(one, needs_progress=needs_progress) for one in exchanges]
    right, attempts = (sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0)
    return {"right": right, "attempts": attempts, "rate": right / attempts if attempts else None}
