//===- EmbedDialect.td - The embedding operations dialect --*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_EMBED_IR_EMBEDDIALECT_TD
#define EMBER_DIALECT_EMBED_IR_EMBEDDIALECT_TD

include "mlir/IR/OpBase.td"

def Embed_Dialect : Dialect {
  let name = "embed";
  let cppNamespace = "::ember::embed";
  let summary = "Embedding operations on tensors: where front ends meet";
  let description = [{
    One operation for each embedding operation of models (Ember paper, table 1):
    bags of rows (recommendation), products with a graph's adjacency matrix and
    message passing (graph networks), scores of triples (knowledge graphs), and
    gathers of blocks (sparse attention).

    Operations are in destination-passing style, as those of `linalg`: `outs`
    are overwritten, and tied to the results. On tensors they have results; on
    memrefs, after `--one-shot-bufferize`, they have none.
    `--embed-to-cin` writes them out as statements, and `--embed-to-scf` makes
    loops of these.

    ```mlir
    %bags = embed.bag sum tables(%table : tensor<?x64xf32>)
        indices(%indices : tensor<?xi64>) offsets(%offsets : tensor<?xi64>)
        outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
    ```

    Types. Values are f64, f32, f16 or bf16; sums, products and means are
    computed in f64 where any value is f64 and in f32 otherwise, and rounded
    once, when they are stored. Rows may be stored quantised: see
    `#cin.row_format`. Indices and offsets are i32, i64 or index.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::ember::cin::CINDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // EMBER_DIALECT_EMBED_IR_EMBEDDIALECT_TD
