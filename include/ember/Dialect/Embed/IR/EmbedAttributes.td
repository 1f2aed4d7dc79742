//===- EmbedAttributes.td - How rows are combined and stored -*- tablegen -*-=//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_EMBED_IR_EMBEDATTRIBUTES_TD
#define EMBER_DIALECT_EMBED_IR_EMBEDATTRIBUTES_TD

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
// Message passing (FusedMM's steps)
//===----------------------------------------------------------------------===//

def Embed_EdgeOp
    : Embed_Enum<"EdgeOp",
                 "What is done with an element of the rows of an edge's ends",
                 ["mul", "add", "sub"]>;
def Embed_EdgeOpAttr : Embed_EnumAttr<Embed_EdgeOp, "edge_op">;

def Embed_Activation
    : Embed_Enum<"Activation", "What is done with the value of an edge",
                 ["identity", "sigmoid", "relu", "exp"]>;
def Embed_ActivationAttr : Embed_EnumAttr<Embed_Activation, "activation">;

//===----------------------------------------------------------------------===//
// Knowledge graphs
//===----------------------------------------------------------------------===//

def Embed_ScoreModel
    : Embed_Enum<"ScoreModel", "How a triple is scored",
                 ["transe", "distmult", "complex", "rotate"]>;
def Embed_ScoreModelAttr : Embed_EnumAttr<Embed_ScoreModel, "score">;

//===----------------------------------------------------------------------===//
// Stored rows
//===----------------------------------------------------------------------===//

def Embed_RowFormatAttr : AttrDef<Embed_Dialect, "RowFormat"> {
  let mnemonic = "row_format";
  let summary = "How rows of bytes encode rows of values";
  let description = [{
    A table of type `?x?xi8` whose rows are encoded:

    - `int8`: an unsigned byte an element, `value = byte * scale + bias`,
      rounded once;
    - `int4`: two elements a byte, the first in the low half, likewise;
    - `e4m3`, `e5m2`: an 8-bit float an element (as f8E4M3FN and f8E5M2).

    What is stored beside the elements is in the row itself: behind them or, with
    `leading`, in front of them.

    - Integers have one scale and one bias, as in FBGEMM's fused layouts: as f32
      or f16, scale first.
    - Floats have nothing, or as `f8E8M0FNU` a scale for each 32 elements, the
      last ones of a row may be fewer: rows of MXFP8 in OCP's microscaling
      formats. A scale is 2 to the power of its byte less 127, and NaN if that
      is 255; an element is multiplied by it, in the type that is computed in.

    Encodings and what may be beside them are the tables of `RowEncodings.h`.

    ```mlir
    #embed.row_format<int8, f32>          // D bytes, f32 scale, f32 bias
    #embed.row_format<int4, f16>          // (D + 1) / 2 bytes, f16 scale, f16 bias
    #embed.row_format<int8, f16, leading> // f16 scale, f16 bias, D bytes
    #embed.row_format<e4m3>               // D bytes
    #embed.row_format<e4m3, f8E8M0FNU>    // D bytes, (D + 31) / 32 scales
    ```
  }];
  let parameters = (ins
      "const ::ember::embed::RowEncoding *":$encoding,
      OptionalParameter<"const ::ember::embed::RowParameters *">:$parameters,
      DefaultValuedParameter<"bool", "false">:$leading);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    RowLayout getLayout() const {
      return {getEncoding(), getParameters(), getLeading()};
    }
    /// True if rows hold a scale and a bias.
    bool isScaled() const { return getLayout().isScaled(); }
  }];
}

#endif // EMBER_DIALECT_EMBED_IR_EMBEDATTRIBUTES_TD
