"""ember.sam.explore: all orders and formats, and which of them nothing beats.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
from pathlib import Path

import ember.sam
import numpy as np
import pytest
import scipy.sparse
from ember.errors import ArgumentError, CompileError

SEED = int(os.environ.get("EMBER_TEST_SEED", "0"))
PRODUCT = "X[i,j] = B[i,k]*C[k,j]"
rng = np.random.default_rng(SEED)
B, C = (
    rng.integers(1, 9, shape).astype(float) * (rng.random(shape) < 0.3)
    for shape in ((7, 5), (5, 6))
)


@pytest.fixture(scope="module")
def found() -> ember.sam.Exploration:
    return ember.sam.explore(
        PRODUCT, {"B": B, "C": C}, formats={name: ["compressed"] for name in "XBC"}
    )


def test_all_orders_are_tried(found: ember.sam.Exploration) -> None:
    orders = {one.order for one in (*found.points, *found.refused)}
    assert len(orders) == 6
    assert len(found.points) + len(found.refused) == 6
    assert {"ijk", "ikj", "jik", "jki"} <= {"".join(one.order) for one in found.points}
    np.testing.assert_array_equal(found.result.to_numpy(), B @ C)
    for point in found.points:
        result, statistics = point.graph.simulate(B=B, C=C)
        np.testing.assert_array_equal(result.to_numpy(), B @ C)
        assert statistics.cycles == point.cycles
    # Levels lie as loops do.
    inner = next(one for one in found.points if one.order == ("i", "j", "k"))
    assert inner.formats["C"] == "compressed,compressed@1,0"
    assert inner.storage == 1


def test_nothing_beats_what_is_pareto(found: ember.sam.Exploration) -> None:
    pareto = found.pareto
    assert found.best in pareto
    for point in found.points:
        beaten = any(
            other.costs != point.costs
            and all(a <= b for a, b in zip(other.costs, point.costs, strict=True))
            for other in found.points
        )
        assert beaten == (point not in pareto)
    assert min(point.cycles for point in found.points) == found.best.cycles
    # The inner product has one sum at a time, and no other order has so few.
    assert min(point.storage for point in pareto) == 1


def test_what_is_printed_and_drawn(found: ember.sam.Exploration, tmp_path: Path) -> None:
    text = str(found)
    assert f"{len(found.points)} ways simulated" in text
    assert text.count("\n*") == len(found.pareto)
    assert len(found.table().splitlines()) == 1 + len(found.points)
    assert found.plot(tmp_path / "ways.png").read_bytes().startswith(b"\x89PNG")
    assert set(found.by_order()) == {point.order for point in found.points}


def test_formats_follow_what_is_given() -> None:
    found = ember.sam.explore("x[i] = A[i,j]*c[j]", {"A": scipy.sparse.csr_array(B), "c": C[:, 0]})
    formats = {point.formats["A"] for point in found.points}
    assert formats <= {
        form + turned
        for form in ("compressed,compressed", "dense,compressed")
        for turned in ("", "@1,0")
    }
    assert len(formats) > 1
    # What is dense stays dense.
    assert all("c" not in point.formats for point in found.points)
    np.testing.assert_array_equal(
        found.result if isinstance(found.result, np.ndarray) else found.result.to_numpy(),
        B @ C[:, 0],
    )


def test_one_format_allows_some_orders_only() -> None:
    found = ember.sam.explore(PRODUCT, {"B": B, "C": C}, formats=dict.fromkeys("XBC", "dcsr"))
    assert {"".join(point.order) for point in found.points} == {"ikj"}
    refused = {"".join(one.order): one.reason for one in found.refused}
    assert "store 'C' with its levels in the order j, k" in refused["ijk"]
    assert "^" not in "".join(refused.values())


def test_given_orders_and_fates() -> None:
    found = ember.sam.explore(
        PRODUCT,
        {"B": B, "C": C},
        formats={name: ["compressed"] for name in "XBC"},
        orders=["ijk", ["i", "k", "j"]],
        empty=("keep", "drop"),
        depth=8,
    )
    assert {(point.order, point.empty) for point in found.points} == {
        (tuple(order), empty) for order in ("ijk", "ikj") for empty in ("keep", "drop")
    }


def test_schedules_that_are_not_known_are_refused() -> None:
    found = ember.sam.explore(
        "x[i] = b[i]*c[i]",
        {"b": B[0], "c": C[:, 0]},
        formats={name: ["compressed"] for name in "xbc"},
        schedules=(None, "frobnicate(i)"),
    )
    assert [one.schedule for one in found.points] == [None]
    assert "frobnicate" in found.refused[0].reason


def test_mistakes() -> None:
    with pytest.raises(ArgumentError, match="'Z' is given"):
        ember.sam.explore(PRODUCT, {"B": B, "Z": C})
    with pytest.raises(ArgumentError, match="9 variables have more than 4000 orders"):
        ember.sam.explore("x = B[a,b,c]*C[d,e,f]*D[g,h,i]", {})
    with pytest.raises(ArgumentError, match="'C' is read, and it is not given"):
        ember.sam.explore(PRODUCT, {"B": B}, orders=["ikj"])
    with pytest.raises(CompileError, match="no way to compute"):
        ember.sam.explore(
            PRODUCT, {"B": B, "C": C}, formats=dict.fromkeys("XBC", "dcsr"), orders=["ijk"]
        )
