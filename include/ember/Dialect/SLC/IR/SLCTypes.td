//===- SLCTypes.td - Types and attributes of the slc dialect -*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLC_IR_SLCTYPES_TD
#define EMBER_DIALECT_SLC_IR_SLCTYPES_TD

include "ember/Dialect/SLC/IR/SLCDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def SLC_Stream : TypeDef<SLC_Dialect, "Stream"> {
  let mnemonic = "stream";
  let summary = "A sequence of values produced by the access unit";
  let description = [{
    One value per iteration of the loop whose body defines the stream. The
    element is an index, a signless integer, a float, or, after
    vectorisation, a fixed-length vector of these. The access unit alone
    reads streams; compute code sees an element through `slc.str_to_val`.

    ```mlir
    !slc.stream<index>
    !slc.stream<vector<16xf32>>
    ```
  }];
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
  let genVerifyDecl = 1;
  let builders = [
    TypeBuilderWithInferredContext<(ins "::mlir::Type":$elementType), [{
      return $_get(elementType.getContext(), elementType);
    }]>
  ];
}

def SLC_Buffer : TypeDef<SLC_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "A stream of compound values: whole embedding vectors";
  let description = [{
    Collects what a loop pushes into it, so that a callback after the loop
    gets all elements at once (paper, section 7.2). For compute code
    `slc.str_to_val` turns it into a one-dimensional memref of the elements.

    ```mlir
    !slc.buffer<vector<16xf32>>
    ```
  }];
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
  let genVerifyDecl = 1;
  let builders = [
    TypeBuilderWithInferredContext<(ins "::mlir::Type":$elementType), [{
      return $_get(elementType.getContext(), elementType);
    }]>
  ];
}

class SLC_StreamOf<string condition, string what> : Type<
    And<[CPred<"::llvm::isa<::ember::slc::StreamType>($_self)">,
         CPred<"[](::mlir::Type element) { return " # condition # "; }("
               "::llvm::cast<::ember::slc::StreamType>($_self).getElementType())">]>,
    "stream of " # what, "::ember::slc::StreamType">;

def SLC_AnyStream : Type<CPred<"::llvm::isa<::ember::slc::StreamType>($_self)">,
                         "stream", "::ember::slc::StreamType">;
def SLC_IndexStream : SLC_StreamOf<"element.isIndex()", "index">;
def SLC_IntegerStream : SLC_StreamOf<"element.isIntOrIndex()", "index or integer">;

// Whether something is done: for an element, or for each lane of a vector.
def SLC_FlagStream : SLC_StreamOf<"element.isSignlessInteger(1)", "i1">,
    BuildableType<"::ember::slc::StreamType::get($_builder.getI1Type())">;
def SLC_MaskStream : SLC_StreamOf<
    "::mlir::getElementTypeOrSelf(element).isSignlessInteger(1)",
    "i1 or vector of i1">;

// What the access unit can address with: values fixed during the nest, or streams.
def SLC_IndexOrStream : AnyTypeOf<[Index, SLC_IndexStream]>;
def SLC_LaneInteger : AnyTypeOf<[AnySignlessIntegerOrIndex, SLC_AnyStream]>;
def SLC_IntegerOrStream : AnyTypeOf<[AnySignlessIntegerOrIndex, SLC_IntegerStream]>;

def SLC_Event : I32EnumAttr<"Event", "when, in the traversal of a loop, something happens", [
    I32EnumAttrCase<"beg", 0>,
    I32EnumAttrCase<"ite", 1>,
    I32EnumAttrCase<"end", 2>,
  ]> {
  let cppNamespace = "::ember::slc";
}

def SLC_AluOp : I32EnumAttr<"AluOp", "integer operation of an ALU stream", [
    I32EnumAttrCase<"add", 0>,
    I32EnumAttrCase<"sub", 1>,
    I32EnumAttrCase<"mul", 2>,
    I32EnumAttrCase<"divs", 3>,
    I32EnumAttrCase<"divu", 4>,
    I32EnumAttrCase<"rems", 5>,
    I32EnumAttrCase<"remu", 6>,
    I32EnumAttrCase<"and_", 7, "and">,
    I32EnumAttrCase<"or_", 8, "or">,
    I32EnumAttrCase<"xor_", 9, "xor">,
    I32EnumAttrCase<"shl", 10>,
    I32EnumAttrCase<"shrs", 11>,
    I32EnumAttrCase<"shru", 12>,
    I32EnumAttrCase<"mins", 13>,
    I32EnumAttrCase<"maxs", 14>,
    I32EnumAttrCase<"minu", 15>,
    I32EnumAttrCase<"maxu", 16>,
  ]> {
  let cppNamespace = "::ember::slc";
}

def SLC_CmpPredicate : I32EnumAttr<"CmpPredicate", "comparison of integers", [
    I32EnumAttrCase<"eq", 0>,
    I32EnumAttrCase<"ne", 1>,
    I32EnumAttrCase<"slt", 2>,
    I32EnumAttrCase<"sle", 3>,
    I32EnumAttrCase<"sgt", 4>,
    I32EnumAttrCase<"sge", 5>,
    I32EnumAttrCase<"ult", 6>,
    I32EnumAttrCase<"ule", 7>,
    I32EnumAttrCase<"ugt", 8>,
    I32EnumAttrCase<"uge", 9>,
  ]> {
  let cppNamespace = "::ember::slc";
}

def SLC_CacheLevel : I32EnumAttr<"CacheLevel", "a cache, counted from the execute unit", [
    I32EnumAttrCase<"l1", 1>,
    I32EnumAttrCase<"l2", 2>,
    I32EnumAttrCase<"llc", 3>,
  ]> {
  let cppNamespace = "::ember::slc";
}

// How an access of the access unit should treat the caches (paper, section
// 7.4). Hints: they change no value.
class SLC_CacheHints {
  dag arguments = (ins OptionalAttr<SLC_CacheLevel>:$cacheLevel,
                       UnitAttr:$nontemporal);
}

#endif // EMBER_DIALECT_SLC_IR_SLCTYPES_TD
