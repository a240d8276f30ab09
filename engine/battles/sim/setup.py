"""Find Node and the battle simulator (Pokémon Showdown), and install the latter by npm."""

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.errors import ConfigurationError
from engine.ground.files import make_folder, remove_folder, sync_folder
from engine.ground.folders import cache_folder, folder_bytes
from engine.ground.processes import foreign_environment
from engine.ground.scratch import scratch_folder

VERSION = "0.11.11"
"""Version of the npm package; node/package-lock.json pins it and its dependencies."""
MIN_NODE = 18
SIZE_MB = 155
_INSTALL_TIMEOUT_S = 900.0
_FOR_NPM = (
    "npm_config_", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
    "ssl_cert_", "node_extra_ca_certs",
)  # fmt: skip
"""Prefixes of environment variables that npm needs to reach its registry."""
_MISSING = "Run `poketui vgc setup`."


@dataclass(frozen=True, slots=True)
class NodeCommand:
    """How the simulator's scripts are run.

    Attributes:
        node: The program.
        modules: Folder that `require` searches.
        cache: Folder in which scripts may cache; None: they do not.
    """

    node: str
    modules: Path
    cache: Path | None = None

    def script(self, name: str, *arguments: str) -> list[str]:
        """Return the command that runs a script of ours, from the package's folder node/."""
        return [self.node, str(script_folder() / name), *arguments]

    def environment(self) -> dict[str, str]:
        """Return the environment in which scripts find the simulator."""
        return foreign_environment(NODE_PATH=str(self.modules))


def script_folder() -> Path:
    """Return the folder of our scripts."""
    return Path(__file__).parent / "node"


def find_node() -> str:
    """Return the path of a Node that is new enough.

    Raises:
        ConfigurationError: There is none.
    """
    node = shutil.which("node")
    if node is None:
        raise ConfigurationError(
            "Battles need Node.js, which is not installed.", f"Install Node {MIN_NODE} or newer."
        )
    try:
        shown = subprocess.run(
            [node, "--version"],
            env=foreign_environment(),
            capture_output=True,
            text=True,
            timeout=30,
        )
        version = shown.stdout.strip()
        major = int(version.removeprefix("v").split(".")[0])
    except (OSError, ValueError, subprocess.TimeoutExpired):
        raise ConfigurationError(
            f"{node} does not say its version.", f"Install Node {MIN_NODE} or newer."
        ) from None
    if major < MIN_NODE:
        raise ConfigurationError(
            f"Battles need Node {MIN_NODE} or newer, this is {version}.",
            f"Install Node {MIN_NODE} or newer.",
        )
    return node


def modules_folder() -> Path:
    """Return the folder of packages: the user's own, or that of `install`."""
    if given := os.environ.get("POKETUI_SHOWDOWN"):
        return Path(given)
    return _own_folder() / "node_modules"


def is_installed() -> bool:
    """Return whether the simulator is installed."""
    return (modules_folder() / "pokemon-showdown" / "dist" / "sim" / "index.js").is_file()


def find_simulator() -> NodeCommand:
    """Return how to run the installed simulator.

    Raises:
        ConfigurationError: Node or the simulator is missing.
    """
    node = find_node()
    if not is_installed():
        if os.environ.get("POKETUI_SHOWDOWN"):
            raise ConfigurationError(
                f"There is no pokemon-showdown in {modules_folder()}.",
                "Correct POKETUI_SHOWDOWN, or unset it and run `poketui vgc setup`.",
            )
        raise ConfigurationError("The battle simulator is not installed.", _MISSING)
    return NodeCommand(node, modules_folder().absolute(), cache_folder().absolute())


def install(report: Callable[[str], None]) -> NodeCommand:
    """Install the simulator unless it is installed; `report` takes lines for the user.

    Raises:
        ConfigurationError: Node or npm is missing, or npm could not install it.
        OSError: The folder cannot be written.
    """
    node = find_node()
    if is_installed():
        report(f"Pokémon Showdown is in {modules_folder()}.")
        return find_simulator()
    if os.environ.get("POKETUI_SHOWDOWN"):
        return find_simulator()  # which says what is wrong with that folder
    npm = shutil.which("npm")
    if npm is None:
        raise ConfigurationError(
            "npm, which installs the battle simulator, is missing.", "Install npm beside Node."
        )
    target = _own_folder()
    report(f"Installing Pokémon Showdown {VERSION} (about {SIZE_MB} MB) into {target}.")
    make_folder(target.parent)
    with scratch_folder(target.parent) as beside:
        for name in ("package.json", "package-lock.json"):
            shutil.copyfile(script_folder() / name, beside / name)
        _run_npm(
            [npm, "ci", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund"], beside
        )
        if target.exists():
            remove_folder(target)  # the remains of another installation
        beside.rename(target)
        sync_folder(target.parent)
    report(f"Installed, {folder_bytes(target) / 1e6:.0f} MB.")
    return NodeCommand(node, modules_folder().absolute(), cache_folder().absolute())


def _own_folder() -> Path:
    return cache_folder() / f"showdown-{VERSION}"


def _run_npm(command: list[str], folder: Path) -> None:
    hint = "Check the network connection, and run it again."
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=foreign_environment(*_FOR_NPM),
            capture_output=True,
            text=True,
            timeout=_INSTALL_TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        raise ConfigurationError(
            f"npm did not finish in {_INSTALL_TIMEOUT_S / 60:.0f} minutes.", hint
        ) from None
    except OSError as error:
        raise ConfigurationError(f"npm cannot be run: {error.strerror}.", hint) from None
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if "npm" in line]
        reason = next((line for line in lines if "code" not in line), "no reason given")
        raise ConfigurationError(f"npm could not install the simulator: {reason}.", hint)
