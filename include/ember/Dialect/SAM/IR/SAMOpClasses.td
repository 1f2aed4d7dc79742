//===- SAMOpClasses.td - What blocks have in common --------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SAM_IR_SAMOPCLASSES_TD
#define EMBER_DIALECT_SAM_IR_SAMOPCLASSES_TD

include "ember/Dialect/CIN/IR/CINAttributes.td"
include "ember/Dialect/SAM/IR/SAMTypes.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class SAM_Op<string mnemonic, list<Trait> traits = []>
    : Op<SAM_Dialect, mnemonic, traits>;

/// A block, whose results follow from its operands.
class SAM_Block<string mnemonic, list<Trait> traits = []>
    : SAM_Op<mnemonic,
             traits # [Pure, HasParent<"GraphOp">, InferTypeOpAdaptor]>;

/// A block that stores something.
class SAM_Writer<string mnemonic>
    : SAM_Op<mnemonic, [HasParent<"GraphOp">,
                        MemoryEffects<[MemWrite]>]> {
  let hasVerifier = 1;
}

defvar SAM_Level = ConfinedAttr<I64Attr, [IntNonNegative]>;

#endif // EMBER_DIALECT_SAM_IR_SAMOPCLASSES_TD
