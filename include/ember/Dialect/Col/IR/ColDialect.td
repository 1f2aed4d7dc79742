//===- ColDialect.td - The columns dialect -----------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_COL_IR_COLDIALECT_TD
#define EMBER_DIALECT_COL_IR_COLDIALECT_TD

include "mlir/IR/OpBase.td"

def Col_Dialect : Dialect {
  let name = "col";
  let cppNamespace = "::ember::col";
  let summary = "Columns of features, and the nodes of TensorFlow around them";
  let description = [{
    The level at which a model of TensorFlow arrives: `ember-translate
    --import-graphdef` makes a function of a graph, in which each node is a
    `col.node`.

    ```mlir
    func.func @graph(%price: tensor<?x1xf32> {ember.name = "price"}) -> tensor<?x1xi32> {
      %0 = col.node "Bucketize" "price_bucketized"(%price) pure
          {T = f32, boundaries = [0.0 : f32, 5.0 : f32]} : (tensor<?x1xf32>) -> tensor<?x1xi32>
      return %0 : tensor<?x1xi32>
    }
    ```
  }];
  let useDefaultTypePrinterParser = 1;
}

#endif // EMBER_DIALECT_COL_IR_COLDIALECT_TD
