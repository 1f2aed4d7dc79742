"""./run bench cpu: runs the suite, prints tables, writes JSON and plots.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ember.errors import EmberError

from benchmarks.command_line import about_run, parser_of, show_progress, warn_of_load
from benchmarks.cpu import fbgemm
from benchmarks.cpu.arena import Arena
from benchmarks.cpu.case import Case
from benchmarks.cpu.graphs import missing_graphs
from benchmarks.cpu.limit import Limit, limit_library
from benchmarks.cpu.lookups import missing_histograms
from benchmarks.cpu.plots import draw
from benchmarks.cpu.results import Result, to_json
from benchmarks.cpu.running import run_cases
from benchmarks.cpu.setting import Setting, all_threads
from benchmarks.cpu.suite import ARENA_BYTES, all_cases
from benchmarks.cpu.tables import NOTE, group_tables, target_table
from benchmarks.cpu.targets import evaluate
from benchmarks.native import NoLibraryError

# Seconds that measuring may take, of the 2 and 15 minutes that a run may.
QUICK_SECONDS = 85
FULL_SECONDS = 780


DEFAULT_FILE = Path("bench-output", "cpu.json")


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of the command line."""
    return parser_of(
        "cpu",
        __doc__.splitlines()[0],
        DEFAULT_FILE,
        quick="every value of a factor once, in under 2 minutes",
        only="only cases whose group contains TEXT",
        seconds="how long to measure",
    ).parse_args(arguments)


def compile_limit(cases: Sequence[Case], missing: dict[str, str]) -> Limit | None:
    """The limit's readers for all cases; None, and noted as missing, if that is not possible."""
    try:
        return limit_library(size for case in cases for size in case.limit_sizes())
    except NoLibraryError as error:
        missing["limit"] = str(error)
        return None


def find_missing() -> dict[str, str]:
    """Optional packages and data that are not there."""
    missing = {}
    if reason := fbgemm.why_missing():
        missing["fbgemm-gpu-cpu"] = reason
    for name in missing_graphs():
        missing[f"graph {name}"] = "not in the data folder, its cases are left out"
    for name in missing_histograms():
        missing[f"histogram {name}"] = "not in the data folder, a Zipf distribution stands in"
    return missing


def main(arguments: Sequence[str]) -> int:
    """Runs the benchmark; 1 if a contender's results were wrong, 2 if nothing could be run."""
    options = parse(arguments)
    started = time.monotonic()
    cases = [case for case in all_cases(options.quick) if (options.only or "") in case.group]
    if not cases:
        print(f"error: no group of cases contains {options.only!r}", file=sys.stderr)
        return 2
    thread_counts = sorted(set(options.threads or (1, all_threads())))
    missing = find_missing()
    about = about_run(options) | {
        "cases": len(cases),
        "subset": "every value of every factor" if options.quick else "every pair of values",
    }
    for what, why in missing.items():
        print(f"missing: {what}: {why}")
    warn_of_load(about)
    print(
        f"{len(cases)} cases, of all combinations of their factors a fixed subset that holds "
        f"{about['subset']}; threads: {' and '.join(map(str, thread_counts))}",
        flush=True,
    )
    setting = Setting(Arena(ARENA_BYTES), compile_limit(cases, missing))
    budget = options.seconds or (QUICK_SECONDS if options.quick else FULL_SECONDS)
    results: list[Result] = []
    try:
        for result in run_cases(
            cases,
            setting,
            thread_counts,
            budget - (time.monotonic() - started),
            show_progress,
        ):
            results.append(result)
    except EmberError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    show_progress("")
    outcomes = evaluate(results)
    about["seconds"] = round(time.monotonic() - started, 1)
    about["missing"] = missing
    for text in (*group_tables(results), *target_table(outcomes), f"\n{NOTE}"):
        print(text)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(to_json(results, outcomes, about))
    try:
        drawn = draw(results, outcomes, options.json)
    except ImportError as error:
        print(f"missing: plots: {error}")
        drawn = []
    print(f"\n{about['seconds']:g} s; wrote", ", ".join(map(str, [options.json, *drawn])))
    return report_wrong(results)


def report_wrong(results: Sequence[Result]) -> int:
    """Prints which contenders' results were wrong; 1 if there are any."""
    wrong = {
        f"{result.group}: {result.title}: {name} {why}"
        for result in results
        for name, why in result.wrong.items()
    }
    for text in sorted(wrong):
        print(f"error: {text}", file=sys.stderr)
    return 1 if wrong else 0
