//===- TMUMachine.td - What a unit has room for -------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_TMU_IR_TMUMACHINE_TD
#define EMBER_DIALECT_TMU_IR_TMUMACHINE_TD

include "ember/Dialect/TMU/IR/TMUDialect.td"
include "mlir/IR/AttrTypeBase.td"

def TMU_Machine : AttrDef<TMU_Dialect, "Machine"> {
  let mnemonic = "machine";
  let summary = "What a unit has room for";
  let description = [{
    How many lanes and layers a Tensor Marshaling Unit has, streams a traversal
    unit, bytes of queues a lane, and requests on the way; how large a chunk of its
    output queue is, and the part for tokens in it.

    What is loaded waits in queues until it is pushed. What a unit computes
    (positions, arithmetic, what it forwards) it can compute again at either end
    of them; with `computed_queues`, it has queues for that, too.

    ```mlir
    #tmu.machine<lanes = 8, layers = 8, streams = 32, storage = 1024, requests = 256, chunk = 2048, tokens = 512>
    ```
  }];
  let parameters = (ins "int64_t":$lanes, "int64_t":$layers, "int64_t":$streams,
                        "int64_t":$storage, "int64_t":$requests,
                        "int64_t":$chunk, "int64_t":$tokens,
                        DefaultValuedParameter<"bool", "false">:$computed_queues);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // EMBER_DIALECT_TMU_IR_TMUMACHINE_TD
