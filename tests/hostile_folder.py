"""Make a folder that takes over whatever Python looks for modules in it."""

import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

_CODE = """
import builtins
with builtins.open({notes!r}, "a") as file:
    file.write({name!r} + "\\n")
"""


class HostileFolder:
    """A folder with a module of each name that Python or a package has; each notes its import."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._notes = path / "imported.txt"
        path.mkdir(parents=True, exist_ok=True)
        own = {"engine", "pokeTUI", "tests", "sitecustomize", "usercustomize"}
        for name in sys.stdlib_module_names | packages_distributions().keys() | own:
            if name.isidentifier():
                code = _CODE.format(notes=str(self._notes), name=name)
                (path / f"{name}.py").write_text(code, encoding="utf-8")

    @property
    def imported(self) -> list[str]:
        """The modules of it that have been run."""
        return self._notes.read_text().split() if self._notes.exists() else []

    def enter(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Make it the current folder of this process, which itself takes no module from there."""
        monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
        monkeypatch.chdir(self.path)
