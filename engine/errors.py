"""Define all errors: every one carries a hint of what the user can do."""


class PokeTUIError(Exception):
    """Say in one line what is wrong and, in `hint`, what to do about it.

    Attributes:
        is_permanent: Trying the same again brings the same error.
    """

    def __init__(self, message: str, hint: str = "", *, is_permanent: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.is_permanent = is_permanent

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class ConfigurationError(PokeTUIError):
    """A setting, option or config file is wrong."""


class EnvironmentError(PokeTUIError):
    """The emulator or the game cannot be set up."""


class ClosedError(EnvironmentError):
    """Something is used after it was closed."""

    def __init__(
        self, message: str = "The environment is closed.", hint: str = "Make a new one."
    ) -> None:
        super().__init__(message, hint)


class RomError(EnvironmentError):
    """The ROM file is missing, damaged or not supported."""


class TrainingError(PokeTUIError):
    """The training loop cannot continue."""


class WorkerError(TrainingError):
    """An environment process died or hung."""


class CheckpointError(PokeTUIError):
    """A saved run cannot be read or written; permanent: nothing of it can be resumed."""


class ReplayError(PokeTUIError):
    """A recorded episode cannot be played again."""


class DemoError(PokeTUIError):
    """A demonstration cannot be read, written or used."""


class BattleError(PokeTUIError):
    """A team, a format or a choice that the battle simulator does not accept."""


class VideoError(PokeTUIError):
    """A video cannot be written."""


class LLMConnectionError(PokeTUIError):
    """A language model server cannot be reached, or does not do what it is asked.

    Permanent: a key, a model's name or the request is not accepted.
    """


class DecisionValidationError(PokeTUIError):
    """A decision is impossible: a masked action, or an unknown source."""


class TerminalError(PokeTUIError):
    """The terminal cannot show the application."""


class AttachError(PokeTUIError):
    """A run cannot be shown or steered from outside."""


class ProtocolError(AttachError):
    """What came over the connection cannot be read."""
