import math

import pytest

from engine.ground.numerals import MAX_INT, MAX_NUMBER, is_number, parse_number, parse_whole


@pytest.mark.parametrize(("text", "value"), [("0", 0), ("7", 7), ("10", 10), ("07", 7)])
def test_whole_number_is_read(text: str, value: int) -> None:
    assert parse_whole(text, 0, 10) == value


@pytest.mark.parametrize(
    "text",
    ["", " 1", "1 ", "+1", "-1", "1_0", "1.0", "1e1", "٣", "²", "11", "0x1", "007", "9" * 5000,
     "\n1"],
)  # fmt: skip
def test_anything_but_a_few_digits_in_range_is_no_whole_number(text: str) -> None:
    with pytest.raises(ValueError, match="not a whole number from 0 to 10"):
        parse_whole(text, 0, 10)


def test_whole_numbers_have_64_bits() -> None:
    assert parse_whole(str(MAX_INT - 1)) == MAX_INT - 1
    with pytest.raises(ValueError, match="not a whole number"):
        parse_whole(str(MAX_INT))


@pytest.mark.parametrize("text", ["0", "-1.5", "+2e3", ".5", "1e15", "1e-320"])
def test_number_is_read(text: str) -> None:
    assert parse_number(text) == float(text)


@pytest.mark.parametrize(
    "text", ["", "nan", "inf", "-inf", "1e400", "1.7e308", "1_0", " 1", "٣", "1e16", "-", "0" * 99]
)
def test_nothing_else_is_a_number(text: str) -> None:
    with pytest.raises(ValueError, match=r"number|convert"):
        parse_number(text)


def test_numbers_from_outside_are_finite_and_bounded() -> None:
    assert is_number(-MAX_NUMBER)
    for value in (math.nan, math.inf, 2 * MAX_NUMBER, -1.7e308, 10**5000):
        assert not is_number(value)
