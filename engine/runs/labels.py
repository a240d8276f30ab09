"""Keep a person's labels of a run, a name, a note and tags, in one file in the run's folder.

A name is shown beside the run's id and never replaces it. Labels may be changed while the run is
active: it neither reads nor writes them.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from engine.errors import ConfigurationError
from engine.ground.files import os_errors_as, read_object, write_file
from engine.ground.text import one_line
from engine.runs.checkpoint import LATEST

LABELS_NAME = "labels.json"
MAX_NAME, MAX_NOTE, MAX_TAG, MAX_TAGS = 40, 400, 24, 16


@dataclass(frozen=True, slots=True)
class RunLabels:
    """A run's labels; all may be empty."""

    name: str = ""
    note: str = ""
    tags: tuple[str, ...] = ()

    def changed(
        self,
        *,
        name: str | None = None,
        note: str | None = None,
        add: Iterable[str] = (),
        remove: Iterable[str] = (),
    ) -> "RunLabels":
        """Return these with another name or note, and with tags added and removed.

        Raises:
            ConfigurationError: One of them cannot be used.
        """
        added, removed = [tag.strip() for tag in add], {tag.strip() for tag in remove}
        tags = tuple(tag for tag in dict.fromkeys((*self.tags, *added)) if tag not in removed)
        for tag in added:
            _check("tag", tag, MAX_TAG)
            if not tag or " " in tag or tag.startswith(("-", "#")):
                raise ConfigurationError(
                    f"{tag!r} cannot be a tag.", "A tag is one word, such as baseline."
                )
        if len(tags) > MAX_TAGS:
            raise ConfigurationError(f"A run has at most {MAX_TAGS} tags.", "Remove one of them.")
        labels = replace(self, tags=tags)
        if name is not None:
            labels = replace(labels, name=name.strip())
            _check("name", labels.name, MAX_NAME)
            if labels.name == LATEST or labels.name.startswith("-"):
                raise ConfigurationError(
                    f"A run cannot be named {labels.name}.", "Choose another name."
                )
        if note is not None:
            labels = replace(labels, note=note.strip())
            _check("note", labels.note, MAX_NOTE)
        return labels


def read_labels(folder: Path) -> RunLabels:
    """Return the labels of the run in `folder`, without what cannot be shown."""
    try:
        values = read_object(folder / LABELS_NAME)
    except ValueError:
        return RunLabels()
    found = values.get("tags")
    tags = [tag for tag in found if isinstance(tag, str)] if isinstance(found, list) else []
    return RunLabels(
        one_line(str(values.get("name", "")), MAX_NAME),
        one_line(str(values.get("note", "")), MAX_NOTE),
        tuple(one_line(tag, MAX_TAG) for tag in tags[:MAX_TAGS]),
    )


def write_labels(folder: Path, labels: RunLabels) -> None:
    """Write the labels of the run in `folder`.

    Raises:
        ConfigurationError: They cannot be written.
    """
    path = folder / LABELS_NAME
    hint = "Make the run's folder writable, or free some disk space."
    with os_errors_as(ConfigurationError, f"Cannot write {path}", hint):
        write_file(path, json.dumps(asdict(labels), indent=1).encode())


def _check(what: str, text: str, longest: int) -> None:
    if len(text) > longest or not text.isprintable():
        raise ConfigurationError(
            f"{text!r:.60} cannot be a run's {what}.",
            f"Use up to {longest} characters of printable text.",
        )
