from collections.abc import Iterator

import pytest

from engine.battles.sim.setup import NodeCommand, find_simulator
from engine.battles.sim.simulator import Simulator
from engine.errors import ConfigurationError


@pytest.fixture(scope="session")
def showdown() -> NodeCommand:
    """Return how to run the real simulator, where it is installed."""
    try:
        return find_simulator()
    except ConfigurationError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def simulator(showdown: NodeCommand) -> Iterator[Simulator]:
    """Return one that plays no battle, for what is asked of it besides."""
    with Simulator((), showdown) as found:
        yield found
