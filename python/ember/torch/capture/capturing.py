"""How ember.compile lets torch.compile capture graphs.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from ember.torch.capture import private
from ember.torch.settings import Settings

_any_sizes = private.capture_options(
    capture_dynamic_output_shape_ops=True, record_runtime_overhead=False
)


def any_sizes(settings: Settings) -> AbstractContextManager[Any]:
    """While entered, a size may depend on a tensor's elements, without a graph break.

    So does the number of the edges without loops. Inductor is spared such sizes.
    """
    return nullcontext() if settings.rest == "inductor" else _any_sizes()
