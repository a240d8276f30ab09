"""The documented Python API (docs/python-api.md), over the parts of training."""
