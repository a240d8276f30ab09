"""Measure whether learning from a set's earlier games wins more of them.

`python -m tests.benchmarks.set_adaptation POLICY [--format FORMAT] [--sets N] [--seed N]`

The foe, which has the same policy, draws a selection and repeats it in all games of a set. Game 1
is played once; the rest of the set then once by each way to select: the policy's likeliest
selection, the answer to what the policy predicts, and the answer to that and to the earlier games.
"""

import argparse
from pathlib import Path

import numpy as np

from engine.battles.play import sets
from engine.battles.policy import Policy
from engine.battles.sim.actions import PREVIEW_CODES
from engine.battles.sim.setup import find_simulator
from engine.battles.sim.simulator import NOBODY, POLICY, Lane, Simulator
from engine.battles.sim.teams import DEFAULT_FORMAT, Format, find_format, pool
from engine.planning.history.patterns import success_interval

WAYS = ("policy", "prediction", "earlier games")


class Sets:
    """Sets of one policy against itself."""

    def __init__(self, policy: Policy, format: Format, simulator: Simulator, seed: int) -> None:
        self._policy = policy
        self._format = format
        self._simulator = simulator
        self._rng = np.random.default_rng(seed)
        self._teams = [team.packed for team in pool(format)]

    def play(self) -> list[list[int]]:
        """Play a set; return the results of its games for each way."""
        rng = self._rng
        teams = tuple(str(one) for one in rng.choice(self._teams, 2))
        seeds = rng.integers(1 << 31, size=3).tolist()
        foe = int(rng.integers(PREVIEW_CODES))
        first, shown = self._game(teams, seeds[0], foe, WAYS[0], [])
        results = []
        for way in WAYS:
            games, seen = [first], [shown]
            while abs(sum(games)) < 2 and len(games) < 3:
                result, shown_now = self._game(teams, seeds[len(games)], foe, way, seen)
                games.append(result)
                seen.append(shown_now)
            results.append(games)
        return results

    def _game(
        self, teams: tuple[str, ...], seed: int, foe: int, way: str, seen: list[sets.Shown]
    ) -> tuple[int, sets.Shown]:
        lane = Lane(self._format.id, (teams[0], teams[1]), (POLICY, POLICY), seed, limit=1)
        self._simulator.configure([lane])
        waiting = self._simulator.step(NOBODY, NOBODY)
        rng = np.random.default_rng(seed)
        while len(waiting.seats):
            codes, _, _ = self._policy.act(
                waiting.observations, waiting.legal, waiting.is_preview, rng, True
            )
            for row in np.flatnonzero(waiting.is_preview):
                if waiting.seats[row] == 1:
                    codes[row] = foe
                elif way != WAYS[0]:
                    known = seen if way == WAYS[2] else []
                    seen_by_it = waiting.observations[row], waiting.legal[row]
                    codes[row] = sets.choose_selection(
                        self._simulator, self._policy, 0, *seen_by_it, known, rng
                    )
            waiting = self._simulator.step(waiting.seats, codes)
        result = next(int(one["result"]) for one in waiting.ended if one["seat"] == 0)
        (log,) = self._simulator.logs()
        shown = sets.shown_selection(self._simulator.replay(log.input_log).lines, 1)
        assert shown is not None
        return result, shown


def main() -> None:
    """Play, and print the shares of sets and of later games that each way won."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("policy", type=Path)
    parser.add_argument("--format", default=DEFAULT_FORMAT.id)
    parser.add_argument("--sets", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    with Simulator((), find_simulator()) as simulator:
        played = Sets(Policy.load(args.policy), find_format(args.format), simulator, args.seed)
        found: list[list[list[int]]] = []
        for number in range(1, args.sets + 1):
            found.append(played.play())
            if number % 20 == 0 or number == args.sets:
                report(found)


def report(found: list[list[list[int]]]) -> None:
    """Print what was won so far, a set and a game that is tied counting half."""
    print(f"{len(found)} sets")
    for way, name in enumerate(WAYS):
        wins = [(np.sign(sum(one[way])) + 1) / 2 for one in found]
        later = [(result + 1) / 2 for one in found for result in one[way][1:]]
        for what, values in (("sets", wins), ("later games", later)):
            low, high = success_interval(sum(values), len(values))
            print(f"  {name:<14} {what:<12} {np.mean(values):.3f} ({low:.3f} to {high:.3f})")


if __name__ == "__main__":
    main()
