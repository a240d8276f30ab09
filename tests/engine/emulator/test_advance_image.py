import subprocess
from pathlib import Path

import pytest

from tests.engine.emulator import advance_image


@pytest.mark.tool("arm-none-eabi-gcc")
def test_code_of_the_counting_game_is_what_its_source_says(tmp_path: Path) -> None:
    built, plain = tmp_path / "image.o", tmp_path / "image.bin"
    assemble = ["arm-none-eabi-as", "-mcpu=arm7tdmi", advance_image.SOURCE, "-o", built]
    subprocess.run(assemble, check=True)
    subprocess.run(["arm-none-eabi-objcopy", "-O", "binary", built, plain], check=True)
    code = plain.read_bytes()
    assert code[:4] == advance_image.BRANCH
    assert code[advance_image.CODE_AT :] == advance_image.CODE
