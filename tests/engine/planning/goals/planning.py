"""Plan the practice game by a script, as a very good model would."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from engine.env.game_env import GameEnv
from engine.planning.goals.planned import PlannedAdvisor
from engine.planning.goals.queries import STORY
from engine.planning_types import GoalOption, GoalOutcome, PlannerUpdate, PlanningQuery, Subgoal
from engine.types import Advice, GoalKind

MODEL = "oracle"
ON = PlannerUpdate(
    is_on=True,
    model_share=1.0,
    holdout_fraction=0.0,
    fallback="none",
    goal_sources=("rules", MODEL),
)
REACH, MEET = GoalKind.REACH, GoalKind.MEET

Chooser = Callable[[PlanningQuery], GoalOption]


def plan_of(
    query: PlanningQuery, option: GoalOption, *, condition: int = 0, sure: float = 0.9
) -> Subgoal:
    return Subgoal(
        query.key, (MODEL,), option, option.conditions[condition], sure, "because it leads on"
    )


def pick(query: PlanningQuery, kind: GoalKind, words: str = "") -> GoalOption | None:
    """Return the first choice of a kind whose text has these words, the story's apart."""
    others = (c for c in query.options if c.target != STORY)
    return next((c for c in others if c.kind is kind and words in c.text), None)


def clever(query: PlanningQuery) -> GoalOption:
    """Choose what leads to the badge, from what the situation says."""
    text = {part.name: part.text for part in query.sections}
    if fight := pick(query, GoalKind.FIGHT):
        return fight
    has_creature = "no creature" not in text.get("party", "")
    if not has_creature:
        tried = sum(goal.startswith("Meet") for goal, _ in query.recent)
        people = [c for c in query.options if c.kind is MEET and c.target.startswith("person")]
        wanted = pick(query, REACH, "LAB")
        if text["place"].startswith("LAB"):
            return people[tried % len(people)]
        return wanted or query.options[-1]
    if rest := pick(query, GoalKind.HEAL):
        return rest
    if text["place"].startswith("GYM"):
        tried = len(query.recent)
        people = [c for c in query.options if c.kind is MEET and c.target.startswith("person")]
        return people[tried % len(people)]
    return pick(query, REACH, "GYM") or query.options[0]


class Played:
    """An episode that is planned by `choose`: what was asked, advised and judged."""

    def __init__(
        self,
        env: GameEnv,
        choose: Chooser = clever,
        update: PlannerUpdate = ON,
        seed: int = 0,
    ) -> None:
        self.env, self.choose, self.update = env, choose, update
        self.rng = np.random.default_rng(seed)
        self.situations: list[PlanningQuery] = []
        self.goal_outcomes: list[GoalOutcome] = []
        self.goal_sources: list[str] = []
        self.advisor = PlannedAdvisor(env.game, 0, seed)
        self.advisor.update_planner(update)
        env.reset(seed=seed)
        self.advisor.reset(env.state)

    def advise(self) -> Advice:
        advice = self.advisor.advise(self.env.state, self.env.action_mask())
        self.goal_outcomes += self.advisor.take_goal_outcomes()
        self.goal_sources.append(self.advisor.goal_source)
        if self.advisor.wants_plan:
            query = self.advisor.question()
            assert query is not None
            self.situations.append(query)
            plan = plan_of(query, self.choose(query))
            self.advisor.update_planner(replace(self.update, plans=(plan,)))
        return advice

    def step(self) -> bool:
        """Follow the advice, at random where there is none; return whether the game is won."""
        advice, mask = self.advise(), self.env.action_mask()
        noise = self.rng.random(len(mask)) * 1e-6
        return self.env.advance(int((np.where(mask, advice.prior, -1.0) + noise).argmax()))[1]

    def run(self, steps: int, until: str = "") -> "Played":
        for _ in range(steps):
            if self.step() or until in self.env.milestones:
                break
        return self
