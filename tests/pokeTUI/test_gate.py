from pokeTUI.terminal.output import PLAIN_INTERVAL_S, TIMEOUT_S, Gate


class Bench:
    """A gate with a clock that is set by hand."""

    def __init__(self, *, is_deaf: bool = False) -> None:
        self.now = 100.0
        self.asked = 0
        self.gate = Gate(self._ask, lambda: self.now, is_deaf=is_deaf)

    def _ask(self) -> None:
        self.asked += 1

    def round_trip(self, seconds: float) -> None:
        self.gate.sent()
        self.now += seconds
        self.gate.acknowledged()


def test_gate_draws_nothing_until_the_terminal_answers() -> None:
    bench = Bench()
    assert bench.gate.is_open
    bench.gate.sent()
    assert bench.asked == 1
    bench.now += 0.8
    assert not bench.gate.is_open
    bench.gate.acknowledged()
    assert bench.gate.is_open
    assert round(bench.gate.rtt_s, 3) == 0.8


def test_an_answer_that_is_lost_holds_only_so_long() -> None:
    bench = Bench()
    bench.round_trip(0.1)
    bench.gate.sent()
    bench.gate.sent()
    bench.now += TIMEOUT_S
    assert bench.gate.is_open
    assert not bench.gate.is_deaf


def test_a_terminal_that_never_answers_gets_a_plain_rate() -> None:
    bench = Bench()
    bench.gate.sent()
    bench.now += TIMEOUT_S
    assert bench.gate.is_open
    assert bench.gate.is_deaf
    bench.gate.sent()
    assert bench.asked == 1
    assert not bench.gate.is_open
    bench.now += PLAIN_INTERVAL_S
    assert bench.gate.is_open


def test_a_late_first_answer_is_welcome() -> None:
    bench = Bench(is_deaf=True)
    bench.gate.acknowledged()
    assert not bench.gate.is_deaf
    bench.gate.sent()
    assert bench.asked == 1


def test_a_long_link_that_is_not_full_carries_several_drawings() -> None:
    bench = Bench()
    bench.round_trip(0.2)
    for _ in range(2):
        assert bench.gate.is_open
        bench.gate.sent()
    assert not bench.gate.is_open


def test_a_full_link_carries_one() -> None:
    bench = Bench()
    bench.round_trip(0.1)
    bench.round_trip(0.6)
    bench.gate.sent()
    assert not bench.gate.is_open
    bench.now += 0.11
    bench.gate.acknowledged()
    bench.gate.sent()
    assert bench.gate.is_open


def test_a_short_link_carries_one_so_that_a_key_never_waits_for_two() -> None:
    bench = Bench()
    bench.round_trip(0.005)
    bench.gate.sent()
    assert not bench.gate.is_open
