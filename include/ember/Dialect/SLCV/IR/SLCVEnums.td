//===- SLCVEnums.td - Attributes of the slcv dialect -------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLCV_IR_SLCVENUMS_TD
#define EMBER_DIALECT_SLCV_IR_SLCVENUMS_TD

include "mlir/IR/EnumAttr.td"

def SLCV_LoopConfig : I32EnumAttr<"LoopConfig", "how lanes share a traversal", [
    I32EnumAttrCase<"scalar", 0>,
    I32EnumAttrCase<"bcast", 1>,
    I32EnumAttrCase<"vector", 2>,
  ]> {
  let cppNamespace = "::ember::slcv";
}

#endif // EMBER_DIALECT_SLCV_IR_SLCVENUMS_TD
