//===- SLCInterfaces.td - What scalar and vector loops share -*- tablegen -*-===//
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
    InterfaceMethod<"The loop-carried values inside the body.",
      "::mlir::Block::BlockArgListType", "getRegionIterArgs">,
    InterfaceMethod<"The body.", "::mlir::Block *", "getBody">,
    InterfaceMethod<"Types of the body's arguments before the loop-carried ones.",
      "::llvm::SmallVector<::mlir::Type>", "getControlTypes">,
    InterfaceMethod<"The stream of visited values.",
      "::mlir::BlockArgument", "getInductionVar">,
    InterfaceMethod<"The stream of completed iterations.",
      "::mlir::BlockArgument", "getIterationCount">,
    InterfaceMethod<"The terminator of the body.",
      "::mlir::Operation *", "getYield">
  ];
  let verifyWithRegions = 1;
  let verify = [{
    return ::ember::slc::verifyLoop(::llvm::cast<LoopOpInterface>($_op));
  }];
}

#endif // EMBER_DIALECT_SLC_IR_SLCINTERFACES_TD
