import pytest
import torch


@pytest.fixture(autouse=True, scope="session")
def single_thread() -> None:
    """Two threads on a busy machine wait for each other more than they work."""
    torch.set_num_threads(1)
