"""The documented Python API (docs/python-api.md): faces of the parts that training is made of."""
