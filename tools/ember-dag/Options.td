//===- Options.td - Options of ember-dag -------------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "ember/Driver/Options.td"

defm entry : Value<"entry",
    "Function to read (default: the only one there is)", "NAME">;
defm machine : Value<"machine",
    "The machine (default: that of GOGETA's table 4, with 1 MiB of SRAM)",
    "FILE.json">;
defm scheme : Value<"scheme",
    "How operations are scheduled: all (default), or some of SEQ-Flex, "
    "SEQ-Overflow, GOGETA-df, GOGETA-map and Ideal", "NAME,...">;
defm format : Value<"format",
    "What to write: table (default), json, dot or html", "FORMAT">;
def print_einsum_dag : Flag<["--"], "print-einsum-dag">,
    HelpText<"The same as --format=dot">;
defm iterations : Value<"iterations",
    "How often the loop is unrolled (default: 10)", "N">;
def whole_function : Flag<["--"], "whole-function">,
    HelpText<"Look at what is around the loop, too, and write only what the "
             "function returns">;
defm shape : Value<"shape",
    "Sizes of a tensor, and how many elements of a sparse one are stored, as "
    "in A=1000000x1000000:4996000; once for each tensor", "NAME=SIZES">;
def output_file : JoinedOrSeparate<["-"], "o">, MetaVarName<"FILE">,
    HelpText<"Where to write (default: standard output)">;

defm large_rank : Value<"large-rank",
    "A rank dominates that has more values (default: 1000) ...", "N">;
defm rank_ratio : Value<"rank-ratio",
    "... and so many times those of each other rank (default: 100)", "N">;
defm balanced_rank : Value<"balanced-rank",
    "An operation whose ranks all have as many values is balanced (default: "
    "50)", "N">;
defm small_dimension : Value<"small-dimension",
    "Tensors whose dimensions are all smaller stay in registers (default: 50)",
    "N">;
defm shared_reads : Value<"shared-reads",
    "When operations that run at once read a tensor once: never, aligned "
    "(default), if both go through it with their outermost loops, or always",
    "WHEN">;
def same_transposes : Flag<["--"], "same-transposes">,
    HelpText<"A transposed operand is no tensor of its own to an operation at "
             "a time">;
def no_keep_matrices : Flag<["--"], "no-keep-matrices">,
    HelpText<"Sparse matrices do not stay in the SRAM">;
def no_keep_reads : Flag<["--"], "no-keep-reads">,
    HelpText<"Only what is written stays in the SRAM, not what is read">;
def no_inputs : Flag<["--"], "no-inputs">,
    HelpText<"Do not count what is there before">;
def no_outputs : Flag<["--"], "no-outputs">,
    HelpText<"Do not count what is left behind">;
