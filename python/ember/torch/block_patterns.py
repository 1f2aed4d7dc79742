"""Finds gathers of whole blocks of rows, and products with them, as in block-sparse attention.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.fx import Node

from ember.torch.block_call import BlockCall
from ember.torch.block_programs import BlockProgram
from ember.torch.block_views import BLOCK_TYPES, Gathered, gathered_at, views_of
from ember.torch.einsum import einsum_at
from ember.torch.element_types import INDEX_TYPES
from ember.torch.graph.costs import MOST_QUERIES
from ember.torch.no_match import AsFastError
from ember.torch.operations import likely_same, name_of, read, same_number, tensor_of
from ember.torch.region import Region
from ember.torch.region_call import Reference
from ember.torch.settings import Settings

# Elements from which on a product is faster than PyTorch's after its index_select, which copies
# blocks as fast as kernels do.
LEAST_SELECTED = 1 << 17
# Those from which on blocks that nothing is multiplied with are gathered faster.
LEAST_GATHERED = 1 << 13
PRODUCT_TYPES = (torch.float32, torch.float64)


def block_region_at(node: Node, settings: Settings) -> Region | None:
    """The region of gathered blocks, or of a product with them, that ends at `node`."""
    product = _product_at(node)
    if product is not None:
        return None if _is_kept(product.gathered) else product.region(settings)
    gathered = gathered_at(node)
    if gathered is None or gathered.transposed:
        return None
    if gathered.gather is not node and not (gathered.cut and _is_read(node)):
        return None
    if gathered.blocks.rows and not gathered.blocks.groups:
        # Single rows of a matrix.
        return None
    whole = _whole_uses(gathered)
    if bool(whole) != (gathered.gather is node):
        return None
    if _is_gathered_by(gathered, "index_select"):
        raise AsFastError("PyTorch copies whole blocks as fast; no product with few rows follows")
    program = _program("gather", gathered)
    return _region("block_gather", node, gathered, (), program, settings, False)


def _is_gathered_by(gathered: Gathered, name: str) -> bool:
    operation = read(gathered.gather)
    return operation is not None and operation.name == name


def _program(operation: str, gathered: Gathered, queries: int = 0) -> BlockProgram:
    source, index = tensor_of(gathered.source), tensor_of(gathered.index)
    assert source is not None
    assert index is not None
    groups = gathered.blocks.groups
    return BlockProgram(
        operation,
        BLOCK_TYPES[source.dtype],
        INDEX_TYPES[index.dtype],
        groups,
        gathered.leading - groups,
        gathered.block_size,
        gathered.length,
        queries,
    )


def _region(
    kind: str,
    node: Node,
    gathered: Gathered,
    factors: tuple[Node, ...],
    program: BlockProgram,
    settings: Settings,
    apart: bool,
) -> Region:
    least = LEAST_GATHERED if kind == "block_gather" else 0
    if _is_gathered_by(gathered, "index_select"):
        least = LEAST_SELECTED

    def make(reference: Reference) -> BlockCall:
        return BlockCall(
            reference,
            program,
            gathered.blocks,
            settings.kernel_options,
            settings.raises,
            sizes=len(gathered.sizes),
            apart=apart,
            least=least,
            is_checked=not _is_gathered_by(gathered, "take_along_dim"),
        )

    rows = f"blocks of {program.block_size} rows of {name_of(gathered.source)}"
    title = {
        "gather": f"gathered {rows}",
        "scores": f"products with gathered {rows}",
        "values": f"weighted sums of gathered {rows}",
    }[program.operation]
    return Region(
        kind,
        node,
        {node, *gathered.nodes},
        (gathered.source, gathered.index, *factors, *gathered.sizes),
        make,
        title,
        {"source": name_of(gathered.source), "blocks": name_of(gathered.index)},
        frozenset(gathered.nodes) - {node},
    )


def _is_read(node: Node) -> bool:
    """Whether something reads gathered blocks that is neither a view of them nor their product."""
    return any(gathered_at(user) is None and _product_at(user) is None for user in node.users)


def _whole_uses(gathered: Gathered) -> bool:
    """Whether all that is gathered is needed as it is, not parts of it, or products."""
    return any(
        (not one.cut or one.transposed) and _is_read(one.nodes[-1]) for one in views_of(gathered)
    )


def _is_kept(gathered: Gathered) -> bool:
    """Whether something besides products reads what the blocks pass through, so that it is made."""
    through = [one for one in views_of(gathered) if one.nodes[-1] in gathered.nodes]
    return _whole_uses(gathered) or any(_is_read(one.nodes[-1]) for one in through)


@dataclass(frozen=True)
class _Product:
    """A product of each window's blocks with another tensor."""

    node: Node
    operation: str
    gathered: Gathered
    factor: Node
    queries: int = 0
    apart: bool = False

    def region(self, settings: Settings) -> Region:
        """The region that it is."""
        program = _program(self.operation, self.gathered, self.queries)
        return _region(
            f"block_{self.operation}",
            self.node,
            self.gathered,
            (self.factor,),
            program,
            settings,
            self.apart,
        )


def _product_at(node: Node) -> _Product | None:
    """The product of gathered blocks, with few enough rows, that a node is."""
    tensor = tensor_of(node)
    found = _matmul(node) or _einsum(node)
    if found is None or tensor is None:
        return None
    factor, blocks = tensor_of(found.factor), tensor_of(found.gathered.nodes[-1])
    if factor is None or blocks is None or tensor.dtype != factor.dtype:
        return None
    if blocks.dtype != factor.dtype or blocks.dtype not in PRODUCT_TYPES:
        return None
    windows = found.gathered.leading
    if not all(map(likely_same, factor.shape[:windows], blocks.shape[:windows])):
        return None
    queries: Any = factor.shape[windows]
    if not isinstance(queries, int):
        return found
    return replace(found, queries=queries) if 0 < queries <= MOST_QUERIES else None


def _matmul(node: Node) -> _Product | None:
    """A product with blocks, or blocks transposed, on the right."""
    operation = read(node)
    if operation is None or operation.name not in ("matmul", "bmm"):
        return None
    factor, other = operation.get("self"), operation.get("other", operation.get("mat2"))
    rows = tensor_of(factor)
    if not isinstance(other, Node) or not isinstance(factor, Node) or rows is None:
        return None
    gathered = gathered_at(other)
    # Without windows for each row there is nothing in common to go over.
    if gathered is None or rows.dim() != gathered.leading + 2:
        return None
    kind = "scores" if gathered.transposed else "values"
    return _Product(node, kind, gathered, factor)


def _einsum(node: Node) -> _Product | None:
    """A product by letters: "bwqd,bwkd->bwqk", "bwqd,bwjtd->bwqjt", or the sums of values."""
    einsum = einsum_at(node)
    if einsum is None:
        return None
    for factor, blocks in ((0, 1), (1, 0)):
        found = gathered_at(einsum.operands[blocks])
        if found is not None and not found.transposed:
            other, letters = einsum.operands[factor], einsum.letters
            return _by_letters(node, found, other, letters[factor], letters[blocks], einsum.result)
    return None


def _by_letters(
    node: Node, gathered: Gathered, factor: Node, given: str, blocks: str, result: str
) -> _Product | None:
    """The product that the letters of the factor, of the gathered blocks and of the result say."""
    rows = tensor_of(gathered.nodes[-1])
    if rows is None or len(set(blocks)) != len(blocks) or len(blocks) != gathered.leading + 2:
        return None
    joined, row, element = blocks[:-2], blocks[-2], blocks[-1]
    for leading, key in ((joined, row), (joined[:-1], joined[-1:] + row)):
        if len(given) <= len(leading) or not given.startswith(leading):
            continue
        query = given[len(leading)]
        if query in blocks:
            continue
        scores, values = leading + query + key, leading + query + element
        kind = {(values, scores): "scores", (scores, values): "values"}.get((given, result))
        if kind is None:
            continue
        if key == row:
            return _Product(node, kind, gathered, factor)
        if not same_number(rows.shape[-2], gathered.block_size):
            return None
        return _Product(node, kind, gathered.windows_joined(), factor, apart=True)
    return None
