//===- SLCOps.td - Operations of the slc dialect -*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLC_IR_SLCOPS_TD
#define EMBER_DIALECT_SLC_IR_SLCOPS_TD

include "ember/Dialect/SLC/IR/SLCOpClasses.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

class SLC_Op<string mnemonic, list<Trait> traits = []>
    : Op<SLC_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

def SLC_ForOp : SLC_LoopOp<SLC_Dialect, "for"> {
  let summary = "A loop traversed by the access unit";
  let description = [{
    Visits `lowerBound`, `lowerBound + step`, ... below `upperBound`. A bound
    is an `index` fixed during the whole nest or a stream of an enclosing
    loop. The body sees the induction variable and, optionally, the iteration
    count as streams. It may hold streams, callbacks and at most one nested
    loop; a nest is a chain, one loop a level, as an access unit's layers are.

    `iter_args` are values of the *execute* unit carried from one iteration to
    the next: callbacks read and produce them, streams cannot.

    ```mlir
    slc.for %b = %c0 to %bags step %c1 {
      ...
    }
    %last = slc.for (%p, %k) = %beg to %end step %c1
        iter_args(%i = %c0) -> (index) : !slc.stream<index>, !slc.stream<index> {
      %next = slc.callback ite -> index {
        %n = arith.addi %i, %c1 : index
        slc.yield %n : index
      }
      slc.yield %next : index
    }
    ```
  }];
  let arguments = (ins SLC_IndexOrStream:$lowerBound,
                       SLC_IndexOrStream:$upperBound,
                       Index:$step,
                       Variadic<AnyType>:$iterArgs);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$lowerBound, "::mlir::Value":$upperBound,
                   "::mlir::Value":$step,
                   CArg<"::mlir::ValueRange", "{}">:$iterArgs)>
  ];
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::Type> getControlTypes();
  }];
}

def SLC_YieldOp : SLC_Op<"yield", [
    Pure, Terminator, ReturnLike]> {
  let summary = "Ends a loop body or a callback";
  let description = [{
    Hands the execute unit's values to the next iteration of a loop, or out
    of a callback.

    ```mlir
    slc.yield %next : index
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$results);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

def SLC_MemStrOp : SLC_Op<"mem_str", [
    AttrSizedOperandSegments, SLC_OfAccessUnit, SLC_MemoryStreamOpInterface,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "A stream of loaded elements";
  let description = [{
    Loads `memref[indices]` once per iteration of the loop it stands in. Each
    index is fixed during the nest or a stream of this or an enclosing loop,
    so an index may itself be loaded: that is a lookup.

    `level` names the cache that should keep what is loaded, `nontemporal` says
    that it is not needed again soon (paper, section 7.4). Without them, the
    machine decides.

    Where the element of `mask` is false nothing is loaded, whatever the indices
    are, and the element is that of `else`, or zero without it.

    ```mlir
    %i = slc.mem_str %ids[%p] nontemporal : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %v = slc.mem_str %table[%i, %e] level l2
       : memref<?x64xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
    %w = slc.mem_str %table[%i, %e] mask %ok else %one
       : memref<?x64xf32>[!slc.stream<index>, !slc.stream<index>], f32 -> !slc.stream<f32>
    ```
  }];
  let arguments = !con(
      (ins Arg<AnyMemRef, "where to load from", [MemRead]>:$memref,
           Variadic<SLC_IndexOrStream>:$indices,
           Optional<SLC_FlagStream>:$mask, Optional<AnyType>:$otherwise),
      SLC_CacheHints<>.arguments);
  let results = (outs SLC_AnyStream:$result);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$memref, "::mlir::ValueRange":$indices,
                   CArg<"::mlir::Value", "{}">:$mask,
                   CArg<"::mlir::Value", "{}">:$otherwise)>
  ];
  let assemblyFormat = [{
    $memref `[` $indices `]` (`mask` $mask^)? (`else` $otherwise^)?
    (`level` $cacheLevel^)? (`nontemporal` $nontemporal^)? attr-dict
    `:` type($memref) `` custom<IndexTypes>(type($indices))
    (`,` type($otherwise)^)? `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def SLC_StoreStrOp : SLC_Op<"store_str", [
    SLC_OfAccessUnit, SLC_MemoryStreamOpInterface]> {
  let summary = "A stream that is written to memory";
  let description = [{
    Stores the element of `stream` to `memref[indices]` once per iteration of
    the loop it stands in. The access unit stores by itself: nothing passes
    through the execute unit (paper, section 7.4). Stores keep their order
    among each other and with the loads of `slc.mem_str`, but not with
    callbacks, which may run later: these must neither read nor write the
    memory. Stands before the loop nested beside it, if there is one.

    `level` and `nontemporal` are those of `slc.mem_str`.

    ```mlir
    slc.store_str %v, %out[%b, %e] nontemporal
      : !slc.stream<f32>, memref<?x64xf32>[!slc.stream<index>, !slc.stream<index>]
    ```
  }];
  let arguments = !con(
      (ins SLC_AnyStream:$stream,
           Arg<AnyMemRef, "where to store to", [MemWrite]>:$memref,
           Variadic<SLC_IndexOrStream>:$indices),
      SLC_CacheHints<>.arguments);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$stream, "::mlir::Value":$memref,
                   "::mlir::ValueRange":$indices), [{
      build($_builder, $_state, stream, memref, indices, CacheLevelAttr(),
            /*nontemporal=*/false);
    }]>
  ];
  let assemblyFormat = [{
    $stream `,` $memref `[` $indices `]` (`level` $cacheLevel^)?
    (`nontemporal` $nontemporal^)? attr-dict
    `:` qualified(type($stream)) `,` type($memref) `` custom<IndexTypes>(type($indices))
  }];
  let hasVerifier = 1;
}

def SLC_AluStrOp : SLC_StreamOp<SLC_Dialect, "alu_str", SLC_Arithmetic> {
  let summary = "A stream of integer arithmetic";
  let description = [{
    Applies `opcode` to two operands, each fixed during the nest or a stream,
    at least one of them a stream. Arithmetic wraps, as `arith`'s does.

    ```mlir
    %next = slc.alu_str add %b, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    ```
  }];
  let arguments = (ins SLC_AluOp:$opcode, SLC_IntegerOrStream:$lhs,
                       SLC_IntegerOrStream:$rhs);
  let results = (outs SLC_IntegerStream:$result);
  let hasFolder = 1;
}

def SLC_CmpStrOp : SLC_StreamOp<SLC_Dialect, "cmp_str", SLC_Comparison> {
  let summary = "A stream of comparisons";
  let description = [{
    Compares two integers by `predicate`, as `arith.cmpi` does. Each is fixed
    during the nest or a stream, at least one of them a stream. With streams of
    vectors lane by lane, where scalars are the same for all lanes. What it
    gives is a mask: an index that is valid, a lookup that is no padding.

    ```mlir
    %ok = slc.cmp_str sge %i, %c0 : !slc.stream<index>, index -> !slc.stream<i1>
    %in = slc.cmp_str ult %p, %n : !slc.stream<vector<8xindex>>, index -> !slc.stream<vector<8xi1>>
    ```
  }];
}

def SLC_SelStrOp : SLC_StreamOp<SLC_Dialect, "sel_str", SLC_Choice> {
  let summary = "A stream of choices between two integers";
  let description = [{
    The element of `trueValue` where `condition` holds, otherwise that of
    `falseValue`. Each of the three is fixed during the nest or a stream, at
    least one of them a stream. With streams of vectors lane by lane, where
    scalars are the same for all lanes. An index that is replaced where it is
    not valid is made with it, and so is a range that is empty under a
    condition: its end is chosen between where it ends and where it begins.

    ```mlir
    %row = slc.sel_str %ok, %i, %c0 : !slc.stream<i1>, !slc.stream<index>, index -> !slc.stream<index>
    %end = slc.sel_str %ok, %n, %c0 : !slc.stream<i1>, index, index -> !slc.stream<index>
    ```
  }];
}

def SLC_CastStrOp : SLC_StreamOp<SLC_Dialect, "cast_str", SLC_Conversion> {
  let summary = "A stream of width-converted integers";
  let description = [{
    Converts between integer widths and `index`, as `arith.index_cast`,
    `arith.extsi` and `arith.trunci` do (`unsigned`: as their unsigned
    counterparts). Index arrays of 32 bits are widened with it.

    ```mlir
    %i = slc.cast_str %raw : !slc.stream<i32> to !slc.stream<index>
    ```
  }];
  let hasFolder = 1;
}

def SLC_FwdStrOp : SLC_StreamOp<SLC_Dialect, "fwd_str", SLC_Forwarding> {
  let summary = "A stream that repeats a value or forwards an outer stream";
  let description = [{
    Repeats, once per iteration of the loop it stands in, a value fixed
    during the nest or the current element of an enclosing loop's stream.
    With a vector result the element is copied to every lane; the queues use
    that to pad a scalar operand to the size of a vector (paper, section 7.3).

    ```mlir
    %scale = slc.fwd_str %w : !slc.stream<f32> -> !slc.stream<f32>
    %wide = slc.fwd_str %w : !slc.stream<f32> -> !slc.stream<vector<16xf32>>
    ```
  }];
  let hasFolder = 1;
}

def SLC_AccStrOp : SLC_Op<"acc_str", [
    Pure, SLC_OfAccessUnit, AllTypesMatch<["input", "result"]>]> {
  let summary = "A stream that sums up another one";
  let description = [{
    The sum of `initial` and of the elements that `input` has had in the
    iterations before this one, of the loop it stands in. Where segments are
    given by their lengths, it tracks where they begin (paper, section 7.4).
    Sums wrap, as `arith`'s do. `initial` is fixed during the nest or a stream
    of an enclosing loop.

    ```mlir
    %length = slc.mem_str %lengths[%b] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %begin = slc.acc_str %length from %c0 : !slc.stream<index>, index
    %end = slc.alu_str add %begin, %length : !slc.stream<index>, !slc.stream<index> -> !slc.stream<index>
    ```
  }];
  let arguments = (ins SLC_IntegerStream:$input, SLC_IntegerOrStream:$initial);
  let results = (outs SLC_IntegerStream:$result);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$input, "::mlir::Value":$initial), [{
      build($_builder, $_state, input.getType(), input, initial);
    }]>
  ];
  let assemblyFormat = [{
    $input `from` $initial attr-dict
    `:` qualified(type($result)) `,` type($initial)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Segments found by their coordinates
//===----------------------------------------------------------------------===//

def SLC_SegmentEndOp : SLC_Op<"segment_end"> {
  let summary = "Where a segment of equal coordinates ends";
  let description = [{
    The first position after `position` at which `coordinates` has another
    element than at `position`, or `limit` if there is none before it. Positions
    are unsigned, as the sparsifier's are.

    Stands between `choose-decoupling` and `convert-scf-to-slc`, in a loop over
    the segments of a range, whose next segment begins there; a
    `slc.segment_str` takes its place in the nest.

    ```mlir
    %end = slc.segment_end %rows[%begin] to %limit : memref<?xi64>
    ```
  }];
  let arguments = (ins Arg<MemRefRankOf<[AnySignlessIntegerOrIndex], [1]>,
                           "the coordinates", [MemRead]>:$coordinates,
                       Index:$position, Index:$limit);
  let results = (outs Index:$result);
  let assemblyFormat = [{
    $coordinates `[` $position `]` `to` $limit attr-dict `:` type($coordinates)
  }];
}

def SLC_SegmentCountOp : SLC_Op<"segment_count"> {
  let summary = "How many segments of equal coordinates a range has";
  let description = [{
    Consecutive positions from `lower` to below `upper` are of one segment if
    `coordinates` has the same element at them, as the rows of a matrix in
    coordinate format are. This is the number of segments: the upper bound of a
    loop over them. In a nest it is a stream, outside of one a value. Positions
    are unsigned.

    Nothing counts where the bound is that of a loop with a `slc.segment_str` of
    the same range: the loop then goes on until the segments end.

    ```mlir
    %rows = slc.segment_count %row from %begin to %end : memref<?xi64>, index, index -> index
    ```
  }];
  let arguments = (ins Arg<MemRefRankOf<[AnySignlessIntegerOrIndex], [1]>,
                           "the coordinates", [MemRead]>:$coordinates,
                       SLC_IndexOrStream:$lower, SLC_IndexOrStream:$upper);
  let results = (outs SLC_IndexOrStream:$result);
  let assemblyFormat = [{
    $coordinates `from` $lower `to` $upper attr-dict
    `:` type($coordinates) `,` type($lower) `,` type($upper) `->` type($result)
  }];
  let hasVerifier = 1;
}

def SLC_SegmentStrOp : SLC_Op<"segment_str", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "The segments of equal coordinates in a range";
  let description = [{
    In iteration k of the loop it stands in, where the k-th segment of
    `coordinates` from `lower` to below `upper` begins and ends, as
    `slc.segment_count` defines segments. The loop visits them all: it goes from
    0 in steps of 1 to that count. A segment begins where the one before it
    ended; the access unit finds its end by comparing coordinates.

    ```mlir
    %rows = slc.segment_count %row from %lo to %hi : memref<?xi64>, index, index -> index
    slc.for %s = %c0 to %rows step %c1 {
      %begin, %end = slc.segment_str %row from %lo to %hi : memref<?xi64>, index, index -> !slc.stream<index>, !slc.stream<index>
      %i = slc.mem_str %row[%begin] : memref<?xi64>[!slc.stream<index>] -> !slc.stream<i64>
      slc.for %p = %begin to %end step %c1 : !slc.stream<index>, !slc.stream<index> {
        ...
      }
    }
    ```
  }];
  let arguments = (ins Arg<MemRefRankOf<[AnySignlessIntegerOrIndex], [1]>,
                           "the coordinates", [MemRead]>:$coordinates,
                       SLC_IndexOrStream:$lower, SLC_IndexOrStream:$upper);
  let results = (outs SLC_IndexStream:$begin, SLC_IndexStream:$end);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$coordinates, "::mlir::Value":$lower,
                   "::mlir::Value":$upper)>
  ];
  let assemblyFormat = [{
    $coordinates `from` $lower `to` $upper attr-dict
    `:` type($coordinates) `,` type($lower) `,` type($upper) `->`
    qualified(type($begin)) `,` qualified(type($end))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Compute
//===----------------------------------------------------------------------===//

def SLC_StrToValOp : SLC_Op<"str_to_val", [Pure]> {
  let summary = "The current element of a stream, for compute code";
  let description = [{
    The border between access and compute: what crosses here crosses a queue
    once the two run apart. Stands in a callback (between conversion and
    `move-to-val-ops` also in a loop body). A vector stream may hand over one
    lane only; a buffer stream hands over all elements pushed since it was
    declared.

    ```mlir
    %v = slc.str_to_val %s : !slc.stream<f32> -> f32
    %e = slc.str_to_val %s_e[0] : !slc.stream<vector<16xindex>> -> index
    %row = slc.str_to_val %buf : !slc.buffer<vector<16xf32>> -> memref<?xvector<16xf32>>
    ```
  }];
  let arguments = (ins AnyType:$stream, OptionalAttr<I64Attr>:$lane);
  let results = (outs AnyType:$value);
  let builders = [OpBuilder<(ins "::mlir::Value":$stream)>];
  let assemblyFormat = [{
    $stream (`[` $lane^ `]`)? attr-dict `:` qualified(type($stream)) `->` type($value)
  }];
  let hasVerifier = 1;
}

def SLC_CallbackOp : SLC_Op<"callback", [
    AttrSizedOperandSegments, AutomaticAllocationScope, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">,
    DeclareOpInterfaceMethods<RegionBranchOpInterface,
        ["getEntrySuccessorOperands"]>]> {
  let summary = "Code of the execute unit, triggered by a traversal event";
  let description = [{
    Runs where it stands in the loop body: with event `ite`, at each
    iteration of the loop it is in; with `beg`, before the loop nested beside
    it begins; with `end`, after that loop has ended. It reads streams
    through `slc.str_to_val` only, and may hand values of the execute unit on
    to later callbacks.

    With a `mask` it runs only where the stream's element is true or, if the
    stream has lanes, where one of them is; for the other times nothing crosses
    the queues, and its results are the values of `else`. These are of the
    execute unit, or fixed during the nest.

    ```mlir
    %next = slc.callback end -> index {
      %n = arith.addi %i, %c1 : index
      slc.yield %n : index
    }
    %kept = slc.callback end mask %ok : !slc.stream<i1> else(%i) -> index {
      %n = arith.addi %i, %c1 : index
      slc.yield %n : index
    }
    ```
  }];
  let arguments = (ins SLC_Event:$event, Optional<SLC_MaskStream>:$mask,
                       Variadic<AnyType>:$otherwise);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$region);
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::ember::slc::Event":$event,
                   CArg<"::mlir::TypeRange", "{}">:$resultTypes,
                   CArg<"::mlir::Value", "{}">:$mask,
                   CArg<"::mlir::ValueRange", "{}">:$otherwise)>
  ];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::ember::slc::YieldOp getYield();
  }];
}

#endif // EMBER_DIALECT_SLC_IR_SLCOPS_TD
