"""Random PyTorch programs with writes in place: results, arguments and gradients are eager's.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os

import pytest
import random_programs

pytestmark = pytest.mark.usefixtures("fresh_dynamo")

PROGRAMS = 15 if "EMBER_QUICK" in os.environ else 30


@pytest.mark.parametrize("first", [0, 1000])
def test_compiled_programs_are_eager_ones(first: int) -> None:
    found = random_programs.failures(PROGRAMS, first)
    assert not found, "\n".join(found)


def test_a_program_that_fails_is_made_shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    def difference(text: str, seed: int, gradients: bool) -> str:
        return "it has an index" if "index_add" in text else ""

    monkeypatch.setattr(random_programs, "difference", difference)
    numbered = (random_programs.generate(number) for number in range(100))
    program = next(one for one in numbered if "index_add" in one.text() and len(one.lines) > 4)
    text = random_programs.shortened(program, 0)
    assert text.count("index_add") == 1
    assert len(program.lines) == 1
