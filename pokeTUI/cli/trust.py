"""Define `poketui trust`: say what runs and config files from elsewhere may use on this machine."""

from engine.errors import ConfigurationError
from pokeTUI.terminal.printing import say


def trust(names: list[str] | None = None, /, remove: list[str] | None = None) -> None:
    """Trust hosts, code or paths named by runs and config files; without NAME, list them.

    A run or a config file may be from elsewhere. Hosts, code and places that only it names are
    used once you trust them; a language model's own provider and this machine are always allowed.

    Args:
        names ([NAME]...): Host, host:port, module:Class, path, or wandb. Default: list what is
            trusted.
        remove (NAME): Stop trusting it.
    """
    from engine.ground import trust as trusting

    for name in names or []:
        if not name.strip() or not name.isprintable():
            raise ConfigurationError(
                f"{name!r} cannot be trusted.", "Use a host, module:Class, a path, or wandb."
            )
    try:
        if names:
            trusting.trust(names)
        for name in remove or []:
            if not trusting.distrust(name):
                raise ConfigurationError(
                    f"{name} is not trusted in {trusting.trust_path()}.", "List: poketui trust"
                )
    except OSError as error:
        raise ConfigurationError(
            f"Cannot write {trusting.trust_path()}: {error.strerror or error}.",
            f"Set it in {trusting.VARIABLE}, or set POKETUI_CONFIG_DIR to a writable folder.",
        ) from None
    lines = list(trusting.trusted_names())
    lines += [f"{name} ({trusting.VARIABLE})" for name in trusting.names_in_environment()]
    say(*(lines or ["Nothing is trusted yet. Trust a host or code: poketui trust NAME"]))
