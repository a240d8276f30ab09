"""List the keys by which a demonstration is recorded; none of them is a button of the game."""

from pokeTUI.dashboard.conditions import recording, rewindable, started
from pokeTUI.keys.entry import RECORD, KeyAction

REWOUND = 10
"""Actions that one press takes back."""

RECORDING: tuple[KeyAction, ...] = (
    KeyAction(
        ("d",),
        "toggle_recording",
        "d",
        "record",
        "Record a demonstration from here on; again: save it.",
        RECORD,
        started,
        name="record",
        rank=4,
    ),
    KeyAction(
        ("u",),
        f"rewind({REWOUND})",
        "u",
        "undo",
        f"Take the last {REWOUND} actions back, and go on from there.",
        RECORD,
        rewindable,
        name="rewind",
        rank=2,
    ),
    KeyAction(
        ("U",),
        "rewind_more",
        "U",
        "",
        "Take back as many actions as you say.",
        RECORD,
        rewindable,
    ),
    KeyAction(
        ("X",),
        "record_again",
        "X",
        "retake",
        "Throw the demonstration away, and record it again from where it began; it asks first.",
        RECORD,
        recording,
        rank=3,
    ),
    KeyAction(
        ("D",),
        "discard_recording",
        "D",
        "discard",
        "Throw the demonstration away; it asks first.",
        RECORD,
        recording,
        name="discard",
        rank=3,
    ),
    KeyAction(
        ("asterisk",),
        "mark_recording",
        "*",
        "mark",
        "Mark that the demonstration shows what was wanted, or take that back.",
        RECORD,
        recording,
        name="mark",
        rank=4,
    ),
    KeyAction(
        ("ampersand",),
        "mark_in_words",
        "&",
        "",
        "Note in words what was reached at this moment; that marks nothing.",
        RECORD,
        recording,
    ),
    KeyAction(
        ("e",),
        "describe_recording",
        "e",
        "words",
        "Say in words what the demonstration shows, and give it tags.",
        RECORD,
        recording,
        name="describe",
        rank=5,
    ),
)
"""What works while a person plays, and while the agent does."""
