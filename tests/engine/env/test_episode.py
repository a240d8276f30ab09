import json

import pytest

from engine.env.episode import DefeatWatch, MilestoneTracker, Tally, TileMemory, Visit
from engine.games.profile import Milestone
from engine.types import GameState, MapId, RewardBreakdown
from tests.engine.states import make_battle, make_control, make_creature, make_state

MILESTONES: tuple[Milestone, ...] = (
    ("left", "Leave", "map", (40, 2)),
    ("creature", "Choose", "party", 1),
    ("strong", "Grow", "level", 8),
    ("beat", "Beat", "event", 27),
    ("badge", "Win", "badge", 1),
)
FLAG_27 = bytes(3) + bytes([0b1000]) + bytes(252)


@pytest.mark.parametrize(
    ("state", "key"),
    [
        (make_state(map_number=2), "left"),
        (make_state(party=(make_creature(),)), "creature"),
        (make_state(event_flags=FLAG_27), "beat"),
        (make_state(badges=(2, 0)), "badge"),
    ],
)
def test_each_kind_is_reached_once(state: GameState, key: str) -> None:
    tracker = MilestoneTracker(MILESTONES)
    tracker.reset(make_state())
    assert [reached for reached, _ in tracker.update(state, 7)] == [key]
    assert tracker.update(state, 8) == ()
    assert tracker.steps == {key: 7}


def test_level_milestone_needs_the_level() -> None:
    tracker = MilestoneTracker(MILESTONES)
    tracker.reset(make_state(party=(make_creature(level=7),)))
    assert tracker.update(make_state(party=(make_creature(level=8),)), 3) == (("strong", "Grow"),)


def test_what_is_reached_at_the_start_is_not_reached_again() -> None:
    tracker = MilestoneTracker(MILESTONES)
    tracker.reset(make_state(map_number=2))
    assert tracker.update(make_state(map_number=2), 1) == ()
    assert tracker.next_text() == "Choose"


def test_nothing_is_reached_before_the_game_runs() -> None:
    tracker = MilestoneTracker(MILESTONES)
    tracker.reset(make_state())
    title = make_state(map_number=2, control=make_control(in_game=False))
    assert tracker.update(title, 1) == ()


class TestTiles:
    def test_tile_and_map_are_new_once(self) -> None:
        tiles = TileMemory()
        assert tiles.visit(make_state(1, 1)) == Visit(True, True, True)
        assert tiles.visit(make_state(1, 1)) == Visit()
        assert tiles.visit(make_state(2, 1)) == Visit(True, True, False)
        assert tiles.visit(make_state(1, 1, map_number=2)) == Visit(True, True, True)

    def test_after_a_milestone_a_tile_is_new_but_not_seen_for_the_first_time(self) -> None:
        tiles = TileMemory()
        tiles.visit(make_state(1, 1))
        tiles.begin_milestone()
        assert tiles.visit(make_state(1, 1)) == Visit(True, False, False)
        assert tiles.visit(make_state(1, 1)) == Visit()

    @pytest.mark.parametrize(
        "state",
        [make_state(1, 1, control=make_control()), make_state(255, 1), make_state(1, 4)],
        ids=["not free", "leaving", "outside"],
    )
    def test_only_a_free_player_on_the_map_visits(self, state: GameState) -> None:
        assert TileMemory().visit(state) == Visit()

    def test_saved_memory_is_the_same(self) -> None:
        tiles = TileMemory()
        tiles.visit(make_state(0, 0))
        tiles.begin_milestone()
        for x, y in ((5, 3), (2, 2)):
            tiles.visit(make_state(x, y))
        other = TileMemory()
        other.restore(json.loads(json.dumps(tiles.save())))
        assert other.maps == {MapId(40, 1)}
        assert other.visit(make_state(5, 3)) == Visit()
        assert other.visit(make_state(0, 0)) == Visit(True, False, False)
        assert other.visit(make_state(4, 3)) == Visit(True, True, False)


class TestDefeat:
    def lose(self, watch: DefeatWatch, *others: int, money: int = 3000) -> None:
        own = make_creature(hp=0)
        party = (make_creature(hp=3), *(make_creature(species=4, hp=hp) for hp in others))
        battle = make_battle(own=own)
        assert not watch.update(make_state(battle=battle, party=party, money=money))

    def test_half_the_money_gone_is_a_whiteout(self) -> None:
        watch = DefeatWatch()
        self.lose(watch)
        assert not watch.update(make_state(control=make_control(is_scripted=True), money=1500))
        assert watch.update(make_state(money=1500))
        assert not watch.update(make_state(money=1500))

    def test_waking_up_elsewhere_is_a_whiteout(self) -> None:
        watch = DefeatWatch()
        self.lose(watch, money=0)
        assert watch.update(make_state(money=0, map_number=8))

    def test_battle_that_may_be_lost_is_none(self) -> None:
        watch = DefeatWatch()
        self.lose(watch)
        assert not watch.update(make_state(money=3000))

    def test_party_with_another_fighter_is_not_beaten(self) -> None:
        watch = DefeatWatch()
        self.lose(watch, 12)
        assert not watch.update(make_state(money=1500))

    def test_won_battle_is_none(self) -> None:
        watch = DefeatWatch()
        self.lose(watch)
        watch.update(make_state(battle=make_battle(), party=(make_creature(),)))
        assert not watch.update(make_state(money=1500))


def test_tally_sums_by_component() -> None:
    tally = Tally(("a", "b"))
    tally.add(RewardBreakdown((("a", 1.0), ("b", -0.5))))
    tally.add(RewardBreakdown((("a", 2.0), ("b", 0.0), ("custom", 4.0))))
    summary = tally.summary(3, MilestoneTracker(MILESTONES), 2, is_success=True)
    assert (summary.env_index, summary.length, summary.total_reward) == (3, 2, 6.5)
    assert summary.components == (("a", 3.0), ("b", -0.5), ("custom", 4.0))
