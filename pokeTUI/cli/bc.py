"""Define `poketui bc`: clone a policy from demonstrations, or by DAgger."""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.ground.folders import user_path
from engine.ground.text import counted
from pokeTUI.cli import options
from pokeTUI.cli.completion import complete_sets
from pokeTUI.cli.options import refuse_if
from pokeTUI.cli.progress import Bar, progress
from pokeTUI.terminal.printing import say

if TYPE_CHECKING:
    from engine.imitation.bc import Epoch
    from engine.imitation.dagger import Round
    from engine.imitation.from_demonstrations import Source
    from engine.types import Evaluation


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """Which demonstrations to learn from.

    Attributes:
        rules: Also generate this many demonstrations with the rules.
        tag (TAG): Only demonstrations with this tag; repeatable.
        by: Only demonstrations by this player, e.g. human.
        success: Only successful demonstrations.
        expert_data_dir (FOLDER): Folder of demonstrations, instead of DEMOS.
    """

    rules: Annotated[int, typer.Option(min=0, max=1_000_000)] = 0
    tag: list[str] | None = None
    by: str = ""
    success: bool = False
    expert_data_dir: str = ""

    def source(self, demos: str, save_dir: str, *, has_other: bool) -> "Source":
        """Return what to learn from: a file, folder or dataset; unnamed, what no dataset holds.

        Unnamed, there are no recorded demonstrations if rules or another source can do instead.
        """
        from engine.imitation.from_demonstrations import Source

        message = "DEMOS and --expert-data-dir are the same setting."
        refuse_if(demos and self.expert_data_dir, message, "Give one of them.")
        found = self.expert_data_dir or demos
        if not found and (has_other or self.rules):
            found = ""
        elif not self.expert_data_dir and not (demos and user_path(demos).exists()):
            found = str(Path(save_dir) / "demos" / demos)
        return Source(found, self.rules, tuple(self.tag or ()), self.by, self.success)


@dataclass(frozen=True, slots=True)
class ScriptOptions:
    """Options by the names that they have in CleanRL's scripts.

    Attributes:
        total_training_steps (N): Batches to learn from, instead of --epochs.
        eval_frequency (N): Batches between evaluations, instead of --eval-every.
        save_frequency (N): Batches between checkpoints, instead of --save-every.
        cuda: --device auto or cpu.
        exp_name: Name prefix of the policy. Default: the time.
        track: Log to Weights & Biases.
        wandb_project_name: Weights & Biases project. Default: pokemon-il.
    """

    total_training_steps: Annotated[int | None, typer.Option(min=1)] = None
    eval_frequency: Annotated[int | None, typer.Option(min=1)] = None
    save_frequency: Annotated[int | None, typer.Option(min=1)] = None
    cuda: bool | None = None
    exp_name: str = ""
    track: Annotated[bool, typer.Option("--track/--no-track")] = False
    wandb_project_name: str = ""

    def settings(self, device: str | None) -> dict[str, Any]:
        """Return the settings of cloning that they stand for; `device` is the value of --device."""
        if self.cuda is not None:
            is_other = device is not None and (device == "cpu") is self.cuda
            message = f"--device {device} contradicts --{'' if self.cuda else 'no-'}cuda."
            refuse_if(is_other, message, "Give one of them.")
            device = device or ("auto" if self.cuda else "cpu")
        return options.given(
            total_training_steps=self.total_training_steps,
            eval_frequency=self.eval_frequency,
            save_frequency=self.save_frequency,
            device=device,
        )

    def logging(self, resume: str) -> dict[str, Any]:
        """Return the policy's name and what concerns Weights & Biases."""
        project = self.wandb_project_name
        message = "--wandb-project-name needs --track."
        refuse_if(project and not self.track, message, "Add --track.")
        message = "--exp-name names a new policy, not a resumed one."
        refuse_if(self.exp_name and resume, message, "Leave --exp-name out.")
        named = {"project": project} if project else {}
        return {"name": self.exp_name, "is_tracked": self.track} | named


def bc(
    demos: Annotated[str, complete_sets] = "",
    /,
    *,
    given: Annotated[
        options.Given,
        "cloning.network cloning.inputs cloning.hidden_size=--hidden-size,--hidden-dim "
        "cloning.epochs cloning.batch_size cloning.learning_rate=--lr,--learning-rate "
        "cloning.weight_decay cloning.balance cloning.val_share cloning.patience "
        "cloning.eval_episodes cloning.eval_every cloning.save_every cloning.save_best "
        "cloning.deterministic=--torch-deterministic/--no-torch-deterministic cloning.seed "
        "cloning.device dagger.rounds dagger.episodes=--round-episodes dagger.beta_start=--beta "
        "rom_path=--rom,--rom-path start_state=--state allow_unknown_rom llm_model llm_backend",
    ],
    wanted: DemoOptions,
    scripts: ScriptOptions,
    dagger: str = "",
    resume: str = "",
    save_dir: Annotated[str | None, typer.Option("--save-dir", "--model-dir")] = None,
    quiet: bool = False,
) -> None:
    """Train a policy by behavioural cloning, or DAgger.

    Args:
        demos ([DEMOS]): Dataset, folder or file of demonstrations. Default: those outside any
            dataset.
        rom: Your ROM file, instead of --game. Default: none.
        llm_model: Language model for --dagger planner; each step waits for its answer. Default:
            none: the rules set goals.
        dagger (EXPERT): Run DAgger with this expert: rules, planner or a policy.
        resume ([NAME]): Resume training a cloned policy. Default: the latest, if no NAME.
        save_dir: Folder for saved policies. Default: saves.
        quiet: Print errors only.
    """
    from pokeTUI.saved import saves

    settings = options.section(given, "cloning.")
    settings |= scripts.settings(settings.get("device"))
    rounds = options.section(given, "dagger.")
    game = {key: value for key, value in given.items() if "." not in key}
    folder = saves(save_dir)
    source = wanted.source(demos, folder, has_other=bool(dagger or resume))
    shared = scripts.logging(resume) | {"game": game, "resume": resume}
    refuse_if(
        rounds and not (dagger or resume),
        "--rounds, --round-episodes and --beta need --dagger.",
        "Add --dagger rules.",
    )
    config = options.load_config_of(game, "--dagger", dagger)
    if not resume and "seed" in config.model_fields_set:  # of the environment
        settings.setdefault("seed", config.seed)
    with progress("", left="", is_quiet=quiet) as bar:
        path = _clone(bar, folder, settings, rounds, source, expert=dagger, shared=shared)
    if not quiet:
        say(f"Saved in {path}. {_what_next(path)}")


def _clone(
    bar: Bar,
    folder: str,
    settings: dict[str, Any],
    rounds: dict[str, Any],
    source: "Source",
    *,
    expert: str,
    shared: dict[str, Any],
) -> Path:
    """Clone a policy and return its folder; after Ctrl-C, print how to resume and exit.

    Args:
        folder: The save folder.
        settings: Settings of the cloning.
        rounds: Settings of DAgger.
        expert: DAgger's expert; "" for cloning, or to resume either.
        shared: What cloning and DAgger are both given.
    """
    # Here, not above: these load the learning library.
    from engine.imitation.aggregation import aggregate
    from engine.imitation.from_demonstrations import clone_policy
    from engine.runs.policy_folders import PolicyFolder, list_policies

    def report(news: Any) -> None:
        if text := _line(news):
            bar.say(text)
        else:
            bar(news.done, news.total, news.what)

    former = {info.path for info in list_policies(folder)}
    resume, shared = shared["resume"], shared | {"report": report}
    try:
        if expert or (resume and "dagger" in PolicyFolder.find(folder, resume).settings()):
            expert = expert or "rules"
            return aggregate(folder, settings, rounds, source, expert=expert, **shared).folder
        return clone_policy(folder, settings, source, **shared).folder
    except KeyboardInterrupt:
        new = [info.path for info in list_policies(folder) if info.path not in former]
        begun = [PolicyFolder.find(folder, resume).path] if resume else new
        bar.say(_how_to_resume(begun))
        raise typer.Exit(130) from None


def _how_to_resume(paths: list[Path]) -> str:
    """Say how to resume the first of the policies that has a checkpoint."""
    from engine.runs.policy_folders import PolicyFolder

    for path in paths:
        if PolicyFolder(path).store(1).paths():
            return f"Stopped. Resume with: poketui bc --resume {shlex.quote(str(path))}"
    return "Stopped before the first checkpoint."


def _what_next(path: Path) -> str:
    """Say how to fine-tune a policy: by PPO or DQN, unless its network is of one of them alone."""
    from engine.runs.policy_folders import PolicyFolder

    network = PolicyFolder(path).settings()["cloning"]["network"]
    agents = "" if network in {"ppo", "dqn"} else " --agent dqn (or ppo)"
    return f"Fine-tune it: poketui run --from {path.name}{agents}"


def _line(news: Any) -> str:
    """Return the line that reports news; "" for mere progress."""
    from engine.imitation.bc import Epoch
    from engine.imitation.cloning import Note
    from engine.imitation.dagger import Round
    from engine.types import Evaluation

    match news:
        case Epoch():
            return _epoch_line(news)
        case Round():
            return _round_line(news)
        case Evaluation():
            return _evaluation_line(news)
        case Note(text):
            return text
    return ""


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
