"""Turn the world's words into character codes and give each text a number."""

import charset

NAMES = {"<P>": "{PLAYER}", "<R>": "{RIVAL}", "<B>": "{BUFFER}", "|": "\f", "...": "…"}
"""What roms/practice/world writes -> what charset.encode() takes."""


def encode(text: str) -> bytes:
    """Return the codes of a text of world/, with the end mark."""
    for sign, code in NAMES.items():
        text = text.replace(sign, code)
    return charset.encode(text)


class Texts:
    """All texts of the world, each stored once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        """Return a text's number, a new one for a new text."""
        return self._numbers.setdefault(text, len(self._numbers))

    def encoded(self) -> list[bytes]:
        """Return the codes of every text, in the order of the numbers."""
        return [encode(text) for text in self._numbers]
