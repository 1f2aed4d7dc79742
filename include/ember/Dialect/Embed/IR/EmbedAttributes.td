//===- EmbedAttributes.td - How rows are combined and given --*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_EMBED_IR_EMBEDATTRIBUTES_TD
#define EMBER_DIALECT_EMBED_IR_EMBEDATTRIBUTES_TD

include "ember/Dialect/CIN/IR/CINAttributes.td"
include "ember/Dialect/Embed/IR/EmbedDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Embed_EnumAttr<EnumInfo info, string mnemonic>
    : EnumAttr<Embed_Dialect, info, mnemonic> {
  // A word, of which errors list those there are.
  let assemblyFormat = ?;
  let hasCustomAssemblyFormat = 1;
}

class Embed_Enum<string name, string summary, list<string> cases>
    : I32EnumAttr<name, summary,
                  !foreach(i, !range(!size(cases)),
                           I32EnumAttrCase<cases[i], i>)> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::ember::embed";
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

def Embed_Reduction
    : Embed_Enum<"Reduction", "How the rows of a segment become one",
                 ["sum", "mean", "max"]>;
def Embed_ReductionAttr : Embed_EnumAttr<Embed_Reduction, "reduction">;

//===----------------------------------------------------------------------===//
// Segments and graphs
//===----------------------------------------------------------------------===//

def Embed_SegmentKind
    : Embed_Enum<"SegmentKind",
                 "How segments of lookups are given: by where each begins, "
                 "with a last offset behind the last one (`offsets`) or "
                 "without it (`open_offsets`), or by `lengths`",
                 ["offsets", "open_offsets", "lengths"]>;
def Embed_SegmentKindAttr : Embed_EnumAttr<Embed_SegmentKind, "segments">;

def Embed_GraphFormat
    : Embed_Enum<"GraphFormat",
                 "How the edges of a graph are given: `csr`, the first edge of "
                 "every row, or `coo`, the row of every edge",
                 ["csr", "coo"]>;
def Embed_GraphFormatAttr : Embed_EnumAttr<Embed_GraphFormat, "graph">;

//===----------------------------------------------------------------------===//
// Knowledge graphs
//===----------------------------------------------------------------------===//

def Embed_ScoreModel
    : Embed_Enum<"ScoreModel", "How a triple is scored",
                 ["transe", "distmult", "complex", "rotate"]>;
def Embed_ScoreModelAttr : Embed_EnumAttr<Embed_ScoreModel, "score">;

#endif // EMBER_DIALECT_EMBED_IR_EMBEDATTRIBUTES_TD
