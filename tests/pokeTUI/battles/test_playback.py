"""Moving through a battle."""

from hypothesis import given
from hypothesis import strategies as st

from pokeTUI.battles.playback import Playback, extended
from tests.pokeTUI.battles.recorded import TERA, recorded

BATTLE = recorded(TERA)
WHOLE = BATTLE.playback()


def test_stops_are_the_preview_each_turn_and_the_end() -> None:
    turns = [(WHOLE.view(stop).turn, WHOLE.view(stop).has_ended) for stop in WHOLE.stops]
    assert turns == [*((turn, False) for turn in range(6)), (5, True)]


def test_turning_goes_one_stop_at_a_time_and_not_beyond_the_ends() -> None:
    place = WHOLE.stops[2]
    assert WHOLE.turned(place, 1) == WHOLE.stops[3]
    assert WHOLE.turned(place, -1) == WHOLE.stops[1]
    assert WHOLE.turned(place + 1, -1) == place
    assert WHOLE.turned(place, 99) == WHOLE.stops[-1]
    assert WHOLE.turned(place, -99) == WHOLE.stops[0]


def test_playing_says_one_sentence_after_the_other() -> None:
    place, said = 0, 0
    while place < WHOLE.end:
        place = WHOLE.next_sentence(place)
        said += 1
        assert len(WHOLE.sentences(place)) == said
    assert said == len(WHOLE.said)


@given(st.lists(st.integers(0, len(BATTLE.lines)), max_size=5))
def test_playback_that_grew_in_parts_equals_the_whole(cuts: list[int]) -> None:
    playback = Playback()
    for cut in sorted(cuts):
        playback = extended(playback, BATTLE.lines[:cut], BATTLE.types)
    assert extended(playback, BATTLE.lines, BATTLE.types) == WHOLE


def test_other_lines_begin_another_battle() -> None:
    other = ("|player|p1|Red||", "|turn|1")
    assert extended(WHOLE, other).stops == (2,)


def test_decision_belongs_to_the_stop_before() -> None:
    assert WHOLE.decision_place(WHOLE.stops[3] + 4) == WHOLE.stops[3]
    assert WHOLE.decision_place(3) == 0
