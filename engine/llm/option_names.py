"""Name the options of a situation, and find the one that is meant by a name that is not quite it.

An option is picked by a single name, kind and target in one ("reach exit 1"): among such names no
wrong combination can be made. A name is folded only where exactly one option can be meant; else
nothing is chosen, for a wrong goal costs more than none.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.planning_types import GoalOption
from engine.quoting import one_line

_TOKEN = re.compile(r"[^\W\d_]+|\d+")
_NOTHING = frozenset({(), ("none",), ("null",), ("n", "a"), ("nothing",), ("empty",)})
"""What stands where a kind needs no target."""
_LONGEST = 200
_LONGEST_NAME = 80
_FEWEST_LETTERS = 4
"""Of words that are found in the midst of an option's text; "a" is in every text."""
_FEWEST_WORDS = 3
"""Of a text's beginning; a first word says little."""
_LISTED = 8

Tokens = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pick:
    """The option that is meant.

    Attributes:
        option: None if there is none, or not just one.
        is_exact: It was named word for word.
        error: Why there is none, "" if there is.
    """

    option: GoalOption | None
    is_exact: bool = False
    error: str = ""


def name_of(option: GoalOption) -> str:
    """Return the name by which a reply picks it, e.g. "reach exit 1", "heal"."""
    return one_line(f"{option.kind} {option.target}", _LONGEST_NAME)


def pick(goal: str, target: str, options: Sequence[GoalOption]) -> Pick:
    """Return which of the options a reply means.

    `goal` is an option's name, or its kind alone; `target` stands apart from it, "" if none does.
    """
    if tokens(target) in _NOTHING:
        target = ""
    if not goal.strip() or not target:
        return _pick_named(goal if goal.strip() else target, options)
    of_kind = [option for option in options if tokens(option.kind) == tokens(goal)]
    if of_kind:
        found = _pick_named(target, of_kind, is_kind_known=True)
        joined = f"{goal} {target}"
        exact = found.option is not None and joined == name_of(found.option)
        return Pick(found.option, exact, found.error and _refused(joined, of_kind))
    found = _pick_named(goal, options)
    if found.option is None or _pick_named(target, [found.option]).option is not None:
        return Pick(found.option, False, found.error)
    return Pick(None, error=f'"{_short(goal)}" and "{_short(target)}" are not the same')


def _pick_named(spoken: str, options: Sequence[GoalOption], is_kind_known: bool = False) -> Pick:
    spoken = spoken.strip()
    exact = [option for option in options if name_of(option) == spoken]
    if len(exact) == 1:
        return Pick(exact[0], is_exact=True)
    if len(spoken) <= _LONGEST and (said := tokens(spoken)):
        tests: list[Callable[[Tokens, GoalOption], bool]] = [
            lambda said, option: said == tokens(name_of(option)),
            lambda said, option: said == tokens(option.target),
            _is_restated,
            _is_begun,
        ]
        for is_meant in tests + [_is_within] * is_kind_known:
            meant = _meant(said, options, is_meant)
            if len(meant) == 1:
                return Pick(meant[0])
            if meant:
                names = " or ".join(name_of(option) for option in meant[:_LISTED])
                return Pick(None, error=f'"{_short(spoken)}" may be {names}')
    return Pick(None, error=_refused(spoken, options))


def _meant(
    said: Tokens, options: Sequence[GoalOption], is_meant: Callable[[Tokens, GoalOption], bool]
) -> list[GoalOption]:
    found = [option for option in options if is_meant(said, option)]
    if not found and len(said) > 1 and said[0].isdigit():  # the number of a list
        found = [option for option in options if is_meant(said[1:], option)]
    return found


def _is_restated(said: Tokens, option: GoalOption) -> bool:
    """Return whether an option's line, or its text, was copied up to any word."""
    kind, name, text = tokens(option.kind), tokens(name_of(option)), tokens(option.text)
    is_long = len(said) >= _FEWEST_WORDS and len(said) > len(tokens(option.target))
    return is_long and any(line[: len(said)] == said for line in (name + text, kind + text, text))


def _is_begun(said: Tokens, option: GoalOption) -> bool:
    """Return whether a name was begun: "reach" where one place can be reached."""
    lines = (tokens(name_of(option)), tokens(option.target))
    return any(line[: len(said)] == said for line in lines)


def _is_within(said: Tokens, option: GoalOption) -> bool:
    """Return whether words of an option's text were given, e.g. the map that an exit leads to."""
    if sum(len(word) for word in said if word.isalpha()) < _FEWEST_LETTERS:
        return False
    text = tokens(option.text)
    return any(text[at : at + len(said)] == said for at in range(len(text)))


def tokens(text: str) -> Tokens:
    """Return words and numbers in small letters; "exit_12" and "Exit 12" are the same."""
    folded = unicodedata.normalize("NFKC", text[: 2 * _LONGEST]).casefold()
    return tuple(_TOKEN.findall(folded))


def _refused(spoken: str, options: Sequence[GoalOption]) -> str:
    names = [name_of(option) for option in options[:_LISTED]]
    more = f" and {len(options) - _LISTED} more" if len(options) > _LISTED else ""
    return f'no option "{_short(spoken)}"; available: {", ".join(names)}{more}'


def _short(text: str) -> str:
    return one_line(text, 60)
