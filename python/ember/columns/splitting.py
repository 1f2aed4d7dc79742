"""Texts that hold several, between separators.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ctypes
from typing import Any

import numpy as np

from ember.columns.jagged import Jagged
from ember.columns.library import library
from ember.columns.texts import Texts


def split(texts: Any, separator: str | bytes = "") -> Jagged:
    """The parts of each text, as tf.strings.split has them: ',a,' has three, '' has one.

    An empty separator stands for runs of white space, which make no empty parts: '' has none then.
    """
    given = Texts.of(texts)
    between = separator.encode() if isinstance(separator, str) else separator
    function, struct = library().ember_col_split, ctypes.byref(given.struct())
    count = function(struct, between, len(between), None, None, None)
    offsets = np.empty(len(given) + 1, np.int64)
    starts, ends = np.empty(count, np.int64), np.empty(count, np.int64)
    places = (one.ctypes.data for one in (offsets, starts, ends))
    function(struct, between, len(between), *places)
    return Jagged(given.parts(starts, ends), offsets)
