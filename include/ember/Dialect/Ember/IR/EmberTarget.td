//===- EmberTarget.td - What a module's code is for --------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_EMBER_IR_EMBERTARGET_TD
#define EMBER_DIALECT_EMBER_IR_EMBERTARGET_TD

include "ember/Dialect/Ember/IR/EmberDialect.td"
include "mlir/IR/AttrTypeBase.td"

def Ember_TargetAttr : AttrDef<Ember_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "The processor that a module's code is for";
  let description = [{
    What passes ask about a processor, as `ember.target` on the module. The pass
    [set-target](ember-passes.md#-set-target) writes it; no pass asks the machine that
    it runs on.

    ```mlir
    #haswell = #ember.target<triple = "x86_64-unknown-linux-gnu", cpu = "haswell",
                             vector_bits = 256, vector_registers = 16,
                             streaming_stores = true,
                             store_fence = "llvm.x86.sse.sfence">
    module attributes {ember.target = #haswell} { ... }
    ```

    - `triple`, `cpu`, and `features` beyond those that the name implies, as LLVM
      spells them.
    - `vector_bits` and `vector_registers`: width of the vector registers that code
      should use, and how many there are.
    - `cache_line_bytes`; `second_cache_bytes`, what the second cache of a core holds;
      `outstanding_lines`, lines that it waits for at a time; `first_cache_lines`, how
      many it is worth to have on their way into the first cache.
    - `streaming_stores`: non-temporal stores of whole lines bypass the caches.
      `store_fence` is the LLVM intrinsic that orders them with the stores behind them,
      empty where they are ordered as all others are.
    - `gathers`: a vector is loaded from addresses of its own for each lane faster than
      its elements one after the other.

    A module without a target is for the *generic* one, which the parameters' defaults
    describe: vectors of 128 bits in 16 registers, which every x86-64 and AArch64
    processor has, lines of 64 bytes, a second cache of 1 MB, and no stores past the
    caches. Code is right on every machine, whatever target it was made for by passes;
    LLVM's code generator alone uses instructions that a processor may lack.
  }];
  let parameters = (ins
    StringRefParameter<"what it runs", [{""}]>:$triple,
    StringRefParameter<"its name", [{"generic"}]>:$cpu,
    StringRefParameter<"beyond those of the name", [{""}]>:$features,
    DefaultValuedParameter<"int64_t", "GenericTarget::vectorBits">:$vector_bits,
    DefaultValuedParameter<"int64_t", "GenericTarget::vectorRegisters">:$vector_registers,
    DefaultValuedParameter<"int64_t", "GenericTarget::cacheLineBytes">:$cache_line_bytes,
    DefaultValuedParameter<"int64_t", "GenericTarget::secondCacheBytes">:$second_cache_bytes,
    DefaultValuedParameter<"int64_t", "GenericTarget::outstandingLines">:$outstanding_lines,
    DefaultValuedParameter<"int64_t", "GenericTarget::firstCacheLines">:$first_cache_lines,
    DefaultValuedParameter<"bool", "false">:$streaming_stores,
    StringRefParameter<"of streaming stores", [{""}]>:$store_fence,
    DefaultValuedParameter<"bool", "true">:$gathers);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The target of the module that `op` is or stands in; the generic one where
    /// no module names any.
    static TargetAttr of(::mlir::Operation *op);
    /// What a module without a target is for.
    static TargetAttr getGeneric(::mlir::MLIRContext *context);
  }];
}

#endif // EMBER_DIALECT_EMBER_IR_EMBERTARGET_TD
