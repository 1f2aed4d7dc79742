"""Statements as graphs of blocks and streams, evaluated and simulated: import ember.sam.

    g = ember.sam.compile("X[i,j] = B[i,k]*C[k,j]", formats={"B": "dcsr", "C": "dcsr"}, order="ikj")
    X, statistics = g.simulate(B=A, C=A2, depth=4)

docs/sam.md shows what there is.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from ember.sam.exploration import Exploration, Point, Refusal
from ember.sam.explore import explore
from ember.sam.graph import Graph, compile
from ember.sam.statistics import Block, Statistics

__all__ = [
    "Block",
    "Exploration",
    "Graph",
    "Point",
    "Refusal",
    "Statistics",
    "compile",
    "explore",
]
