//===- SAMTypes.td - Types of streams ----------------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SAM_IR_SAMTYPES_TD
#define EMBER_DIALECT_SAM_IR_SAMTYPES_TD

include "ember/Dialect/SAM/IR/SAMDialect.td"
include "mlir/IR/AttrTypeBase.td"

class SAM_Type<string name, string typeMnemonic> : TypeDef<SAM_Dialect, name> {
  let mnemonic = typeMnemonic;
}

/// A stream of lists that are nested so deep: 0 for one token alone.
class SAM_NestedType<string name, string typeMnemonic>
    : SAM_Type<name, typeMnemonic> {
  let parameters = (ins "unsigned":$depth);
  let assemblyFormat = "`<` $depth `>`";
  let genVerifyDecl = 1;
}

def SAM_Coordinates : SAM_NestedType<"Coordinates", "crd"> {
  let summary = "A stream of coordinates";
  let description = [{
    The coordinates of a level, fiber by fiber: `0 2 S0 1 S1 D` is a
    `!sam.crd<2>`, two fibers of one coordinate above.
  }];
}

def SAM_References : SAM_NestedType<"References", "ref"> {
  let summary = "A stream of references";
  let description = [{
    Where in memory what is below a coordinate is: a position of a level. `N` is
    nowhere. The root, one reference alone, is a `!sam.ref<0>`.
  }];
}

def SAM_Values : SAM_Type<"Values", "val"> {
  let summary = "A stream of values";
  let description = [{
    Elements of tensors: `!sam.val<f32, 2>`.
  }];
  let parameters = (ins "::mlir::Type":$element, "unsigned":$depth);
  let assemblyFormat = "`<` $element `,` $depth `>`";
  let genVerifyDecl = 1;
}

def SAM_BitVectors : SAM_Type<"BitVectors", "bv"> {
  let summary = "A stream of words with a bit for each coordinate";
  let description = [{
    Coordinates by words of so many bits: `!sam.bv<64, 1>`.
  }];
  let parameters = (ins "unsigned":$width, "unsigned":$depth);
  let assemblyFormat = "`<` $width `,` $depth `>`";
  let genVerifyDecl = 1;
}

def SAM_Signal : SAM_Type<"Signal", "sig"> {
  let summary = "Says when to repeat";
  let description = [{
    `R` for each coordinate of a fiber and `S` for its end, whichever stop that is.
  }];
}

def SAM_Skip : SAM_Type<"Skip", "skip"> {
  let summary = "Tells a scanner which coordinate is of use next";
  let description = [{
    From an intersecter back to a scanner: the only streams that may close a cycle.
  }];
}

class SAM_Stream<string condition, string description>
    : Type<CPred<condition>, description>;

def SAM_AnyNested
    : SAM_Stream<"::llvm::isa<::ember::sam::CoordinatesType, "
                 "::ember::sam::ReferencesType, ::ember::sam::ValuesType>($_self)",
                 "stream of coordinates, references or values">;

def SAM_AnyTokens
    : SAM_Stream<"::ember::sam::getDepth($_self).has_value()",
                 "stream of lists">;

/// A tensor that a graph knows, or a number.
def SAM_Tensor
    : Type<CPred<"::llvm::isa<::mlir::RankedTensorType, ::mlir::FloatType, "
                 "::mlir::IntegerType>($_self)">,
           "tensor or number">;

#endif // EMBER_DIALECT_SAM_IR_SAMTYPES_TD
