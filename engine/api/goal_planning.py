"""Say what is to be done in a game: the rule planner, for who has no environment at hand."""

import numpy as np

from engine.games.base import Game
from engine.strategy.advisor import RuleAdvisor
from engine.types import Advice, GameState, Goal


class GoalOrientedPlanner:
    """Plan from one state of a game to the next.

    Attributes:
        current_goal: Of the last plan, None before the first.

    Args:
        game: What is played; `env.game`.
    """

    def __init__(self, game: Game) -> None:
        self.current_goal: Goal | None = None
        self._advisor = RuleAdvisor(game)
        self._num_actions = len(game.actions)

    def reset(self, state: GameState) -> None:
        """Start an episode at `state`."""
        self.current_goal = None
        self._advisor.reset(state)

    def plan(self, state: GameState) -> Advice:
        """Return the goal and which actions serve it; call it once a step, for it remembers."""
        advice = self._advisor.advise(state, np.ones(self._num_actions, np.bool_))
        self.current_goal = advice.goal
        return advice

    def next_goals(self, state: GameState) -> tuple[Goal, ...]:
        """Return the goals from here to the end of what is known, in order."""
        return self._advisor.open_goals(state)
