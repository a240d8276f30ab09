"""Clones of the rules on the practice game: real demonstrations, real rollouts."""

import dataclasses

import numpy as np
import pytest

from engine.agents.evaluation import play_episodes
from engine.agents.rules import RandomAgent
from engine.config import EnvConfig
from engine.env.observation.pixels import sight_of
from engine.imitation.bc import Cloning
from engine.imitation.cloning import evaluate_clone, rule_examples
from engine.imitation.dagger import Dagger
from engine.imitation.games import make_games, play, policy_expert, rules_expert
from engine.imitation.networks import build_network
from engine.runs.cloning_settings import CloningConfig, DaggerConfig

pytestmark = pytest.mark.slow

CONFIG = CloningConfig(epochs=15, hidden_size=64, patience=0, learning_rate=1e-3)


def nobody(seed: int):
    return RandomAgent(seed).player(seed)


def milestones(played) -> float:
    return float(np.mean([len(episode.steps_to_milestone) for episode in played]))


def test_demonstrations_of_the_rules_hold_what_the_game_showed(rule_demos):
    assert len({*rule_demos.episodes}) == 4
    assert len(rule_demos.map_names) >= 6
    assert rule_demos.masks[np.arange(len(rule_demos)), rule_demos.actions].all()
    assert len(rule_demos) < 4 * 400  # they know their way


def test_demonstrations_are_the_same_with_the_same_seed(practice):
    two = [rule_examples(CONFIG, practice, 1)[0].digest() for _ in range(2)]
    assert two[0] == two[1]


def test_a_clone_of_four_demonstrations_gets_further_than_chance_by_four_milestones(
    practice, rule_demos
):
    cloning = Cloning(CONFIG, rule_demos)
    while not cloning.is_over:
        epoch = cloning.learn()
    assert epoch.validation.accuracy > 0.9
    assert {share.name for share in epoch.validation.maps} <= set(rule_demos.map_names)
    games = make_games(practice, 2, None, is_advised=False)
    try:
        chance = play_episodes(nobody(1), games, 2, seed=1)
        cloned = play_episodes(cloning.policy.player(1), games, 4, seed=1)
    finally:
        games.close()
    assert milestones(cloned) >= milestones(chance) + 4


def test_dagger_without_demonstrations_gets_further_than_chance(practice):
    config = DaggerConfig(rounds=4, episodes=3, envs=3, epochs=10)
    dagger = Dagger(config, CONFIG, rules_expert, nobody)
    games = make_games(practice, 3, None, is_advised=True)
    try:
        rounds = [dagger.round(games) for _ in range(4)]
    finally:
        games.close()
    assert dagger.is_over
    assert [found.beta for found in rounds] == [1.0, 0.25, 0.125, 0.0625]
    assert rounds[-1].agreement > 0.9
    assert rounds[-1].total == sum(found.labelled for found in rounds)
    found = evaluate_clone(dagger.policy, practice, 3)
    assert sum(found.milestones.values()) >= 4  # chance: 1 or 2 of 10


def test_only_states_that_the_expert_knows_an_action_in_are_noted(practice):
    short = practice.model_copy(update={"env": EnvConfig(max_steps=40, progress_steps=0)})
    games = make_games(short, 1, None, is_advised=True)
    rules, labels = rules_expert(0), []

    def expert(batch):
        known = rules(batch) if len(labels) % 2 else np.full(1, -1)
        labels.append(int(known[0]))
        return known

    try:
        examples, played = play(games, nobody(0), expert, beta=0.0, episodes=1, seed=0)
    finally:
        games.close()
    assert [episode.length for episode in played] == [40]
    assert list(examples.actions) == [label for label in labels if label >= 0]
    assert len(examples) <= 20


def test_a_policy_can_be_the_expert():
    class Batch:
        features = np.zeros((2, 3))

    def player(batch, guidance):
        assert guidance.planner_share == 0
        return type("Choices", (), {"actions": np.array([3, 4])})

    assert list(policy_expert(player)(Batch())) == [3, 4]


@pytest.mark.parametrize("network", ["ppo", "tiny"])
def test_screens_are_noted_as_the_network_sees_them(practice, network):
    config = CloningConfig(network=network, inputs="screen")
    examples, _ = rule_examples(config, practice, 1)
    assert examples.pixels.shape == (len(examples), *sight_of(config.encoder)((144, 160, 3)).shape)
    changes = (examples.pixels[1:] != examples.pixels[:-1]).any((1, 2, 3))
    assert changes.mean() > 0.5


def test_a_policy_that_sees_the_screen_plays_as_it_learnt(practice):
    config = CloningConfig(
        network="tiny", inputs="screen", hidden_size=32, learning_rate=2e-3, batch_size=32,
        epochs=40, patience=0, val_share=0.0,
    )  # fmt: skip
    # Out of the house and into the laboratory takes 27 steps at best.
    lessons, short = (
        practice.model_copy(update={"env": EnvConfig(max_steps=steps, progress_steps=0)})
        for steps in (40, 80)
    )
    examples, _ = rule_examples(config, lessons, 6)
    cloning = Cloning(config, examples)
    while not cloning.is_over:
        cloning.learn()
    judged = evaluate_clone(cloning.policy, short, 4)
    assert judged.milestones["left_bedroom"] == 1.0
    assert judged.milestones["left_house"] >= 0.5
    network = build_network(config, cloning.policy.spaces)
    chance = evaluate_clone(dataclasses.replace(cloning.policy, network=network), short, 4)
    assert chance.milestones.get("left_house", 0.0) < judged.milestones["left_house"]
    assert chance.milestones["entered_lab"] == 0.0
    assert evaluate_clone(cloning.policy, short, 4) == judged
