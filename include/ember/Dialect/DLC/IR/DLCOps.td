//===- DLCOps.td - The operations of the dlc dialect --------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_DLC_IR_DLCOPS_TD
#define EMBER_DIALECT_DLC_IR_DLCOPS_TD

include "ember/Dialect/DLC/IR/DLCDialect.td"
include "ember/Dialect/SLC/IR/SLCOpClasses.td"
include "ember/Dialect/SLCV/IR/SLCVEnums.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def DLC_LaneIndex : AnyTypeOf<[Index, SLC_AnyStream]>;

//===----------------------------------------------------------------------===//
// Access program
//===----------------------------------------------------------------------===//

// What may stand in the access region of a program.
def DLC_OfAccessProgram : NativeOpTrait<"OfAccessProgram"> {
  let cppNamespace = "::ember::dlc";
}

class DLC_AccessOp<string mnemonic, list<Trait> traits = []>
    : DLC_Op<mnemonic, !listconcat([DLC_OfAccessProgram,
                                    HasParent<"ProgramOp">], traits)>;

def DLC_NewTUOp : DLC_AccessOp<"new_tu", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "A traversal unit: one loop of the access program";
  let description = [{
    Traverses `lowerBound`, `lowerBound + step`, ... below `upperBound`, once
    for each iteration of `parent`, or once if it has none. `vector<N>` gives
    the unit N lanes, configured and masked as `slcv.vec_for` describes.

    With `segments`, its bounds are those of a range of positions of these
    coordinates, and it visits the positions at which segments of equal
    coordinates begin, as `slc.segment_str` describes: it finds the end of each,
    `dlc.get_segment_end`, by comparing, and goes on there. Its step is 1, and it
    has no lanes.

    ```mlir
    %row = dlc.new_tu %lo to %hi step %c1 segments(%rows : memref<?xi64>)
    %seg = dlc.new_tu %beg to %end step %c1 in %bag : !slc.stream<index>, !slc.stream<index>
    %elem = dlc.new_tu %c0 to %length step %c1 in %seg vector<16>
    ```
  }];
  let arguments = (ins DLC_LaneIndex:$lowerBound, DLC_LaneIndex:$upperBound,
                       Index:$step, Optional<DLC_TU>:$parent,
                       Optional<AnyType>:$inMask,
                       Optional<MemRefRankOf<[AnySignlessIntegerOrIndex], [1]>>:$coordinates,
                       OptionalAttr<I64Attr>:$vectorLength,
                       DefaultValuedAttr<SLCV_LoopConfig,
                         "::ember::slcv::LoopConfig::vector">:$config);
  let results = (outs DLC_TU:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The unit around it; null if there is none.
    NewTUOp getParentUnit();
    /// True if no stream says where it begins or ends.
    bool hasFixedBounds();
  }];
}

class DLC_TUStreamOp<string mnemonic> : DLC_AccessOp<mnemonic, [Pure]> {
  let arguments = (ins DLC_TU:$tu);
  let results = (outs SLC_AnyStream:$result);
  let assemblyFormat = "$tu attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

def DLC_GetIndVarOp : DLC_TUStreamOp<"get_ind_var"> {
  let summary = "The stream of values a traversal unit visits";
  let description = [{
    ```mlir
    %e = dlc.get_ind_var %elem : !slc.stream<index>
    %e = dlc.get_ind_var %elem : !slc.stream<vector<16xindex>>
    ```
  }];
}

def DLC_GetIterCountOp : DLC_TUStreamOp<"get_iter_count"> {
  let summary = "The stream of a traversal unit's completed iterations";
  let description = [{
    ```mlir
    %n = dlc.get_iter_count %elem : !slc.stream<index>
    ```
  }];
}

def DLC_GetSegmentEndOp : DLC_TUStreamOp<"get_segment_end"> {
  let summary = "The stream of positions at which a unit's segments end";
  let description = [{
    ```mlir
    %end = dlc.get_segment_end %row : !slc.stream<index>
    ```
  }];
}

def DLC_GetMaskOp : DLC_TUStreamOp<"get_mask"> {
  let summary = "The stream of a vector traversal unit's active lanes";
  let description = [{
    ```mlir
    %mask = dlc.get_mask %elem : !slc.stream<vector<16xi1>>
    ```
  }];
}

def DLC_MemStrOp : DLC_AccessOp<"mem_str", [
    AttrSizedOperandSegments, SLC_MemoryStreamOpInterface,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "A stream of loaded elements or vectors";
  let description = [{
    Loads `memref[indices]` once per iteration of `tu`; a vector result as
    `slcv.vec_mem_str` describes, also `repeat`. `mask`, `else`, `level` and
    `nontemporal` are those of `slc.mem_str`.

    ```mlir
    %v = dlc.mem_str %elem, %table[%i, %e] : memref<?x?xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
    %u = dlc.mem_str %elem, %table[%i, %e] mask %ok else %one : memref<?x?xf32>[!slc.stream<index>, !slc.stream<index>], f32 -> !slc.stream<f32>
    %w = dlc.mem_str %elem, %table[%i, %e] mask %mask contiguous : memref<?x?xf32>[!slc.stream<index>, !slc.stream<vector<16xindex>>] -> !slc.stream<vector<16xf32>>
    ```
  }];
  let arguments = !con(
      (ins DLC_TU:$tu, Arg<AnyMemRef, "where to load from", [MemRead]>:$memref,
           Variadic<DLC_LaneIndex>:$indices, Optional<SLC_AnyStream>:$mask,
           Optional<AnyType>:$otherwise,
           UnitAttr:$contiguous, DefaultValuedAttr<I64Attr, "1">:$repeat),
      SLC_CacheHints<>.arguments);
  let results = (outs SLC_AnyStream:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def DLC_StoreStrOp : DLC_AccessOp<"store_str", [
    AttrSizedOperandSegments, SLC_MemoryStreamOpInterface]> {
  let summary = "A stream that the access unit writes to memory";
  let description = [{
    Stores the element of `stream` to `memref[indices]` once per iteration of
    `tu`: `slc.store_str` or, with a stream of vectors, `slcv.vec_store_str`.

    ```mlir
    dlc.store_str %elem, %v, %out[%b, %e] : !slc.stream<f32>, memref<?x?xf32>[!slc.stream<index>, !slc.stream<index>]
    dlc.store_str %elem, %w, %out[%b, %e] mask %mask contiguous nontemporal : !slc.stream<vector<16xf32>>, memref<?x?xf32>[!slc.stream<index>, !slc.stream<vector<16xindex>>]
    ```
  }];
  let arguments = !con(
      (ins DLC_TU:$tu, SLC_AnyStream:$stream,
           Arg<AnyMemRef, "where to store to", [MemWrite]>:$memref,
           Variadic<DLC_LaneIndex>:$indices, Optional<SLC_AnyStream>:$mask,
           UnitAttr:$contiguous),
      SLC_CacheHints<>.arguments);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

// A stream of the kinds that `slc` has, with the unit that advances it in front.
class DLC_StreamOp<string mnemonic, SLC_StreamKind kind>
    : SLC_StreamOp<DLC_Dialect, mnemonic, kind,
                   [DLC_OfAccessProgram, HasParent<"ProgramOp">],
                   (ins DLC_TU:$tu), "$tu `,` "> {
  let extraClassDeclaration = [{
    ::mlir::Operation::operand_range getInputs() {
      return (*this)->getOperands().drop_front();
    }
  }];
}

def DLC_AluStrOp : DLC_StreamOp<"alu_str", SLC_Arithmetic> {
  let summary = "A stream of integer arithmetic";
  let description = [{
    `slc.alu_str` or, with a vector result, `slcv.vec_alu_str`, advanced by
    `tu`.

    ```mlir
    %b1 = dlc.alu_str %bag, add %b, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    ```
  }];
}

def DLC_CmpStrOp : DLC_StreamOp<"cmp_str", SLC_Comparison> {
  let summary = "A stream of comparisons";
  let description = [{
    `slc.cmp_str`, advanced by `tu`.

    ```mlir
    %ok = dlc.cmp_str %seg, sge %i, %c0 : !slc.stream<index>, index -> !slc.stream<i1>
    ```
  }];
}

def DLC_SelStrOp : DLC_StreamOp<"sel_str", SLC_Choice> {
  let summary = "A stream of choices between two integers";
  let description = [{
    `slc.sel_str`, advanced by `tu`.

    ```mlir
    %row = dlc.sel_str %seg, %ok, %i, %c0 : !slc.stream<i1>, !slc.stream<index>, index -> !slc.stream<index>
    ```
  }];
}

def DLC_CastStrOp : DLC_StreamOp<"cast_str", SLC_Conversion> {
  let summary = "A stream of width-converted integers";
  let description = [{
    `slc.cast_str`, advanced by `tu`.

    ```mlir
    %i = dlc.cast_str %seg, %raw : !slc.stream<i32> to !slc.stream<index>
    ```
  }];
}

def DLC_FwdStrOp : DLC_StreamOp<"fwd_str", SLC_Forwarding> {
  let summary = "A stream that repeats a value or forwards an outer stream";
  let description = [{
    `slc.fwd_str`, advanced by `tu`.

    ```mlir
    %wide = dlc.fwd_str %elem, %w : !slc.stream<f32> -> !slc.stream<vector<16xf32>>
    ```
  }];
}

def DLC_AccStrOp : DLC_AccessOp<"acc_str", [
    Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "A stream that sums up another one";
  let description = [{
    `slc.acc_str`, advanced by `tu`, which has no lanes.

    ```mlir
    %begin = dlc.acc_str %bag, %length from %c0 : !slc.stream<index>, index
    ```
  }];
  let arguments = (ins DLC_TU:$tu, SLC_IntegerStream:$input,
                       SLC_LaneInteger:$initial);
  let results = (outs SLC_IntegerStream:$result);
  let assemblyFormat = [{
    $tu `,` $input `from` $initial attr-dict
    `:` qualified(type($result)) `,` type($initial)
  }];
  let hasVerifier = 1;
}

def DLC_RegisterCallbackOp : DLC_AccessOp<"register_callback", [
    AttrSizedOperandSegments]> {
  let summary = "Pushes a control token at a traversal event";
  let description = [{
    Each time `event` happens in `tu`, pushes token `id` into the control
    queue; the execute unit then runs case `id`.

    `announced` (with event `end`) pushes the token already when the traversal
    begins. The operands that follow until its end all belong to the callback,
    so it may pop them while they arrive, and a queue shorter than a row is
    long enough.

    With a `mask`, the token and its operands are pushed only where the stream's
    element is true or, if the stream has lanes, where one of them is. Where the
    event is the begin or the end of a traversal, that is a stream of a unit
    around.

    `on` a stream of integers toggles the callback: its token and operands are
    pushed in the first iteration of a traversal, and then only in those in which
    the stream's element differs from the one of the iteration before (paper,
    section 7.4: sparse coordinate formats). At event `ite`, these are iterations
    of `tu`; at event `end`, which happens once an iteration of the unit around
    `tu`, they are iterations of that unit. `on same` is the opposite: with it, a
    second callback at the same event stands for the iterations in which the
    first one is left out, so that each has one token. What only operands of a
    callback toggled at event `end` read is loaded when they are pushed.

    With a `value`, the token carries the current element of that stream, or
    one lane of it: a scalar of at most 64 bits, which `dlc.token_value` reads.
    An id needs few of the bits of a token, so it costs no operand. A value that
    does not fit follows in the data queue. It comes before all operands of the
    callback, none of which is pushed at an earlier event.

    ```mlir
    dlc.register_callback %elem, ite, 0
    dlc.register_callback %elem, end, 1 announced
    dlc.register_callback %elem, end, 7 announced mask %ok : !slc.stream<i1>
    dlc.register_callback %elem, end, 2 announced value %w : !slc.stream<f32>
    dlc.register_callback %elem, ite, 3 value %e[0] : !slc.stream<vector<16xindex>>
    dlc.register_callback %edge, ite, 4 on %row : !slc.stream<index> value %row : !slc.stream<index>
    dlc.register_callback %elem, end, 5 announced on %vertex : !slc.stream<index>
    dlc.register_callback %elem, end, 6 announced on same %vertex : !slc.stream<index>
    ```
  }];
  let arguments = (ins DLC_TU:$tu, SLC_Event:$event, I64Attr:$id,
                       UnitAttr:$announced, UnitAttr:$whereSame,
                       Optional<SLC_MaskStream>:$mask,
                       Optional<SLC_AnyStream>:$toggle,
                       Optional<SLC_AnyStream>:$value,
                       OptionalAttr<I64Attr>:$lane);
  let assemblyFormat = [{
    $tu `,` $event `,` $id (`announced` $announced^)?
    (`mask` $mask^ `:` qualified(type($mask)))?
    (`on` (`same` $whereSame^)? $toggle^ `:` qualified(type($toggle)))?
    (`value` $value^ `` custom<Lane>($lane) `:` qualified(type($value)))?
    attr-dict
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$tu, "::ember::slc::Event":$event,
                   "int64_t":$id, "bool":$announced,
                   CArg<"::mlir::Value", "{}">:$toggle,
                   CArg<"bool", "false">:$whereSame,
                   CArg<"::mlir::Value", "{}">:$mask)>
  ];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The event at which the token is pushed.
    ::ember::slc::Event getPushEvent() {
      return getAnnounced() ? ::ember::slc::Event::beg : getEvent();
    }
    /// True if each occurrence of the event pushes the token of at most one of
    /// this callback and `other`.
    bool excludes(RegisterCallbackOp other);
    /// The type of the value that the token carries; null if it carries none.
    ::mlir::Type getValueType();
  }];
}

def DLC_RegisterOperandOp : DLC_AccessOp<"register_operand"> {
  let summary = "Pushes a stream's element at a traversal event";
  let description = [{
    Each time `event` happens in `tu`, pushes the current element of `stream`,
    or one lane of it, into the data queue, as an operand of case `id`.

    ```mlir
    dlc.register_operand %elem, ite, %v for 0 : !slc.stream<f32>
    dlc.register_operand %elem, ite, %e[0] for 0 : !slc.stream<vector<16xindex>>
    ```
  }];
  let arguments = (ins DLC_TU:$tu, SLC_Event:$event, SLC_AnyStream:$stream,
                       OptionalAttr<I64Attr>:$lane, I64Attr:$id);
  let assemblyFormat = [{
    $tu `,` $event `,` $stream (`[` $lane^ `]`)? `for` $id attr-dict
    `:` qualified(type($stream))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The type the execute unit pops.
    ::mlir::Type getOperandType();
  }];
}

//===----------------------------------------------------------------------===//
// Compute program
//===----------------------------------------------------------------------===//

def DLC_ComputeLoopOp : DLC_Op<"compute_loop", [
    HasParent<"ProgramOp">, RecursiveMemoryEffects,
    MemoryEffects<[MemWrite<DLC_Queues>]>, AutomaticAllocationScope,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "A case for each control token";
  let description = [{
    Pops tokens until the access unit is done and runs the case of each.
    `iter_args` are the registers of the execute unit: every case gets their
    current values as block arguments and yields the next ones; the results
    are the last ones.

    Cases may be given a `weight`: how often they are expected to run, in
    relation to each other. Code tests for them in the order in which they are
    written; weights let that order reach the machine.

    ```mlir
    %n = dlc.compute_loop iter_args(%init) -> (index)
    case 0 {
    ^bb0(%i: index):
      %v = dlc.pop_operand : vector<16xf32>
      ...
      dlc.yield %i : index
    }
    case 1 {
    ^bb0(%i: index):
      %next = arith.addi %i, %c1 : index
      dlc.yield %next : index
    }

    dlc.compute_loop
    case 1 weight 1024 {
      ...
    }
    case 0 weight 64 {
      ...
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$iterArgs, DenseI64ArrayAttr:$cases,
                       OptionalAttr<DenseI64ArrayAttr>:$weights);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region VariadicRegion<SizedRegion<1>>:$caseRegions);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
  let extraClassDeclaration = [{
    ::ember::dlc::ProgramOp getProgram();
  }];
}

def DLC_YieldOp : DLC_Op<"yield", [
    Pure, Terminator, ReturnLike,
    ParentOneOf<["ComputeLoopOp", "ProgramOp"]>]> {
  let summary = "Ends a case, or a region of a program";
  let description = [{
    The next values of the registers, or the results of the program.

    ```mlir
    dlc.yield %next : index
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$results);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

def DLC_TokenValueOp : DLC_Op<"token_value", [HasParent<"ComputeLoopOp">]> {
  let summary = "The value that the token of this case carries";
  let description = [{
    Reads the `value` that the callback of the case is registered with. A case
    has one such operation if its token carries a value, and otherwise none.

    ```mlir
    %w = dlc.token_value : f32
    ```
  }];
  let results = (outs AnyType:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
}

def DLC_PopOperandOp : DLC_Op<"pop_operand"> {
  let summary = "Pops an operand from the data queue";
  let description = [{
    A scalar, a vector, or a buffer of `size` elements, each of which is an
    operand of its own in the queue.

    ```mlir
    %b = dlc.pop_operand : index
    %v = dlc.pop_operand : vector<16xf32>
    %row = dlc.pop_operand size %n : memref<?xvector<16xf32>>
    ```
  }];
  let arguments = (ins Optional<Index>:$size);
  let results = (outs AnyType:$result);
  let assemblyFormat = "(`size` $size^)? attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What one queue entry holds: the result or an element of the buffer.
    ::mlir::Type getEntryType();
  }];
}

//===----------------------------------------------------------------------===//
// Both programs
//===----------------------------------------------------------------------===//

def DLC_Captured : Type<
    CPred<"!::llvm::isa<::ember::dlc::TUType, ::ember::slc::StreamType, "
          "::ember::slc::BufferType>($_self)">,
    "a value that exists before the program runs">;

def DLC_ProgramOp : DLC_Op<"program", [
    IsolatedFromAbove, AutomaticAllocationScope, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">,
    DeclareOpInterfaceMethods<RegionBranchOpInterface,
        ["getEntrySuccessorOperands"]>]> {
  let summary = "An access and a compute program that run beside each other";
  let description = [{
    Both regions see nothing of what is around the program but what it captures,
    which both have under one name. They meet in the queues alone.

    `access` configures the access unit. It holds traversal units, streams,
    registrations and constants.

    `compute` is code of the execute unit, with one `dlc.compute_loop`. What
    stands before it prepares registers and memory that all cases share; what
    it yields behind it are the results of the program.

    ```mlir
    %sum = dlc.program captures(%in = %arg0 : memref<?xf32>, %n = %0 : index) -> (f32)
    access {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %tu = dlc.new_tu %c0 to %n step %c1
      %i = dlc.get_ind_var %tu : !slc.stream<index>
      %v = dlc.mem_str %tu, %in[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
      dlc.register_callback %tu, ite, 0
      dlc.register_operand %tu, ite, %v for 0 : !slc.stream<f32>
    }
    compute {
      %zero = arith.constant 0.0 : f32
      %last = dlc.compute_loop iter_args(%zero) -> (f32)
      case 0 {
      ^bb0(%before: f32):
        %x = dlc.pop_operand : f32
        %after = arith.addf %before, %x : f32
        dlc.yield %after : f32
      }
      dlc.yield %last : f32
    }
    ```

    Canonicalisation moves captured constants into the regions, and drops
    captures that no region reads and results that nothing reads.
  }];
  let arguments = (ins Variadic<DLC_Captured>:$captures);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$access, SizedRegion<1>:$compute);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizeMethod = 1;
  let skipDefaultBuilders = 1;
  // The regions are empty but for the end of the access program.
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$results)>];
  let extraClassDeclaration = [{
    ::mlir::Block *getAccessBody() { return &getAccess().front(); }
    ::mlir::Block *getComputeBody() { return &getCompute().front(); }
    ::ember::dlc::ComputeLoopOp getComputeLoop();
    /// What the compute program has for `value`, a captured value or constant
    /// of the access program; made at `builder` if that is a constant.
    ::mlir::Value getInCompute(::mlir::OpBuilder &builder,
                               ::mlir::Value value);
    /// Captures what the regions use of the code around; constants are copied.
    void captureUsedAbove();
  }];
}

#endif // EMBER_DIALECT_DLC_IR_DLCOPS_TD
