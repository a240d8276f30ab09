"""What holds for all tests."""

from hypothesis import settings

# A test that depends on chance or on a busy machine's pace fails when nobody has changed anything:
# the examples are the same each time, and may take as long as they need. To look for new ones:
# pytest --hypothesis-profile=default
settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.load_profile("repeatable")
