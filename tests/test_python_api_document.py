import re
from pathlib import Path
from typing import Any

import pytest

DOCUMENT = Path(__file__).parent.parent / "docs" / "python-api.md"
SHORTER = {
    "_per_episode=100": "_per_episode=10",
    "range(100)": "range(20)",
    "max_steps=100": "max_steps=60",
    "sample(64)": "sample(8)",
    "args.eval_episodes = 8, 0": "args.eval_episodes, args.batch_size = 2, 0, 8",
}


@pytest.mark.slow
def test_the_documents_examples_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In their order, in one program, with shorter episodes and smaller batches."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("POKETUI_EVAL_EPISODES", "1")
    names: dict[str, Any] = {}
    blocks = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.S)
    assert len(blocks) == 8
    assert all(text in "".join(blocks) for text in SHORTER)
    for block in blocks:
        for text, less in SHORTER.items():
            block = block.replace(text, less)
        exec(compile(block, str(DOCUMENT), "exec"), names)  # our own document
    assert names["summary"]["total_episodes"] == 10
    told = capsys.readouterr().out
    assert all(f"\n{number} " in told for number in (1, 2, 3))
    assert "best.zip" in told
    assert told.count("-script-00") == 2
    assert names["cloned"].best.is_file()
    assert names["expert_buffer"].size > 100
