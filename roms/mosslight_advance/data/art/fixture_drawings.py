"""Drawings of what is built into rooms: stairs, doormat, window, clock; colours: furniture.py."""

STAIRS_UP = """
kkkkkkkkkkkkkkkk
k111111111111k4k
k1kkkkkkkkkkkk3k
k22222222222k43k
k2kkkkkkkkkkkk3k
k3333333333k443k
k3kkkkkkkkkkkk3k
k333333333k4443k
k3kkkkkkkkkkkk3k
k44444444k44443k
k4kkkkkkkkkkkk3k
k4444444k444443k
k4kkkkkkkkkkkk3k
k444444k4444443k
k333333k3333332k
kkkkkkkkkkkkkkkk
"""

STAIRS_DOWN = """
kkkkkkkkkkkkkkkk
k44444444444444k
k4kkkkkkkkkkkk3k
k4k4444k3k2k1k3k
k4k4444k3k2k1k3k
k4k4444k3k2k1k3k
k4k4444k3k2k1k3k
k4k4444k3k2k1k3k
k4k4444k3k2k1k3k
k4k4444k3k2k1k3k
k4k4444k3k2k1k3k
k4k4444k3k2k1k3k
k4k4444k3k2k1k3k
k4k3333k2k1kkk3k
k33333333333333k
kkkkkkkkkkkkkkkk
"""

MAT = """
................
rrrrrrrrrrrrrrrr
suuuuuuuuuuuuuus
stttttttttttttts
stttttttttttttts
sttvvttttttvvtts
stttvvttttvvttts
sttttvvttvvtttts
stttttvvvvttttts
sttttttvvtttttts
stttttttttttttts
suuuuuuuuuuuuuus
rrrrrrrrrrrrrrrr
u.u.u.u.u.u.u.u.
"""

WINDOW = """
.kkkkkkkkkkkkkk.
k44444444444443k
k4kkkkkkkkkkkk3k
k4kzzzyk2zzzyk3k
k4kzzyyk2zzyyk3k
k4kzyyxk2zyyxk3k
k4kyyxxk2yyxxk3k
k4kkkkkkkkkkkk3k
k4kzzyyk2zzyyk3k
k4kzyyxk2zyyxk3k
k4kyyxxk2yyxxk3k
k4kkkkkkkkkkkk3k
k33333333333332k
kkkkkkkkkkkkkkkk
"""

CLOCK = """
.....kkkkkk.....
....k444444k....
...k4zzzzzz3k...
...k4zzkzzz3k...
...k4zzkzzz3k...
...k4zzkkkz3k...
...k4zzzzzz3k...
....k333333k....
.....kkkkkk.....
"""

STEPS = """
k11111111111111k
k11111111111111k
kkkkkkkkkkkkkkkk
k22222222222222k
k22222222222222k
k22222222222222k
kkkkkkkkkkkkkkkk
k33333333333333k
k33333333333333k
k33333333333333k
kkkkkkkkkkkkkkkk
k44444444444444k
k44444444444444k
k44444444444444k
kkkkkkkkkkkkkkkk
k33333333333333k
"""
