//===- EmberOps.td - Checks, and calls that run in parts ---*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_EMBER_IR_EMBEROPS_TD
#define EMBER_DIALECT_EMBER_IR_EMBEROPS_TD

include "ember/Dialect/Ember/IR/EmberTarget.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Ember_Op<string mnemonic, list<Trait> traits = []>
    : Op<Ember_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

def Ember_CheckOp
    : Ember_Op<"check", [SingleBlock, NoTerminator, NoRegionArguments,
                         RecursiveMemoryEffects]> {
  let summary = "What the program must not go on with";
  let description = [{
    Where `violated` is true, the region runs, and the program fails: the region
    says how, by one of `ember.fail`, `ember.fail_index` and
    `ember.fail_segment`, which do not return. Nothing behind the check runs then, so
    that what is behind it may count on the condition. The region stores nothing.
    A check that is known to hold is dropped.

    ```mlir
    ember.check fails_if %outside {
      ember.fail_index "dimension 0 of 'table'", %i of %rows from "'indices'"
          at %p : index, index, index
    }
    ```
  }];
  let arguments = (ins I1:$violated);
  let regions = (region SizedRegion<1>:$failure);
  let assemblyFormat = "`fails_if` $violated $failure attr-dict";
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$violated)>];
  let extraClassDeclaration = [{
    /// A builder at the end of the region.
    ::mlir::OpBuilder getBodyBuilder() {
      return ::mlir::OpBuilder::atBlockEnd(getBody());
    }
  }];
  let hasRegionVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Ember_Failure : Resource<"::ember::FailureResource">;

/// The end of a program that failed. It changes nothing that the program sees.
class Ember_FailOp<string mnemonic, list<Trait> traits = []>
    : Ember_Op<mnemonic, traits # [MemoryEffects<[MemWrite<Ember_Failure>]>]>;

def Ember_Number : AnyTypeOf<[Index, I64], "index or 64-bit integer">;

def Ember_FailWithMessageOp : Ember_FailOp<"fail"> {
  let summary = "Ends the program with a message";
  let description = [{
    ```mlir
    ember.fail "division by zero at model.mlir:3:5"
    ```
  }];
  let arguments = (ins StrAttr:$message);
  let assemblyFormat = "$message attr-dict";
}

def Ember_FailIndexOp : Ember_FailOp<"fail_index"> {
  let summary = "Ends the program because of an index";
  let description = [{
    `value` is no index of `what`, of which there are `size`. It was loaded from
    `source` at `position`, counted in row-major order, where that is known; if
    not, there is neither.

    ```mlir
    ember.fail_index "dimension 0 of 'table'", %i of %rows from "'indices'"
        at %p : index, index, index
    ember.fail_index "dimension 0 of 'table'", %i of %rows : index, index
    ```
  }];
  let arguments = (ins StrAttr:$what, Ember_Number:$value, Ember_Number:$size,
                       OptionalAttr<StrAttr>:$source,
                       Optional<Ember_Number>:$position);
  let assemblyFormat = [{
    $what `,` $value `of` $size (`from` $source^ `at` $position)? attr-dict
    `:` type($value) `,` type($size) (`,` type($position)^)?
  }];
  let hasVerifier = 1;
}

def Ember_FailSegmentOp : Ember_FailOp<"fail_segment"> {
  let summary = "Ends the program because of offsets that decrease";
  let description = [{
    The segment that the offsets `source` at `position` and behind it bound goes
    from `begin` to `end`, which is before it. Where the position is not known, it
    is -1.

    ```mlir
    ember.fail_segment "'offsets'" at %b, %begin to %end : index, index, index
    ```
  }];
  let arguments = (ins StrAttr:$source, Ember_Number:$position,
                       Ember_Number:$begin, Ember_Number:$end);
  let assemblyFormat = [{
    $source `at` $position `,` $begin `to` $end attr-dict
    `:` type($position) `,` type($begin) `,` type($end)
  }];
}

//===----------------------------------------------------------------------===//
// Calls that run in parts
//===----------------------------------------------------------------------===//

def Ember_LoopCostAttr : AttrDef<Ember_Dialect, "LoopCost"> {
  let mnemonic = "loop_cost";
  let summary = "What an iteration of a loop costs";
  let description = [{
    In operations of about a third of a nanosecond: `cost` for an iteration, and
    `segment_cost` for each element of the segment that belongs to it. That is from
    one offset to the next one: `offsets` is the operand of the call that holds
    them, `first_offset` the one that says where the offset of iteration 0 is. Parts
    begin where the counter, which goes on by `step`, comes by.

    ```mlir
    #ember.loop_cost<cost = 9, segment_cost = 87, offsets = 2, first_offset = 4>
    ```
  }];
  let parameters = (ins "int64_t":$cost,
                        DefaultValuedParameter<"int64_t", "0">:$segment_cost,
                        DefaultValuedParameter<"int64_t", "-1">:$offsets,
                        DefaultValuedParameter<"int64_t", "-1">:$first_offset,
                        DefaultValuedParameter<"int64_t", "1">:$step);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool hasSegments() const { return getOffsets() >= 0; }
  }];
}

def Ember_LoopCosts
    : TypedArrayAttrBase<Ember_LoopCostAttr, "costs of loops">;

def Ember_ParallelCallOp
    : Ember_Op<"parallel_call",
               [CallOpInterface,
                DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A call that may run in parts";
  let description = [{
    Calls a function whose first operands are the bounds of loops, two a loop:
    from the first to the last iteration, which makes it an ordinary call, or any
    part of that. `loops` says what iterations cost, a cost for each loop.

    ```mlir
    ember.parallel_call @bag_part(%c0, %n, %offsets, %out, %zero)
        loops [#ember.loop_cost<cost = 9, segment_cost = 87, offsets = 2,
                                first_offset = 4>]
        : index, index, memref<?xindex>, memref<?xf32>, index
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$inputs,
                       Ember_LoopCosts:$loops,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let assemblyFormat = [{
    $callee `(` $inputs `)` `loops` $loops attr-dict (`:` type($inputs)^)?
  }];
  let extraClassDeclaration = [{
    /// The costs of the loops, one each.
    auto getLoopCosts() { return getLoops().getAsRange<::ember::LoopCostAttr>(); }
    unsigned getNumLoops() { return getLoops().size(); }
    ::mlir::Value getLowerBound(unsigned loop) { return getInputs()[2 * loop]; }
    ::mlir::Value getUpperBound(unsigned loop) {
      return getInputs()[2 * loop + 1];
    }

    ::mlir::Operation::operand_range getArgOperands() { return getInputs(); }
    ::mlir::MutableOperandRange getArgOperandsMutable() {
      return getInputsMutable();
    }
    ::mlir::CallInterfaceCallable getCallableForCallee() {
      return getCalleeAttr();
    }
    void setCalleeFromCallable(::mlir::CallInterfaceCallable callee) {
      setCalleeAttr(::llvm::cast<::mlir::FlatSymbolRefAttr>(
          ::llvm::cast<::mlir::SymbolRefAttr>(callee)));
    }
  }];
  let hasVerifier = 1;
}

def Ember_ThreadsForOp : Ember_Op<"threads_for", [Pure]> {
  let summary = "On how many threads a loop would run";
  let description = [{
    How many threads take parts of a parallel call of so much work, in operations as
    costs of loops are counted: 1 where there is too little of it, where the call
    would stand in a part of another one, and where loops with `ember.independent`
    stay on one thread. What is worth while on several threads alone depends on it.

    ```mlir
    %threads = ember.threads_for %work
    ```
  }];
  let arguments = (ins Index:$work);
  let results = (outs Index:$threads);
  let assemblyFormat = "$work attr-dict";
}

//===----------------------------------------------------------------------===//
// What engines beside a core are told
//===----------------------------------------------------------------------===//

def Ember_Engine : Resource<"::ember::EngineResource">;

def Ember_DescribeLookupOp
    : Ember_Op<"describe_lookup", [MemoryEffects<[MemWrite<Ember_Engine>]>]> {
  let summary = "Says which rows will be looked up";
  let description = [{
    What follows looks up rows of `table` by `indices`, one after the other; of each
    row, `length` elements from `first` on are read, or all. An engine beside the
    core that prefetches rows may be told so; nothing that the program computes
    depends on it.

    ```mlir
    ember.describe_lookup %indices, %table first 0 length 64
        : memref<?xi32>, memref<?x64xf32>
    ember.describe_lookup %indices, %table first 0 : memref<?xi32>, memref<?x?xf32>
    ```
  }];
  let arguments = (ins MemRefRankOf<[AnyInteger, Index], [1]>:$indices,
                       AnyNon0RankedMemRef:$table, I64Attr:$first,
                       OptionalAttr<I64Attr>:$length);
  let assemblyFormat = [{
    $indices `,` $table `first` $first (`length` $length^)? attr-dict
    `:` type($indices) `,` type($table)
  }];
}

#endif // EMBER_DIALECT_EMBER_IR_EMBEROPS_TD
