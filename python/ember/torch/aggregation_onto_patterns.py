"""Finds scatter operations onto tensors that have values already, with the lookup in front of them.

    base.index_add(0, target, x[source], alpha=2)
    base.scatter_reduce(0, target.view(-1, 1).expand_as(rows), rows, "amax")

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from torch.fx import Node

from ember.torch.aggregation_onto import OntoCall
from ember.torch.aggregation_patterns import SCATTERS, message_of, scatter_onto
from ember.torch.element_types import VALUE_TYPES
from ember.torch.no_match import NoMatchError
from ember.torch.operations import name_of, read, tensor_of
from ember.torch.region import Region
from ember.torch.settings import Settings


def onto_at(node: Node, settings: Settings) -> Region | None:
    """The region of a scatter operation onto values; None for anything else.

    Raises NoMatchError for one that has no kernel; aggregation_at does for all others.
    """
    operation = read(node)
    if operation is None or operation.name not in SCATTERS:
        return None
    try:
        scatter = scatter_onto(node, operation)
    except NoMatchError:
        return None
    if scatter.base is None:
        return None
    types = {tensor_of(one).dtype for one in (scatter.base, scatter.data)}  # type: ignore[union-attr]
    if len(types) > 1 or not types <= VALUE_TYPES.keys():
        names = ", ".join(sorted(map(str, types)))
        raise NoMatchError(f"it is of {names}; kernels add floating-point numbers of one type")
    if operation.in_place and settings.rest == "inductor":
        raise NoMatchError("it changes a tensor in place; kernels beside Inductor change none")
    if operation.in_place and next(iter(types)).itemsize == 2:
        raise NoMatchError("it adds to a half type in place; kernels keep sums in f32")
    x, source, weights, nodes, title = message_of(scatter)
    return Region(
        "aggregation",
        node,
        {*scatter.nodes, *nodes},
        (scatter.base, x, source, scatter.target, weights),
        lambda reference: OntoCall(
            reference,
            scatter.reduction,
            scatter.alpha,
            operation.in_place,
            settings.kernel_options,
            settings.raises,
        ),
        f"{title}, onto {name_of(scatter.base)}",
        {"x": name_of(x), "source": name_of(source), "target": name_of(scatter.target)},
        changes=(scatter.base,) if operation.in_place else (),
    )
