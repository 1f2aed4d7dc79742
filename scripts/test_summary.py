"""Adds up what the test runners report: one line a runner, then the total alone on a line.

    test_summary.py NAME=RESULTS...    RESULTS is lit's JSON, a JUnit XML file, or a log with a line
                                       'N passed, N failed'

A runner that left no readable results counts as one failure: it died before it could report.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

LOG_TOTAL = re.compile(r"(\d+) passed, (\d+) failed")
LIT_OUTCOMES = {
    "PASS": "passed",
    "FLAKYPASS": "passed",
    "XFAIL": "passed",
    "UNSUPPORTED": "skipped",
    "SKIPPED": "skipped",
    "EXCLUDED": "skipped",
}


def count_lit(path: Path) -> Counter[str]:
    """Counts lit's results; whatever is not a pass or a skip is a failure."""
    tests = json.loads(path.read_text())["tests"]
    return Counter(LIT_OUTCOMES.get(test["code"], "failed") for test in tests)


def count_junit(path: Path) -> Counter[str]:
    """Counts the test cases of a JUnit file by their outcome."""
    counts: Counter[str] = Counter()
    for case in ElementTree.parse(path).iter("testcase"):
        children = {child.tag for child in case}
        if children & {"failure", "error"} or case.get("status") == "fail":
            counts["failed"] += 1
        elif "skipped" in children or case.get("status") in ("notrun", "disabled"):
            counts["skipped"] += 1
        else:
            counts["passed"] += 1
    return counts


def count_log(path: Path) -> Counter[str]:
    """Reads the totals of a log, which what is kept of failures may follow; raises ValueError
    where there are none."""
    totals = [
        match for line in path.read_text().splitlines() if (match := LOG_TOTAL.fullmatch(line))
    ]
    if not totals:
        raise ValueError(f"{path} has no total")
    return Counter(passed=int(totals[-1][1]), failed=int(totals[-1][2]))


READERS = {".json": count_lit, ".xml": count_junit, ".log": count_log}


def main() -> int:
    total: Counter[str] = Counter()
    print()
    for argument in sys.argv[1:]:
        name, _, file = argument.partition("=")
        path = Path(file)
        note = ""
        try:
            counts = READERS[path.suffix](path)
        except (OSError, ValueError, KeyError, ElementTree.ParseError):
            counts = Counter(failed=1)
            note = " (the runner left no results)"
        total += counts
        print(
            f"{name}: {counts['passed']} passed, {counts['failed']} failed, "
            f"{counts['skipped']} skipped{note}"
        )
    print(f"{total['passed']} passed, {total['failed']} failed")
    return 1 if total["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
