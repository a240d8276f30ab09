"""Print what language models are asked and what they say: `poketui llm`."""

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

from engine.config import RunConfig, load_config
from engine.llm.backends import make_backend
from engine.llm.check import check_model
from engine.llm.exchanges import scan
from engine.training.runs import RunFolder, find_run
from pokeTUI.cli.reports import saves
from pokeTUI.dashboard.planner import printable

_MARKS = {True: "✓", False: "✗", None: "·"}
_GOAL_WIDTH = 34


def print_check(model: str, backend: str | None, base_url: str | None) -> int:
    """Print step by step whether a model can be used; return the exit code.

    Raises:
        PokeTUIError: Its client is not installed, its key is missing, or the address is none.
    """
    config = _config(model, backend, base_url)
    asked = make_backend(model, backend=config.llm_backend, base_url=config.llm_base_url)
    planner = config.planner
    print(f"{model} by the protocol of {asked.name}")

    async def check() -> bool:
        try:
            steps = await check_model(
                asked,
                first_token_timeout_s=planner.first_token_timeout_s,
                answer_timeout_s=planner.answer_timeout_s,
                max_tokens=planner.answer_tokens,
                think=planner.think,
            )
        finally:
            await asked.close()
        for step in steps:
            print(f"  {_MARKS[step.is_ok]} {step.name:<7} {printable(step.text)}")
            if step.remedy and step.is_ok is not True:
                print(f"            {printable(step.remedy)}")
        return all(step.is_ok for step in steps)

    is_good = asyncio.run(check())
    if is_good:
        print(f"Use it: poketui run --llm-model {model}")
    return 0 if is_good else 2


def print_plan(
    model: str,
    backend: str | None,
    base_url: str | None,
    *,
    rom: str | None,
    state: Path | None,
    wish: str,
) -> int:
    """Ask for one plan and print the question, the answer as it comes, and what is taken from it.

    Returns:
        0; 2 if no goal could be taken from the answer.

    Raises:
        PokeTUIError: The model, the ROM or the state is unusable.
    """
    # Here, not above: it loads the emulator.
    from engine.training.single_plan import plan_once

    config = _config(model, backend, base_url, rom_path=rom, start_state=state and str(state))
    last_kind = False

    def show(text: str, is_thinking: bool) -> None:
        nonlocal last_kind
        if is_thinking != last_kind:
            print("\n--- thoughts" if is_thinking else "\n--- answer")
            last_kind = is_thinking
        sys.stdout.write("".join(c if c.isprintable() or c == "\n" else " " for c in text))
        sys.stdout.flush()

    plan = plan_once(
        config,
        wish=wish,
        on_request=lambda request: print(
            f"--- rules\n{request.system}\n--- question\n{request.user}\n--- answer"
        ),
        on_text=show,
    )
    answer, reading = plan.answer, plan.reading
    print(
        f"\n--- {answer.latency_s:.1f} s, first word after {answer.first_token_s:.1f} s, "
        f"{answer.prompt_tokens} tokens in, {answer.answer_tokens} out"
    )
    if reading.repairs:
        print(f"mended: {', '.join(reading.repairs)}")
    if reading.plan is None:
        print(f"no goal: {printable(reading.error)}")
        return 2
    found = reading.plan
    print(f"goal: {found.choice.kind} {found.choice.target}: {printable(found.choice.text)}")
    print(f"reached when: {found.condition}")
    print(f"stated confidence: {found.confidence:.0%}")
    return 0


def print_exchanges(save_dir: str | None, run: str, *, last: int, is_full: bool) -> None:
    """List what a run asked its language model.

    Raises:
        CheckpointError: There is no such run.
    """
    folder = RunFolder(find_run(saves(save_dir), run))
    found = scan(folder.exchanges_path)
    if not found.exchanges:
        print(f"The run {folder.run_id} asked no language model.")
        return
    for exchange in found.exchanges[-last:]:
        _print_full(exchange) if is_full else _print_line(exchange)
    if found.damaged:
        print(f"{found.damaged} damaged lines were passed over.")


def _print_line(exchange: dict[str, Any]) -> None:
    said = exchange["goal"] or f"no goal: {exchange['error']}"
    tally = exchange["verdicts"]
    came = f"{tally['reached']} reached, {tally['failed']} failed" if exchange["goal"] else ""
    latency = exchange["latency_s"]
    print(
        f"{exchange['exchange']:>5}  {exchange['trigger']:<9} "
        f"{printable(said)[:_GOAL_WIDTH]:<{_GOAL_WIDTH}} "
        f"{'' if latency is None else f'{latency:.1f} s':>7}  {came}"
    )


def _print_full(exchange: dict[str, Any]) -> None:
    at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(exchange["time"]))
    print(f"=== {exchange['exchange']} {printable(exchange['model'])} {at}")
    for text in (exchange["prompt"], "--- answer", exchange["thinking"], exchange["text"]):
        for line in text.splitlines():
            print(printable(line))
    _print_line(exchange)


def _config(model: str, backend: str | None, base_url: str | None, **given: Any) -> RunConfig:
    values = {"llm_model": model, "llm_backend": backend, "llm_base_url": base_url, **given}
    return load_config(None, {key: value for key, value in values.items() if value is not None})
