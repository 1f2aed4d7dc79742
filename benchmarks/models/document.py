"""The benchmark of models as a table of a document, beside an earlier run.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.cpu.document import DocumentTable
from benchmarks.cpu.tables import DASH, ratio_in_words, time_in_words
from benchmarks.models.running import COMPILED, EAGER, EMBER, Measured
from benchmarks.summary import geometric_mean

TABLE = DocumentTable(
    "models",
    "the time of a call of a model, how many times as long the others take, and how many times as "
    "fast it is as in an earlier run, if there is one, each beside eager PyTorch in its own run",
)
HEAD = ("model", EMBER, EAGER, COMPILED, "beside an earlier run", "kernels")


def earlier_ratios(file: Path) -> dict[str, float]:
    """How many times as long as Ember eager PyTorch took in a run that was written to a file, by
    titles, on one thread. Raises ValueError for a file of something else."""
    try:
        results = json.loads(file.read_text())["results"]
        found = [
            Measured(one["model"], one["kind"], one["size"], one["threads"]) for one in results
        ]
        times = [{name: time["median"] for name, time in one["times"].items()} for one in results]
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise ValueError(f"{file} is no result of './run bench models': {error!r}") from error
    return {
        one.title: time[EAGER] / time[EMBER]
        for one, time in zip(found, times, strict=True)
        if one.threads == 1 and {EAGER, EMBER} <= time.keys()
    }


def document_of(results: Sequence[Measured], earlier: Mapping[str, float]) -> str:
    """The table of what was measured on one thread, with the geometric means."""
    rows, beside = [], []
    ratios: dict[str, list[float]] = {EAGER: [], COMPILED: []}
    for one in results:
        own = one.times.get(EMBER)
        if one.threads != 1 or own is None:
            continue
        cells = [one.title, time_in_words(own)]
        for peer in (EAGER, COMPILED):
            ratio = one.ratio(peer)
            cells.append(ratio_in_words(one.times[peer], own) if ratio else DASH)
            ratios[peer] += [ratio] if ratio else []
        now, before = one.ratio(EAGER), earlier.get(one.title)
        cells.append(f"{now / before:.2f}" if now and before else DASH)
        beside += [now / before] if now and before else []
        rows.append([*cells, ", ".join(one.kernels) or "none"])
    means = [
        f"{geometric_mean(found):.2f}" if found else DASH for found in (*ratios.values(), beside)
    ]
    return TABLE.markdown(HEAD, [*rows, ["geometric mean", "", *means, ""]])
