"""What the keys do, each part beside its like; `pokeTUI.keys` says which key does what."""
