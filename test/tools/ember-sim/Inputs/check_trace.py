"""Checks a trace of ember-sim: events lie in the window, and each kind is there.

check_trace.py perfetto FILE FROM_NS TO_NS GROUP/NAME... : for each GROUP/NAME, some event of a
track of a group that ends so has that name. check_trace.py konata FILE FROM_CYCLE TO_CYCLE:
instructions begin in the window and go through all stages in order, each until it retires.
"""

import json
import sys


def check_perfetto(path: str, first: float, last: float, wanted: list[str]) -> None:
    with open(path) as file:
        events = json.load(file)
    groups = {}
    seen = set()
    for event in events:
        if event["ph"] == "M":
            if event["name"] == "process_name":
                groups[event["pid"]] = event["args"]["name"]
            continue
        begin = event["ts"] * 1000
        end = begin + event.get("dur", 0) * 1000
        assert first - 0.1 <= begin <= end <= last + 0.1, event
        seen.add((groups[event["pid"]], event["name"]))
    for each in wanted:
        group, name = each.split("/")
        assert any(g.endswith(group) and n == name for g, n in seen), f"{each} is not in {sorted(seen)}"


def check_konata(path: str, first: int, last: int) -> None:
    stages = {}
    cycle = 0
    retired = 0
    with open(path) as file:
        assert file.readline() == "Kanata\t0004\n"
        for line in file:
            kind, *fields = line.rstrip("\n").split("\t")
            if kind == "C=":
                cycle = int(fields[0])
            elif kind == "C":
                cycle += int(fields[0])
            elif kind == "I":
                assert first <= cycle <= last, line
                stages[fields[0]] = []
            elif kind == "S":
                stages[fields[0]].append(fields[2])
            elif kind == "R":
                assert stages.pop(fields[0]) == ["F", "Rn", "Is", "Cm"], line
                retired += 1
    assert retired and not stages, (retired, stages)


if sys.argv[1] == "perfetto":
    check_perfetto(sys.argv[2], float(sys.argv[3]), float(sys.argv[4]), sys.argv[5:])
else:
    check_konata(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
