"""Convert our codes to poke-env's orders and its MultiDiscrete([107, 107]) actions, and back.

Codes refer to the lists in the battle's latest request; legality is not checked.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from poke_env.battle import DoubleBattle, Move, Pokemon
from poke_env.environment import DoublesEnv
from poke_env.player import BattleOrder, DoubleBattleOrder, PassBattleOrder, SingleBattleOrder

from engine.battles.sim.actions import PASS, SELECTIONS, SLOT_CODES, SWITCH, TARGETS, is_gimmick

_TEAM = "/team "


def to_order(code: int, battle: DoubleBattle) -> DoubleBattleOrder:
    """Return the order of a joint code."""
    first, second = divmod(code, SLOT_CODES)
    return DoubleBattleOrder(_slot_order(first, battle, 0), _slot_order(second, battle, 1))


def to_code(order: BattleOrder, battle: DoubleBattle) -> int:
    """Return the joint code of an order.

    Raises:
        ValueError: It has none: it is a default, a forfeit, or not in the request's lists.
    """
    if not isinstance(order, DoubleBattleOrder):
        raise ValueError(f"{order.message} has no code")
    first = _slot_code(order.first_order, battle, 0)
    return first * SLOT_CODES + _slot_code(order.second_order, battle, 1)


def to_actions(code: int, battle: DoubleBattle) -> NDArray[np.int64]:
    """Return poke-env's actions (2,) of a joint code."""
    return DoublesEnv.order_to_action(to_order(code, battle), battle, fake=True)


def from_actions(actions: NDArray[np.int64], battle: DoubleBattle) -> int:
    """Return the joint code of poke-env's actions (2,).

    Raises:
        ValueError: As in `to_code`.
    """
    return to_code(DoublesEnv.action_to_order(actions, battle, fake=True), battle)


def to_selection(code: int) -> str:
    """Return the order of a code at team preview."""
    return _TEAM + "".join(str(member + 1) for member in SELECTIONS[code])


def from_selection(order: str) -> int:
    """Return the code of an order at team preview; the order within leads and back does not count.

    Raises:
        ValueError: It does not select four of six.
    """
    members = [int(digit) - 1 for digit in order.removeprefix(_TEAM)][:4]
    leads, back = sorted(members[:2]), sorted(members[2:])
    return SELECTIONS.index((*leads, *back))


def _slot_order(code: int, battle: DoubleBattle, slot: int) -> SingleBattleOrder:
    if code == PASS:
        return PassBattleOrder()  # type: ignore[no-untyped-call]
    if code >= SWITCH:
        return SingleBattleOrder(battle.team[_party(battle)[code - SWITCH]])
    active = battle.last_request["active"][slot]
    move_id = active["moves"][code // 10]["id"]
    user = battle.active_pokemon[slot]
    moves = {move.id: move for move in battle.available_moves[slot]}
    if user is not None:
        moves |= user.moves
    is_mega = any(key.startswith("canMegaEvo") for key in active)
    return SingleBattleOrder(
        moves[move_id] if move_id in moves else Move(move_id, battle.gen),
        move_target=TARGETS[code % 5],
        mega=is_gimmick(code) and is_mega,
        terastallize=is_gimmick(code) and not is_mega,
    )


def _slot_code(order: SingleBattleOrder, battle: DoubleBattle, slot: int) -> int:
    if isinstance(order, PassBattleOrder):
        return PASS
    if isinstance(order.order, Pokemon):
        party = [battle.team[ident] for ident in _party(battle)]
        return SWITCH + next(i for i, member in enumerate(party) if member is order.order)
    if not isinstance(order.order, Move):
        raise ValueError(f"{order.message} has no code")
    listed = [move["id"] for move in battle.last_request["active"][slot]["moves"]]
    target = TARGETS.index(order.move_target)
    return listed.index(order.order.id) * 10 + 5 * (order.mega or order.terastallize) + target


def _party(battle: DoubleBattle) -> list[str]:
    """Return the identifiers of the selected members, in the order of the request."""
    members: list[dict[str, Any]] = battle.last_request["side"]["pokemon"]
    return [member["ident"] for member in members[:4]]
