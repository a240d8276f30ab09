"""Name the choices of a situation, and find the one that is meant by a name that is not quite it.

A choice is picked by a single name, kind and target in one ("reach exit 1"): among such names no
wrong combination can be made. A name is folded only where exactly one choice can be meant; else
nothing is chosen, for a wrong goal costs more than none.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.plans import Choice
from engine.quoting import one_line

_TOKEN = re.compile(r"[^\W\d_]+|\d+")
_NOTHING = frozenset({(), ("none",), ("null",), ("n", "a"), ("nothing",), ("empty",)})
"""What stands where a kind needs no target."""
_LONGEST = 200
_LONGEST_NAME = 80
_FEWEST_LETTERS = 4
"""Of words that are found in the midst of a choice's text; "a" is in every text."""
_FEWEST_WORDS = 3
"""Of a text's beginning; a first word says little."""
_LISTED = 8

Tokens = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pick:
    """The choice that is meant.

    Attributes:
        choice: None if there is none, or not just one.
        is_exact: It was named word for word.
        error: Why there is none, "" if there is.
    """

    choice: Choice | None
    is_exact: bool = False
    error: str = ""


def name_of(choice: Choice) -> str:
    """Return the name by which a reply picks it, e.g. "reach exit 1", "heal"."""
    return one_line(f"{choice.kind} {choice.target}", _LONGEST_NAME)


def pick(goal: str, target: str, choices: Sequence[Choice]) -> Pick:
    """Return the choice that a reply means.

    Args:
        goal: A choice's name, or its kind alone.
        target: What stands apart from it; "" if nothing does.
        choices: Of which one can be meant.
    """
    if tokens(target) in _NOTHING:
        target = ""
    if not goal.strip() or not target:
        return _pick_named(goal if goal.strip() else target, choices)
    of_kind = [choice for choice in choices if tokens(choice.kind) == tokens(goal)]
    if of_kind:
        found = _pick_named(target, of_kind, is_kind_known=True)
        joined = f"{goal} {target}"
        exact = found.choice is not None and joined == name_of(found.choice)
        return Pick(found.choice, exact, found.error and _refused(joined, of_kind))
    found = _pick_named(goal, choices)
    if found.choice is None or _pick_named(target, [found.choice]).choice is not None:
        return Pick(found.choice, False, found.error)
    return Pick(None, error=f'"{_short(goal)}" and "{_short(target)}" are not the same')


def _pick_named(spoken: str, choices: Sequence[Choice], is_kind_known: bool = False) -> Pick:
    spoken = spoken.strip()
    exact = [choice for choice in choices if name_of(choice) == spoken]
    if len(exact) == 1:
        return Pick(exact[0], is_exact=True)
    if len(spoken) <= _LONGEST and (said := tokens(spoken)):
        tests = [_is_name, _is_target, _is_restated, _is_begun]
        for is_meant in tests + [_is_within] * is_kind_known:
            meant = _meant(said, choices, is_meant)
            if len(meant) == 1:
                return Pick(meant[0])
            if meant:
                names = " or ".join(name_of(choice) for choice in meant[:_LISTED])
                return Pick(None, error=f'"{_short(spoken)}" may be {names}')
    return Pick(None, error=_refused(spoken, choices))


def _meant(
    said: Tokens, choices: Sequence[Choice], is_meant: Callable[[Tokens, Choice], bool]
) -> list[Choice]:
    found = [choice for choice in choices if is_meant(said, choice)]
    if not found and len(said) > 1 and said[0].isdigit():  # the number of a list
        found = [choice for choice in choices if is_meant(said[1:], choice)]
    return found


def _is_name(said: Tokens, choice: Choice) -> bool:
    return said == tokens(name_of(choice))


def _is_target(said: Tokens, choice: Choice) -> bool:
    return said == tokens(choice.target)


def _is_restated(said: Tokens, choice: Choice) -> bool:
    """Tell whether a choice's line, or its text, was copied up to any word."""
    kind, name, text = tokens(choice.kind), tokens(name_of(choice)), tokens(choice.text)
    is_long = len(said) >= _FEWEST_WORDS and len(said) > len(tokens(choice.target))
    return is_long and any(line[: len(said)] == said for line in (name + text, kind + text, text))


def _is_begun(said: Tokens, choice: Choice) -> bool:
    """Tell whether the first words of a name were given: "reach" where one place can be reached."""
    lines = (tokens(name_of(choice)), tokens(choice.target))
    return any(line[: len(said)] == said for line in lines)


def _is_within(said: Tokens, choice: Choice) -> bool:
    """Tell whether words of a choice's text were given, e.g. the map that an exit leads to."""
    if sum(len(word) for word in said if word.isalpha()) < _FEWEST_LETTERS:
        return False
    text = tokens(choice.text)
    return any(text[at : at + len(said)] == said for at in range(len(text)))


def tokens(text: str) -> Tokens:
    """Return words and numbers in small letters; "exit_12" and "Exit 12" are the same."""
    folded = unicodedata.normalize("NFKC", text[: 2 * _LONGEST]).casefold()
    return tuple(_TOKEN.findall(folded))


def _refused(spoken: str, choices: Sequence[Choice]) -> str:
    names = [name_of(choice) for choice in choices[:_LISTED]]
    more = f" and {len(choices) - _LISTED} more" if len(choices) > _LISTED else ""
    return f'no "{_short(spoken)}" here; there is {", ".join(names)}{more}'


def _short(text: str) -> str:
    return one_line(text, 60)
