"""Answer a planner's questions as a model would, from the prompt's text alone.

Three characters for the practice game: one who knows it, one who picks at random, and one who
always sends the wrong way.
"""

import json
import random
import re
from collections import deque
from collections.abc import Mapping
from typing import Any, Literal

from engine.planning.goals.queries import STORY
from engine.planning_types import Condition
from engine.types import GoalKind

Character = Literal["oracle", "random", "liar"]

_WORLD: Mapping[str, tuple[str, ...]] = {
    "HOME 2F": ("HOME 1F",),
    "HOME 1F": ("HOME 2F", "FERNWICK"),
    "FERNWICK": ("HOME 1F", "LAB", "WREN HOUSE", "MILLBROOK PATH"),
    "LAB": ("FERNWICK",),
    "WREN HOUSE": ("FERNWICK",),
    "MILLBROOK PATH": ("FERNWICK", "STONEHOLLOW"),
    "STONEHOLLOW": ("MILLBROOK PATH", "CENTER", "GYM", "SHOP", "MASON HOUSE", "GATEHOUSE"),
    "CENTER": ("STONEHOLLOW",),
    "SHOP": ("STONEHOLLOW",),
    "GYM": ("STONEHOLLOW",),
    "MASON HOUSE": ("STONEHOLLOW",),
    "GATEHOUSE": ("STONEHOLLOW", "GLIMMER ROAD"),
    "GLIMMER ROAD": ("GATEHOUSE", "DRIPSTONE 1F", "REEDMERE"),
    "DRIPSTONE 1F": ("GLIMMER ROAD", "DRIPSTONE B1F"),
    "DRIPSTONE B1F": ("DRIPSTONE 1F",),
    "REEDMERE": (
        "GLIMMER ROAD",
        "REED CENTER",
        "REED GYM",
        "CUTTER HOUSE",
        "WARDEN HUT",
        "MOSS ISLE",
    ),
    "REED CENTER": ("REEDMERE",),
    "REED GYM": ("REEDMERE",),
    "CUTTER HOUSE": ("REEDMERE",),
    "WARDEN HUT": ("REEDMERE",),
    "MOSS ISLE": ("REEDMERE",),
}
"""What every player of the game knows: which place is beside which."""

_NEXT: Mapping[str, tuple[str, str]] = {
    "Go downstairs": ("HOME 1F", ""),
    "Leave the house": ("FERNWICK", ""),
    "Enter Dr. Alder's laboratory": ("LAB", ""),
    "Choose a creature": ("LAB", "(7,4)"),
    "Set out on Millbrook Path": ("MILLBROOK PATH", ""),
    "Reach Stonehollow": ("STONEHOLLOW", ""),
    "Enter the gym": ("GYM", ""),
    "Beat Moe, the first pupil": ("GYM", "(2,9)"),
    "Beat Ida, the second pupil": ("GYM", "(7,6)"),
    "Win the Cobble Badge": ("GYM", "(4,2)"),
}
"""Next milestone -> the place where it is reached, and the tile of who is to be met there."""

_WEAK = 0.4
_CHOICE = re.compile(r"^- (?P<name>[^:]+): (?P<text>.*)$")
_BARE = re.compile(r"^(?:Other choices|Choices): (.+)$")
_CONDITIONS: Mapping[GoalKind, Condition] = {
    GoalKind.EXPLORE: Condition.NEW_TILES,
    GoalKind.REACH: Condition.ENTERED,
    GoalKind.MEET: Condition.ANSWERED,
    GoalKind.HEAL: Condition.HEALED,
    GoalKind.TRAIN: Condition.LEVEL_GAINED,
    GoalKind.CATCH: Condition.CAUGHT,
    GoalKind.FIGHT: Condition.BATTLE_WON,
    GoalKind.RUN: Condition.BATTLE_LEFT,
}
_HEALTH = re.compile(r"L\d+ (\d+)/(\d+)")


class ScriptedPlanner:
    """Answers chat requests in the form that their schema asks for.

    Args:
        character: Who answers.
        seed: Of what is picked by chance.
    """

    def __init__(self, character: Character, seed: int = 0) -> None:
        self._character = character
        self._rng = random.Random(seed)

    def __call__(self, request: dict[str, Any]) -> str:
        """Return the answer to the body of an Ollama chat request."""
        prompt = str(request["messages"][-1]["content"])
        action_batch = _choices(prompt)
        if not action_batch:
            return _anything(request.get("format") or {})
        best = _best(prompt, action_batch)
        match self._character:
            case "oracle":
                picked = best
            case "random":
                picked = self._rng.choice(list(action_batch))
            case "liar":
                picked = self._rng.choice(_wrong(prompt, action_batch, best))
        return json.dumps(
            {
                "choice": picked,
                "success": Condition.MILESTONE
                if picked.endswith(STORY)
                else _CONDITIONS[GoalKind(picked.split()[0])],
                "confidence": 85,
                "reasoning": f"As the {self._character} I would {picked}.",
            }
        )


def _anything(schema: Mapping[str, Any]) -> str:
    """Return an answer to what is no question of a planner."""
    simple = {"string": "Why not.", "integer": 50}
    return json.dumps(
        {
            name: part.get("enum", [simple.get(part.get("type", ""))])[0]
            for name, part in schema.get("properties", {}).items()
        }
    )


def _choices(prompt: str) -> dict[str, str]:
    """Return text by name of what can be chosen."""
    found: dict[str, str] = {}
    _, title, listed = prompt.rpartition("\nChoices:")
    for line in f"Choices:{listed}".splitlines() if title else ():
        if match := _CHOICE.match(line):
            found[match["name"]] = match["text"]
        elif match := _BARE.match(line):
            found |= dict.fromkeys(match[1].split("; "), "")
    return found


def _best(prompt: str, action_batch: Mapping[str, str]) -> str:
    """Return what leads to the next milestone."""
    if "fight" in action_batch:
        return "fight"
    if _is_weak(prompt) and "heal" in action_batch:
        return "heal"
    story = [name for name in action_batch if name.endswith(STORY)]
    if story:
        return story[0]
    place, tile = _NEXT.get(_milestone(prompt), ("", ""))
    if _place(prompt) == place and tile:
        people = (name for name, text in action_batch.items() if text.startswith(f"{tile},"))
        return _first(action_batch, *people, "explore")
    for goal in (place, _step_towards(_place(prompt), place)):
        for name, text in action_batch.items():
            if name == f"reach {goal}" or (name.startswith("reach") and f"to {goal}," in text):
                return name
    return _first(action_batch, "explore")


def _first(action_batch: Mapping[str, str], *names: str) -> str:
    """Return the first name that can be chosen, or whatever can be."""
    return next((name for name in names if name in action_batch), next(iter(action_batch)))


def _wrong(prompt: str, action_batch: Mapping[str, str], best: str) -> list[str]:
    """Return what leads nowhere: places that lie another way, else anything but the best."""
    action_batch = {name: text for name, text in action_batch.items() if not name.endswith(STORY)}
    here = _place(prompt)
    place, _ = _NEXT.get(_milestone(prompt), ("", ""))
    right = {place, _step_towards(here, place)} - {here}
    astray = [
        name
        for name, text in action_batch.items()
        if name.startswith("reach ")
        and not any(goal in f"{name} {text}" for goal in right if goal)
        and _step_towards(here, name.removeprefix("reach ")) not in right
    ]
    others = [name for name in action_batch if name != best and not name.startswith("reach")]
    return astray or others or list(action_batch)


def _step_towards(here: str, there: str) -> str:
    """Return the place beside `here` on the way; "" if there is none."""
    before: dict[str, str] = {there: ""}
    queue = deque([there])
    while queue:
        place = queue.popleft()
        for beside in _WORLD.get(place, ()):
            if beside not in before:
                before[beside] = place
                queue.append(beside)
    return before.get(here, "")


def _place(prompt: str) -> str:
    """Return the place that the text begins with."""
    lines = [line for line in prompt.splitlines() if " (" in line]
    names = [line.partition(" (")[0] for line in lines]
    return next((name for name in names if name in _WORLD), "")


def _milestone(prompt: str) -> str:
    listed = prompt.partition("Next milestone: ")[2]
    return next((text for text in _NEXT if listed.startswith(text)), "")


def _is_weak(prompt: str) -> bool:
    party = prompt.partition("Party:\n")[2]
    match = _HEALTH.search(party.partition("\n")[0])
    return match is not None and int(match[1]) < _WEAK * int(match[2])
