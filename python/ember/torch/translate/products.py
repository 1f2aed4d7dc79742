"""Products of matrices, of which one has a single row or column, or few for each gathered matrix.

Larger ones reuse what they read, and are PyTorch's, unless few of their elements are looked up.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch.fx import Node

from ember.torch.element_types import SUM_TYPES
from ember.torch.graph.costs import MOST_QUERIES, is_small_matrix
from ember.torch.graph.irregular import SCATTERS
from ember.torch.graph.operations import (
    fixed_size,
    is_name_of_view,
    is_tensor,
    name_in_schema,
)
from ember.torch.translate.table import Call, translates
from ember.torch.translate.values import (
    FIRST,
    Indices,
    NotTranslatedError,
    Value,
    is_one,
    literal,
)

_LOOKUPS = frozenset(("gather", "index", "index_select"))


def product(call: Call, one: Value, other: Value) -> Value:
    """Of matrices (..., m, k) and (..., k, n), or a vector (k,) in the place of either."""
    if one.dtype != other.dtype or not one.dtype.is_floating_point:
        raise NotTranslatedError
    inner = one.sizes[-1]

    is_outer = is_one(inner) and not _has_one_row_or_column(one, other)
    if not is_outer:
        _check(call, one, other)

    def element(indices: Indices) -> str:
        batch = list(indices[: max(one.rank, other.rank) - 2])
        rest = list(indices[len(batch) :])
        left = [*batch, rest.pop(0)] if one.rank > 1 else []

        def term(at: Mapping[str, str]) -> str:
            k = at.get("r", FIRST)
            return f"{one.at([*left, k])} * {other.at([*batch[: other.rank - 2], k, *rest])}"

        return call.statements.reduction("sum", {} if is_one(inner) else {"r": inner}, term)

    is_looked_up = one.is_looked_up or other.is_looked_up
    if is_outer:
        return Value(call.sizes, call.dtype, element, is_looked_up=is_looked_up)
    call.statements.reduces = True
    return Value(call.sizes, call.dtype, element, is_reduced=True, is_looked_up=is_looked_up)


def _rows_and_columns(one: Value, other: Value) -> tuple[Any, Any]:
    """How many a product has."""
    return one.sizes[-2] if one.rank > 1 else 1, other.sizes[-1] if other.rank > 1 else 1


def _has_one_row_or_column(one: Value, other: Value) -> bool:
    return any(map(is_one, _rows_and_columns(one, other)))


def _check(call: Call, one: Value, other: Value) -> None:
    """Raises NotTranslatedError for what PyTorch computes as fast."""
    if _has_one_row_or_column(one, other):
        return
    rows, columns = _rows_and_columns(one, other)
    if one.dtype not in SUM_TYPES:
        raise NotTranslatedError
    if call.statements.is_trial:
        return
    if is_only_looked_up(call.node):
        if call.name == "aten::bmm":
            # How far apart the rows of pairs lie is better known.
            call.statements.fixed += [rows, columns]
        return
    if call.name != "aten::bmm":
        # Rows that PyTorch would store to multiply them, and again to combine what comes of them.
        is_between = one.is_looked_up and _is_scattered(call.node)
        if not is_between or not is_small_matrix(other.sizes, other.dtype):
            raise NotTranslatedError
        return
    if other.is_looked_up and _are_few(rows):
        return
    if not one.is_looked_up or not _are_few(columns):
        raise NotTranslatedError


def _is_scattered(node: Node) -> bool:
    """Whether what operators compute of a value is combined at places."""
    found, pending = {node}, [node]
    while pending:
        for user in pending.pop().users:
            if (name := name_in_schema(user)) and user not in found:
                if name in SCATTERS:
                    return True
                found.add(user)
                pending.append(user)
    return False


def is_only_looked_up(node: Node) -> bool:
    """Whether operators read elements of a value at places, or of views of it, or its diagonal, and
    no others."""

    def looks_up(user: Node) -> bool:
        name = name_in_schema(user)
        is_lookup = name == "diagonal" or (name in _LOOKUPS and user.args[0] is node)
        is_size = not is_tensor(user)
        return is_lookup or is_size or (is_name_of_view(name) and is_only_looked_up(user))

    return any(map(is_tensor, node.users)) and all(map(looks_up, node.users))


def _are_few(queries: Any) -> bool:
    """Whether so few rows are multiplied with each gathered matrix that writing it would take
    longer than what PyTorch's products gain: that number stays then."""
    likely = queries.node.hint if isinstance(queries, torch.SymInt) else queries
    return likely is not None and likely <= MOST_QUERIES and bool(fixed_size(queries))


@translates("aten::bmm", "aten::mm")
def _matrices(call: Call) -> Value:
    return product(call, call.value("self"), call.value("mat2"))


@translates("aten::addmm")
def _matrices_and_others(call: Call) -> Value:
    """A product, and what is added to it, as linear layers do."""
    one, other = call.value("mat1"), call.value("mat2")
    beta, alpha = (literal(call.given(name)) for name in ("beta", "alpha"))
    text = "({0} + {1})" if beta == alpha == "1" else f"({beta} * {{0}} + {alpha} * {{1}})"
    return call.elementwise([call.value("self"), product(call, one, other)], text.format)


@translates("aten::mv")
def _mv(call: Call) -> Value:
    return product(call, call.value("self"), call.value("vec"))


@translates("aten::dot")
def _dot(call: Call) -> Value:
    return product(call, call.value("self"), call.value("tensor"))
