//===- SLCOpClasses.td - Operations that levels share -------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLC_IR_SLCOPCLASSES_TD
#define EMBER_DIALECT_SLC_IR_SLCOPCLASSES_TD

include "ember/Dialect/SLC/IR/SLCInterfaces.td"
include "ember/Dialect/SLC/IR/SLCTypes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// A loop of the access unit.
class SLC_LoopOp<Dialect dialect, string mnemonic, list<Trait> traits = []>
    : Op<dialect, mnemonic, !listconcat(traits, [
        RecursiveMemoryEffects,
        SingleBlockImplicitTerminator<"::ember::slc::YieldOp">,
        SLC_LoopOpInterface,
        DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>,
        DeclareOpInterfaceMethods<RegionBranchOpInterface,
            ["getEntrySuccessorOperands"]>])> {
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$region);
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = [{
    void $cppClass::getAsmBlockArgumentNames(
        ::mlir::Region &region, ::mlir::OpAsmSetValueNameFn setName) {
      ::ember::slc::nameControl(*this, region, setName);
    }
    ::mlir::OperandRange
    $cppClass::getEntrySuccessorOperands(::mlir::RegionSuccessor) {
      return getIterArgs();
    }
    // Results are also taken from outside: a traversal may be empty.
    void $cppClass::getSuccessorRegions(
        ::mlir::RegionBranchPoint,
        ::llvm::SmallVectorImpl<::mlir::RegionSuccessor> &successors) {
      successors.emplace_back(&getRegion(), getRegionIterArgs());
      successors.emplace_back(getOperation(), getResults());
    }
  }];
}

// A way to compute a stream from others: what from, how that is written, and
// which function verifies it.
class SLC_StreamKind<dag inputs, string syntax, string verifier> {
  dag arguments = inputs;
  string format = syntax;
  string verify = verifier;
}

class SLC_ArithmeticOf<string verifier> : SLC_StreamKind<
    (ins SLC_AluOp:$opcode, SLC_LaneInteger:$lhs, SLC_LaneInteger:$rhs), [{
      $opcode $lhs `,` $rhs attr-dict
      `:` type($lhs) `,` type($rhs) `->` qualified(type($result))
    }], verifier>;
def SLC_Arithmetic : SLC_ArithmeticOf<"::ember::slc::verifyArithmetic">;
def SLC_Comparison : SLC_StreamKind<
    (ins SLC_CmpPredicate:$predicate, SLC_LaneInteger:$lhs,
         SLC_LaneInteger:$rhs), [{
      $predicate $lhs `,` $rhs attr-dict
      `:` type($lhs) `,` type($rhs) `->` qualified(type($result))
    }], "::ember::slc::verifyComparison">;
def SLC_Choice : SLC_StreamKind<
    (ins SLC_LaneInteger:$condition, SLC_LaneInteger:$trueValue,
         SLC_LaneInteger:$falseValue), [{
      $condition `,` $trueValue `,` $falseValue attr-dict
      `:` type($condition) `,` type($trueValue) `,` type($falseValue)
      `->` qualified(type($result))
    }], "::ember::slc::verifyChoice">;
def SLC_Conversion : SLC_StreamKind<
    (ins SLC_AnyStream:$input, UnitAttr:$isUnsigned), [{
      (`unsigned` $isUnsigned^)? $input attr-dict
      `:` qualified(type($input)) `to` qualified(type($result))
    }], "::ember::slc::verifyConversion">;
def SLC_Forwarding : SLC_StreamKind<(ins AnyType:$input), [{
      $input attr-dict `:` qualified(type($input)) `->` qualified(type($result))
    }], "::ember::slc::verifyForwarding">;

// A stream of one kind, at any level; `unit` is what stands in front of the rest
// where a stream names what advances it.
class SLC_StreamOp<Dialect dialect, string mnemonic, SLC_StreamKind kind,
                   list<Trait> traits = [SLC_OfAccessUnit], dag unit = (ins),
                   string unitFormat = "">
    : Op<dialect, mnemonic, !listconcat([Pure, SLC_StreamOpInterface], traits)> {
  let arguments = !con(unit, kind.arguments);
  let results = (outs SLC_AnyStream:$result);
  let assemblyFormat = unitFormat # kind.format;
  let hasVerifier = 1;
  let extraClassDefinition =
      "::llvm::LogicalResult $cppClass::verify() { return " # kind.verify #
      "(*this); }";
}

#endif // EMBER_DIALECT_SLC_IR_SLCOPCLASSES_TD
