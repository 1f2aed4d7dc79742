"""Calls that compiled code repeats: what a first call found out about its tensors, written down.

A region looks at its tensors, chooses a kernel, and makes the result. Where the next tensors are of
the same kinds, all of that is known: ember_calls.Repeat asks what it must of each tensor, and has
NotImplemented for what is not as it was. See python/native/Repeat.cpp.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Sequence
from typing import Any

from ember import native

# What is called with a region's arguments, and whether gradients are enabled.
Repeat = Callable[[tuple[Any, ...], bool], Any]
# One of the kernel's arguments: the place of a region's; (place, rank) of a tensor that the kernel
# has as one dimension; a size as below; (constant,).
Source = int | tuple[Any, ...]
# A size of the result: a number, or (place, dimension, number): that of an argument (a tensor's, a
# tuple's, a number itself) and the number together.
Size = int | tuple[int, int, int]
# (place, dimension, least, most) of an argument's size; or two sizes that are the same.
Bound = tuple[int, int, int, int] | tuple[Size, Size]
MOST = 2**62


def repeat_of(
    kernel: Callable[..., Any] | None,
    arguments: Sequence[Any],
    sources: Sequence[Source],
    prototype: int,
    sizes: Sequence[Size],
    kernel_sizes: Sequence[Size],
    bounds: Sequence[Bound],
    expected: Sequence[int],
) -> Repeat | None:
    """The call of a kernel for arguments like these; None without compiled calls.

    kernel: what Entry.common gives. sources: of its arguments but the last, which is the result:
    new memory of the type of the tensor at `prototype`, of these sizes; kernel_sizes: as the
    kernel sees it. expected: the places of numbers that have to be the same.
    """
    if native.Repeat is None or not isinstance(kernel, native.Call):
        return None
    read = {
        one if isinstance(one, int) else one[0]
        for one in sources
        if isinstance(one, int) or len(one) == 2
    }
    others = tuple(
        (place, type(argument)) for place, argument in enumerate(arguments) if place not in read
    )
    repeat: Repeat = native.Repeat(
        kernel,
        len(arguments),
        tuple(sources),
        others,
        tuple(bounds),
        tuple((place, arguments[place]) for place in expected),
        prototype,
        tuple(sizes),
        tuple(kernel_sizes),
    )
    return repeat
