"""Encode messages as bytes and decode them, by the types of their fields alone.

A message is [length of the rest: 4 bytes][length of the JSON: 4 bytes][JSON][buffers]. The JSON is
[kind, fields in order]; arrays and byte strings follow in the buffers, in the order of the fields.
Values that the type hints do not allow are refused.
"""

import dataclasses
import hashlib
import json
import math
import struct
import types
import zlib
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import numpy as np

from engine.errors import ProtocolError
from engine.events import FrameRendered
from engine.ground.files import inflate, parse_json
from engine.ground.numerals import MAX_INT
from engine.types import SmallPicture

_SIZES = struct.Struct(">II")
_MAX_ARRAY_BYTES = 4 * 2**20
_COMPRESSED_FROM = 512
"""Bytes from which compressing is worth it."""

_MAX_FRAME_SIDE = 512
_PICTURES = frozenset({(FrameRendered, "frame"), (SmallPicture, "frame")})
"""Arrays (height, width, 3) of up to 512 x 512; all others are two-dimensional."""


class _Form(NamedTuple):
    """How values of one type are written as JSON, and read.

    `write` appends what cannot be JSON to the buffers, `read` takes it out of them.
    """

    write: Callable[[Any, list[bytes]], Any]
    read: Callable[[Any, "_Buffers"], Any]


class Codec:
    """Write and read messages of the given kinds: frozen dataclasses with distinct names.

    Attributes:
        schema: A fingerprint of the kinds, equal for codecs that understand each other.

    Raises:
        TypeError: A field's type cannot be sent.
    """

    def __init__(self, kinds: tuple[type, ...]) -> None:
        self._facts: set[str] = set()
        self._known: dict[Any, _Form] = {}
        self._forms = {kind.__name__: self._form(kind) for kind in kinds}
        text = "\n".join(sorted(self._facts))
        self.schema = hashlib.blake2b(text.encode(), digest_size=4).hexdigest()

    def encode(self, message: object) -> bytes:
        """Return a message as bytes, its length first."""
        name = type(message).__name__
        buffers: list[bytes] = []
        fields = self._forms[name].write(message, buffers)
        header = json.dumps([name, fields], separators=(",", ":")).encode()
        size = 4 + len(header) + sum(map(len, buffers))
        return b"".join((_SIZES.pack(size, len(header)), header, *buffers))

    def decode(self, payload: bytes) -> Any:
        """Return the message of a payload: what `Messages` yields.

        Raises:
            ProtocolError: It is none of the known kinds, or damaged.
        """
        try:
            (size,) = struct.unpack_from(">I", payload)
            if size > len(payload) - 4:
                raise ProtocolError("A message is truncated.")
            # Between two processes of one user, any number is allowed.
            name, fields = parse_json(payload[4 : 4 + size], parse_float=float)
            if not isinstance(name, str) or name not in self._forms:
                raise ProtocolError(f"Unknown message {str(name)[:40]!r}.")
            buffers = _Buffers(memoryview(payload)[4 + size :])
            message = self._forms[name].read(fields, buffers)
            buffers.expect_end()
        except (ValueError, TypeError, KeyError, OverflowError, struct.error) as error:
            raise ProtocolError(f"A message is damaged: {error}") from None
        return message

    def _form(self, hint: Any, *, is_picture: bool = False) -> _Form:
        """Return the form of a type, made once."""
        key = (hint, is_picture)
        if key not in self._known:
            self._known[key] = self._make_form(hint, is_picture)
        return self._known[key]

    def _make_form(self, hint: Any, is_picture: bool) -> _Form:
        hint = unaliased(hint)
        origin, arguments = get_origin(hint), get_args(hint)
        if hint in _PLAIN:
            return _PLAIN[hint]
        if origin is np.ndarray:
            return _array_form(np.dtype(get_args(arguments[1])[0]), is_picture)
        if origin in (Union, types.UnionType) and type(None) in arguments and len(arguments) == 2:
            return _optional_form(self._form(arguments[arguments[0] is type(None)]))
        if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
            return _sequence_form(self._form(arguments[0]), tuple)
        if origin is tuple:
            return _row_form([self._form(argument) for argument in arguments], tuple)
        if origin is frozenset:
            return _sequence_form(self._form(arguments[0]), frozenset)
        if origin is Mapping:
            pair = _row_form([self._form(argument) for argument in arguments], tuple)
            pairs = _sequence_form(pair, dict)
            return _Form(lambda values, buffers: pairs.write(values.items(), buffers), pairs.read)
        if isinstance(hint, type) and issubclass(hint, Enum):
            self._facts.add(f"{hint.__name__} {[member.value for member in hint]}")
            return _enum_form(hint)
        if dataclasses.is_dataclass(hint) and isinstance(hint, type):
            return self._dataclass_form(hint)
        raise TypeError(f"{hint} cannot be sent")

    def _dataclass_form(self, kind: type) -> _Form:
        """Return the form of a class; a subclass is sent without its own fields."""
        hints = get_type_hints(kind)
        names = [field.name for field in dataclasses.fields(kind)]
        self._facts.add(f"{kind.__name__} {[(name, _spelled(hints[name])) for name in names]}")
        forms = [self._form(hints[name], is_picture=(kind, name) in _PICTURES) for name in names]
        row = _row_form(forms, lambda values: kind(*values))

        def write(value: Any, buffers: list[bytes]) -> Any:
            if not isinstance(value, kind):
                raise TypeError(f"{type(value).__name__} is not a {kind.__name__}")
            return row.write([getattr(value, name) for name in names], buffers)

        return _Form(write, row.read)


class Messages:
    """Split a stream of bytes into the payloads of messages of at most `max_bytes`."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._waiting = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the payloads that are complete now.

        Raises:
            ProtocolError: One is too long.
        """
        self._waiting += data
        while len(self._waiting) >= 4:
            size = int.from_bytes(self._waiting[:4])
            if not 4 <= size <= self._max_bytes:
                raise ProtocolError(f"Invalid message size: {size} bytes.")
            if len(self._waiting) < 4 + size:
                return
            payload = bytes(self._waiting[4 : 4 + size])
            del self._waiting[: 4 + size]
            yield payload


class _Buffers:
    """The bytes after the JSON, taken piece by piece."""

    def __init__(self, data: memoryview) -> None:
        self._data = data

    def take(self, size: object) -> memoryview:
        if type(size) is not int or not 0 <= size <= len(self._data):
            raise ProtocolError("A message is truncated.")
        taken, self._data = self._data[:size], self._data[size:]
        return taken

    def expect_end(self) -> None:
        if self._data:
            raise ProtocolError("A message has trailing data.")


def _exactly(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise ProtocolError(f"{str(value)[:40]!r} is not a {kind.__name__}.")
    return value


def _read_int(value: Any, buffers: _Buffers) -> int:
    if not -MAX_INT <= _exactly(int, value) < MAX_INT:
        raise ProtocolError("A number is too large.")
    return int(value)


def _read_float(value: Any, buffers: _Buffers) -> float:
    return float(value) if type(value) is int else float(_exactly(float, value))


def _write_bytes(value: bytes, buffers: list[bytes]) -> int:
    buffers.append(bytes(value))
    return len(value)


_PLAIN: Mapping[Any, _Form] = types.MappingProxyType(
    {
        bool: _Form(lambda value, _: bool(value), lambda value, _: _exactly(bool, value)),
        int: _Form(lambda value, _: int(value), _read_int),
        float: _Form(lambda value, _: float(value), _read_float),
        str: _Form(lambda value, _: str(value), lambda value, _: _exactly(str, value)),
        bytes: _Form(_write_bytes, lambda value, buffers: bytes(buffers.take(value))),
    }
)


def _enum_form(kind: type[Enum]) -> _Form:
    by_value = {(type(member.value), member.value): member for member in kind}

    def read(value: Any, buffers: _Buffers) -> Enum:
        member = by_value.get((type(value), value)) if isinstance(value, int | str) else None
        if member is None:
            raise ProtocolError(f"{str(value)[:40]!r} is not a {kind.__name__}.")
        return member

    return _Form(lambda value, _: kind(value).value, read)


def _optional_form(form: _Form) -> _Form:
    return _Form(
        lambda value, buffers: None if value is None else form.write(value, buffers),
        lambda value, buffers: None if value is None else form.read(value, buffers),
    )


def _sequence_form(form: _Form, make: Callable[[Iterator[Any]], Any]) -> _Form:
    return _Form(
        lambda values, buffers: [form.write(value, buffers) for value in values],
        lambda values, buffers: make(form.read(value, buffers) for value in _exactly(list, values)),
    )


def _row_form(forms: list[_Form], make: Callable[[list[Any]], Any]) -> _Form:
    """Return the form of a fixed number of values, each with a type of its own."""

    def write(values: Any, buffers: list[bytes]) -> list[Any]:
        return [form.write(value, buffers) for form, value in zip(forms, values, strict=True)]

    def read(values: Any, buffers: _Buffers) -> Any:
        if len(_exactly(list, values)) != len(forms):
            raise ProtocolError(f"Got {len(values)} values, expected {len(forms)}.")
        return make([form.read(value, buffers) for form, value in zip(forms, values, strict=True)])

    return _Form(write, read)


def unaliased(hint: Any) -> Any:
    """Return what a type alias stands for: numpy's NDArray has been one since 2.5."""
    while (value := getattr(get_origin(hint), "__value__", None)) is not None:
        hint = value[get_args(hint)]
    return hint


def _spelled(hint: Any) -> str:
    """Return a type's name, the same in every version of Python and numpy."""
    hint = unaliased(hint)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is np.ndarray:
        return f"array of {np.dtype(get_args(arguments[1])[0])}"
    if origin is None:
        return hint.__qualname__ if isinstance(hint, type) else repr(hint)
    name = "Union" if origin is types.UnionType else getattr(origin, "__name__", str(origin))
    return f"{name}[{', '.join(map(_spelled, arguments))}]"


def _array_form(dtype: np.dtype[Any], is_picture: bool) -> _Form:
    """Return the form of arrays: [shape, stored bytes, is compressed], the bytes in a buffer."""

    def write(value: Any, buffers: list[bytes]) -> list[Any]:
        data = np.ascontiguousarray(value, dtype).tobytes()
        is_compressed = len(data) >= _COMPRESSED_FROM
        buffers.append(zlib.compress(data, 1) if is_compressed else data)
        return [[int(size) for size in np.shape(value)], len(buffers[-1]), is_compressed]

    def read(value: Any, buffers: _Buffers) -> Any:
        sizes, stored, is_compressed = _exactly(list, value)
        for size in _exactly(list, sizes):
            if not 0 <= _exactly(int, size) <= _MAX_ARRAY_BYTES:
                raise ProtocolError("An array has an invalid size.")
        if not (_is_picture(sizes) if is_picture else len(sizes) == 2):
            raise ProtocolError(f"Invalid array shape: {str(sizes)[:40]}.")
        size = math.prod(sizes) * dtype.itemsize
        if size > _MAX_ARRAY_BYTES:
            raise ProtocolError("An array is too large.")
        data = bytes(buffers.take(stored))
        if _exactly(bool, is_compressed):
            try:
                data = inflate(data, size)  # at most, however much it would become
            except ValueError as error:
                raise ProtocolError(f"A compressed array is damaged: {error}.") from None
        if len(data) != size:
            raise ProtocolError("An array's length does not match its shape.")
        if dtype == np.bool_ and data.translate(None, b"\0\1"):
            raise ProtocolError("A boolean array contains other values.")
        return np.frombuffer(data, dtype).reshape(sizes)

    return _Form(write, read)


def _is_picture(sizes: list[int]) -> bool:
    """Return whether a shape is (rows, columns, 3), of at least a pixel and of a sane size."""
    return len(sizes) == 3 and sizes[2] == 3 and all(1 <= n <= _MAX_FRAME_SIDE for n in sizes)
