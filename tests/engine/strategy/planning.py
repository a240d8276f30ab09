"""Plan the practice game by a script, as a very good model would."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from engine.env.crystal_env import EnhancedPyBoyPokemonCrystalEnv
from engine.plans import Choice, Directions, Plan, Situation, Verdict
from engine.strategy.planned import PlannedAdvisor
from engine.types import Advice, GoalKind

MODEL = "oracle"
ON = Directions(
    is_on=True, model_share=1.0, ignore_share=0.0, fallback="none", setters=("rules", MODEL)
)
REACH, MEET = GoalKind.REACH, GoalKind.MEET

Chooser = Callable[[Situation], Choice]


def plan_of(situation: Situation, choice: Choice, *, condition: int = 0, sure: float = 0.9) -> Plan:
    return Plan(
        situation.key, (MODEL,), choice, choice.conditions[condition], sure, "because it leads on"
    )


def pick(situation: Situation, kind: GoalKind, words: str = "") -> Choice | None:
    """Return the first choice of a kind whose text has these words."""
    return next((c for c in situation.choices if c.kind is kind and words in c.text), None)


def clever(situation: Situation) -> Choice:
    """Choose what leads to the badge, from what the situation says."""
    text = {part.name: part.text for part in situation.sections}
    if fight := pick(situation, GoalKind.FIGHT):
        return fight
    has_creature = "no creature" not in text.get("party", "")
    if not has_creature:
        tried = sum(goal.startswith("Meet") for goal, _ in situation.recent)
        people = [c for c in situation.choices if c.kind is MEET and c.target.startswith("person")]
        wanted = pick(situation, REACH, "LAB")
        if text["place"].startswith("LAB"):
            return people[tried % len(people)]
        return wanted or situation.choices[-1]
    if rest := pick(situation, GoalKind.HEAL):
        return rest
    if text["place"].startswith("GYM"):
        tried = len(situation.recent)
        people = [c for c in situation.choices if c.kind is MEET and c.target.startswith("person")]
        return people[tried % len(people)]
    return pick(situation, REACH, "GYM") or situation.choices[0]


class Played:
    """An episode that is planned by `choose`: what was asked, advised and judged."""

    def __init__(
        self,
        env: EnhancedPyBoyPokemonCrystalEnv,
        choose: Chooser = clever,
        directions: Directions = ON,
        seed: int = 0,
    ) -> None:
        self.env, self.choose, self.directions = env, choose, directions
        self.rng = np.random.default_rng(seed)
        self.situations: list[Situation] = []
        self.verdicts: list[Verdict] = []
        self.setters: list[str] = []
        self.advisor = PlannedAdvisor(env.profile, 0, seed)
        self.advisor.direct(directions)
        env.reset(seed=seed)
        self.advisor.reset(env.state)

    def advise(self) -> Advice:
        advice = self.advisor.advise(self.env.state, self.env.action_mask())
        self.verdicts += self.advisor.take_verdicts()
        self.setters.append(self.advisor.setter)
        if self.advisor.wants_plan:
            situation = self.advisor.question()
            assert situation is not None
            self.situations.append(situation)
            plan = plan_of(situation, self.choose(situation))
            self.advisor.direct(replace(self.directions, plans=(plan,)))
        return advice

    def step(self) -> bool:
        """Follow the advice, at random where there is none; tell whether the game is won."""
        advice, mask = self.advise(), self.env.action_mask()
        noise = self.rng.random(len(mask)) * 1e-6
        return self.env.advance(int((np.where(mask, advice.prior, -1.0) + noise).argmax()))[1]

    def run(self, steps: int, until: str = "") -> "Played":
        for _ in range(steps):
            if self.step() or until in self.env.milestones:
                break
        return self
