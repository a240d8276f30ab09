"""Record demonstrations by the rules, at random, by a trained policy, a script or a file."""

import itertools
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from engine.config import RunConfig
from engine.demos.demonstration import GOAL, HASH_EVERY, MAP, MILESTONE, SUFFIX, Demonstration
from engine.demos.recording_log import log_path
from engine.demos.writer import DemoWriter
from engine.env.batch import Batch
from engine.env.game_env import GameEnv
from engine.env.observation.pixels import sight_of
from engine.env.stepping import SteppedEnv, make_game_env
from engine.errors import DemoError
from engine.games.catalog import load_game
from engine.planning.goals.planned import PlannedAdvisor

MAX_ACTIONS = 1 << 20
"""Most actions of a file."""
Chooser = Callable[[Batch], int]
"""Chooses an action from a batch of one: features, mask, prior and, if wanted, pixels."""


def record_policy(
    choose: Chooser,
    config: RunConfig,
    episodes: int,
    folder: Path,
    *,
    by: str = "policy",
    task: str = "",
    tags: frozenset[str] = frozenset(),
    max_steps: int = 0,
    is_advised: bool = True,
    clock: Callable[[], float] = time.time,
) -> Iterator[tuple[Path, Demonstration]]:
    """Let a policy play, and record every episode; yield each file when it is finished.

    Args:
        choose: The policy. One of `engine.agents` is called as
            `lambda batch: int(player(batch, guidance).actions[0])`.
        config: Names the game, the seed of its random numbers, and what the policy sees.
        episodes: How many to record.
        folder: Where they are written.
        by: The policy's name.
        task: What is shown.
        tags: Single words.
        max_steps: Steps after which an episode is left; 0: only where it ends.
        is_advised: Ask the rules at every step, for `Batch.prior`.
        clock: Seconds since 1970.

    Raises:
        DemoError: A file cannot be written.
        PokeTUIError: The game cannot be set up.
    """
    env = make_game_env(config, 0)
    advisor = PlannedAdvisor(env.game, 0, config.seed) if is_advised else None
    with closing(SteppedEnv(env, advisor, sight=sight_of(config.encoder))) as stepped:
        for number in range(episodes):
            stepped.begin(None if number else config.seed)
            head = head_of_env(env, by=by, task=task, tags=tags, created_s=clock())
            writer = begin_writing(folder, head)
            try:
                writer.event(MAP, stepped.place)
                reward, is_over = 0.0, False
                while not is_over:
                    action = choose(batch_of(stepped, reward))
                    reward, is_terminated, is_truncated = stepped.step(action)
                    is_over = is_terminated or is_truncated
                    writer.step(action, reward, done=is_over)
                    note_step(writer, env, is_terminated=is_terminated)
                    is_over = is_over or 0 < max_steps <= writer.draft.length
            except BaseException:  # what was played stays for `recover`; it is raised again
                writer.close()
                raise
            yield writer.path, writer.finish(env.memory_digest(), choices=env.choices)


def rules_policy(seed: int, random: np.random.Generator | None = None) -> Chooser:
    """Return a policy that does what the rules advise, or draws where they advise nothing.

    It draws from `random`, None: from what `rules_random` returns.
    """
    rng = random or rules_random(seed)

    def choose(batch: Batch) -> int:
        advised = np.where(batch.mask[0], batch.prior[0], -1.0)
        return int(rng.choice(np.flatnonzero(advised == advised.max())))

    return choose


def rules_random(seed: int) -> np.random.Generator:
    """Return what `rules_policy` draws from."""
    return np.random.default_rng([seed, 3])


def random_policy(seed: int, random: np.random.Generator | None = None) -> Chooser:
    """Return a policy that draws from the valid actions, by `random` or what `seed` makes."""
    rng = random or uniform_random(seed)
    return lambda batch: int(rng.choice(np.flatnonzero(batch.mask[0])))


def uniform_random(seed: int) -> np.random.Generator:
    """Return what `random_policy` draws from."""
    return np.random.default_rng([seed, 5])


def record_actions(
    actions: bytes,
    config: RunConfig,
    folder: Path,
    *,
    random: tuple[int, int] | None = None,
    by: str = "script",
    has_limits: bool = True,
    clock: Callable[[], float] = time.time,
) -> tuple[Path, Demonstration]:
    """Play actions, one byte each, until the episode ends; return the file and the demonstration.

    `random` is the game's random state at the start, None: by the settings' seed. `has_limits`: the
    settings' limits of steps may end the episode; a person has none.

    Raises:
        DemoError: The file cannot be written.
        PokeTUIError: The game cannot be set up.
    """
    with closing(make_game_env(config, 0)) as env:
        env.seed_random(config.seed)
        if not has_limits:
            env.lift_limits()
        if random is None:
            env.begin_episode()
        else:
            env.begin_recorded(random)
        writer = begin_writing(folder, head_of_env(env, by=by, created_s=clock()))
        try:
            writer.event(MAP, env.state.place.name)
            for action in actions:
                reward, is_terminated, is_truncated = env.advance(action)
                writer.step(action, reward, done=is_terminated or is_truncated)
                note_step(writer, env, is_terminated=is_terminated)
                if is_terminated or is_truncated:
                    break
            return writer.path, writer.finish(env.memory_digest(), choices=env.choices)
        except BaseException:  # Ctrl-C too must leave no partial file; it is raised again
            writer.discard()
            raise


def import_actions(
    actions: Sequence[int] | np.ndarray[Any, np.dtype[np.int64]],
    config: RunConfig,
    folder: Path,
    *,
    origin: Path,
    random: tuple[int, int] | None = None,
) -> tuple[Demonstration, Path]:
    """Play actions from the start of a game; return the demonstration and its file.

    Actions after the goal are left out. Where a limit of steps would end the episode before, it is
    lifted, as for a person.

    Raises:
        DemoError: There are none, or one is invalid.
    """
    given = np.asarray(actions)
    if not 0 < len(given) <= MAX_ACTIONS:
        raise DemoError(f"{origin} contains no actions, or too many.", "Use another file.")
    names = load_game(config.rom_path, config.allow_unknown_rom).actions.names
    if given.min() < 0 or given.max() >= len(names):
        raise DemoError(
            f"{origin} contains actions that this game does not have.",
            f"Allowed values: 0 to {len(names) - 1} ({', '.join(names)}).",
        )
    inputs = given.astype(np.uint8).tobytes()
    record = partial(record_actions, inputs, config, folder, random=random, by="import")
    path, demo = record()
    if demo.episode_length < len(inputs) and not demo.is_success:
        path.unlink()
        path, demo = record(has_limits=False)
    return demo, path


def head_of_env(
    env: GameEnv,
    *,
    by: str = "human",
    task: str = "",
    tags: frozenset[str] = frozenset(),
    created_s: float = 0.0,
) -> Demonstration:
    """Return the demonstration that begins now, at an episode's start or amidst it."""
    recording, game = env.recording(), env.game
    length = len(recording.actions)
    return Demonstration(
        replace(recording, memory=""),
        env.start_state,
        np.zeros(length, np.float32),
        np.zeros(length, np.bool_),
        tags=tags,
        task=task,
        by=by,
        created_s=created_s,
        settings=settings_of(env),
        action_names=game.actions.names,
        frame_shape=game.frame_shape,
        frames_per_s=game.frames_per_s,
    )


def settings_of(env: GameEnv) -> str:
    """Return an environment's settings, as for `Demonstration.settings`.

    The weights are the current ones: a person may have changed some.
    """
    fields = type(env.rewards).model_fields
    weights = {name: weight for name, weight in env.reward_weights if name in fields}
    rewards = env.rewards.model_dump(mode="json") | weights
    extra = sorted(rewards.pop("extra", {}))
    facts = {
        "env": env.config.model_dump(mode="json", exclude={"features"}),
        "rewards": rewards,
        "extra": extra,
    }
    return json.dumps(facts, separators=(",", ":"), sort_keys=True)


def begin_writing(folder: Path, head: Demonstration) -> DemoWriter:
    """Return a writer of a new file in `folder`.

    Raises:
        DemoError: It cannot be written.
    """
    return DemoWriter(free_path(folder, head.by, head.created_s), head)


def free_path(folder: Path, by: str, created_s: float) -> Path:
    """Return a path for a demonstration that is not taken in `folder`."""
    when = time.strftime("%Y%m%d-%H%M%S", time.localtime(created_s))
    who = "".join(letter if letter.isalnum() else "-" for letter in by)
    paths = (folder / f"{when}-{who}-{number:03}{SUFFIX}" for number in itertools.count(1))
    return next(path for path in paths if not (path.exists() or log_path(path).exists()))


def note_step(writer: DemoWriter, env: GameEnv, *, is_terminated: bool) -> None:
    """Write the events of a step, and the memory's hash where it is due."""
    note_events(writer, env, env.just_reached, is_goal=is_terminated)
    if writer.draft.length % HASH_EVERY == 0:
        writer.memory(env.memory_digest())


def note_events(writer: DemoWriter, env: GameEnv, reached: Iterable[str], *, is_goal: bool) -> None:
    """Write reached milestones, the goal, and the map that the player is on."""
    for key in reached:
        writer.event(MILESTONE, key)
    if is_goal:
        writer.event(GOAL, env.config.goal or "badge")
    writer.event(MAP, env.state.place.name)


def batch_of(stepped: SteppedEnv, reward: float = 0.0) -> Batch:
    """Return the current observation as a batch of one, in which no episode ended."""
    features = stepped.features[None].copy()
    no = np.zeros(1, np.bool_)
    return Batch(
        features=features,
        mask=stepped.mask[None].copy(),
        prior=stepped.prior[None].copy(),
        advice_confidence=np.array([stepped.confidence], np.float32),
        rewards=np.array([reward], np.float32),
        terminated=no,
        truncated=no.copy(),
        final_features=np.zeros_like(features),
        pixels=None if stepped.pixels is None else stepped.pixels[None].copy(),
        is_walking=np.array([stepped.is_walking]),
    )
