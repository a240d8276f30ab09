"""Build the Gymnasium observation: the one place where a dict is what is wanted."""

import string
from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from engine.config import FeatureKind
from engine.env.observation.facts import STATE_VARIABLES, state_numbers
from engine.env.observation.layout import layout_of
from engine.env.observation.pixels import pixels_shape
from engine.errors import ConfigurationError
from engine.games.base import Game
from engine.types import ActionSet, Facing, GameState, Spaces

ObservationType = Literal["multi_modal", "screen", "state"]

_MAX_TEXT = 400
_CHARACTERS = string.ascii_letters + string.digits + string.punctuation + " é♀♂×…“”¥▶▷▼·üöäÄÖÜ←→"
_KNOWN = frozenset(_CHARACTERS)
_FACING_WORDS = {facing: facing.name.lower() for facing in Facing}
_SCALES = tuple(STATE_VARIABLES.values())


def observation_space(
    kind: ObservationType, game: Game, features: FeatureKind = "goal"
) -> spaces.Dict:
    """Return the space of observations of a kind, of a game whose features are of that kind.

    Raises:
        ConfigurationError: There is no such kind.
    """
    kinds = get_args(ObservationType)
    if kind not in kinds:
        raise ConfigurationError(
            f"observation_type = {kind!r}.", f"Allowed values: {', '.join(map(repr, kinds))}."
        )
    parts: dict[str, spaces.Space[Any]] = {
        "action_mask": spaces.Box(0, 1, (len(game.actions),), np.int8)
    }
    if kind != "state":
        parts["screen"] = spaces.Box(0, 255, game.frame_shape, np.uint8)
    if kind != "screen":
        parts["state_variables"] = spaces.Box(-1.0, 1.0, (len(STATE_VARIABLES),), np.float32)
        parts["features"] = spaces.Box(*layout_of(game, features).bounds(), dtype=np.float32)
    if kind == "multi_modal":
        text = spaces.Text(_MAX_TEXT, min_length=0, charset=_CHARACTERS)
        parts["strategic_context"] = spaces.Dict(
            {
                "current_goal": text,
                "context_summary": text,
                "action_suggestions": spaces.Sequence(text),
            }
        )
    return spaces.Dict(parts)


def spaces_of_game(game: Game, features: FeatureKind = "goal") -> Spaces:
    """Return the sizes of what agents observe of a game, and of what they can do in it."""
    size = layout_of(game, features).size
    return Spaces(size, len(game.actions), pixels_shape(game.frame_shape))


def state_variables(state: GameState, potions: int) -> NDArray[np.float32]:
    """Return (25,) float32, none negative: `STATE_VARIABLES` divided as listed, clipped to 1."""
    numbers = zip(state_numbers(state, potions), _SCALES, strict=True)
    # Plain numbers: numpy takes five times as long for so few.
    shares = [number / scale for number, scale in numbers]
    if max(shares) > 1.0 or min(shares) < -1.0:
        shares = [max(-1.0, min(share, 1.0)) for share in shares]
    return np.array(shares, np.float32)


def strategic_context(
    state: GameState, goal: str, actions: ActionSet, blocked: dict[int, str]
) -> dict[str, Any]:
    """Return the documented texts: goal, summary of the situation, actions that are not masked.

    Only `multi_modal` asks for them, and it pays 5 us a step: less than it would be worth to have
    a mapping that fills itself when read, which copying, JSON and comparing would all have to know.
    """
    allowed = tuple(name for index, name in enumerate(actions.names) if index not in blocked)
    return {
        "current_goal": _plain(goal),
        "context_summary": _plain(summary(state)),
        "action_suggestions": tuple(map(_plain, allowed)),
    }


def summary(state: GameState) -> str:
    """Describe the situation in one line."""
    place = state.place
    parts = [f"{place.name} ({place.x}, {place.y}) facing {_FACING_WORDS[place.facing]}"]
    battle = state.battle
    if battle is not None:
        enemy = battle.enemy
        name = f"{enemy.name} L{enemy.level} {enemy.hp}/{enemy.max_hp}" if enemy else "someone"
        parts.append(f"in a {battle.kind} battle with {name}")
    party = ", ".join(f"{c.name} L{c.level} {c.hp}/{c.max_hp}" for c in state.party)
    parts.append(party or "no creature yet")
    if state.screen_text:
        parts.append("on screen: " + " / ".join(state.screen_text))
    return "; ".join(parts)


@lru_cache(64)  # goals and actions are the same for many steps
def _plain(text: str) -> str:
    """Keep `text` inside its space: known characters only, and not too many."""
    if not _KNOWN.issuperset(text):
        text = "".join([letter if letter in _KNOWN else "?" for letter in text])
    return text[:_MAX_TEXT]
