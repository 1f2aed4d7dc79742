"""What was measured on the published simulator; none of it goes into a simulation.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
from functools import cache
from typing import Any

from ember.datasets.locality import data_folder


@cache
def measured() -> dict[str, Any]:
    """The file of measurements, graphs and counts; empty without it."""
    file = data_folder().parent / "reference" / "sam_conformance.json"
    found: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    return found


def order_cycles(name: str) -> float | None:
    """Cycles of a kernel in figures 4.12 and 4.13, such as "spmspm_ikj" or "sddmm_locate_10"."""
    case = measured().get("studies", {}).get("dataflow_order_and_fusion", {}).get(name)
    return case["cycles"] if case else None


def vector_cycles(vectors: str, way: str) -> float | None:
    """Cycles of figure 4.14: of vectors such as "random 0.8", multiplied in a way."""
    cases = measured().get("studies", {}).get("acceleration", {}).get("cases", {})
    return cases[vectors]["cycles"].get(way) if vectors in cases else None


def tiled_cycles(nonzeros: int, size: int) -> float | None:
    """Cycles of a point of figure 4.16."""
    cycles = measured().get("studies", {}).get("tiled_spmspm", {}).get("cycles", {})
    found: float | None = cycles.get(f"nnz {nonzeros} dim {size}")
    return found


def graph_of(kernel: str) -> dict[str, Any] | None:
    """A published graph, with its tensors; None without the file."""
    found: dict[str, Any] | None = measured().get("kernels", {}).get(kernel)
    return found


def counts_of(expression: str) -> dict[str, str] | None:
    """The row of table 4.2: how many blocks of each kind, as it is printed."""
    table = measured().get("primitive_counts", {})
    if expression not in table:
        return None
    return dict(zip(table["columns"], map(str, table[expression]), strict=True))
