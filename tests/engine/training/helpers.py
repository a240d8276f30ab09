"""Build trainers on the toy, stand in for Weights & Biases, and seal checkpoints."""

import io
import types
import weakref
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NoReturn

from engine.agents.base import spaces_of
from engine.agents.guided import GuidedPPO
from engine.config import PPOConfig, RunConfig
from engine.curriculum.scheduler import Curriculum
from engine.events import CommandRefused, EpisodeEnded, Event
from engine.games.base import Atlas, GameTables
from engine.loop.controls import CommandQueue
from engine.runs.checkpoint import CheckpointStore, seal
from engine.runs.journal import Journal
from engine.sessions.train import EngineSession
from engine.training.build import build_strategy, environment_seeds, first_strategy
from engine.training.trainer import Trainer
from engine.types import GAME_BOY_ACTIONS
from tests.engine.toy import ToyVector

PPO = PPOConfig(
    rollout_steps=16,
    minibatch_size=32,
    hidden_size=32,
    distillation_gradients=4,
    learning_rate=1e-3,
)

GAME = types.SimpleNamespace(
    milestones=(("goal", "The corner"),),
    actions=GAME_BOY_ACTIONS,
    atlas=Atlas(),
    tables=GameTables(),
    overworld=None,
)
"""The toy, as far as a trainer must know it."""


class Clock:
    """A clock that moves only when it is told to, or a little at every look."""

    def __init__(self, tick_s: float = 0.0) -> None:
        self.now_s = 1000.0
        self.tick_s = tick_s

    def __call__(self) -> float:
        self.now_s += self.tick_s
        return self.now_s


class Run:
    """A trainer with everything it told; on the toy unless `make_vector` makes another game."""

    def __init__(
        self, folder: Path, *, clock=None, agent=None, make_vector=ToyVector, **settings
    ) -> None:
        settings = {"num_envs": 4, "workers": 1, "headless": True, "ppo": PPO} | settings
        self.config = RunConfig(**settings)
        self.events: list[Event] = []
        self.commands = CommandQueue()
        self.vector = make_vector(self.config)
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.journal = Journal(folder / "journal.jsonl")
        weakref.finalize(self, self.journal.close)
        self.store = CheckpointStore(folder / "checkpoints", keep=3)
        batch = self.vector.reset(environment_seeds(self.config))
        self.trainer = Trainer(
            config=self.config,
            vector=self.vector,
            batch=batch,
            agent=agent or GuidedPPO(PPO, self.config.num_envs, spaces_of(batch), self.config.seed),
            curriculum=Curriculum(
                self.config.curriculum, 1.0, initial_strategy=first_strategy(self.config)
            ),
            strategy=build_strategy(self.config),
            make_vector=make_vector,
            store=self.store,
            journal=self.journal,
            game=GAME,
            commands=self.commands,
            emit=self.events.append,
            clock=clock or Clock(tick_s=1e-4),
        )

        self.trainer.state.known_goals = frozenset({"goal"})

    def resume(self) -> "Run":
        checkpoint, path, _ = self.store.load_newest()
        self.trainer.saving.restore(checkpoint)
        self.trainer.saving.checkpoint_path = str(path)
        return self

    def play(self):
        """Run to the end and return the result."""
        result = self.trainer.run()
        self.journal.close()
        return result

    def steps(self, count: int) -> None:
        """Take some steps, and learn from them when that is due."""
        for _ in range(count):
            self.trainer.step()
            if self.trainer.learning.actor.is_update_due:
                self.trainer._update()

    def obey(self, *commands) -> None:
        for command in commands:
            self.trainer.loop.obey(command)

    def of(self, kind: type) -> list:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def refusals(self) -> list[str]:
        return [event.reason for event in self.of(CommandRefused)]

    @property
    def curve(self) -> list:
        return [(e.episode, e.total_steps, e.summary) for e in self.of(EpisodeEnded)]

    @property
    def weights(self) -> bytes:
        """The policy's."""
        state = self.trainer.learning.agent.ppo.network.state_dict()
        return b"".join(tensor.numpy().tobytes() for tensor in state.values())

    @property
    def journal_text(self) -> str:
        return (self.folder / "journal.jsonl").read_text()


def played(folder: Path, *commands, **settings) -> Run:
    """Return a run that got these commands at its beginning, and came to its end."""
    run = Run(folder, **settings)
    for command in commands:
        run.commands.put(command)
    run.play()
    return run


def raising(error: BaseException) -> Callable[..., NoReturn]:
    """Return what stands for a call of the system that fails."""

    def fail(*arguments: object, **options: object) -> NoReturn:
        raise error

    return fail


def events_of(session: EngineSession) -> list[Event]:
    """Run a session to its end, and return what it told."""
    session.start()
    assert session.join(600)
    return session.mailbox.drain()


class FakeWandb(types.ModuleType):
    """The package's edge, as version 0.31 has it."""

    class Error(Exception):
        pass

    def __init__(self) -> None:
        super().__init__("wandb")
        self.__spec__ = types.SimpleNamespace(name="wandb")  # type: ignore[assignment]
        self.calls: list[tuple] = []
        self.is_logged_in = False
        self.failure: Exception | None = None

    def login(self, *, prompt: bool) -> bool:
        assert not prompt
        return self.is_logged_in

    def Settings(self, **settings):  # noqa: N802
        return settings

    def init(self, **options):
        if self.failure:
            raise self.failure
        self.calls.append(("init", options))
        return self

    def define_metric(self, name, *, step_metric):
        self.calls.append(("define_metric", name, step_metric))

    def log(self, figures):
        if self.failure:
            raise self.failure
        self.calls.append(("log", figures))

    def finish(self, *, exit_code):
        self.calls.append(("finish", exit_code))


def sealed(members: bytes | Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a checkpoint's file as it would be read, whatever is in it."""
    if not isinstance(members, bytes):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", method) as archive:
            archive.comment = bytes(64)
            for name, content in members.items():
                archive.writestr(name, content)
        members = file.getvalue()
    whole = bytearray(members)
    seal(whole)
    return bytes(whole)
