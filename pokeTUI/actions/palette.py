"""The command palette: every action of the table with its keys, and why some make no sense now."""

from typing import cast

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from pokeTUI.actions.base import ActionsApp
from pokeTUI.key_names import shown_key
from pokeTUI.keys.entry import KeyAction
from pokeTUI.keys.keymap import worded
from pokeTUI.panes.kinds import title_of
from pokeTUI.rendering.lines import shorten
from pokeTUI.splits import GAME

_WIDTH = 66
"""Columns of a line at most: what a palette has in a terminal of 80."""
_BY_SYNONYM = 10.0
"""Score of a word that is written beside the action: more than letters found here and there."""
_IMPOSSIBLE = 0.001
"""Factor of the score of what is not possible now, so that it comes last."""


class ActionsProvider(Provider):
    """Offer the table's actions."""

    @property
    def _cockpit(self) -> ActionsApp:
        return cast(ActionsApp, self.app)  # or the battle screen, whose entries have no pane

    async def discover(self) -> Hits:
        """Offer all of them: first what is possible now."""
        for entry in sorted(self._offered(), key=lambda one: bool(self._refusal(one))):
            yield DiscoveryHit(
                Content(_name(entry)), lambda e=entry: self._do(e), _name(entry), self._help(entry)
            )

    async def search(self, query: str) -> Hits:
        """Offer what `query` names: by a synonym, or by letters of the name or the sentence."""
        matcher = self.matcher(query)
        for entry in self._offered():
            score = max(matcher.match(_name(entry)), 0.5 * matcher.match(entry.help))
            if _is_called(entry, query):
                score += _BY_SYNONYM
            if score > 0:
                yield Hit(
                    score * (_IMPOSSIBLE if self._refusal(entry) else 1.0),
                    matcher.highlight(_name(entry)),
                    lambda e=entry: self._do(e),
                    _name(entry),
                    self._help(entry),
                )

    def _offered(self) -> list[KeyAction]:
        app = self._cockpit
        return [worded(one, app.dashboard) for one in app.table.entries if one.id != "palette"]

    def _help(self, entry: KeyAction) -> str:
        keys = "  ".join(shown_key(key) for key in entry.keys) or "no key"
        refusal = self._refusal(entry)
        return shorten(f"{keys}   " + (f"not now: {refusal}" if refusal else entry.group), _WIDTH)

    def _refusal(self, entry: KeyAction) -> str:
        return self._cockpit.table.refusal(entry, self._cockpit.dashboard)

    async def _do(self, entry: KeyAction) -> None:
        app = self._cockpit
        refusal = self._refusal(entry)
        if refusal:
            app.notify(f"{_name(entry)}: {refusal}", severity="warning", markup=False)
            return
        if entry.pane:
            app.board.activate(entry.pane)
        await app.run_action(entry.action)


def _name(entry: KeyAction) -> str:
    name = f"{title_of(entry.pane)}: {entry.title}" if entry.pane else entry.title
    if entry.id == f"pane_{GAME}":
        name = "Show or hide: Game"
    elif entry.id.startswith("pane_"):
        name = entry.help.rstrip(".")  # its title is the same for all panes
    return shorten(name, _WIDTH)


def _is_called(entry: KeyAction, query: str) -> bool:
    """Return whether a synonym of `entry` begins with `query`."""
    wanted = query.strip().casefold()
    return bool(wanted) and any(word.startswith(wanted) for word in entry.synonyms)
