"""Products of matrices, of which one has a single row or column.

Larger ones reuse what they read, and are PyTorch's.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from ember.torch.translate.table import Call, translates
from ember.torch.translate.values import (
    FIRST,
    Indices,
    NotTranslatedError,
    Value,
    is_one,
    literal,
)


def _product(call: Call, one: Value, other: Value) -> Value:
    """Of matrices (..., m, k) and (..., k, n), or a vector (k,) in the place of either."""
    if one.dtype != other.dtype or not one.dtype.is_floating_point:
        raise NotTranslatedError
    inner = one.sizes[-1]

    def element(indices: Indices) -> str:
        batch = list(indices[: max(one.rank, other.rank) - 2])
        rest = list(indices[len(batch) :])
        left = [*batch, rest.pop(0)] if one.rank > 1 else []
        k = FIRST if is_one(inner) else "r"
        product = f"{one.at([*left, k])} * {other.at([*batch[: other.rank - 2], k, *rest])}"
        if k == FIRST:
            return product
        return f"sum[{call.statements.ranged(k, inner, product)}]({product})"

    return call.statements.reduced(call.sizes, call.result.dtype, element)


@translates("aten::bmm", "aten::mm")
def _matrices(call: Call) -> Value:
    one, other = call.value("self"), call.value("mat2")
    if not is_one(one.sizes[-2]) and not is_one(other.sizes[-1]):
        raise NotTranslatedError
    return _product(call, one, other)


@translates("aten::addmm")
def _matrices_and_others(call: Call) -> Value:
    """A product, and what is added to it, as linear layers do."""
    one, other = call.value("mat1"), call.value("mat2")
    if not is_one(one.sizes[-2]) and not is_one(other.sizes[-1]):
        raise NotTranslatedError
    beta, alpha = (literal(call.given(name)) for name in ("beta", "alpha"))
    text = "({0} + {1})" if beta == alpha == "1" else f"({beta} * {{0}} + {alpha} * {{1}})"
    return call.elementwise([call.value("self"), _product(call, one, other)], text.format)


@translates("aten::mv")
def _mv(call: Call) -> Value:
    return _product(call, call.value("self"), call.value("vec"))


@translates("aten::dot")
def _dot(call: Call) -> Value:
    return _product(call, call.value("self"), call.value("tensor"))
