"""Where the reward comes from."""

from pokeTUI.panes.pane import Pane, empty
from pokeTUI.rendering.lines import Line, add_bar, signed
from pokeTUI.state import DashboardState
from pokeTUI.theme import Ink

_WIDE = 50


class RewardsPane(Pane):
    """Each component: this step, this episode, the mean episode of the run; then payouts."""

    def parts(self, state: DashboardState) -> tuple[object, ...]:
        """Return what the pane depends on."""
        return (state.reward, state.payouts)

    def lines(self, state: DashboardState, width: int, height: int) -> list[Line]:
        """Return the table, its sum and as many payouts as there is room for."""
        if state.reward is None:
            return empty("Nothing has been paid yet.", width)
        step = dict(state.reward.step.components)
        episode = dict(state.reward.episode)
        run = dict(state.reward.run)
        names = list(dict.fromkeys([*step, *episode, *run]))
        names = _most_important(names, episode, height - 2)
        columns = _columns(names, width)
        titles = ("step", "episode" if width >= _WIDE else "ep", "mean")
        lines = [_row("component", titles, columns, width, Ink.dim, (Ink.dim,) * 3)]
        peak = max([abs(value) for value in episode.values()] + [0.01])
        for name in names:
            value = episode.get(name, 0.0)
            numbers = (step.get(name, 0.0), value, run.get(name, 0.0))
            texts = tuple(
                signed(number, size) for number, size in zip(numbers, columns[1:], strict=True)
            )
            line = _row(name, texts, columns, width, Ink.text, tuple(map(_ink, numbers)))
            line.add("  " if width >= _WIDE else " ", Ink.text)
            ink = Ink.bad if value < 0 else Ink.good
            add_bar(line, abs(value) / peak, line.room, ink, Ink.faint, is_hatched=value < 0)
            lines.append(line)
        sums = tuple(
            signed(sum(part.values()), size)
            for part, size in zip((step, episode, run), columns[1:], strict=True)
        )
        lines.append(_row("sum", sums, columns, width, Ink.strong, (Ink.strong,) * 3))
        lines.extend(_payouts(state, width, height - len(lines)))
        return lines


def _columns(names: list[str], width: int) -> tuple[int, int, int, int]:
    """Return the widths of the name and of the three numbers."""
    label = max([11, *(len(name) for name in names)])
    if width >= _WIDE:
        return min(label, width - 30) + 1, 7, 7, 7
    return min(label, max(4, width - 25)), 6, 6, 6


def _row(
    label: str,
    texts: tuple[str, ...],
    columns: tuple[int, int, int, int],
    width: int,
    label_ink: Ink,
    inks: tuple[Ink, ...],
) -> Line:
    line = Line(width).add(label, label_ink, columns[0])
    for index, (text, size, ink) in enumerate(zip(texts, columns[1:], inks, strict=True)):
        gap = 1 if width >= _WIDE or index else 0
        line.add(text, ink, size + gap, right=True)
    return line


def _ink(number: float) -> Ink:
    if abs(number) < 0.0005:
        return Ink.dim
    return Ink.text if number > 0 else Ink.bad


def _most_important(names: list[str], episode: dict[str, float], room: int) -> list[str]:
    """Keep the order, drop the components with the smallest sums when there is no room."""
    if len(names) <= room:
        return names
    ranked = sorted(names, key=lambda name: -abs(episode.get(name, 0.0)))[: max(1, room)]
    return [name for name in names if name in ranked]


def _payouts(state: DashboardState, width: int, room: int) -> list[Line]:
    """Return the last payouts, newest first, below an empty line."""
    if room < 2 or not state.payouts:
        return []
    lines = [Line(width)]
    for payout in list(reversed(state.payouts))[: room - 1]:
        ink = Ink.good if payout.value >= 0 else Ink.bad
        line = Line(width).add(f"{signed(payout.value, 6)} ", ink, 7, right=True)
        lines.append(line.add(payout.cause or payout.component, Ink.dim))
    return lines
