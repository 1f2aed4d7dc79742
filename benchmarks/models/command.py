"""./run bench models: whole models, compiled by Ember, beside eager PyTorch and torch.compile.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ember.torch.settings import RESTS

from benchmarks.command_line import about_run, parser_of, show_progress, warn_of_load
from benchmarks.cpu.setting import all_threads
from benchmarks.cpu.tables import NOTE
from benchmarks.models.cases import GRAPHS, QUICK_BATCHES, ModelCase, all_cases
from benchmarks.models.document import TABLE, document_of, earlier_ratios
from benchmarks.models.first_call import seconds_of_first_call
from benchmarks.models.overhead import Overhead, measure_overheads
from benchmarks.models.plots import draw, plot_file
from benchmarks.models.running import COMPILED, EMBER, Measured, Ways, run_case
from benchmarks.models.tables import first_call_table, overhead_table, result_table, target_table
from benchmarks.models.targets import FirstCall, Outcome, evaluate

SCHEMA_VERSION = 1
DEFAULT_FILE = Path("bench-output", "models.json")
# Measuring a model with batches of one size.
FULL_SECONDS = 2.0
QUICK_SECONDS = 1.0


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of the command line."""
    parser = parser_of(
        "models",
        __doc__.splitlines()[0],
        DEFAULT_FILE,
        quick="few models, two sizes, one thread, in minutes",
        only="only models whose name contains TEXT",
        seconds="how long to measure each model and size",
        threads="; 1 with --quick",
    )
    parser.add_argument(
        "--rest",
        choices=RESTS,
        default="eager",
        help="what runs the operations that Ember leaves to PyTorch (default: eager)",
    )
    parser.add_argument(
        "--automatic",
        action="store_true",
        help="let torch.compile find out which sizes change, instead of dynamic=True",
    )
    parser.add_argument(
        "--wrapped",
        action="store_true",
        help="measure torch.compile(model, backend='ember') instead of ember.compile(model)",
    )
    parser.add_argument(
        "--no-first-calls", action="store_true", help="do not measure the time of compiling"
    )
    parser.add_argument(
        "--write", metavar="FILE.md", type=Path, help="replace the table there (one thread)"
    )
    parser.add_argument(
        "--before",
        metavar="FILE.json",
        type=Path,
        help="an earlier run, whose times as fast as eager stand beside those of the table",
    )
    return parser.parse_args(arguments)


def ways_of(options: argparse.Namespace) -> Ways:
    """How the options say that models are compiled."""
    return Ways(options.rest, options.automatic, options.wrapped)


def choose(options: argparse.Namespace) -> list[ModelCase]:
    """The cases of a run; those whose package is not there are said, and left out."""
    chosen = [
        case
        for case in all_cases()
        if (case.quick or not options.quick) and (options.only or "") in case.name
    ]
    missing = {case.needs: reason for case in chosen if (reason := case.why_missing())}
    for package, reason in missing.items():
        print(f"missing: {package}: {reason}; its models are left out")
    return [case for case in chosen if case.needs not in missing]


def sizes_of(case: ModelCase, quick: bool) -> Sequence[int]:
    """The sizes of a case's batches."""
    return [size for size in case.sizes if size in (0, *QUICK_BATCHES)] if quick else case.sizes


def main(arguments: Sequence[str]) -> int:
    """Runs the benchmark; 1 if a result was wrong, 2 if there is nothing to run."""
    options = parse(arguments)
    started = time.monotonic()
    cases = choose(options)
    if not cases:
        print(f"error: no model's name contains {options.only!r}", file=sys.stderr)
        return 2
    try:
        earlier = earlier_ratios(options.before) if options.before else {}
    except (OSError, ValueError) as error:
        print(f"error: --before: {error}", file=sys.stderr)
        return 2
    thread_counts = options.threads or ([1] if options.quick else [1, all_threads()])
    names = ("rest", "automatic", "wrapped")
    about = about_run(options) | {name: getattr(options, name) for name in names}
    warn_of_load(about)
    seconds = options.seconds or (QUICK_SECONDS if options.quick else FULL_SECONDS)
    results: list[Measured] = []
    for case in cases:
        show_progress(case.name)
        sizes = sizes_of(case, options.quick)
        counts = sorted(set(thread_counts))
        for result in run_case(case, sizes, counts, seconds, ways=ways_of(options)):
            results.append(result)
            show_progress(result.title)
    first_calls = [] if options.no_first_calls else _first_calls(cases, options)
    show_progress("overheads")
    overheads = measure_overheads()
    show_progress("")
    outcomes = evaluate(results, first_calls, overheads)
    about["seconds"] = round(time.monotonic() - started, 1)
    for lines in (
        result_table(results),
        first_call_table(first_calls),
        overhead_table(overheads),
        target_table(outcomes),
        (f"\n{NOTE}",),
    ):
        for line in lines:
            print(line)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(_to_json(about, outcomes, results, first_calls, overheads))
    print(f"\n{about['seconds']:g} s; wrote {options.json}")
    if options.write:
        TABLE.write(options.write, document_of(results, earlier))
        print(f"table: {options.write}")
    try:
        draw(results, plot_file(options.json))
        print(f"plot: {plot_file(options.json)}")
    except ImportError as error:
        print(f"no plot: {error}")
    wrong = [f"{one.title}: {name}: {why}" for one in results for name, why in one.wrong.items()]
    for text in wrong:
        print(f"error: {text}", file=sys.stderr)
    return 1 if wrong else 0


def _first_calls(cases: Sequence[ModelCase], options: argparse.Namespace) -> list[FirstCall]:
    found = []
    for case in cases:
        # A model compiles as long for one graph as for another.
        if any(graph in case.name for graph in GRAPHS[1:]):
            continue
        size = sizes_of(case, options.quick)[-1]
        show_progress(f"first call: {case.name}")
        times = [
            seconds_of_first_call(case, name, size, ways_of(options)) for name in (EMBER, COMPILED)
        ]
        found.append(FirstCall(case.name, *times))
    return found


def _to_json(
    about: dict[str, Any],
    outcomes: Sequence[Outcome],
    results: Sequence[Measured],
    first_calls: Sequence[FirstCall],
    overheads: Sequence[Overhead],
) -> str:
    """The run as JSON."""
    return json.dumps(
        {
            "schema": SCHEMA_VERSION,
            "about": about,
            "targets": [asdict(one) for one in outcomes],
            "results": [asdict(one) for one in results],
            "first_calls": [asdict(one) for one in first_calls],
            "overheads": [asdict(one) for one in overheads],
        },
        indent=1,
    )
