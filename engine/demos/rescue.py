"""Save what the process that played a demonstration could not."""

from pathlib import Path

from engine.demos.recording_log import log_path, read_log
from engine.demos.writer import recover
from engine.env.demo_requests import BeginDemo, DemoEnded
from engine.errors import DemoError


def rescue(env_index: int, order: BeginDemo, path: Path) -> DemoEnded:
    """Make the file at `path` of its log, whose process is gone; say how it ended.

    Args:
        env_index: Where it was played.
        order: How it began.
        path: Of the file to be.
    """
    log = log_path(path)
    try:
        demo = read_log(log)
        shown = demo.shown
        human = sum(each.is_live or bool(demo.is_intervention[each.step]) for each in shown)
        is_unwanted = order.needs_human and not human and not demo.has_live
        kept = "" if not shown or is_unwanted else str(path)
        if kept:
            recover(log)
        else:
            log.unlink()
    except DemoError as error:
        return DemoEnded(env_index, "", 0, 0, False, 0.0, str(error))
    except OSError as error:
        reason = f"{log}: {error.strerror or error}."
        return DemoEnded(env_index, "", 0, 0, False, 0.0, reason)
    return DemoEnded(env_index, kept, len(shown), human, demo.has_live, demo.episode_return)
