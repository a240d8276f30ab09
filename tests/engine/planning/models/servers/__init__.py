"""Servers on loopback that speak the real protocols, and do all that servers do when they fail."""

from tests.engine.planning.models.servers.loopback import Call, HungUp, LoopbackServer

GOOD = '{"reasoning": "The lead is weak.", "goal": "HEAL", "confidence": 70}'
THOUGHT = "It has 2 of 20 HP."
LONG_S = 60.0
"""Longer than any test waits."""


class Scenarios:
    """How an answer is streamed; what a piece of it looks like, the protocol's own class says."""

    scenario = "good"
    tokens = (12, 34)
    """Of the question and of the answer."""

    def say(self, call: Call, text: str) -> None:
        raise NotImplementedError

    def think(self, call: Call, text: str) -> None:
        raise NotImplementedError

    def end(self, call: Call, reason: str) -> None:
        """Send the last piece; `reason` is "stop" or "length"."""
        raise NotImplementedError

    def fail(self, call: Call, status: int, message: str) -> None:
        """Answer with an error status."""
        raise NotImplementedError

    def fail_within(self, call: Call, message: str) -> None:
        """Send an error as a piece of the answer."""
        raise NotImplementedError

    def raw(self, call: Call, data: str) -> None:
        """Send a piece that holds this instead of what the protocol says."""
        raise NotImplementedError

    def play(self, call: Call) -> None:
        name, _, number = self.scenario.partition(" ")
        getattr(self, f"play_{name}")(call, *map(int, number.split()))

    def play_good(self, call: Call, text: str = GOOD) -> None:
        for at in range(0, len(text), 8):
            self.say(call, text[at : at + 8])
        self.end(call, "stop")

    def play_slow(self, call: Call) -> None:
        call.wait(LONG_S)
        self.play_good(call)

    def play_dripping(self, call: Call) -> None:
        while True:
            self.say(call, ".")
            call.wait(0.02)

    def play_hanging_within(self, call: Call) -> None:
        self.say(call, GOOD[:20])
        call.wait(LONG_S)

    def play_status(self, call: Call, status: int) -> None:
        self.fail(call, status, "it was\n\x1b[31mtoo much. ")

    def play_refusing_format(self, call: Call, status: int) -> None:
        if call.body.get("format"):
            self.fail(call, status, "invalid format")
        else:
            self.play_good(call)

    def play_error_within(self, call: Call) -> None:
        self.say(call, GOOD[:20])
        self.fail_within(call, "the runner has stopped")

    def play_broken_json(self, call: Call) -> None:
        self.say(call, GOOD[:20])
        self.raw(call, '{"model": "scri')
        self.end(call, "stop")

    def play_no_object(self, call: Call) -> None:
        self.raw(call, "[1, 2]")
        self.end(call, "stop")

    def play_deep_json(self, call: Call) -> None:
        self.raw(call, "[" * 50_000)
        self.end(call, "stop")

    def play_other_fields(self, call: Call) -> None:
        self.raw(call, '{"choices": [7], "type": "content_block_delta", "message": 3, "delta": 4}')
        self.end(call, "stop")

    def play_fenced(self, call: Call) -> None:
        self.play_good(call, f"```json\n{GOOD}\n```")

    def play_empty(self, call: Call) -> None:
        self.end(call, "stop")

    def play_thinking(self, call: Call) -> None:
        self.think(call, THOUGHT)
        self.play_good(call)

    def play_only_thinking(self, call: Call) -> None:
        self.think(call, THOUGHT)
        self.end(call, "length")

    def play_wrong_enum(self, call: Call) -> None:
        self.play_good(call, GOOD.replace("HEAL", "DANCE"))

    def play_huge(self, call: Call) -> None:
        while True:
            self.say(call, "la " * 50)

    def play_huge_thought(self, call: Call) -> None:
        while True:
            self.think(call, "hm " * 50)

    def play_huge_at_once(self, call: Call) -> None:
        self.say(call, "la " * 20_000)
        call.wait(LONG_S)

    def play_endless_line(self, call: Call) -> None:
        self.say(call, GOOD[:20])
        while True:
            call.stream(b"x" * 100, "text/event-stream")
            call.wait(0.01)

    def play_length(self, call: Call) -> None:
        self.say(call, GOOD[:40])
        self.end(call, "length")

    def play_reset(self, call: Call) -> None:
        self.say(call, GOOD[:20])
        call.reset()

    def play_reset_before(self, call: Call) -> None:
        call.reset()

    def play_unended(self, call: Call) -> None:
        self.say(call, GOOD)
        call.finish()


class Scripted(Scenarios, LoopbackServer):
    """A server of a protocol over server-sent events.

    Attributes:
        path: Where questions are sent to.
        models: Names that it lists; None: it has no list.
        unlisted: The error status of a list that it does not have.
        refuses: Parts of a request by name, with the error text that tells so.
        refusal_status: The error status of that.
    """

    path = ""
    models: tuple[str, ...] | None = ("scripted",)
    unlisted = 404
    refusal_status = 400

    def __init__(self) -> None:
        super().__init__()
        self.refuses: dict[str, str] = {}

    def answer(self, call: Call) -> None:
        if call.path != self.path:
            self.list_models(call)
            return
        for part, text in self.refuses.items():
            if part in str(call.body):
                self.fail(call, self.refusal_status, text)
                return
        self.play(call)

    def list_models(self, call: Call) -> None:
        """Answer what models there are."""
        raise NotImplementedError

    @property
    def asked(self) -> list[dict[str, object]]:
        """Return the questions' bodies."""
        return [body for path, body in self.calls if path == self.path]


__all__ = ["GOOD", "LONG_S", "THOUGHT", "Call", "HungUp", "Scenarios", "Scripted"]
