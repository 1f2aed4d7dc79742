//===- Options.td - Options of ember-run -------------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "ember/Driver/Options.td"

defm entry : Value<"entry",
    "Function to run (default: the only one there is)", "NAME">;
defm save : Value<"save",
    "Write parameter K, counted from 0, to FILE.npy after the run", "K:FILE.npy">;
defm save_result : Value<"save-result",
    "Write result K, counted from 0, to FILE.npy", "K:FILE.npy">;
defm print : Value<"print",
    "Print parameter K, counted from 0, after the run", "K">;

defm stats : Value<"stats",
    "Count loads, tokens and operands, and write the totals", "FILE.json">;
defm trace_queues : Value<"trace-queues",
    "List what goes through the queues, in order", "FILE">;
defm streams : Value<"streams",
    "Of a graph of blocks: list each stream as text", "FILE">;
defm queue_capacity : Value<"queue-capacity",
    "Operands and tokens the queues hold (default: chosen by the size of "
    "operands)", "N">;
defm schedule : Value<"schedule",
    "How access and compute programs run: deterministic (default: on one "
    "thread, in a fixed order) or threads", "SCHEDULE">;
defm threads : Value<"threads",
    "Threads of parallel loops, however little they do (default: those that are "
    "worth it of $EMBER_NUM_THREADS, $OMP_NUM_THREADS, or one a processor)", "N">;

defm target : Value<"target",
    "Compile for one of the targets below first (default: run every function "
    "at the level it is at)", "TARGET">;
defm profile : Value<"profile",
    "At -O4, for targets with compute programs: order cases by what ember-run "
    "--stats=FILE counted", "FILE">;
def opt_level : Joined<["-"], "O">, MetaVarName<"0..4">,
    HelpText<"Optimisation level (default: 3 with --target, otherwise 1)">;
defm vector_length : Value<"vector-length",
    "With --target: elements of a vector (default: what the registers hold)",
    "N">;
