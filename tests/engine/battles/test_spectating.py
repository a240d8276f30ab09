"""Battles that are shown: by a policy, by a person, and those that were played."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from engine.battles.learn.demonstrations import Battle
from engine.battles.play import spectating
from engine.battles.play.players import Player
from engine.battles.play.replays import (
    LinesSession,
    ReplaySession,
    analyze_decisions,
    read_protocol,
)
from engine.battles.play.search import SearchSettings
from engine.battles.play.sets import choose_selection
from engine.battles.play.spectating import MatchSession, Pairing, with_names
from engine.battles.policy import NUM_WEIGHTS, Policy
from engine.battles.sim.actions import joint_mask
from engine.battles.sim.records import BattleLog
from engine.battles.sim.setup import NodeCommand
from engine.battles.sim.simulator import Simulator
from engine.battles.sim.teams import pool
from engine.commands import ChooseInBattle, Watch
from engine.errors import DemoError
from engine.events import (
    BattleShown,
    BattleWanted,
    Event,
    LookAheadBegan,
    RunFailed,
    RunStopped,
    SetScore,
)
from engine.sessions.threaded import ThreadedSession
from tests.engine.battles.helpers import REG_C

SET = replace(REG_C, best_of=3)
TEAM = pool(REG_C)[0].packed
POLICY = Policy(np.random.default_rng(0).normal(0, 0.05, NUM_WEIGHTS).astype(np.float32))


def pairing(first: Player, second: Player) -> Pairing:
    return Pairing(REG_C, (TEAM, TEAM), (first, second), 7)


def events_until(session: ThreadedSession, is_enough: Callable[[Event], bool]) -> Iterator[Event]:
    """Yield a session's events until one is enough, or it ended."""
    while True:
        is_alive = session.is_alive
        for event in session.mailbox.drain():
            yield event
            if is_enough(event):
                return
        if not is_alive:
            return
        time.sleep(0.01)


def has_ended(event: Event) -> bool:
    return isinstance(event, BattleShown) and event.lines[-1].startswith("|win|")


def next_shown(session: ThreadedSession) -> BattleShown:
    *_, shown = events_until(session, lambda event: isinstance(event, BattleShown))
    assert isinstance(shown, BattleShown)
    return shown


def test_policy_plays_and_its_view_of_each_decision_is_shown(showdown):
    kept: list[BattleLog] = []
    players = Player("ours", POLICY), Player("heuristics")
    session = MatchSession(pairing(*players), showdown, adviser=POLICY, keep=kept.append)
    session.start()
    *_, last = events_until(session, has_ended)
    assert session.stop()
    assert isinstance(last, BattleShown)
    assert last.lines[-1] in ("|win|ours", "|win|heuristics")
    assert last.decisions
    for one in last.decisions:
        shares = [share for _, share in one.options]
        assert shares == sorted(shares, reverse=True)
        assert 0 < sum(shares) <= 1 + 1e-5
        assert -1 <= one.value <= 1
        assert one.chosen == one.options[0][0]  # it plays greedily
    assert last.types["Iron Hands"] == ("Fighting", "Electric")
    assert [log.players for log in kept] == [("ours", "heuristics")]
    assert isinstance(session.mailbox.drain()[-1], RunStopped)


def test_types_do_not_tell_who_was_left_at_home(showdown):
    teams = TEAM, pool(REG_C)[1].packed
    players = Player("ours", POLICY), Player("random")
    session = MatchSession(Pairing(REG_C, teams, players, 7), showdown)
    session.start()
    shown = [each for each in events_until(session, has_ended) if isinstance(each, BattleShown)]
    assert session.stop()
    sheets = [line.split("|", 3)[3] for line in shown[-1].lines if line.startswith("|showteam|")]
    on_teams = {row.split("|")[1] or row.split("|")[0] for row in "]".join(sheets).split("]")}
    assert len(on_teams) > 10
    assert len(shown) > 2
    assert all(on_teams <= set(each.types) for each in shown)


def test_player_that_looks_ahead_says_so_before_the_battle_goes_on(showdown):
    searching = Player("ours", POLICY, search=SearchSettings(samples=2))
    session = MatchSession(pairing(Player("random"), searching), showdown)
    session.start()
    events = list(events_until(session, lambda event: isinstance(event, LookAheadBegan)))
    assert session.stop()
    assert [type(event) for event in events] == [BattleShown, LookAheadBegan]


def test_person_is_asked_until_the_battle_ends_and_plays_another(showdown):
    session = MatchSession(pairing(Player("you"), Player("random")), showdown, person=0)
    session.start()
    asked = 0
    for event in events_until(session, has_ended):
        if isinstance(event, BattleWanted):
            asked += 1
            session.send(ChooseInBattle(_any_legal(event)))
    assert asked > 3
    session.send(Watch(1))
    *_, wanted = events_until(session, lambda event: isinstance(event, BattleWanted))
    assert isinstance(wanted, BattleWanted)
    assert "teamPreview" in wanted.request
    assert session.stop()


def test_a_set_is_played_until_somebody_cannot_be_caught(showdown):
    best_of_three = replace(pairing(Player("random"), Player("max_power")), format=SET)
    session = MatchSession(best_of_three, showdown, rest_s=0.0)
    session.start()
    results, scores = [], []
    for event in events_until(session, lambda event: len(scores) == 4):
        if has_ended(event):
            assert event.set is not None
            results.append(1 if event.lines[-1] == "|win|max_power" else -1)
            scores.append(event.set)
    assert session.stop()
    first = next(number for number, score in enumerate(scores, 1) if score.has_ended)
    assert first == (2 if results[0] == results[1] else 3)
    for games, score in enumerate(scores[:first], 1):
        won, lost = results[:games].count(1), results[:games].count(-1)
        assert (score.game, score.won, score.lost) == (games, won, lost)
    assert scores[first].game == 1
    assert scores[first].won + scores[first].lost == 1


def test_a_policy_selects_by_what_the_set_has_shown_of_its_foe(showdown, monkeypatch):
    asked: list[int] = []

    def choose(simulator, policy, seat, observation, legal, games, rng):
        asked.append(len(games))
        return choose_selection(simulator, policy, seat, observation, legal, games, rng)

    monkeypatch.setattr(spectating, "choose_selection", choose)
    best_of_three = replace(pairing(Player("ours", POLICY), Player("random")), format=SET)
    session = MatchSession(best_of_three, showdown, rest_s=0.0)
    session.start()
    for event in events_until(session, lambda event: has_ended(event) and event.set.has_ended):
        assert not isinstance(event, RunFailed)
    assert session.stop()
    assert asked[:2] in ([1], [1, 2])


def test_a_score_says_how_the_set_stands():
    assert str(SetScore(2, 3, 1, 0)) == "Game 2 of 3, 1-0"
    assert str(SetScore(3, 3, 1, 2, has_ended=True)) == "Game 3 of 3, 1-2, set lost"


def _any_legal(wanted: BattleWanted) -> int:
    if "teamPreview" in wanted.request:
        return 0
    return int(joint_mask(wanted.legal[None])[0].nonzero()[0][0])


@pytest.fixture(scope="module")
def played(showdown: NodeCommand) -> BattleLog:
    lane = pairing(Player("heuristics"), Player("greedy")).lane(0)
    nobody = np.empty(0, np.int64)
    with Simulator([lane], showdown) as simulator:
        simulator.step(nobody, nobody)
        (log,) = simulator.logs()
    return log


def test_retold_battle_has_the_lines_of_its_replay(played, simulator):
    transcript, replay = (
        tell(played.input_log) for tell in (simulator.transcript, simulator.replay)
    )
    found = analyze_decisions(simulator, played.input_log, transcript, 1, POLICY)
    sheets = [line.startswith("|showteam|") for line in replay.lines]
    pairs = zip(transcript.lines, replay.lines, sheets, strict=True)
    assert all(one == other for one, other, is_sheet in pairs if not is_sheet)
    assert "Booster Energy" in "".join(line for line in transcript.lines if "|showteam|" in line)
    assert [one.place for one in found] == [
        each.place for each in transcript.asked if each.side == 1
    ]
    assert all(json.loads(one.request)["side"]["id"] == "p2" for one in found)
    assert all(one.chosen >= 0 for one in found)


def test_battles_that_were_played_are_shown_one_by_one(played, showdown):
    battle = Battle(played.format, played.players, played.winner, played.input_log)
    session = ReplaySession([battle, battle], showdown)
    session.start()
    first = next_shown(session)
    session.send(Watch(1))
    second = next_shown(session)
    assert session.stop()
    assert (first.number, second.number, second.count) == (0, 1, 2)
    assert first.lines == second.lines
    assert not first.decisions[0].options


def test_players_get_their_names():
    lines = ("|player|p1|p1||", "|player|p2|p2||", "|move|p1a: X|Tackle", "|win|p2")
    assert with_names(lines, ("Red", "a|b")) == (
        "|player|p1|Red||",
        "|player|p2|a b||",
        "|move|p1a: X|Tackle",
        "|win|a b",
    )


@pytest.mark.parametrize("suffix", [".log", ".json"])
def test_protocol_is_read_from_text_and_from_replays(suffix, tmp_path):
    text = "|t:|1700000000\n|turn|1\n|switch|p1a: X|X|100/100\n"
    path = tmp_path / f"battle{suffix}"
    path.write_text(json.dumps({"log": text}) if suffix == ".json" else text, "utf-8")
    assert read_protocol(path) == ("|turn|1", "|switch|p1a: X|X|100/100")


@pytest.mark.parametrize("content", ["", "hello", "{}"])
def test_file_without_a_battle_is_refused(content, tmp_path):
    path = tmp_path / "battle.json"
    path.write_text(content, "utf-8")
    with pytest.raises(DemoError):
        read_protocol(path)


def test_lines_alone_are_shown_until_one_leaves():
    session = LinesSession(("|turn|1",))
    session.start()
    assert next_shown(session).lines == ("|turn|1",)
    assert session.stop()
