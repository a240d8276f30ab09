"""All pictures of MOSSLIGHT ADVANCE, drawn by program."""
