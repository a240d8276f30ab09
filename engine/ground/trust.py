"""Decide what a file may make this machine do: hosts, code and files need the user's permission.

A run, a policy or a config file may be from elsewhere, and is data. What it names is used only if
that is harmless (a provider's own host, this machine), or if the user has named it, too: in the
environment, on the command line, in Python code, or once and for all with `poketui trust`.
"""

import contextlib
import ipaddress
import json
import os
import re
import shlex
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import ConfigurationError
from engine.ground.files import make_folder, parse_json, read_file, write_file
from engine.ground.folders import config_folder
from engine.ground.providers import PROVIDERS, Provider, backend_of, names_of, whole_path

_SOCKETS = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
"""Linux's tables of sockets: a line each, with addresses, ports and states in hexadecimal."""
_LISTENS = "0A"
_NOBODY = {"65534"}
"""How Linux writes a user who has no number in this container."""
_PORTS = {"http": 80, "https": 443}

VARIABLE = "POKETUI_TRUST"
"""Environment variable of names that are trusted, with commas between."""
WANDB = "wandb"
_MAX_SIZE = 1_000_000
# Clients read odd addresses in odd ways. Only what all of them read alike is taken apart.
_ADDRESS = re.compile(
    r"(?:(?P<scheme>https?)://)?"
    r"(?P<host>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?(?:/[!-~]*)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Permission:
    """Something for which settings need the user's permission."""

    names: tuple[str, ...]
    """By which it can be given; the first is suggested."""
    purpose: str
    """What the settings would do, in words."""


def permissions_for_code(components: Iterable[str]) -> list[Permission]:
    """Return what the keys of `rewards.extra` need."""
    return [
        Permission((key,), f"rewards.extra runs the code of {_shown(key)}") for key in components
    ]


def permissions_for_host(address: str, backends: Iterable[str]) -> list[Permission]:
    """Return what asking by these protocols at `llm_base_url` needs; nothing for this machine."""
    names = host_names(address)
    found = _ADDRESS.fullmatch(address)
    needed = []
    for backend in sorted(PROVIDERS.keys() & set(backends)) if address else []:
        provider = PROVIDERS[backend]
        is_own = found is not None and (
            found["host"].lower() == provider.host
            and (found["scheme"] or "").lower() == "https"
            and found["port"] in (None, "443")
        )
        named = os.environ.get(provider.address_variable, "").strip()
        is_named = bool(named) and host_names(named)[0] == names[0]
        has_key = bool(os.environ.get(provider.key_variable, "").strip())
        is_here = found is not None and is_loopback(found["host"])
        is_ours = (
            found is not None and is_here and (not has_key or _is_served_by_us(found, provider))
        )
        if not (is_own or is_named or is_ours):
            key = f" and {provider.key_variable}" if has_key else ""
            whose = ", where no server of yours is seen" if is_here else ""
            purpose = f"llm_base_url sends questions{key} to {_shown(names[0])}{whose}"
            needed.append(Permission(names, purpose))
    return needed


def permissions_for_models(models: Iterable[str], backend: str = "") -> list[Permission]:
    """Return what loading the models of `llm_model` that are files, by absolute paths, needs."""
    files = [name for name in models if (backend or backend_of(name)) == "local"]
    return [Permission((file,), f"llm_model loads {_shown(file)}") for file in files]


def permissions_for_database(path: str, folder: Path) -> list[Permission]:
    """Return what writing `decision_db_path` needs.

    Nothing below the run's folder, where a relative path lies; an absolute one may lie in
    `folder`, the config file's, or in the working folder.
    """
    try:
        given = Path(path).expanduser()
        roots = (folder.resolve(), Path.cwd())
        is_inside = (
            any(given.resolve().is_relative_to(root) for root in roots)
            if given.is_absolute()
            else ".." not in given.parts
        )
    except (OSError, RuntimeError, ValueError):  # no such user, a loop of links, a NUL
        is_inside = False
    purpose = f"decision_db_path writes to {_shown(path)}"
    return [] if is_inside else [Permission((path,), purpose)]


def permissions_for_wandb(mode: str) -> list[Permission]:
    """Return what the setting `wandb` needs."""
    purpose = "wandb = online sends settings and metrics to Weights & Biases"
    return [Permission((WANDB,), purpose)] if mode == "online" else []


def named_in(values: Mapping[str, Any]) -> set[str]:
    """Return the names that settings, not validated, permit because the user gave these."""
    rewards = values.get("rewards")
    extra = rewards.get("extra") if isinstance(rewards, Mapping) else None
    named = {str(key) for key in extra} if isinstance(extra, Mapping) else set()
    if address := values.get("llm_base_url"):
        named.add(host_names(str(address))[0])
    if models := values.get("llm_model"):
        named.update(whole_path(name) for name in names_of(str(models)))
    if path := values.get("decision_db_path"):
        named.add(str(path))
    return named | ({WANDB} if values.get("wandb") == "online" else set())


def check_permissions(
    needed: Collection[Permission], origin: object, named: Collection[str] = ()
) -> None:
    """Refuse what a file needs and the user has neither permitted nor named (see `named_in`).

    Raises:
        ConfigurationError: Naming all of it, and how to permit it.
    """
    missing = _missing(needed, named)
    if missing:
        purposes = "; ".join(dict.fromkeys(each.purpose for each in missing))
        names = shlex.join(dict.fromkeys(each.names[0] for each in missing))
        raise ConfigurationError(
            f"{origin} is not trusted: {purposes}.", f"To trust it: poketui trust {names}"
        )


def remember(needed: Collection[Permission]) -> None:
    """Keep what the user permitted by beginning a run with it, so that it can be resumed."""
    with contextlib.suppress(OSError, ConfigurationError):  # then resuming asks for it
        if missing := _missing(needed, ()):
            trust([each.names[0] for each in missing])


def trust(names: Iterable[str]) -> None:
    """Add names to those that are trusted for good.

    Raises:
        ConfigurationError: The file of names cannot be read.
        OSError: It cannot be written.
    """
    _write({*trusted_names(), *names})


def distrust(name: str) -> bool:
    """Remove a name, and return whether it was there.

    Raises:
        ConfigurationError: The file of names cannot be read.
        OSError: It cannot be written.
    """
    names = set(trusted_names())
    if name in names:
        _write(names - {name})
    return name in names


def trusted_names() -> tuple[str, ...]:
    """Return the names that are trusted for good, in order.

    Raises:
        ConfigurationError: The file of names is damaged or cannot be read.
    """
    path = trust_path()
    try:
        names = parse_json(read_file(path, _MAX_SIZE))
    except FileNotFoundError:
        return ()
    except (OSError, ValueError) as error:
        names = error
    if isinstance(names, list) and all(isinstance(name, str) for name in names):
        return tuple(sorted(names))
    reason = getattr(names, "strerror", None) or "it contains no list of names"
    raise ConfigurationError(
        f"Cannot read the trusted names in {path}: {reason}.",
        "Correct or delete it, then: poketui trust NAME",
    )


def names_in_environment() -> tuple[str, ...]:
    """Return the names that the environment trusts."""
    return tuple(filter(None, (name.strip() for name in os.environ.get(VARIABLE, "").split(","))))


def trust_path() -> Path:
    """Return where the names are kept that are trusted for good."""
    return config_folder() / "trust.json"


def is_loopback(host: str) -> bool:
    """Return whether a host, as addresses name it, is this machine and can be nothing else."""
    with contextlib.suppress(ValueError):
        address = ipaddress.ip_address(host.strip("[]"))
        return (getattr(address, "ipv4_mapped", None) or address).is_loopback
    return host.lower() == "localhost"


def host_names(address: str) -> tuple[str, ...]:
    """Return the names of an address's host: host and port, host; of an odd one, itself."""
    found = _ADDRESS.fullmatch(address)
    if found is None:
        return (ascii(address)[1:-1],)  # what looks like a known host must not be taken for it
    host = found["host"].lower()
    return (f"{host}:{found['port']}", host) if found["port"] else (host,)


def _is_served_by_us(found: re.Match[str], provider: Provider) -> bool:
    """Return whether all that listens on an address's port on this machine is this user's."""
    scheme = (found["scheme"] or "").lower()
    port = int(found["port"] or _PORTS.get(scheme) or provider.port)
    lines: list[str] = []
    for table in _SOCKETS:
        with contextlib.suppress(OSError):  # another system, or one without IPv6
            lines += table.read_text().splitlines()[1:]
    rows = [line.split() for line in lines]
    users = {row[7] for row in rows if row[3] == _LISTENS and row[1].endswith(f":{port:04X}")}
    return users == {str(os.getuid())} and users.isdisjoint(_NOBODY)


def _missing(needed: Collection[Permission], named: Collection[str]) -> list[Permission]:
    granted = set(named)
    if needed:
        for name in (*trusted_names(), *names_in_environment()):
            granted |= {name, host_names(name)[0]}
    return [each for each in needed if granted.isdisjoint(each.names)]


def _write(names: Collection[str]) -> None:
    path = trust_path()
    make_folder(path.parent)
    write_file(path, (json.dumps(sorted(names), indent=1) + "\n").encode())


def _shown(name: str) -> str:
    return name if name.isascii() and name.isprintable() else ascii(name)[1:-1]
