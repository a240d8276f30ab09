"""The corpus of replies as language models really write them, with what must come of each.

They are answers about `situations.TOWN`. No name of a repair is part of the corpus; whether there
is one at all follows from `is_clean`.
"""

from typing import NamedTuple

GOOD = (
    '{"reasoning": "The way out is near.", "choice": "reach exit 1", '
    '"success": "entered the place", "confidence": 70}'
)
ESCAPED = GOOD.replace('"', '\\"')
SINGLE = GOOD.replace('"', "'")
CHOICE_FIRST = '{"choice": "reach exit 1", "confidence": 70, "reasoning": "The way out is near."}'
SCHEMA = (
    '{"type": "object", "properties": {"choice": {"type": "string"}, "goal": {"type": "string"}}}'
)


class Reply(NamedTuple):
    """A reply: `option` is the name that is read from it, or "" where `error` says why not."""

    name: str
    text: str
    option: str = ""
    confidence: float = 0.7
    error: str = ""
    done_reason: str = "stop"
    is_clean: bool = False


def picks(option: object, rest: str = ', "confidence": 70') -> str:
    return f'{{"choice": {option}{rest}}}'


def states(confidence: str) -> str:
    return picks('"reach exit 1"', f', "confidence": {confidence}')


E1 = "reach exit 1"
UNREADABLE = "no readable JSON object"

REPLIES = (
    # as asked for
    Reply("clean", GOOD, E1, is_clean=True),
    Reply("white space around", f"\n\n  {GOOD}\n", E1, is_clean=True),
    Reply("byte order mark", f"\ufeff{GOOD}", E1, is_clean=True),
    Reply("stopped by length just at the end", GOOD, E1, done_reason="length", is_clean=True),
    # wrapped
    Reply("fence", f"```json\n{GOOD}\n```", E1),
    Reply("fence without a language", f"```\n{GOOD}\n```", E1),
    Reply("fence never closed", f"```json\n{GOOD}", E1),
    Reply("prose before", f"Sure! Here is my plan:\n{GOOD}", E1),
    Reply("prose after", f"{GOOD}\nI hope that this helps.", E1),
    Reply("prose with braces", f"From {{a, b}} I take:\n{GOOD}\nor {{maybe}} not", E1),
    Reply("prose with an open brace", f"{GOOD} :-{{ sorry", E1),
    Reply("apostrophes and quotes", f'It\'s "easy":\n{GOOD}\nIsn\'t it? 5" more.', E1),
    Reply("thoughts before", f"<think>maybe {{x}}, reach exit 2?</think>\n{GOOD}", E1),
    Reply(
        "thoughts with a draft",
        f"<think>{picks(chr(34) + 'reach exit 2' + chr(34))}</think>{GOOD}",
        E1,
    ),
    Reply("thoughts end only", f"so let us go</think>{GOOD}", E1),
    Reply("thoughts never end", f"<think>hm, {GOOD}", error="never stopped thinking"),
    Reply("nothing after the thoughts", "<think>the gym</think>", error="no JSON object"),
    Reply("list of one", f"[{GOOD}]", E1),
    Reply("as a text", f'"{ESCAPED}"', E1),
    Reply("quotes escaped", ESCAPED, E1),
    Reply("under a name", f'{{"plan": {GOOD}}}', E1),
    Reply("as a call", f'{{"name": "set_goal", "arguments": {GOOD}}}', E1),
    Reply("an open brace before (ollama-python 523)", f"{{\n\n{GOOD}", E1),
    Reply("doubled braces", f"{{{GOOD}}}", E1),
    Reply("schema repeated before", f"{SCHEMA}\n{GOOD}", E1),
    Reply("schema repeated after", f"{GOOD}\n{SCHEMA}", E1),
    Reply("schema alone", SCHEMA, error=UNREADABLE),
    Reply("a draft, then the answer", picks('"reach exit 2"') + " No, better: " + CHOICE_FIRST, E1),
    Reply("white space without end", GOOD[:-1] + " \n" * 900, E1, done_reason="length"),
    Reply("white space alone", " \n\t" * 900, error="empty", done_reason="length"),
    Reply("empty", "", error="empty"),
    # misspelt
    Reply("single quotes", SINGLE, E1),
    Reply("comma at the end", GOOD[:-1] + ",}", E1),
    Reply("curly quotes", GOOD.replace('"', "\u201c"), E1),
    Reply("names without quotes", '{choice: "reach exit 1", confidence: 70}', E1),
    Reply("Python's words", picks('"reach exit 1"', ', "confidence": None'), E1, 0.5),
    Reply("comment", '{"choice": "reach exit 1", // near\n "confidence": 70}', E1),
    Reply("new line in a text", GOOD.replace("is near", "is\nnear"), E1),
    Reply("capital names", GOOD.replace("choice", "Choice").replace("conf", "Conf"), E1),
    Reply("a name twice", '{"choice": "reach exit 2", ' + CHOICE_FIRST[1:], E1),
    Reply("more than was asked for", GOOD[:-1] + ', "mood": {"a": [1, {}]}}', E1, is_clean=True),
    Reply("half a character", GOOD.replace("near", "\\ud83d"), E1),
    Reply("quotes within a text", GOOD.replace("way out", 'way "out"'), error=UNREADABLE),
    Reply("a value without quotes", "{choice: reach exit 1}", error=UNREADABLE),
    # cut off
    Reply("cut in the last text", CHOICE_FIRST[:-9], E1, done_reason="length"),
    Reply("cut in the last text, in a fence", f"```json\n{CHOICE_FIRST[:-9]}", E1),
    Reply("cut in a name", GOOD[:-8], E1, 0.5, done_reason="length"),
    Reply("cut after a colon", GOOD[:-3], E1, 0.5, done_reason="length"),
    Reply("cut in a number", GOOD[:-2], E1, 0.5, done_reason="length"),
    Reply("cut after a number", GOOD[:-1], E1, 0.5, done_reason="length"),
    Reply("cut in an escape", CHOICE_FIRST[:-8] + "\\", E1, done_reason="length"),
    Reply("cut under a name", f'{{"plan": {GOOD[:-8]}', E1, 0.5, done_reason="length"),
    Reply("cut before the choice", GOOD[:40], error="cut off", done_reason="length"),
    Reply("cut without saying so", GOOD[:40], error=UNREADABLE),
    Reply("exit 12 cut to exit 1", '{"choice": "reach exit 1', error="cut off", done_reason="cut"),
    Reply(
        "exit 12 cut to exit 1, apart",
        '{"goal": "reach", "target": "exit 1',
        error="cut off before the target",
        done_reason="length",
    ),
    Reply(
        "draft whole, answer cut",
        picks('"reach exit 2"') + '\nNo, better: {"choice": "reach ex',
        error="cut off",
        done_reason="length",
    ),
    # choices named otherwise
    Reply("capitals", picks('"Reach EXIT 1"'), E1),
    Reply("underscores", picks('"reach_exit_1"'), E1),
    Reply("quoted twice", picks('"\\"reach exit 1\\""'), E1),
    Reply("a full stop", picks('" reach exit 1. "'), E1),
    Reply("its target alone", picks('"exit 12"'), "reach exit 12"),
    Reply("its whole line", picks('"- reach exit 1: to HOME 1F, 5 steps"'), E1),
    Reply("its text", picks('"exit 1 to HOME 1F"'), E1),
    Reply("a number before", picks('"2. reach exit 1"'), E1),
    Reply("apart", '{"goal": "reach", "target": "exit 1", "confidence": 70}', E1),
    Reply("apart, twice", '{"goal": "reach exit 1", "target": "exit 1", "confidence": 70}', E1),
    Reply("apart, as kind", '{"kind": "REACH", "target": "Exit_1", "confidence": 70}', E1),
    Reply("apart, by the map it leads to", '{"goal": "reach", "target": "HOME 1F"}', E1, 0.5),
    Reply("a kind with one choice", '{"goal": "heal", "confidence": 70}', "heal"),
    Reply("no target as a word", '{"goal": "heal", "target": "None", "confidence": 70}', "heal"),
    Reply("no target as null", '{"goal": "heal", "target": null, "confidence": 70}', "heal"),
    Reply("another exit", picks('"reach exit 3"'), error='no option "reach exit 3"'),
    Reply("part of a number", picks('"reach exit"'), error="may be reach exit 1 or"),
    Reply("a kind with many", '{"goal": "reach"}', error="may be reach exit 1 or"),
    Reply("two at once", picks('"exit 1 or exit 2"'), error="available:"),
    Reply("not this one", picks('"not reach exit 1"'), error="available:"),
    Reply(
        "another kind's target", '{"goal": "reach", "target": "person A"}', error="available: rea"
    ),
    Reply("a target too many", '{"goal": "heal", "target": "exit 1"}', error="available: heal"),
    Reply("contrary", '{"goal": "reach exit 1", "target": "exit 2"}', error="not the same"),
    Reply("a kind of battles", picks('"fight"'), error='no option "fight"'),
    Reply("a button", picks('"press A"'), error='no option "press A"'),
    Reply("an article", picks('"a"'), error='no option "a"'),
    Reply("a number", picks(2), error="no choice given"),
    Reply("a list", picks('["reach exit 1"]'), error=UNREADABLE),
    Reply("nothing", picks('""'), error="no choice given"),
    Reply("null", picks("null"), error=UNREADABLE),
    Reply("other fields", '{"action": "up", "confidence": 70}', error=UNREADABLE),
    # no object
    Reply("prose", "I would take a look at exit 1, then reach exit 2.", error="no JSON object"),
    Reply("lines", "choice: reach exit 1\nconfidence: 70", error="no JSON object"),
    Reply("refusal", "I am sorry, I cannot help with that.", error="no JSON object"),
    Reply("a number alone", "42", error="no JSON object"),
    Reply("list of two", f"[{GOOD}, {CHOICE_FIRST}]", E1),
    Reply("nested deep", '{"choice":' * 900, error=UNREADABLE),
    Reply("brackets", "[" * 3000, error="no JSON object"),
    # confidence
    Reply("per cent", states('"85%"'), E1, 0.85),
    Reply("as a text", states('"85"'), E1, 0.85),
    Reply("of a hundred", states('"85/100"'), E1, 0.85),
    Reply("a share", states("0.85"), E1, 0.85),
    Reply("a share as text", states('"0.85"'), E1, 0.85),
    Reply("one", states("1"), E1, 0.01),
    Reply("one point nought", states("1.0"), E1, 1.0),
    Reply("nought", states("0"), E1, 0.0),
    Reply("with a fraction", states("85.5"), E1, 0.855),
    Reply("high", states('"High"'), E1, 0.8),
    Reply("medium", states('"medium"'), E1, 0.5),
    Reply("low", states('"low."'), E1, 0.2),
    Reply("other words", states('"absolutely!"'), E1, 0.5),
    Reply("none", picks('"reach exit 1"', ""), E1, 0.5),
    Reply("true", states("true"), E1, 0.5),
    Reply("NaN", states("NaN"), E1, 0.5),
    Reply("infinite", states("-Infinity"), E1, 0.5),
    Reply("an overflow", states("934E339"), E1, 0.5),
    Reply("far too much", states("9" * 400), E1, 1.0),
    Reply("below", states("-5"), E1, 0.0),
    Reply("a list", states("[70]"), E1, 0.5),
)
