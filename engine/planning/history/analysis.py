"""Analyse a situation from plain facts: the battle, the way onward, and both in a line."""

import hashlib
import json
from collections.abc import Collection, Mapping
from typing import Any

from engine.env.observation.facts import as_number, as_row, as_rows, checked_facts, state_facts
from engine.games.base import Game
from engine.types import Facing, GameState

_OF_THE_RUN = frozenset({"play_time", "goal", "milestones", "next_milestone"})
"""Facts that are no part of the game's situation."""

_WEAK, _HURT = 0.25, 0.5
"""Shares of health."""

_OUTCLASSED = -3
"""Levels below the enemy at which half of the health is not enough."""

_PARTY_SIZE = 6


class GameStateAnalysis:
    """Analyse what is known of a game state.

    Any fact may be missing or make no sense: it then counts as unknown. Other keys are ignored.

    Args:
        state_variables: Facts by name, as `GameStateAnalysis.of` gathers them:

            - The 25 of `engine.env.observation.facts.STATE_VARIABLES`, not scaled. All 25 together,
              none beyond ±1, are taken for those of an observation (`dict(zip(STATE_VARIABLES,
              observation["state_variables"]))`) and scaled back.
            - map_name, environment, next_milestone, goal: words.
            - screen_text, milestones: lists of words.
            - party: list of {name, level, hp, max_hp, status, moves: [{name, points}]}.
            - battle: {kind, own, enemy, moves}, None outside one; `own` and `enemy` like those of
              the party, `moves` the own ones with type, power, accuracy, effectiveness, strength.
            - exits: list of {x, y, to} or {side, to}.
    """

    def __init__(self, state_variables: Mapping[str, Any]) -> None:
        self._facts = checked_facts(state_variables)
        self._battle: dict[str, Any] = self._facts["battle"]
        self._party: list[dict[str, Any]] = self._facts.get("party", [])

    @classmethod
    def of(
        cls,
        state: GameState,
        game: Game | None = None,
        milestones: Collection[str] = (),
        goal: str = "",
    ) -> "GameStateAnalysis":
        """Analyse a state; see `engine.env.observation.facts.state_facts`."""
        return cls(state_facts(state, game, milestones, goal))

    @property
    def state_hash(self) -> int:
        """Return a number, 0 to 2**63 - 1, that is the same for the same facts in any process.

        Play time, goal and milestones do not count: they describe the run, not the situation.
        """
        kept = {name: fact for name, fact in self._facts.items() if name not in _OF_THE_RUN}
        text = json.dumps(kept, sort_keys=True)
        digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") >> 1

    def analyze_battle_state(self) -> dict[str, Any]:
        """Return how the battle stands; JSON-able, None for what is not known.

        Keys: in_battle, kind ("wild", "trainer"), own and enemy (names), own_health and
        enemy_health (shares), level_gap (own minus enemy), best_move (the strongest that has
        points: {name, effectiveness, ...}), danger ("low", "medium", "high") and suggestion (a few
        words, "" outside a battle).
        """
        is_fighting = bool(self._battle or self._facts.get("in_battle"))
        own, enemy = as_row(self._battle.get("own")), as_row(self._battle.get("enemy"))
        analysis: dict[str, Any] = {
            "in_battle": is_fighting,
            "kind": None,
            "own": own.get("name"),
            "enemy": enemy.get("name"),
            "own_health": _health(own),
            "enemy_health": _health(enemy),
            "level_gap": None,
            "best_move": _best_move(as_rows(self._battle.get("moves"))),
            "danger": None,
            "suggestion": "",
        }
        if not is_fighting:
            return analysis
        # Before both sides are out, the numbers are 0.
        if not self._battle and self._facts.get("enemy_level") != 0:
            for side in ("own", "enemy"):
                analysis[f"{side}_health"] = self._facts.get(f"{side}_hp")
        kind = self._battle.get("kind")
        if kind is None and "is_trainer_battle" in self._facts:
            kind = "trainer" if self._facts["is_trainer_battle"] else "wild"
        own_level = as_number(own.get("level")) or self._facts.get("lead_level")
        enemy_level = as_number(enemy.get("level")) or self._facts.get("enemy_level")
        if own_level and enemy_level:
            analysis["level_gap"] = own_level - enemy_level
        analysis["kind"] = kind
        analysis["danger"] = _danger(analysis["own_health"], analysis["level_gap"])
        analysis["suggestion"] = self._suggestion(analysis)
        return analysis

    def analyze_exploration_state(self) -> dict[str, Any]:
        """Return where the player is and what is missing; JSON-able, None for what is not known.

        Keys: map, position [x, y], facing, environment, is_free, waits_for ("battle", "menu",
        "text" or ""), exits, progress {badges, milestones (how many), next_milestone, caught,
        seen, money}, goal, needs (words such as "healing", "balls").
        """
        facts = self._facts
        has_position = "x" in facts and "y" in facts
        milestones = facts.get("milestones")
        progress = {
            **{name: facts.get(name) for name in ("badges", "caught", "seen", "money")},
            "milestones": None if milestones is None else len(milestones),
            "next_milestone": facts.get("next_milestone", ""),
        }
        return {
            "map": self._map(),
            "position": [facts["x"], facts["y"]] if has_position else None,
            "facing": self._facing(),
            "environment": facts.get("environment"),
            "is_free": bool(facts["is_free"]) if "is_free" in facts else None,
            "waits_for": self._waits_for(),
            "exits": facts.get("exits", []),
            "progress": progress,
            "goal": facts.get("goal", ""),
            "needs": self._needs(),
        }

    def get_summary(self) -> str:
        """Return the situation in one line: place, battle, party, needs, text on the screen."""
        parts = [self._where(), *self._fight(), self._team()]
        needs = self._needs()
        if needs and self._facts.get("party_size") and self._waits_for() != "battle":
            parts.append("needs " + ", ".join(needs))
        text = self._facts.get("screen_text")
        if text:
            parts.append("on screen: " + " / ".join(text))
        return "; ".join(part for part in parts if part)

    def _map(self) -> str | None:
        facts = self._facts
        number = None
        if "map_group" in facts and "map_number" in facts:
            number = f"map {facts['map_group']}.{facts['map_number']}"
        name: str | None = facts.get("map_name", number)
        return name

    def _facing(self) -> str | None:
        known = {int(facing): facing.name.lower() for facing in Facing}
        return known.get(int(self._facts.get("facing", -1)))

    def _waits_for(self) -> str:
        if self._battle or self._facts.get("in_battle"):
            return "battle"
        waits = (name for name in ("menu", "text") if self._facts.get(f"in_{name}"))
        return next(waits, "")

    def _needs(self) -> list[str]:
        facts, party = self._facts, self._party
        if not party and not facts.get("party_size"):
            return ["a first creature"] if "party_size" in facts else []
        needs = []
        if facts.get("party_health", 1.0) < _HURT or any(_is_spent(one) for one in party):
            needs.append("healing")
        elif any(one.get("status") for one in party):
            needs.append("a cure")
        if facts.get("balls") == 0:
            needs.append("balls")
        return needs

    def _suggestion(self, analysis: Mapping[str, Any]) -> str:
        own_health, enemy_health = analysis["own_health"], analysis["enemy_health"]
        is_wild = analysis["kind"] == "wild"
        facts = self._facts
        if own_health == 0:
            return "send another creature"
        if analysis["danger"] == "high" and (enemy_health is None or enemy_health > _WEAK):
            if is_wild:
                return "run"
            if facts.get("potions"):
                return "use a potion"
            if sum(bool(_health(one)) for one in self._party) > 1:
                return "send another creature"
        is_catchable = enemy_health is not None and 0 < enemy_health < _HURT
        has_room = facts.get("party_size", _PARTY_SIZE) < _PARTY_SIZE
        if is_wild and is_catchable and has_room and facts.get("balls"):
            return "throw a ball"
        move = analysis["best_move"]
        return f"use {move['name']}" if move else "fight"

    def _where(self) -> str:
        where = self._map() or "somewhere"
        facts, facing = self._facts, self._facing()
        if "x" in facts and "y" in facts:
            where += f" ({facts['x']}, {facts['y']})"
        return f"{where} facing {facing}" if facing else where

    def _fight(self) -> list[str]:
        analysis = self.analyze_battle_state()
        if not analysis["in_battle"]:
            return []
        enemy = as_row(self._battle.get("enemy"))
        kind = f"{analysis['kind']} battle" if analysis["kind"] else "battle"
        return [f"in a {kind} with {_named(enemy) or 'someone'}"]

    def _team(self) -> str:
        party = [named for one in self._party if (named := _named(one))]
        size = self._facts.get("party_size")
        if party:
            return ", ".join(party)
        if not size:
            return "no creature yet" if size == 0 else ""
        health = self._facts.get("party_health", 1.0)
        return f"party of {size} at {health:.0%}"


def _danger(own_health: float | None, level_gap: float | None) -> str | None:
    if own_health is None:
        return None
    is_outclassed = level_gap is not None and level_gap <= _OUTCLASSED
    if own_health < _WEAK or (own_health < _HURT and is_outclassed):
        return "high"
    return "medium" if own_health < _HURT or is_outclassed else "low"


def _best_move(moves: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the strongest move that may be chosen; by its place where no figures are given."""
    usable = [move for move in moves if as_number(move.get("points")) != 0 and "name" in move]
    return max(usable, key=lambda move: as_number(move.get("strength")) or 0.0, default=None)


def _health(creature: Mapping[str, Any]) -> float | None:
    hp, max_hp = as_number(creature.get("hp")), as_number(creature.get("max_hp"))
    return None if hp is None or not max_hp else min(hp / max_hp, 1.0)


def _is_spent(creature: Mapping[str, Any]) -> bool:
    """Return whether a creature can fight no more: no health, or no points of any move."""
    points = [as_number(move.get("points")) for move in as_rows(creature.get("moves"))]
    return _health(creature) == 0 or (bool(points) and not any(points))


def _named(creature: Mapping[str, Any]) -> str:
    """Return name, level and health in words, as far as they are known."""
    parts = [str(creature.get("name", ""))]
    if as_number(creature.get("level")) is not None:
        parts.append(f"L{creature['level']}")
    if _health(creature) is not None:
        parts.append(f"{creature['hp']}/{creature['max_hp']}")
    return " ".join(part for part in parts if part)
