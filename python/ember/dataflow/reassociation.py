"""Products in other orders: `(A X) W` or `A (X W)`, whichever moves less.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from math import prod
from typing import Any

from ember.dataflow.analysis import Analysis, analyze

OPERAND = re.compile(r"\s*(\w+)\s*\[([^\]]*)\]\s*\*?")


@dataclass(frozen=True)
class Operand:
    """A tensor and the ranks that index it."""

    tensor: str
    ranks: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.tensor}[{','.join(self.ranks)}]"

    def renamed(self, names: Mapping[str, str]) -> "Operand":
        """With other names of ranks."""
        return Operand(self.tensor, tuple(names[rank] for rank in self.ranks))


@dataclass(frozen=True)
class Reassociation:
    """program: the best order that was found. analysis: of it. tried: how many there were."""

    program: dict[str, Any]
    analysis: Analysis
    tried: int


def _operands(text: str) -> list[Operand] | None:
    """Of a product; None for anything else, such as a sum."""
    found, place = [], 0
    while place < len(text.rstrip()):
        match = OPERAND.match(text, place)
        if not match:
            return None
        ranks = tuple(rank.strip() for rank in match[2].split(",") if rank.strip())
        found.append(Operand(match[1], ranks))
        place = match.end()
    return found


def _product(operation: Mapping[str, Any]) -> tuple[Operand, list[Operand]] | None:
    """What a product of two tensors writes and reads; None for other operations."""
    left, _, right = str(operation.get("einsum", "")).partition("=")
    written, read = _operands(left), _operands(right)
    if not written or not read or len(written) != 1 or len(read) != 2:
        return None
    return written[0], read


def _text(operation: Mapping[str, Any]) -> str:
    kinds = ("einsum", "elementwise", "whole")
    return next(str(operation[kind]) for kind in kinds if kind in operation)


def _reads(operation: Mapping[str, Any], tensor: str) -> bool:
    return re.search(rf"\b{re.escape(tensor)}\b", _text(operation).partition("=")[2]) is not None


def _writes(operation: Mapping[str, Any]) -> str:
    return _text(operation).partition("=")[0].partition("[")[0].strip()


def _is_free(program: Mapping[str, Any], first: int, second: int) -> bool:
    """Whether the product `first` may be computed in another way where `second` reads it."""
    operations = program["operations"]
    product = _product(operations[first])
    assert product
    tensor = product[0].tensor
    description = program["tensors"][tensor]
    carried = program.get("loop", {})
    if (
        description.get("output")
        or description.get("input")
        or tensor in {*carried, *carried.values()}
    ):
        return False
    others = [operation for place, operation in enumerate(operations) if place != second]
    if any(_reads(operation, tensor) for operation in others):
        return False
    if sum(_writes(operation) == tensor for operation in operations) != 1:
        return False
    factors = {operand.tensor for operand in product[1]}
    return not any(_writes(operation) in factors for operation in operations[first:second])


def _variants(program: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Programs that compute a product of three tensors in another order."""
    operations = program["operations"]
    for second, consumer in enumerate(operations):
        outer = _product(consumer)
        if not outer:
            continue
        result, read = outer
        for place, operand in enumerate(read):
            for first in range(second):
                inner = _product(operations[first])
                if not inner or inner[0].tensor != operand.tensor:
                    continue
                if read[1 - place].tensor == operand.tensor or not _is_free(program, first, second):
                    continue
                yield from _reorder(
                    program, first, second, inner, (result, operand, read[1 - place])
                )


def _reorder(
    program: Mapping[str, Any],
    first: int,
    second: int,
    inner: tuple[Operand, list[Operand]],
    outer: tuple[Operand, Operand, Operand],
) -> Iterator[dict[str, Any]]:
    """Both other orders of the factors of `inner` and the last one of `outer`."""
    written, factors = inner
    result, used, last = outer
    if len(set(used.ranks)) != len(used.ranks) or len(set(written.ranks)) != len(written.ranks):
        return
    taken = {*result.ranks, *used.ranks, *last.ranks}
    fresh = (f"r{number}" for number in count() if f"r{number}" not in taken)
    names = dict(zip(written.ranks, used.ranks, strict=True))
    for operand in factors:
        for rank in operand.ranks:
            if rank not in names:
                names[rank] = next(fresh)
    renamed = [operand.renamed(names) for operand in factors]
    sizes = {
        rank: size
        for operand in (*renamed, last)
        for rank, size in zip(
            operand.ranks, program["tensors"][operand.tensor]["shape"], strict=True
        )
    }
    for kept, joined in ((renamed[0], renamed[1]), (renamed[1], renamed[0])):
        # Without a rank in common, the product would be an outer one.
        if not set(joined.ranks) & set(last.ranks):
            continue
        needed = {*kept.ranks, *result.ranks}
        ranks = tuple(dict.fromkeys(r for r in (*joined.ranks, *last.ranks) if r in needed))
        between = Operand(written.tensor, ranks)
        tensors = dict(program["tensors"])
        tensors[between.tensor] = {"shape": [sizes[rank] for rank in ranks]}
        operations = list(program["operations"])
        consumer = {**operations[second], "einsum": f"{result} = {kept} {between}"}
        producer = {**operations[first], "einsum": f"{between} = {joined} {last}"}
        operations[second : second + 1] = [producer, consumer]
        del operations[first]
        yield {**program, "tensors": tensors, "operations": operations}


def multiplications(analysis: Analysis) -> float:
    """Of all sums of products of a program."""
    return sum(
        prod(float(rank["extent"]) for rank in node["ranks"])
        for node in analysis.report["nodes"]
        if node["kind"] == "einsum"
    )


def reassociate(
    program: Mapping[str, Any],
    *,
    machine: Mapping[str, Any] | None = None,
    iterations: int = 10,
    scheme: str = "GOGETA-map",
    most_work: float = 1.0,
    limit: int = 100,
) -> Reassociation:
    """The order of products of three and more tensors that moves the fewest words.

    program: JSON of ember-dag. Of orders that move as many, the one with the fewest
    multiplications; none has more than `most_work` times those of the program. Not more than
    `limit` orders are tried, those first that differ least from the program. Floating-point results
    differ in their rounding.
    """
    start = dict(program)
    options = [f"--scheme={scheme}"]
    first = analyze(start, machine=machine, iterations=iterations, options=options)
    bound = most_work * multiplications(first)
    best, best_analysis = start, first
    known = {str(start["operations"])}
    waiting = [start]
    while waiting and len(known) < limit:
        for variant in _variants(waiting.pop(0)):
            key = str(variant["operations"])
            if key in known or len(known) >= limit:
                continue
            known.add(key)
            waiting.append(variant)
            analysis = analyze(variant, machine=machine, iterations=iterations, options=options)
            work = multiplications(analysis)
            cost = analysis.words(scheme), work
            best_cost = best_analysis.words(scheme), multiplications(best_analysis)
            if work <= bound and cost < best_cost:
                best, best_analysis = variant, analysis
    return Reassociation(best, best_analysis, len(known))
