"""Name the class of each pane besides the game."""

from collections.abc import Mapping
from types import MappingProxyType

from pokeTUI.panes.curriculum import CurriculumPane
from pokeTUI.panes.decisions import DecisionsPane
from pokeTUI.panes.learning import LearningPane
from pokeTUI.panes.log import LogPane
from pokeTUI.panes.pane import Pane
from pokeTUI.panes.party import PartyPane
from pokeTUI.panes.reasoning import ReasoningPane
from pokeTUI.panes.rewards import RewardsPane

PANE_TYPES: Mapping[str, type[Pane]] = MappingProxyType(
    {
        "party": PartyPane,
        "rewards": RewardsPane,
        "reasoning": ReasoningPane,
        "curriculum": CurriculumPane,
        "learning": LearningPane,
        "decisions": DecisionsPane,
        "log": LogPane,
    }
)
"""By the keys of `layout.PANES`."""
