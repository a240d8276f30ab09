"""Ask the real statistics server as browsers, scripts and strangers would, over loopback."""

import asyncio
import dataclasses
import json
import re
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from engine import events
from engine.commands import Watch
from engine.events import Event
from engine.remote.folder import probe
from engine.types import Action, AntiStuckStatus
from pokeTUI.dashboard.state import DashboardState, fold
from pokeTUI.serve.background import serve_page
from pokeTUI.serve.connections import COOKIE, Guard, Limits, listen
from pokeTUI.serve.figures import as_json, history_figures, state_figures, stats_figures
from pokeTUI.serve.statistics import StatisticsSite
from tests.engine.remote.conftest import Serve, runtime, serve  # noqa: F401
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
from tests.pokeTUI.in_process import ROOT, assert_refused, poketui
from tests.pokeTUI.pane_app import fold_all
from tests.pokeTUI.says import assert_has
from tests.pokeTUI.served import LIMIT_S, Served, serving

PNG = b"\x89PNG\r\n\x1a\n"


def shown(*more: Event) -> DashboardState:
    return fold_all([make_run(), *one_of_everything(), *more])


class Run:
    """A run as the server sees it."""

    def __init__(self) -> None:
        self.state = shown()
        self.watched: list[bool] = []
        self.said: list[str] = []

    def take(self, event: Event) -> None:
        self.state = fold(self.state, event)


@dataclasses.dataclass(frozen=True)
class Page(Served):
    """A statistics server, and the run that it tells of."""

    run: Run
    site: StatisticsSite

    @property
    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.guard.token}"}

    async def get(self, path: str) -> Any:
        async with self.client.get(f"http://{self.host}{path}", headers=self.bearer) as response:
            assert response.status == 200
            assert response.content_type == "application/json"
            return json.loads(await response.read())

    def follow(self) -> "aiohttp.client._RequestContextManager":
        return self.client.get(f"http://{self.host}/api/events", headers=self.bearer)


@asynccontextmanager
async def open_page(**limits: float) -> AsyncIterator[Page]:
    run = Run()
    allowed = dataclasses.replace(Limits(), **limits)  # type: ignore[arg-type]
    site = StatisticsSite(Guard(), lambda: run.state, run.watched.append, run.said.append, allowed)
    async with serving(site) as served:
        yield Page(**vars(served), run=run, site=site)


async def next_update(response: aiohttp.ClientResponse) -> Any:
    async with asyncio.timeout(LIMIT_S):
        assert await response.content.readline() == b"event: update\n"
        data = await response.content.readline()
        assert await response.content.readline() == b"\n"
    return json.loads(data.removeprefix(b"data: "))


# Who may ask


async def test_a_script_shows_the_token_as_bearer_or_in_the_address() -> None:
    async with open_page() as page:
        token = page.guard.token
        for path in ("/api/state", "/api/stats", "/api/history", "/screenshot.png"):
            for headers in (page.bearer, {}):
                asked = path if headers else f"{path}?token={token}"
                assert await page.status(asked, **headers) == 200, asked
            for value in ("Bearer wrong", f"Basic {token}"):
                assert await page.status(path, Authorization=value) == 403, path
            assert await page.status(f"{path}?token={token}x") == 403, path
            for headers in ({}, page.cookie):
                assert await page.status(path, **headers) == 403, path


async def test_the_page_needs_the_token_once_and_then_its_cookie() -> None:
    async with open_page() as page:
        path = page.guard.path
        async with page.client.get(page.address) as response:
            assert response.status == 200
            cookie = response.headers["Set-Cookie"]
            assert_has(cookie, "HttpOnly", "SameSite=Strict", f"Path={path}")
            policy = response.headers["Content-Security-Policy"]
        assert "unsafe" not in policy
        assert "connect-src 'self';" in policy
        for name in ("", "page/statistics.js", "page/statistics.css", "api/state"):
            assert await page.status(f"{path}/{name}", **page.cookie) == 200, name
            assert await page.status(f"{path}/{name}") == 403, name
            assert await page.status(f"{path}/{name}", Cookie=f"{COOKIE}=x") == 403, name


async def test_strange_hosts_and_origins_are_refused() -> None:
    async with open_page() as page:
        path = f"/api/state?token={page.guard.token}"
        assert await page.status(path, Host="evil.example") == 421
        assert await page.status(path, Origin="http://evil.example") == 403
        assert await page.status(path, Origin=f"http://{page.host}") == 200


@pytest.mark.parametrize(
    "path",
    [
        "/..%2f..%2fetc/passwd", "/page/..%2fserver.py", "/api/", "/api/state/x", "//api/state",
        "/%ff",
    ],
)  # fmt: skip
async def test_other_paths_are_not_found(path: str) -> None:
    async with open_page() as page:
        assert await page.status(path, **page.bearer) == 404
        assert await page.status(f"{page.guard.path}{path}", **page.bearer) in (403, 404)
        assert page.run.said == []


@pytest.mark.parametrize(
    "points",
    [
        "0", "1", "-3", "x", "", "2049", "9" * 5000, "%ff", "٣٣", "0000000050", "000", "+50",
        "5_0", "%2050",
    ],
)  # fmt: skip
async def test_an_impossible_number_of_points_is_refused(points: str) -> None:
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


async def test_the_figures_are_those_of_the_cockpit() -> None:
    first = {"name": "RILLET", "level": 11, "hp": 27, "max_hp": 34, "status": ""}
    async with open_page() as page:
        state, stats = await page.get("/api/state"), await page.get("/api/stats")
        assert state["run"]["id"] == "mossy-otter-7"
        assert (state["game"]["party"][0], state["game"]["money"]) == (first, 2860)
        assert sum(one["is_reached"] for one in state["milestones"]) == 5
        paid = {one["name"]: one["episode"] for one in stats["rewards"]}
        assert paid["milestone"] == 15.0
        assert stats["learner"]["figures"]["entropy"] == 1.234
        assert stats["history"]["episodes"] == 87
        history = await page.get("/api/history?points=50")
        assert {"return", "success", "entropy"} <= {curve["name"] for curve in history["curves"]}


async def test_the_picture_is_that_of_the_game_and_waits_for_the_first() -> None:
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


async def test_a_newer_state_comes_by_itself_and_the_end_is_told() -> None:
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


async def test_the_game_is_drawn_only_while_somebody_looks() -> None:
    async with open_page() as page:
        assert page.run.watched == []
        async with page.follow() as response:
            await next_update(response)
            assert page.run.watched == [True]


async def test_there_is_an_end_to_how_many_may_follow() -> None:
    async with open_page(viewers=2) as page, page.follow() as one, page.follow() as other:
        await next_update(one)
        await next_update(other)
        assert await page.status("/api/events", **page.bearer) == 503
        assert await page.status("/api/state", **page.bearer) == 200


async def test_a_peer_that_reads_nothing_is_given_up_and_others_are_told() -> None:
    async with open_page(answer_s=0.3) as page:
        with socket.socket() as mute:
            mute.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            mute.connect(("127.0.0.1", page.port))
            asked = f"GET /api/history?points=2048&token={page.guard.token} HTTP/1.1\r\n"
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


# The statistics page of a run in the background is a viewer of it while somebody looks


async def test_a_page_attaches_while_watched_and_ends_with_the_run(
    serve: Serve,  # noqa: F811
) -> None:
    run = serve()
    live = await asyncio.to_thread(probe, run.path)
    run.mailbox.post(make_run())
    with listen(0, "--web-port") as listener:
        port = listener.getsockname()[1]
        guard = Guard()
        serving = asyncio.create_task(serve_page(live, listener, guard, asyncio.Event()))
        async with aiohttp.ClientSession() as client:
            address = f"http://127.0.0.1:{port}/api/events?token={guard.token}"
            async with client.get(address) as response:
                await next_update(response)
                run.mailbox.post(make_status(total_steps=777))
                seen = None
                while seen is None or seen["state"]["status"] is None:
                    seen = await next_update(response)
                assert seen["state"]["run"]["id"] == make_run().run_id
                assert seen["state"]["status"]["steps"] == 777
                assert run.looks[-1] == Watch(0)
                run.mailbox.post(events.RunStopped("quit", 777, ""))
                await asyncio.to_thread(run.server.close)
                while seen["state"]["end"] is None:
                    seen = await next_update(response)
                assert seen["state"]["end"]["kind"] == "stopped"
                async with asyncio.timeout(LIMIT_S):
                    await serving
