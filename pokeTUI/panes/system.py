"""Show what the run uses of its machine."""

import math
from typing import ClassVar

from engine.events import GpuUse, SystemMeasured
from engine.ground.text import counted
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.dashboard.status_report import history_text
from pokeTUI.draw.layout import TRAINING, PaneInfo
from pokeTUI.draw.lines import Line, add_bar, clock, column, sparkline
from pokeTUI.draw.theme import Ink
from pokeTUI.draw.units import size_text
from pokeTUI.panes.pane import Pane, empty, untrained

_LABEL = 13
_BAR = 20
_BARS_TO = 4
"""Up to this many cores have a bar each; more have a column each."""
_NEARLY_FULL = 0.9
_GB = 1024**3


class SystemPane(Pane):
    """Speed, cores, memory, GPUs, disk and checkpoints; more of each where there is room."""

    INFO: ClassVar[PaneInfo] = PaneInfo(
        "system",
        "System",
        needs=TRAINING,
        synonyms=("cpu", "cores", "memory", "ram", "gpu", "disk", "load", "top", "resources"),
    )
    PARTS = ("system", "run")

    def lines(self, state: DashboardState, width: int, height: int) -> list[Line]:
        """Return a line for each resource, with details below it as far as there is room."""
        seen = state.system
        if seen is None:
            return empty(untrained(state) or "The first measurement comes within seconds.", width)
        sections = [
            [_speed(seen, width), *_episodes(state, width)],
            [_cores(seen, width), *_each_core(seen, width)],
            [_memory(seen, width), *_processes(seen, width)],
            *(_gpu(gpu, width) for gpu in seen.gpus),
            [
                _disk(seen, width),
                _labelled("  this run", size_text(seen.run_bytes), width),
                _labelled("  decisions", history_text(seen), width),
            ],
            _checkpoints(seen, width),
        ]
        room = height - len(sections)
        lines = []
        for head, *more in sections:
            lines.append(head)
            if len(more) <= room:
                lines += more
                room -= len(more)
        return lines[:height]


def _of(used: int, total: int) -> str:
    return f"{used / _GB:.1f} of {total / _GB:.1f} GB"


def _labelled(label: str, text: str, width: int) -> Line:
    return Line(width).add(label, Ink.dim, _LABEL).add(text, Ink.text)


def _speed(seen: SystemMeasured, width: int) -> Line:
    now = seen.speeds[-1] if seen.speeds else 0.0
    line = _labelled("speed", f"{now:,.0f} steps/s  ", width)
    return line.add(sparkline(seen.speeds, min(line.room, len(seen.speeds))), Ink.good)


def _episodes(state: DashboardState, width: int) -> list[Line]:
    rate = state.status.episodes_per_hour if state.status is not None else 0.0
    return [_labelled("  episodes", f"{rate:,.0f} an hour", width)] if rate else []


def _gauge(label: str, share: float, text: str, width: int, *, warns: bool = False) -> Line:
    """Return a bar with words behind it; if it `warns`, its ink changes when it is nearly full."""
    line = Line(width).add(label, Ink.dim, _LABEL)
    ink = Ink.warn if warns and share >= _NEARLY_FULL else Ink.good
    add_bar(line, share, min(_BAR, line.room - len(text) - 1), ink, Ink.faint)
    return line.add(f" {text}", Ink.text)


def _cores(seen: SystemMeasured, width: int) -> Line:
    if seen.cores:
        mean = sum(seen.cores) / len(seen.cores)
        return _gauge("CPU", mean, f"{mean:.0%} of {counted(len(seen.cores), 'core')}", width)
    text = counted(seen.num_cores, "core")
    if not math.isnan(seen.load_average):
        text += f", load average {seen.load_average:.1f}"
    return _labelled("CPU", text, width)


def _each_core(seen: SystemMeasured, width: int) -> list[Line]:
    cores = seen.cores
    if len(cores) <= _BARS_TO:
        return [
            _gauge(f"  core {number}", load, f"{load:.0%}", width)
            for number, load in enumerate(cores, 1)
        ]
    room = max(1, width - _LABEL)
    marks = "".join(column(load, 1)[0].replace(" ", "·") for load in cores)
    return [
        Line(width).add("" if start else "  each", Ink.dim, _LABEL).add(part, Ink.good)
        for start in range(0, len(marks), room)
        if (part := marks[start : start + room])
    ]


def _memory(seen: SystemMeasured, width: int) -> Line:
    used, total = seen.memory_used, seen.memory_total
    if not total:
        return _labelled("memory", "this system does not say", width)
    return _gauge("memory", used / total, _of(used, total), width, warns=True)


def _processes(seen: SystemMeasured, width: int) -> list[Line]:
    lines = []
    for use in seen.processes:
        text = size_text(use.resident_bytes)
        if use.count > 1:
            text += f" in {use.count} processes"
        lines.append(_labelled(f"  {use.name}", text, width))
    return lines


def _gpu(gpu: GpuUse, width: int) -> list[Line]:
    lines = [_labelled("GPU", gpu.name, width)]
    if not math.isnan(gpu.load):
        lines.append(_gauge("  load", gpu.load, f"{gpu.load:.0%}", width))
    if gpu.total_bytes:
        text = _of(gpu.used_bytes, gpu.total_bytes)
        share = gpu.used_bytes / gpu.total_bytes
        lines.append(_gauge("  memory", share, text, width, warns=True))
    return lines


def _disk(seen: SystemMeasured, width: int) -> Line:
    free, total = seen.disk_free, seen.disk_total
    if not total:
        return _labelled("disk", "this system does not say", width)
    return _gauge("disk", 1 - free / total, f"{size_text(free)} free", width, warns=True)


def _checkpoints(seen: SystemMeasured, width: int) -> list[Line]:
    if not seen.checkpoints:
        return [_labelled("checkpoint", "none in this session yet", width)]
    *earlier, (at_s, took_s) = seen.checkpoints
    lines = [_labelled("checkpoint", f"at {clock(at_s)}, took {took_s:.2f} s", width)]
    if earlier:
        before = ", ".join(clock(at_s) for at_s, _ in reversed(earlier))
        lines.append(_labelled("  before", before, width))
    return lines
