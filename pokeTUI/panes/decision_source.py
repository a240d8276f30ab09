"""Say what of the history of decisions is looked at, and fetch it; called in a thread."""

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import PokeTUIError
from engine.files import read_object
from engine.folders import user_path

if TYPE_CHECKING:
    from engine.history.reading import DecisionPage, PatternPage

    Found = DecisionPage | PatternPage | tuple[str, str]
    """A page, or what is wrong and what to do."""

_DEFAULT_FILE = "decisions.db"


@dataclass(frozen=True, slots=True)
class View:
    """What of the history is looked at.

    Attributes:
        source: By whom; "" for anybody.
        action: Which; None for any.
        outcome: success, failure, or "" for both.
        above: Decisions older than this id; None: the newest, as they come.
        before: `above` of the pages before this one.
        offset: Patterns that are left out before the first.
    """

    is_patterns: bool = False
    source: str = ""
    action: int | None = None
    outcome: str = ""
    above: int | None = None
    before: tuple[int | None, ...] = ()
    offset: int = 0

    @property
    def is_filtered(self) -> bool:
        """Return whether some are left out."""
        return bool(self.source or self.outcome or self.action is not None)

    def first_page(self) -> "View":
        """Return the view at its beginning."""
        return replace(self, above=None, before=(), offset=0)

    def toggled(self, choice: str) -> "View":
        """Return the view after a choice of `DecisionsPane.choices`; a second time undoes it."""
        kind, _, value = choice.partition(":")
        first = self.first_page()
        match kind:
            case "source":
                return replace(first, source="" if self.source == value else value)
            case "outcome":
                return replace(first, outcome="" if self.outcome == value else value)
            case "action":
                action = int(value)
                return replace(first, action=None if self.action == action else action)
            case _:
                return replace(first, source="", outcome="", action=None)


def fetch(run_dir: str, given: str, view: View, limit: int) -> tuple["Found", float]:
    """Read a page, or say why there is none; the second is the seconds of a core that it took."""
    from engine.history import reading  # noqa: F401 - what loading it takes is not counted

    began = time.thread_time()
    return _read(run_dir, given, view, limit), time.thread_time() - began


def _read(run_dir: str, given: str, view: View, limit: int) -> "Found":
    from engine.history.reading import Wanted, read_decisions, read_patterns

    try:
        path = history_path(run_dir, given)
        if view.is_patterns:
            return read_patterns(path, limit, view.offset, view.action)
        wanted = Wanted(view.source, view.action, view.outcome)
        return read_decisions(path, wanted, limit, view.above)
    except FileNotFoundError:
        if not path.parent.is_dir():
            return f"The run's folder {path.parent} does not exist.", "It may have been moved."
        if path.is_dir():
            return "The decision history is off.", f"{path.name} is a folder."
        return "No decision has been written yet.", "The history starts with the first ones."
    except TimeoutError:
        return "Another program has locked the history.", "Retrying every second."
    except PokeTUIError as error:
        return error.message, error.hint
    except OSError as error:
        return (
            f"The history cannot be read: {error.strerror or error}.",
            "Check its folder's permissions.",
        )


def history_path(run_dir: str, given: str) -> Path:
    """Return where a run's decisions are: as given here, else as its own settings say."""
    folder = user_path(run_dir)
    name = given
    if given == _DEFAULT_FILE:
        try:
            name = str(read_object(folder / "config.json").get("decision_db_path") or given)
        except ValueError:
            name = given
    return folder / user_path(name)
