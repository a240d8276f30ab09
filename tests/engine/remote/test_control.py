from engine.commands import GiveBack, Hold, Pause, TakeOver
from engine.remote.viewer import IDLE_S, ControlDesk
from engine.types import Action


class Desk:
    """A desk with a clock that the test moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.sent: list = []
        self.desk: ControlDesk[str] = ControlDesk(self.sent.append, lambda: self.now)


def test_a_viewer_that_is_not_in_control_is_refused() -> None:
    at = Desk()
    assert at.desk.request("a") == ""
    refusal = "Another viewer is in control: press C to ask for it."
    assert at.desk.command("b", Pause()) == refusal
    assert at.sent == []


def test_control_that_nobody_has_is_taken_by_a_command() -> None:
    at = Desk()
    assert at.desk.command("a", Pause()) == ""
    assert at.desk.holder == "a"
    assert at.sent == [Pause()]


def test_control_is_handed_over_when_it_was_not_used_for_a_minute() -> None:
    at = Desk()
    at.desk.request("a")
    at.desk.command("a", Hold(frozenset({Action.A})))
    at.now = IDLE_S - 10
    assert "for 10 more seconds" in at.desk.request("b")
    at.now = IDLE_S
    assert at.desk.request("b") == ""
    assert at.desk.holder == "b"
    assert at.sent[-1] == Hold(frozenset())


def test_released_control_goes_to_the_viewer_who_asked() -> None:
    at = Desk()
    at.desk.request("a")
    at.desk.request("b")
    assert at.desk.asker == "b"
    at.desk.request("c")
    at.desk.release("c")  # it has gone again
    at.desk.release("a")
    assert at.desk.holder is None
    at.desk.request("a")
    at.desk.request("b")
    at.desk.release("a")
    assert (at.desk.holder, at.desk.asker) == ("b", None)
    at.desk.release("b")
    assert at.desk.holder is None


def test_a_viewer_that_leaves_lets_go_and_gives_back() -> None:
    at = Desk()
    for command in (TakeOver(), Hold(frozenset({Action.UP}))):
        at.desk.command("a", command)
    at.desk.release("b")
    assert at.desk.holder == "a"
    at.desk.release("a")
    assert at.desk.holder is None
    assert at.sent[2:] == [Hold(frozenset()), GiveBack()]


def test_release_after_give_back_gives_nothing_back() -> None:
    at = Desk()
    for command in (TakeOver(), GiveBack(), Pause()):
        at.desk.command("a", command)
    at.desk.release("a")
    assert at.sent == [TakeOver(), GiveBack(), Pause()]
