//===- Passes.td - Embedding operations as statements ------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_EMBEDTOCIN_PASSES_TD
#define EMBER_CONVERSION_EMBEDTOCIN_PASSES_TD

include "mlir/Pass/PassBase.td"

def EmbedToCIN : Pass<"embed-to-cin", "::mlir::func::FuncOp"> {
  let summary = "Write embedding operations out as statements";
  let description = [{
    An embedding operation is the named form of statements in index notation, as
    an operation of linalg with a name is of `linalg.generic`. It becomes the
    `cin.evaluate` of these, on tensors or on memrefs. Sizes that types leave open
    are compared there, or, where more is asked than that two are equal, in front
    of it.

    ```mlir
    embed.spmm sum csr(%positions, %columns : memref<?xi64>, memref<?xi64>)
        values(%weights : memref<?xf32>) dense(%x : memref<?x64xf32>)
        outs(%result : memref<?x64xf32>)
    ```
    becomes
    ```mlir
    cin.evaluate ins(%rows = %positions, %columns = %columns, %values = %weights,
                     %dense = %x : ...) outs(%out = %result : memref<?x64xf32>) {
      cin.forall (%i, %e) {
        %next = cin.apply affine_map<(d0) -> (d0 + 1)>(%i)
        %begin = cin.access %rows[%i] : memref<?xi64>
        %end = cin.access %rows[%next] : memref<?xi64>
        %sum = cin.reduce add (%p in %begin to %end : i64) -> f32 {
          %column = cin.access %columns[%p] : memref<?xi64>
          %element = cin.access %dense[%column, %e] : memref<?x64xf32> (i64, index)
          %weight = cin.access %values[%p] : memref<?xf32>
          %product = cin.call mul(%element, %weight) : (f32, f32) -> f32
          cin.yield %product : f32
        }
        cin.assign %sum to %out[%i, %e] : memref<?x64xf32>
      }
    }
    ```

    Rows that are encoded are arrays with the encoding in their format. Bags of
    several tables are a statement for each, on its columns of the result. Bags
    given by their lengths begin where `cin.scan` says. A row that is padding adds
    what changes nothing: no branch is needed for each.

    Rows of a table that is stored column by column do not lie in one piece:
    every element is in another cache line. If the bags of such a table make at
    least as many lookups as it has rows, they read a copy instead, which takes
    each line once. The program decides when it runs:

    ```mlir
    %bound = arith.minui %lookups, %most_rows : index
    %copies = arith.cmpi ule, %rows, %bound : index
    %copied = arith.select %copies, %rows, %c0 : index
    %copy = memref.alloc(%copied) : memref<?x64xf32>
    cin.evaluate ... { ... copy[r, c] = table[r, c] ... }
    %of_copy = arith.select %copies, %bags, %c0 : index
    %of_table = arith.select %copies, %c0, %bags : index
    cin.evaluate ... {
      cin.forall (%b in %zero to %of_copy : index, %e) { ... %copy ... }
      cin.forall (%b in %zero to %of_table : index, %e) { ... %table ... }
    }
    ```
  }];
  let options = [
    Option<"mostCopiedBytes", "most-copied-bytes", "int64_t", "67108864",
           "Bytes that the copy of a table whose rows do not lie in one piece "
           "may take; 0 for no copies">,
  ];
  let dependentDialects = [
    "::ember::cin::CINDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::memref::MemRefDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

#endif // EMBER_CONVERSION_EMBEDTOCIN_PASSES_TD
