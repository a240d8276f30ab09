"""How far the hand-over from planner to policy has come."""

from math import isnan

from engine.events import CurriculumChanged
from pokeTUI.panes.pane import Pane, empty
from pokeTUI.rendering.lines import Line, add_bar, wrap
from pokeTUI.state import DashboardState
from pokeTUI.theme import Ink

_LABEL = 9


class CurriculumPane(Pane):
    """Stage, the planner's share, average reward against its threshold, what is missing."""

    def parts(self, state: DashboardState) -> tuple[object, ...]:
        """Return what the pane depends on."""
        return (state.curriculum,)

    def lines(self, state: DashboardState, width: int, height: int) -> list[Line]:
        """Return four lines, and below them what is missing and what the stage is for."""
        now = state.curriculum
        if now is None:
            return empty("The curriculum starts with the first episode.", width)
        figures = 13 if width < 60 else 16
        lines = [
            _stage(now, width),
            _share(now, width, figures),
            _reward(now, width, figures),
            _episodes(now, width, figures),
        ]
        if now.missing and height <= len(lines):
            lines.pop()  # What is missing says it as well.
        if now.missing:
            lines += _words("missing", now.missing, Ink.warn, width, height - len(lines))
        elif height > len(lines):
            lines.append(Line(width).add("This is the last stage.", Ink.good))
        lines += _words("focus", now.focus, Ink.text, width, height - len(lines))
        lines += _words("success", now.success_metrics, Ink.text, width, height - len(lines))
        return lines


def _words(label: str, text: str, ink: Ink, width: int, room: int) -> list[Line]:
    """Return a labelled text in as many lines as there is room for."""
    return [
        Line(width).add(label if index == 0 else "", Ink.dim, _LABEL).add(part, ink)
        for index, part in enumerate(wrap(text, width - _LABEL, room))
    ]


def _stage(now: CurriculumChanged, width: int) -> Line:
    line = Line(width).add("stage", Ink.dim, _LABEL)
    for stage in range(1, now.num_stages + 1):
        if stage > 1:
            line.add("─", Ink.accent if stage <= now.stage else Ink.faint)
        mark, ink = ("●", Ink.accent) if stage < now.stage else ("○", Ink.faint)
        if stage == now.stage:
            mark, ink = "◉", Ink.strong
        line.add(mark, ink)
    return line.add(f"  {now.stage} of {now.num_stages}", Ink.text).add(f"  {now.name}", Ink.strong)


def _share(now: CurriculumChanged, width: int, figures: int) -> Line:
    line = Line(width).add("planner", Ink.dim, _LABEL)
    add_bar(line, now.planner_share, line.room - figures, Ink.info, Ink.faint)
    return line.add(f" {now.planner_share:.0%} share", Ink.text, figures)


def _reward(now: CurriculumChanged, width: int, figures: int) -> Line:
    line = Line(width).add("reward", Ink.dim, _LABEL)
    average = "–" if isnan(now.average_reward) else f"{now.average_reward:.1f}"
    if isnan(now.threshold):
        return line.add(f"{average} on average", Ink.text)
    value = 0.0 if isnan(now.average_reward) else now.average_reward
    fraction = value / now.threshold if now.threshold > 0 else 1.0
    ink = Ink.good if fraction >= 1 else Ink.warn
    add_bar(line, fraction, line.room - figures, ink, Ink.faint)
    mark = " ✓" if fraction >= 1 else ""
    return line.add(f" {average} / {now.threshold:g}{mark}", Ink.text, figures)


def _episodes(now: CurriculumChanged, width: int, figures: int) -> Line:
    line = Line(width).add("episodes", Ink.dim, _LABEL)
    fraction = now.episodes_in_stage / max(1, now.min_episodes)
    ink = Ink.good if fraction >= 1 else Ink.warn
    add_bar(line, fraction, line.room - figures, ink, Ink.faint)
    mark = " ✓" if fraction >= 1 else ""
    return line.add(f" {now.episodes_in_stage} / {now.min_episodes}{mark}", Ink.text, figures)
