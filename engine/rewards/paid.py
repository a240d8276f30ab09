"""Sum what is paid between two looks at a game, and say what for."""

from collections import Counter
from dataclasses import dataclass, field

from engine.types import RewardBreakdown

_COUNTED = {
    "exploration": ("new tile", "new tiles"),
    "stuck": ("step on one tile", "steps on one tile"),
    "step": ("step", "steps"),
}
"""Components that note no cause, because they pay often: what each of their payments is for."""


@dataclass(slots=True)
class Paid:
    """Sums payments between two looks; only the game that is watched has one that is used."""

    sums: dict[str, float] = field(default_factory=dict)
    causes: list[str] = field(default_factory=list)
    payers: list[str] = field(default_factory=list)
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    """Payments by component and place, of those that are counted."""

    def add(self, breakdown: RewardBreakdown, place: str) -> None:
        """Add a step's payments, made at `place`."""
        for name, value in breakdown.components:
            self.sums[name] = self.sums.get(name, 0.0) + value
            if value and name in _COUNTED:
                self.counts.setdefault(name, Counter())[place] += 1
        self.causes += breakdown.causes
        self.payers += breakdown.payers

    def take(self) -> RewardBreakdown:
        """Return all of it, and begin anew."""
        for name, places in self.counts.items():
            one, several = _COUNTED[name]
            is_one = sum(places.values()) == 1
            noun = f" {one if is_one else several}"
            parts = []
            for place, count in places.items():
                parts.append(f"{count:,}{noun} in {place}")
                noun = ""  # once is enough
            self.causes.append(", ".join(parts))
            self.payers.append(name)
        taken = RewardBreakdown(tuple(self.sums.items()), tuple(self.causes), tuple(self.payers))
        self.sums, self.causes, self.payers, self.counts = {}, [], [], {}
        return taken
