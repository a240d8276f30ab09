import pytest

from tests.benchmarks.soak import LIMIT, Sample, growth, has_more_files, soak


@pytest.mark.slow
def test_long_play_leaks_neither_memory_nor_files() -> None:
    samples = soak(40_000, 8)
    assert growth(samples) <= LIMIT
    assert not has_more_files(samples)


def test_the_process_that_grows_most_counts() -> None:
    sizes = [(100.0, 50.0), (101.0, 53.0), (101.0, 54.0), (101.0, 53.0)]
    samples = [Sample(step, size, (7, 7)) for step, size in enumerate(sizes)]
    assert growth(samples) == pytest.approx(0.06)
    assert not has_more_files(samples)


def test_one_more_open_file_counts() -> None:
    assert has_more_files([Sample(0, (1.0, 1.0), (7, 7)), Sample(1, (1.0, 1.0), (7, 8))])
