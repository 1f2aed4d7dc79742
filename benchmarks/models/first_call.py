"""The time of a model's first call, which compiles it: in new processes, with empty caches.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.models.cases import ModelCase, all_cases
from benchmarks.models.running import Ways, contenders_of

ROOT = Path(__file__).resolve().parents[2]


def seconds_of_first_call(case: ModelCase, contender: str, size: int, ways: Ways) -> float:
    """The first call's seconds in a new process, whose caches of compiled code are empty."""
    words = [ways.rest, *(name for name in ("automatic", "wrapped") if getattr(ways, name))]
    with tempfile.TemporaryDirectory(prefix="ember-bench-") as folder:
        environment = dict(
            os.environ,
            EMBER_CACHE_DIR=f"{folder}/ember",
            TORCHINDUCTOR_CACHE_DIR=f"{folder}/inductor",
        )
        done = subprocess.run(
            [sys.executable, "-m", __name__, case.name, contender, str(size), *words],
            env=environment,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    return float(done.stdout.split()[-1])


def main(name: str, contender: str, size: str, rest: str, *others: str) -> None:
    """Prints the seconds of the first call, without those of importing and of an eager call."""
    import torch._inductor.compile_fx

    torch.set_num_threads(1)
    case = next(case for case in all_cases() if case.name == name)
    model, inputs = case.make()
    batch, ways = inputs(int(size), 0), Ways(rest, "automatic" in others, "wrapped" in others)
    with case.without_its_warnings(), torch.no_grad():
        model(*batch)
        started = time.perf_counter()
        contenders_of(case, model, [contender], ways, batch)[contender](*batch)
        print(time.perf_counter() - started)


if __name__ == "__main__":
    main(*sys.argv[1:])
