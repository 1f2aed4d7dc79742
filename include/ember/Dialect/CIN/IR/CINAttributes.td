//===- CINAttributes.td - Functions of index notation ------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_IR_CINATTRIBUTES_TD
#define EMBER_DIALECT_CIN_IR_CINATTRIBUTES_TD

include "ember/Dialect/CIN/IR/CINDialect.td"

def CIN_BuiltinAttr : AttrDef<CIN_Dialect, "Builtin"> {
  let mnemonic = "builtin";
  let summary = "A function that every statement may call";
  let description = [{
    One of the table in `Builtins.h`, which says how many operands it has, of
    which types, and which properties: what iteration and reordering of
    reductions go by. Operations write its name alone.

    ```mlir
    %product = cin.call mul(%x, %y) : (f32, f32) -> f32
    ```
  }];
  let parameters = (ins "const ::ember::cin::Builtin *":$builtin);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    const Builtin &operator*() const { return *getBuiltin(); }
    const Builtin *operator->() const { return getBuiltin(); }
  }];
}

#endif // EMBER_DIALECT_CIN_IR_CINATTRIBUTES_TD
