"""Damage files of other programs in ways that people and attackers do, seeded."""

import io
import random
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

_CELLS = (
    "", "RIGHT", "right ", "7", "9", "-1", "007", "1e3", "0x7", "NaN", "٣", "+1", "7.0", "JUMP",
    "1" * 40, "'; DROP TABLE", "=cmd|' /C calc'!A0", "\x00", "\x1b[2J", '"', "\r", "é", "a" * 5000,
)  # fmt: skip
_HEADS = (
    "action", "step,action", "step,action,random", "ACTION", "b,c", "", "action,action", "﻿action",
)  # fmt: skip
_SHAPES = (
    "(3,)", "()", "(0,)", "(3, 3)", "(1000000000000000,)", "(-3,)", "(1 << 9,)", "(3,", "[3]",
    "(99999999999999, 99999999999999)", "__import__('os').abort()",
)  # fmt: skip
_KINDS = ("<i4", "<i8", "|u1", "<f4", "|O", "|b1", "<U9999", "|V8", "<m8", ">i2", "i4,i4", "<c16")
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Flip bits, cut, splice, repeat or overwrite."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        at = rng.randrange(len(out) or 1)
        match rng.randrange(6):
            case 0:
                out[at : at + 1] = bytes([(out[at] if out else 0) ^ 1 << rng.randrange(8)])
            case 1:
                del out[at:]
            case 2:
                out[at:at] = rng.randbytes(rng.randrange(1, 40))
            case 3:
                end = at + rng.randrange(1, 200)
                out[at:end] = out[end : end + 50]
            case 4:
                out[at : at + 4] = rng.choice((b"\xff" * 4, bytes(4), b"\xff\xff\xff\x7f"))
            case 5:
                del out[at : at + rng.randrange(1, 60)]
    return bytes(out)


def tables(rng: random.Random, count: int) -> Iterator[tuple[bytes, list[int] | None]]:
    """Yield tables, and the actions of those that are sound."""
    sound = [rng.randrange(9) for _ in range(5)]
    end = rng.choice(("\n", "\r\n"))
    rows = [f"{n},{number},{'' if n else '12 34'}" for n, number in enumerate(sound)]
    data = end.join(("step,action,random", *rows, "")).encode()
    yield data, sound
    for _ in range(count - 1):
        if rng.random() < 0.5:
            yield damaged(data, rng), None
            continue
        rows = [
            ",".join(rng.choice(_CELLS) for _ in range(rng.choice((1, 2, 3))))
            for _ in range(rng.choice((0, 1, 3)))
        ]
        yield "\n".join([rng.choice(_HEADS), *rows]).encode(rng.choice(("utf-8", "utf-16"))), None


def archives(rng: random.Random, count: int) -> Iterator[tuple[bytes, list[int] | None]]:
    """Yield NPZ files, and the actions of those that are sound."""
    sound = [rng.randrange(9) for _ in range(5)]
    buffer = io.BytesIO()
    np.savez_compressed(buffer, actions=np.array(sound, np.int32), rewards=np.zeros(5, np.float32))
    data = buffer.getvalue()
    yield data, sound
    for _ in range(count - 1):
        if rng.random() < 0.5:
            yield damaged(data, rng), None
            continue
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", rng.choice(_METHODS)) as file:
            for name in rng.sample(("actions", "demo", "observations", "../actions"), 2):
                file.writestr(f"{name}.npy", _array(rng))
        yield packed.getvalue(), None


def _array(rng: random.Random) -> bytes:
    header = (
        f"{{'descr': '{rng.choice(_KINDS)}', 'fortran_order': {rng.choice((True, False))}, "
        f"'shape': {rng.choice(_SHAPES)}, }}\n"
    ).encode()
    size = rng.choice((len(header), 0, 60_000))
    return b"\x93NUMPY\x01\x00" + size.to_bytes(2, "little") + header + rng.randbytes(24)


def hdf5_files(folder: Path, rng: random.Random, count: int) -> Iterator[list[int] | None]:
    """Write `data/main_data.hdf5` again and again; yield the actions of those that are sound."""
    import h5py

    path = folder / "data" / "main_data.hdf5"
    path.parent.mkdir(parents=True, exist_ok=True)
    sound = [rng.randrange(9) for _ in range(5)]
    with h5py.File(path, "w") as file:
        file.create_group("episode_0")["actions"] = np.array(sound, np.int64)
    data = path.read_bytes()
    yield sound
    for _ in range(count - 1):
        if rng.random() < 0.6:
            path.write_bytes(damaged(data, rng))
        else:
            with h5py.File(path, "w") as file:
                _odd_episode(file, rng)
        yield None


def _odd_episode(file: Any, rng: random.Random) -> None:
    import h5py

    numbers, kind = np.arange(5), rng.randrange(9)
    if kind == 0:
        file["episode_0"] = numbers
        return
    if kind == 1:
        file["episode_0"] = h5py.ExternalLink("/etc/passwd", "/actions")
        return
    group = file.create_group("episode_0")
    match kind:
        case 2:
            group["actions"] = h5py.ExternalLink("other.hdf5", "/x")
        case 3:
            group["actions"] = h5py.SoftLink("/episode_0")
        case 4:
            group.create_dataset("actions", (1 << 40,), "i8", chunks=(1 << 26,), compression="gzip")
        case 5:
            group.create_dataset("actions", (5,), "i8", external=[("/etc/passwd", 0, 40)])
        case 6:
            layout = h5py.VirtualLayout((5,), "i8")
            layout[:] = h5py.VirtualSource("/etc/passwd", "x", (5,))
            group.create_virtual_dataset("actions", layout)
        case 7:
            group.create_dataset(
                "actions", (9,), "i8", chunks=(1 << 27,), maxshape=(None,), compression="gzip"
            )
        case 8:
            group["actions"] = rng.choice(
                (numbers * 1.5, numbers.reshape(5, 1), np.array([b"a", b"b"]), np.int64(3))
            )


def bombs(folder: Path) -> Iterator[tuple[Path, str]]:
    """Write small files that would unpack to gigabytes; yield each, and words of its refusal."""
    zeros = np.lib.format.header_data_from_array_1_0(np.zeros(8, np.int64))
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {**zeros, "shape": (1 << 20,)})
    for name, method, size in (
        ("deflated", zipfile.ZIP_DEFLATED, 192),
        ("bzip2", zipfile.ZIP_BZIP2, 4),  # refused before it is unpacked, so it may be small
    ):
        path = folder / f"{name}.npz"
        with zipfile.ZipFile(path, "w", method) as file, file.open("actions.npy", "w") as member:
            member.write(header.getvalue())
            for _ in range(size):
                member.write(bytes(1 << 20))
        yield path, "damaged|not an NPZ file"
    path = folder / "members.npz"
    with zipfile.ZipFile(path, "w") as file:
        for number in range(6_000):
            file.writestr(f"{number}.npy", b"")
    yield path, "not an NPZ file"
    path = folder / "rows.csv"
    path.write_bytes(b"action\n" + b"7\n" * ((1 << 20) + 2))
    yield path, "too many"
    path = folder / "line.csv"
    path.write_bytes(b"action" + b"," * (1 << 22) + b"\n7\n")
    yield path, "not a table"
    path = folder / "quote.csv"
    path.write_bytes(b'action\n"' + b"7\n" * (1 << 20))
    yield path, "not a table"
