"""Time from an nn.EmbeddingBag to a loaded kernel, cold and from the cache.

Each time is of a new process, after its imports: a library that a process has loaded once is
loaded faster a second time.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import statistics
import subprocess
import sys
import tempfile

from benchmarks.report import report

COLD_TARGET_SECONDS = 0.6
CACHED_TARGET_SECONDS = 0.005
REPEATS = 5

ONE_COMPILE = """
import sys, time, torch, ember
target, mode, length = sys.argv[1], sys.argv[2], int(sys.argv[3])
module = torch.nn.EmbeddingBag(1000, length, mode=mode)
example = (torch.arange(10), torch.tensor([0, 4]))
started = time.perf_counter()
ember.compile(module, example, target=target)
print(time.perf_counter() - started)
"""


def seconds_in_new_process(target: str, mode: str, length: int, cache: str) -> float:
    """The time of one ember.compile, in seconds."""
    done = subprocess.run(
        [sys.executable, "-c", ONE_COMPILE, target, mode, str(length)],
        env=dict(os.environ, EMBER_CACHE_DIR=cache),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return float(done.stdout)


def main() -> None:
    for target in ("cpu", "dae-threads"):
        for mode, length in (("sum", 64), ("sum", 128), ("mean", 33)):
            cold, cached = [], []
            for _ in range(REPEATS):
                with tempfile.TemporaryDirectory(prefix="ember-bench-") as cache:
                    cold.append(seconds_in_new_process(target, mode, length, cache))
                    cached.append(seconds_in_new_process(target, mode, length, cache))
            name = f"{target}, {mode}, rows of {length}"
            median = statistics.median(cold)
            met = median < COLD_TARGET_SECONDS
            report(f"{name}: cold", 1e3 * median, "ms", f"{1e3 * COLD_TARGET_SECONDS:g} ms", met)
            median = statistics.median(cached)
            met = median < CACHED_TARGET_SECONDS
            limit = f"{1e3 * CACHED_TARGET_SECONDS:g} ms"
            report(f"{name}: from the cache", 1e3 * median, "ms", limit, met)
