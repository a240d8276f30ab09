import dataclasses

import numpy as np

from engine.agents.evaluation import ALONE
from engine.agents.rules import ExploreAgent
from tests.engine.curriculum.test_archive import N, batch


def test_an_action_lasts_as_long_as_the_setting_says():
    agent = ExploreAgent(0, 8.0)
    actions = np.stack([agent.decide(batch(), ALONE).actions for _ in range(2000)])
    is_new = (actions[1:] != actions[:-1]).mean()
    assert 0.08 < is_new < 0.13  # an eighth is drawn, an eighth of that the same again


def test_a_masked_action_is_neither_drawn_nor_repeated():
    agent = ExploreAgent(0, 50.0)
    shown = batch()
    for _ in range(200):
        taken = agent.decide(shown, ALONE).actions
        assert shown.mask[np.arange(N), taken].all()
        mask = np.ones_like(shown.mask)
        mask[np.arange(N), taken] = False
        shown = dataclasses.replace(shown, mask=mask)


def test_saved_agent_goes_on_alike():
    agent, other = ExploreAgent(0, 4.0), ExploreAgent(5, 4.0)
    for _ in range(10):
        agent.decide(batch(), ALONE)
    other.load(*agent.save())
    agent.truncate_trajectory(1, batch())
    other.truncate_trajectory(1, batch())
    for _ in range(10):
        assert (agent.decide(batch(), ALONE).actions == other.decide(batch(), ALONE).actions).all()
