"""Name commands as the keys do: what is told of one is never the name of a class."""

from collections.abc import Mapping
from types import MappingProxyType

WORDS: Mapping[str, str] = MappingProxyType(
    {
        "Pause": "pause",
        "Resume": "go on",
        "StepOnce": "step",
        "SetSpeed": "speed",
        "Watch": "game",
        "PauseRendering": "look away",
        "TakeOver": "play",
        "GiveBack": "give back",
        "Press": "button",
        "PlayLive": "real time",
        "Hold": "button",
        "Restart": "restart",
        "KeepState": "keep state",
        "Branch": "branch",
        "SetMode": "mode",
        "SetStrategy": "strategy",
        "SetGoal": "goal",
        "Instruct": "wish",
        "SetWeight": "weight",
        "Save": "save",
        "Stop": "stop",
        "SkipEvaluation": "leave the evaluation",
        "Seek": "go to a step",
        "StartRecording": "record",
        "StopRecording": "save the demonstration",
        "DiscardRecording": "discard",
        "Rewind": "undo",
        "MarkRecording": "mark",
        "DescribeRecording": "words",
        "RequestControl": "take control",
        "ReleaseControl": "give control",
    }
)
"""By the command's kind, as events name it."""


def command_words(command: str) -> str:
    """Return what a command is called on the screen."""
    return WORDS.get(command, "this")
