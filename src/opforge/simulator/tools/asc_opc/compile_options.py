"""The options kernels are compiled with: those of the project that mean something here, and our own."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

# Warnings that are errors: what the device compiler refuses or leaves undefined.
STRICT = ("-Werror=double-promotion", "-Werror=return-type")

# Functions of libm of which the compiler would make an instruction instead of a call.
INLINED_LIBM = ("floorf", "ceilf", "truncf", "rintf", "nearbyintf", "roundf", "fmaf")

# The toolkit's own folder, and what it is called in objects: they are the same wherever it lies.
ROOT = Path(__file__).resolve().parents[2]
TOOLKIT = "/opforge-toolkit"

KNOWN = r"-[DUI]|-g|-O[0-3s]$|-std=|-f(sanitize|no-omit-frame-pointer|(file|macro)-prefix-map)|-W"

# Options whose value is the next word.
PAIRED = r"-include|-isystem"


def user_options(options: Sequence[str]) -> list[str]:
    """The project's compile options that mean something here; what would change the kernel's meaning is refused."""
    kept: list[str] = []
    paired = (option.split(maxsplit=1) if re.match(PAIRED, option) else [option] for option in options)
    words = [word for pair in paired for word in pair]
    for previous, option in zip(("", *words), words, strict=False):
        if option.startswith("--cce-auto-sync"):
            continue  # what the engine judges by; auto_sync() reads it
        known = re.match(
            r"-[DUI]|-g|-O[0-3s]$|-std=|-f(sanitize|no-omit-frame-pointer|(file|macro)-prefix-map)|-W", option
        )
        if known or re.fullmatch(PAIRED, option) or re.fullmatch(PAIRED, previous):
            kept.append(option)
        else:
            print(f"asc_opc: note: option {option} means nothing in the simulator", file=sys.stderr)
    return kept


def auto_sync(options: Sequence[str]) -> bool:
    """Whether the device compiler orders vector instructions and the scalar unit by itself: on unless set to off."""
    said = [option for option in options if option.startswith("--cce-auto-sync") and "-log" not in option]
    return not said or not said[-1].endswith("=off")


def is_preprocessing(option: str, previous: str) -> bool:
    """Whether an option is for the preprocessor alone."""
    return re.match(rf"-[DUI]|{PAIRED}", option) is not None or re.fullmatch(PAIRED, previous) is not None


def machine_options(cpuinfo: Path = Path("/proc/cpuinfo")) -> list[str]:
    """-march=x86-64-v3 where this machine has it: half is converted by its instructions."""
    try:
        read = cpuinfo.read_text(encoding="utf-8", errors="replace")
        flags = set(re.findall(r"\w+", next(line for line in read.splitlines() if line.startswith("flags"))))
    except (OSError, StopIteration):
        return []
    return ["-march=x86-64-v3"] if {"avx2", "f16c", "fma", "bmi2", "movbe"} <= flags else []


def auto_sync_export(options: Sequence[str]) -> str:
    """C++ that goes behind the kernel: whether the compiler orders what it can."""
    return (
        'extern "C" __attribute__((visibility("default"))) uint32_t sim_kernel_auto_sync() '
        f"{{ return {int(auto_sync(options))}; }}\n"
    )


# g++ would end the program where it sees a division by zero, even one whose result nobody uses.
KEPT_DIVISIONS = "-fno-isolate-erroneous-paths-dereference"


def dialect(options: Sequence[str]) -> list[str]:
    """What preprocessing and compiling must agree on."""
    return ["-std=c++17", *machine_options(), *(option for option in options if option.startswith("-std="))]


def watched(options: Sequence[str]) -> tuple[str, ...]:
    """Has the compiler put a call before every access that may be one to global memory; libascendc_sim looks at it.

    Not beside another sanitizer's calls: then accesses by plain pointers go unseen.
    """
    if any(option.startswith("-fsanitize") for option in options):
        return ()
    return ("-fsanitize=thread", "--param=tsan-instrument-func-entry-exit=0")


def code_generation(options: Sequence[str]) -> list[str]:
    """What decides on a kernel's code: a precompiled header fits only the options it was made with."""
    pairs = zip(("", *options), options, strict=False)
    return [
        *dialect(options),
        # addr2line takes the first lines of DWARF 5 for another file's
        f"-fdebug-prefix-map={ROOT}={TOOLKIT}",
        *("-O3", "-gdwarf-4", "-g1", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off", "-fno-math-errno"),
        "-fno-finite-loops",  # a loop without an end is one, and reported
        "-fno-gnu-unique",  # the objects of cube and vector cores have the same static members, each its own
        KEPT_DIVISIONS,
        "-fno-strict-aliasing",  # kernels copy their tiling data word by word into structs with other members
        *(f"-fno-builtin-{name}" for name in INLINED_LIBM),
        *watched(options),
        *(word for before, word in pairs if not is_preprocessing(word, before) and not word.startswith("-std=")),
    ]
