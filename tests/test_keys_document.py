from docs.keys import PAGE, page


def test_the_page_of_keys_is_the_programs() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m docs.keys"
