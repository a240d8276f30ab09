from dataclasses import replace

import pytest

from engine.config import EnvConfig
from engine.env.game_env import GameEnv
from engine.games.crystal.memory import FACTS, SYMBOLS
from engine.games.facts import read_tables
from engine.planning.rules.answers import NOTHING_TRIED, Tried, Wishes
from engine.planning.rules.battle import battle_button
from engine.planning.rules.catching import ball_use, weakening_move
from engine.types import Action, Bag, BattleKind, Move
from tests.engine.led import action_of, lead_until, rules_of
from tests.engine.planning.goals.helpers import battle, creature, menu, state

TABLES = read_tables(FACTS)
NUMBERS = {facts[0]: number for number, facts in TABLES.MOVES.items()}
BALLS = {name: number for number, name in TABLES.ITEMS.items() if name.endswith("BALL")}
POKE_BALL, GREAT, ULTRA, MASTER = (
    BALLS[name] for name in ("POKé BALL", "GREAT BALL", "ULTRA BALL", "MASTER BALL")
)
GOLDEEN = 118
WANTED = Wishes(wants_catch=True, species=frozenset({GOLDEEN}))
NORMAL = 0


def known(*names: str) -> tuple[Move, ...]:
    return tuple(Move(NUMBERS[name], name, 10) for name in names)


OWN = creature("CROC", level=20, hp=60, max_hp=60, types=(NORMAL,), moves=known("TACKLE", "SLASH"))
FISH = creature("GOLDEEN", species=GOLDEEN, level=20, hp=60, max_hp=60, types=(NORMAL,))
ANY_BALLS = Bag(balls=((POKE_BALL, 3),))


def first_menu(enemy, own=OWN, bag=ANY_BALLS, wishes=WANTED, tried=NOTHING_TRIED) -> str:
    """Return the reason for the button in the first menu of a wild battle."""
    shown = state(
        control=menu((1, 1), (2, 2)),
        fight=battle(own, enemy, BattleKind.WILD),
        text=("FIGHT TEAM", "BAG   RUN"),
        bag=bag,
    )
    return battle_button(TABLES, shown, wishes, tried)[1]


def test_a_species_that_is_looked_for_is_weakened_and_then_caught():
    assert first_menu(FISH) == "fight GOLDEEN"
    assert first_menu(replace(FISH, hp=30)) == "fight GOLDEEN"
    assert first_menu(replace(FISH, hp=18)) == "throw a ball at GOLDEEN"


def test_a_ball_is_thrown_at_once_where_any_blow_would_end_the_fight():
    strong = replace(OWN, level=90)
    assert first_menu(replace(FISH, hp=30, max_hp=30), strong) == "throw a ball at GOLDEEN"


def test_a_ball_is_thrown_at_once_by_who_is_too_weak_to_fight_on():
    assert first_menu(FISH, replace(OWN, hp=10)) == "throw a ball at GOLDEEN"


def test_a_sleeping_creature_is_easier_to_catch_so_it_is_put_to_sleep_first():
    singer = replace(OWN, moves=known("TACKLE", "SING"))
    weak = replace(FISH, hp=18)
    assert weakening_move(TABLES, singer, weak, WANTED) == 1
    assert weakening_move(TABLES, singer, replace(weak, status="sleep"), WANTED) is None
    assert weakening_move(TABLES, singer, weak, Wishes(wants_catch=True)) is None


def test_other_species_are_left_while_one_is_looked_for():
    other = replace(FISH, species=60, name="POLIWAG")
    assert first_menu(other) == "look for another than POLIWAG"
    assert first_menu(other, bag=Bag()) == "fight POLIWAG"  # nothing to catch with
    assert first_menu(other, wishes=Wishes()) == "fight POLIWAG"
    assert first_menu(other, tried=Tried(wants_other=True)) == "fight POLIWAG"  # no way out


def test_a_trainers_creature_is_never_thrown_at():
    shown = state(
        control=menu((1, 1), (2, 2)),
        fight=battle(OWN, replace(FISH, hp=5), BattleKind.TRAINER),
        text=("FIGHT TEAM", "BAG   RUN"),
        bag=ANY_BALLS,
    )
    assert battle_button(TABLES, shown, WANTED, NOTHING_TRIED) == (Action.A, "fight GOLDEEN")


@pytest.mark.parametrize(
    ("level", "held", "thrown"),
    [
        (20, (POKE_BALL, GREAT, ULTRA, MASTER), ULTRA),
        (20, (MASTER, POKE_BALL, GREAT), GREAT),
        (5, (ULTRA, GREAT, POKE_BALL), POKE_BALL),
        (5, (MASTER, ULTRA), ULTRA),
        (5, (MASTER,), MASTER),
    ],
)
def test_the_best_ball_is_for_high_levels_and_the_last_one_for_need(level, held, thrown):
    bag = Bag(balls=tuple((item, 1) for item in held))
    use = ball_use(TABLES, bag, replace(FISH, level=level))
    assert use is not None
    assert use.item == thrown


def test_an_empty_bag_throws_nothing():
    assert ball_use(TABLES, Bag(), FISH) is None


def test_a_species_is_weakened_and_caught_in_the_practice_game():
    """The balls are written into the bag, the rest is played from the first wild battle on."""
    env = GameEnv(observation_type="state", config=EnvConfig(max_steps=10_000))
    env.reset(seed=0)
    lead_until(env, lambda shown: shown.place.name == "MILLBROOK PATH")
    advisor = rules_of(env)
    advisor._planner.load(advisor._planner.save() | {"wanted_level": 9})
    for _ in range(300):
        fight = env.state.battle
        if fight and fight.enemy and fight.kind is BattleKind.WILD:
            break
        env.advance(action_of(advisor.advise(env.state, env.action_mask())))
    number, balls = SYMBOLS["wNumBalls"], SYMBOLS["wBalls"]
    env.emulator.write(number.bank, number.address, b"\1")
    env.emulator.write(balls.bank, balls.address, bytes((POKE_BALL, 30, 0xFF)))
    wishes = Wishes(wants_catch=True, species=frozenset({env.state.battle.enemy.species}))
    reasons = []
    for _ in range(200):
        if env.state.battle is None:
            break
        action, reason = battle_button(env.game.tables, env.state, wishes, NOTHING_TRIED)
        reasons.append(reason)
        env.advance(
            env.game.actions.index(action) if action is not Action.NOOP else env.game.actions.idle
        )
    party = env.state.party
    env.close()
    assert [one.species for one in party[1:]] == list(wishes.species)
    assert any("does not knock it out" in reason for reason in reasons)
    assert any(reason.startswith("throw a ball") for reason in reasons)
