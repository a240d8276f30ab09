"""Remember how the hand-over went: moves between stages and switches of strategy."""

from dataclasses import dataclass

from engine.events import CurriculumChanged, StrategySwitched

MAX_MOVES = 100
WINDOW = 10
"""Episodes over which the curriculum takes its average."""


@dataclass(frozen=True, slots=True)
class Move:
    """The curriculum went to another stage, or another strategy leads.

    `episode` counts those before it, 0 if that is not known; back is towards the planner.
    """

    episode: int
    is_stage: bool
    is_back: bool
    text: str
    cause: str


_WEIGHT = {"rule_heavy": 0, "balanced": 1, "llm_heavy": 2}
"""How much the planner counts in each strategy."""


def stage_move(
    before: CurriculumChanged | None,
    after: CurriculumChanged,
    episode: int,
    returns: list[float],
) -> Move:
    """Return the move between two states of the curriculum, after `episode` episodes."""
    text = f"stage {after.stage}, {after.name}"
    if before is None:
        return Move(episode, True, False, text, "")
    is_back = after.stage < before.stage
    last = returns[-WINDOW:]
    average = sum(last) / max(1, len(last))
    if is_back:
        cause = f"stage {before.stage} did not hold"
        cause += f": {average:.1f} on average" if last else ""
    elif last and average >= before.threshold:
        cause = f"{average:.1f} on average, {before.threshold:g} needed"
    else:
        cause = f"stage {before.stage} is done"
    return Move(episode, True, is_back, text, cause)


def strategy_move(switch: StrategySwitched) -> Move:
    """Return the move that a switch of strategy is."""
    is_back = _WEIGHT.get(switch.new, 1) > _WEIGHT.get(switch.old, 1)
    return Move(switch.episode, False, is_back, switch.new, switch.cause)
