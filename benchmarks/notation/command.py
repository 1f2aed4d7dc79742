"""./run bench notation: statements beside PyTorch, PyData/Sparse and GraphBLAS, on one thread.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import json
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.command_line import about_run, parser_of, show_progress, warn_of_load
from benchmarks.cpu.measuring import unstable
from benchmarks.cpu.setting import use_threads
from benchmarks.cpu.tables import DASH, NOTE, seconds_in_words, spread_in_words, time_in_words
from benchmarks.models.tables import target_table
from benchmarks.models.targets import Outcome
from benchmarks.notation.case import (
    BY_HAND,
    COMPILED,
    EAGER,
    EMBER,
    FUSED,
    GRAPHBLAS,
    INDIRECT,
    LIMIT,
    LOGIC,
    MODELS,
    PYDATA,
    TORCH_SPARSE,
    TROPICAL,
    Case,
)
from benchmarks.notation.indirect_cases import indirect_cases
from benchmarks.notation.logic_cases import logic_cases
from benchmarks.notation.model_cases import model_cases
from benchmarks.notation.overhead import Overhead, call_overheads, compile_times, first_calls
from benchmarks.notation.running import Measured, run_case
from benchmarks.notation.schedules import (
    SCHEDULES,
    Drawn,
    measure_schedules,
    schedule_outcomes,
    schedule_table,
)
from benchmarks.notation.tropical_cases import tropical_cases

SCHEMA_VERSION = 2
DEFAULT_FILE = Path("bench-output", "notation.json")
FULL_SECONDS, QUICK_SECONDS = 3.0, 1.0
# Groups with a peer, and how many times as long as Ember's its calls are to take.
TARGETS = (
    (INDIRECT, COMPILED, 3.0),
    (INDIRECT, EAGER, 4.0),
    (MODELS, TORCH_SPARSE, 3.0),
    (LOGIC, PYDATA, 15.0),
    (FUSED, PYDATA, 30.0),
    (TROPICAL, GRAPHBLAS, 1.0),
)


def all_cases() -> list[Case]:
    """The cases of all groups."""
    return [*indirect_cases(), *model_cases(), *logic_cases(), *tropical_cases()]


def choose(options: argparse.Namespace) -> list[Case]:
    """The cases of a run; those whose peer is not there are said, and left out."""
    wanted = options.only or ""
    chosen = [
        case
        for case in all_cases()
        if (case.quick or not options.quick) and wanted in f"{case.group}: {case.name}"
    ]
    missing = {case.needs: reason for case in chosen if (reason := case.why_missing())}
    for package, reason in missing.items():
        print(f"missing: {package}: {reason}; its cases are left out")
    return [case for case in chosen if case.needs not in missing]


def outcomes_of(
    results: Sequence[Measured], overheads: Sequence[Overhead], drawn: Sequence[Drawn]
) -> list[Outcome]:
    """All targets."""
    outcomes = []
    for group, peer, goal in TARGETS:
        values, left_out = {}, []
        for result in results:
            ratio = result.ratio(peer)
            if result.group != group or ratio is None:
                continue
            if of := unstable(result.times, (peer, EMBER)):
                left_out.append(f"{result.name} ({', '.join(of)})")
            else:
                values[result.name] = ratio
        name = f"{group}: times as fast as {peer}"
        if values or left_out:
            outcomes.append(Outcome(name, goal, values, unstable=tuple(left_out)))
    outcomes += schedule_outcomes(drawn)
    for overhead in overheads:
        share = {overhead.name: overhead.seconds / overhead.most}
        outcomes.append(Outcome(f"{overhead.name}: of its limit", 1.0, share, low=True))
    return outcomes


def result_table(results: Sequence[Measured]) -> Iterator[str]:
    """A line for each case: Ember's time, and how many times as long the others take."""
    peers = (EAGER, COMPILED, TORCH_SPARSE, PYDATA, GRAPHBLAS, BY_HAND)
    yield f"\n{'case':28}{EMBER:>18}" + "".join(f"{peer:>16}" for peer in peers) + f"{LIMIT:>8}"
    for group in dict.fromkeys(result.group for result in results):
        yield group
        for result in results:
            if result.group != group:
                continue
            timing = result.times.get(EMBER)
            cells = [
                f"{ratio:.2f}x {spread_in_words(result.times[peer])}"
                if (ratio := result.ratio(peer)) is not None
                else DASH
                for peer in peers
            ]
            limit = result.ratio(LIMIT)
            yield (
                f"  {result.name:26}{time_in_words(timing) if timing else DASH:>18}"
                + "".join(f"{cell:>16}" for cell in cells)
                + f"{DASH if limit is None else f'{limit:.2f}x':>8}"
            )


def beyond_limits(results: Sequence[Measured]) -> Iterator[str]:
    """A line for each goal of a case that no code reaches, as its limit says, or that code by hand
    does not.
    """
    for group, peer, goal in TARGETS:
        for result in results:
            timing, hand = result.times.get(peer), result.times.get(BY_HAND)
            if result.group != group or timing is None:
                continue
            where = f"{group}: {result.name}: {peer} takes"
            if result.limit and (most := timing.median / result.limit) < goal:
                yield (
                    f"{where} {most:.2f} times as long as the limit: {goal:g} times as fast is "
                    "more than the machine gives"
                )
            elif hand and (most := timing.median / hand.median) < goal:
                yield f"{where} {most:.2f} times as long as loops by hand, less than {goal:g}"


def overhead_table(overheads: Sequence[Overhead]) -> Iterator[str]:
    """Times and their limits."""
    if overheads:
        yield f"\n{'':44}{'time':>12}{'at most':>12}"
    for overhead in overheads:
        yield (
            f"{overhead.name:44}{seconds_in_words(overhead.seconds):>12}"
            f"{seconds_in_words(overhead.most):>12}"
        )


def main(arguments: Sequence[str]) -> int:
    """Runs the benchmark; 1 if a result was wrong, 2 if there is nothing to run."""
    options = parser_of(
        "notation",
        __doc__.splitlines()[0],
        DEFAULT_FILE,
        quick="one size of each case, in three minutes",
        only=f"only cases whose group or name contains TEXT ('{SCHEDULES}' are one), no overheads",
        seconds="how long to measure each case",
        threads="; always 1 here",
    ).parse_args(arguments)
    started = time.monotonic()
    cases = choose(options)
    with_schedules = (options.only or "") in SCHEDULES
    if not cases and not with_schedules:
        print(f"error: there is no case to run: {options.only or 'none'}", file=sys.stderr)
        return 2
    about = about_run(options)
    warn_of_load(about)
    use_threads(1)
    # PyTorch's on its sparse tensors, and on what it compiles.
    warnings.filterwarnings("ignore", category=UserWarning, module="torch")
    warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
    results = []
    for case in cases:
        show_progress(case.name)
        results.append(
            run_case(case, options.seconds or (QUICK_SECONDS if options.quick else FULL_SECONDS))
        )
    drawn = []
    if with_schedules:
        show_progress(SCHEDULES)
        drawn = list(measure_schedules(options.quick))
    overheads = []
    if not options.only:
        for measure in (call_overheads, first_calls, compile_times):
            show_progress(measure.__name__)
            overheads += measure()
    show_progress("")
    outcomes = outcomes_of(results, overheads, drawn)
    about["seconds"] = round(time.monotonic() - started, 1)
    for lines in (
        result_table(results),
        schedule_table(drawn),
        overhead_table(overheads),
        target_table(outcomes),
        beyond_limits(results),
        (f"\n{NOTE}",),
    ):
        for line in lines:
            print(line)
    document = {
        "schema": SCHEMA_VERSION,
        "about": about,
        "targets": [asdict(outcome) for outcome in outcomes],
        "results": [asdict(result) for result in results],
        "schedules": [asdict(case) for case in drawn],
        "overheads": [asdict(overhead) for overhead in overheads],
    }
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(document, indent=1))
    print(f"\n{about['seconds']:g} s; wrote {options.json}")
    results_by_name = [(result.name, result.wrong) for result in results]
    results_by_name += [(case.name, case.wrong) for case in drawn]
    wrong = [
        f"{name}: {contender}: {why}"
        for name, reasons in results_by_name
        for contender, why in reasons.items()
    ]
    for text in wrong:
        print(f"error: {text}", file=sys.stderr)
    return 1 if wrong else 0
