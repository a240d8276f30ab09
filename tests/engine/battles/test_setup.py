from pathlib import Path

import pytest

from engine.battles.sim.setup import VERSION, find_node, find_simulator, install
from engine.errors import ConfigurationError
from engine.ground.folders import cache_folder

NODE = "#!/bin/sh\necho v{version}\n"
NPM = (
    '#!/bin/sh\nmkdir -p node_modules/pokemon-showdown/dist/sim\n: > {index}\necho "$@" >> {log}\n'
)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder whose programs are found besides the usual ones of the shell."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("POKETUI_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("POKETUI_SHOWDOWN", raising=False)
    for name in ("mkdir", "sh"):
        (folder / name).symlink_to(Path("/bin") / name)
    return folder


def program(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)


def with_npm(folder: Path, log: Path) -> None:
    program(folder, "node", NODE.format(version="20.1.0"))
    index = "node_modules/pokemon-showdown/dist/sim/index.js"
    program(folder, "npm", NPM.format(index=index, log=log))


@pytest.mark.parametrize(
    ("node", "find", "said"),
    [
        (None, find_node, r"need Node\.js.* Install Node 18 or newer"),
        (NODE.format(version="16.20.2"), find_node, r"this is v16\.20\.2"),
        ("#!/bin/sh\n", find_node, "does not say its version"),
        (NODE.format(version="18.0.0"), find_simulator, "poketui vgc setup"),
        (NODE.format(version="20.1.0"), lambda: install(print), "Install npm"),
    ],
    ids=["no node", "an old node", "a silent node", "no simulator", "no npm"],
)
def test_what_is_missing_is_said_with_the_remedy(programs, node, find, said):
    if node:
        program(programs, "node", node)
    with pytest.raises(ConfigurationError, match=said):
        find()


def test_the_simulator_is_installed_once(programs, tmp_path):
    log, said = tmp_path / "log", []
    with_npm(programs, log)
    assert install(said.append) == install(said.append) == find_simulator()
    assert log.read_text().split()[0] == "ci"
    assert len(log.read_text().splitlines()) == 1
    assert [line.split()[0] for line in said] == ["Installing", "Installed,", "Pokémon"]
    assert [path.name for path in cache_folder().iterdir()] == [f"showdown-{VERSION}"]


def test_an_installation_that_failed_leaves_nothing_and_says_why(programs):
    program(programs, "node", NODE.format(version="20.1.0"))
    said = "npm error code ENOTFOUND\nnpm error network request failed"
    program(programs, "npm", f"#!/bin/sh\necho '{said}' >&2\nexit 1\n")
    with pytest.raises(ConfigurationError, match="network request failed"):
        install(lambda line: None)
    assert not list(cache_folder().iterdir())


def test_half_an_installation_is_replaced(programs, tmp_path):
    with_npm(programs, tmp_path / "log")
    rest = cache_folder() / f"showdown-{VERSION}" / "node_modules"
    rest.mkdir(parents=True)
    install(lambda line: None)
    assert find_simulator().modules == rest


def test_a_simulator_of_ones_own_is_used(programs, tmp_path, monkeypatch):
    program(programs, "node", NODE.format(version="20.1.0"))
    own = tmp_path / "own"
    monkeypatch.setenv("POKETUI_SHOWDOWN", str(own))
    for call in (find_simulator, lambda: install(print)):
        with pytest.raises(ConfigurationError, match="Correct POKETUI_SHOWDOWN"):
            call()
    index = own / "pokemon-showdown" / "dist" / "sim" / "index.js"
    index.parent.mkdir(parents=True)
    index.touch()
    assert find_simulator().environment()["NODE_PATH"] == str(own)
