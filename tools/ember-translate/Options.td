//===- Options.td - Options of ember-translate -------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "ember/Driver/Options.td"

def import_graphdef : Flag<["--"], "import-graphdef">,
    HelpText<"Read a graph of TensorFlow: a GraphDef, a saved_model.pb, or the "
             "folder of one">;
def export_graphdef : Flag<["--"], "export-graphdef">,
    HelpText<"Write a module of nodes as a GraphDef of TensorFlow">;
defm original : Value<"original",
    "With --export-graphdef: the graph or model that the module was imported "
    "from, for what modules leave out, such as large constants", "FILE">;
defm function : Value<"function",
    "With --export-graphdef: which function (default: the only one)", "NAME">;
def replace_columns : Flag<["--"], "replace-columns">,
    HelpText<"Read a graph and write it with kernels in place of its columns">;
defm kernels : Value<"kernels",
    "With --replace-columns: where to write the kernels' module", "FILE.mlir">;
defm library : Value<"library",
    "With --replace-columns: the library that nodes say the kernels are in",
    "FILE.so">;
defm report : Value<"report",
    "With --replace-columns: where to write which columns there are, and what "
    "stays and why", "FILE.json">;
def sam_to_dot : Flag<["--"], "sam-to-dot">,
    HelpText<"Write the sam.graph of a module for Graphviz, as the Sparse Abstract "
             "Machine's compiler does">;
def dot_to_sam : Flag<["--"], "dot-to-sam">,
    HelpText<"Read such a file">;
def output_file : JoinedOrSeparate<["-"], "o">, MetaVarName<"FILE">,
    HelpText<"Where to write the module or the graph (default: standard output)">;
defm outputs : Value<"output",
    "Which results of nodes are those of the function (default: those of the "
    "signature, or those that no node reads)", "NODE[:NUMBER],...">;
defm signature : Value<"signature",
    "Which signature of a model (default: serving_default, or the only one)",
    "NAME">;
defm most_elements : Value<"most-elements",
    "Constants of more elements stay in the file (default: 1024)", "N">;
