"""List the keys by which a demonstration is recorded; none of them is a button of the game."""

from functools import partial

from pokeTUI.dashboard.conditions import recording, rewindable, started
from pokeTUI.keys.entry import RECORD, KeyAction

REWOUND = 10
"""Actions that one press takes back."""

_record = partial(KeyAction, RECORD)

RECORDING = (
    _record(
        ("d",),
        "toggle_recording",
        "Record a demonstration from here on; again: save it.",
        started,
        label="record",
        rank=4,
    ),
    _record(
        ("u",),
        f"rewind({REWOUND})",
        f"Take the last {REWOUND} actions back, and go on from there.",
        rewindable,
        name="rewind",
        label="undo",
        rank=2,
    ),
    _record(("U",), "rewind_more", "Take back as many actions as you say.", rewindable),
    _record(
        ("X",),
        "record_again",
        "Throw the demonstration away, and record it again from where it began; it asks first.",
        recording,
        name="record_again",
        label="retake",
        rank=3,
    ),
    _record(
        ("D",),
        "discard_recording",
        "Throw the demonstration away; it asks first.",
        recording,
        label="discard",
        rank=3,
    ),
    _record(
        ("asterisk",),
        "mark_recording",
        "Mark that the demonstration shows what was wanted, or take that back.",
        recording,
        label="mark",
        rank=4,
    ),
    _record(
        ("ampersand",),
        "mark_in_words",
        "Note in words what was reached at this moment; that marks nothing.",
        recording,
    ),
    _record(
        ("e",),
        "describe_recording",
        "Say in words what the demonstration shows, and give it tags.",
        recording,
        name="describe",
        label="words",
    ),
)
"""What works while a person plays, and while the agent does."""
