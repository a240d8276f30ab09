"""The battle screen's state, folded from the engine's events."""

import numpy as np

from engine.events import BattlesProgressed, BattleWanted, OpponentScore
from pokeTUI.battles.panes import Scene
from pokeTUI.battles.playback import BattlesState, fold_battles
from tests.pokeTUI.battles.recorded import TERA, recorded

BATTLE = recorded(TERA)


def progressed(steps: int, wins: float) -> BattlesProgressed:
    scores = (OpponentScore("random", 20, 9, 0, 20, wins), OpponentScore("past", 0, 0, 0, 0, 0.0))
    return BattlesProgressed(steps, 20, 1, 1.0, 100.0, 6.0, 0, scores)


def test_same_battle_goes_on_and_another_begins_anew() -> None:
    state = fold_battles(BattlesState(), BATTLE.shown(lines=50))
    longer = fold_battles(state, BATTLE.shown())
    assert longer.playback == BATTLE.playback()
    other = fold_battles(longer, BATTLE.shown("two", lines=30))
    assert other.playback.end == 30


def test_decision_of_a_turn_is_found_until_the_next_turn() -> None:
    state = fold_battles(BattlesState(), BATTLE.shown())
    second = BATTLE.asked[2]
    found = state.decision(second["place"] + 5)
    assert found.chosen == second["code"]
    assert state.decision(3) is None


def test_forced_switch_has_a_decision_of_its_own_within_the_turn() -> None:
    state = fold_battles(BattlesState(), BATTLE.shown())
    forced = BATTLE.asked[3]
    assert "forceSwitch" in forced["request"]
    found = state.decision(forced["place"])
    assert found.chosen == forced["code"]


def test_win_rates_are_kept_with_their_interval_by_decisions() -> None:
    state = BattlesState()
    for steps, wins in ((1000, 5.0), (2000, 15.0)):
        state = fold_battles(state, progressed(steps, wins))
    places, values = state.rates.points("random")
    assert places.tolist() == [1000, 2000]
    assert values.tolist() == [0.25, 0.75]
    low, high = (state.rates.points(f"random/{end}")[1] for end in ("low", "high"))
    assert (low < values).all()
    assert (values < high).all()
    assert not len(state.rates.points("past")[0])


def test_own_bench_has_whom_the_player_took_along_and_the_foes_all_that_may_come() -> None:
    state = fold_battles(BattlesState(), BATTLE.shown(lines=BATTLE.asked[1]["place"]))
    state = fold_battles(state, BATTLE.wanted(1))
    own, foe = Scene(state, state.playback.end).view.sides
    assert [mon.species for mon in own.bench()] == ["Pelipper", "Gholdengo"]
    assert len(foe.bench()) == 4
    other = fold_battles(state, BATTLE.shown("two", lines=20))
    assert not other.party


def test_wanted_choice_waits_until_nothing_is_wanted() -> None:
    state = fold_battles(BattlesState(), BATTLE.wanted(1))
    assert state.wanted is not None
    nothing = BattleWanted(0, "", np.zeros(90, bool), np.zeros(1560, np.float32))
    assert fold_battles(state, nothing).wanted is None
