"""Let the planner's rules lead through a game."""

from collections.abc import Callable, Iterator

from engine.env.game_env import GameEnv
from engine.planning.rules.advisor import RuleAdvisor
from engine.types import Action, Advice, GameState


def rules_of(env: GameEnv) -> RuleAdvisor:
    """Return rules that begin where the game is now."""
    advisor = RuleAdvisor(env.game)
    advisor.reset(env.state)
    return advisor


def action_of(advice: Advice) -> int:
    """Return what is advised, B where nothing is."""
    return int(advice.prior.argmax() if advice.prior.any() else Action.B)


def led(env: GameEnv, steps: int, seed: int = 0) -> Iterator[Advice]:
    """Reset and play by the rules; yield what they want in each state, before it is done."""
    env.reset(seed=seed)
    advisor = rules_of(env)
    for _ in range(steps):
        advice = advisor.advise(env.state, env.action_mask())
        yield advice
        if any(env.advance(action_of(advice))[1:]):
            return


def lead_until(env: GameEnv, is_there: Callable[[GameState], bool], limit: int = 400) -> GameState:
    """Play on by the rules until a state is as wanted; return it."""
    advisor = rules_of(env)
    for _ in range(limit):
        if is_there(env.state):
            return env.state
        env.advance(action_of(advisor.advise(env.state, env.action_mask())))
    raise AssertionError(f"not in {limit} steps: {env.state.place}, {env.state.screen_text}")
