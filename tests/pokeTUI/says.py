"""Look for several words in what was printed or is on the screen; what is wrong is named."""

from collections.abc import Container


def assert_has(said: Container[str], *parts: str) -> None:
    """Check that all `parts` are in it."""
    missing = [part for part in parts if part not in said]
    assert not missing, f"without {missing}:\n{said}"


def assert_lacks(said: Container[str], *parts: str) -> None:
    """Check that none of the `parts` is in it."""
    found = [part for part in parts if part in said]
    assert not found, f"with {found}:\n{said}"
