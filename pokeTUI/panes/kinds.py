"""List the panes besides the game, in the order of their numbers."""

from pokeTUI.dashboard.conditions import lacks
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.draw.layout import FRAMES, PaneInfo
from pokeTUI.draw.splits import GAME
from pokeTUI.panes.curriculum import CurriculumPane
from pokeTUI.panes.decisions import DecisionsPane
from pokeTUI.panes.learning import LearningPane
from pokeTUI.panes.log import LogPane
from pokeTUI.panes.pane import Pane
from pokeTUI.panes.party import PartyPane
from pokeTUI.panes.reasoning import ReasoningPane
from pokeTUI.panes.rewards import RewardsPane
from pokeTUI.panes.system import SystemPane

PANES: tuple[type[Pane], ...] = (
    PartyPane,
    RewardsPane,
    ReasoningPane,
    CurriculumPane,
    LearningPane,
    DecisionsPane,
    LogPane,
    SystemPane,
)


def pane_infos() -> tuple[PaneInfo, ...]:
    """Return what each pane's class says about it."""
    return tuple(pane.INFO for pane in PANES)


def pane_keys() -> tuple[str, ...]:
    """Return the keys of all panes, the game first."""
    return GAME, *(pane.INFO.key for pane in PANES)


def title_of(key: str) -> str:
    """Return the title of the pane `key`."""
    return next((info.title for info in pane_infos() if info.key == key), "Game")


def absent_panes(state: DashboardState) -> frozenset[str]:
    """Return the keys of the panes that have nothing to show of this world."""
    needs = {GAME: FRAMES} | {info.key: info.needs for info in pane_infos()}
    return frozenset(key for key, need in needs.items() if lacks(state, need))
