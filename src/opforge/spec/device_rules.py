"""The rules of the simulated device that a project may allow its kernels to break, by their ids.

The engine has their texts and sources (`simulator/kernel/engine`), docs/rules.md shows them; a test compares the ids.
"""

# The documentation states them, devices do not enforce them.
DEVICE_RULES = (
    "brcb-in-place",
    "broadcast-in-place",
    "copy-length",
    "cube-capacity",
    "element-index",
    "flag-set-twice",
    "gather-in-place",
    "gather-mask-apart",
    "gm-tail",
    "input-written",
    "l1-copy-length",
    "merge-lists",
    "old-value",
    "one-pipe",
    "operand-length",
    "ub-capacity",
    "use-after-free",
    "view-bounds",
)
# Errors on devices as well, which an author may intend.
OTHER_RULES = ("result-unwritten",)
OPEN_RULES = tuple(sorted((*DEVICE_RULES, *OTHER_RULES)))
