"""Pictures and recordings of the application, drawn from its cells.

Blocks, lines and braille are drawn as shapes, so that no picture depends on a font for them.
"""
