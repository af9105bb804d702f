"""The ids of the rules of the simulated device that a project may allow its kernels to break.

Their texts and sources are in the engine (`simulator/kernel/engine`) and in docs/rules.md; a test compares the ids.
"""

# Rules that the documentation states and devices do not enforce.
DEVICE_RULES = (
    "brcb-in-place",
    "broadcast-in-place",
    "buffer-empty",
    "copy-length",
    "cube-capacity",
    "dequeued-again",
    "division-by-zero",
    "element-index",
    "flag-set-twice",
    "function-in-place",
    "gather-in-place",
    "gather-mask-apart",
    "gm-tail",
    "input-written",
    "l1-copy-length",
    "matmul-before-buffers",
    "merge-lists",
    "never-freed",
    "old-value",
    "one-pipe",
    "operand-length",
    "tiling-padding",
    "ub-capacity",
    "use-after-free",
    "vector-on-cube-core",
    "view-bounds",
)
# Errors on devices as well, but authors may intend them.
OTHER_RULES = ("result-unwritten",)
OPEN_RULES = tuple(sorted((*DEVICE_RULES, *OTHER_RULES)))
