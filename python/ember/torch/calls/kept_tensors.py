"""Tensors that are made in one call and used in later ones: offsets, numbers, groups of edges.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from ember.torch.capture import private


@contextmanager
def for_later_calls() -> Iterator[None]:
    """While entered, new tensors are plain ones in the processor's memory, without history.

    The call that makes them may be in a mode that later ones are not in: one made in inference mode
    could not be saved for a backward pass, a fake one or one on a device that is the default for
    a while has no memory to read.
    """
    with (
        torch.inference_mode(False),
        torch.no_grad(),
        private.outside_modes(),
        private.outside_operator_modes(),
    ):
        yield
