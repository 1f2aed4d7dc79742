"""What of a processor a compiled kernel needs, and whether this machine has it.

LLVM and the operating system have names of their own for instruction sets: sse4.1 and sse4_1,
lzcnt and abm. They are compared here without separators, in the system's words.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import re
from collections.abc import Collection

from ember import cache

# What the operating system calls those of LLVM's features whose names differ in letters.
_SYSTEM_NAMES = {
    "bmi": "bmi1",
    "dotprod": "asimddp",
    "fparmv8": "fp",
    "fullfp16": "asimdhp",
    "lse": "atomics",
    "lzcnt": "abm",
    "neon": "asimd",
    "rdm": "asimdrdm",
    "sse3": "pni",
}
# Those that code for kernels may use; others are for system programs.
_COMPUTING = re.compile(
    r"(avx(?!10).*|sse\d.*|ssse3|pni|fma|f16c|bmi[12]|abm|popcnt|movbe|gfni|vaes"
    r"|asimd.*|sve.*|fp|bf16|i8mm|atomics)"
)

_V2 = ("cx16", "pni", "popcnt", "sse41", "sse42", "ssse3")
_V3 = (*_V2, "abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe")
_V4 = (*_V3, "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl")
# What processors of an architecture's levels have, by the names that compilers take.
LEVELS: dict[str, dict[str, tuple[str, ...]]] = {
    "x86_64": {"x86-64": (), "x86-64-v2": _V2, "x86-64-v3": _V3, "x86-64-v4": _V4},
    "aarch64": {"generic": ()},
}


def machine() -> str:
    """The architecture, as the system calls it: x86_64, aarch64."""
    return os.uname().machine


def features() -> frozenset[str]:
    """The instruction sets of this machine, without separators; empty where they are not known."""
    return frozenset(_plain(word) for word in cache.host_cpu().split()[1:])


def needed(llvm_features: str) -> list[str]:
    """What code for this machine's features ("+avx2,-sse4a,...") needs, by `features`' names."""
    names = {_plain(one[1:]) for one in llvm_features.split(",") if one.startswith("+")}
    words = {_SYSTEM_NAMES.get(name, name) for name in names}
    # What the system does not name here, it would not name elsewhere.
    return sorted(word for word in words & features() if _COMPUTING.fullmatch(word))


def missing(wanted: Collection[str]) -> list[str]:
    """Those that this machine lacks."""
    present = features()
    return sorted(set(wanted) - present) if present else []


def _plain(name: str) -> str:
    return re.sub(r"[._-]", "", name)
