"""Numbers of the paper that figures are compared with; none of them goes into a simulation.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
from typing import Any

from ember.datasets.locality import data_folder


def calibration() -> dict[str, Any]:
    """Cycles and throughputs of figures 16 and 17, by model; empty without the file."""
    file = data_folder().parent / "reference" / "ember_calibration.json"
    found: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    return found


def speedup(model: str, locality: str, level: int) -> float | None:
    """Of emb-optLEVEL over emb-opt0 (figure 16)."""
    cycles = calibration().get("cycles", {}).get(f"{model}_{locality}")
    return cycles["opt0"] / cycles[f"opt{level}"] if cycles else None
