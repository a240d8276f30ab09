"""Know in which form a server takes a question, and find a simpler one where it refuses.

Servers that speak the same protocol take different parts of it, and their refusals differ as much:
a part is named or is not, with 400, 404, 422, 500 or 501, before the answer or as its first event;
and some take everything and then say nothing at all.
"""

import re
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from dataclasses import dataclass, replace
from enum import IntEnum

from engine.planning.models.backends.base import Chunk

REFUSED = frozenset({400, 404, 422, 500, 501})
_FAILED = 500
"""The one of them that may be an accident: the same question is asked once more."""
_FINAL = re.compile(
    r"model_not_found|(no such|invalid) model|no endpoints (found for|available)"
    r"|context[ _](length|size|window)"
)
"""Words of refusals that no simpler form is an answer to."""
_PHRASE = re.compile(r"[\w.:/ '\"`-]+")
_WORDS = {
    "temperature": re.compile(r"temperature"),
    "stream_options": re.compile(r"stream_options|include_usage"),
    "reasoning_effort": re.compile(r"reasoning[_.]effort|think value"),
    "chat_template_kwargs": re.compile(r"chat_template_kwargs|enable_thinking"),
    "think": re.compile(r"think"),
    "limit": re.compile(r"max_tokens|max_completion_tokens"),
    "system": re.compile(r"system (role|message)|['\"]system['\"]| roles |developer"),
    "form": re.compile(r"(?<![a-z])format|schema|json_object|grammar|\bstrict\b|structured"),
}
"""By which words an error names a part of a question; the clearest words first."""
_SYSTEM = frozenset({"system"})
_OPENS = re.compile(r"<(think|thinking|thought)>", re.IGNORECASE)
_CLOSES = re.compile(r"</(think|thinking|thought)>", re.IGNORECASE)
_LONGEST_TAG = len("<thinking>")
_MOST_HELD = 64
"""Characters that are held back, white space before a tag with them: a flood of it is passed on."""


class Form(IntEnum):
    """How an answer's form is asked for, the surest way first."""

    SCHEMA = 0
    """A JSON schema with its bounds."""
    PLAIN_SCHEMA = 1
    """A JSON schema as strict modes take it: without bounds."""
    OBJECT = 2
    """Some JSON object; the schema is given in words."""
    WORDS = 3
    """In words alone."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a server takes, and how its model behaves.

    Attributes:
        parts: What can be left out of a question and is not: "temperature", "stream_options",
            "reasoning_effort", "chat_template_kwargs", "think", and "system", the rules in a
            message of their own.
        limits: Names that the answer's limit may have, the first one is used; none: it is not sent.
        form: How the answer's form is asked for.
        thinks: The model is known to think, and needs room for it.
        closing: The tag that ends thoughts which begin without one, as the server has written it
            for the model; "" if they begin with a tag.
    """

    parts: frozenset[str]
    limits: tuple[str, ...] = ()
    form: Form = Form.SCHEMA
    thinks: bool = False
    closing: str = ""

    def simpler(self, said: str, *, is_named: bool = False) -> "Dialect | None":
        """Return what to try after a refusal in these words; None if nothing is left to try.

        `is_named`: give up nothing but what they name.
        """
        if _is_final(said.lower()):
            return None
        named = self.named(said)
        if named is not None or is_named:
            return named
        if self.form < Form.WORDS:
            return replace(self, form=max(Form(self.form + 1), Form.OBJECT))
        if self.parts - _SYSTEM:
            return replace(self, parts=self.parts & _SYSTEM)
        return self.without("system") or self.without("limit")

    def named(self, said: str) -> "Dialect | None":
        """Return it without the part that a refusal names; None if it names none that is there."""
        found = (part for part, words in _WORDS.items() if words.search(said.lower()))
        return next(filter(None, map(self.without, found)), None)

    def after(self, said: str, thought: str, done_reason: str) -> "Dialect | None":
        """Return what to try after an answer that lacks something; None if nothing may help.

        `said` has no white space around it, and `thought` came before it.
        """
        if not self.closing and (match := _CLOSES.search(said)):
            return replace(self, thinks=True, closing=match[0])
        if not self.thinks and (thought or _is_lost(said, done_reason)):
            return replace(self, thinks=True)
        if not said and done_reason == "stop" and self.form < Form.WORDS:
            return replace(self, form=max(Form(self.form + 1), Form.OBJECT))
        return None

    def without(self, part: str) -> "Dialect | None":
        """Return it with less of a part; None if nothing of it is left."""
        if part in self.parts:
            return replace(self, parts=self.parts - {part})
        if part == "form" and self.form < Form.WORDS:
            return replace(self, form=Form(self.form + 1))
        if part == "limit" and self.limits:
            return replace(self, limits=self.limits[1:])
        return None


@dataclass(frozen=True, slots=True)
class Refusal:
    """How a server refuses a question: its status, and its words."""

    status: int
    said: str


async def adapt(
    dialect: Dialect,
    ask: Callable[[Dialect], AsyncGenerator[Chunk]],
    refusal_of: Callable[[Exception], Refusal | None],
    learn: Callable[[Dialect], None],
    *,
    is_named: bool = False,
) -> AsyncGenerator[Chunk]:
    """Stream an answer in the first dialect in which there is one.

    A refusal that no dialect helps against is raised as it came first, and an answer that is empty
    in every form stands: neither teaches anything but that a model thinks.

    `dialect` is what is known of the server; `learn` is called with one that has proven better.
    `refusal_of` tells refusals from other exceptions; `is_named`: give up only what they name.
    """
    tried, first, may_repeat = dialect, None, True
    while True:
        last = Chunk(done_reason="cut")
        said, thought = "", ""
        try:
            async with aclosing(_split(ask(tried), tried.closing)) as chunks:
                async for chunk in chunks:
                    if chunk.done_reason:
                        last = chunk
                        continue
                    if chunk.is_thinking:
                        thought += chunk.text
                    else:
                        said += chunk.text
                    yield chunk
        except GeneratorExit:  # nobody wants more of it, as it is too long
            learned = (None if is_named else tried.after(said, thought, "length")) or tried
            if said and learned != dialect:
                learn(learned)
            raise
        except Exception as error:
            refusal = refusal_of(error)
            if refusal is None or refusal.status not in REFUSED or said or thought:
                raise
            first = first or error
            simpler = _after_refusal(tried, refusal, may_repeat=may_repeat, is_named=is_named)
            if simpler is None:
                raise first from None
            may_repeat = may_repeat and simpler is not tried
            tried = simpler
            continue
        if not said.strip() and (tried.closing or thought.lstrip().startswith("{")):
            # Some servers take all that a schema forces a thinking model to write for thoughts.
            said = thought
            yield Chunk(said)
        said = said.strip()
        better = None if is_named else tried.after(said, thought, last.done_reason)
        if better is not None and (not said or _is_lost(said, last.done_reason)):
            tried = better
            continue
        if said and (better or tried) != dialect:
            learn(better or tried)
        elif thought and not dialect.thinks and not is_named:
            learn(replace(dialect, thinks=True))
        yield last
        return


def _after_refusal(
    tried: Dialect, refusal: Refusal, *, may_repeat: bool, is_named: bool
) -> Dialect | None:
    """Return in which dialect to ask next: a failure that names nothing may be an accident."""
    is_accident = refusal.status == _FAILED and tried.named(refusal.said) is None
    if is_accident and may_repeat and not is_named:
        return tried
    return tried.simpler(refusal.said, is_named=is_named)


def _is_final(said: str) -> bool:
    """Return whether no simpler form is an answer to a refusal, by its words."""
    for phrase in _PHRASE.findall(said):
        _, model, rest = phrase.partition("model")
        if model and (" not found" in rest or " does not exist" in rest):
            return True
    return bool(_FINAL.search(said))


def _is_lost(said: str, done_reason: str) -> bool:
    """Return whether an answer was cut off before its object began."""
    return done_reason == "length" and "{" not in said


async def _split(chunks: AsyncGenerator[Chunk], closing: str) -> AsyncGenerator[Chunk]:
    """Pass on an answer with what it thinks in tags marked as thoughts."""
    tags = _Tags(closing)
    async with aclosing(chunks):
        async for chunk in chunks:
            is_last = bool(chunk.done_reason)
            if not chunk.is_thinking:
                for piece in tags.take(chunk.text, is_last):
                    yield piece
            if is_last:
                yield replace(chunk, text="")
            elif chunk.is_thinking:
                yield chunk


class _Tags:
    """Tell the thoughts before an answer from the answer: they begin with a tag.

    Args:
        closing: It begins with thoughts without one, until this tag.
    """

    def __init__(self, closing: str) -> None:
        self._held = ""
        self._closing = closing
        self._is_decided = bool(closing)

    def take(self, text: str, is_last: bool) -> Iterator[Chunk]:
        """Return what is known of the pieces so far, and hold back what may be part of a tag."""
        self._held += text
        if not self._is_decided:
            begun = self._held.lstrip()
            if match := _OPENS.match(begun):
                self._closing, self._held = f"</{match[1]}>", begun[match.end() :]
            elif self._may_be_tag(begun) and not is_last:
                return
            self._is_decided = True
        if self._closing:
            thought, closing, rest = self._held.partition(self._closing)
            if not closing and not is_last:
                at = max(0, len(thought) - len(self._closing) + 1)
                thought, rest = thought[:at], thought[at:]
            if thought:
                yield Chunk(thought, is_thinking=True)
            self._held = rest
            if not closing:
                return
            self._closing = ""
        if self._held:
            yield Chunk(self._held)
            self._held = ""

    def _may_be_tag(self, begun: str) -> bool:
        is_short = len(begun) < _LONGEST_TAG and len(self._held) < _MOST_HELD
        return is_short and begun[:1] in ("", "<")
