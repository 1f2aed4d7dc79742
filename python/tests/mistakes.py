"""Errors of what is only warned of otherwise: mistakes that leave parts of programs to PyTorch.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import logging


class _Refusing(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        raise AssertionError(record.getMessage()) from (record.exc_info or (None, None))[1]


def refuse() -> None:
    """Raises an AssertionError where the translation of a part fails by Ember's own doing."""
    logging.getLogger("ember.torch.graph.trace").addHandler(_Refusing(logging.WARNING))
