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

def ExpandSources : Pass<"col-expand-sources", "::mlir::ModuleOp"> {
  let summary = "Have ids of texts, and the order of rows, be in memory";
  let description = [{
    Statements are about numbers in rows. What becomes of texts is computed in front
    of them, an id for each that is dropped as well, which then is -1; and values
    that say which row they are in are put in an order. An argument of texts becomes
    two, one behind the other: all bytes, and where each text begins and ends.

    ```mlir
    func.func @tags(%tags: tensor<?x3x!col.text>, ...) {
      %values = col.from_dense %tags : tensor<?x3x!col.text> -> !col.jagged<!col.text>
      %known = col.keep_if ne(%values, "") : !col.jagged<!col.text>
      %ids = col.hash %known into 100 : !col.jagged<!col.text> -> !col.jagged<i64>
    ```
    becomes
    ```mlir
    func.func @tags(%bytes: tensor<?xi8>, %places: tensor<?x3x2xi64>, ...) {
      %recipe = arith.constant dense<[1, 100, 0, 0, 0, 0, 0, 0]> : tensor<8xi64>
      %all = col.text_ids %bytes at %places by %recipe
          : tensor<?xi8>, tensor<?x3x2xi64>, tensor<8xi64> -> tensor<?x3xi64>
      %values = col.from_dense %all : tensor<?x3xi64> -> !col.jagged<i64>
      %ids = col.keep_if ge(%values, 0 : i64) : !col.jagged<i64>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def OutlineColumns : Pass<"col-outline", "::mlir::ModuleOp"> {
  let summary = "Make functions of the columns of a graph, which a node calls";
  let description = [{
    What is no node in a function of nodes, such as `--raise-graph-to-col` leaves
    it, becomes a function `columns`, which can be compiled, and a node
    `EmberKernel`, which calls it. Then all operations are nodes again, and can be
    written as a graph of TensorFlow. The function is given features and tables,
    also those that are constants here, and returns what nodes read. There is one
    function, unless a column reads what nodes make of another one, or a node in
    between changes something.

    An argument that stands for a node of the graph says its kind as `col.node`;
    of a variable, `"VarHandleOp"`, the node passes the handle.

    ```mlir
    func.func @graph(%x: tensor<?x1xf32> {ember.name = "x"},
                     %t: tensor<3x8xf32> {col.node = "VarHandleOp", ember.name = "t"}) -> tensor<?x8xf32> {
      %list = arith.constant dense<[0.0, 5.0]> : tensor<2xf32>
      %0 = col.from_dense %x : tensor<?x1xf32> -> !col.jagged<f32>
      %1 = col.bucketize %0 by %list : !col.jagged<f32>, tensor<2xf32> -> !col.jagged<i64>
      %2 = col.lookup mean %1 in %t : !col.jagged<i64>, tensor<3x8xf32> -> tensor<?x8xf32>
      %3 = col.node "Relu" "top"(%2) pure {T = f32} : (tensor<?x8xf32>) -> tensor<?x8xf32>
      return %3 : tensor<?x8xf32>
    }
    ```
    becomes
    ```mlir
    func.func @graph(...) -> tensor<?x8xf32> {
      %0 = col.node "EmberKernel" "ember/columns"(%x, %t) reads
          {argument_types = [f32, !col.foreign<resource>], entry = "columns", library = "",
           result_shapes = [array<i64: -1, 8>], result_types = [f32]}
          : (tensor<?x1xf32>, tensor<3x8xf32>) -> tensor<?x8xf32>
      %1 = col.node "Relu" "top"(%0) pure {T = f32} : (tensor<?x8xf32>) -> tensor<?x8xf32>
      return %1 : tensor<?x8xf32>
    }
    func.func @columns(%x: tensor<?x1xf32> {ember.name = "x"},
                       %t: tensor<3x8xf32> {ember.name = "t"}) -> tensor<?x8xf32> {
      ...
    }
    ```
  }];
  let options = [
    Option<"library", "library", "std::string", "\"\"",
           "The library that nodes say the kernel is in">,
  ];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def RaiseGraphToCol : Pass<"raise-graph-to-col", "::mlir::ModuleOp"> {
  let summary = "Find columns in the nodes of a graph";
  let description = [{
    An input layer of TensorFlow 1 turns a feature into a row of a table by forty or
    fifty nodes, which become five operations. What combines rows,
    `SparseSegmentSum`, `-Mean` or `-SqrtN`, is followed backwards to the values of
    a feature: to `Bucketize`, to a hash of integers, or to ids themselves. Each
    operand of each node has to be what it is in such a column; otherwise the nodes
    stay, and a remark says which of them is not.

    Values that others read, too, are still computed by nodes, and so is what
    features are made by. Reshapes behind a column that change nothing go, and
    `ConcatV2` of columns becomes `tensor.concat`. A table is a constant; one whose
    elements are not in the module, or a variable if nothing is changed, is a new
    argument of the function, which has the name of its node.

    ```mlir
    %0 = col.node "NotEqual" "id/NotEqual"(%id, %nothing) pure {T = i64}
        : (tensor<?x1xi64>, tensor<i64>) -> tensor<?x1xi1>
    %1 = col.node "Where" "id/indices"(%0) pure {T = i1} : (tensor<?x1xi1>) -> tensor<?x2xi64>
    ...
    %40 = col.node "Reshape" "id/Reshape"(%35, %39) pure {T = f32, Tshape = i32}
        : (tensor<?x8xf32>, tensor<2xi32>) -> tensor<?x8xf32>
    ```
    becomes
    ```mlir
    %0 = col.from_dense %id : tensor<?x1xi64> -> !col.jagged<i64>
    %1 = col.keep_if ne(%0, -1 : i64) : !col.jagged<i64>
    %2 = col.hash %1 into 100 : !col.jagged<i64> -> !col.jagged<i64>
    %3 = col.lookup mean %2 in %table : !col.jagged<i64>, tensor<100x8xf32> -> tensor<?x8xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
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
