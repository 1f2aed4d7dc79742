//===- CINDialect.td - Concrete index notation -------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_IR_CINDIALECT_TD
#define EMBER_DIALECT_CIN_IR_CINDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def CIN_Dialect : Dialect {
  let name = "cin";
  let cppNamespace = "::ember::cin";
  let summary = "Index notation: statements on arrays, the level above loops";
  let description = [{
    A statement says, for each value of some index variables, which element of
    an array is which function of elements of others: `y[i] = sum[j](A[i,j] *
    x[j])`. Index variables are values of type `index`, and an index is any
    integer: a variable, an affine expression of some, or an element of another
    array. What is looked up where is thus written down as the mathematics has
    it, and loops, their order and where partial results are kept are chosen
    later.

    ```mlir
    // out[b,e] = sum[p in offsets[b]:offsets[b+1]](W[I[p],e])
    cin.evaluate ins(%W = %table, %I = %indices, %offsets = %begins :
                     memref<?x?xf32>, memref<?xi64>, memref<?xi64>)
                 outs(%out = %bags : memref<?x?xf32>) {
      cin.forall (%b, %e) {
        %next = cin.apply affine_map<(d0) -> (d0 + 1)>(%b)
        %begin = cin.access %offsets[%b] : memref<?xi64>
        %end = cin.access %offsets[%next] : memref<?xi64>
        %sum = cin.reduce add (%p in %begin to %end : i64) -> f32 {
          %row = cin.access %I[%p] : memref<?xi64>
          %x = cin.access %W[%row, %e] : memref<?x?xf32> (i64, index)
          cin.yield %x : f32
        }
        cin.assign %sum to %out[%b, %e] : memref<?x?xf32>
      }
    }
    ```

    Statements are evaluated one after the other, each as a whole. Of what one
    assigns to, it reads the element that it computes alone. In a body, everything is
    computed from values that variables have at a time, and nothing has effects
    but `cin.assign`.

    `--cin-schedule` decides on the order of loops, `--cin-insert-workspaces` on
    where reductions keep partial results, and `--cin-concretize` makes a loop of
    each variable, all in the same operations; `--convert-cin-to-scf` makes loops
    of them. `--cin-to-scf` does all, after it has bufferised what is on
    tensors.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    /// The attribute of an evaluation with what to expect of arrays, by name.
    static constexpr ::llvm::StringLiteral hintsAttr = "cin.hints";
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // EMBER_DIALECT_CIN_IR_CINDIALECT_TD
