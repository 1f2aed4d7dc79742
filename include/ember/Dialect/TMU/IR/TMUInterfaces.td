//===- TMUInterfaces.td - What units and layers share -------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_TMU_IR_TMUINTERFACES_TD
#define EMBER_DIALECT_TMU_IR_TMUINTERFACES_TD

include "mlir/IR/OpBase.td"

def TMU_TUOpInterface : OpInterface<"TUOpInterface"> {
  let cppNamespace = "::ember::tmu";
  let description = [{
    A traversal unit of any kind, with its streams of positions and of completed
    steps.
  }];
  let methods = [
    InterfaceMethod<"The unit.",
      "::mlir::TypedValue<::ember::tmu::TUType>", "getTu">,
    InterfaceMethod<"The layer around; null in the outermost one.",
      "::mlir::TypedValue<::ember::tmu::LayerType>", "getParent">,
    InterfaceMethod<"The distance between its positions, index; null if it is not "
                    "fixed.",
      "::mlir::Value", "getStep">,
    InterfaceMethod<"How many elements its streams may be ahead.",
      "std::optional<uint64_t>", "getQueue">,
    InterfaceMethod<"Says how many.", "void", "setQueue",
      (ins "std::optional<uint64_t>":$queue)>,
    InterfaceMethod<"Its positions.",
      "::mlir::TypedValue<::ember::slc::StreamType>", "getPosition">,
    InterfaceMethod<"Its completed steps.",
      "::mlir::TypedValue<::ember::slc::StreamType>", "getCount">
  ];
  let verify = [{
    return ::ember::tmu::verifyUnit(::llvm::cast<TUOpInterface>($_op));
  }];
}

def TMU_LayerOpInterface : OpInterface<"LayerOpInterface"> {
  let cppNamespace = "::ember::tmu";
  let description = [{
    A layer of any kind: units of one lane each that step together.
  }];
  let methods = [
    InterfaceMethod<"Its units, by lanes.", "::mlir::ValueRange", "getUnits",
      (ins), "", "return $_op->getOperands();">,
    InterfaceMethod<"The layer.",
      "::mlir::TypedValue<::ember::tmu::LayerType>", "getLayer">,
    InterfaceMethod<"Its number from the outermost one, on a machine.",
      "std::optional<uint64_t>", "getNumber">,
    InterfaceMethod<"Gives it one.", "void", "setNumber",
      (ins "std::optional<uint64_t>":$number)>
  ];
}

#endif // EMBER_DIALECT_TMU_IR_TMUINTERFACES_TD
