"""A small form for recording demonstrations; whoever just starts records until leaving."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from engine.config import RunConfig, load_config
from engine.errors import ConfigurationError, PokeTUIError
from engine.session import check_settings
from pokeTUI.start.choice import NewRecording
from pokeTUI.start.form import START, Field, FormScreen
from pokeTUI.units import seconds

if TYPE_CHECKING:
    from engine.recording_session import RecordingPlan


class RecordScreen(FormScreen):
    """Ask what is to be recorded.

    Args:
        save_dir: Where demonstrations are saved; None: where the settings say.

    Attributes:
        wanted: What was asked for, once "start" came back.
    """

    DEFAULT_CSS = "RecordScreen #listing_menu { height: 7; }"
    START_HINT = "enter starts; the footer shows the keys. Everything is saved as you play."
    FIELDS: ClassVar[Mapping[str, Field]] = {
        "task": Field("task", "–", "Task description, stored with each demonstration."),
        "set": Field("set", "none", "Dataset to record into; existing episodes count."),
        "episodes": Field("demonstrations", "until you leave", "Total episodes in the dataset."),
        "limit": Field("time limit", "none", "Maximum episode length: 90s, 5m, 1m30s."),
        "player": Field(
            "player",
            "you",
            "You, the rules or random; t takes over. Others: poketui record --player",
            ("", "rules", "random"),
        ),
        "rom": Field(
            "ROM",
            "MOSSLIGHT, the practice game",
            "The path of your own ROM, or mosslight-advance; empty: MOSSLIGHT.",
        ),
    }

    def __init__(self, save_dir: str | None, given: Mapping[str, str]) -> None:
        super().__init__("Record demonstrations")
        self._save_dir = save_dir
        self._given = dict(given)
        self.wanted: NewRecording | None = None

    def _value(self, key: str) -> str:
        return self._given.get(key, "")

    def _put(self, key: str, text: str) -> str:
        self._given[key] = text
        return ""

    def _refusal(self, key: str, text: str) -> str:
        return self._wrong({**self._given, key: text})

    def _wrong(self, given: Mapping[str, str]) -> str:
        """Return what is wrong with what was given, "" if nothing is."""
        try:
            config, _ = plan_of(given, self._save_dir)
            check_settings(config)
        except PokeTUIError as error:
            return str(error)
        return ""

    def _begin(self) -> None:
        wrong = self._wrong(self._given)
        if wrong:
            self.report(wrong)
            return
        self.wanted = NewRecording(self._given)
        self.dismiss(START)


def plan_of(given: Mapping[str, str], save_dir: str | None) -> "tuple[RunConfig, RecordingPlan]":
    """Return settings and plan of what was given in the form.

    Raises:
        ConfigurationError: Some of it cannot be.
    """
    # Here, not above: the form is there before what records is loaded.
    from engine.recording_session import RecordingPlan

    count = given.get("episodes", "")
    if count and not (count.isascii() and count.isdigit() and len(count) < 7):
        raise ConfigurationError(
            f"{count} is not a number of demonstrations.", "Use a whole number."
        )
    settings = {"rom_path": given.get("rom", ""), "save_dir": save_dir or ""}
    config = load_config(None, {key: value for key, value in settings.items() if value})
    plan = RecordingPlan(
        set_name=given.get("set", ""),
        episodes=int(count or 0),
        limit_s=seconds(given.get("limit", ""), "The time limit"),
        task=given.get("task", ""),
        player=given.get("player", ""),
        has_reset=True,
        has_review=True,
    )
    return config, plan
