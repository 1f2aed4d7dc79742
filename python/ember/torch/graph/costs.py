"""What calls cost: from where on a kernel gains more than PyTorch's own operations take.

Each number is a measured one; `./run bench models` shows what follows from it.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
import re
from collections.abc import Sequence
from typing import Any

import torch

from ember import threads
from ember.torch.calls.repeat import MOST


class Cost(int):
    """A number of elements, and what is said of fewer."""

    fewer: str

    def __new__(cls, number: int, fewer: str) -> "Cost":
        cost = super().__new__(cls, number)
        cost.fewer = fewer
        return cost

    @property
    def said(self) -> str:
        """The entry in words."""
        return f"cost: fewer than {int(self)} {self.fewer}"


# A kernel with its gradient is called through autograd's interface to Python, which takes as long
# as PyTorch does for so many operations of few elements, forth and back.
OPERATIONS_OF_A_GRADIENT = 9
# From so many elements on PyTorch's operations, few as they are, take longer.
LEAST_DIFFERENTIATED = Cost(1 << 13, "elements with a gradient are PyTorch's, few operations")
# The same where PyTorch makes the gradients of tables of those of looked-up rows: then it has them
# looked up, too.
LEAST_DIFFERENTIATED_OF_ROWS = Cost(
    1 << 15, "elements with a gradient are PyTorch's, which makes tables' gradients of rows'"
)
# Where a kernel is faster than PyTorch's lookups, each of which is called in less time: rows of
# tables that the nearer caches do not hold, and sums whose parts PyTorch writes and reads again: of
# two lookups from so many elements on, of more from fewer.
LEAST_LOOKUPS = 1 << 14
LEAST_TABLE_BYTES = 4 << 20
MOST_ROW_BYTES = 1 << 10
LEAST_SUMMED = 1 << 15
# What is looked up of a table, in elements, of which PyTorch adds up the gradient sooner, on more
# threads than so many: the kernel runs on one.
MOST_ALONE, MOST_THREADS_ALONE = 1 << 18, 2
# Elements of blocks of rows from which on a kernel looks them up in less time than PyTorch, which
# has a place for each element.
LEAST_COPIED = Cost(1 << 13, "elements of blocks are PyTorch's")
# Elements from which on a kernel that adds in place, and looks into all tensors first, is faster.
LEAST_ADDED = Cost(1 << 15, "elements are added in place by PyTorch")
# Elements of messages, and lengths of rows, from which on edges that come again are grouped by
# their targets: below, comparing them with those of the calls before costs more than is gained.
GROUPED_ELEMENTS = Cost(1 << 18, "elements of messages are combined as edges come")
GROUPED_LENGTH = 32
# The same on one thread, where only means and maxima gain as much as on several.
GROUPED_ELEMENTS_ALONE, GROUPED_LENGTH_ALONE = 1 << 19, 64


def is_worth_grouping(edges: int, length: int, scatters: Sequence[str]) -> bool:
    """Whether sums, or what else functions scatter, of so many rows are faster in groups, with the
    edges compared in each call."""
    elements = edges * length
    if length < GROUPED_LENGTH or elements < GROUPED_ELEMENTS:
        return False
    if length >= GROUPED_LENGTH_ALONE and elements >= GROUPED_ELEMENTS_ALONE:
        return True
    return tuple(scatters) != ("sum",) or threads.get_num_threads() > 1


def most_ungrouped(length: int) -> int:
    """How many edges with rows of a length surely are not grouped."""
    return (GROUPED_ELEMENTS - 1) // length if length >= GROUPED_LENGTH else MOST


# What PyTorch computes of elements to add them up, it stores and reads again; a kernel is 1.2 to 4
# times as fast from 256 elements to 5 million, along any dimension, without a lookup, too. Not
# with these functions, each of which takes 1.5 to 8 times as long as PyTorch's, and with a gradient
# from so many elements on only: before, gradients are added to zeros in no less time than PyTorch
# takes to write them.
LEAST_DIFFERENTIATED_REDUCED = Cost(1 << 22, "elements with a gradient are reduced by PyTorch")
# A product of more rows with each gathered matrix is PyTorch's: its library makes better use of the
# processor then, and outweighs that the matrices are written and read again.
MOST_QUERIES = 24
# Looked-up rows are multiplied with a matrix of so many bytes, and the products combined at places,
# in no more time than PyTorch's library takes for the product alone: 0.8 ms for 27 matrices of
# 32 x 32 and 800 rows each, which it gathers, multiplies and adds in 2.4. From 128 x 128 on it is
# faster.
MOST_MATRIX_BYTES = 1 << 14
# Where a product of two matrices has so many times as many elements as are looked up, a kernel
# computes these alone 1.5 to 7 times as fast as PyTorch's library does all: 512 x 512 elements and
# more of rows of 32 and 128. Of every fourth, those of rows of 128 take as long.
FEW_OF_A_PRODUCT = 8
# Of more tensors, orders of products are too many to be compared.
MOST_OPERANDS = 5
# Products of rows from this length on PyTorch computes as fast as a kernel three quarters of them.
LONG_ROWS = 128
_SLOW = re.compile(r"\*\*|\b(log|tanh|fmod)\(|%|\b(all|any|max|min|prod)\[")


def is_small_matrix(sizes: Sequence[Any], dtype: torch.dtype) -> bool:
    """Whether a kernel multiplies rows that it looks up with a matrix as fast as PyTorch's library
    does."""
    numbers = [size for size in sizes if isinstance(size, int)]
    is_known = len(numbers) == len(sizes) == 2
    return is_known and math.prod(numbers) * dtype.itemsize <= MOST_MATRIX_BYTES


def is_slow(text: str) -> bool:
    """Whether statements take longer than PyTorch's operators, unless these have lookups."""
    return _SLOW.search(text) is not None


def costs_of_rows(lookups: int) -> list[Cost]:
    """What decides about rows that are looked up, or computed of so many."""
    if lookups > 1:
        least = LEAST_SUMMED // (lookups - 1)
        return [Cost(least, f"elements of {lookups} lookups are added by PyTorch as fast")]
    return [
        Cost(LEAST_LOOKUPS, "rows are looked up by PyTorch as fast"),
        Cost(LEAST_TABLE_BYTES, "bytes of a table are looked up in by PyTorch as fast"),
    ]


def why_rows_are_slower(
    lookups: int, result: Sequence[int], table: Sequence[int], element_bytes: int
) -> str:
    """Why PyTorch is as fast for rows that are looked up, or computed of so many; empty if not.

    result and table are sizes.
    """
    if lookups > 1:
        least = LEAST_SUMMED // (lookups - 1)
        few = f"PyTorch adds fewer than {least} elements of {lookups} lookups as fast"
        return few if math.prod(result) < least else ""
    row_bytes = result[-1] * element_bytes
    if math.prod(result[:-1]) < LEAST_LOOKUPS:
        return f"PyTorch looks up fewer than {LEAST_LOOKUPS} rows as fast"
    if table[0] * row_bytes < LEAST_TABLE_BYTES:
        return (
            f"PyTorch looks up rows of a table of less than {LEAST_TABLE_BYTES >> 20} MiB as fast"
        )
    if row_bytes > MOST_ROW_BYTES:
        return f"PyTorch copies rows of more than {MOST_ROW_BYTES} bytes as fast"
    return ""
