"""Notice a whiteout: what RAM shows of it, step by step."""

from engine.types import GameState, MapId


class DefeatWatch:
    """Notice a whiteout: all creatures fainted, then the party well again elsewhere or poorer.

    A lost battle that may be lost looks alike up to its end, but costs no money and leads nowhere
    (emulator.md, "Reading the game").
    """

    def __init__(self) -> None:
        self._beaten: list[int] | None = None

    def reset(self) -> None:
        """Nothing is lost."""
        self._beaten = None

    def update(self, state: GameState) -> bool:
        """Return True in the step in which the player is free again after a whiteout."""
        battle = state.battle
        if battle is not None:
            if battle.own is not None:
                is_beaten = battle.own.hp == 0 and not _others_alive(state)
                place = state.place.map
                self._beaten = [state.money, place.group, place.number] if is_beaten else None
            return False
        if self._beaten is None or not state.control.is_free:
            return False
        money, group, number = self._beaten
        self._beaten = None
        return state.money < money or state.place.map != MapId(group, number)

    def save(self) -> list[int] | None:
        """Return what is watched for, JSON-able."""
        return self._beaten

    def restore(self, saved: list[int] | None) -> None:
        """Put back what `save` returned."""
        self._beaten = saved


def _others_alive(state: GameState) -> bool:
    """Return whether a creature beside the one in battle can fight.

    The party's copy of the fighting creature's health lags to the turn's end, so creatures that
    look alike are taken for the one in battle.
    """
    own = state.battle.own if state.battle else None
    if own is None:
        return True
    return any(
        creature.hp > 0 and (creature.species, creature.level) != (own.species, own.level)
        for creature in state.party
    )
