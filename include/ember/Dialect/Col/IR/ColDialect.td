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
    A column turns one feature of each sample of a batch into a row of numbers: its
    values become ids, and the ids rows of a table, which are combined.

    ```mlir
    func.func @price(%price: tensor<?xf32>, %table: tensor<4x8xf32>) -> tensor<?x8xf32> {
      %values = col.from_dense %price : tensor<?xf32> -> !col.jagged<f32>
      %boundaries = arith.constant dense<[0.0, 5.0, 10.0]> : tensor<3xf32>
      %ids = col.bucketize %values by %boundaries
          : !col.jagged<f32>, tensor<3xf32> -> !col.jagged<i64>
      %rows = col.lookup mean %ids in %table
          : !col.jagged<i64>, tensor<4x8xf32> -> tensor<?x8xf32>
      return %rows : tensor<?x8xf32>
    }
    ```

    Columns beside each other are a `tensor.concat`; `--convert-col-to-cin` writes
    all of them as statements.

    This is also the level at which a model of TensorFlow arrives: `ember-translate
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
  let dependentDialects = ["::ember::cin::CINDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // EMBER_DIALECT_COL_IR_COLDIALECT_TD
