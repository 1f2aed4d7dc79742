"""Prints a measured value beside its target.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""


def report(what: str, value: float, unit: str, target: str = "", met: bool | None = None) -> None:
    """One line: the value, and whether it meets its target where there is one."""
    verdict = "" if met is None else f"  (target {target}: {'met' if met else 'MISSED'})"
    print(f"{what:58} {value:10.3g} {unit}{verdict}", flush=True)
