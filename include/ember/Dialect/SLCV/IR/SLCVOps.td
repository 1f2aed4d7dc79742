//===- SLCVOps.td - The vector dual of the slc dialect -----*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLCV_IR_SLCVOPS_TD
#define EMBER_DIALECT_SLCV_IR_SLCVOPS_TD

include "ember/Dialect/SLC/IR/SLCOpClasses.td"
include "ember/Dialect/SLCV/IR/SLCVEnums.td"

def SLCV_Dialect : Dialect {
  let name = "slcv";
  let cppNamespace = "::ember::slcv";
  let summary = "Vectorised structured lookup-compute";
  let description = [{
    The vector dual of `slc` (Ember paper, section 7.1): a loop that visits
    several elements per iteration, streams of vectors, and masks for trip
    counts that the vector length does not divide. Callbacks, outer loops and
    scalar streams stay those of `slc`; both dialects mix in one nest.
    `buf_str` and `push` collect what an inner loop loads into one compound
    operand (section 7.2).

    ```mlir
    slcv.vec_for (%e, %mask) = %c0 to %length step %c1 vector<16> {
      %v = slcv.vec_mem_str %table[%i, %e] mask %mask contiguous
         : memref<?x?xf32>[!slc.stream<index>, !slc.stream<vector<16xindex>>] -> !slc.stream<vector<16xf32>>
      slc.callback ite {
        ...
      }
    }
    ```
  }];
  let dependentDialects = ["::ember::slc::SLCDialect"];
}

class SLCV_Op<string mnemonic, list<Trait> traits = []>
    : Op<SLCV_Dialect, mnemonic, traits>;

class SLCV_VectorOf<string condition, string what> : Type<CPred<
    "::llvm::isa<::mlir::VectorType>($_self) && "
    "::llvm::cast<::mlir::VectorType>($_self).getRank() == 1 && "
    "!::llvm::cast<::mlir::VectorType>($_self).isScalable() && "
    "::llvm::cast<::mlir::VectorType>($_self).getElementType()" # condition>,
    "vector of " # what, "::mlir::VectorType">;
def SLCV_IndexVectorStream : SLC_StreamOf<
    "::llvm::isa<::mlir::VectorType>(element) && "
    "::llvm::cast<::mlir::VectorType>(element).getElementType().isIndex()",
    "vector of index">;
def SLCV_MaskStream : SLC_StreamOf<
    "::llvm::isa<::mlir::VectorType>(element) && "
    "::llvm::cast<::mlir::VectorType>(element).getElementType().isSignlessInteger(1)",
    "vector of i1">;
def SLCV_Mask : AnyTypeOf<[SLCV_VectorOf<".isSignlessInteger(1)", "i1">,
                           SLCV_MaskStream]>;
// An index of the access unit: fixed, one stream for all lanes, or one a lane.
def SLCV_LaneIndex : AnyTypeOf<[Index, SLC_IndexStream, SLCV_IndexVectorStream]>;

def SLCV_VecForOp : SLC_LoopOp<SLCV_Dialect, "vec_for", [
    AttrSizedOperandSegments]> {
  let summary = "A loop that visits several elements per iteration";
  let description = [{
    `slc.for` with `vectorLength` lanes. Beside the induction variable, now a
    stream of vectors, the body gets a mask: a lane is active where its
    induction variable is below the upper bound and the incoming mask, if
    there is one, is set. Lanes relate to the traversal by `config`:

    - `vector` (default): with scalar bounds, lane `l` of one iteration visits
      `base + l * step` and the next iteration starts `vectorLength * step`
      further on. With bounds that are streams of vectors each lane traverses
      its own range in lockstep, until the last one has ended.
    - `bcast`: all lanes visit the same element, one element per iteration.
    - `scalar`: as `bcast`, but only lane 0 is active.

    The body's block arguments are induction variable, iteration count (a
    scalar stream), mask, and the loop-carried values.

    ```mlir
    slcv.vec_for (%e, %mask) = %c0 to %length step %c1 vector<16> {
      ...
    }
    %r = slcv.vec_for (%p, %mask, %k) = %beg to %end step %c1 vector<8> bcast
        mask %outer iter_args(%acc = %zero) -> (f32) : !slc.stream<index>, !slc.stream<index>, !slc.stream<vector<8xi1>> {
      ...
      slc.yield %sum : f32
    }
    ```
  }];
  let arguments = (ins SLCV_LaneIndex:$lowerBound, SLCV_LaneIndex:$upperBound,
                       Index:$step, Optional<SLCV_Mask>:$inMask,
                       Variadic<AnyType>:$iterArgs,
                       I64Attr:$vectorLength,
                       DefaultValuedAttr<SLCV_LoopConfig,
                         "::ember::slcv::LoopConfig::vector">:$config);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$lowerBound, "::mlir::Value":$upperBound,
                   "::mlir::Value":$step, "int64_t":$vectorLength,
                   CArg<"::mlir::ValueRange", "{}">:$iterArgs,
                   CArg<"::mlir::Value", "{}">:$inMask,
                   CArg<"::ember::slcv::LoopConfig",
                        "::ember::slcv::LoopConfig::vector">:$config)>
  ];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// `!slc.stream<vector<Nxi1>>`: which lanes are active.
    ::mlir::BlockArgument getMask() { return getBody()->getArgument(2); }
    ::llvm::SmallVector<::mlir::Type> getControlTypes();
  }];
}

def SLCV_VecMemStrOp : SLCV_Op<"vec_mem_str", [
    AttrSizedOperandSegments, SLC_OfAccessUnit, SLC_MemoryStreamOpInterface,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "A stream of loaded vectors";
  let description = [{
    Lane `l` loads `memref[indices]` with lane `l` of every vector index;
    scalar indices are the same for all lanes. A lane that `mask` switches off
    loads nothing and holds the value of `else`, in its lane or the same for
    all, or zero without it. `contiguous` states that the active lanes
    address consecutive elements in lane order, starting with lane 0: one
    masked vector load instead of a gather. With `repeat N` each of them is
    loaded for N lanes side by side, N a power of two that divides the vector:
    lane `l` holds the element `l / N` behind that of lane 0. Packed elements,
    such as two integers of 4 bits a byte, are read like this. `level` and `nontemporal` are those of `slc.mem_str`.

    ```mlir
    %v = slcv.vec_mem_str %table[%i, %e] mask %mask contiguous level l2
       : memref<?x?xf32>[!slc.stream<index>, !slc.stream<vector<16xindex>>] -> !slc.stream<vector<16xf32>>
    %two = slcv.vec_mem_str %packed[%i, %pair] contiguous repeat 2
       : memref<?x?xi8>[!slc.stream<index>, !slc.stream<vector<16xindex>>] -> !slc.stream<vector<16xi8>>
    %or = slcv.vec_mem_str %table[%i, %e] mask %ok else %one
       : memref<?x?xf32>[!slc.stream<index>, !slc.stream<vector<16xindex>>], f32 -> !slc.stream<vector<16xf32>>
    ```
  }];
  let arguments = !con(
      (ins Arg<AnyMemRef, "where to load from", [MemRead]>:$memref,
           Variadic<SLCV_LaneIndex>:$indices, Optional<SLCV_MaskStream>:$mask,
           Optional<AnyType>:$otherwise,
           UnitAttr:$contiguous, DefaultValuedAttr<I64Attr, "1">:$repeat),
      SLC_CacheHints<>.arguments);
  let results = (outs SLC_AnyStream:$result);
  let hasCustomAssemblyFormat = 1;
  let builders = [
    OpBuilder<(ins "::mlir::Value":$memref, "::mlir::ValueRange":$indices,
                   "::mlir::Value":$mask, "int64_t":$vectorLength,
                   CArg<"::mlir::Value", "{}">:$otherwise)>
  ];
  let hasVerifier = 1;
}

def SLCV_VecStoreStrOp : SLCV_Op<"vec_store_str", [
    AttrSizedOperandSegments, SLC_OfAccessUnit, SLC_MemoryStreamOpInterface]> {
  let summary = "A stream of vectors that is written to memory";
  let description = [{
    `slc.store_str` for vectors: lane `l` is stored to `memref[indices]` with
    lane `l` of every vector index, lanes in order. A lane that `mask` switches
    off is not stored. `contiguous` is that of `slcv.vec_mem_str`.

    ```mlir
    slcv.vec_store_str %v, %out[%b, %e] mask %mask contiguous nontemporal
      : !slc.stream<vector<16xf32>>, memref<?x?xf32>[!slc.stream<index>, !slc.stream<vector<16xindex>>]
    ```
  }];
  let arguments = !con(
      (ins SLC_AnyStream:$stream,
           Arg<AnyMemRef, "where to store to", [MemWrite]>:$memref,
           Variadic<SLCV_LaneIndex>:$indices, Optional<SLCV_MaskStream>:$mask,
           UnitAttr:$contiguous),
      SLC_CacheHints<>.arguments);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def SLCV_VecAluStrOp : SLC_StreamOp<
    SLCV_Dialect, "vec_alu_str",
    SLC_ArithmeticOf<"::ember::slcv::verifyVectorArithmetic">> {
  let summary = "A stream of vector integer arithmetic";
  let description = [{
    Applies `opcode` lane by lane. Operands are fixed during the nest or
    streams; scalars are the same for all lanes; at least one operand is a
    stream of vectors.

    ```mlir
    %next = slcv.vec_alu_str add %p, %c1 : !slc.stream<vector<8xindex>>, index -> !slc.stream<vector<8xindex>>
    ```
  }];
}

def SLCV_AsScalarOp : SLCV_Op<"as_scalar", [Pure]> {
  let summary = "A vector as code that is still scalar sees it";
  let description = [{
    Stands between `slc-vectorize` and `vectorize-callbacks` where a vector is
    used by operations that are still written for one lane: the border up to
    which a nest is vectorised. It is made of a stream of vectors in a loop
    body, or of a vector in a callback, and cannot be executed.

    ```mlir
    %s = slcv.as_scalar %v : !slc.stream<vector<16xf32>> to !slc.stream<f32>
    %x = slcv.as_scalar %y : vector<16xf32> to f32
    ```
  }];
  let arguments = (ins AnyType:$input);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $input attr-dict `:` qualified(type($input)) `to` qualified(type($result))
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$input)>];
  let hasVerifier = 1;
}

def SLCV_BufStrOp : SLCV_Op<"buf_str", [
    SLC_OfAccessUnit,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "A stream of compound values";
  let description = [{
    Declares, once per iteration of the loop it stands in, an empty buffer
    that the loop nested beside it fills.

    ```mlir
    %buf = slcv.buf_str : !slc.buffer<vector<16xf32>>
    ```
  }];
  let results = (outs Res<SLC_Buffer, "the buffer", [MemAlloc]>:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
}

def SLCV_PushOp : SLCV_Op<"push"> {
  let summary = "Appends a stream's element to a buffer";
  let description = [{
    Appends the current element of `stream` to `buffer`, which was declared
    in the body around this loop: `buffer` gets one element per iteration.

    ```mlir
    slcv.push %v, %buf : !slc.stream<vector<16xf32>>, !slc.buffer<vector<16xf32>>
    ```
  }];
  let arguments = (ins SLC_AnyStream:$stream,
                       Arg<SLC_Buffer, "the buffer", [MemWrite]>:$buffer);
  let assemblyFormat = [{
    $stream `,` $buffer attr-dict `:` qualified(type($stream)) `,` qualified(type($buffer))
  }];
  let hasVerifier = 1;
}

#endif // EMBER_DIALECT_SLCV_IR_SLCVOPS_TD
