//===- Options.td - Options of ember-sim -------------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "ember/Driver/Options.td"

defm entry : Value<"entry",
    "Function to run (default: the only one there is)", "NAME">;
defm machine : Value<"machine",
    "The machine (default: that of the Ember paper); sim/machines has some",
    "FILE.json">;
defm cores : Value<"cores",
    "Cores of the machine (default: as many as it has)", "N">;
defm unit : Value<"unit",
    "The access unit beside each core: none (default), tmu or indirection", "UNIT">;
defm save : Value<"save",
    "Write parameter K, counted from 0, to FILE.npy after the run", "K:FILE.npy">;
defm save_result : Value<"save-result",
    "Write result K, counted from 0, to FILE.npy", "K:FILE.npy">;
defm stats : Value<"stats",
    "Write what each part of the machine counted", "FILE.json">;
defm sample : Value<"sample",
    "Simulate only parts in detail, WINDOW instructions in PERIOD, each after "
    "WARMUP others, and estimate the time (as in 200000,8000,4000)",
    "PERIOD[,WINDOW[,WARMUP]]">;
defm progress : Value<"progress",
    "Say how much of the program is done and what time is left: on, off, or "
    "auto (default), where the standard error is a terminal", "WHEN">;
defm trace : Value<"trace",
    "Write what units, banks, queues and MSHRs do, for ui.perfetto.dev",
    "FILE.json">;
defm pipeline_trace : Value<"pipeline-trace",
    "Write when instructions are where in their cores, for Konata", "FILE">;
defm trace_from : Value<"trace-from",
    "Begin traces at a time, in ns, or in cycles of the cores (500cycles; "
    "default: 0)", "TIME">;
defm trace_for : Value<"trace-for",
    "How long traces are, in ns or cycles (default: 10000)", "TIME">;
def no_compare : Flag<["--"], "no-compare">,
    HelpText<"Do not run the program on this processor, too, to compare results">;

defm target : Value<"target",
    "Compile for one of the targets below (default: the first)", "TARGET">;
defm profile : Value<"profile",
    "At -O4, for targets with compute programs: order cases by what ember-run "
    "--stats=FILE counted", "FILE">;
def opt_level : Joined<["-"], "O">, MetaVarName<"0..4">,
    HelpText<"Optimisation level (default: 3)">;
defm program_level : Value<"program-level",
    "Optimisation level of access and compute programs, their code's staying that "
    "of -O (default: the same)", "0..4">;
defm lookup_level : Value<"lookup-level",
    "At program level 4: the cache that keeps what units look up: l1, l2, llc, "
    "none or auto (default)", "CACHE">;
defm vector_length : Value<"vector-length",
    "Elements of a vector (default: what the registers hold)", "N">;
def plain_loops : Flag<["--"], "plain-loops">,
    HelpText<"Leave loops as they are written to LLVM's optimiser">;
defm prefetch_distance : Value<"prefetch-distance",
    "Lookups a prefetch of the program runs ahead; 0 for plain loops (default: "
    "chosen)", "N">;
