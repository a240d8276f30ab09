"""Fight sensibly: use the best move by expected damage, or an item, switch, catch, run."""

from collections.abc import Callable, Collection, Mapping

from engine.games.base import SAME_TYPE_BONUS, GameTables, MenuKind, effectiveness, menu_kind
from engine.planning.rules.answers import TIRED, Tried, Wishes, read_on, say, wait
from engine.planning.rules.items import (
    ITEM_POCKET,
    ItemUse,
    Suggestion,
    ball_use,
    choose_creature,
    choose_item,
    confirm_use,
    cure_for,
    is_bag,
    is_party_list,
    is_use_menu,
    potion_for,
    prompt_of,
    revive_for,
    says,
    to_cell,
    to_place,
    to_row,
    words,
)
from engine.types import Action, Battle, BattleKind, Creature, GameState, Move, Prompt

# Expect the damage of moves, by the formula published for the games of this generation.

_AVERAGE_ROLL = 0.925
"""The random factor is 0.85 to 1."""
LOWEST_ROLL = 0.85
_SURE = 0.95
"""Chance from which a move counts as one that hits."""

_FIRST_SPECIAL_TYPE = 20
"""Types from this number on use special attack and defence."""
_ATTACK, _DEFENCE, SPEED, _SPECIAL_ATTACK, _SPECIAL_DEFENCE = range(5)

_FIXED: Mapping[str, int] = {"SONICBOOM": 20, "DRAGON RAGE": 40}
_BY_LEVEL = frozenset({"SEISMIC TOSS", "NIGHT SHADE", "PSYWAVE"})
_POWERS: Mapping[str, float] = {
    # Where the table of moves has one power for what varies or strikes often: a usual one.
    "RETURN": 60, "FRUSTRATION": 30, "HIDDEN POWER": 50, "MAGNITUDE": 70, "PRESENT": 50,
    "FLAIL": 40, "REVERSAL": 40, "DOUBLESLAP": 45, "COMET PUNCH": 54, "FURY ATTACK": 45,
    "PIN MISSILE": 42, "SPIKE CANNON": 60, "BARRAGE": 45, "FURY SWIPES": 54, "BONE RUSH": 75,
    "DOUBLE KICK": 60, "TWINEEDLE": 50, "BONEMERANG": 100, "TRIPLE KICK": 40, "BEAT UP": 20,
    # Two turns for one blow.
    "RAZOR WIND": 40, "SOLARBEAM": 60, "SKULL BASH": 50, "SKY ATTACK": 70, "HYPER BEAM": 75,
    "DIG": 30, "FLY": 35,
    # Only good where something else came first, or at the price of the fight.
    "DREAM EATER": 0, "SNORE": 0, "COUNTER": 0, "MIRROR COAT": 0, "FUTURE SIGHT": 40,
    "EXPLOSION": 10, "SELFDESTRUCT": 10, "GUILLOTINE": 10, "HORN DRILL": 10, "FISSURE": 10,
}  # fmt: skip


def expected_damage(
    tables: GameTables, move: Move, attacker: Creature, target: Creature | None
) -> float:
    """Return the health that a move that hits takes on average; 0.0 for one that is not known."""
    facts = tables.MOVES.get(move.id)
    if facts is None:
        return 0.0
    name, kind, listed, _, _ = facts
    factor = effectiveness(tables, kind, target.types if target else ())
    if name in _FIXED:
        return _FIXED[name] if factor else 0.0
    if name in _BY_LEVEL:
        return attacker.level if factor else 0.0
    power = _POWERS.get(name, listed)
    if not power or not factor:
        return 0.0
    base = (2 * attacker.level / 5 + 2) * power * _stat_ratio(kind, attacker, target) / 50 + 2
    bonus = SAME_TYPE_BONUS if kind in attacker.types else 1.0
    return base * bonus * factor * _AVERAGE_ROLL


def hit_chance(tables: GameTables, move: Move) -> float:
    """Return how often a move hits."""
    facts = tables.MOVES.get(move.id)
    return facts[3] / 100 if facts else 0.0


def move_value(
    tables: GameTables, move: Move, attacker: Creature, target: Creature | None
) -> float:
    """Return the health a move is worth in this turn; damage beyond what is left counts little.

    A blow that ends the fight for sure is better than a stronger one that may miss.
    """
    damage = expected_damage(tables, move, attacker, target)
    left = target.hp if target else damage
    useful = min(damage * LOWEST_ROLL / _AVERAGE_ROLL, left) + 0.01 * damage
    return useful * hit_chance(tables, move)


def usable_moves(creature: Creature) -> tuple[tuple[int, Move], ...]:
    """Return (slot, move) of those with points left."""
    return tuple((slot, move) for slot, move in enumerate(creature.moves) if move.points)


def best_damage(tables: GameTables, attacker: Creature, target: Creature | None) -> float:
    """Return the most that a blow can be expected to take, misses counted; 0.0 without any."""
    blows = (
        expected_damage(tables, move, attacker, target) * hit_chance(tables, move)
        for _, move in usable_moves(attacker)
    )
    return max(blows, default=0.0)


def worst_blow(tables: GameTables, attacker: Creature, target: Creature) -> float:
    """Return the most that one blow takes if it hits."""
    blows = (expected_damage(tables, move, attacker, target) for move in attacker.moves)
    return max(blows, default=0.0) / _AVERAGE_ROLL


def ends_fight(tables: GameTables, attacker: Creature, target: Creature) -> bool:
    """Return whether a move that hardly ever misses takes all that is left, at the lowest roll."""
    return any(
        expected_damage(tables, move, attacker, target) * LOWEST_ROLL / _AVERAGE_ROLL >= target.hp
        and hit_chance(tables, move) >= _SURE
        for _, move in usable_moves(attacker)
    )


def is_faster(own: Creature, enemy: Creature) -> bool:
    """Return whether a creature strikes first; where stats are not known it may not."""
    return bool(own.stats and enemy.stats) and own.stats[SPEED] > enemy.stats[SPEED]


def _stat_ratio(kind: int, attacker: Creature, target: Creature | None) -> float:
    """Return attack over defence, 1.0 where they are not known."""
    if target is None or not attacker.stats or not target.stats:
        return 1.0
    is_special = kind >= _FIRST_SPECIAL_TYPE
    attack = attacker.stats[_SPECIAL_ATTACK if is_special else _ATTACK]
    defence = target.stats[_SPECIAL_DEFENCE if is_special else _DEFENCE]
    return attack / max(1, defence)


_WEAK = 0.3
"""Share of health below which a wild battle is not worth it."""

_HELPLESS = frozenset({"sleep", "freeze"})
"""Statuses in which one can do nothing."""
_LONG_FIGHT = 2
"""Blows that a fight still takes from which the other statuses are worth a turn to cure."""

_CATCHABLE = 0.6
"""Share of health below which a wild creature is worth a ball."""

_FIELD_MOVES = frozenset({"CUT", "FLY", "SURF", "STRENGTH", "FLASH", "WHIRLPOOL", "WATERFALL"})
"""Moves that open ways, and that are not forgotten."""

_SENDING = frozenset({"SWITCH", "STATS", "SHIFT", "SEND OUT"})
"""Entries of the menu of a creature that was chosen in the party list, the first of them first."""

_QUESTIONS: tuple[tuple[str, bool, str], ...] = (
    ("nickname", False, "no nickname"),
    ("stop learning", True, "keep the current moves"),
    ("next pok", True, "continue with the next one"),
)
"""Part of a question, its answer, why. All others are answered by NO."""


def battle_button(tables: GameTables, state: GameState, wishes: Wishes, tried: Tried) -> Suggestion:
    """Return a button for a battle's menus and messages.

    Args:
        tables: Moves and type chart of the game.
        state: In a battle.
        wishes: Of these, only the two for battles count.
        tried: What has led to nothing so far.
    """
    battle, prompt = state.battle, prompt_of(state)
    assert battle is not None
    if prompt is Prompt.YES_NO:
        return _question(tables, state, battle, tried)
    if state.control.is_busy:
        return wait(state, wishes, tried)
    if prompt is not Prompt.MENU:
        return read_on(state, wishes, tried)[0], "advance the battle"
    if says(state, "forgotten", "keep all"):
        return _forget_menu(tables, state, battle)
    match menu_kind(state):
        case MenuKind.BATTLE:
            return _first_menu(tables, state, battle, wishes, tried)
        case MenuKind.MOVES:
            return _move_menu(tables, state, battle, wishes, tried)
        case _:
            return _other_menu(tables, state, battle, wishes, tried)


def is_weak(party: Collection[Creature], share: float) -> bool:
    """Return whether the strongest creature is below this share of health, or has no points."""
    fit = [one for one in party if one.hp > 0]
    if not party:
        return False
    if not fit:
        return True
    best = max(fit, key=lambda one: one.level)
    has_points = any(move.points for move in best.moves) if best.moves else True
    return best.hp < share * best.max_hp or not has_points


def _question(tables: GameTables, state: GameState, battle: Battle, tried: Tried) -> Suggestion:
    if says(state, "delete a move"):  # the screen that follows does not show its cursor
        return say(state, False, tried, "keep the current moves")
    if says(state, "make room", "older move"):
        is_better = _is_better_move(tables, state, battle)
        return say(
            state, is_better, tried, "a better move" if is_better else "keep the current moves"
        )
    for part, is_yes, why in _QUESTIONS:
        if says(state, part):
            return say(state, is_yes, tried, why)
    return say(state, False, tried, "answer no")


def _first_menu(
    tables: GameTables, state: GameState, battle: Battle, wishes: Wishes, tried: Tried
) -> Suggestion:
    own, enemy = battle.own, battle.enemy
    if own is None or enemy is None:
        return Action.B, "wait until both sides are out"
    cells = tables.BATTLE_CELLS
    fight = to_cell(state, cells.fight), f"fight {enemy.name}"
    if tried.wants_other:  # a bag without use, a way out that is barred
        return fight
    is_wild = battle.kind is BattleKind.WILD
    if is_wild and wishes.wants_run:
        return to_cell(state, cells.run), f"run from {enemy.name}"
    if (use := _item_use(tables, state, battle, wishes)) is not None:
        return to_cell(state, cells.bag), use.why
    if is_wild and wishes.wants_run is None and _is_not_worth_it(tables, own, enemy):
        return to_cell(state, cells.run), f"{own.name} is weak: run"
    if _is_helpless(tables, own, enemy) and _best_other(tables, state, battle) is not None:
        return to_cell(state, cells.team), f"{own.name} cannot do damage: switch"
    return fight


def _is_not_worth_it(tables: GameTables, own: Creature, enemy: Creature) -> bool:
    """Return whether a wild battle is left: the own creature is weak and no blow ends it."""
    is_weak_now = own.hp < _WEAK * own.max_hp and enemy.hp > _WEAK * enemy.max_hp
    return is_weak_now and not (is_faster(own, enemy) and ends_fight(tables, own, enemy))


def _is_helpless(tables: GameTables, own: Creature, enemy: Creature) -> bool:
    """Return whether no move does any damage; without points, only the one that hurts its user."""
    return bool(own.moves) and best_damage(tables, own, enemy) == 0


def _item_use(
    tables: GameTables, state: GameState, battle: Battle, wishes: Wishes
) -> ItemUse | None:
    """Return the item that serves better than a blow in this turn; None: there is none."""
    own, enemy = battle.own, battle.enemy
    if own is None or enemy is None or not own.hp:
        return None
    if battle.kind is BattleKind.WILD:
        is_ripe = enemy.hp <= _CATCHABLE * enemy.max_hp or not _gentle_moves(tables, own, enemy)
        is_wanted = wishes.wants_catch and is_ripe
        return ball_use(state.bag, f"throw a ball at {enemy.name}") if is_wanted else None
    blow = worst_blow(tables, enemy, own)
    if own.hp > blow:
        return _cure(tables, state, battle, own, enemy) or _revival(tables, state, own, blow)
    potion = potion_for(tables, state.bag, own)
    can_end = own.status not in _HELPLESS and ends_fight(tables, own, enemy)
    # A potion that the next blow takes again only gives turns away.
    if potion is None or potion[0] <= blow or (is_faster(own, enemy) and can_end):
        return None
    return ItemUse(potion[1], ITEM_POCKET, battle.own_slot, f"heal {own.name}")


def _cure(
    tables: GameTables, state: GameState, battle: Battle, own: Creature, enemy: Creature
) -> ItemUse | None:
    """Return the medicine against a status that costs more turns than the medicine does."""
    is_long = enemy.hp > _LONG_FIGHT * best_damage(tables, own, enemy)
    if own.status not in _HELPLESS and not is_long:
        return None
    item = cure_for(tables, state.bag, own)
    if item is None:
        return None
    return ItemUse(item, ITEM_POCKET, battle.own_slot, f"cure {own.name} of {own.status}")


def _revival(tables: GameTables, state: GameState, own: Creature, blow: float) -> ItemUse | None:
    """Return how to bring the strongest back while the last that stands can take the blows."""
    level, slot = max(((one.level, -i) for i, one in enumerate(state.party)), default=(0, 0))
    is_last = sum(one.hp > 0 for one in state.party) == 1
    if not is_last or level <= own.level or own.hp <= 2 * blow:
        return None
    strongest = state.party[-slot]
    item = revive_for(tables, state.bag, strongest)
    return ItemUse(item, ITEM_POCKET, -slot, f"revive {strongest.name}") if item else None


def _gentle_moves(
    tables: GameTables, own: Creature, enemy: Creature
) -> list[tuple[float, int, Move]]:
    """Return (damage, -slot, move) of what harms a creature and leaves it standing."""
    harms = [
        (expected_damage(tables, move, own, enemy), -slot, move) for slot, move in usable_moves(own)
    ]
    return [one for one in harms if 0 < one[0] * 1.1 < enemy.hp]


def _move_menu(
    tables: GameTables, state: GameState, battle: Battle, wishes: Wishes, tried: Tried
) -> Suggestion:
    own, enemy = battle.own, battle.enemy
    if own is None:
        return Action.B, "no creature in battle"
    usable = usable_moves(own)
    if not usable:
        return Action.B, "no move has points left"
    if wishes.wants_catch and enemy and (gentle := _gentle_moves(tables, own, enemy)):
        _, slot, move = max(gentle)
        return to_place(state, -slot), f"{move.name} does not knock it out"
    ranked = sorted(
        ((move_value(tables, move, own, enemy), -slot) for slot, move in usable), reverse=True
    )
    # A move that was chosen and refused again and again gives way to the next.
    slot = -ranked[tried.times // TIRED % len(ranked)][1]
    return to_place(state, slot), f"{own.moves[slot].name} is the best move"


def _other_menu(
    tables: GameTables, state: GameState, battle: Battle, wishes: Wishes, tried: Tried
) -> Suggestion:
    if tried.wants_other:
        return Action.B, "this menu has no effect: close it"
    use = _item_use(tables, state, battle, wishes)
    for is_this, choose in _ITEM_MENUS.items():
        if is_this(state):
            return choose(state, use)
    if words(state) & _SENDING:
        return Action.A, "send this one"
    if _is_team_list(state, battle):
        return _next_creature(tables, state, battle)
    return choose_item(state, use)


_ITEM_MENUS: Mapping[
    Callable[[GameState], bool], Callable[[GameState, ItemUse | None], Suggestion]
] = {
    is_use_menu: confirm_use,
    is_party_list: choose_creature,
    is_bag: choose_item,
}


def _is_team_list(state: GameState, battle: Battle) -> bool:
    """Return whether the party is listed to choose who fights; Crystal's list has CANCEL below."""
    rows, columns = state.control.menu_size
    if columns != 1 or rows not in {len(state.party), len(state.party) + 1}:
        return False
    must_choose = battle.own is not None and not battle.own.hp
    return must_choose or says(state, "choose a", "send out which", "who fights")


def _next_creature(tables: GameTables, state: GameState, battle: Battle) -> Suggestion:
    """Send the creature with the strongest move against the enemy."""
    own = battle.own
    is_wanted = (
        own is None
        or not own.hp
        or (battle.enemy is not None and _is_helpless(tables, own, battle.enemy))
    )
    if not is_wanted:
        return Action.B, "no switch needed"
    index = _best_other(tables, state, battle)
    if index is None:
        return (Action.A if own is None or not own.hp else Action.B), "no other creature can fight"
    return to_row(state, index + 1), f"send {state.party[index].name}"


def _best_other(tables: GameTables, state: GameState, battle: Battle) -> int | None:
    """Return the slot of the creature that harms the enemy most, the fighting one left out."""
    own = battle.own
    # The party's copy of the creature in battle may lag.
    fighting = (own.species, own.level, own.max_hp) if own else None
    others = [
        (best_damage(tables, one, battle.enemy), one.hp, -i)
        for i, one in enumerate(state.party)
        if one.hp > 0 and (i != battle.own_slot or (one.species, one.level, one.max_hp) != fighting)
    ]
    if not others or (own is not None and own.hp and max(others)[0] == 0):
        return None
    return -max(others)[2]


def _keeping_value(tables: GameTables, move: Move, own: Creature) -> float:
    """Return what a move is worth to keep: its damage against no particular enemy."""
    return expected_damage(tables, move, own, None) * tables.MOVES[move.id][3] / 100


def _is_better_move(tables: GameTables, state: GameState, battle: Battle) -> bool:
    """Return whether the move that the question names beats the weakest that is known."""
    own = battle.own
    if own is None:
        return False
    text = " ".join(state.screen_text).upper()
    known = {move.id for move in own.moves}
    named = [
        Move(number, facts[0], facts[4])
        for number, facts in tables.MOVES.items()
        if number not in known and f" {facts[0]}?" in f" {text}"
    ]
    weakest = min(
        (_keeping_value(tables, move, own) for _, move in _forgettable(tables, own)),
        default=float("inf"),
    )
    return any(_keeping_value(tables, move, own) > weakest for move in named)


def _forgettable(tables: GameTables, own: Creature) -> list[tuple[int, Move]]:
    return [
        (slot, move)
        for slot, move in enumerate(own.moves)
        if move.id in tables.MOVES and move.name not in _FIELD_MOVES
    ]


def _forget_menu(tables: GameTables, state: GameState, battle: Battle) -> Suggestion:
    """Give up the weakest move; where all may be kept, only one that does no harm."""
    own = battle.own
    if own is None:
        return Action.B, "keep the current moves"
    values = [
        (_keeping_value(tables, move, own), slot, move) for slot, move in _forgettable(tables, own)
    ]
    if not values or ("KEEP ALL" in words(state) and min(values)[0] > 0):
        return Action.B, "keep the current moves"
    _, slot, move = min(values, key=lambda one: one[:2])
    return to_row(state, slot + 1), f"forget {move.name} for the new move"
