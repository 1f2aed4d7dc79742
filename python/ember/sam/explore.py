"""Simulates a statement in all orders of loops that its formats allow.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import itertools
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from ember.errors import ArgumentError, CompileError, KernelError
from ember.sam.exploration import Exploration, Point, Refusal
from ember.sam.graph import arrays_of, compile, variables_in_order, variables_of
from ember.sparse.array import Array
from ember.sparse.format import Format
from ember.sparse.kinds import taken

#: Levels that lie as loops do: all compressed, the outermost dense, all dense.
LAYOUTS = ("compressed", "outer dense", "dense")
#: More ways than that are an error: fewer variables, or orders and formats that are given.
MOST_WAYS = 4000


@dataclass(frozen=True)
class _Way:
    """What is chosen."""

    order: tuple[str, ...]
    formats: dict[str, str]
    empty: str
    schedule: str | None


def explore(
    statement: str,
    inputs: Mapping[str, Any],
    *,
    formats: Mapping[str, str | Format | Sequence[str]] | None = None,
    orders: Iterable[str | Sequence[str]] | None = None,
    schedules: Sequence[str | None] = (None,),
    empty: Sequence[str] = ("keep",),
    depth: int | None = None,
    machine: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    dtype: str = "f64",
) -> Exploration:
    """Simulates all orders and formats of a statement, and says which of them nothing beats.

        found = ember.sam.explore("X[i,j] = B[i,k]*C[k,j]", {"B": A, "C": A2})
        print(found)

    What is compared are cycles, tokens, and the sums that reducers have to hold. formats: of an
    array by name, either one format as it is, or several of "compressed", "outer dense" and
    "dense", whose levels are then in the order of the loops. Without it, sparse arrays and results
    are tried with the first two, dense arrays are dense, and numbers have none. orders: those of
    loops, None for all. schedules: relations of emberc's --schedule, such as those that
    accelerate; None is for none. empty, depth, machine: as of compile and Graph.simulate.

    All ways compute the same, which is checked. Orders that formats do not allow, and blocks that
    the simulator lacks, are in `refused` with the reason. Raises ArgumentError, and CompileError
    where no way is left.
    """
    arrays = {name: taken(name, given) for name, given in inputs.items()}
    ways = list(
        itertools.islice(
            _ways(statement, arrays, formats or {}, orders, schedules, empty), MOST_WAYS + 1
        )
    )
    if len(ways) > MOST_WAYS:
        raise ArgumentError(
            f"{statement!r} has more than {MOST_WAYS} ways: give orders, or one format of an array"
        )

    def simulate(way: _Way) -> tuple[Point, Any] | Refusal:
        fields = (way.order, way.formats, way.empty, way.schedule)
        try:
            graph = compile(
                statement,
                formats=way.formats,
                order=way.order or None,
                empty=way.empty,
                schedule=way.schedule,
                dtype=dtype,
            )
            result, statistics = graph.simulate(depth=depth, machine=machine, **inputs)
        except CompileError as error:
            return Refusal(*fields, reason=str(error))
        return Point(*fields, graph=graph, statistics=statistics), result

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = list(pool.map(simulate, ways))
    refused = tuple(one for one in outcomes if isinstance(one, Refusal))
    simulated = [one for one in outcomes if not isinstance(one, Refusal)]
    if not simulated:
        reason = refused[0].reason if refused else "there is no order"
        raise CompileError(f"no way to compute {statement!r} is left: {reason}")
    _check_alike(simulated)
    points = sorted((point for point, _ in simulated), key=lambda point: (*point.costs, point.name))
    return Exploration(statement, tuple(points), refused, simulated[0][1])


def _ways(
    statement: str,
    arrays: Mapping[str, Any],
    formats: Mapping[str, str | Format | Sequence[str]],
    orders: Iterable[str | Sequence[str]] | None,
    schedules: Sequence[str | None],
    empty: Sequence[str],
) -> Iterator[_Way]:
    """All choices; raises ArgumentError."""
    names = arrays_of(statement)
    variables = variables_of(statement)
    for name in (*formats, *arrays):
        if name not in names:
            raise ArgumentError(f"{name!r} is given, and {statement!r} has {', '.join(names)}")
    all_variables = list(dict.fromkeys(itertools.chain.from_iterable(variables.values())))
    if orders is None:
        if math.factorial(len(all_variables)) > MOST_WAYS:
            raise ArgumentError(
                f"{len(all_variables)} variables have more than {MOST_WAYS} orders: give orders"
            )
        chosen: Iterable[tuple[str, ...]] = itertools.permutations(all_variables)
    else:
        chosen = [tuple(variables_in_order(order)) for order in orders]
    for order in chosen:
        choices = [
            _formats_of(name, variables.get(name, []), order, formats.get(name), arrays.get(name))
            for name in names
        ]
        # Formats that differ by name only, as for one variable, are tried once.
        for combination in itertools.product(*map(dict.fromkeys, choices)):
            named = {
                name: form for name, form in zip(names, combination, strict=True) if form != "dense"
            }
            for fate, schedule in itertools.product(empty, schedules):
                yield _Way(order, named, fate, schedule)


def _formats_of(
    name: str,
    variables: Sequence[str],
    order: Sequence[str],
    given: str | Format | Sequence[str] | None,
    array: Any,
) -> list[str]:
    """The formats to try of an array of these variables; raises ArgumentError."""
    if not variables:
        return ["dense"]
    if isinstance(given, Format):
        return [given.name]
    if isinstance(given, str):
        given = [given]
    if given is None:
        is_sparse = array is None or isinstance(array, Array)
        given = ["compressed", "outer dense"] if is_sparse else ["dense"]
    return [_layout(variables, order, layout) if layout in LAYOUTS else layout for layout in given]


def _layout(variables: Sequence[str], order: Sequence[str], layout: str) -> str:
    """A format whose levels are in the order of loops, as emberc spells it."""
    if layout == "dense":
        return "dense"
    kinds = ["compressed"] * len(variables)
    if layout == "outer dense":
        kinds[0] = "dense"
    if kinds == ["dense"]:
        return "dense"
    places = {variable: place for place, variable in enumerate(order)}
    dimensions = sorted(
        range(len(variables)), key=lambda one: places.get(variables[one], len(places))
    )
    turned = "" if dimensions == sorted(dimensions) else "@" + ",".join(map(str, dimensions))
    return ",".join(kinds) + turned


def _check_alike(simulated: Sequence[tuple[Point, Any]]) -> None:
    """That all ways compute the same, but for rounding; raises KernelError."""
    first, expected = simulated[0][0], _whole(simulated[0][1])
    for point, result in simulated[1:]:
        if not np.allclose(_whole(result), expected, rtol=1e-6, atol=1e-6, equal_nan=True):
            raise KernelError(f"the graphs of {first.name} and {point.name} compute something else")


def _whole(result: Any) -> np.ndarray:
    """A result with all its elements."""
    return result.to_numpy() if isinstance(result, Array) else np.asarray(result)
