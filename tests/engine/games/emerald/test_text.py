from engine.games.emerald.screen import decode, shown_lines
from tests.engine.games.emerald.memory_image import encode


def test_a_name_ends_at_its_end_mark() -> None:
    assert decode(encode("MUDKIP") + b"\xbb\xbc") == "MUDKIP"


def test_a_name_that_fills_its_place_needs_no_end_mark() -> None:
    assert decode(encode("POKéMON")[:-1]) == "POKéMON"


def test_a_box_shows_the_last_two_lines_of_a_page() -> None:
    assert shown_lines(encode("One.\nTwo.|Three.\nFour.")) == ("Three.", "Four.")
    assert shown_lines(encode("One.\nTwo.~Three.")) == ("Two.", "Three.")


def test_control_codes_and_what_follows_them_are_no_letters() -> None:
    coloured = b"\xfc\x04\x01\x02\x03" + encode("HI")  # colours
    paused = b"\xfc\x08\x20" + coloured
    assert shown_lines(b"\xf7\x00" + paused) == ("HI",)


def test_a_text_that_breaks_off_in_a_control_code_is_read_up_to_there() -> None:
    assert shown_lines(encode("HI")[:-1] + b"\xfc") == ("HI",)
    assert shown_lines(b"") == ()
