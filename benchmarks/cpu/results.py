"""What was measured, and how it is kept as JSON.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.cpu.measuring import Timing

# Grows when fields change their meaning.
SCHEMA_VERSION = 1


@dataclass
class Result:
    """A case with a number of threads.

    times: seconds of a call, by contender. absent: why one that could be expected has none.
    wrong: what was wrong with the results of one; it is not timed. row_bytes and out_bytes:
    of rows that a call reads, and of what it writes. limit_reading: of the limit.
    """

    group: str
    factors: dict[str, Any]
    threads: int
    row_bytes: int
    out_bytes: int
    times: dict[str, Timing] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)
    limit_reading: dict[str, int] | None = None

    def seconds(self, contender: str) -> float | None:
        """The median time of a contender's call."""
        timing = self.times.get(contender)
        return timing.median if timing else None

    def ratio(self, slower: str, faster: str) -> float | None:
        """How many times as long one contender takes as another."""
        numerator, denominator = self.seconds(slower), self.seconds(faster)
        return numerator / denominator if numerator and denominator else None

    def rate(self, contender: str) -> float | None:
        """Bytes of rows that a contender reads in a second."""
        seconds = self.seconds(contender)
        return self.row_bytes / seconds if seconds else None

    @property
    def title(self) -> str:
        """The factors in short."""
        return ", ".join(
            text for key, value in self.factors.items() if (text := _short(key, value))
        )


SIZE_UNITS = ("B", "kB", "MB", "GB")


def bytes_in_words(size: float) -> str:
    """A number of bytes with three digits."""
    unit = 0
    while size >= 1000 and unit + 1 < len(SIZE_UNITS):
        size, unit = size / 1000, unit + 1
    return f"{size:.3g} {SIZE_UNITS[unit]}"


def _short(key: str, value: Any) -> str:
    """A factor as titles have it; nothing for one that is not used."""
    if value is None or value == "":
        return ""
    if key.endswith("bytes"):
        return bytes_in_words(value)
    if isinstance(value, str):
        return value
    return f"{key} {value}"


def to_json(results: Sequence[Result], outcomes: Sequence[Any], about: dict[str, Any]) -> str:
    """The run as JSON: about (machine, versions, options), outcomes of targets, results."""
    return json.dumps(
        {
            "schema": SCHEMA_VERSION,
            "about": about,
            "targets": [asdict(outcome) for outcome in outcomes],
            "results": [asdict(result) for result in results],
        },
        indent=1,
    )


def read_results(path: Path) -> list[Result]:
    """The results of a JSON file; raises ValueError if it is not one of this version."""
    document = json.loads(path.read_text())
    if document.get("schema") != SCHEMA_VERSION:
        raise ValueError(f"{path} has schema {document.get('schema')}, not {SCHEMA_VERSION}")
    results = []
    for fields in document["results"]:
        times = {name: Timing(**timing) for name, timing in fields.pop("times").items()}
        results.append(Result(**fields, times=times))
    return results
