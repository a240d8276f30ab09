"""Fight sensibly: use the best move by expected damage, or an item, switch, catch, run."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from engine.games.base import GameTables, MenuKind, menu_kind
from engine.planning.rules.answers import TIRED, Tried, Wishes, read_on, say, wait
from engine.planning.rules.catching import (
    ball_use,
    gentle_move,
    is_in_the_way,
    is_wanted,
    weakening_move,
)
from engine.planning.rules.damage import (
    best_damage,
    ends_fight,
    is_faster,
    loses_race,
    move_value,
    usable_moves,
    worst_blow,
)
from engine.planning.rules.items import (
    ITEM_POCKET,
    ItemUse,
    Suggestion,
    choose_creature,
    choose_item,
    confirm_use,
    cure_for,
    is_bag,
    is_party_list,
    is_replacement,
    is_use_menu,
    potion_for,
    prompt_of,
    revival,
    says,
    to_cell,
    to_place,
    to_row,
    words,
)
from engine.planning.rules.teaching import forget_menu, is_better_move, keeping_value
from engine.types import Action, Battle, BattleKind, Creature, GameState, Prompt

_WEAK = 0.3
"""Share of health below which a wild battle is not worth it."""

_HELPLESS = frozenset({"sleep", "freeze"})
"""Statuses in which one can do nothing."""
_LONG_FIGHT = 2
"""Blows that a fight still takes from which the other statuses are worth a turn to cure."""

_FEW_POINTS = 0.2
"""Share of the points of the moves worth using below which to rest."""
_WORTH_USING = 0.5
"""Share of the strongest move's worth from which another one is worth using, too."""

_TURNS = (Action.RIGHT, Action.UP, Action.LEFT, Action.DOWN)
"""What moves the cursor to another target, one after the other while it stays."""

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
    assert state.battle is not None
    battle, prompt = _with_useful_moves(state.battle, tried), prompt_of(state)
    if prompt is Prompt.YES_NO:
        return _question(tables, state, battle, tried)
    if state.control.is_busy:
        return wait(state, wishes, tried)
    if prompt is not Prompt.MENU:
        return read_on(state, wishes, tried)[0], "advance the battle"
    if says(state, "forgotten", "keep all") or is_replacement(state):
        return forget_menu(tables, state, state.battle)
    if battle.target is not None:
        return _target_menu(tables, state, battle, battle.target, tried)
    match menu_kind(state):
        case MenuKind.BATTLE:
            return _first_menu(tables, state, battle, wishes, tried)
        case MenuKind.MOVES:
            return _move_menu(tables, state, battle, wishes, tried)
        case _:
            return _other_menu(tables, state, battle, wishes, tried)


def _with_useful_moves(battle: Battle, tried: Tried) -> Battle:
    """Return a battle where moves that did nothing to this foe have no points, if others have."""
    own = battle.own
    if own is None or all(move.id in tried.useless for _, move in usable_moves(own)):
        return battle
    moves = (replace(one, points=0) if one.id in tried.useless else one for one in own.moves)
    return replace(battle, own=replace(own, moves=tuple(moves)))


def is_weak(party: Collection[Creature], share: float, tables: GameTables | None = None) -> bool:
    """Return whether the strongest is below this share of health, or is about to have no points.

    With `tables` only the points of its best moves count, else only whether any are left.
    """
    fit = [one for one in party if one.hp > 0]
    if not party:
        return False
    if not fit:
        return True
    best = max(fit, key=lambda one: one.level)
    return best.hp < share * best.max_hp or _has_few_points(best, tables)


def _has_few_points(best: Creature, tables: GameTables | None) -> bool:
    known = tables.MOVES if tables else {}
    moves = [move for move in best.moves if move.id in known]
    if tables is None or not moves:
        return bool(best.moves) and not any(move.points for move in best.moves)
    worth = [keeping_value(tables, move, best) for move in moves]
    least = max(_WORTH_USING * max(worth), 1.0)
    good = [move for move, value in zip(moves, worth, strict=True) if value >= least]
    full = sum(known[move.id][4] for move in good)
    return sum(move.points for move in good) < _FEW_POINTS * full


def _question(tables: GameTables, state: GameState, battle: Battle, tried: Tried) -> Suggestion:
    if says(state, "make room", "older move"):
        is_better = state.control.cursor[0] > 0 and is_better_move(tables, state, battle)
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
    if wishes.wants_run is None and is_wild and is_in_the_way(battle, wishes, state.bag):
        return to_cell(state, cells.run), f"look for another than {enemy.name}"
    if is_wild and wishes.wants_run is None and _is_not_worth_it(tables, own, enemy):
        return to_cell(state, cells.run), f"{own.name} is weak: run"
    if _replacements(tables, state, battle):
        return to_cell(state, cells.team), f"{own.name} cannot win: switch"
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
        if not is_wanted(battle, wishes, state.bag):
            return None
        is_ripe = weakening_move(tables, own, enemy, wishes) is None
        return ball_use(tables, state.bag, enemy) if is_ripe else None
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
    is_last = sum(one.hp > 0 for one in state.party) == 1
    if not is_last or own.hp <= 2 * blow or max(one.level for one in state.party) <= own.level:
        return None
    return revival(tables, state.bag, state.party)


def _move_menu(
    tables: GameTables, state: GameState, battle: Battle, wishes: Wishes, tried: Tried
) -> Suggestion:
    own, enemy = battle.own, battle.enemy
    if own is None:
        return Action.B, "no creature in battle"
    usable = usable_moves(own)
    if not usable:
        return Action.B, "no move has points left"
    if enemy is not None and is_wanted(battle, wishes, state.bag):
        chosen = weakening_move(tables, own, enemy, wishes)
        chosen = gentle_move(tables, own, enemy) if chosen is None else chosen
        if chosen is not None:
            return to_place(state, chosen), f"{own.moves[chosen].name} does not knock it out"
    ranked = sorted(
        ((move_value(tables, move, own, enemy), -slot) for slot, move in usable), reverse=True
    )
    # A move that was chosen and refused again and again gives way to the next.
    slot = -ranked[tried.times // TIRED % len(ranked)][1]
    return to_place(state, slot), f"{own.moves[slot].name} is the best move"


def _target_menu(
    tables: GameTables, state: GameState, battle: Battle, target: Creature, tried: Tried
) -> Suggestion:
    """Bring the cursor to the foe that the move harms most, and never leave it on an own one.

    The move was chosen against `Battle.enemy`.
    """
    is_enemy = battle.enemy is not None and _who(target) == _who(battle.enemy)
    own_side = {_who(one) for one in (*state.party, battle.own) if one is not None}
    is_foe = is_enemy or _who(target) not in own_side
    is_best = is_enemy or _harms_as_much(tables, battle, target)
    if target.hp and is_foe and (is_best or tried.unchanged_steps >= len(_TURNS)):
        return Action.A, f"aim at {target.name}"
    if tried.unchanged_steps >= 2 * len(_TURNS):
        return Action.B, "no target to aim at"
    return _TURNS[tried.unchanged_steps % len(_TURNS)], "look for another target"


def _who(creature: Creature) -> tuple[int, str, int, int]:
    """Tell creatures apart by what stays the same where health or points may lag."""
    return creature.species, creature.name, creature.level, creature.max_hp


def _harms_as_much(tables: GameTables, battle: Battle, target: Creature) -> bool:
    """Return whether the move that is best against `Battle.enemy` harms this foe as much."""
    own, enemy = battle.own, battle.enemy
    if own is None or enemy is None or not enemy.hp:
        return True
    moves = [move for _, move in usable_moves(own)]
    best = max(moves, key=lambda move: move_value(tables, move, own, enemy), default=None)
    if best is None:
        return True
    return move_value(tables, best, own, target) >= move_value(tables, best, own, enemy)


def _other_menu(
    tables: GameTables, state: GameState, battle: Battle, wishes: Wishes, tried: Tried
) -> Suggestion:
    if tried.wants_other:
        return Action.B, "this menu has no effect: close it"
    if says(state, "type/"):  # of the move that was chosen, without the list of moves
        return Action.A, "aim at the foe that is shown"
    use = _item_use(tables, state, battle, wishes)
    for is_this, choose in _ITEM_MENUS.items():
        if is_this(state):
            return choose(state, use)
    if words(state) & _SENDING:
        return Action.A, "send this one"
    if _is_team_list(state, battle):
        return _next_creature(tables, state, battle, tried)
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


def _next_creature(
    tables: GameTables, state: GameState, battle: Battle, tried: Tried
) -> Suggestion:
    """Send the best one; the next best where it was refused, as one is that fights already."""
    ranked = _replacements(tables, state, battle)
    if ranked:
        slot = ranked[tried.times // (2 * TIRED) % len(ranked)]
        return to_row(state, slot + 1), f"send {state.party[slot].name}"
    if battle.own is None or not battle.own.hp:
        return Action.A, "no other creature can fight"
    return Action.B, "no switch needed"


def _replacements(tables: GameTables, state: GameState, battle: Battle) -> list[int]:
    """Return the slots of those who should fight now, the best first; none: who fights goes on.

    Somebody else is due where the own one has fainted or can do no harm, and against a trainer
    where it will lose and the other will win, a blow at the switch included. Where two fight side
    by side nobody who stands is exchanged: the other one may be the one at their side.
    """
    own, enemy = battle.own, battle.enemy
    # The party's copy of the creature in battle may lag.
    others = [
        (best_damage(tables, one, enemy), one.hp, -i)
        for i, one in enumerate(state.party)
        if one.hp > 0 and not (own and i == battle.own_slot and _who(one) == _who(own))
    ]
    if own is not None and own.hp and enemy is not None:
        if battle.is_double:
            others = []
        elif _is_helpless(tables, own, enemy):
            others = [one for one in others if one[0]]
        elif battle.kind is BattleKind.TRAINER and loses_race(tables, own, enemy):
            others = [
                one
                for one in others
                if not loses_race(tables, state.party[-one[2]], enemy, blows_before=1)
            ]
        else:
            others = []
    return [-slot for _, _, slot in sorted(others, reverse=True)]
