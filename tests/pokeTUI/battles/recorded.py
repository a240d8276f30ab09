"""Battles that were played once in the simulator, as a viewer gets them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.battles.play.spectating import with_names
from engine.battles.sim.observation import SIZE
from engine.events import BattleDecision, BattleShown, BattleWanted
from pokeTUI.battles.playback import Playback, extended

FOLDER = Path(__file__).parent / "recorded"
TERA, MEGA = "gen9vgc2023regc", "gen9championsvgc2026regma"
NAMES = ("policy", "heuristics")


@dataclass(frozen=True)
class Recorded:
    lines: tuple[str, ...]
    types: Mapping[str, tuple[str, ...]]
    asked: tuple[Mapping[str, Any], ...]
    """What p1 had to decide: place, request, legal, code."""

    def playback(self, own: int = 0) -> Playback:
        return extended(Playback(own), self.lines, self.types)

    def decisions(self) -> tuple[BattleDecision, ...]:
        """Return its decisions, as if a policy had been fairly sure of them."""
        return tuple(
            BattleDecision(
                one["place"], json.dumps(one["request"]), self._options(one), 0.2, one["code"]
            )
            for one in self.asked
        )

    def shown(self, name: str = "one", lines: int | None = None, **options: Any) -> BattleShown:
        part = self.lines if lines is None else self.lines[:lines]
        decisions = [one for one in self.decisions() if one.place <= len(part)]
        return BattleShown(name, 0, part, self.types, tuple(decisions), **options)

    def wanted(self, number: int) -> BattleWanted:
        one = self.asked[number]
        return BattleWanted(
            one["place"], json.dumps(one["request"]), legal_of(one), np.zeros(SIZE, np.float32)
        )

    def _options(self, one: Mapping[str, Any]) -> tuple[tuple[int, float], ...]:
        is_preview = "teamPreview" in one["request"]
        others = (0, 1, 2, 3) if is_preview else (2022, 123, 1979, 619)
        return ((one["code"], 0.55), *((code, 0.1) for code in others if code != one["code"]))


def legal_of(asked: Mapping[str, Any]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    return np.array([sign == "1" for sign in asked["legal"]])


def recorded(name: str) -> Recorded:
    found = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    types = {species: tuple(types) for species, types in found["types"].items()}
    return Recorded(with_names(found["lines"], NAMES), types, tuple(found["asked"]))


def commander_lines() -> list[str]:
    return (FOLDER / "commander.log").read_text("utf-8").splitlines()
