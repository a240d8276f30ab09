"""Evaluate policies in a process of its own, with the descriptors SOCKET and WEIGHTS as arguments.

Started by `engine.training.background_evaluation`: the settings come over the inherited socket,
then an empty message for each policy whose weights lie in the inherited file, and an evaluation in
JSON goes back. It ends when the socket does.
"""

import dataclasses
import json
import os
import select
import socket
import sys
from typing import BinaryIO

import numpy as np
import torch

from engine.agents.base import HasPolicy, spaces_of
from engine.config import RunConfig
from engine.demos.recorded_env import make_env
from engine.env.array_world import ArrayWorld
from engine.env.host import LocalHost
from engine.env.worker import DONE, Channel, ignore_terminal
from engine.training.build import build_agent
from engine.training.evaluation import evaluate, evaluation_config


def serve(connection: socket.socket, weights: BinaryIO) -> None:
    """Evaluate what is asked for until the trainer closes the connection."""
    channel = Channel(connection)
    try:
        config = RunConfig.model_validate_json(channel.receive()[1])
        episodes = config.background_episodes
        few = evaluation_config(config, episodes)
        envs = [make_env(few, index) for index in range(few.num_envs)]
        vector = ArrayWorld(LocalHost(envs), few.num_envs)
        agent = build_agent(few, spaces_of(vector.reset(range(few.num_envs))))
        assert isinstance(agent, HasPolicy)
        while True:
            channel.receive()
            weights.seek(0)
            with np.load(weights, allow_pickle=False) as arrays:
                agent.load_policy(dict(arrays))
            found = evaluate(
                agent.player,
                vector,
                config,
                episodes,
                may_go_on=lambda: not select.select([connection], [], [], 0.0)[0],
                milestones=envs[0].env.milestone_keys,
            )
            if found is None:
                return  # nothing is asked meanwhile: the trainer is gone
            channel.send(DONE, json.dumps(dataclasses.asdict(found)).encode())
    except (EOFError, OSError):
        return


def main() -> None:
    """Serve on the inherited descriptors."""
    ignore_terminal()
    torch.set_num_threads(1)
    with socket.socket(fileno=int(sys.argv[1])) as connection:
        serve(connection, os.fdopen(int(sys.argv[2]), "rb"))
