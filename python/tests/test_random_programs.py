"""Random PyTorch programs: results, arguments, gradients and errors are eager's.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import zlib
from collections.abc import Sequence

import pytest
import random_programs
from drawn_cases import SEED
from drawn_program import Input

pytestmark = [pytest.mark.usefixtures("fresh_dynamo"), pytest.mark.timeout(600)]

IS_QUICK = "EMBER_QUICK" in os.environ
# In parts, which run beside each other.
PARTS = range(4)
PROGRAMS = {"expressions": 15 if IS_QUICK else 75, "regions": 7 if IS_QUICK else 15}
# The share of programs with kernels is larger than that, in each part.
LEAST_SHARE = {"expressions": 0.4, "regions": 0.4}
FIRST = zlib.crc32(SEED.encode()) % (1 << 20) if SEED else 0


@pytest.mark.parametrize("kind", PROGRAMS)
@pytest.mark.parametrize("part", PARTS)
def test_compiled_programs_are_eager_ones(part: int, kind: str) -> None:
    count = PROGRAMS[kind]
    programs = random_programs.numbered(count, FIRST + part * count, kind)
    campaign = random_programs.tried(programs, count)
    assert not campaign.failed, "\n".join(campaign.failed)
    assert campaign.share() > (0 if IS_QUICK else LEAST_SHARE[kind])


def test_expressions_use_all_of_the_table() -> None:
    texts = [random_programs.generate(number, "expressions").text() for number in range(400)]
    everything = "\n".join(texts)
    for word in ("embedding(", "index_select(", "gather(", "einsum(", "cat([", "stack([", "where("):
        assert word in everything
    assert any("_(" in text for text in texts)


def test_a_program_that_fails_is_made_shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    def difference(
        text: str, inputs: Sequence[Input], seed: int, dynamic: bool | None = None
    ) -> random_programs.Difference:
        return random_programs.Difference("it has an index" if "index_add" in text else "")

    monkeypatch.setattr(random_programs, "difference", difference)
    programs = (random_programs.generate(number, "regions") for number in range(100))
    program = next(one for one in programs if "index_add" in one.text() and len(one.lines) > 4)
    text = random_programs.shortened(program, 0)
    assert text.count("index_add") == 1
    assert len(program.lines) == 1
