"""Find what a setting names: announced by an installed package, or as "module:attribute"."""

import importlib
from importlib.metadata import entry_points
from operator import attrgetter
from typing import Any

from engine.errors import ConfigurationError


def resolve(name: str, group: str) -> Any:
    """Return what a name stands for: an entry point of `group`, or "module:attribute".

    Raises:
        ConfigurationError: There is no such entry point, module or attribute.
    """
    module, colon, attribute = name.partition(":")
    if not colon:
        announced = {entry.name: entry for entry in entry_points(group=group)}
        if name not in announced:
            known = ", ".join(sorted(announced)) or "nothing"
            raise ConfigurationError(
                f"No installed package announces {name!r} under {group}.",
                f'Available: {known}. Or give it as "module:Class".',
            )
        module, attribute = announced[name].module, announced[name].attr
    try:
        loaded = importlib.import_module(module)
    except (ImportError, SyntaxError, TypeError, ValueError) as error:
        raise ConfigurationError(
            f"Cannot import the module of {name!r}: {error}.",
            "Install it, or add its folder to PYTHONPATH.",
        ) from None
    try:
        return attrgetter(attribute)(loaded)
    except AttributeError as error:
        raise ConfigurationError(f"Cannot find {name!r}: {error}.", "Correct its name.") from None
