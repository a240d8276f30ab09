import random
from collections.abc import Iterator
from contextlib import contextmanager

from tests.benchmarks.faults.fault import Fault, Lost, Skipped, Strike, try_out
from tests.benchmarks.faults.registry import FAULTS
from tests.benchmarks.faults.workshop import Workshop, workshop


def fault_of(name: str) -> Fault:
    (fault,) = (fault for fault in FAULTS if fault.name == name)
    return fault


def test_faults_have_names_of_their_own_and_are_a_thousand() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    assert sum(fault.times for fault in FAULTS) >= 1000


def test_hostile_preferences_and_prompts_are_survived() -> None:
    with workshop() as shop:
        for name in ("hostile themes, keymaps and layouts", "prompt injection by names and texts"):
            row = try_out(fault_of(name), shop, 20, seed=1)
            assert row.markdown().startswith(f"| {name} | 20 | survived |")
            assert not row.is_bad


def test_a_row_counts_what_was_lost_hung_and_raised() -> None:
    @contextmanager
    def scene(shop: Workshop) -> Iterator[Strike]:
        ways = iter((None, Lost("a journal"), TimeoutError("mute"), ValueError("a|b\x1b")))

        def strike(rng: random.Random) -> None:
            if (error := next(ways)) is not None:
                raise error

        yield strike

    with workshop() as shop:
        row = try_out(Fault("bad", 4, scene), shop, 4, seed=1)
    assert row.is_bad
    assert row.times == 4
    assert set(row.outcomes) == {
        "survived", "lost: a journal", "hang: mute", "traceback: ValueError: a/b",
    }  # fmt: skip


def test_a_fault_that_cannot_be_made_here_is_skipped_and_not_counted() -> None:
    @contextmanager
    def scene(shop: Workshop) -> Iterator[Strike]:
        raise Skipped("needs root")
        yield

    with workshop() as shop:
        row = try_out(Fault("rare", 4, scene), shop, 4, seed=1)
    assert not row.is_bad
    assert row.markdown().startswith("| rare | 0 | skipped: needs root |")
