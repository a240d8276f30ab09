import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.emulator.core import Core
from engine.emulator.core_hooks import import_slots


def test_imported_functions_of_a_core_are_found(core: Core) -> None:
    slots = import_slots(core.path.read_bytes())
    assert {"time", "localtime_r", "malloc", "memcpy"} <= slots.keys()
    assert len(set(slots.values())) == len(slots)
    assert all(slot % 8 == 0 for slot in slots.values())


def test_library_for_another_processor_has_none(core: Core) -> None:
    data = bytearray(core.path.read_bytes())
    data[18:20] = b"\xb7\0"  # 64-bit Arm
    assert import_slots(bytes(data)) == {}


@pytest.mark.parametrize("data", [b"", b"text", bytes(1000), b"\x7fELF\x01\x01" + bytes(100)])
def test_other_files_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="no 64-bit library"):
        import_slots(data)


def test_truncated_library_is_refused(core: Core) -> None:
    data = core.path.read_bytes()
    for size in (1000, 5000, len(data) // 4, len(data) // 2):
        with pytest.raises(ValueError, match="truncated"):
            import_slots(data[:size])
    with pytest.raises(ValueError, match="damaged"):
        import_slots(data[:80])


@given(st.lists(st.tuples(st.integers(0, 0x400), st.integers(0, 255)), min_size=1, max_size=8))
@settings(max_examples=100, deadline=None)
def test_damaged_library_raises_nothing_but_value_errors(changes: list[tuple[int, int]]) -> None:
    damaged = bytearray(Core.find().path.read_bytes())
    for at, value in changes:
        damaged[at] = value
    try:
        slots = import_slots(bytes(damaged))
    except ValueError:
        return
    assert all(isinstance(slot, int) for slot in slots.values())
