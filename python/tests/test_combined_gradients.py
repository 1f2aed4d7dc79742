"""Gradients of what is combined: by factors, and of the largest of what is rounded.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable

import ember.sparse as es
import pytest
import torch
from torch import Tensor

RNG = torch.Generator().manual_seed(5)


def floats(*shape: int) -> Tensor:
    return torch.randn(shape, generator=RNG, dtype=torch.float64)


FACTORS_OF = torch.tensor([0, 0, 1, 1, 2, 2, 2, 3])


def multiplied(before: Tensor, factors: Tensor) -> Tensor:
    """What elements are times the factors that FACTORS_OF gives them, of which any may be 0."""
    return torch.stack([before[i] * factors[FACTORS_OF.eq(i)].prod() for i in range(5)])


PRODUCTS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "y[I[p]] *= f[p]": lambda f, k: multiplied(torch.ones_like(k), f),
    "y[i] = k[i]; y[I[p]] *= f[p]": lambda f, k: multiplied(k, f),
    "let t[i] = k[i] * k[i]; t[I[p]] *= f[p]; y[i] = sin(t[i])": lambda f, k: multiplied(
        k * k, f
    ).sin(),
    "y[i] = k[i]; y[I[p]] *= f[p]; y[I[p]] *= f[p] + 1; y[i] += k[i]": lambda f, k: (
        multiplied(multiplied(k, f), f + 1) + k
    ),
    "y[i] = k[i]; let z[i] = y[i] * y[i]; y[I[p]] *= f[p] if f[p] < 1; y[i] *= z[i]": lambda f, k: (
        multiplied(k, torch.where(f < 1, f, 1)) * k * k
    ),
}


@pytest.mark.parametrize("text", PRODUCTS)
def test_factors_of_what_is_multiplied(text: str) -> None:
    """First and second derivatives, where none, one or several factors of an element are 0."""
    for zeros in ([], [0], [4, 5], [0, 1, 4, 7]):
        factors, before = floats(8), floats(5)
        factors[zeros] = 0
        given = {"f": factors, "k": before} if "k[" in text else {"f": factors}
        room = {} if "k[" in text else {"y": es.Format("dense", shape=(5,))}
        mine = {name: value.clone().requires_grad_() for name, value in given.items()}
        theirs = {name: value.clone().requires_grad_() for name, value in given.items()}
        result = es.evaluate(text, I=FACTORS_OF, **mine, **room)
        expected = PRODUCTS[text](theirs["f"], theirs.get("k", before))
        weights = floats(5)
        found = []
        for y, leaves in ((result, mine), (expected, theirs)):
            by = list(leaves.values())
            first = torch.autograd.grad((y * weights).sum(), by, create_graph=True)
            squares = [(one * one).sum() for one in first]
            found.append((*first, *torch.autograd.grad(sum(squares), by)))
        torch.testing.assert_close(*found)


SEGMENTS = torch.arange(0, 281, 7)
COMPARED = {
    "sums": "y[i] = max[p in s[i]:s[i+1]](sum[d](X[p,d] * Y[p,d]) + c[0])",
    "sums of two rows": "y[i] = max[p in s[i]:s[i+1]](sum[d](Z[i,d] * Y[p,d]) + c[0])",
    "inside of a function": "y[i] = 1 + max[p in s[i]:s[i+1]](sum[d](X[p,d] * Y[p,d]) + c[0])",
    "under a condition": "y[i] = max[p in s[i]:s[i+1] if Y[p,0] > -1](sum[d](X[p,d]) + c[0])",
    "windows": "y[i] = max[p in i:i+5](sum[d](X[p,d] * Y[p,d]) + c[0]) for i in 0:40",
    "numbers": "y[i] = min[k in 0:9](sum[d](Z[i,d] * (k+1)) + c[0])",
    "products of sums": "y[i] = max[j](prod[d](X[j,d] + Z[i,d]) + c[0])",
    "series": "y[i] = max[j](exp(Z[i,j]) + c[0])",
    "products that are added": "y[i] = max[j](Z[i,j] * X[0,j] + c[0])",
    "squares of such": "y[i] = max[j]((Z[i,j] * X[0,j] + 9) ** 2 + c[0])",
    "a temporary": "let t[i,j] = Z[i,j] * X[0,j] + c[0]; y[i] = max[j](t[i,j])",
    "scattered sums": "y[row[p]] max= sum[d](X[p,d] * Y[p,d]) + c[0]",
    "scattered series": "y[row[p]] min= exp(X[p,0]) * Y[p,0] + c[0]",
}


@pytest.mark.parametrize("name", COMPARED)
def test_the_largest_of_what_is_rounded(name: str) -> None:
    """One of the terms is the largest, however loops round: each row gives c all of its share."""
    text = COMPARED[name]
    X, Y = (floats(280, 19).float() for _ in range(2))
    known = {
        "X": X,
        "Y": Y,
        "Z": floats(40, 19).float(),
        "s": SEGMENTS,
        "row": torch.repeat_interleave(torch.arange(40), SEGMENTS.diff()),
    }
    given = {key: value for key, value in known.items() if f"{key}[" in text}
    if "row" in given:
        given["y"] = es.Format("dense", shape=(40,))
    c = torch.zeros(1, requires_grad=True)
    es.evaluate(text, c=c, **given).sum().backward()
    assert c.grad is not None
    assert c.grad.item() == 40


@pytest.mark.parametrize(
    "text",
    [
        "y[i] = max[p in s[i]:s[i+1]](sum[d](X[p,d] * Y[p,d])) if i != 1",
        "y[i] = sin(max[p](sum[d](X[p,d] * Z[i,d])))",
        "y[row[p]] max= sum[d](X[p,d] * Y[p,d])",
        "y[i] = min[p](prod[d](X[p,d] + Z[i,d]))",
    ],
)
def test_second_derivatives_of_the_largest_of_sums(text: str) -> None:
    known = {"X": floats(7, 4), "Y": floats(7, 4), "Z": floats(3, 4)}
    names = [name for name in known if f"{name}[" in text]
    others = {}
    if "s[i]" in text:
        others["s"] = torch.tensor([0, 3, 3, 7])
    if "row" in text:
        others["row"] = torch.tensor([0, 0, 1, 2, 2, 2, 1])
        others["y"] = es.Format("dense", shape=(3,))

    def call(*given: Tensor) -> Tensor:
        return es.evaluate(text, **others, **dict(zip(names, given, strict=True)))

    given = [known[name].requires_grad_() for name in names]
    assert torch.autograd.gradcheck(call, given)
    assert torch.autograd.gradgradcheck(call, given)


def test_equal_sums_have_equal_shares() -> None:
    """Of rows that are the same, also where more than one is the largest."""
    X = floats(4, 19)[[0, 1, 0, 2, 0, 3]].requires_grad_()
    es.evaluate("y = max[p](sum[d](X[p,d] * X[p,d]))", X=X).backward()
    theirs = X.detach().clone().requires_grad_()
    (theirs * theirs).sum(1).amax().backward()
    torch.testing.assert_close(X.grad, theirs.grad)
