"""Find cores, and say what is wrong with files that are none."""

import importlib.util
import subprocess
from pathlib import Path
from typing import Any

import pytest

from engine.emulator import core as cores
from engine.emulator.core import Core, LoadedCore, core_version
from engine.errors import EnvironmentError
from engine.ground.folders import CORE_VARIABLE
from engine.ground.processes import code_command, worker_environment


def load(path: Path) -> LoadedCore:
    return LoadedCore(Core(path), lambda: 0)


def refusal(path: Path) -> str:
    with pytest.raises(EnvironmentError) as caught:
        load(path)
    assert "--core" in caught.value.hint
    return caught.value.message


def compiled(folder: Path, code: str) -> Path:
    """Return a library made from C."""
    source, library = folder / "source.c", folder / "some_libretro.so"
    source.write_text(code)
    subprocess.run(["gcc", "-shared", "-fPIC", "-w", source, "-o", library], check=True)
    return library


def test_named_core_comes_before_all_others(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CORE_VARIABLE, str(core.path))
    assert Core.find() == core
    assert core_version().startswith("mGBA 0.")


def test_core_of_the_extra_comes_before_the_systems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(CORE_VARIABLE, raising=False)
    package, system = tmp_path / "stable_retro", tmp_path / "system"
    for folder in (package / "cores", system):
        folder.mkdir(parents=True)
        (folder / "mgba_libretro.so").touch()
    (package / "__init__.py").write_text("raise AssertionError('it is never imported')")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(cores, "_SYSTEM_FOLDERS", (str(system),))
    importlib.invalidate_caches()
    assert Core.find().path == package / "cores" / "mgba_libretro.so"
    (package / "cores" / "mgba_libretro.so").unlink()
    assert Core.find().path == system / "mgba_libretro.so"


def test_missing_core_is_one_line_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CORE_VARIABLE, raising=False)
    monkeypatch.setattr(cores, "_PACKAGE", "no_such_package")
    monkeypatch.setattr(cores, "_SYSTEM_FOLDERS", ())
    with pytest.raises(EnvironmentError, match=r"not installed.*pip install 'poketui\[gba\]'"):
        Core.find()
    assert core_version() == ""


def test_missing_file_is_named(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.so") == (
        f"The core {tmp_path}/none.so cannot be used: No such file or directory."
    )


@pytest.mark.parametrize("content", [b"", b"text", bytes(5000)], ids=["empty", "text", "zeros"])
def test_file_that_is_no_library_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "text_libretro.so"
    path.write_bytes(content)
    message = refusal(path)
    assert message.startswith(f"The core {path} cannot be used: ")
    assert "scratch" not in message


def test_core_of_another_platform_is_refused(core: Core, tmp_path: Path) -> None:
    image = bytearray(core.path.read_bytes())
    image[18:20] = b"\xb7\0"  # 64-bit Arm
    path = tmp_path / "arm_libretro.so"
    path.write_bytes(image)
    assert refusal(path).startswith(f"The core {path} cannot be used: ")


def test_truncated_core_is_refused(core: Core, tmp_path: Path) -> None:
    path = tmp_path / "cut_libretro.so"
    path.write_bytes(core.path.read_bytes()[:5000])
    assert refusal(path).startswith(f"The core {path} cannot be used: ")


@pytest.mark.tool("gcc")
def test_library_that_is_no_core_is_refused(tmp_path: Path) -> None:
    assert refusal(compiled(tmp_path, "int answer;")).endswith("it is no libretro core.")


@pytest.mark.tool("gcc")
def test_core_of_another_emulator_is_refused(tmp_path: Path) -> None:
    functions = (name for name in cores.abi.FUNCTIONS if name != "retro_get_system_info")
    stubs = "".join(f"int {name}(void) {{ return 1; }}\n" for name in functions)
    info = (
        "struct info { const char *name, *version; };\n"
        "void retro_get_system_info(struct info *info) {\n"
        '  info->name = "VBA Next"; info->version = "1.0";\n}\n'
    )
    assert refusal(compiled(tmp_path, stubs + info)).endswith("it is VBA Next 1.0, not mGBA.")


# A core that is named is tried first

CRASH = "*(volatile int *)0 = 1;"
HANG = "for (;;) pause();"


def named(
    path: Path,
    core: Core,
    monkeypatch: pytest.MonkeyPatch,
    *,
    at_start: str = "",
    in_init: str = "",
) -> Path:
    """Return a library that hands all to mGBA but its start and `retro_init`; it is then named."""
    source = f"""
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>
static void *core;
__attribute__((constructor)) static void begin(void) {{
  {at_start}
  core = dlopen("{core.path}", RTLD_NOW);
}}
void retro_init(void) {{ {in_init} ((void (*)(void))dlsym(core, "retro_init"))(); }}
"""
    for name in cores.abi.FUNCTIONS:
        if name != "retro_init":
            source += (
                f"long {name}(long a, long b, long c, long d) {{\n"
                f'  return ((long (*)())dlsym(core, "{name}"))(a, b, c, d);\n}}\n'
            )
    library = compiled(path, source)
    monkeypatch.setenv(CORE_VARIABLE, str(library))
    monkeypatch.setenv("POKETUI_GBA_CORE_TRIED", "")
    return library


def trial(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return a list to which each start of a process is added."""
    starts: list[object] = []
    run = subprocess.run

    def count(*args: Any, **options: Any) -> Any:
        starts.append(args)
        return run(*args, **options)

    monkeypatch.setattr(cores.subprocess, "run", count)
    return starts


@pytest.mark.tool("gcc")
def test_a_named_core_is_tried_once_by_all_processes(
    core: Core, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = named(tmp_path, core, monkeypatch)
    starts = trial(monkeypatch)
    for _ in range(2):
        assert Core.find().path == library
    code = "import os; from engine.emulator import core; core.subprocess = None; core.Core.find()"
    subprocess.run(code_command(code), env=worker_environment(), check=True)
    assert len(starts) == 2
    library.touch()
    Core.find()
    assert len(starts) == 3


@pytest.mark.tool("gcc")
@pytest.mark.parametrize("where", ["at_start", "in_init"])
def test_a_core_that_crashes_does_so_elsewhere(
    core: Core, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    library = named(tmp_path, core, monkeypatch, **{where: CRASH})
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(EnvironmentError, match=r"--core FILE") as caught:
        Core.find()
    assert caught.value.message == (
        f"The core {library} cannot be used: it crashed when it was tried (SIGSEGV)."
    )
    assert not list(tmp_path.glob("poketui-*"))


@pytest.mark.tool("gcc")
@pytest.mark.parametrize("where", ["at_start", "in_init"])
def test_a_core_that_hangs_is_given_up(
    core: Core, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    named(tmp_path, core, monkeypatch, **{where: HANG})
    monkeypatch.setattr(cores, "_TRY_TIMEOUT_S", 1.0)
    with pytest.raises(EnvironmentError, match=r"it hung for 1 s when it was tried.*--core FILE"):
        Core.find()


@pytest.mark.tool("gcc")
def test_a_core_that_ends_the_process_or_is_none_is_said(
    core: Core, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named(tmp_path, core, monkeypatch, at_start="_exit(0);")
    with pytest.raises(EnvironmentError, match="it ended when it was tried"):
        Core.find()
    monkeypatch.setenv(CORE_VARIABLE, str(compiled(tmp_path, "int answer;")))
    with pytest.raises(EnvironmentError, match="it is no libretro core"):
        Core.find()
    monkeypatch.setenv(CORE_VARIABLE, str(tmp_path / "none.so"))
    with pytest.raises(EnvironmentError, match="No such file"):
        Core.find()


@pytest.mark.tool("gcc")
def test_a_core_on_trial_is_told_no_keys(
    core: Core, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named(tmp_path, core, monkeypatch, at_start='if (getenv("OPENAI_API_KEY")) _exit(1);')
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    Core.find()


def test_folder_that_runs_no_programs_is_named_as_the_reason(
    core: Core, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str) -> None:  # what dlopen says on a file system mounted with noexec
        raise OSError(f"{path}: failed to map segment from shared object")

    monkeypatch.setattr(cores.ctypes, "PyDLL", refuse)
    with pytest.raises(EnvironmentError, match=r"failed to map segment.*Set TMPDIR"):
        load(core.path)


def test_version_names_a_clock_that_cannot_be_fixed(
    core: Core, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = load(core.path)
    assert loaded.is_clock_fixed
    fixed = loaded.version
    loaded.close()
    monkeypatch.setattr("sys.platform", "darwin")
    loaded = load(core.path)
    assert not loaded.is_clock_fixed
    assert loaded.version == f"{fixed}, clock not fixed"
    loaded.close()
