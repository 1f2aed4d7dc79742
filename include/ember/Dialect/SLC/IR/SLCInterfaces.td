//===- SLCInterfaces.td - What levels have in common -------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLC_IR_SLCINTERFACES_TD
#define EMBER_DIALECT_SLC_IR_SLCINTERFACES_TD

include "mlir/IR/OpBase.td"

def SLC_LoopOpInterface : OpInterface<"LoopOpInterface"> {
  let cppNamespace = "::ember::slc";
  let description = [{
    A loop the access unit traverses: `slc.for` or its vector dual
    `slcv.vec_for`. Passes that move code between levels of a nest work on
    this interface and need not know which of the two they hold.
  }];
  let methods = [
    InterfaceMethod<"First visited value: index or stream.",
      "::mlir::Value", "getLowerBound">,
    InterfaceMethod<"Value at which the traversal stops: index or stream.",
      "::mlir::Value", "getUpperBound">,
    InterfaceMethod<"Distance between visited values: index.",
      "::mlir::Value", "getStep">,
    InterfaceMethod<"Initial values of the execute unit's loop-carried values.",
      "::mlir::Operation::operand_range", "getIterArgs">,
    InterfaceMethod<"The body.", "::mlir::Block *", "getBody">,
    InterfaceMethod<"Types of the body's arguments before the loop-carried ones.",
      "::llvm::SmallVector<::mlir::Type>", "getControlTypes">,
    InterfaceMethod<"The loop-carried values inside the body.",
      "::mlir::Block::BlockArgListType", "getRegionIterArgs", (ins), "", [{
        return $_op.getBody()->getArguments().drop_front(
            $_op.getControlTypes().size());
      }]>,
    InterfaceMethod<"The stream of visited values.",
      "::mlir::BlockArgument", "getInductionVar", (ins), "",
      "return $_op.getBody()->getArgument(0);">,
    InterfaceMethod<"The stream of completed iterations.",
      "::mlir::BlockArgument", "getIterationCount", (ins), "",
      "return $_op.getBody()->getArgument(1);">,
    InterfaceMethod<"The stream of active lanes; null where there are no lanes.",
      "::mlir::BlockArgument", "getMask", (ins), "", "return {};">,
    InterfaceMethod<"True if each lane traverses its own range.",
      "bool", "isLockstep", (ins), "", [{
        return ::ember::slc::lanesOf($_op.getLowerBound().getType()) ||
               ::ember::slc::lanesOf($_op.getUpperBound().getType());
      }]>,
    InterfaceMethod<"The terminator of the body.",
      "::mlir::Operation *", "getYield", (ins), "",
      "return $_op.getBody()->getTerminator();">
  ];
  let verifyWithRegions = 1;
  let verify = [{
    return ::ember::slc::verifyLoop(::llvm::cast<LoopOpInterface>($_op));
  }];
}

// What the access unit does in each iteration of a loop: it stands in the body
// of one, and reads streams and what is fixed during the nest.
def SLC_OfAccessUnit : NativeOpTrait<"OfAccessUnit"> {
  let cppNamespace = "::ember::slc";
}

def SLC_StreamOpInterface : OpInterface<"StreamOpInterface"> {
  let cppNamespace = "::ember::slc";
  let description = [{
    Computes each element of its one result, a stream, from the current elements
    of others: nothing is read from memory or carried on from the iterations
    before. The arithmetic of `slc`, `slcv` and `dlc`.
  }];
  let methods = [
    InterfaceMethod<"What is computed from: streams, or what is fixed.",
      "::mlir::Operation::operand_range", "getInputs", (ins), "",
      "return $_op->getOperands();">
  ];
}

def SLC_MemoryStreamOpInterface : OpInterface<"MemoryStreamOpInterface"> {
  let cppNamespace = "::ember::slc";
  let description = [{
    Loads or stores an element of a stream in each iteration: `mem_str` and
    `store_str` of `slc` and `dlc`, and their vector duals in `slcv`.
  }];
  let methods = [
    InterfaceMethod<"What is loaded or stored.",
      "::mlir::Value", "getStream", (ins), "", "return $_op->getResult(0);">,
    InterfaceMethod<"True for what stores.",
      "bool", "isStore", (ins), "", "return $_op->getNumResults() == 0;">,
    InterfaceMethod<"The memory.", "::mlir::Value", "getMemref">,
    InterfaceMethod<"An index a dimension: fixed, a stream, or lanes of one.",
      "::mlir::Operation::operand_range", "getIndices">,
    InterfaceMethod<"What switches it, or lanes of it, off; null for nothing.",
      "::mlir::Value", "getMask", (ins), "", "return {};">,
    InterfaceMethod<"What a load gives where it is off; null for zero.",
      "::mlir::Value", "getOtherwise", (ins), "", "return {};">,
    InterfaceMethod<"True if lanes access consecutive elements.",
      "bool", "getContiguous", (ins), "", "return false;">,
    InterfaceMethod<"How many lanes side by side share an element.",
      "uint64_t", "getRepeat", (ins), "", "return 1;">,
    InterfaceMethod<"The cache that keeps what is accessed; null for any.",
      "::ember::slc::CacheLevelAttr", "getCacheLevelAttr">,
    InterfaceMethod<"Names the cache.", "void", "setCacheLevelAttr",
      (ins "::ember::slc::CacheLevelAttr":$level)>,
    InterfaceMethod<"True if what is accessed is not needed again soon.",
      "bool", "getNontemporal">,
    InterfaceMethod<"Says whether it is.", "void", "setNontemporal",
      (ins "bool":$nontemporal)>
  ];
  let verify = [{
    return ::ember::slc::verifyMemoryStream(
        ::llvm::cast<MemoryStreamOpInterface>($_op));
  }];
}

#endif // EMBER_DIALECT_SLC_IR_SLCINTERFACES_TD
