"""Operators on tables whose rows are encoded: statements read what these stand for.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import torch

from ember.embed_programs import RowFormat
from ember.torch.graph.operations import tensor_of
from ember.torch.quantize.row_encoding import format_of, is_of_bytes
from ember.torch.translate.lookups import at_places
from ember.torch.translate.table import Call, translates
from ember.torch.translate.values import NotTranslatedError, Value


def _table(call: Call, name: str, form: RowFormat, length: int) -> Value:
    """The table (rows, length) that an argument has the rows of, in the type that it has there."""
    statements, argument = call.statements, call.arguments[name]
    if not is_of_bytes(form):
        table = call.value(name)
        if not table.name:
            raise NotTranslatedError
        statements.encodings[table.name] = form
        return table
    node, rows = statements.given.get(argument), tensor_of(argument)
    if node is None or rows is None:
        raise NotTranslatedError
    return statements.encoded(node, rows.shape[0], length, form)


@translates("ember::quantized_rows")
def _rows(call: Call) -> Value:
    form, places = format_of(call.given("encoding")), call.value("indices")
    table = _table(call, "rows", form, call.fixed("length"))
    found = at_places(call, table, 0, places, 0, places.rank)
    return call.statements.converted(found, torch.float32)
