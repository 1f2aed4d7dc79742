"""ember-tf: models of TensorFlow with compiled columns, on the command line.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ember.errors import EmberError


def _compile(options: argparse.Namespace) -> None:
    import ember.tensorflow as et

    began = time.perf_counter()
    on_error = "raise" if options.fail else "warn"
    reports = et.compile_saved_model(options.model, options.output, on_error=on_error)
    for name, report in reports.items():
        print(
            f"signature '{name}': {len(report.columns)} columns, nodes {report.nodes} -> "
            f"{report.left}"
        )
    print(f"wrote {options.output} in {time.perf_counter() - began:.1f} s")


def _explain(options: argparse.Namespace) -> None:
    import ember.tensorflow as et

    print(et.explain(options.model))


def _call(folder: Path, signature: str, batch: int) -> Callable[[], Any]:
    """Calls of a model with random features, which are drawn from a small range."""
    import numpy as np
    import tensorflow as tf

    import ember.tensorflow as et

    et.register()
    model = tf.saved_model.load(str(folder))
    function = model.signatures[signature]
    random = np.random.default_rng(0)
    features = {}
    for name, spec in sorted(function.structured_input_signature[1].items()):
        sizes = [batch if size is None else size for size in spec.shape.as_list()]
        if spec.dtype == tf.string:
            drawn = np.array([b"%d" % one for one in random.integers(0, 1000, sizes).flat], object)
            features[name] = tf.constant(drawn.reshape(sizes))
        else:
            features[name] = tf.cast(random.integers(0, 10, sizes), spec.dtype)

    def call() -> Any:
        # The function reads the variables of the model, which live as long as that.
        return model and function(**features)

    return call


def _bench(options: argparse.Namespace) -> None:
    import tempfile

    import ember.tensorflow as et

    with tempfile.TemporaryDirectory(prefix="ember-") as folder:
        et.compile_saved_model(options.model, folder, on_error="raise")
        calls = [
            _call(one, options.signature, options.batch) for one in (options.model, Path(folder))
        ]
        times: tuple[list[float], list[float]] = [], []
        for call in calls * 3:
            call()
        end = time.perf_counter() + options.seconds
        while time.perf_counter() < end or len(times[0]) < 7:
            for call, taken in zip(calls, times, strict=True):
                began = time.perf_counter()
                call()
                taken.append((time.perf_counter() - began) * 1e3)
    theirs, ours = map(statistics.median, times)
    print(
        f"batch {options.batch}: {theirs:.2f} ms, compiled {ours:.2f} ms, {theirs / ours:.1f} times"
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="ember-tf", description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(required=True)

    def add(name: str, run: Callable[[argparse.Namespace], None], about: str) -> Any:
        command = commands.add_parser(name, help=about, description=about)
        command.add_argument("model", type=Path, help="the folder of a SavedModel")
        command.set_defaults(run=run)
        return command

    compiling = add("compile", _compile, "Writes a SavedModel with compiled columns.")
    compiling.add_argument("-o", "--output", type=Path, required=True, help="its folder")
    compiling.add_argument("--fail", action="store_true", help="do not write a model as it was")
    add("explain", _explain, "Says which columns there are, and what stays and why.")
    measuring = add("bench", _bench, "Measures a model beside what it is compiled to.")
    measuring.add_argument("--batch", type=int, default=64, help="(default: 64)")
    measuring.add_argument("--seconds", type=float, default=5.0, help="(default: 5)")
    measuring.add_argument("--signature", default="serving_default", help="(default: %(default)s)")
    return parser


def main(words: Sequence[str] | None = None) -> int:
    """0 where all is well, 1 after an error, which is one line."""
    options = _parser().parse_args(words)
    try:
        options.run(options)
    except (EmberError, OSError) as error:
        print(f"ember-tf: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
