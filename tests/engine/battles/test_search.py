from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from engine.battles.play.search import Analysis, SearchSettings, analyse, solve
from engine.battles.policy import NUM_WEIGHTS, Policy
from engine.battles.sim.actions import SELECTIONS, SLOT_CODES
from engine.battles.sim.observation import MON, MONS, MONS_PART
from engine.battles.sim.setup import NodeCommand
from engine.battles.sim.simulator import POLICY, Decisions, Lane, Simulator
from engine.battles.sim.teams import DEFAULT_FORMAT, FORMATS, Format

NOTHING = np.empty(0, np.int64)
EVEN = np.log(np.full(2, 0.5))
SETTINGS = SearchSettings(samples=2, seconds=0.0, candidates=3, answers=2, least_share=1e-6)
NAMES = ("Pikachu", "Zoroark", "Snorlax", "Ditto", "Eevee", "Gengar")
PROTECT = 2 * SLOT_CODES + 2
"""Both use their first move."""
LEADS, OTHER_BACK, DISGUISED = (
    SELECTIONS.index(party) for party in ((0, 5, 1, 2), (0, 5, 3, 4), (0, 1, 2, 5))
)
"""Pikachu and Gengar, or who looks as Gengar."""


@pytest.fixture(scope="module")
def battles(showdown: NodeCommand) -> Iterator[Simulator]:
    with Simulator((), showdown) as found:
        yield found


def team(evs: str = "", nature: str = "", ivs: str = "") -> str:
    """Return a packed team whose members show nothing but their speed when they use Protect."""
    abilities = ["illusion" if name == "Zoroark" else "cursedbody" for name in NAMES]
    return "]".join(
        f"{name}|||{ability}|protect,shadowball|{nature}|{evs}||{ivs}||50|"
        for name, ability in zip(NAMES, abilities, strict=True)
    )


def random_policy() -> Policy:
    return Policy(np.random.default_rng(0).normal(0, 0.1, NUM_WEIGHTS).astype(np.float32))


def analysed(simulator: Simulator, asked: Decisions, also: Sequence[int] = ()) -> Analysis:
    """Return what p1's decision is worth."""
    rng = np.random.default_rng(1)
    return analyse(simulator, random_policy(), asked, 0, SETTINGS, rng, also)


def begin(simulator: Simulator, foe: str = "", format: Format = DEFAULT_FORMAT) -> Decisions:
    """Return the selections of a new battle, in which p1 is faster."""
    fast = team(evs=f",,,,,{32 if format.gimmick == 'mega' else 252}")
    plan = Lane(format.id, (fast, foe or team()), (POLICY, POLICY), seed=3)
    simulator.configure([plan])
    return simulator.step(NOTHING, NOTHING)


def analyses(
    simulator: Simulator, foe: str, format: Format, selection: int
) -> list[tuple[Analysis, tuple[str, ...]]]:
    """Return p1's analyses, and what was shown, at team preview and in the first two turns."""
    asked, found = begin(simulator, foe, format), []
    for codes in ((LEADS, selection), (PROTECT, PROTECT), ()):
        found.append((analysed(simulator, asked), simulator.inspect(0)))
        asked = simulator.step(asked.seats[: len(codes)], np.array(codes, int))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("format", [FORMATS[0], FORMATS[-1]], ids=lambda each: each.id)
def test_battles_that_differ_in_what_is_hidden_have_equal_analyses(battles, format):
    has_public_nature = format.gimmick == "mega"
    effort = team(evs="32,,32,,2," if has_public_nature else "252,,252,,4,")
    nature = team(nature="" if has_public_nature else "Impish")
    plain = analyses(battles, team(), format, LEADS)
    assert len({found.value for found, _ in plain}) == 3
    assert all(found.answers for found, _ in plain)
    for foe, selection in (
        (effort, LEADS),
        (nature, LEADS),
        (team(ivs="0,0,0,0,0,31"), LEADS),
        (team(), OTHER_BACK),
        (team(), DISGUISED),
    ):
        assert analyses(battles, foe, format, selection) == plain


def seen_stats(simulator: Simulator, name: str) -> set[float]:
    """Return the values of a stat of the foe's second Pokémon, Gengar, in copies."""
    mons = simulator.fork(0, 20, 7).observations[:, MONS_PART].reshape(20, *MONS)
    return set(np.round(200 * mons[:, 1, MON.index(name)]).tolist())


@pytest.mark.parametrize(("evs", "speed"), [("2,,,32,,32", 162), ("32,,2,32,,", 130)])
def test_speed_is_inferred_from_who_was_first(battles, evs, speed):
    own, foe = team(evs=",,,,,16"), team(evs=evs)
    battles.configure([Lane(FORMATS[-1].id, (own, foe), (POLICY, POLICY), seed=3)])
    asked = battles.step(NOTHING, NOTHING)
    asked = battles.step(asked.seats, np.array([LEADS, LEADS]))
    assert seen_stats(battles, "stat_spe") == {130, 162}
    battles.step(asked.seats, np.array([PROTECT, PROTECT]))
    assert seen_stats(battles, "stat_spe") == {speed}


@pytest.mark.parametrize(("evs", "hp"), [("2,,,32,,32", 137), ("32,,2,32,,", 167)])
def test_bulk_is_inferred_from_damage(battles, evs, hp):
    fast = team(evs=",,,,,32", nature="Timid")
    battles.configure([Lane(FORMATS[-1].id, (fast, team(evs=evs)), (POLICY, POLICY), seed=3)])
    asked = battles.step(NOTHING, NOTHING)
    asked = battles.step(asked.seats, np.array([LEADS, LEADS]))
    assert len(seen_stats(battles, "stat_hp")) == 2
    attack = 14 * SLOT_CODES + 2  # Pikachu's Shadow Ball at Gengar, which attacks its ally
    battles.step(asked.seats, np.array([attack, 2 * SLOT_CODES + 11]))
    assert seen_stats(battles, "stat_hp") == {hp}


def test_search_tries_forced_choices_and_sums_shares_to_one(battles):
    asked = begin(battles)
    codes = {option.code for option in analysed(battles, asked).options}
    missing = next(code for code in range(len(SELECTIONS)) if code not in codes)
    found = analysed(battles, asked, also=(missing,))
    assert {option.code for option in found.options} == codes | {missing}
    assert found.value == found.options[0].value
    for side in (found.options, found.answers):
        assert sum(option.share for option in side) == pytest.approx(1)
        assert [option.share for option in side] == sorted((o.share for o in side), reverse=True)


def test_copies_are_as_many_as_there_is_time_for_and_at_least_one(battles):
    begin(battles)
    assert len(battles.fork(0, 5, seed=1, seconds=1e-9).results) == 1
    assert len(battles.fork(0, 5, seed=1).results) == 5
    plays = np.array([(copy, own, 0) for copy in range(5) for own in range(3)])
    assert len(battles.roll(0, plays, seconds=1e-9).results) == 3
    first, second = battles.roll(0, plays), battles.roll(0, plays)
    assert len(first.results) == 15
    np.testing.assert_array_equal(first.observations, second.observations)


def test_matching_pennies_is_played_evenly():
    table = np.array([[1.0, -1.0], [-1.0, 1.0]])
    for caution in (0.0, 0.3, 1.0):
        rows, columns = solve(table, EVEN, EVEN, SearchSettings(foe_caution=caution))
        np.testing.assert_allclose((rows, columns), 0.5, atol=1e-6)


def test_a_careful_side_expects_the_best_answer_and_a_trusting_one_the_likely_one():
    table = np.array([[0.9, -0.9], [0.1, 0.0]])  # a gamble, and what is safe
    likely = np.log([0.9, 0.1])
    trusting, _ = solve(table, EVEN, likely, SearchSettings(foe_caution=0.0))
    careful, answer = solve(table, EVEN, likely, SearchSettings(foe_caution=1.0))
    assert trusting[0] > 0.9
    assert careful[1] > careful[0]
    assert answer[1] > 0.1


def test_without_differences_the_priors_decide():
    prior = np.log([0.7, 0.3])
    rows, columns = solve(np.zeros((2, 2)), prior, prior, SearchSettings())
    np.testing.assert_allclose((rows, columns), [(0.7, 0.3)] * 2)
