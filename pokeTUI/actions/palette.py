"""The command palette: every action of the table with its keys, and why some make no sense now."""

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from pokeTUI.actions.base import ActionsApp
from pokeTUI.key_names import shown_key
from pokeTUI.keys.entry import KeyAction


class ActionsProvider(Provider):
    """Offer the table's actions."""

    @property
    def _cockpit(self) -> ActionsApp:
        assert isinstance(self.app, ActionsApp)
        return self.app

    async def discover(self) -> Hits:
        """Offer all of them."""
        for entry in self._offered():
            yield DiscoveryHit(
                Content(_name(entry)), lambda e=entry: self._do(e), _name(entry), self._help(entry)
            )

    async def search(self, query: str) -> Hits:
        """Offer those whose name, group or sentence has the letters of `query`."""
        matcher = self.matcher(query)
        for entry in self._offered():
            score = max(matcher.match(_name(entry)), 0.5 * matcher.match(entry.help))
            if score > 0:
                yield Hit(
                    score,
                    matcher.highlight(_name(entry)),
                    lambda e=entry: self._do(e),
                    _name(entry),
                    self._help(entry),
                )

    def _offered(self) -> list[KeyAction]:
        return [entry for entry in self._cockpit.table.entries if entry.id != "palette"]

    def _help(self, entry: KeyAction) -> str:
        keys = "  ".join(shown_key(key) for key in entry.keys) or "no key"
        refusal = entry.refusal(self._cockpit.dashboard)
        return f"{keys}   {entry.group}" + (f"   not now: {refusal}" if refusal else "")

    async def _do(self, entry: KeyAction) -> None:
        app = self._cockpit
        refusal = entry.refusal(app.dashboard)
        if refusal:
            app.notify(f"{entry.title}: {refusal}", severity="warning", markup=False)
            return
        if entry.pane:
            app.board.activate(entry.pane)
        await app.run_action(entry.action)


def _name(entry: KeyAction) -> str:
    return f"{entry.pane}: {entry.title}" if entry.pane else entry.title
