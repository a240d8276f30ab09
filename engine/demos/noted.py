"""Compare the events that a demonstration notes with those that happen when it is played again."""

from engine.demos.demonstration import GOAL, MAP, MILESTONE, Demonstration
from engine.env.game_env import GameEnv

Noted = tuple[str, str]
"""Kind and text of an event."""


class NotedEvents:
    """Follows a demonstration step by step, from its episode's beginning.

    What is compared: milestones, the goal, and the map, as far as it was noted. A mark or a note is
    a person's word.

    Args:
        demo: What is played.
        env: Where it is played, with the demonstration's own settings.
    """

    def __init__(self, demo: Demonstration, env: GameEnv) -> None:
        self._env = env
        self._begin = demo.begin
        self._noted: dict[int, set[Noted]] = {}
        for event in demo.events:
            if event.kind in (MILESTONE, GOAL):
                self._noted.setdefault(event.step, set()).add((event.kind, event.text))
        self._maps = [(event.step, event.text) for event in demo.events if event.kind == MAP]
        self._live_after = {each.after for each in demo.recording.segments[-1].live}
        self._known = env.milestones
        self._step = env.episode_steps
        self._found: set[Noted] = set()

    def difference(self, *, is_done: bool, is_live: bool = False) -> tuple[int, str]:
        """Take in a step, or some live play; return (step, how it differs), "" if it does not.

        What happened after a step is compared when the next one is taken: live play may follow.
        """
        env, found = self._env, (0, "")
        if env.episode_steps != self._step:
            found = self.end_difference()
            self._step, self._found = env.episode_steps, set()
        reached, self._known = env.milestones - self._known, env.milestones
        if is_live or env.episode_steps > self._begin.step:
            self._found |= {(MILESTONE, key) for key in reached}
            if is_done and env.is_success:
                self._found.add((GOAL, env.config.goal or "badge"))
        return found

    def end_difference(self) -> tuple[int, str]:
        """Return how what happened after the last step differs; to be asked before the next."""
        step, begin = self._step, self._begin
        # Of a stretch of live play in which it begins it is not known which half an event is of.
        if step < begin.step or (step == begin.step and begin.frames):
            return step, ""
        noted = self._noted.get(step, set())
        for each in sorted(noted ^ self._found):
            how = "noted, but not reached" if each in noted else "reached, but not noted"
            return step, f"the {' '.join(each).rstrip()} is {how}"
        return step, ""

    def map_difference(self) -> str:
        """Return how the map after a step differs, "" where it does not or nobody noted it."""
        step = self._env.episode_steps
        if step < self._begin.step or step in self._live_after:
            return ""
        noted = next((text for at, text in reversed(self._maps) if at <= step), "")
        name = self._env.state.place.name
        return f"it is on {name}, not on {noted}" if noted and noted != name else ""
