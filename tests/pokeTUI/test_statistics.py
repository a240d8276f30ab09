"""Ask the real statistics server as browsers, scripts and strangers would, over loopback."""

import asyncio
import dataclasses
import json
import re
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from engine import events
from engine.events import Event
from engine.types import Action, AntiStuckStatus
from pokeTUI.dashboard.state import DashboardState, fold
from pokeTUI.serve.connections import COOKIE, Guard, Limits
from pokeTUI.serve.figures import as_json, history_figures, state_figures, stats_figures
from pokeTUI.serve.site import address_of, listen
from pokeTUI.serve.statistics import StatisticsSite
from tests.pokeTUI.fake_session import (
    make_battle,
    make_game,
    make_goal,
    make_measured,
    make_run,
    make_status,
    observe,
    one_of_everything,
)
from tests.pokeTUI.in_process import poketui
from tests.pokeTUI.test_cli import ROOT, assert_refused

LIMIT_S = 180.0
PNG = b"\x89PNG\r\n\x1a\n"


def shown(*more: Event) -> DashboardState:
    state = DashboardState()
    for event in (make_run(), *one_of_everything(), *more):
        state = fold(state, event)
    return state


class Run:
    """A run as the server sees it."""

    def __init__(self) -> None:
        self.state = shown()
        self.watched: list[bool] = []
        self.said: list[str] = []

    def take(self, event: Event) -> None:
        self.state = fold(self.state, event)


@dataclasses.dataclass(frozen=True)
class Page:
    """A server that runs."""

    run: Run
    site: StatisticsSite
    address: str
    client: aiohttp.ClientSession
    stop: asyncio.Event

    @property
    def host(self) -> str:
        return self.address.split("/")[2]

    @property
    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.site.guard.token}"}

    @property
    def cookie(self) -> dict[str, str]:
        return {"Cookie": f"{COOKIE}={self.site.guard.key}"}

    async def status(self, path: str, **headers: str) -> int:
        async with self.client.get(f"http://{self.host}{path}", headers=headers) as response:
            await response.read()
            return response.status

    async def get(self, path: str) -> Any:
        async with self.client.get(f"http://{self.host}{path}", headers=self.bearer) as response:
            assert response.status == 200
            assert response.content_type == "application/json"
            return json.loads(await response.read())

    def follow(self) -> "aiohttp.client._RequestContextManager":
        return self.client.get(f"http://{self.host}/api/events", headers=self.bearer)


OpenPage = Callable[..., AbstractAsyncContextManager[Page]]


@pytest.fixture
def open_page() -> OpenPage:
    @asynccontextmanager
    async def open_it(**limits: float) -> AsyncIterator[Page]:
        run = Run()
        allowed = dataclasses.replace(Limits(), **limits)  # type: ignore[arg-type]
        site = StatisticsSite(
            Guard(), lambda: run.state, run.watched.append, run.said.append, allowed
        )
        stop = asyncio.Event()
        listener = listen(0, "--web-port")
        serving = asyncio.create_task(site.run(listener, stop))
        try:
            async with aiohttp.ClientSession() as client:
                yield Page(run, site, address_of(listener, site.guard), client, stop)
        finally:
            stop.set()
            await serving

    return open_it


async def next_update(response: aiohttp.ClientResponse) -> Any:
    async with asyncio.timeout(LIMIT_S):
        assert await response.content.readline() == b"event: update\n"
        data = await response.content.readline()
        assert await response.content.readline() == b"\n"
    return json.loads(data.removeprefix(b"data: "))


# Who may ask


async def test_a_script_shows_the_token_as_bearer_or_in_the_address(open_page: OpenPage) -> None:
    async with open_page() as page:
        token = page.site.guard.token
        for path in ("/api/state", "/api/stats", "/api/history", "/screenshot.png"):
            assert await page.status(path, **page.bearer) == 200, path
            assert await page.status(f"{path}?token={token}") == 200, path
            assert await page.status(path) == 403, path
            assert await page.status(path, Authorization="Bearer wrong") == 403, path
            assert await page.status(path, Authorization=f"Basic {token}") == 403, path
            assert await page.status(f"{path}?token={token}x") == 403, path
            assert await page.status(path, **page.cookie) == 403, path


async def test_the_page_needs_the_token_once_and_then_its_cookie(open_page: OpenPage) -> None:
    async with open_page() as page:
        path = page.site.guard.path
        async with page.client.get(page.address) as response:
            assert response.status == 200
            cookie = response.headers["Set-Cookie"]
            assert "HttpOnly" in cookie
            assert "SameSite=Strict" in cookie
            assert f"Path={path}" in cookie
            policy = response.headers["Content-Security-Policy"]
        assert "unsafe" not in policy
        assert "connect-src 'self';" in policy
        for name in ("", "page/statistics.js", "page/statistics.css", "api/state"):
            assert await page.status(f"{path}/{name}", **page.cookie) == 200, name
            assert await page.status(f"{path}/{name}") == 403, name
            assert await page.status(f"{path}/{name}", Cookie=f"{COOKIE}=x") == 403, name


async def test_strange_hosts_and_origins_are_refused(open_page: OpenPage) -> None:
    async with open_page() as page:
        path = f"/api/state?token={page.site.guard.token}"
        assert await page.status(path, Host="evil.example") == 421
        assert await page.status(path, Origin="http://evil.example") == 403
        assert await page.status(path, Origin=f"http://{page.host}") == 200


@pytest.mark.parametrize(
    "path",
    [
        "/..%2f..%2fetc/passwd",
        "/page/..%2fserver.py",
        "/api/",
        "/api/state/x",
        "//api/state",
        "/%ff",
    ],
)
async def test_other_paths_are_not_found(open_page: OpenPage, path: str) -> None:
    async with open_page() as page:
        assert await page.status(path, **page.bearer) == 404
        assert await page.status(f"{page.site.guard.path}{path}", **page.bearer) in (403, 404)
        assert page.run.said == []


@pytest.mark.parametrize(
    "points",
    [
        "0",
        "1",
        "-3",
        "x",
        "",
        "2049",
        "9" * 5000,
        "%ff",
        "٣٣",
        "0000000050",
        "000",
        "+50",
        "5_0",
        "%2050",
    ],
)
async def test_an_impossible_number_of_points_is_refused(open_page: OpenPage, points: str) -> None:
    async with open_page() as page:
        assert await page.status(f"/api/history?points={points}", **page.bearer) == 400


# What is served


def keys_of(values: Any, prefix: str = "") -> set[str]:
    """Return the paths of all keys: a list's as those of what is in it."""
    if isinstance(values, list):
        return set().union(*(keys_of(value, f"{prefix}[]") for value in values))
    if not isinstance(values, dict):
        return set()
    named = {f"{prefix}.{key}".lstrip("."): value for key, value in values.items()}
    return set(named).union(*(keys_of(value, path) for path, value in named.items()))


def everything() -> DashboardState:
    evaluation = events.Evaluation(10, 41.0, 3.0, 300.0, 0.0, 0.3)
    status = make_status(shares=(("policy", 0.6), ("planner", 0.4)))
    gpus = (events.GpuUse("a GPU", 0.5, 1, 2),)
    stuck = AntiStuckStatus(40, (Action.UP,), 2)
    return shown(
        status,
        dataclasses.replace(
            observe(make_game(battle=make_battle()), make_goal()), anti_stuck=stuck
        ),
        dataclasses.replace(make_measured(), gpus=gpus),
        events.EvaluationEnded(80, 110_000, evaluation),
        events.PlannerStatusChanged("small", "ready", calls=3),
        events.StrategySwitched("balanced", "rule_heavy", "it does well", 80),
        events.ProgressReported("starting"),
        events.RunStopped("quit", 123_456, "x.zip"),
    )


def documented_keys() -> set[str]:
    """Return the keys in the first column of the document's tables, after the section's name."""
    keys, section = set(), ""
    for line in (ROOT / "docs" / "statistics-page.md").read_text().splitlines():
        if found := re.match(r"## /api/(\w+)", line):
            section = found[1]
        elif section and line.startswith("| `"):
            keys |= {f"{section}.{key}" for key in re.findall(r"`([^`]+)`", line.split(" | ")[0])}
    return keys


def test_the_document_describes_every_key() -> None:
    state = everything()
    keys = set()
    for name, values in (
        ("state", state_figures(state, 1)),
        ("stats", stats_figures(state)),
        ("history", history_figures(state, 10)),
    ):
        assert values["version"] == 1
        for key in keys_of(values):
            key = re.sub(r"battle\.(own|enemy)\.", "party[].", key)
            key = re.sub(r"(figures|decisions)\..+", r"\1.NAME", key)
            keys.add(f"{name}.{key}")
    assert keys == documented_keys()


def test_the_anti_stuck_state_names_the_masked_actions() -> None:
    stuck = state_figures(everything(), 1)["anti_stuck"]
    assert stuck == {"idle_steps": 40, "masked": ["UP"], "interventions": 2}
    assert state_figures(shown(), 1)["anti_stuck"] is None


def test_numbers_that_are_none_are_null() -> None:
    assert as_json({"a": float("nan"), "b": [float("inf"), 1.0], "c": 2}) == (
        '{"a":null,"b":[null,1.0],"c":2}'
    )
    json.loads(as_json(state_figures(DashboardState(), 0)))
    assert json.loads(as_json(stats_figures(DashboardState())))["learner"] is None


def test_curves_have_at_most_so_many_points_and_end_with_the_last() -> None:
    whole, few = (history_figures(everything(), most)["curves"] for most in (2048, 10))
    for long, short in zip(whole, few, strict=True):
        assert len(short["places"]) <= 10
        assert {len(short[name]) for name in ("steps", "values", "means")} == {len(short["places"])}
        assert short["places"][-1] == long["places"][-1]
        assert short["means"][-1] == long["means"][-1]


async def test_the_figures_are_those_of_the_cockpit(open_page: OpenPage) -> None:
    async with open_page() as page:
        state, stats = await page.get("/api/state"), await page.get("/api/stats")
        assert state["run"]["id"] == "mossy-otter-7"
        assert state["game"]["party"][0] == {
            "name": "RILLET", "level": 11, "hp": 27, "max_hp": 34, "status": ""
        }  # fmt: skip
        assert state["game"]["money"] == 2860
        assert sum(one["is_reached"] for one in state["milestones"]) == 5
        paid = {one["name"]: one["episode"] for one in stats["rewards"]}
        assert paid["milestone"] == 15.0
        assert stats["learner"]["figures"]["entropy"] == 1.234
        assert stats["history"]["episodes"] == 87
        history = await page.get("/api/history?points=50")
        assert {"return", "success", "entropy"} <= {curve["name"] for curve in history["curves"]}


async def test_the_picture_is_that_of_the_game_and_waits_for_the_first(
    open_page: OpenPage,
) -> None:
    async with open_page() as page:
        page.run.state = DashboardState()
        address = f"http://{page.host}/screenshot.png"
        asked = asyncio.create_task(page.client.get(address, headers=page.bearer)._coro)
        async with asyncio.timeout(LIMIT_S):
            while not page.run.watched:  # the request has come
                await asyncio.sleep(0.01)
        page.run.state = shown()
        response = await asked
        assert response.content_type == "image/png"
        assert (await response.read())[:8] == PNG
        assert (await page.get("/api/state"))["screenshot"] == 1


# Live


async def test_a_newer_state_comes_by_itself_and_the_end_is_told(open_page: OpenPage) -> None:
    async with open_page() as page, page.follow() as response:
        assert response.content_type == "text/event-stream"
        first = await next_update(response)
        page.run.take(dataclasses.replace(page.run.state.status, total_steps=777_777))
        second = await next_update(response)
        assert first["state"]["status"]["steps"] == 123456
        assert second["state"]["status"]["steps"] == 777_777
        page.run.take(events.RunStopped("took 777,777 steps", 777_777, "x.zip"))
        page.stop.set()
        last = await next_update(response)
        assert last["state"]["end"]["kind"] == "stopped"
        assert "777,777" in last["state"]["end"]["message"]
        assert await response.content.read() == b""


async def test_the_game_is_drawn_only_while_somebody_looks(open_page: OpenPage) -> None:
    async with open_page() as page:
        assert page.run.watched == []
        async with page.follow() as response:
            await next_update(response)
            assert page.run.watched == [True]


async def test_there_is_an_end_to_how_many_may_follow(open_page: OpenPage) -> None:
    async with open_page(viewers=2) as page, page.follow() as one, page.follow() as other:
        await next_update(one)
        await next_update(other)
        assert await page.status("/api/events", **page.bearer) == 503
        assert await page.status("/api/state", **page.bearer) == 200


async def test_a_peer_that_reads_nothing_is_given_up_and_others_are_told(
    open_page: OpenPage,
) -> None:
    async with open_page(answer_s=0.3) as page:
        with socket.socket() as mute:
            mute.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            mute.connect(("127.0.0.1", int(page.host.partition(":")[2])))
            asked = f"GET /api/history?points=2048&token={page.site.guard.token} HTTP/1.1\r\n"
            mute.sendall(f"{asked}Host: {page.host}\r\n\r\n".encode() * 60)
            async with page.follow() as response:
                await next_update(response)
            async with asyncio.timeout(LIMIT_S):
                while len(page.site.connections) > 1:  # our own is kept alive
                    await asyncio.sleep(0.01)


# The command


def test_a_port_that_is_taken_is_told_before_anything_starts(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        for how in (("--headless",), ("--detach",), ()):
            refused = poketui("run", *how, "--web-port", port, "--save-dir", str(tmp_path / "s"))
            assert_refused(refused, f"127.0.0.1:{port}", "--web-port")
    assert not (tmp_path / "s").exists()


def test_a_port_and_no_page_are_refused(tmp_path: Path) -> None:
    assert_refused(poketui("run", "--web-port", "8080", "--no-web"), "--web-port", "--no-web")


def test_without_its_package_the_page_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert_refused(poketui("run", "--headless", "--web"), "aiohttp", "poketui[web]")
