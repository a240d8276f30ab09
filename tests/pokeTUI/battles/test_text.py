"""What protocol lines say in plain English."""

import pytest

from pokeTUI.battles.fold import fold_line, fold_lines
from pokeTUI.battles.text import Weight, describe
from pokeTUI.battles.view import BattleView
from tests.pokeTUI.battles.recorded import MEGA, TERA, commander_lines, recorded
from tests.pokeTUI.battles.test_fold import START

VIEW = fold_lines(BattleView(), START)


SAID = """
|move|p1a: Iron Hands|Fake Out|p2a: Torkoal
    Iron Hands used Fake Out on the opposing Torkoal!
|move|p2a: Torkoal|Eruption|p1a: Iron Hands|[spread] p1a
    The opposing Torkoal used Eruption!
|move|p1a: Iron Hands|Protect|p1a: Iron Hands
    Iron Hands used Protect!
|-damage|p2a: Torkoal|43/100
    The opposing Torkoal lost 57% of its health.
|-damage|p2a: Torkoal|0 fnt|[from] psn
    The opposing Torkoal lost 100% of its health (poison).
|-supereffective|p2a: Torkoal
    It's super effective on the opposing Torkoal!
|-crit|p1a: Iron Hands
    A critical hit on Iron Hands!
|-miss|p1a: Iron Hands|p2a: Torkoal
    The opposing Torkoal avoided the attack!
|cant|p1a: Iron Hands|flinch
    Iron Hands flinched and couldn't move!
|cant|p2b: Amoonguss|move: Taunt|Spore
    The opposing Amoonguss can't use Spore (Taunt)!
|faint|p2a: Torkoal
    The opposing Torkoal fainted!
|switch|p1b: Bear|Urshifu, L50, M|100/100
    You withdrew Fin and sent out Bear (Urshifu)!
|-terastallize|p1a: Iron Hands|Grass
    Iron Hands Terastallized into the Grass type!
|-mega|p2a: Torkoal|Camerupt|Cameruptite
    The opposing Torkoal Mega Evolved!
|-weather|SunnyDay|[from] ability: Drought|[of] p2a: Torkoal
    The sunlight turned harsh!
|-fieldstart|move: Trick Room|[of] p1a: Iron Hands
    The dimensions were twisted!
|-sidestart|p2: Blue|move: Tailwind
    A Tailwind blows behind the opposing team!
|-sideend|p1: Red|Reflect
    Your team's Reflect wore off.
|-boost|p1a: Iron Hands|atk|2
    Iron Hands's Attack rose sharply!
|-unboost|p2a: Torkoal|spe|1
    The opposing Torkoal's Speed fell!
|-status|p1a: Iron Hands|slp
    Iron Hands fell asleep!
|-enditem|p1a: Iron Hands|Sitrus Berry|[eat]
    Iron Hands ate its Sitrus Berry!
|-start|p1a: Iron Hands|quarkdriveatk
    Iron Hands's Attack was heightened!
|-singleturn|p2b: Amoonguss|move: Rage Powder
    The opposing Amoonguss became the center of attention!
|win|Red
    Red won the battle!
|tie
    The battle ended in a tie.
|turn|8
    Turn 8
"""


@pytest.mark.parametrize("case", SAID.strip().split("\n|"))
def test_line_is_said_as_players_say_it(case: str) -> None:
    line, text = case.removeprefix("|").split("\n")
    sentence = describe(f"|{line}", VIEW, 0)
    assert sentence.text == text.strip()


@pytest.mark.parametrize(
    "line",
    [
        "|",
        "|upkeep",
        "|-weather|RainDance|[upkeep]",
        "|-end|p1a: Iron Hands|Quark Drive|[silent]",
        "",
    ],
)
def test_nothing_is_said_of_bookkeeping(line: str) -> None:
    assert describe(line, VIEW, 0) is None


def test_players_are_named_where_no_side_is_yours() -> None:
    sentence = describe("|faint|p2a: Torkoal", VIEW)
    assert sentence.text == "Blue's Torkoal fainted!"
    assert sentence.weight is Weight.faint


@pytest.mark.parametrize("name", [TERA, MEGA, "commander"])
def test_recorded_battle_is_told_without_protocol(name: str) -> None:
    lines = commander_lines() if name == "commander" else recorded(name).lines
    view, said = BattleView(), []
    for line in lines:
        sentence = describe(line, view, 0)
        view = fold_line(view, line)
        said += [sentence.text] if sentence else []
    assert len(said) > 60
    assert not [
        text for text in said if "|" in text or "[" in text or "p1a" in text or "p2b" in text
    ]
    assert all(text[-1] in "!.…)" or text.startswith(("Turn", "Battle")) for text in said)
