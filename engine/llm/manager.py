"""Say what the engine asks of a language model."""

from abc import abstractmethod
from typing import Any, Protocol


class BaseLLMManager(Protocol):
    """Whatever chooses an action from a situation in words; subclass it, or look like it."""

    @abstractmethod
    def get_action(self, context: str) -> tuple[int, dict[str, Any]]:
        """Choose an action.

        Training waits for the answer. One that is impossible now, and any exception, is counted,
        and the rules advise in its place.

        Args:
            context: The situation (`engine.strategy.text_state.describe`) and what may be done.

        Returns:
            The action's index, 0 to 8, and facts about it; "confidence", 0 to 1, is heeded.
        """
