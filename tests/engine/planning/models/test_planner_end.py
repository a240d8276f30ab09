import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator

import pytest

from engine.planning.models import planner as planner_module
from engine.planning.models.backends.base import ChatRequest, Chunk, ModelStatus
from tests.engine.planning.models.fake_backends import (
    LONG_S,
    FakeBackend,
    held,
    listening,
    make_planner,
    threads_of_planners,
    until_no_thread_is_left,
)
from tests.engine.planning.models.queries import query


@pytest.mark.parametrize("hangs", ["chat", "probe", "load"])
def test_planner_end_is_closed_while_a_server_hangs(hangs):
    never = threading.Event()
    backend = FakeBackend(held(never))
    if hangs == "probe":
        backend.status = never
    if hangs == "load":
        backend.status, backend.load_error = ModelStatus("loading"), never
    with listening(backend, before=[query()]) as heard:
        heard.until(lambda: backend.requests or backend.loads or hangs == "probe")
        heard.until(lambda: backend.probes)
    # that no thread is left is looked at by `listening`
    assert backend.is_closed
    assert not never.is_set()


def test_a_backend_that_cannot_be_closed_does_not_hold_up_the_end(monkeypatch):
    monkeypatch.setattr(planner_module, "_BACKENDS_CLOSE_S", 0.5)

    class Stuck(FakeBackend):
        async def close(self) -> None:
            await asyncio.sleep(LONG_S)

    class Broken(FakeBackend):
        async def close(self) -> None:
            raise RuntimeError

    with listening(Stuck(model="a"), Broken(model="b")) as heard:
        heard.ask(query())
    assert len(heard.plans) == 1


def test_closing_does_not_wait_for_a_backend_that_will_not_let_go():
    gate = threading.Event()

    async def chat(request: ChatRequest) -> AsyncIterator[Chunk]:
        while not gate.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(0.01)
        yield Chunk(done_reason="stop")

    backend = FakeBackend(chat)
    planner = make_planner(backend)
    planner.submit(query())
    planner.start()
    while not backend.requests:
        time.sleep(0.002)
    planner.close()
    assert threads_of_planners()  # it hangs to this moment
    gate.set()
    planner.close()
    until_no_thread_is_left()


def test_closing_is_possible_at_any_time_and_more_than_once():
    planner = make_planner(FakeBackend())
    planner.close()
    for _ in range(20):
        planner = make_planner(FakeBackend())
        planner.submit(query())
        planner.start()
        planner.close()
        planner.close()
        planner.submit(query())
        planner.poll()
    until_no_thread_is_left()
