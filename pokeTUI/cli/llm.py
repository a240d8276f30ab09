"""Define `poketui llm`: check language models, ask one, read and export what was asked."""

import asyncio
import shlex
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.config import RunConfig, load_config
from engine.errors import LLMConnectionError
from engine.ground.providers import backend_of
from engine.ground.text import counted, visible
from engine.planning.models.backends import make_backends
from engine.planning.models.backends.base import Backend, ChatRequest
from engine.planning.models.backends.ollama import OllamaBackend, Pulled
from engine.planning.models.check import check_model
from engine.planning_types import Subgoal
from engine.runs.folder import RunFolder, find_run
from pokeTUI.cli.llm_export import export, read_exchanges
from pokeTUI.cli.options import Given, LatestRun, SaveDir, command, refuse_if
from pokeTUI.cli.progress import Advance, progress
from pokeTUI.saved import saves
from pokeTUI.terminal.printing import say, say_part

if TYPE_CHECKING:
    from engine.planning.models.single_plan import OneAnswer


# Download models with an Ollama server: `poketui llm pull`.

DEFAULT_MODEL = "smollm2:1.7b"
_CONNECT_TIMEOUT_S = 5.0
_PARTS = 10
"""Lines printed for a download where there is no terminal."""
_MOST_PARTS = 1000
"""Most parts of a model that are counted, whatever the server says."""
_RESUMES = "the download is kept; the same command resumes it"
_NO_SERVER = (
    "Get Ollama from ollama.com. Without it, get a GGUF file (hf download REPOSITORY "
    "FILE.gguf --local-dir .), then: pip install 'poketui[local]' && poketui run --llm-model "
    "./FILE.gguf"
)
_REMEDIES = {
    "no space": "Free some disk space on the server; the same command then resumes.",
    "file does not exist": "Check the model's name and tag.",
    "not found": "Check the model's name and tag.",
}
"""Hints, by words in the message of a server that cannot pull a model."""


def config_with_model(given: Given) -> RunConfig:
    """Return the settings, with the suggested model if none is named."""
    config = load_config(None, given)
    return config if config.llm_model else config.model_copy(update={"llm_model": DEFAULT_MODEL})


def pull(
    model: str | None = None, /, *, given: Annotated[Given, "llm_base_url=--base-url"]
) -> None:
    """Download a model with Ollama; an interrupted download is resumed.

    Args:
        model: Name in Ollama's library. Default: smollm2:1.7b.
    """
    config = config_with_model(given | ({} if model is None else {"llm_model": model}))
    for name in config.models:
        kind = config.llm_backend or backend_of(name)
        what = "is a file" if kind == "local" else f"uses the {kind} protocol"
        refuse_if(
            kind != "ollama",
            f"{name} {what}: there is nothing to pull.",
            f"Check it: poketui llm check --model {shlex.quote(name)}",
        )
    for name in config.models:
        backend = OllamaBackend(
            name, base_url=config.llm_base_url, connect_timeout_s=_CONNECT_TIMEOUT_S
        )
        with progress(f"pulling {name}", left=_RESUMES, in_bytes=True) as advance:
            show = _on_bar(advance) if sys.stderr.isatty() else _in_lines()
            asyncio.run(_pull(backend, show))
        say(f"{name} is available. Check it: poketui llm check --model {shlex.quote(name)}")


async def _pull(backend: OllamaBackend, show: Callable[[Pulled], None]) -> None:
    try:
        status = await backend.probe()
        if status.state == "unreachable":
            raise LLMConnectionError(status.detail, _NO_SERVER)
        try:
            async with aclosing(backend.pull()) as parts:
                async for part in parts:
                    show(part)
        except LLMConnectionError as error:
            remedies = (hint for words, hint in _REMEDIES.items() if words in error.message)
            hint = next(remedies, "The same command resumes.")
            raise LLMConnectionError(error.message, hint) from None
    finally:
        await backend.close()


def _on_bar(advance: Advance) -> Callable[[Pulled], None]:
    """Return what shows on a bar the bytes of all parts of a model that have begun."""
    parts: dict[str, Pulled] = {}

    def show(part: Pulled) -> None:
        if part.total and (part.status in parts or len(parts) < _MOST_PARTS):
            parts[part.status] = part
            begun = parts.values()
            advance(sum(one.completed for one in begun), sum(one.total for one in begun))

    return show


def _in_lines() -> Callable[[Pulled], None]:
    """Return what prints a line when a part begins, and at each tenth of its download."""
    last = ("", 0)

    def show(part: Pulled) -> None:
        nonlocal last
        done = part.completed * _PARTS // part.total if part.total else 0
        if (part.status, done) != last:
            last = (part.status, done)
            size = f" {part.completed:,} of {part.total:,} bytes" if part.total else ""
            say(f"{part.status}{size}")

    return show


llm_app = typer.Typer()

_MARKS = {True: "✓", False: "✗", None: "·"}
_GOAL_WIDTH = 34


@command(llm_app)
def check(
    given: Annotated[
        Given, "llm_model=--model,--llm-model llm_backend llm_base_url=--base-url set"
    ],
) -> None:
    """Check server, model, schema and latency; exit code 2 if it cannot be used.

    Args:
        model: Language model: smollm2:1.7b, gpt-..., claude-..., ./FILE.gguf; or a comma-separated
            list. Default: smollm2:1.7b.
    """
    config = config_with_model(given)
    backends = make_backends(config)
    is_good = [asyncio.run(_check(backend, config)) for backend in backends]
    if all(is_good):
        say(f"Use it: {_command(config, given)}")
    elif len(is_good) > 1:
        say(f"{sum(is_good)} of {len(is_good)} models can be used.")
    raise typer.Exit(0 if all(is_good) else 2)


async def _check(backend: Backend, config: RunConfig) -> bool:
    way = "run here" if backend.name == "local" else f"{backend.name} protocol"
    say(f"{backend.model}, {way}")
    try:
        steps = await check_model(
            backend, config.planner, max_context_length=config.max_context_length
        )
    finally:
        await backend.close()
    for step in steps:
        say(f"  {_MARKS[step.is_ok]} {step.name:<7} {step.text}")
        if step.remedy and step.is_ok is not True:
            say(f"            {step.remedy}")
    return all(step.is_ok for step in steps)


def _command(config: RunConfig, settings: Mapping[str, Any]) -> str:
    """Return the command of a run with the model that was checked."""
    options = {"llm_model": "--llm-model", "llm_backend": "--llm-backend"}
    words = ["poketui", "run", "--llm-model", config.llm_model]
    for key, value in settings.items():
        if key != "llm_model":
            words += [options[key], value] if key in options else ["--set", f"{key}={value}"]
    return shlex.join(words)


command(llm_app)(pull)


@command(llm_app)
def ask(
    given: Annotated[
        Given,
        "start_state=--state rom_path llm_model=--model,--llm-model llm_backend "
        "llm_base_url=--base-url set",
    ],
    instruction: Annotated[str, typer.Option("--instruction", "--wish")] = "",
) -> None:
    """Query a model for one plan; show prompt, answer and the parsed goals.

    Args:
        model: Language model: smollm2:1.7b, gpt-..., claude-..., ./FILE.gguf; or a comma-separated
            list. Default: smollm2:1.7b.
        instruction: Instruction for the model.
    """
    # Here, not above: it loads the emulator.
    from engine.planning.models.single_plan import plan_once

    config = config_with_model(given)
    is_alone = len(config.models) == 1
    last_kind = False

    def show(text: str, is_thinking: bool) -> None:
        nonlocal last_kind
        if is_thinking != last_kind:
            say("", "--- thoughts" if is_thinking else "--- answer")
            last_kind = is_thinking
        say_part(text)

    def show_request(request: ChatRequest) -> None:
        say("--- rules", *request.system.split("\n"))
        say("--- question", *request.user.split("\n"))
        if is_alone:
            say("--- answer")

    answers, plan = plan_once(
        config, instruction=instruction, on_request=show_request, on_text=show
    )
    for one in answers:
        if not is_alone:
            say(f"--- {one.model}")
            last_kind = False
            if one.answer is not None and one.answer.thinking:
                show(one.answer.thinking, True)
            if one.answer is not None:
                show(one.answer.text, False)
        _print_reading(one)
        if one.reading.plan is not None and not is_alone:
            _print_goal(one.reading.plan)
    if plan is None:
        raise typer.Exit(2)
    if not is_alone:
        say(f"--- vote, weighted by confidence: {plan.goal_source}")
    _print_goal(plan, "confidence" if len(answers) > 1 else "stated confidence")


def _print_reading(one: "OneAnswer") -> None:
    answer, reading = one.answer, one.reading
    if answer is not None:
        say(
            "",
            f"--- {answer.latency_s:.1f} s, first token after {answer.first_token_s:.1f} s, "
            f"{counted(answer.prompt_tokens, 'token')} in, {answer.answer_tokens:,} out",
        )
    if reading.repairs:
        say(f"repaired: {', '.join(reading.repairs)}")
    if reading.plan is None:
        say(f"no goal: {reading.error}")


def _print_goal(plan: Subgoal, sureness: str = "stated confidence") -> None:
    say(f"goal: {plan.option.kind} {plan.option.target}: {plan.option.text}")
    say(f"reached when: {plan.condition}")
    say(f"{sureness}: {plan.confidence:.0%}")


@command(llm_app)
def log(
    run: LatestRun = "latest",
    /,
    last: Annotated[int, typer.Option(min=1)] = 20,
    full: bool = False,
    save_dir: SaveDir = None,
) -> None:
    """List a run's exchanges with its language model, and their outcomes.

    For other programs: poketui export --table exchanges

    Args:
        last: Number of exchanges, newest last.
        full: Show full prompts and answers.
    """
    folder = RunFolder(find_run(saves(save_dir), run, purpose="read"))
    found = read_exchanges(folder)
    if not found.exchanges:
        say(f"The run {folder.run_id} queried no language model.")
        return
    for exchange in found.exchanges[-last:]:
        (_print_full if full else _print_line)(exchange)
    if found.damaged:
        say(f"{found.damaged} damaged lines were skipped.")


def _print_line(exchange: dict[str, Any]) -> None:
    goal = exchange["goal"] or f"no goal: {exchange['error']}"
    tally = exchange["verdicts"]
    came = f"{tally['reached']} reached, {tally['failed']} failed" if exchange["goal"] else ""
    latency = exchange["latency_s"]
    say(
        f"{exchange['exchange']:>5}  {exchange['trigger']:<9} "
        f"{visible(goal)[:_GOAL_WIDTH]:<{_GOAL_WIDTH}} "
        f"{'' if latency is None else f'{latency:.1f} s':>7}  {came}"
    )


def _print_full(exchange: dict[str, Any]) -> None:
    at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(exchange["time"]))
    say(f"=== {exchange['exchange']} {exchange['model']} {at}")
    for text in (exchange["prompt"], "--- answer", exchange["thinking"], exchange["text"]):
        for line in text.splitlines():
            say(line)
    _print_line(exchange)
    if exchange["error"]:
        say(f"no goal: {visible(exchange['error'])}")


command(llm_app)(export)
