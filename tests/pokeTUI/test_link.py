from engine import events
from engine.commands import Pause
from engine.types import Source
from pokeTUI.terminal.link import DECISION_INTERVAL_S, Link
from tests.pokeTUI.fake_session import FakeSession, make_decision


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def make_link() -> tuple[Link, FakeSession, Clock]:
    session, clock = FakeSession(), Clock()
    link = Link(session, clock)
    link.start()
    return link, session, clock


def test_events_come_in_order() -> None:
    link, session, _ = make_link()
    sent = [events.ProgressReported("a"), events.WarningRaised("b"), events.ProgressReported("c")]
    session.post(*sent)
    assert link.poll() == sent
    assert link.poll() == []


def test_decisions_are_thinned_and_the_last_one_is_kept() -> None:
    link, session, clock = make_link()
    decisions = [make_decision(step, Source.POLICY, "", 0.5) for step in range(5)]
    session.post(decisions[0], decisions[1])
    assert link.poll() == [decisions[1]]
    session.post(decisions[2])
    assert link.poll() == []
    session.post(decisions[3])
    clock.now += DECISION_INTERVAL_S
    assert link.poll() == [decisions[3]]


def test_an_engine_that_ends_without_a_word_is_a_failure() -> None:
    link, session, _ = make_link()
    session.is_alive = False
    (failure,) = link.poll()
    assert isinstance(failure, events.RunFailed)
    assert link.poll() == []


def test_an_engine_that_says_why_it_ended_is_believed() -> None:
    link, session, _ = make_link()
    session.finish()
    assert [type(event) for event in link.poll()] == [events.RunStopped]
    assert link.poll() == []


def test_link_sends_nothing_after_the_end() -> None:
    link, session, _ = make_link()
    session.finish()
    link.poll()
    link.send(Pause())
    assert session.sent == []
