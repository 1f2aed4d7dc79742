"""Checks that the time of a run in full lies in the interval of the same run when sampled.

check_sample.py FULL.json SAMPLED.json
"""

import json
import sys

with open(sys.argv[1]) as file:
    full = json.load(file)
with open(sys.argv[2]) as file:
    sampled = json.load(file)["sampled"]
time = full["machine"]["nanoseconds"]
executed = sum(part.get("instructions", 0) for name, part in full.items() if name.startswith("core"))
assert sampled["low"] <= time <= sampled["high"], (time, sampled)
assert sampled["low"] <= sampled["nanoseconds"] <= sampled["high"], sampled
assert sampled["high"] - sampled["low"] < time, (time, sampled)
assert sampled["instructions"] == executed, (executed, sampled)
assert sampled["detailedInstructions"] < executed / 2, (executed, sampled)
assert sampled["confidence"] == 0.95, sampled
