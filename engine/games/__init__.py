"""Know games: each is a folder, `base` says what it must be able to do, `catalog` lists them."""
