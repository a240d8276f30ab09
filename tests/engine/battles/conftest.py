import pytest

from engine.battles.setup import NodeCommand, find_simulator
from engine.errors import ConfigurationError


@pytest.fixture(scope="session")
def showdown() -> NodeCommand:
    """Return how the real battle simulator is run, or skip where it is not installed."""
    try:
        return find_simulator()
    except ConfigurationError as error:
        pytest.skip(str(error))
