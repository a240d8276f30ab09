"""Battle pictures: PICS[key] is a Pic, for the twelve species and for people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from . import backs, fronts_hills, fronts_meadow, portraits
from .palettes import RGB

Pixels = tuple[str, ...]
FRONT_SIZE, BACK_SIZE = 56, 48


@dataclass(frozen=True, slots=True)
class Pic:
    """One creature or person in battle.

    Attributes:
        front: 56 strings of 56 characters '.123', empty if never seen from the front.
        back: 48 strings of 48 characters '.123', empty if never seen from behind.
        palette: 4 colours, RGB555 (0-31 a channel).
    """

    front: Pixels
    back: Pixels
    palette: tuple[RGB, RGB, RGB, RGB]


PAPER, INK = (31, 31, 29), (5, 4, 6)
SKIN = (31, 26, 20)

Drawing = Callable[[], Pixels]

# Drawings from the front and from behind, bright and dark colour.
SPECIES: dict[str, tuple[Drawing, Drawing, RGB, RGB]] = {
    "cindle": (fronts_meadow.cindle, backs.cindle, (31, 19, 7), (23, 7, 4)),
    "rillet": (fronts_meadow.rillet, backs.rillet, (14, 23, 31), (5, 12, 24)),
    "sprigot": (fronts_meadow.sprigot, backs.sprigot, (25, 27, 17), (8, 20, 9)),
    "mothlet": (fronts_meadow.mothlet, backs.mothlet, (25, 20, 31), (15, 8, 22)),
    "pebblit": (fronts_hills.pebblit, backs.pebblit, (24, 21, 17), (14, 11, 10)),
    "whiskit": (fronts_meadow.whiskit, backs.whiskit, (31, 24, 13), (20, 12, 6)),
    "flitjay": (fronts_hills.flitjay, backs.flitjay, (31, 23, 8), (7, 14, 27)),
    "grubbud": (fronts_meadow.grubbud, backs.grubbud, (20, 28, 10), (29, 11, 17)),
    "sparkit": (fronts_hills.sparkit, backs.sparkit, (31, 28, 13), (9, 11, 22)),
    "ghoulamp": (fronts_hills.ghoulamp, backs.ghoulamp, (21, 31, 15), (20, 10, 6)),
    "boulderam": (fronts_hills.boulderam, backs.boulderam, (24, 23, 21), (11, 14, 10)),
    "tidalynx": (fronts_hills.tidalynx, backs.tidalynx, (16, 28, 27), (4, 15, 21)),
}

# Drawing from the front and colour of the clothes.
PEOPLE: dict[str, tuple[Drawing, RGB]] = {
    "trainer_a": (portraits.trainer_a, (22, 14, 6)),
    "trainer_b": (portraits.trainer_b, (27, 9, 7)),
    "leader": (portraits.leader, (19, 9, 21)),
    "professor": (portraits.professor, (8, 18, 11)),
    "rival": (portraits.rival, (8, 14, 27)),
}

# Drawing from behind and colour of the clothes.
HEROES: dict[str, tuple[Drawing, RGB]] = {
    "hero_boy": (portraits.hero_boy, (7, 19, 10)),
    "hero_girl": (portraits.hero_girl, (28, 10, 7)),
}


def _pics() -> dict[str, Pic]:
    pics: dict[str, Pic] = {}
    for name, (front, back, bright, dark) in SPECIES.items():
        pics[name] = Pic(front(), back(), (PAPER, bright, dark, INK))
    for name, (front, cloth) in PEOPLE.items():
        pics[name] = Pic(front(), (), (PAPER, SKIN, cloth, INK))
    for name, (back, cloth) in HEROES.items():
        pics[name] = Pic((), back(), (PAPER, SKIN, cloth, INK))
    return pics


PICS: dict[str, Pic] = _pics()
