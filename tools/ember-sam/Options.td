//===- Options.td - Options of ember-sam -------------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "ember/Driver/Options.td"

defm entry : Value<"entry",
    "The function of a GRAPH.mlir (default: the only one with a graph)", "NAME">;
defm machine : Value<"machine",
    "What the machine is like: queueDepth, arrayLatency, arrayPorts, blockCounts, "
    "memoryLevels and others (default: unbounded queues)",
    "FILE.json">;
defm depth : Value<"depth",
    "How many tokens a queue holds, whatever the machine says", "N">;
defm engine : Value<"engine",
    "What runs the graph: cycles (default), all blocks cycle by cycle, or times, "
    "streams with their times: faster, for unbounded queues and graphs that do "
    "not gallop", "ENGINE">;
defm save_result : Value<"save-result",
    "Of a GRAPH.mlir: write result K, counted from 0, to FILE.npy",
    "K:FILE.npy">;
defm results : Value<"results",
    "Of a GRAPH.json: write the elements of what the graph writes", "FILE.json">;
defm statistics : Value<"statistics",
    "Write what each block counted", "FILE.json">;
defm trace : Value<"trace",
    "Write all tokens with their cycles, for ui.perfetto.dev", "FILE.json">;
defm gantt : Value<"gantt",
    "Draw when each block shows tokens, as a picture", "FILE.svg">;
defm threads : Value<"threads",
    "How many threads --engine=times runs in (default: 1)", "N">;
def critical_chain : Flag<["--"], "critical-chain">,
    HelpText<"Say whose pace the length of the run is made of">;
