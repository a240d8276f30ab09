"""Define `poketui bc`: clone a policy from demonstrations, or by DAgger."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.errors import ConfigurationError
from engine.ground.folders import user_path
from engine.ground.text import counted
from pokeTUI.cli.completion import complete_sets
from pokeTUI.cli.options import (
    AnyRom,
    Core,
    Game,
    LlmBackend,
    Seed,
    StartState,
    chosen_rom,
    given,
    planner_model,
)
from pokeTUI.terminal.printing import say

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from engine.imitation.bc import Epoch
    from engine.imitation.dagger import Round
    from engine.types import Evaluation


def bc(
    demos: Annotated[
        str,
        typer.Argument(
            metavar="[DEMOS]",
            help="Dataset, folder or file of demonstrations.",
            show_default="those outside any dataset",
            autocompletion=complete_sets,
        ),
    ] = "",
    rules: Annotated[
        int,
        typer.Option(
            min=0, max=1_000_000, help="Also generate this many demonstrations with the rules."
        ),
    ] = 0,
    tag: Annotated[
        list[str] | None,
        typer.Option(metavar="TAG", help="Only demonstrations with this tag; repeatable."),
    ] = None,
    by: Annotated[str, typer.Option(help="Only demonstrations by this player, e.g. human.")] = "",
    success: Annotated[
        bool, typer.Option("--success", help="Only successful demonstrations.")
    ] = False,
    network: Annotated[
        str | None,
        typer.Option(
            help="ppo, dqn, impala, nature or tiny; any can be fine-tuned (run --from).",
            show_default="ppo",
        ),
    ] = None,
    inputs: Annotated[
        str | None, typer.Option(help="features, screen or both.", show_default="features")
    ] = None,
    hidden_size: Annotated[
        int | None,
        typer.Option(
            "--hidden-size", "--hidden-dim", help="Hidden layer width.", show_default="256"
        ),
    ] = None,
    epochs: Annotated[int | None, typer.Option(help="Number of epochs.", show_default="40")] = None,
    batch_size: Annotated[int | None, typer.Option(help="Batch size.", show_default="64")] = None,
    lr: Annotated[
        float | None,
        typer.Option("--lr", "--learning-rate", help="Learning rate.", show_default="3e-4"),
    ] = None,
    weight_decay: Annotated[
        float | None, typer.Option(help="Weight decay.", show_default="1e-4")
    ] = None,
    balance: Annotated[
        float | None, typer.Option(help="Oversampling of rare actions, 0 to 1.", show_default="1")
    ] = None,
    val_share: Annotated[
        float | None, typer.Option(help="Validation share of the episodes.", show_default="0.2")
    ] = None,
    patience: Annotated[
        int | None, typer.Option(help="Early stopping after this many epochs.", show_default="10")
    ] = None,
    eval_episodes: Annotated[
        int | None, typer.Option(help="Episodes per evaluation.", show_default="10")
    ] = None,
    eval_every: Annotated[
        int | None, typer.Option(help="Epochs between evaluations.", show_default="10")
    ] = None,
    save_every: Annotated[
        int | None, typer.Option(help="Epochs between checkpoints.", show_default="5")
    ] = None,
    seed: Seed = None,
    device: Annotated[
        str | None, typer.Option(help="auto, cpu or cuda.", show_default="auto")
    ] = None,
    dagger: Annotated[
        str,
        typer.Option(
            metavar="EXPERT",
            help="Run DAgger with this expert: rules, planner or a policy.",
        ),
    ] = "",
    llm_model: Annotated[str | None, planner_model("--dagger planner")] = None,
    llm_backend: LlmBackend = None,
    rounds: Annotated[int | None, typer.Option(help="DAgger rounds.", show_default="8")] = None,
    round_episodes: Annotated[
        int | None, typer.Option(help="Episodes per round.", show_default="6")
    ] = None,
    beta: Annotated[
        float | None, typer.Option(help="Initial expert mixing ratio (beta).", show_default="0.5")
    ] = None,
    game: Game = None,
    rom: Annotated[
        str | None,
        typer.Option(
            "--rom", "--rom-path", help="Your ROM file, instead of --game.", show_default="none"
        ),
    ] = None,
    core: Core = None,
    state: StartState = None,
    allow_unknown_rom: AnyRom = False,
    exp_name: Annotated[
        str, typer.Option(help="Name prefix of the policy.", show_default="the time")
    ] = "",
    track: Annotated[
        bool, typer.Option("--track/--no-track", help="Log to Weights & Biases.")
    ] = False,
    wandb_project_name: Annotated[
        str, typer.Option(help="Weights & Biases project.", show_default="pokemon-il")
    ] = "",
    resume: Annotated[
        str,
        typer.Option(
            metavar="[NAME]",
            help="Resume training a cloned policy.",
            show_default="the latest, if no NAME",
        ),
    ] = "",
    save_dir: Annotated[
        str | None,
        typer.Option(
            "--save-dir", "--model-dir", help="Folder for saved policies.", show_default="saves"
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print errors only.")] = False,
    expert_data_dir: Annotated[
        str, typer.Option(metavar="FOLDER", help="Folder of demonstrations, instead of DEMOS.")
    ] = "",
    total_training_steps: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Batches to learn from, instead of --epochs."),
    ] = None,
    eval_frequency: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Batches between evaluations, instead of --eval-every."
        ),
    ] = None,
    save_frequency: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Batches between checkpoints, instead of --save-every."
        ),
    ] = None,
    save_best: Annotated[
        bool | None,
        typer.Option(
            "--save-best/--no-save-best",
            help="Keep the checkpoint with the best evaluation.",
            show_default="save-best",
        ),
    ] = None,
    torch_deterministic: Annotated[
        bool | None,
        typer.Option(
            "--torch-deterministic/--no-torch-deterministic",
            help="Let cuDNN use deterministic algorithms only.",
            hidden=True,  # with its long names the help does not fit 80 columns
        ),
    ] = None,
    cuda: Annotated[
        bool | None,
        typer.Option(
            "--cuda/--no-cuda",
            help="--device auto or cpu.",
            hidden=True,
        ),
    ] = None,
) -> None:
    """Train a policy by behavioural cloning, or DAgger."""
    # Here, not above: these load the learning library.
    from engine.config import load_config
    from engine.imitation.aggregation import aggregate
    from engine.imitation.from_demonstrations import PROJECT, Source, clone_policy
    from engine.planning.models.backends import make_backends
    from engine.runs.policy_folders import PolicyFolder, list_policies
    from pokeTUI.saved import saves

    settings = given(
        network=network, inputs=inputs, hidden_size=hidden_size, epochs=epochs,
        batch_size=batch_size, learning_rate=lr, weight_decay=weight_decay, balance=balance,
        val_share=val_share, patience=patience, eval_episodes=eval_episodes,
        eval_every=eval_every, save_every=save_every, seed=seed, device=_device(device, cuda),
        total_training_steps=total_training_steps, eval_frequency=eval_frequency,
        save_frequency=save_frequency, save_best=save_best, deterministic=torch_deterministic,
    )  # fmt: skip
    folder = saves(save_dir)
    played = given(
        rom_path=chosen_rom(rom, game), start_state=state,
        allow_unknown_rom=allow_unknown_rom or None,
        llm_model=llm_model, llm_backend=llm_backend,
    )  # fmt: skip
    if demos and expert_data_dir:
        raise ConfigurationError(
            "DEMOS and --expert-data-dir are the same setting.", "Give one of them."
        )
    if (llm_model or llm_backend) and dagger != "planner":
        raise ConfigurationError(
            "--llm-model and --llm-backend need --dagger planner.", "Add --dagger planner."
        )
    config = load_config(None, played)
    if config.models and dagger == "planner":
        make_backends(config)  # what is wrong with them is reported before anything is created
    if not resume and "seed" in config.model_fields_set:  # a variable
        settings = {"seed": config.seed} | settings
    if wandb_project_name and not track:
        raise ConfigurationError("--wandb-project-name needs --track.", "Add --track.")
    if exp_name and resume:
        raise ConfigurationError(
            "--exp-name names a new policy, not a resumed one.", "Leave --exp-name out."
        )
    project = wandb_project_name or PROJECT
    ways = given(rounds=rounds, episodes=round_episodes, beta_start=beta)
    if ways and not dagger and not resume:
        raise ConfigurationError(
            "--rounds, --round-episodes and --beta need --dagger.", "Add --dagger rules."
        )
    if expert_data_dir or (demos and user_path(demos).exists()):
        recorded = expert_data_dir or demos
    else:  # a set's name; without one those of no set, if there is nothing else to learn from
        has_other = not demos and (rules or dagger or resume)
        recorded = "" if has_other else str(Path(folder) / "demos" / demos)
    source = Source(recorded, rules, tuple(tag or ()), by, success)
    printer = _Printer(is_quiet=quiet)
    former = {info.path for info in list_policies(folder)}
    with printer:
        try:
            if dagger or (resume and "dagger" in PolicyFolder.find(folder, resume).settings()):
                path = aggregate(
                    folder, settings, ways, source,
                    expert=dagger or "rules", game=played, resume=resume, report=printer.show,
                    name=exp_name, is_tracked=track, project=project,
                ).folder  # fmt: skip
            else:
                path = clone_policy(
                    folder, settings, source, game=played, resume=resume, report=printer.show,
                    name=exp_name, is_tracked=track, project=project,
                ).folder  # fmt: skip
        except KeyboardInterrupt:
            new = [info.path for info in list_policies(folder) if info.path not in former]
            begun = [PolicyFolder.find(folder, resume).path] if resume else new
            printer.say(_how_to_resume(begun))
            raise typer.Exit(130) from None
    if not quiet:
        say(f"Saved in {path}. {_what_next(path)}")


def _device(device: str | None, cuda: bool | None) -> str | None:
    """Return the device that either option names."""
    if cuda is None:
        return device
    if device is not None and (device == "cpu") is cuda:
        raise ConfigurationError(
            f"--device {device} contradicts --{'' if cuda else 'no-'}cuda.", "Give one of them."
        )
    return device or ("auto" if cuda else "cpu")


def _how_to_resume(paths: list[Path]) -> str:
    """Say how one of the policies is cloned on, if there is something of it."""
    from engine.runs.policy_folders import PolicyFolder

    for path in paths:
        if PolicyFolder(path).store(1).paths():
            return f"Stopped. Resume with: poketui bc --resume {shlex.quote(str(path))}"
    return "Stopped before the first checkpoint."


def _what_next(path: Path) -> str:
    """Say how a policy is trained on; where several agents can have its network, PPO and DQN."""
    from engine.runs.policy_folders import PolicyFolder

    network = PolicyFolder(path).settings()["cloning"]["network"]
    agents = "" if network in {"ppo", "dqn"} else " --agent dqn (or ppo)"
    return f"Fine-tune it: poketui run --from {path.name}{agents}"


class _Printer:
    """Show how far it is on stderr, and what came of it on stdout."""

    def __init__(self, *, is_quiet: bool) -> None:
        self._is_quiet = is_quiet
        self._bar: Bar | None = None
        self._task: Any = None
        self._what = ""

    def __enter__(self) -> "_Printer":
        if not self._is_quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                Progress,
                TextColumn,
                TimeRemainingColumn,
            )

            columns = (
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
            )
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, news: Any) -> None:
        """Show how far it is, or what came of it."""
        from engine.imitation.bc import Epoch
        from engine.imitation.cloning import Note
        from engine.imitation.dagger import Round
        from engine.types import Evaluation

        match news:
            case Epoch():
                self.say(_epoch_line(news))
            case Round():
                self.say(_round_line(news))
            case Note(text):
                self.say(text)
            case Evaluation():
                self.say(_evaluation_line(news))
            case _ if self._bar is not None:
                if news.what != self._what:
                    if self._task is not None:
                        self._bar.remove_task(self._task)
                    self._task = self._bar.add_task(news.what, total=news.total)
                    self._what = news.what
                self._bar.update(self._task, completed=news.done, total=news.total)

    def say(self, text: str) -> None:
        """Print a line above the bar."""
        if self._is_quiet:
            return
        if self._bar is not None:
            self._bar.console.file.flush()
            self._bar.stop()
            say(text)
            self._bar.start()
        else:
            say(text)


def _epoch_line(epoch: "Epoch") -> str:
    text = f"epoch {epoch.number:>3}  loss {epoch.loss:.3f}  accuracy {epoch.accuracy:.1%}"
    if epoch.validation is None:
        return text
    found = epoch.validation
    text += f"  val loss {found.balanced_loss:.3f}  val accuracy {found.accuracy:.1%}"
    worst = min(found.maps, key=lambda share: share.accuracy)
    text += f"  worst map {worst.name} {worst.accuracy:.0%} of {worst.total:,}"
    return text + "  best" * epoch.is_best


def _round_line(one: "Round") -> str:
    won = sum(episode.is_success for episode in one.played)
    agreed = "" if one.agreement is None else f"  agreement {one.agreement:.1%}"
    return (
        f"round {one.number:>3}  beta {one.beta:.0%}  {counted(one.labelled, 'label')}, "
        f"{one.total:,} in total{agreed}  success {won} of {len(one.played)}"
    )


def _evaluation_line(result: "Evaluation") -> str:
    from pokeTUI.saved import share_text

    won = share_text(round(result.success_rate * result.episodes), result.episodes)
    length = counted(round(result.avg_length), "step")
    return f"evaluation: success {won}, return {result.avg_reward:z.1f}, {length}"
