"""Sum what is paid between two looks at a game, and say what for."""

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
    counts: dict[tuple[str, str], int] = field(default_factory=dict)
    """Payments by component and place, of those that are counted."""

    def add(self, breakdown: RewardBreakdown, place: str) -> None:
        """Add a step's payments, made at `place`."""
        for name, value in breakdown.components:
            self.sums[name] = self.sums.get(name, 0.0) + value
            if value and name in _COUNTED:
                self.counts[name, place] = self.counts.get((name, place), 0) + 1
        self.causes += breakdown.causes
        self.payers += breakdown.payers

    def take(self) -> RewardBreakdown:
        """Return all of it, and begin anew."""
        for (name, place), count in self.counts.items():
            one, several = _COUNTED[name]
            self.causes.append(f"{count:,} {one if count == 1 else several} in {place}")
            self.payers.append(name)
        taken = RewardBreakdown(tuple(self.sums.items()), tuple(self.causes), tuple(self.payers))
        self.sums, self.causes, self.payers, self.counts = {}, [], [], {}
        return taken
