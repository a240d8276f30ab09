"""Lay a demonstration out as bytes, read it back without trusting it, and list what it shows.

What reads raises one of `BROKEN` where something is damaged or foreign.
"""

import contextlib
import hashlib
import itertools
import shutil
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.config import EnvConfig, RewardConfig
from engine.env.input_recording import Segment, moves
from engine.env.live import INPUT_SIZE, MAX_LIVE_INPUTS, NUM_BUTTONS, LiveStretch, unpack_inputs
from engine.errors import DemoError
from engine.ground.files import (
    FILE_MODE,
    FileTooLargeError,
    inflate,
    make_folder,
    parse_json,
    read_file,
    remedy,
    temporary_path,
    write_file,
)


def read_limited(path: Path, limit: int) -> bytes:
    """Return a file's bytes.

    Raises:
        DemoError: It cannot be read, or has more than `limit` bytes.
    """
    try:
        if not path.is_file():
            what = "is a folder" if path.is_dir() else "is not a regular file"
            what = what if path.exists() else "does not exist"
            raise DemoError(f"{path} {what}.", "List demonstrations: poketui demos")
        return read_file(path, limit)
    except FileTooLargeError:
        raise DemoError(f"{path} is too large for a demonstration.", "Use another file.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DemoError(f"Cannot read {path}: {reason}.", "Make it readable.") from None


def write_whole(path: Path, content: bytes, mode: int = FILE_MODE) -> None:
    """Write a file whole or not at all; make the folder if it is not there.

    Raises:
        DemoError: It could not be written; what was at `path` is untouched.
    """
    try:
        make_folder(path.parent)
        write_file(path, content, mode)
    except OSError as error:
        raise cannot_write(path, error) from None


@contextlib.contextmanager
def exporting(path: Path) -> Iterator[Path]:
    """Yield a name beside `path` for a file or a folder; what is made there is renamed at the end.

    If anything fails, nothing of it stays.

    Raises:
        DemoError: It cannot be written.
    """
    beside = temporary_path(path.absolute())  # Minari mistakes relative ones
    try:
        yield beside
        beside.replace(path)
    except OSError as error:
        raise cannot_write(path, error) from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)


def refuse_existing(folder: Path) -> None:
    """Raise DemoError if there is something where a dataset is to be written."""
    if folder.exists():
        raise DemoError(f"{folder} already exists.", "Choose another with --out.")


def cannot_write(path: Path, error: OSError) -> DemoError:
    """Return the error for a file that cannot be written."""
    return DemoError(
        f"Cannot write {path}: {error.strerror or error}.",
        remedy(error, "Free some disk space, or choose another folder."),
    )


MAX_STEPS = 1 << 20
MAX_TEXT = 400
MAX_LIVE_FRAMES = 60 * 60 * 60 * 24
"""A day at 60 frames a second: nobody plays longer, and a damaged file must not either."""

USE_ANOTHER = "Use another file, or record it again."
MAGIC = b"PokeTUI demo 1\n"
_HASH_SIZE = 32
_SIZES = struct.Struct("<II")
_MAX_SEGMENTS, _MAX_STRETCHES, _MAX_SIDE = 4096, 1 << 16, 4096
BROKEN = (
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    OverflowError,
    RecursionError,
    MemoryError,
    AttributeError,
    struct.error,
    zlib.error,
    DemoError,
)
"""What reading damaged data raises."""


def pack_file(sections: Sequence[bytes]) -> bytes:
    """Return a file of these sections, behind magic line and hash."""
    packed = [zlib.compress(section, 9) for section in sections]
    pairs = zip(packed, sections, strict=True)
    body = b"".join(_SIZES.pack(len(one), len(section)) + one for one, section in pairs)
    return MAGIC + hashlib.sha256(body).digest() + body


def body_of_file(data: bytes, name: str) -> bytes:
    """Return the sections of a file; `name` is for the error.

    Raises:
        DemoError: It is another file, or damaged.
    """
    if not data.startswith(MAGIC):
        raise DemoError(
            f"{name} is not a demonstration, or its version is not supported.", USE_ANOTHER
        )
    start = len(MAGIC) + _HASH_SIZE
    if hashlib.sha256(data[start:]).digest() != data[len(MAGIC) : start]:
        raise DemoError(f"The demonstration {name} is damaged.", USE_ANOTHER)
    return data[start:]


def unpack_sections(body: bytes, limits: Sequence[int]) -> list[bytes]:
    """Return the sections of a body, each of at most as many bytes as `limits` says."""
    sections, at = [], 0
    for most in limits:
        packed, raw = _SIZES.unpack_from(body, at)
        start = at + _SIZES.size
        at = start + packed
        if raw > most or at > len(body):
            raise ValueError("section too large")
        sections.append(inflate(body[start:at], raw))
        if len(sections[-1]) != raw:
            raise ValueError("wrong section size")
    if at != len(body):
        raise ValueError("trailing data")
    return sections


def plain_text(text: Any, most: int = MAX_TEXT) -> str:
    """Return `text` if it is one printable line.

    A terminal obeys control characters, so no file may bring any.
    """
    if not isinstance(text, str) or len(text) > most or not text.isprintable():
        raise ValueError("a text is too long or not printable")
    return text


def pack_segments(segments: Sequence[Segment]) -> tuple[list[Any], bytes]:
    """Return segments as JSON-able facts, and the beginning of the arrays."""
    facts = [
        [
            segment.random,
            len(segment.actions),
            [[each.after, each.frames, len(each.inputs)] for each in segment.live],
        ]
        for segment in segments
    ]
    live = (
        each.pack() for segment in segments for stretch in segment.live for each in stretch.inputs
    )
    return facts, b"".join((*(segment.actions for segment in segments), *live))


def unpack_segments(
    packed: Sequence[Any], arrays: bytes, num_actions: int
) -> tuple[tuple[Segment, ...], bytes]:
    """Return what `pack_segments` packed, and the rest of the arrays."""
    if not 0 < len(packed) <= _MAX_SEGMENTS:
        raise ValueError("no inputs")
    heads = [
        ((read_whole(first, 255), read_whole(second, 255)), read_whole(length, MAX_STEPS), live)
        for (first, second), length, live in packed
    ]
    at = sum(length for _, length, _ in heads)
    if at > min(len(arrays), MAX_STEPS) or sum(len(live) for *_, live in heads) > _MAX_STRETCHES:
        raise ValueError("too many inputs")
    actions = arrays[:at]
    if any(action >= num_actions for action in actions):
        raise ValueError("invalid action")
    segments, done, num_inputs = [], 0, 0
    for random, length, live in heads:
        stretches = []
        for after, frames, count in live:
            num_inputs += read_whole(count, MAX_LIVE_INPUTS)
            end = at + count * INPUT_SIZE
            if num_inputs > MAX_LIVE_INPUTS or end > len(arrays):
                raise ValueError("too many live inputs")
            inputs = unpack_inputs(arrays[at:end])
            starts = [each.frame for each in inputs]
            if sorted({*starts}) != starts or starts[:1] != [0] or starts[-1] > frames:
                raise ValueError("live inputs out of order")
            stretches.append(
                LiveStretch(read_whole(after, length), read_whole(frames, MAX_LIVE_FRAMES), inputs)
            )
            at = end
        if any(a.after > b.after for a, b in itertools.pairwise(stretches)):
            raise ValueError("live inputs out of order")
        segments.append(Segment(random, actions[done : done + length], tuple(stretches)))
        done += length
    if sum(each.frames for segment in segments for each in segment.live) > MAX_LIVE_FRAMES:
        raise ValueError("too long")
    return tuple(segments), arrays[at:]


def read_tags(packed: Sequence[Any]) -> frozenset[str]:
    """Return tags: single words."""
    tags = frozenset(plain_text(tag, 80) for tag in packed)
    if len(tags) > 100 or any(not tag or " " in tag for tag in tags):
        raise ValueError("a tag must be a single word")
    return tags


def read_settings(text: Any) -> str:
    """Return settings, checked: they are used to build an environment."""
    if text == "":
        return ""
    facts = parse_json(text)
    EnvConfig.of_saved(facts["env"])
    if RewardConfig(**facts["rewards"]).extra:
        # A custom reward is named by its module: a file must never choose what is imported.
        raise ValueError("its settings load code")
    for name in facts["extra"]:
        plain_text(name)
    return str(text)


def read_digest(text: Any) -> str:
    """Return a SHA-1 in hexadecimal."""
    if not isinstance(text, str) or len(text) != 40 or not {*text} <= {*"0123456789abcdef"}:
        raise ValueError("invalid hash")
    return text


def read_whole(value: Any, most: int) -> int:
    """Return a whole number of 0 to `most`."""
    if type(value) is not int or not 0 <= value <= most:
        raise ValueError("a number is out of range")
    return value


def read_number(value: Any) -> float:
    """Return a number."""
    number = float(value)
    if not -1e15 < number < 1e15:
        raise ValueError("a number is out of range")
    return number


def read_names(packed: Sequence[Any]) -> tuple[str, ...]:
    """Return the names of a game's actions."""
    names = tuple(plain_text(name, 40) for name in packed)
    if not names or len({*names}) < len(names) or not all(names):
        raise ValueError("invalid action names")
    return names


def read_frame_shape(packed: Sequence[Any]) -> tuple[int, int, int]:
    """Return (height, width, 3) of a game's frames."""
    height, width, colours = (read_whole(size, _MAX_SIDE) for size in packed)
    if not height or not width or colours != 3:
        raise ValueError("invalid frame shape")
    return height, width, colours


def read_frame_rate(value: Any) -> float:
    """Return the frames a second of a game."""
    rate = read_number(value)
    if rate <= 0:
        raise ValueError("invalid frame rate")
    return rate


Hold = tuple[frozenset[int], int]
"""What was held, and for how many frames."""
_DIRECTIONS = frozenset({"UP", "DOWN", "LEFT", "RIGHT"})


@dataclass(frozen=True, slots=True)
class Shown:
    """A press that a demonstration shows.

    Attributes:
        step: Steps of the episode before it.
        frame: Frames of real-time play between the last of them and it.
        is_live: It was pressed in real time, and is no step.
    """

    step: int
    frame: int
    action: int
    is_live: bool


@dataclass(frozen=True, slots=True)
class Beginning:
    """Where the shown part of a demonstration begins; what is before only led there.

    Attributes:
        step: Steps of the episode before it.
        frames: Frames of real-time play after the last of them, before it.
    """

    step: int = 0
    frames: int = 0

    def frame_in(self, stretch: LiveStretch) -> int:
        """Return the frame of a stretch at which the shown part begins."""
        if stretch.after != self.step:
            return 0 if stretch.after > self.step else stretch.frames + 1
        return self.frames


def directions_of(action_names: Sequence[str]) -> frozenset[int]:
    """Return the actions that walk, by their names."""
    return frozenset(place for place, name in enumerate(action_names) if name in _DIRECTIONS)


def shown(
    segment: Segment, step_frames: int, begin: Beginning, directions: frozenset[int]
) -> Iterator[Shown]:
    """Yield what was pressed in an episode since the beginning, in order.

    An action takes `step_frames` frames; `directions` are the actions that walk.
    """
    step = frame = 0
    for move in moves(segment):
        if isinstance(move, LiveStretch):
            frame = move.frames
            yield from shown_live(move, step_frames, begin, directions)
            continue
        if step >= begin.step:
            yield Shown(step, frame, move, is_live=False)
        step, frame = step + 1, 0


def shown_live(
    stretch: LiveStretch, step_frames: int, begin: Beginning, directions: frozenset[int]
) -> Iterator[Shown]:
    """Yield what was pressed in a stretch since the beginning."""
    frame, first = 0, begin.frame_in(stretch)
    for action, holds in decisions(stretch, step_frames, directions):
        if action is not None and frame >= first:
            yield Shown(stretch.after, frame, action, is_live=True)
        frame += sum(frames for _, frames in holds)


def decisions(
    stretch: LiveStretch, step_frames: int, directions: frozenset[int]
) -> Iterator[tuple[int | None, list[Hold]]]:
    """Divide real-time play into decisions: (button, what was held until the next one).

    A button that goes down is a decision, and a direction that stays down is one every
    `step_frames`: a walker decides at every tile. The part before the first has no button.
    """
    action: int | None = None
    holds: list[Hold] = []
    before: frozenset[int] = frozenset()
    for buttons, frames in stretch.spans():
        pressed = [button for button in range(NUM_BUTTONS) if button in buttons - before]
        before = buttons
        if pressed:
            if holds:
                yield action, holds
            action, holds = int(pressed[-1]), []
        elif holds and not buttons:
            holds.append((buttons, frames))
            continue
        while action in directions and action in buttons and frames > step_frames:
            yield action, [*holds, (buttons, step_frames)]
            holds, frames = [], frames - step_frames
        if frames:
            holds.append((buttons, frames))
    if holds:
        yield action, holds
