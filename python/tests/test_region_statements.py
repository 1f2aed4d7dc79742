"""Each kind of region of the PyTorch backend, and each operation of embed, as statements.

They run at every level and for every target, and on a simulated access unit, and compute what
PyTorch does.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import random
import re
import zlib
from pathlib import Path

import numpy as np
import pytest
import torch
from ember.kernel import Entry
from ember.torch.graph.partition import PATTERNS
from notation_kernels import SEED, program
from numpy.typing import NDArray
from program_runs import WAYS, Way, call
from region_draws import SCENARIOS, SIZES, Draw, Region
from region_statements import REGIONS
from statement_cases import entries_in

# Which statement is a region of which pattern.
KINDS = {
    "bags_at": "bags_that_are_concatenated",
    "rows_beside_at": "rows_side_by_side",
    "lookup_region_at": "row_score",
    "bag_at": "bag_sum",
    "blocks_at": "block_gather",
    "rows_at": "rows",
    "reduction_at": "head_products",
    "selection_at": "selection",
}
UNIT_SAMPLE = 6
# Vectors of as many elements as a unit has lanes: its streams take no two elements of a byte each.
NARROW = {name: ["--vector-length=8"] for name in REGIONS if "4bit" in name}


def arrays_of(name: str, scenario: str) -> dict[str, NDArray]:
    """The arrays of a statement, all of them."""
    seed = zlib.crc32(f"{name} {scenario}".encode())
    draw = Draw(np.random.default_rng(seed), SIZES | SCENARIOS[scenario])
    return REGIONS[name].arrays(draw)


def expected_of(region: Region, arrays: dict[str, NDArray]) -> NDArray:
    """What PyTorch computes."""
    result = region.expected({name: torch.from_numpy(a) for name, a in arrays.items()})
    return np.asarray(result.numpy())


def check(name: str, entry: Entry, way: Way) -> None:
    """Runs a kernel of the statement in every scenario."""
    region = REGIONS[name]
    for scenario in SCENARIOS:
        if scenario in region.but:
            continue
        arrays = arrays_of(name, scenario)
        expected = expected_of(region, arrays)
        names = [parameter.name for parameter in entry.parameters]
        assert set(names) == set(arrays)
        entry(
            *(
                arrays[name] if arrays[name].ndim or name in region.outputs else arrays[name].item()
                for name in names
            )
        )
        message = f"{name}, {scenario}, {way.name}"
        found, bound = region.found(arrays), region.tolerance
        np.testing.assert_allclose(found, expected, bound, bound, err_msg=message)


def test_every_kind_of_region_is_a_statement() -> None:
    assert {pattern.__name__ for pattern in PATTERNS} == set(KINDS)
    assert set(KINDS.values()) <= set(REGIONS)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_at_every_level(way: Way) -> None:
    statements = {name: (region.text, region.options) for name, region in REGIONS.items()}
    for name, entry in entries_in(statements, way):
        check(name, entry, way)


def unit_sample() -> list[str]:
    """The statements that run on a unit: all, or some that the seed draws."""
    return random.Random(SEED).sample(list(REGIONS), UNIT_SAMPLE) if SEED else list(REGIONS)


@pytest.mark.parametrize("name", unit_sample())
def test_on_an_access_unit(name: str, tmp_path: Path) -> None:
    """ember-sim compares all that a program writes with what this processor computes."""
    region, arrays = REGIONS[name], arrays_of(name, "usual")
    text = program(region.text, region.options, "loops")
    source = tmp_path / "program.mlir"
    source.write_text(text)
    function = next(line for line in text.splitlines() if "@kernel(" in line)
    names = re.findall(r'ember\.name = "(\w+)"', function)
    words: list[object] = []
    for key in names:
        if arrays[key].ndim or key in region.outputs:
            np.save(tmp_path / f"{key}.npy", arrays[key])
            words.append(f"@{tmp_path / key}.npy")
        else:
            words.append(arrays[key].item())
    saved = {key: tmp_path / f"{key}_result.npy" for key in region.outputs}
    options = [f"--save={names.index(key)}:{path}" for key, path in saved.items()]
    call("ember-sim", source, *words, "--unit=tmu", "--cores=1", *options, *NARROW.get(name, ()))
    expected, bound = expected_of(region, arrays), region.tolerance
    found = region.found({key: np.load(path) for key, path in saved.items()})
    np.testing.assert_allclose(found, expected, bound, bound)
