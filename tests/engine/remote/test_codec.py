import dataclasses
import itertools
import random
import struct
import types
import zlib
from collections.abc import Mapping
from enum import Enum
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import commands, events
from engine.commands import Instruct, Press, SetSpeed, Watch
from engine.errors import ProtocolError
from engine.events import EpisodeEnded, FrameRendered, GameObserved, PolicyUpdated
from engine.remote.codec import Codec, Messages, unaliased
from engine.remote.protocol import MAX_COMMAND_BYTES, Farewell, command_codec, event_codec, kinds
from engine.types import (
    GAME_BOY_FRAME_SHAPE,
    Action,
    EpisodeSummary,
    GameState,
    GoalKind,
    GoalTally,
)
from tests.pokeTUI.fake_session import make_game, make_goal

KINDS = (*kinds(events, events.Event), *kinds(commands, commands.Command), Farewell)
CODEC = Codec(KINDS)


def values_of(hint: Any, name: str = "") -> st.SearchStrategy[Any]:
    """Return a strategy for a field's type."""
    hint = unaliased(hint)
    origin, arguments = get_origin(hint), get_args(hint)
    plain = {
        bool: st.booleans(),
        int: st.integers(-(2**63), 2**63 - 1),
        float: st.floats(),
        str: st.text(max_size=20),
        bytes: st.binary(max_size=600),
        type(None): st.none(),
    }
    if hint in plain:
        return plain[hint]
    if origin is np.ndarray:
        dtype = np.dtype(get_args(arguments[1])[0])
        shapes = (
            st.tuples(st.integers(1, 40), st.integers(1, 40), st.just(3))
            if name == "frame"
            else st.tuples(st.integers(0, 40), st.integers(0, 40))
        )
        return st.builds(
            lambda shape, seed: np.random.default_rng(seed).integers(0, 2, shape).astype(dtype),
            shapes,
            st.integers(0, 9),
        )
    if origin in (Union, types.UnionType):
        return st.one_of(*(values_of(argument) for argument in arguments))
    if origin is tuple and arguments[1:] == (Ellipsis,):
        return st.lists(values_of(arguments[0]), max_size=3).map(tuple)
    if origin is tuple:
        return st.tuples(*(values_of(argument) for argument in arguments))
    if origin is frozenset:
        return st.frozensets(values_of(arguments[0]), max_size=3)
    if origin is Mapping:
        return st.dictionaries(*(values_of(argument) for argument in arguments), max_size=3)
    if issubclass(hint, Enum):
        return st.sampled_from(list(hint))
    hints = get_type_hints(hint)
    return st.builds(
        hint, **{f.name: values_of(hints[f.name], f.name) for f in dataclasses.fields(hint)}
    )


@dataclasses.dataclass(frozen=True, slots=True)
class _LanternState(GameState):
    """A state that a game has extended, which a viewer does not know."""

    lanterns: int = 3


def same(a: Any, b: Any) -> bool:
    """Compare as == does, but for arrays and nan, and by type too."""
    if isinstance(a, np.ndarray):
        return bool(np.array_equal(a, b)) and a.dtype == b.dtype and a.shape == b.shape
    if type(a) is not type(b):
        return False
    if dataclasses.is_dataclass(a):
        names = [field.name for field in dataclasses.fields(a)]
        return all(same(getattr(a, name), getattr(b, name)) for name in names)
    if isinstance(a, float):
        return repr(a) == repr(b)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return bool(a == b)


def payload(message: object) -> bytes:
    return CODEC.encode(message)[4:]


def test_game_state_of_a_game_subclass_arrives_as_game_state() -> None:
    state = make_game()
    fields = {f.name: getattr(state, f.name) for f in dataclasses.fields(GameState)}
    extended = payload(GameObserved(_LanternState(**fields), None, frozenset()))
    plain = payload(GameObserved(state, None, frozenset()))
    assert type(CODEC.decode(extended).state) is GameState
    assert extended == plain


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_every_event_and_command_comes_back_as_it_was(kind: type, data: st.DataObject) -> None:
    message = data.draw(values_of(kind))
    (arrived,) = Messages(2**23).feed(CODEC.encode(message))
    assert same(CODEC.decode(arrived), message)


def test_numbers_of_numpy_come_back_as_plain_ones() -> None:
    told = PolicyUpdated(np.int64(3), 4, {"loss": np.float32(0.5)})  # type: ignore[arg-type]
    assert same(CODEC.decode(payload(told)), PolicyUpdated(3, 4, {"loss": 0.5}))


def test_a_frame_is_small_and_comes_back_read_only() -> None:
    frame = np.zeros(GAME_BOY_FRAME_SHAPE, np.uint8)
    message = payload(FrameRendered(frame, 2))
    assert len(message) < 1000
    assert not CODEC.decode(message).frame.flags.writeable


def messages() -> list[bytes]:
    """Return some messages of all sizes."""
    summary = EpisodeSummary(0, 1.5, 20, (("map", 2.0),), {"left_house": 4})
    noise = np.random.default_rng(0).integers(0, 255, GAME_BOY_FRAME_SHAPE).astype(np.uint8)
    visited = np.zeros((18, 20), np.bool_)
    return [
        payload(message)
        for message in (
            Press(Action.LEFT),
            SetSpeed(3.0),
            Instruct("to the sea ☀"),
            EpisodeEnded(1, 20, summary),
            FrameRendered(noise // 64, 0),
            GameObserved(make_game(), make_goal(), frozenset({"a"}), ((1, 2),), visited),
        )
    ]


def damage(message: bytes, rng: random.Random) -> bytes:
    """Return a message with bytes changed, cut, doubled or put in."""
    text = bytearray(message)
    for _ in range(rng.choice((1, 1, 2, 8))):
        at = rng.randrange(min(len(text), rng.choice((12, 200, len(text)))) or 1)
        match rng.randrange(5):
            case 0:
                text[at : at + 1] = bytes([rng.randrange(256)])
            case 1:
                del text[at:]
            case 2:
                text[at:at] = text[at : at + rng.randrange(1, 40)]
            case 3:
                text[at : at + 1] = rng.choice((b"9", b"-", b"[", b"]", b"null", b'"', b"1e999"))
            case _:
                del text[at : at + rng.randrange(1, 9)]
        text = text or bytearray(b"\0")
    return bytes(text)


def test_damaged_messages_are_read_or_refused() -> None:
    rng = random.Random(6)
    whole = messages()
    refused = 0
    for number in range(5_000):
        try:
            CODEC.decode(damage(whole[number % len(whole)], rng))
        except ProtocolError:
            refused += 1
    assert refused > 3_750


def header(text: str, rest: bytes = b"") -> bytes:
    return struct.pack(">I", len(text.encode())) + text.encode() + rest


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"\xff\xff\xff\xff",
        header(""),
        header("[]"),
        header('["Press"]'),
        header('["Exec",[1]]'),
        header('["Press",[true]]'),
        header('["Press",["A"]]'),
        header('["Press",[1.0]]'),
        header('["Press",[[]]]'),
        header('["Press",[1,2]]'),
        header('["Press",{"action":1}]'),
        header('["Watch",[1.5]]'),
        header(f'["Watch",[{10**30}]]'),
        header(f'["Watch",[{"9" * 5000}]]'),
        header('["Wish",[null]]'),
        header('["SetSpeed",["fast"]]'),
        header('["Pause",[]]', b"more"),
        header("[" * 100_000),
        header('["FrameRendered",[[[144,160,3],9,false],0]]', b"012345678"),
        header('["FrameRendered",[[[10,10,4],400,false],0]]', bytes(400)),
        header('["FrameRendered",[[[0,10,3],0,false],0]]'),
        header('["FrameRendered",[[[513,1,3],1539,false],0]]', bytes(1539)),
        header('["FrameRendered",[[[10,10],100,false],0]]', bytes(100)),
        header('["FrameRendered",[[[144,160,3],-1,false],0]]'),
        header('["FrameRendered",[[[144,160,3],4,true],0]]', b"abcd"),
        b"\0\0\0\x02\xff\xfe",
    ],
)
def test_decode_refuses_what_is_no_message(message: bytes) -> None:
    with pytest.raises(ProtocolError):
        CODEC.decode(message)


def test_decode_refuses_an_unknown_member_of_an_enumeration() -> None:
    tally = GoalTally("rules", GoalKind.HEAL, 1, 0)
    told = payload(EpisodeEnded(1, 20, EpisodeSummary(0, 1.0, 9, (), goals=(tally,))))
    with pytest.raises(ProtocolError, match="'cook' is not a GoalKind"):
        CODEC.decode(told.replace(b'"heal"', b'"cook"'))


def test_decode_refuses_arrays_that_unpack_to_more_than_their_shape() -> None:
    bomb = zlib.compress(bytes(50_000_000), 9)
    text = f'["FrameRendered",[[[144,160,3],{len(bomb)},true],0]]'
    with pytest.raises(ProtocolError, match="damaged"):
        CODEC.decode(header(text, bomb))


def test_command_codec_refuses_events() -> None:
    with pytest.raises(ProtocolError, match="Unknown message 'Farewell'"):
        command_codec().decode(event_codec().encode(Farewell("x"))[4:])


def test_messages_refuse_a_long_message_before_it_has_come() -> None:
    size = (MAX_COMMAND_BYTES + 1).to_bytes(4)
    with pytest.raises(ProtocolError, match="Invalid message size"):
        list(Messages(MAX_COMMAND_BYTES).feed(size))


@given(cuts=st.lists(st.integers(0, 200), max_size=6))
def test_messages_are_found_however_the_stream_is_split(cuts: list[int]) -> None:
    told = [Watch(3), Instruct("home"), SetSpeed(0.0)]
    stream = b"".join(map(CODEC.encode, told))
    places = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    reader = Messages(MAX_COMMAND_BYTES)
    pieces = [stream[a:b] for a, b in itertools.pairwise(places)]
    heard = [CODEC.decode(message) for piece in pieces for message in reader.feed(piece)]
    assert heard == told


def test_another_field_is_another_schema() -> None:
    @dataclasses.dataclass(frozen=True)
    class One:
        number: int

    @dataclasses.dataclass(frozen=True)
    class Two:
        number: float

    Two.__name__ = "One"
    assert Codec((One,)).schema != Codec((Two,)).schema
    assert Codec((One,)).schema == Codec((One,)).schema
