//===- TMUOps.td - The operations of the tmu dialect --------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_TMU_IR_TMUOPS_TD
#define EMBER_DIALECT_TMU_IR_TMUOPS_TD

include "ember/Dialect/SLC/IR/SLCOpClasses.td"
include "ember/Dialect/TMU/IR/TMUDialect.td"
include "ember/Dialect/TMU/IR/TMUInterfaces.td"
include "ember/Dialect/TMU/IR/TMUMachine.td"
include "mlir/IR/SymbolInterfaces.td"

def TMU_IndexStream : Type<
    CPred<"$_self == ::ember::slc::StreamType::get("
          "::mlir::IndexType::get($_self.getContext()))">,
    "stream of index", "::ember::slc::StreamType">,
    BuildableType<"::ember::slc::StreamType::get($_builder.getIndexType())">;

// What may stand in a program.
def TMU_OfProgram : NativeOpTrait<"OfProgram"> {
  let cppNamespace = "::ember::tmu";
}

class TMU_ConfigurationOp<string mnemonic, list<Trait> traits = []>
    : TMU_Op<mnemonic, !listconcat([TMU_OfProgram, HasParent<"ProgramOp">],
                                   traits)>;

//===----------------------------------------------------------------------===//
// Traversal units
//===----------------------------------------------------------------------===//

// A traversal unit in a fiber of each step of the layer `parent`, or in one
// fiber. `queue` is how many elements each of its streams may be ahead: how far
// it is mapped to a machine.
class TMU_TUOp<string mnemonic, dag bounds, string syntax,
               dag more = (outs), list<Trait> traits = []>
    : TMU_ConfigurationOp<mnemonic, !listconcat([
        DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>,
        TMU_TUOpInterface], traits)> {
  let arguments = !con(bounds, (ins Optional<TMU_Layer>:$parent,
                                    OptionalAttr<I64Attr>:$queue));
  let results = !con((outs TMU_TU:$tu, TMU_IndexStream:$position,
                           TMU_IndexStream:$count), more);
  let assemblyFormat =
      syntax # " (`in` $parent^)? (`queue` $queue^)? attr-dict";
}

def TMU_SetDnsTUOp : TMU_TUOp<"set_dns_tu",
    (ins Index:$lowerBound, Index:$upperBound, Index:$step),
    "$lowerBound `to` $upperBound `step` $step"> {
  let summary = "A traversal unit with fixed bounds";
  let description = [{
    Walks `lowerBound`, `lowerBound + step`, ... below `upperBound`.

    ```mlir
    %bag, %b, %n = tmu.set_dns_tu %c0 to %bags step %c1
    %elem, %e, %m = tmu.set_dns_tu %c3 to %width step %c8 in %lookups
    ```
  }];
}

def TMU_SetRngTUOp : TMU_TUOp<"set_rng_tu",
    (ins TMU_IndexStream:$lowerBound, TMU_IndexStream:$upperBound, Index:$step),
    "$lowerBound `to` $upperBound `step` $step"> {
  let summary = "A traversal unit whose bounds are streams";
  let description = [{
    Walks `lowerBound`, `lowerBound + step`, ... below `upperBound`, elements of
    streams of the layer around.

    ```mlir
    %seg, %p, %n = tmu.set_rng_tu %beg to %end step %c1 in %bags
    ```
  }];
}

def TMU_SetIdxTUOp : TMU_TUOp<"set_idx_tu",
    (ins TMU_IndexStream:$lowerBound, Index:$size, Index:$step),
    "$lowerBound `size` $size `step` $step"> {
  let summary = "A traversal unit of a fixed size at a stream's position";
  let description = [{
    Walks `lowerBound`, `lowerBound + step`, ... below `lowerBound + size`, where
    the lower bound is an element of a stream of the layer around: a row that is
    found by its index.

    ```mlir
    %row, %p, %n = tmu.set_idx_tu %beg size %width step %c1 in %lookups
    ```
  }];
}

def TMU_SetSegTUOp : TMU_TUOp<"set_seg_tu",
    (ins Arg<MemRefRankOf<[AnySignlessIntegerOrIndex], [1]>, "what tells segments apart", [MemRead]>:$coordinates,
         SLC_IndexOrStream:$lowerBound, SLC_IndexOrStream:$upperBound), [{
      $lowerBound `to` $upperBound `segments` `(` $coordinates `:`
      type($coordinates) `)` `:` type($lowerBound) `,` type($upperBound)
    }], (outs TMU_IndexStream:$segmentEnd)> {
  let summary = "A traversal unit that goes over segments of equal coordinates";
  let description = [{
    Visits the positions from `lowerBound` to below `upperBound` at which segments
    of equal `coordinates` begin. It finds the end of each, its fourth result, by
    comparing, and goes on there. Bounds are fixed, or streams of the layer around.

    ```mlir
    %row, %p, %n, %end = tmu.set_seg_tu %c0 to %nnz segments(%rows : memref<?xi64>) : index, index
    ```
  }];
  let extraClassDeclaration = [{
    /// It finds how far to go.
    ::mlir::Value getStep() { return {}; }
  }];
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

// A stream of the kinds that `slc` has, with the unit that advances it in front.
class TMU_StreamOp<string mnemonic, SLC_StreamKind kind>
    : SLC_StreamOp<TMU_Dialect, mnemonic, kind,
                   [TMU_OfProgram, HasParent<"ProgramOp">],
                   (ins TMU_TU:$tu), "$tu `,` "> {
  let extraClassDeclaration = [{
    ::mlir::Operation::operand_range getInputs() {
      return (*this)->getOperands().drop_front();
    }
  }];
}

def TMU_SetAluStrOp : TMU_StreamOp<"set_alu_str", SLC_Arithmetic> {
  let summary = "A stream of integer arithmetic";
  let description = [{
    ```mlir
    %b1 = tmu.set_alu_str %bag, add %b, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    ```
  }];
}

def TMU_SetCmpStrOp : TMU_StreamOp<"set_cmp_str", SLC_Comparison> {
  let summary = "A stream of comparisons";
  let description = [{
    ```mlir
    %ok = tmu.set_cmp_str %seg, sge %i, %c0 : !slc.stream<index>, index -> !slc.stream<i1>
    ```
  }];
}

def TMU_SetSelStrOp : TMU_StreamOp<"set_sel_str", SLC_Choice> {
  let summary = "A stream of choices between two integers";
  let description = [{
    ```mlir
    %row = tmu.set_sel_str %seg, %ok, %i, %c0 : !slc.stream<i1>, !slc.stream<index>, index -> !slc.stream<index>
    ```
  }];
}

def TMU_SetCastStrOp : TMU_StreamOp<"set_cast_str", SLC_Conversion> {
  let summary = "A stream of width-converted integers";
  let description = [{
    ```mlir
    %i = tmu.set_cast_str %seg, %raw : !slc.stream<i32> to !slc.stream<index>
    ```
  }];
}

def TMU_SetFwdStrOp : TMU_StreamOp<"set_fwd_str", SLC_Forwarding> {
  let summary = "A stream that repeats a value, or forwards one of the layer around";
  let description = [{
    What is fixed, or has an element at each step of the layer around, has it at
    each step of `tu` too.

    ```mlir
    %r = tmu.set_fwd_str %elem, %row : !slc.stream<index> -> !slc.stream<index>
    ```
  }];
}

def TMU_SetAccStrOp : TMU_ConfigurationOp<"set_acc_str", [
    Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "A stream that sums up another one";
  let description = [{
    The sum of `initial` and the elements of `input` at the steps before, anew in
    each fiber. `initial` is fixed, or a stream of the layer around.

    ```mlir
    %begin = tmu.set_acc_str %bag, %length from %c0 : !slc.stream<index>, index
    ```
  }];
  let arguments = (ins TMU_TU:$tu, SLC_IntegerStream:$input,
                       SLC_IntegerOrStream:$initial);
  let results = (outs SLC_IntegerStream:$result);
  let assemblyFormat = [{
    $tu `,` $input `from` $initial attr-dict
    `:` qualified(type($result)) `,` type($initial)
  }];
  let hasVerifier = 1;
}

def TMU_SetMemStrOp : TMU_ConfigurationOp<"set_mem_str", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "A stream of loaded elements";
  let description = [{
    Loads the element at `position` of the memory of `memref`, counted in
    elements from its first one, at each step of `tu`; where `mask` is off, it
    loads nothing and gives `otherwise`, or 0. `level` and `nontemporal` say which
    cache to read from and whether it is to keep the line (paper, section 7.4).

    ```mlir
    %v = tmu.set_mem_str %elem, %table[%a] : memref<?x?xf32>, !slc.stream<index> -> !slc.stream<f32>
    %two = tmu.set_mem_str %elem, %table[%a] : memref<?x?xf32>, !slc.stream<index> -> !slc.stream<vector<2xf32>>
    %w = tmu.set_mem_str %elem, %table[%a] mask %ok else %one level l2 nontemporal : memref<?x?xf32>, !slc.stream<index>, f32 -> !slc.stream<f32>
    ```
  }];
  let arguments = !con(
      (ins TMU_TU:$tu, Arg<AnyMemRef, "where to load from", [MemRead]>:$memref,
           SLC_IndexOrStream:$position, Optional<SLC_FlagStream>:$mask,
           Optional<AnyType>:$otherwise),
      SLC_CacheHints<>.arguments);
  let results = (outs SLC_AnyStream:$result);
  let assemblyFormat = [{
    $tu `,` $memref `[` $position `]` (`mask` $mask^)? (`else` $otherwise^)?
    (`level` $cacheLevel^)? (`nontemporal` $nontemporal^)? attr-dict
    `:` type($memref) `,` type($position) (`,` type($otherwise)^)?
    `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def TMU_SetStoreStrOp : TMU_ConfigurationOp<"set_store_str"> {
  let summary = "A stream that the unit writes to memory";
  let description = [{
    Stores the element of `stream` at `position` of the memory of `memref` at each
    step of `tu`, where `mask` is on. A vector is stored element by element, those
    below the unit's upper bound. Nothing passes through the core (paper, section
    7.4).

    ```mlir
    tmu.set_store_str %elem, %v, %out[%a] : !slc.stream<f32>, memref<?x?xf32>, !slc.stream<index>
    tmu.set_store_str %elem, %two, %out[%a] : !slc.stream<vector<2xf32>>, memref<?x?xf32>, !slc.stream<index>
    ```
  }];
  let arguments = !con(
      (ins TMU_TU:$tu, SLC_AnyStream:$stream,
           Arg<AnyMemRef, "where to store to", [MemWrite]>:$memref,
           SLC_IndexOrStream:$position, Optional<SLC_FlagStream>:$mask),
      SLC_CacheHints<>.arguments);
  let assemblyFormat = [{
    $tu `,` $stream `,` $memref `[` $position `]` (`mask` $mask^)?
    (`level` $cacheLevel^)? (`nontemporal` $nontemporal^)? attr-dict
    `:` qualified(type($stream)) `,` type($memref) `,` type($position)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

// A layer acts, whether or not something reads it.
class TMU_LayerOp<string mnemonic, dag units, string syntax>
    : TMU_ConfigurationOp<mnemonic, [TMU_LayerOpInterface]> {
  let arguments = !con(units, (ins OptionalAttr<I64Attr>:$number));
  let results = (outs TMU_Layer:$layer);
  let assemblyFormat = syntax # " (`number` $number^)? attr-dict";
}

def TMU_SetSingleLayerOp : TMU_LayerOp<"set_single_layer", (ins TMU_TU:$tu),
                                       "$tu"> {
  let summary = "A layer of one traversal unit";
  let description = [{
    Its steps are those of `tu`, and fibers of the next layer, of one lane too,
    begin at them.

    ```mlir
    %bags = tmu.set_single_layer %bag
    ```
  }];
}

def TMU_SetBcastLayerOp : TMU_LayerOp<"set_bcast_layer", (ins TMU_TU:$tu),
                                      "$tu"> {
  let summary = "A layer of one traversal unit that all lanes see";
  let description = [{
    Its steps are those of `tu`, and fibers in all lanes of the next layer begin
    at them.

    ```mlir
    %lookups = tmu.set_bcast_layer %seg
    ```
  }];
}

def TMU_SetLockstepLayerOp : TMU_LayerOp<"set_lockstep_layer",
                                         (ins Variadic<TMU_TU>:$tus), "$tus"> {
  let summary = "A layer of traversal units in lockstep";
  let description = [{
    All units step at once. A lane whose fiber is over waits for the others, and
    is off meanwhile; the layer's fiber is over when the last one is.

    ```mlir
    %elements = tmu.set_lockstep_layer %e0, %e1, %e2, %e3
    ```
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// The output queue
//===----------------------------------------------------------------------===//

def TMU_SetControlTokenOp : TMU_ConfigurationOp<"set_control_token", [
    AttrSizedOperandSegments]> {
  let summary = "Pushes a control token at an event of a layer";
  let description = [{
    Each time `event` happens in `layer`, pushes token `id`; what `announced`,
    `mask`, `on` and `value` mean is what they mean in `dlc.register_callback`.
    Streams are those of one lane. With `reserve`, the unit closes a chunk of the
    output queue early if that many bytes of operands would not fit (see the
    rationale), so that what pops them need not look.

    ```mlir
    tmu.set_control_token %elements, end, 0 announced
    tmu.set_control_token %lookups, ite, 1 mask %ok : !slc.stream<i1>
    tmu.set_control_token %lookups, ite, 2 on %row : !slc.stream<index> value %row : !slc.stream<index>
    ```
  }];
  let arguments = (ins TMU_Layer:$layer, SLC_Event:$event, I64Attr:$id,
                       UnitAttr:$announced, UnitAttr:$whereSame,
                       Variadic<SLC_FlagStream>:$masks,
                       Optional<SLC_IntegerStream>:$toggle,
                       Optional<SLC_AnyStream>:$value,
                       OptionalAttr<I64Attr>:$reserve);
  let assemblyFormat = [{
    $layer `,` $event `,` $id (`announced` $announced^)?
    (`reserve` $reserve^)? (`mask` $masks^ `:` qualified(type($masks)))?
    (`on` (`same` $whereSame^)? $toggle^ `:` qualified(type($toggle)))?
    (`value` $value^ `:` qualified(type($value)))? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The event at which the token is pushed.
    ::ember::slc::Event getPushEvent() {
      return getAnnounced() ? ::ember::slc::Event::beg : getEvent();
    }
  }];
}

def TMU_SetOperandOp : TMU_ConfigurationOp<"set_operand"> {
  let summary = "Pushes elements of streams at an event of a layer";
  let description = [{
    Each time `event` happens in `layer`, pushes the current elements of the
    streams, one a lane, side by side, as an operand of token `id`: a scalar, or a
    vector of as many, or of all elements of the vectors that they hold. Elements
    of lanes that are off are zero.

    ```mlir
    tmu.set_operand %lookups, ite, (%p) for 0 : (!slc.stream<index>) -> index
    tmu.set_operand %elements, ite, (%v0, %v1) for 0 : (!slc.stream<f32>, !slc.stream<f32>) -> vector<2xf32>
    ```
  }];
  let arguments = (ins TMU_Layer:$layer, SLC_Event:$event,
                       Variadic<SLC_AnyStream>:$streams, I64Attr:$id,
                       TypeAttr:$operandType);
  let assemblyFormat = [{
    $layer `,` $event `,` `(` $streams `)` `for` $id attr-dict
    `:` `(` qualified(type($streams)) `)` `->` $operandType
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

def TMU_EndOp : TMU_Op<"end", [Pure, Terminator, HasParent<"ProgramOp">]> {
  let summary = "Ends a configuration";
  let description = [{
    Not written.
  }];
  let assemblyFormat = "attr-dict";
}

// What the compute program does to memory is not known here.
def TMU_ProgramOp : TMU_Op<"program", [
    IsolatedFromAbove, AttrSizedOperandSegments,
    SingleBlockImplicitTerminator<"EndOp">,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Configures the unit, and runs a compute program beside it";
  let description = [{
    The region is the configuration, which sees nothing but what it captures,
    constants, and itself. Once it is loaded, the unit fills the output queue and
    the core calls `compute`, a function that is the compute half of a program, with
    its arguments and then the rings, which are the queue; the operation returns what
    that returns when both are done. `machine` is what the configuration has been
    mapped to: it says how long queues are, and keeps to what there is.

    ```mlir
    %last = tmu.program captures(%n = %0 : index, %in = %arg0 : memref<?xf32>)
        compute @f.compute.0(%out : memref<?xf32>) -> (index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %tu, %i, %count = tmu.set_dns_tu %c0 to %n step %c1
      %v = tmu.set_mem_str %tu, %in[%i] : memref<?xf32>, !slc.stream<index> -> !slc.stream<f32>
      %layer = tmu.set_single_layer %tu
      tmu.set_control_token %layer, ite, 0
      tmu.set_operand %layer, ite, (%v) for 0 : (!slc.stream<f32>) -> f32
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$captures, FlatSymbolRefAttr:$compute,
                       Variadic<AnyType>:$computeArgs,
                       OptionalAttr<TMU_Machine>:$machine);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$configuration);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

#endif // EMBER_DIALECT_TMU_IR_TMUOPS_TD
