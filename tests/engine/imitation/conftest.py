import pytest

from engine.config import RunConfig
from engine.imitation.cloning import rule_examples
from engine.imitation.examples import Examples
from engine.runs.cloning_settings import CloningConfig


@pytest.fixture(scope="session")
def practice(tmp_path_factory) -> RunConfig:
    """The practice game, its introduction played once."""
    return RunConfig(save_dir=str(tmp_path_factory.mktemp("saves")))


@pytest.fixture(scope="session")
def rule_demos(practice) -> Examples:
    """What the rules did in four episodes of the practice game."""
    examples, played = rule_examples(CloningConfig(), practice, 4)
    assert all(episode.is_success for episode in played)
    return examples
