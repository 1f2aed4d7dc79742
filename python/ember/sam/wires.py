"""The tokens that a simulation put on each wire, from its trace.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
from pathlib import Path

#: Cycles by microseconds of a trace: a cycle is a nanosecond there.
_CYCLES = 1000


def tokens_of(trace: Path) -> dict[str, list[tuple[int, str]]]:
    """The cycles and texts of tokens by output, as "scan_B0.crd"."""
    blocks: dict[int, str] = {}
    ports: dict[int, str] = {}
    found: dict[str, list[tuple[int, str]]] = {}
    for event in json.loads(trace.read_text()):
        if event["ph"] == "M" and event["name"] == "process_name":
            blocks[event["pid"]] = event["args"]["name"]
        elif event["ph"] == "M":
            ports[event["tid"]] = event["args"]["name"]
        elif event["ph"] == "X":
            wire = f"{blocks[event['pid']]}.{ports[event['tid']]}"
            found.setdefault(wire, []).append((round(event["ts"] * _CYCLES), event["name"]))
    return found
