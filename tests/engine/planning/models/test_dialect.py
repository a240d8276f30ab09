"""A server that refuses a form is asked in the next simpler one; what helped is remembered."""

import re
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from engine.planning.models.backends.base import Chunk
from engine.planning.models.backends.dialect import Dialect, Form, Refusal, adapt

PARTS = frozenset({"temperature", "stream_options", "system"})
FULL = Dialect(PARTS, ("max_tokens", "max_completion_tokens"))
STOP, LENGTH = Chunk(done_reason="stop"), Chunk(done_reason="length")
ANSWER = '{"choice": "heal"}'


class Refused(Exception):  # noqa: N818
    """A refusal."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(said)
        self.status, self.said = status, said


class Server:
    """Answers a question in a dialect as it is told to.

    Attributes:
        asked: The dialects in which it was asked.
        learnt: What was learnt last; the next question begins with it.
    """

    def __init__(self, answer: Callable[[Dialect], Sequence[Chunk] | Refused]) -> None:
        self.asked: list[Dialect] = []
        self.learnt = FULL
        self._answer = answer

    async def ask(self, *, is_named: bool = False, most: int = 100) -> tuple[str, str]:
        """Return what is said and thought, of the first chunks."""
        said = {False: "", True: ""}
        answer = adapt(self.learnt, self._chunks, _refusal, self._learn, is_named=is_named)
        async for chunk in answer:
            said[chunk.is_thinking] += chunk.text
            most -= 1
            if not most:
                await answer.aclose()
                break
        return said[False], said[True]

    async def _chunks(self, dialect: Dialect) -> AsyncGenerator[Chunk]:
        self.asked.append(dialect)
        answer = self._answer(dialect)
        if isinstance(answer, Refused):
            raise answer
        for chunk in answer:
            yield chunk

    def _learn(self, dialect: Dialect) -> None:
        self.learnt = dialect


def _refusal(error: Exception) -> Refusal | None:
    return Refusal(error.status, error.said) if isinstance(error, Refused) else None


def refusing(
    refuses: Callable[[Dialect], bool], status: int = 400, said: str = "Bad Request"
) -> Server:
    """Return a server that refuses some dialects, always in the same words."""
    return Server(lambda d: Refused(status, said) if refuses(d) else [Chunk(ANSWER), STOP])


@pytest.mark.parametrize("status", [400, 404, 422, 500, 501])
async def test_a_refused_schema_is_asked_for_as_an_object_then_in_words(status):
    server = refusing(lambda d: d.form < Form.WORDS, status)
    assert await server.ask() == (ANSWER, "")
    forms = [dialect.form for dialect in server.asked]
    assert forms == [Form.SCHEMA] * (1 + (status == 500)) + [Form.OBJECT, Form.WORDS]
    assert server.learnt == replace(FULL, form=Form.WORDS)
    assert await server.ask() == (ANSWER, "")
    assert len(server.asked) == len(forms) + 1


@pytest.mark.parametrize(
    ("status", "said"),
    [
        *((status, "Bad Request") for status in (401, 403, 429, 503)),
        (404, "model 'qwen3' not found, try pulling it first"),
        (404, "The model `gpt-x` does not exist or you do not have access to it."),
        (400, "{'code': 'model_not_found'}"),
        (404, "No endpoints found for some/model:free."),
        (400, "This model's maximum context length is 512 tokens"),
    ],
)
async def test_no_simpler_form_is_tried_after_what_is_no_refusal_of_a_form(status, said):
    server = refusing(lambda d: True, status, said)
    with pytest.raises(Refused):
        await server.ask()
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("said", "simpler"),
    [
        ("Unsupported value: 'temperature'", replace(FULL, parts=PARTS - {"temperature"})),
        ("Unknown field include_usage", replace(FULL, parts=PARTS - {"stream_options"})),
        ("Only user and assistant roles are supported", replace(FULL, parts=PARTS - {"system"})),
        ("System role not supported", replace(FULL, parts=PARTS - {"system"})),
        ("'maximum' in the schema is not permitted", replace(FULL, form=Form.PLAIN_SCHEMA)),
        ("Use 'max_completion_tokens' instead", replace(FULL, limits=("max_completion_tokens",))),
        ("For more information see the manual", replace(FULL, form=Form.OBJECT)),
    ],
)
async def test_a_part_that_is_named_is_given_up_first(said, simpler):
    server = refusing(lambda d: d == FULL, 500, said)
    assert await server.ask() == (ANSWER, "")
    assert server.asked[-1] == server.learnt == simpler


async def test_refusal_that_names_nothing_left_leads_to_the_next_form():
    server = refusing(lambda d: d.form < Form.OBJECT, said="the temperature is too high")
    await server.ask()
    assert server.learnt == replace(FULL, parts=PARTS - {"temperature"}, form=Form.OBJECT)


async def test_without_a_name_form_then_parts_then_system_then_limit_are_given_up():
    server = refusing(lambda d: len(d.limits) == 2)
    await server.ask()
    words = replace(FULL, form=Form.WORDS)
    assert server.asked == [
        FULL,
        replace(FULL, form=Form.OBJECT),
        words,
        replace(words, parts=frozenset({"system"})),
        replace(words, parts=frozenset()),
        replace(words, parts=frozenset(), limits=FULL.limits[1:]),
    ]


async def test_the_first_error_is_raised_when_nothing_helps_and_nothing_is_learnt():
    errors = iter(Refused(400, f"error {n}") for n in range(99))
    server = Server(lambda d: next(errors))
    with pytest.raises(Refused, match="error 0"):
        await server.ask()
    assert server.learnt == FULL
    assert len(server.asked) == len(set(server.asked)) == 7


async def test_a_failure_of_a_moment_is_asked_again_in_the_same_form():
    answers = iter([Refused(500, "Provider disconnected"), [Chunk(ANSWER), STOP]])
    server = Server(lambda d: next(answers))
    assert await server.ask() == (ANSWER, "")
    assert server.asked == [FULL, FULL]
    assert server.learnt == FULL


async def test_only_what_is_named_is_given_up_where_that_is_wanted():
    server = refusing(lambda d: True, 500)
    with pytest.raises(Refused):
        await server.ask(is_named=True)
    assert len(server.asked) == 1
    server = refusing(lambda d: "temperature" in d.parts, said="'temperature' is not supported")
    assert await server.ask(is_named=True) == (ANSWER, "")
    silent = Server(lambda d: [STOP])
    assert await silent.ask(is_named=True) == ("", "")
    assert len(silent.asked) == 1


async def test_an_empty_answer_is_asked_for_in_the_next_form_and_teaches_nothing():
    server = Server(lambda d: [Chunk("\n"), STOP] if d.form < Form.WORDS else [Chunk(ANSWER), STOP])
    assert (await server.ask())[0].strip() == ANSWER
    assert server.learnt.form == Form.WORDS
    server = Server(lambda d: [STOP])
    assert await server.ask() == ("", "")
    assert [dialect.form for dialect in server.asked] == [Form.SCHEMA, Form.OBJECT, Form.WORDS]
    assert server.learnt == FULL


async def test_an_error_after_the_first_word_is_raised():
    async def broken(dialect: Dialect) -> AsyncGenerator[Chunk]:
        yield Chunk("{")
        raise Refused(500, "out of memory")

    with pytest.raises(Refused):
        async for _ in adapt(FULL, broken, _refusal, pytest.fail):
            pass


async def test_room_for_thoughts_is_given_once_they_are_seen():
    server = Server(lambda d: [Chunk("Hm.", is_thinking=True), Chunk(ANSWER), STOP])
    assert await server.ask() == (ANSWER, "Hm.")
    assert server.asked == [FULL]
    assert server.learnt == replace(FULL, thinks=True)


async def test_thoughts_that_leave_no_room_are_asked_for_again_at_once():
    def answer(dialect: Dialect) -> list[Chunk]:
        thought = Chunk("Hm.", is_thinking=True)
        return [thought, Chunk(ANSWER), STOP] if dialect.thinks else [thought, LENGTH]

    server = Server(answer)
    assert await server.ask() == (ANSWER, "Hm.Hm.")
    assert server.learnt.thinks


async def test_thoughts_without_an_answer_are_not_asked_for_twice_each_time():
    server = Server(lambda _: [Chunk("hm ", is_thinking=True), LENGTH])
    assert await server.ask() == ("", "hm hm ")
    assert server.learnt == replace(FULL, thinks=True)
    assert await server.ask() == ("", "hm ")


async def test_an_answer_that_is_cut_off_before_its_object_gets_more_room():
    server = Server(lambda d: [Chunk("Well."), *([Chunk(ANSWER), STOP] if d.thinks else [LENGTH])])
    assert await server.ask() == (f"Well.Well.{ANSWER}", "")
    assert await server.ask() == (f"Well.{ANSWER}", "")


async def test_an_answer_that_a_server_takes_for_a_thought_is_the_answer():
    server = Server(lambda d: [Chunk(ANSWER, is_thinking=True), STOP])
    assert await server.ask() == (ANSWER, ANSWER)
    assert len(server.asked) == 1


async def test_dialect_of_an_answer_that_is_too_long_is_remembered():
    def answer(dialect: Dialect) -> Any:
        if dialect.form < Form.OBJECT:
            return Refused(400, "Bad Request")
        return [Chunk(ANSWER), *[Chunk(" and")] * 9, STOP]

    server = Server(answer)
    assert await server.ask(most=3) == (f"{ANSWER} and and", "")
    assert server.learnt.form == Form.OBJECT


def cuts(text: str) -> list[list[str]]:
    """Return a text in pieces of every size."""
    return [[text[at : at + size] for at in range(0, len(text), size)] for size in (1, 3, 7, 99)]


@pytest.mark.parametrize("tag", ["think", "thinking", "thought", "Think"])
async def test_thoughts_in_tags_are_told_from_the_answer_however_they_come(tag):
    for pieces in cuts(f"\n<{tag}>It is <b>weak</b> </t.</{tag}>{ANSWER}"):
        server = Server(lambda d, pieces=pieces: [*map(Chunk, pieces), STOP])
        assert await server.ask() == (ANSWER, "It is <b>weak</b> </t.")
        assert server.learnt.thinks


async def test_a_tag_that_is_never_closed_is_all_thought():
    for pieces in cuts("<think>It is weak. </thin"):
        server = Server(lambda d, pieces=pieces: [*map(Chunk, pieces), LENGTH])
        assert await server.ask() == ("", "It is weak. </thin" * 2)
        assert server.learnt == replace(FULL, thinks=True)


@pytest.mark.parametrize(
    "text",
    ['{"reasoning": "a <think> tag"}', "<b>no tag</b>", "<", "<thin", " " * 99 + "<think>no"],
)
async def test_a_tag_in_the_middle_of_an_answer_is_part_of_it(text):
    for pieces in cuts(text):
        server = Server(lambda d, pieces=pieces: [*map(Chunk, pieces), STOP])
        assert await server.ask() == (text, "")
        assert server.learnt == FULL


async def test_thoughts_whose_tag_the_server_has_opened_are_known_from_then_on():
    server = Server(lambda d: [Chunk("It is weak.</thi"), Chunk(f"nk>{ANSWER}"), STOP])
    assert await server.ask() == (f"It is weak.</think>{ANSWER}", "")
    assert server.learnt == replace(FULL, thinks=True, closing="</think>")
    assert await server.ask() == (ANSWER, "It is weak.")


async def test_an_answer_without_the_tag_that_was_there_before_is_not_lost():
    server = Server(lambda d: [Chunk(f"Here: {ANSWER}"), STOP])
    server.learnt = replace(FULL, thinks=True, closing="</think>")
    said, _ = await server.ask()
    assert re.search(r"\{.*\}", said)
    assert len(server.asked) == 1
