"""Count the questions that every kind of server answers with a plan, and what an answer costs.

`python -m tests.benchmarks.planner_servers [--gguf FILE] [--before TREE] [--situations N]`

Asks about situations of the practice game, played by the rules, in the prompts of a run. Cold,
every question is asked by a backend that knows nothing of its server yet; warm, one backend asks
them all, in the order of the game, after a question that does not count. The imitated servers are
those of `tests.engine.planning.models.servers.kinds`; with a GGUF file of an instruct model there
is also llama.cpp itself (package `xllamacpp`), which tells the share of the prompt that came from
its cache, and of which the middle question's seconds are told. `--before` names a checkout of an
earlier version: that asks the same servers about the same situations, in its own prompts, warm.
Prints a Markdown table.
"""

import argparse
import asyncio
import contextlib
import dataclasses
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import ollama

from engine.config import EnvConfig, PlannerConfig
from engine.env.game_env import GameEnv
from engine.errors import LLMConnectionError
from engine.planning.goals.queries import (
    battle_base,
    is_settled,
    key_of,
    make_planning_query,
    trigger_of,
    walking_base,
)
from engine.planning.models.asking import ask
from engine.planning.models.backends import make_backend
from engine.planning.models.backends import openai as openai_backend
from engine.planning.models.backends.base import Backend
from engine.planning.models.prompt import Notes, compose
from engine.planning.models.reply import read_plan
from engine.planning.rules.advisor import RuleAdvisor
from engine.planning_types import PlanningQuery

SITUATIONS = 52
_NOTES = Notes(
    summary=(
        "4 episodes, 1 of them won.\n"
        "Win the battle: tried 11, reached 5, led on 3\n"
        "Go to STONEHOLLOW: tried 10, reached 8, led on 8\n"
        "Go to FERNWICK: tried 6, reached 6, led on 6\n"
        "Go to LAB: tried 6, reached 6, led on 6"
    )
)
_STEPS_A_GOAL = 12
"""After which a goal is over and the next one is asked for, if nothing happens before."""
_ASTRAY = 0.1
"""Share of steps by chance, so that no game is like another."""
_PATIENCE_S = 600.0
_CONTEXT = 8000
_OWN = """
import sys
sys.path.insert(0, {tree!r})
import runpy
sys.argv = [{file!r}, *{options!r}]
runpy.run_path({file!r}, run_name="__main__")
"""


@dataclass(slots=True)
class Count:
    """The result of the questions.

    Attributes:
        requests: That were sent for them.
        asked_tokens: Of the questions, as the server counts them.
        cached_tokens: Of these, those that it had read before.
        written_tokens: Of the answers.
        seconds: Of the questions, the middle one.
    """

    questions: int = 0
    plans: int = 0
    requests: int = 0
    asked_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Peer:
    """A server: its address, its model, and "openai" or "ollama", which it speaks."""

    url: str
    model: str
    kind: str

    def backend(self) -> Backend:
        """Return a backend that knows nothing of it yet."""
        return make_backend(
            self.model, backend=self.kind, base_url=self.url, connect_timeout_s=60.0
        )


@dataclass(frozen=True, slots=True)
class Row:
    """The result of a server, with an earlier version, cold and warm."""

    name: str
    before: Count | None
    cold: Count
    warm: Count


def situations(most: int) -> list[PlanningQuery]:
    """Return what a planner would be asked in games that the rules play, the same each time."""
    found: list[PlanningQuery] = []
    env = GameEnv(observation_type="state", config=EnvConfig(max_steps=100_000))
    seed = 0
    while len(found) < most:
        env.reset(seed=seed)
        found += _episode(env, np.random.default_rng(seed))
        seed += 1
    env.close()
    return found[:most]


def _episode(env: GameEnv, rng: np.random.Generator) -> Iterator[PlanningQuery]:
    advisor = RuleAdvisor(env.game)
    game = copy(env.game)
    game.atlas = replace(game.atlas, healers=())  # as when the figures were taken
    advisor.reset(env.state)
    walked = before = walking_base(env.state, env.milestones)
    recent: list[tuple[str, str]] = []
    steps, is_over = 0, False
    while not is_over:
        advice = advisor.advise(env.state, env.action_mask())
        if is_settled(env.state):
            is_fought = env.state.battle is not None
            now = (
                battle_base(env.state, walked)
                if is_fought
                else walking_base(env.state, env.milestones)
            )
            is_late = steps % _STEPS_A_GOAL == 0
            if now != before or is_late:
                yield make_planning_query(
                    env.state,
                    game,
                    advisor.world,
                    env.milestones,
                    tried=(),
                    key=key_of("practice", now, ()),
                    env_index=0,
                    trigger=trigger_of(before, now) if now != before else "done",
                    recent=tuple(recent[-4:]),
                )
                recent.append((advice.goal.text if advice.goal else "Explore", "reached"))
            steps += 1
            before = now
            walked = walked if is_fought else now
        mask = env.action_mask()
        best = int(np.where(mask, advice.prior, -1.0).argmax())
        is_astray = rng.random() < _ASTRAY
        is_over = env.advance(int(rng.choice(np.flatnonzero(mask))) if is_astray else best)[1]


async def count(backends: Iterator[Backend], asked: list[PlanningQuery]) -> Count:
    """Ask about every situation, each time the next backend."""
    counted, times = Count(), []
    settings = PlannerConfig()
    with _watched(counted):
        for query, backend in zip(asked, backends, strict=False):
            request = compose(query, _NOTES, max_tokens=_CONTEXT, settings=settings)
            began = time.monotonic()
            try:
                answer = await ask(
                    backend,
                    request,
                    first_token_timeout_s=_PATIENCE_S,
                    answer_timeout_s=_PATIENCE_S,
                )
                reading = read_plan(answer.text, answer.done_reason, query, "model")
                counted.plans += reading.plan is not None
                counted.written_tokens += answer.answer_tokens
                if reading.plan is None:
                    print(f"  {reading.error}: {answer.text[-60:]!r}", file=sys.stderr)
            except LLMConnectionError as error:
                print(f"  {error}", file=sys.stderr)
            times.append(time.monotonic() - began)
            counted.questions += 1
    counted.seconds = statistics.median(times)
    return counted


@contextlib.contextmanager
def _watched(counted: Count) -> Iterator[None]:
    """Count the requests, and what servers of OpenAI's protocol say of their cache."""
    client: Any = ollama.AsyncClient
    backend: Any = openai_backend.OpenAIBackend
    reading: Any = openai_backend._Reading
    chat, body, take = client.chat, backend._body, reading.take

    async def counted_chat(self: Any, *args: Any, **named: Any) -> Any:
        counted.requests += 1
        return await chat(self, *args, **named)

    def counted_body(self: Any, *args: Any, **named: Any) -> Any:
        counted.requests += 1
        return body(self, *args, **named)

    def counted_take(self: Any, part: Any) -> Any:
        if part.usage:
            details = part.usage.prompt_tokens_details
            counted.asked_tokens += part.usage.prompt_tokens or 0
            counted.cached_tokens += (details and details.cached_tokens) or 0
        return take(self, part)

    client.chat, backend._body, reading.take = counted_chat, counted_body, counted_take
    try:
        yield
    finally:
        client.chat, backend._body, reading.take = chat, body, take


async def measure(peer: Peer, asked: list[PlanningQuery], *, is_cold: bool) -> Count:
    """Ask a server about every situation: with a new backend each time, or with one for all."""
    made = [peer.backend() for _ in (asked if is_cold else asked[:1])]
    if not is_cold:
        await count(iter(made), asked[:1])
    counted = await count(iter(made if is_cold else made * len(asked)), asked)
    for backend in made:
        await backend.close()
    return counted


def measure_imitated(kind: Any, asked: list[PlanningQuery], tree: str) -> Row:
    """Return the counts of an imitated server."""
    from tests.engine.planning.models.servers.modelled import server_of

    with server_of(kind) as server:
        url = getattr(server, "base_url", server.url)
        peer = Peer(url, kind.model, "ollama" if kind.is_ollama else "openai")
        return measure_all(f"{kind.name} (imitated)", peer, asked, tree)


def measure_all(name: str, peer: Peer, asked: list[PlanningQuery], tree: str) -> Row:
    """Return the counts of a server."""
    earlier = before(tree, peer, len(asked)) if tree else None
    cold = asyncio.run(measure(peer, asked, is_cold=True))
    return Row(name, earlier, cold, asyncio.run(measure(peer, asked, is_cold=False)))


@contextlib.contextmanager
def real_server(path: str) -> Iterator[str]:
    """Run llama.cpp's own server in a process and give its address."""
    program = (
        "import sys, xllamacpp as x; p = x.CommonParams(); p.model.path = sys.argv[1];"
        "p.hostnames = ['127.0.0.1']; p.port = 0; p.n_ctx = 8000; p.n_parallel = 1; p.ui = False;"
        "s = x.Server(p); print(s.listening_address, flush=True); sys.stdin.read()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        # llama.cpp writes there, too.
        yield next(line.strip() for line in process.stdout if line.startswith("http")) + "/v1"
    finally:
        process.kill()
        process.wait()


def before(tree: str, peer: Peer, asked: int) -> Count:
    """Have another version ask a server; see `--url`."""
    options = ["--url", peer.url, "--model", peer.model, "--backend", peer.kind]
    source = _OWN.format(tree=tree, file=__file__, options=[*options, "--situations", str(asked)])
    done = subprocess.run(
        [sys.executable, "-c", source],
        env={**os.environ, "PYTHONPATH": tree, "OPENAI_API_KEY": "none"},
        cwd=tree,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return Count(**json.loads(done.stdout.splitlines()[-1]))


def _show(row: Row) -> None:
    counts = [c for c in (row.before, row.cold, row.warm) if c is not None]
    plans = [f"{counted.plans}/{counted.questions}" for counted in counts]
    requests = [f"{counted.requests / counted.questions:.2f}" for counted in (row.cold, row.warm)]
    warm = row.warm
    written = f"{warm.written_tokens / warm.questions:.0f}" if warm.written_tokens else ""
    cells = [row.name, *plans, *requests, written]
    for counted in (row.before, warm) if row.before else (warm,):
        is_told = counted.cached_tokens > 0
        cells.append(f"{counted.cached_tokens / counted.asked_tokens:.0%}" if is_told else "")
        cells.append(f"{counted.seconds:.1f}" if is_told else "")
    print(f"| {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gguf", default="", help="an instruct model for llama.cpp itself")
    parser.add_argument("--before", default="", help="a checkout of an earlier version")
    parser.add_argument("--situations", type=int, default=SITUATIONS)
    parser.add_argument("--only-real", action="store_true", help="leave the imitated servers out")
    parser.add_argument("--url", default="", help="ask one server, warm; print the count as JSON")
    parser.add_argument("--model", default="model", help="its model")
    parser.add_argument("--backend", default="openai", help="its protocol")
    options = parser.parse_args()
    asked = situations(options.situations)
    if options.url:
        peer = Peer(options.url, options.model, options.backend)
        print(json.dumps(dataclasses.asdict(asyncio.run(measure(peer, asked, is_cold=False)))))
        return
    columns = ["plans, cold", "plans, warm", "requests an answer, cold", "warm", "tokens written"]
    columns = ["server", *(["plans, before"] if options.before else []), *columns]
    columns += ["from cache, before", "s, before"] if options.before else []
    columns += ["from cache", "s"]
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    if not options.only_real:
        from tests.engine.planning.models.servers.kinds import KINDS

        for kind in KINDS:
            _show(measure_imitated(kind, asked, options.before))
    if options.gguf:
        with real_server(options.gguf) as url:
            name = f"llama.cpp, {Path(options.gguf).stem}"
            _show(measure_all(name, Peer(url, "model", "openai"), asked, options.before))


if __name__ == "__main__":
    main()
