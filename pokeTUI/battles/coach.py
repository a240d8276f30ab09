"""A review of a battle in words, and as a page for a browser."""

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any

from pokeTUI.battles.choices import read_request, words
from pokeTUI.battles.fold import fold_lines
from pokeTUI.battles.view import BattleView

if TYPE_CHECKING:
    from engine.battles.play.coach import Review, ReviewedDecision
    from engine.battles.play.search import Option

_WIDTH, _HEIGHT, _MARGIN = 720, 200, 36
"""Of the chart; the margin has its labels."""
_LEAST_COST = 0.05
"""Of the chance to win, from which a decision is a blunder."""
BLUNDERS = "Costliest decisions, in points of 100"
NO_BLUNDER = f"No decision cost {100 * _LEAST_COST:.0f} points of 100"
KINDS = {"played": "played", "best": "best", "both": "played ✓", "foe": "foe"}


@dataclass(frozen=True, slots=True)
class Reply:
    """A choice in words, and how often a good player would take it, 0 to 1.

    Attributes:
        kind: played, best, both, or foe.
    """

    kind: str
    share: float
    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """A decision in words. Chances are from 0 to 1, cost and luck differences of them.

    Attributes:
        when: "preview", the turn, or the turn and "switch" where it is asked who comes in.
        chance: Of the side to win, before the decision.
        cost: None: not known.
        luck: None: not known.
        replies: What was played, the best one, and the foe's likeliest.
    """

    when: str
    chance: float
    cost: float | None
    luck: float | None
    replies: tuple[Reply, ...]


def chance(value: float) -> float:
    """Return a value from -1 (lost) to 1 (won) as the chance to win."""
    return (value + 1) / 2


def rows(review: "Review") -> list[Row]:
    """Return the decisions of a review in words, in order."""
    found, view, place = [], BattleView(), 0
    for one in review.decisions:
        view = fold_lines(view, review.lines[place : one.asked.place])
        place = one.asked.place
        found.append(_row(one, view, review.side))
    return found


def _row(one: "ReviewedDecision", view: BattleView, side: int) -> Row:
    assert one.asked.request is not None

    def reply(kind: str, option: "Option", request: Mapping[str, Any], whose: int) -> Reply:
        foes = [mon.shown if mon else "" for mon in map(view.sides[1 - whose].mon, (0, 1))]
        return Reply(kind, option.share, words(read_request(request), option.code, foes))

    is_best = one.played is not None and one.played.code == one.best.code
    replies = [reply("both" if is_best else "best", one.best, one.asked.request, side)]
    if one.played is not None and not is_best:
        replies.insert(0, reply("played", one.played, one.asked.request, side))
    if one.foe_request is not None and one.analysis.answers:
        replies.append(reply("foe", one.analysis.answers[0], one.foe_request, 1 - side))
    return Row(
        _when(view, one.asked.request),
        chance(one.analysis.value),
        None if one.cost is None else one.cost / 2,
        None if one.luck is None else one.luck / 2,
        tuple(replies),
    )


def _when(view: BattleView, request: Mapping[str, Any]) -> str:
    if request.get("teamPreview"):
        return "preview"
    return f"{view.turn} switch" if request.get("forceSwitch") else str(view.turn)


def heading(review: "Review") -> str:
    """Return who played whom in what, and how it ended for the side."""
    own, foe = review.battle.players[review.side], review.battle.players[1 - review.side]
    ended = {1: "won", 0: "tied", -1: "lost"}[round(review.result)]
    return f"{own} against {foe}, {review.battle.format}: {ended}"


def blunders(shown: Sequence[Row], most: int) -> list[Row]:
    """Return the decisions that cost most, the worst first."""
    costly = [row for row in shown if row.cost is not None and row.cost >= _LEAST_COST]
    return sorted(costly, key=lambda row: -(row.cost or 0.0))[:most]


def points(difference: float | None, sign: int = 1) -> str:
    """Return a difference of chances in points of 100; "-" where it is not known."""
    if difference is None:
        return "-"
    return f"{round(100 * sign * difference):+d}".replace("+0", "0")


# As a page


def page(review: "Review", shown: Sequence[Row], about: str, most: int) -> str:
    """Return a page that needs no network, but for the viewer of Showdown at its end.

    Args:
        review: The review.
        shown: Its rows.
        about: Who judged, and how.
        most: How many blunders to list.
    """
    folder = files("pokeTUI")
    template = Template((folder / "battles" / "coach.html").read_text("utf-8"))
    return template.substitute(
        palette=(folder / "serve" / "page" / "statistics.palette.css").read_text("utf-8"),
        title=html.escape(heading(review)),
        about=html.escape(about),
        chart=_chart(shown),
        blunders=_blunder_list(blunders(shown, most)) if review.is_exact else "",
        rows="".join(map(_html_row, shown)),
        log=_log(review.lines),
    )


def _chart(shown: Sequence[Row]) -> str:
    """Return the chance to win by decision as SVG."""
    step = (_WIDTH - 2 * _MARGIN) / max(1, len(shown) - 1)
    height = _HEIGHT - 2 * _MARGIN
    places = [
        (_MARGIN + step * number, _MARGIN + height * (1 - row.chance))
        for number, row in enumerate(shown)
    ]
    scale = "".join(
        f'<line x1="{_MARGIN}" x2="{_WIDTH - _MARGIN}" y1="{y:.0f}" y2="{y:.0f}"/>'
        f'<text x="{_MARGIN - 6}" y="{y + 4:.0f}" text-anchor="end">{percent}</text>'
        for percent, y in ((each, _MARGIN + height * (1 - each / 100)) for each in (0, 50, 100))
    )
    marks = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"><title>{html.escape(row.when)}: '
        f"{row.chance:.0%}</title></circle>"
        f'<text x="{x:.1f}" y="{_HEIGHT - 10}" text-anchor="middle">{html.escape(row.when)}</text>'
        for (x, y), row in zip(places, shown, strict=True)
    )
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return f'{scale}<polyline points="{line}"/>{marks}'


def _html_row(row: Row) -> str:
    replies = "".join(
        f'<div class="{each.kind}"><b>{KINDS[each.kind]}</b> <i>{each.share:.0%}</i> '
        f"<span>{html.escape(each.text)}</span></div>"
        for each in row.replies
    )
    figures = (f"{row.chance:.0%}", points(row.cost, -1), points(row.luck))
    cells = "".join(f'<td class="number">{text}</td>' for text in figures)
    return f"<tr><th>{html.escape(row.when)}</th>{cells}<td>{replies}</td></tr>"


def _blunder_list(worst: Sequence[Row]) -> str:
    texts = (html.escape(blunder_text(row)) for row in worst)
    items = "".join(f"<li>{text}</li>" for text in texts)
    return f"<h2>{BLUNDERS if worst else NO_BLUNDER}</h2><ol>{items}</ol>"


def blunder_text(row: Row) -> str:
    """Return a blunder in a sentence."""
    texts = {each.kind: each.text for each in row.replies}
    when = row.when if row.when == "preview" else f"turn {row.when}"
    return f"{when}, {points(row.cost, -1)}: {texts['played']}. Better: {texts['best']}."


def _log(lines: Sequence[str]) -> str:
    """Return protocol lines as a downloaded replay has them, so that no line ends its script."""
    return "\n".join(lines).replace("/", "\\/").replace("<!--", "< !--")
