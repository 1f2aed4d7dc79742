//===- Passes.td - Passes on columns of features -----------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_COL_TRANSFORMS_PASSES_TD
#define EMBER_DIALECT_COL_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandConcatenations
    : Pass<"col-expand-concatenations", "::mlir::func::FuncOp"> {
  let summary = "Insert columns that stand beside each other one by one";
  let description = [{
    A `tensor.concat`, in a function that looks something up, becomes a
    `tensor.insert_slice` of each part. Where parts have to be equally large, the
    program asks whether they are. How large the result of a lookup is follows from
    what it reads, so that no size waits for a result.

    ```mlir
    %all = tensor.concat dim(1) %a, %b
        : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x16xf32>
    ```
    becomes
    ```mlir
    cf.assert %all_are_equal, "tensor.concat: parts have different sizes along dimension 0"
    %empty = tensor.empty(%batch) : tensor<?x16xf32>
    %first = tensor.insert_slice %a into %empty[0, 0] [%batch, 8] [1, 1]
    %all = tensor.insert_slice %b into %first[0, 8] [%batch, 8] [1, 1]
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ShareColumns : Pass<"col-share-columns", "::mlir::ModuleOp"> {
  let summary = "Have one function insert columns of the same structure";
  let description = [{
    Columns are of the same structure if the operations in front of their lookups
    are the same, with all attributes and types, and only tensors that they read
    differ, and where in a tensor they are inserted. One function inserts all of
    those, so that code grows with the kinds of columns and not with the columns.
    Tensors that are the same constant for all are in the function; lists and tables
    may be of different lengths. Columns that overlap, or whose places are not
    known, stay in their order.

    ```mlir
    %a = col.from_dense %x : tensor<?xi64> -> !col.jagged<i64>
    %rows = col.lookup sum %a in %t : !col.jagged<i64>, tensor<100x8xf32> -> tensor<?x8xf32>
    %some = tensor.insert_slice %rows into %before[0, 24] [%batch, 8] [1, 1]
        : tensor<?x8xf32> into tensor<?x800xf32>
    ...
    ```
    becomes
    ```mlir
    %all = col.insert_columns @column into %before at [24, 32]
        from (%x, %t, %y, %u : tensor<?xi64>, tensor<100x8xf32>, tensor<?xi64>, tensor<100x8xf32>)
        : tensor<?x800xf32>
    ...
    func.func private @column(%x: tensor<?xi64>, %t: tensor<100x8xf32>,
                              %whole: tensor<?x800xf32>, %place: index) -> tensor<?x800xf32> {
      %a = col.from_dense %x : tensor<?xi64> -> !col.jagged<i64>
      %rows = col.lookup sum %a in %t
          : !col.jagged<i64>, tensor<100x8xf32> -> tensor<?x8xf32>
      %all = tensor.insert_slice %rows into %whole[0, %place] [%batch, 8] [1, 1]
          : tensor<?x8xf32> into tensor<?x800xf32>
      return %all : tensor<?x800xf32>
    }
    ```
  }];
  let options = [
    Option<"leastColumns", "least-columns", "unsigned", "8",
           "Columns of the same structure that share a function: fewer stay "
           "where they are">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // EMBER_DIALECT_COL_TRANSFORMS_PASSES_TD
