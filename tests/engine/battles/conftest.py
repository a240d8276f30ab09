import pytest

from engine.battles.sim.setup import NodeCommand, find_simulator
from engine.errors import ConfigurationError


@pytest.fixture(scope="session")
def showdown() -> NodeCommand:
    """Return how to run the real simulator, where it is installed."""
    try:
        return find_simulator()
    except ConfigurationError as error:
        pytest.skip(str(error))
