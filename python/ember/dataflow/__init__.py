"""Reuse in graphs of tensor operations, and the memory traffic that is left.

    from ember import dataflow
    analysis = dataflow.analyze(dataflow.conjugate_gradient(1_000_000, 4_996_000, 8))
    analysis.words("SEQ-Flex") / analysis.words("GOGETA-map")

docs/dataflow.md shows what there is.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from ember.dataflow.analysis import Analysis, analyze
from ember.dataflow.compiled import Compiled, compile
from ember.dataflow.programs import conjugate_gradient, graph_convolution
from ember.dataflow.reassociation import Reassociation, reassociate
from ember.dataflow.residency import LeastTraffic, least_traffic
from ember.dataflow.table import Table

__all__ = [
    "Analysis",
    "Compiled",
    "LeastTraffic",
    "Reassociation",
    "Table",
    "analyze",
    "compile",
    "conjugate_gradient",
    "graph_convolution",
    "least_traffic",
    "reassociate",
]
