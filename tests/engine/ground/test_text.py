import pytest

from engine.ground.text import counted


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 steps"), (1, "1 step"), (2, "2 steps"), (1000, "1,000 steps")]
)
def test_counted_has_the_singular_for_one_alone(number: int, text: str) -> None:
    assert counted(number, "step") == text
