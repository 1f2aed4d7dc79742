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
    "The access unit beside each core: none (default) or tmu", "UNIT">;
defm save : Value<"save",
    "Write parameter K, counted from 0, to FILE.npy after the run", "K:FILE.npy">;
defm save_result : Value<"save-result",
    "Write result K, counted from 0, to FILE.npy", "K:FILE.npy">;
defm stats : Value<"stats",
    "Write what each part of the machine counted", "FILE.json">;
def no_compare : Flag<["--"], "no-compare">,
    HelpText<"Do not run the program on this processor, too, to compare results">;

defm target : Value<"target",
    "Compile for one of the targets below (default: the first)", "TARGET">;
defm profile : Value<"profile",
    "At -O4, for targets with compute programs: order cases by what ember-run "
    "--stats=FILE counted", "FILE">;
def opt_level : Joined<["-"], "O">, MetaVarName<"0..4">,
    HelpText<"Optimisation level (default: 3)">;
defm vector_length : Value<"vector-length",
    "Elements of a vector (default: what the registers hold)", "N">;
defm prefetch_distance : Value<"prefetch-distance",
    "Lookups a prefetch of the program runs ahead; 0 for plain loops (default: "
    "chosen)", "N">;
