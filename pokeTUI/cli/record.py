"""Define `poketui record`: play, and keep it as demonstrations."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.ground.text import counted
from pokeTUI.cli import options
from pokeTUI.cli.completion import complete_players, complete_sets
from pokeTUI.cli.options import exclusive, refuse_if
from pokeTUI.terminal.printing import complain, say, warn

if TYPE_CHECKING:
    from engine.config import RunConfig
    from engine.sessions.record import DemoPoint, RecordingPlan


@dataclass(frozen=True, slots=True)
class RecordOptions:
    """What is recorded.

    Attributes:
        dataset (NAME): Dataset to record into; existing episodes count. Default: demos.
        episodes: Total episodes in the dataset. Default: no limit.
        time_limit (TIME): Maximum episode length: 90s, 5m, 1m30s.
        pause (TIME): Pause between episodes, e.g. 5s.
        reset: Without --pause, your first press starts the next episode.
        review: Review each episode that you play: keep, retake, discard, mark or watch it.
        task: Task description stored with each episode.
        tag (TAG): Tag; repeatable.
        live: Play in real time.
    """

    dataset: Annotated[str, complete_sets] = ""
    episodes: Annotated[int, typer.Option(min=0, max=1_000_000)] = 0
    time_limit: str = ""
    pause: str = ""
    reset: bool = True
    review: bool = True
    task: str = ""
    tag: list[str] | None = None
    live: bool = False

    def plan(self, player: str, start: "DemoPoint | None") -> "RecordingPlan":
        """Return the plan for the engine.

        Raises:
            ConfigurationError: A time cannot be read.
        """
        from engine.sessions.record import RecordingPlan
        from pokeTUI.draw.units import seconds

        return RecordingPlan(
            set_name=self.dataset,
            episodes=self.episodes,
            limit_s=seconds(self.time_limit, "--time-limit"),
            pause_s=seconds(self.pause, "--pause"),
            has_reset=self.reset,
            has_review=self.review,
            task=self.task,
            tags=tuple(self.tag or ()),
            player=player,
            start=start,
            is_live=self.live,
        )


def record(
    given: Annotated[
        options.Given,
        "llm_model llm_backend start_state=--state rom_path allow_unknown_rom seed save_dir",
    ],
    wanted: RecordOptions,
    player: Annotated[str, complete_players] = "",
    demo: str = "",
    at: Annotated[int | None, typer.Option(min=0)] = None,
    headless: bool = False,
    color: options.Color = "auto",
    set_: options.Settings = None,
) -> None:
    """Record demonstrations: play yourself, or let a player do it.

    Args:
        llm_model: Language model for --player planner; each step waits for its answer. Default:
            none: the rules set goals.
        player (NAME): Player: rules, planner, random, a cloned policy or a run; you can take over.
            Default: you.
        demo (DEMO): Start from a demonstration, or from RUN:EPISODE.
        at (STEP): Step of --demo to start at. Default: 0.
        headless: Record without the cockpit; needs --player and --episodes.
    """
    config = options.load_config_of(given, "--player", player, _settings(set_))
    start = _start(given.get("save_dir"), demo, at)
    exclusive(demo and "--demo", given.get("start_state") and "--state")
    plan = wanted.plan(player, start)
    raise typer.Exit(_record_headless(config, plan) if headless else _record(config, plan, color))


def _settings(pairs: list[str] | None) -> dict[str, Any]:
    """Return the settings of `--set`; refuse a dataset, which it once named."""
    for pair in pairs or []:
        is_dataset = "=" not in pair and pair != "help"
        hint = f"Use --dataset {pair}"
        refuse_if(is_dataset, f"--set {pair}: a dataset is named by --dataset now.", hint)
    return options.parse_settings(pairs)


def _record(config: "RunConfig", plan: "RecordingPlan", color: str) -> int:
    from engine.events import RunFailed
    from pokeTUI.app.recordings import record as record_in_cockpit

    found = record_in_cockpit(config, plan, color=color)
    failed = isinstance(found.end, RunFailed)
    (complain if failed else say)(*found.lines())
    if found.saved:
        _say_what_next(config, plan)
    return 1 if failed else found.exit_code


def _record_headless(config: "RunConfig", plan: "RecordingPlan") -> int:
    from engine.events import Event, RecordingEnded, WarningRaised
    from engine.sessions.record import record_headless
    from pokeTUI.cli.progress import progress
    from pokeTUI.dashboard.event_lines import demonstration_end

    saved = 0
    hint = "Add --player rules, or leave --headless out."
    refuse_if(not plan.player, "--headless needs a player.", hint)
    refuse_if(not plan.episodes, "--headless needs a number of episodes.", "Add --episodes 10.")
    with progress(f"{plan.player} plays") as advance:
        advance(0, plan.episodes)

        def take(event: Event) -> None:
            nonlocal saved
            if isinstance(event, RecordingEnded):
                saved += bool(event.path)
                say(f"{demonstration_end(event).capitalize()}.")
                advance(saved, plan.episodes)
            elif isinstance(event, WarningRaised):
                warn(event.message)

        end = record_headless(config, plan, take)
    if not saved:
        say(f"Nothing was recorded: {end.reason}.")
        return 0
    say(f"{counted(saved, 'demonstration')} saved in {plan.folder(config)}.")
    _say_what_next(config, plan)
    return 0


def _say_what_next(config: "RunConfig", plan: "RecordingPlan") -> None:
    """Print the commands that validate the demonstrations and train on them."""
    folder = plan.folder(config)
    say(f"Validate them: poketui demos validate {folder}/*.demo")
    say(f"Train on them: poketui bc {folder}")


def _start(save_dir: str | None, source: str, step: int | None) -> "DemoPoint | None":
    """Return the point to start from; None: the beginning of the game."""
    from engine.sessions.record import DemoPoint

    if not source:
        refuse_if(step is not None, "--at needs --demo.", "Add --demo DEMO.")
        return None
    run, separator, episode = source.rpartition(":")
    if not (separator and run and episode.isascii() and episode.isdigit()):
        from pokeTUI.app.recordings import named

        source = str(named(save_dir, [source])[0])
    return DemoPoint(source, step or 0)
