"""Finds torch.segment_reduce in FX graphs, of a tensor's rows or of looked-up ones.

    torch.segment_reduce(x, "sum", offsets=offsets)
    torch.segment_reduce(x[index], "mean", lengths=lengths)

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from torch.fx import Node

from ember.torch.lookups import lookup_at
from ember.torch.no_match import NoMatchError
from ember.torch.operations import fixed_number, name_of, read, tensor_of
from ember.torch.region import Region
from ember.torch.segments import SegmentsCall
from ember.torch.settings import Settings

REDUCTIONS = ("sum", "mean", "max")


def segments_at(node: Node, settings: Settings) -> Region | None:
    """The region of a segment reduction; None if the node is another operation.

    Raises NoMatchError for a segment reduction that has no kernel.
    """
    operation = read(node)
    if operation is None or operation.name != "segment_reduce":
        return None
    data, reduction = operation.get("data"), operation.get("reduce")
    lengths, offsets = operation.get("lengths"), operation.get("offsets")
    if reduction not in REDUCTIONS:
        raise NoMatchError(f"the reduction {reduction} has no kernel")
    axis = fixed_number(operation.get("dim", operation.get("axis", 0)))
    if axis != 0:
        raise NoMatchError(f"it goes along dimension {axis}; kernels know the first")
    if (lengths is None) == (offsets is None) or operation.get("indices") is not None:
        raise NoMatchError("its segments are not given by lengths or offsets alone")
    segments = tensor_of(offsets if lengths is None else lengths)
    if not isinstance(data, Node) or segments is None or segments.dim() != 1:
        raise NoMatchError("its segments are not one-dimensional")
    lookup = lookup_at(data)
    x, index, nodes = data, None, {node}
    if lookup is not None and len(data.users) == 1:
        x, index = lookup.x, lookup.index
        nodes.add(data)
    unsafe = bool(operation.get("unsafe", False))
    return Region(
        "segments",
        node,
        nodes,
        (x, index, lengths, offsets, operation.get("initial")),
        lambda reference: SegmentsCall(
            reference, str(reduction), unsafe, settings.kernel_options, settings.raises
        ),
        f"{reduction} of segments of rows of {name_of(x)}",
        {"weight": name_of(x), "input": name_of(index)} if index is not None else {},
    )
