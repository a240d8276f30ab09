"""Take a plan from a language model's reply: one of the situation's choices, or nothing."""

from engine.llm.objects import Found, read_object

__all__ = ["Found", "read_object"]
