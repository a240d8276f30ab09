"""The real simulator, where it is installed."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.battles.sim.actions import SLOT_CODES, joint_mask
from engine.battles.sim.observation import MONS, MONS_PART
from engine.battles.sim.records import BattleLog, Replay
from engine.battles.sim.setup import script_folder
from engine.battles.sim.simulator import KIND, TEACHER, Decisions, Simulator
from engine.battles.sim.teams import DEFAULT_FORMAT, FORMATS
from engine.bench.battles import random_choices
from engine.errors import BattleError, WorkerError
from tests.engine.battles.play import NOTHING, lane, play_all

NONSENSE = (SLOT_CODES - 1) * (SLOT_CODES + 1)
"""Both pass, which is refused where both can move."""
FORCED = 1


@dataclass
class Played:
    """Battles of all kinds that were played to their ends."""

    asked: list[Decisions]
    logs: list[BattleLog]
    replays: list[Replay]
    stats: dict[str, Any]

    @property
    def ended(self) -> NDArray[np.void]:
        return np.concatenate([each.ended for each in self.asked])


LANES = (
    lane(0, limit=3),
    lane(1, FORMATS[-1], limit=3),
    lane(2, limit=1, turn_limit=2),
    replace(lane(3, limit=1), players=("random", "policy")),
)


@pytest.fixture(scope="module")
def played(showdown) -> Played:
    with Simulator(LANES, showdown) as simulator:
        asked = play_all(simulator, np.random.default_rng(0))
        logs = simulator.logs()
        assert simulator.logs() == []
        replays = [simulator.replay(battle.input_log) for battle in logs]
        return Played(asked, logs, replays, dict(simulator.stats()))


def test_random_legal_choices_are_all_accepted_and_their_observations_finite(played):
    assert played.stats["battles"] == 8
    assert played.stats["rejected"] == played.stats["defaulted"] == played.stats["failed"] == 0
    assert np.isfinite(np.concatenate([each.observations for each in played.asked])).all()


def test_a_lane_plays_as_many_battles_as_it_is_told(played):
    counts = [sum(battle.lane == index for battle in played.logs) for index in range(len(LANES))]
    assert counts == [3, 3, 1, 1]
    assert len({battle.hash for battle in played.logs}) == 8


def test_a_log_replays_to_the_same_lines_with_open_team_sheets(played):
    for battle, again in zip(played.logs, played.replays, strict=True):
        assert again.hash == battle.hash
        assert (again.winner, again.turns) == (battle.winner, battle.turns)
        assert sum(line.startswith("|showteam|") for line in again.lines) == 2


def test_a_battle_that_lasts_too_long_is_a_tie(played):
    (battle,) = [battle for battle in played.logs if battle.lane == 2]
    assert battle.winner == ""
    assert battle.turns == 3
    assert played.stats["turn_limit"] == 1


def test_results_are_opposite_and_match_the_log(played):
    winners = {(battle.lane, battle.number): battle.winner for battle in played.logs}
    ended = played.ended
    for seat, result, number in zip(ended["seat"], ended["result"], ended["number"], strict=True):
        winner = winners[int(seat) // 2, int(number)]
        assert result == (0 if not winner else 1 if winner == f"p{seat % 2 + 1}" else -1)
    won = ended[ended["result"] == 1]
    assert len(won)
    assert (won["foe_fainted"] == 4).all()


def test_a_side_of_the_simulators_own_player_is_never_asked(played):
    assert 6 not in np.concatenate([each.seats for each in played.asked])
    assert 6 not in played.ended["seat"]


def test_a_battle_is_decided_by_its_seed_and_the_choices(played, showdown):
    with Simulator(LANES, showdown) as simulator:
        play_all(simulator, np.random.default_rng(0))
        assert [battle.hash for battle in simulator.logs()] == [
            battle.hash for battle in played.logs
        ]


@pytest.fixture
def one(showdown) -> Iterator[Simulator]:
    with Simulator([lane(0)], showdown) as simulator:
        yield simulator


def test_a_rejected_choice_is_asked_for_again_and_after_five_one_is_made(one):
    chance = np.random.default_rng(0)
    asked = one.step(NOTHING, NOTHING)
    nonsense = one.step(asked.seats, np.array([90, 2024]))
    assert nonsense.seats.tolist() == [0, 1]
    before = asked = one.step(asked.seats, random_choices(asked, chance))
    for _ in range(4):
        asked = one.step(np.array([0]), np.array([NONSENSE]))
        assert asked.seats.tolist() == [0]
        np.testing.assert_array_equal(asked.observations[0], before.observations[0])
    assert one.stats()["rejected"] == 6
    assert not len(one.step(np.array([0]), np.array([NONSENSE])).seats)
    after = one.step(np.array([1]), random_choices(before, chance)[1:])
    assert after.info[0, 1] == 2 or after.info[0, KIND] == FORCED
    assert one.stats()["defaulted"] == 1


def test_a_new_plan_counts_from_the_next_battle(one):
    asked = one.step(NOTHING, NOTHING)
    one.set_lanes({0: replace(lane(1, limit=1, teacher="max_power"), players=("policy", "random"))})
    while not len(asked.ended):
        asked = one.step(asked.seats, random_choices(asked, np.random.default_rng(0)))
    while len(asked.seats):
        taught = asked.info[:, TEACHER].astype(int)
        mask = joint_mask(asked.legal)
        assert asked.is_preview[0] or mask[0, taught[0]]
        asked = one.step(asked.seats, taught)
    first, second = one.logs()
    assert (first.players, second.players) == (("policy", "policy"), ("policy", "random"))
    assert first.number == second.number == 0
    assert one.stats()["rejected"] == 0


def test_players_of_the_simulator_play_one_battle_a_step_between_themselves(one):
    asked = one.step(NOTHING, NOTHING)
    one.set_lanes({0: replace(lane(1), players=("random", "max_power"))})
    while not len(asked.ended):
        asked = one.step(asked.seats, random_choices(asked, np.random.default_rng(0)))
    for number in range(1, 3):
        asked = one.step(NOTHING, NOTHING)
        assert asked.ended[["seat", "number"]].tolist() == [(0, number)]
    assert one.hello["patched"] is True
    one.close()
    with pytest.raises(ProcessLookupError):
        os.kill(one.hello["pid"], 0)


def test_copies_of_a_battle_leave_it_as_it_was(one):
    chance = np.random.default_rng(0)
    asked = one.step(NOTHING, NOTHING)
    asked = one.step(asked.seats, random_choices(asked, chance))
    lines = one.inspect(0)
    foe = one.fork(0, 3, 7)
    code, answer = random_choices(asked, chance)
    after = one.roll(0, np.array([(copy, code, answer) for copy in range(3)]))
    assert foe.results.tolist() == [1, 1, 1]
    np.testing.assert_array_equal(foe.legal, asked.legal[[1, 1, 1]])
    assert (after.info[~after.is_over, 1] >= 1).all()
    assert one.inspect(0) == lines
    assert len(one.step(asked.seats, np.array([code, answer])).seats)


def test_battle_that_is_resumed_from_its_log_asks_and_ends_as_it_did(one, played, simulator):
    battle = max(played.logs, key=lambda log: log.turns)
    found = simulator.decisions(battle.input_log)
    asked = simulator.transcript(battle.input_log).asked
    middle = next(row for row, each in enumerate(asked) if each.place > asked[-1].place / 2)
    waiting = one.resume(battle.input_log[: asked[middle].inputs])
    np.testing.assert_array_equal(waiting.observations[0], found.observations[middle])
    codes = iter(found.results[middle:])
    while len(waiting.seats):
        waiting = one.step(waiting.seats, np.array([next(codes) for _ in waiting.seats]))
    (again,) = one.logs()
    assert (again.hash, again.input_log) == (battle.hash, battle.input_log)
    with pytest.raises(BattleError, match="beginning is not in the input log"):
        one.resume(())
    with pytest.raises(BattleError, match='begins with >start, not ">player'):
        one.resume(battle.input_log[1:])


def test_copies_draw_who_came_along_from_the_whole_team_also_behind_a_disguise(showdown):
    abilities = dict.fromkeys(("Pikachu", "Snorlax", "Gengar", "Ditto", "Eevee"), "cursedbody")
    members = {"Zoroark": "illusion"} | abilities
    team = "]".join(f"{name}|||{ability}|protect||||||50|" for name, ability in members.items())
    given = lane(0)
    with Simulator([replace(given, teams=(given.teams[0], team))], showdown) as simulator:
        asked = simulator.step(NOTHING, NOTHING)
        simulator.step(asked.seats, np.zeros(2, np.int64))  # both take their first four
        assert any("|switch|p2a: Gengar" in line for line in simulator.inspect(0))
        foe = simulator.fork(0, 40, 7)
    assert foe.results.tolist() == [1] * 40
    species = foe.observations[:, MONS_PART].reshape(40, MONS[0], -1)[:, :4, 0]
    assert [len(set(drawn)) for drawn in species.T.tolist()] == [1, 1, 4, 4]


def test_teams_are_validated_by_the_simulator_while_battles_are_played(one):
    asked = one.step(NOTHING, NOTHING)
    assert one.validate(DEFAULT_FORMAT.id, lane(0).teams[0]) == ()
    legend = one.read_team("Mewtwo @ Leftovers\nAbility: Pressure\n- Psystrike\n")[0]
    assert any("Mewtwo" in error for error in one.validate(DEFAULT_FORMAT.id, legend))
    team, _ = one.read_team("Amoonguss @ Leftovers\nAbility: Regenerator\n- Moonblast\n- Spore\n")
    errors = one.validate(DEFAULT_FORMAT.id, team)
    assert any("Moonblast" in error for error in errors)
    assert not any("Spore" in error for error in errors)
    assert len(one.step(asked.seats, np.array([0, 0])).seats)


def test_ctrl_c_does_not_end_the_process_and_killing_it_raises_a_worker_error(one):
    os.kill(one.hello["pid"], signal.SIGINT)
    asked = one.step(NOTHING, NOTHING)
    assert len(asked.seats) == 2
    os.kill(one.hello["pid"], signal.SIGKILL)
    with pytest.raises(WorkerError, match="stopped"):
        one.step(asked.seats, np.array([0, 0]))


def test_a_plan_that_cannot_be_played_and_a_seat_that_was_not_asked_are_refused(one):
    for changes, said in (
        ({"format": "gen9nothing"}, "no format gen9nothing"),
        ({"players": ("policy", "nobody")}, "no player nobody"),
        ({"teams": ("nonsense", "nonsense")}, "a team cannot be read"),
    ):
        with pytest.raises(BattleError, match=said):
            one.set_lanes({0: replace(lane(0), **changes)})
    asked = one.step(NOTHING, NOTHING)
    for seats, said in (([9], "no seat 9"), ([0, 0], "did not ask p1")):
        with pytest.raises(BattleError, match=said):
            one.step(np.array(seats), np.zeros(len(seats), np.int64))
    assert one.step(asked.seats[1:], np.array([0])).seats.tolist() == [0, 1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("= table.event(eventName);", "= {...table.event(eventName), foe: null};"),
        ("had.item === pokemon.item &&", ""),
    ],
    ids=["foes' handlers are missing", "a lost item still acts"],
)
def test_a_wrong_patch_is_found_out_and_not_used(showdown, tmp_path, right, wrong):
    scripts = tmp_path / "node"
    shutil.copytree(script_folder(), scripts)
    shutil.copytree(script_folder().with_name("teams"), tmp_path / "teams")
    patch = scripts / "patch.js"
    text = patch.read_text("utf-8")
    assert right in text
    patch.write_text(text.replace(right, wrong), "utf-8")
    answer = subprocess.run(
        [showdown.node, "-p", "JSON.stringify(require('./selftest.js').install())"],
        cwd=scripts,
        env=showdown.environment(),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert '"patched":false' in answer
    assert "handlers of" in answer
