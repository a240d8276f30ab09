"""Read sixels as a terminal does."""

import re

import numpy as np
from numpy.typing import NDArray

_PICTURE = re.compile(r'\x1bP0;1q"1;1;(\d+);(\d+)([^\x1b]*)\x1b\\')
_PART = re.compile(r"#(\d+);2;(\d+);(\d+);(\d+)|#(\d+)|(?:!(\d+))?([?-~])|([$-])")


def decode(text: str) -> NDArray[np.int16]:
    """Return a picture, (h, w, 3) in percent; -1 where nothing is drawn."""
    found = _PICTURE.fullmatch(text)
    width, height, body = int(found[1]), int(found[2]), found[3]
    picture = np.full((height + 5, width, 3), -1, np.int16)
    colors: dict[int, tuple[int, ...]] = {}
    color = x = y = end = 0
    for part in _PART.finditer(body):
        assert part.start() == end
        end = part.end()
        if part[1]:
            colors[int(part[1])] = tuple(map(int, part.group(2, 3, 4)))
        elif part[5]:
            color = int(part[5])
        elif part[8]:
            x, y = 0, y + 6 * (part[8] == "-")
        else:
            count, bits = int(part[6] or 1), ord(part[7]) - ord("?")
            for bit in range(6):
                if bits >> bit & 1:
                    picture[y + bit, x : x + count] = colors[color]
            x += count
            assert x <= width
    assert end == len(body)
    assert (picture[height:] == -1).all()
    return picture[:height]
