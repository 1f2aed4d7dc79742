"""ember.compile: operations of models in words that people write get the kernels of the plain ones.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import random
from collections import Counter
from functools import cache

import ember
import pytest
import spelled_bags
import spelled_graphs
import spelled_scores
import torch
from drawn_cases import SEED
from ember.torch.capture.backend import listening
from region_cases import nothing_is_left
from spelled_operations import Operation, gradients_of
from torch import Tensor

pytestmark = [
    pytest.mark.usefixtures("fresh_dynamo"),
    pytest.mark.filterwarnings("ignore:Sparse invariant checks"),
    pytest.mark.filterwarnings("ignore:index_reduce"),
    pytest.mark.filterwarnings("ignore:nothing to compile"),
    # Where it breaks the graph, as in eager.
    pytest.mark.filterwarnings("ignore:Dynamo does not know how to trace"),
]

OPERATIONS = {**spelled_graphs.OPERATIONS, **spelled_scores.OPERATIONS, **spelled_bags.OPERATIONS}
# So many operations, and of each as many words.
DRAWN, WORDS = 10, 2
# What PyTorch computes of the lookups itself, with the reason.
ELSEWHERE = {
    ("sum", "sparse"): "the matrix is made in the model, and is no argument",
    ("weighted sum", "sparse"): "the same",
    ("sum", "mask"): "how many classes are compared is a number of the call",
    ("GAT", "mask"): "a softmax of all pairs of nodes and edges",
    ("weighted bag", "scattered counts"): "how many weights there are, places do not say",
    ("combine", "scattered gates"): "what is written twice at a place counts once",
    ("combine", "masks"): "masks of experts one by one are no lookups",
    ("dispatch", "masks"): "the same",
    ("counted", "bincount"): "elements say how many numbers it has",
    ("counted", "bincount of keywords"): "the same",
}
# Words that multiply the rows of all nodes, ahead of the sums over edges or behind them: these
# products are PyTorch's, of whatever words, and the sums one kernel.
LAYERS = {("RGCN", words) for words in ("summed messages", "sums of each", "summed first")}
# Products that a kernel has where the plain words have it.
PRODUCTS = frozenset(("bmm", "einsum", "linear", "matmul", "mm", "one_hot"))


@cache
def kernels_of(operation: str, words: str) -> tuple[int, Counter[str], list[Tensor | None]]:
    """How many kernels ran, what PyTorch computed of lookups, and the results with gradients."""
    told = OPERATIONS[operation]
    with listening() as heard, nothing_is_left():
        run = ember.compile(told.words[words], told.make(), raises=False)
        outcome = gradients_of(told, run)
    parts = [part.call for report in heard.reports for part in report.compiled]
    graphs = [report.graph() for report in heard.reports]
    others = sum((graph.others for graph in graphs), Counter())
    left = Counter(name for name in others.elements() if name in PRODUCTS)
    left["lookups"] = sum(len(graph.left) for graph in graphs)
    return sum(bool(part.kernels()) for part in parts), +left, outcome


def drawn(operation: str) -> list[str]:
    """The plain words, and some of the others."""
    plain, *others = OPERATIONS[operation].words
    draw = random.Random(f"{SEED} {operation}")
    return [plain, *draw.sample(others, min(WORDS, len(others)))]


@pytest.mark.parametrize("operation", random.Random(SEED).sample(list(OPERATIONS), DRAWN))
def test_words(operation: str) -> None:
    """Values and gradients are right, and the drawn words have the plain ones' kernels."""
    plain, *others = drawn(operation)
    wanted, of_plain, _ = kernels_of(operation, plain)
    assert wanted
    for words in (plain, *others):
        torch._dynamo.reset()
        kernels, left, outcome = kernels_of(operation, words)
        told: Operation = OPERATIONS[operation]
        torch.testing.assert_close(
            outcome, gradients_of(told, told.words[words]), msg=f"{words} are not as in eager"
        )
        torch.testing.assert_close(
            outcome, gradients_of(told, told.words[plain]), rtol=1e-6, atol=1e-6
        )
        if (operation, words) in ELSEWHERE:
            continue
        assert 1 <= kernels <= wanted, words
        is_layer = (operation, words) in LAYERS and not left["lookups"]
        assert not left or of_plain or is_layer, f"{words}: {left}"


@pytest.mark.parametrize(
    ("operation", "words"), [("RGCN", "masks of rows"), ("FM", "all products")]
)
def test_products_of_rows_with_weights(operation: str, words: str) -> None:
    """Rows are looked up, multiplied with weights and with a matrix in one kernel a graph."""
    wanted, _, _ = kernels_of(operation, next(iter(OPERATIONS[operation].words)))
    torch._dynamo.reset()
    kernels, left, outcome = kernels_of(operation, words)
    assert kernels == wanted
    assert not left
    told = OPERATIONS[operation]
    torch.testing.assert_close(outcome, gradients_of(told, told.words[words]))


def test_what_is_elsewhere() -> None:
    """Of what is written here, at most one in twenty has no kernel that computes all of it."""
    count = sum(len(told.words) - 1 for told in OPERATIONS.values())
    assert all(words in OPERATIONS[operation].words for operation, words in ELSEWHERE)
    assert 20 * len(ELSEWHERE) <= count
