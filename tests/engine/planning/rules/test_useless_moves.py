import json
from copy import copy
from dataclasses import replace

import pytest

from engine.config import EnvConfig
from engine.env.game_env import GameEnv
from engine.games.crystal.memory import SYMBOLS
from engine.planning.rules.useless_moves import UselessMoves
from engine.types import Creature, GameState
from tests.engine.led import action_of, lead_until, rules_of
from tests.engine.planning.goals.helpers import READING, battle, creature, menu, moves, state

QUAKE, CLAW = 89, 10
FLOATER = creature("FLOATER", species=109, hp=40, max_hp=40)


def own(points: int) -> Creature:
    return creature("NEWT", moves=(*moves(QUAKE, points=points), *moves(CLAW)))


def asked(points: int, foe: Creature = FLOATER) -> GameState:
    return state(control=menu((1, 1), (2, 2)), fight=battle(own(points), foe), text=["FIGHT"])


def told(points: int, *text: str, foe: Creature = FLOATER) -> GameState:
    return state(control=READING, fight=battle(own(points), foe), text=text)


def noticed(*states: GameState) -> UselessMoves:
    """Return the memory after these states, saved and loaded after each."""
    memory = UselessMoves()
    for one in states:
        memory.notice(one)
        saved = json.loads(json.dumps(memory.save()))
        memory = UselessMoves()
        memory.load(saved)
    return memory


def useless(*states: GameState) -> frozenset[int]:
    return noticed(*states).of(states[-1].battle)


def test_a_move_is_dropped_after_two_turns_that_changed_nothing():
    assert useless(asked(10), told(9, "used QUAKE!"), asked(9)) == frozenset()
    turns = asked(10), told(9, "used QUAKE!"), asked(9), told(8, "used QUAKE!"), asked(8)
    assert useless(*turns) == {QUAKE}


@pytest.mark.parametrize(
    "text",
    [("It doesn't affect", "FLOATER!"), ("FLOATER makes GROUND", "moves miss with LEVITATE!")],
)
def test_a_move_is_dropped_at_once_where_the_game_says_so(text):
    assert useless(asked(10), told(9, "used QUAKE!"), told(9, *text), asked(9)) == {QUAKE}


def test_a_miss_by_chance_does_not_count():
    turn = told(9, "used QUAKE!"), told(9, "NEWT's", "attack missed!"), asked(9)
    again = told(8, "used QUAKE!"), told(8, "FLOATER avoided", "the attack!"), asked(8)
    assert useless(asked(10), *turn, *again) == frozenset()


@pytest.mark.parametrize("hurt", [replace(FLOATER, hp=30), replace(FLOATER, status="poison")])
def test_a_move_that_changed_something_is_kept(hurt):
    turns = told(9, "used QUAKE!"), asked(9, hurt), told(8, "used QUAKE!", foe=hurt), asked(8, hurt)
    assert useless(asked(10), *turns) == frozenset()


def test_what_does_nothing_to_one_species_is_kept_for_others_and_the_next_battle():
    turns = asked(10), told(9, "doesn't affect"), asked(9)
    memory = noticed(*turns)
    other = asked(9, creature("ANT", species=7))
    memory.notice(other)
    assert memory.of(other.battle) == frozenset()
    memory.notice(asked(9))
    assert memory.of(asked(9).battle) == {QUAKE}
    memory.notice(state())
    memory.notice(asked(9))
    assert memory.of(asked(9).battle) == frozenset()


def test_a_reset_forgets_everything():
    memory = noticed(asked(10), told(9, "doesn't affect"), asked(9))
    memory.reset()
    assert memory.save() == UselessMoves().save()
    assert memory.of(None) == frozenset()


GHOST = 8


def test_the_rules_change_the_move_in_the_practice_game_where_the_best_does_nothing():
    """They are told that all moves are normal ones, which a ghost does not feel."""
    env = GameEnv(observation_type="state", config=EnvConfig(max_steps=10_000))
    env.reset(seed=0)
    lead_until(env, lambda shown: bool(shown.battle and shown.control.in_menu))
    symbol = SYMBOLS["wEnemyMonType1"]
    env.emulator.write(symbol.bank, symbol.address, bytes((GHOST, GHOST)))
    advisor, tables = rules_of(env), env.game.tables
    own = env.state.battle.own
    best = own.moves[0].id
    weak = {move.id: ("", 0, 1, 100, 25) for move in own.moves[1:]}
    advisor._game = copy(env.game)
    advisor._game.tables = replace(tables, TYPE_CHART={}, MOVES={**tables.MOVES, **weak})
    points, is_known = [own.moves], False
    for _ in range(60):
        advice = advisor.advise(env.state, env.action_mask())
        fight = env.state.battle
        if fight is None or points[-1][2].points < own.moves[2].points:
            break
        is_known = best in advisor._useless_moves.of(fight)
        points.append(fight.own.moves)
        env.advance(action_of(advice))
    env.close()
    assert is_known
    assert own.moves[0].points - points[-1][0].points <= 2
    assert points[-1][2].points < own.moves[2].points
