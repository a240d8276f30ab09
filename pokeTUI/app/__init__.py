"""What the keys do, each part beside its like; `pokeTUI.input` says which key does what."""
