"""Turn recorded demonstrations into examples, by playing them again."""

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing
from pathlib import Path

from engine.config import RunConfig
from engine.demos.dataset import SPLIT, DemoSet, Wanted, demos_folder, read_split
from engine.demos.demonstration import INTERVENTION, SUFFIX, Demonstration, read_demo, write_demo
from engine.demos.exact_replay import DemoPlayer
from engine.demos.npz import from_npz, game_of_npz
from engine.env.observation.pixels import MakeSight, sight_of
from engine.errors import DemoError, ReplayError
from engine.games.bundled import name_of
from engine.ground.scratch import scratch_folder
from engine.ground.text import counted
from engine.imitation.examples import CUT, GOES_ON, OVER, EpisodeExamples, Examples, join
from engine.runs.cloning_settings import CloningConfig

NPZ_SUFFIX = ".npz"
_MOST_NAMED = 5
"""Datasets that a hint names."""


def read_examples(
    path: Path,
    config: CloningConfig,
    run: RunConfig,
    report: Callable[[int, int], None] = lambda done, total: None,
    wanted: Wanted | None = None,
    note: Callable[[str], None] = lambda text: None,
) -> Examples:
    """Read a demonstration, or all of a folder, NPZ files too, in the order of their names.

    A path where nothing is means one of the save folder's datasets, e.g. "interventions". `wanted`
    says which demonstrations, None: all; for the other arguments see `demo_examples`.

    Raises:
        DemoError: There is none, or one is unreadable.
        ReplayError: One does not replay as it was recorded, or is of another game.
    """
    path = _kept(path, run)
    files = demo_files(path) if path.is_dir() else [path]
    if not files or not path.exists():
        raise DemoError(f"There is no demonstration at {path}.", _what_else(run))
    with scratch_folder() as converted:
        origins = {_converted(file, converted, run): file for file in files}
        demos = DemoSet(path if path.is_dir() else path.parent, origins)
        chosen = demos if wanted is None else demos.choose(wanted)
        if not len(chosen):
            raise DemoError(
                f"None of the {counted(len(demos), 'demonstration')} at {path} matches.",
                "List them: poketui demos",
            )
        played = path
        kept_apart = read_split(demos.folder)
        validating = {n for n, file in enumerate(chosen.paths) if file.name in kept_apart}
        if validating and len(validating) < len(chosen):
            note(f"{len(validating):,} of {len(chosen):,} are used for validation only ({SPLIT})")

        def demonstrated() -> Iterator[Demonstration]:
            nonlocal played
            for file, demo in chosen.read():
                played = origins[file]
                yield demo

        try:
            return demo_examples(demonstrated(), len(chosen), config, run, report, note, validating)
        except ReplayError as error:
            raise ReplayError(f"{played}: {error.message}", error.hint) from None


def recorded_game(path: Path, run: RunConfig) -> str:
    """Return the name of the practice game of the first demonstration, "" if it is of another game.

    Args:
        path: As in `read_examples`.
        run: Names the save folder.

    Raises:
        DemoError: It is unreadable.
    """
    path = _kept(path, run)
    files = demo_files(path) if path.is_dir() else [path]
    first = next((file for file in files if file.exists()), None)
    if first is None:
        return ""
    is_npz = first.suffix == NPZ_SUFFIX
    return game_of_npz(first) if is_npz else name_of(read_demo(first).recording.rom)


def demo_files(folder: Path) -> list[Path]:
    """Return a folder's demonstrations, and NPZ files without a demonstration, sorted by name."""
    demos = set(folder.glob(f"*{SUFFIX}"))
    exported = {path.with_suffix(NPZ_SUFFIX) for path in demos}
    return sorted(demos | set(folder.glob(f"*{NPZ_SUFFIX}")) - exported)


def _kept(path: Path, run: RunConfig) -> Path:
    """Return a path, or if nothing is there, that of the save folder's dataset of this name."""
    kept = demos_folder(run) / path
    return kept if not path.exists() and kept.exists() else path


def _converted(path: Path, folder: Path, run: RunConfig) -> Path:
    """Return a demonstration's own file, or the one that an NPZ becomes in `folder`."""
    if path.suffix != NPZ_SUFFIX:
        return path
    demo, made = from_npz(path, run, folder)
    if made is None:
        made = folder / f"{path.name}{SUFFIX}"
        write_demo(made, demo)
    return made


def _what_else(run: RunConfig) -> str:
    """Name the datasets that there are, or say how to get one."""
    sets = [one.folder.name for one in DemoSet(demos_folder(run)).sets() if len(one)]
    if sets:
        more = f" and {len(sets) - _MOST_NAMED:,} more" if len(sets) > _MOST_NAMED else ""
        return f"Datasets: {', '.join(sets[:_MOST_NAMED])}{more}. Choose one: poketui bc SET"
    return "Record some: poketui record; or generate some with the rules: poketui bc --rules 5"


def demo_examples(
    demos: Iterable[Demonstration],
    count: int,
    config: CloningConfig,
    run: RunConfig,
    report: Callable[[int, int], None] = lambda done, total: None,
    note: Callable[[str], None] = lambda text: None,
    validating: Collection[int] = (),
) -> Examples:
    """Replay demonstrations and collect what was observed and done; each is an episode.

    Steps at which a masked button was pressed are left out: the policy could not press it. Where a
    person took over from an agent, only the person's steps count: the agent's led to the need.

    Args:
        demos: What to play.
        count: How many there are.
        config: Says what is observed.
        run: Says which game.
        report: Called with how many are done, and of how many.
        note: Takes a line about what is left out.
        validating: Places of those that are for validation only.

    Raises:
        DemoError: There are no steps to learn from.
        ReplayError: One does not replay as it was recorded, or is of another game.
    """
    sight = sight_of(config.encoder)
    parts: list[Examples] = []
    without_effect = 0
    with closing(DemoPlayer(run, renders=sight is not None)) as player:
        for number, demo in enumerate(demos):
            noted, masked = _episode(player, demo, sight)
            kept_apart = frozenset({number} if number in validating else ())
            parts += noted.examples(number, demo.action_names, kept_apart)
            without_effect += masked
            report(number + 1, count)
    left_out = ""
    if without_effect:
        what = "1 press is" if without_effect == 1 else f"{without_effect:,} presses are"
        left_out = f"{what} left out: they have no effect, so the agent never tries them"
    if not parts:
        because = f": {left_out}." if left_out else "."
        raise DemoError(
            f"The demonstrations contain no steps to learn from{because}", "Record more."
        )
    if left_out:
        note(left_out)
    return join(parts)


def _episode(
    player: DemoPlayer, demo: Demonstration, make_sight: MakeSight | None
) -> tuple[EpisodeExamples, int]:
    """Return a demonstration's examples, and how many of its presses were masked."""
    without_effect = 0
    noted, sight = EpisodeExamples(), None
    is_mixed = INTERVENTION in demo.tags or bool(demo.is_intervention.any())
    for step in player.play(demo):
        if sight is not None and step.frame is not None:
            sight.push(step.frame)
        elif make_sight is not None and step.frame is not None:
            sight = make_sight(step.frame.shape)
            sight.begin(step.frame)
        is_shown = not is_mixed or step.is_intervention or step.is_live
        if not is_shown or not step.mask[step.action]:
            without_effect += is_shown
            if noted.ends:
                noted.ends[-1] = CUT  # what it led to is a step that is left out
            continue
        # An episode that ended without success was cut short.
        end = GOES_ON if not step.done else OVER if demo.is_success else CUT
        pixels, place = None if sight is None else sight.pixels.copy(), step.state.place.name
        noted.add(step.features, pixels, step.mask, step.action, place, step.reward, end)
    if noted.ends and noted.ends[-1] == GOES_ON:
        noted.ends[-1] = CUT
    return noted, without_effect
