//===- Passes.td - Passes of the native target -------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_TARGET_NATIVE_PASSES_TD
#define EMBER_TARGET_NATIVE_PASSES_TD

include "mlir/Pass/PassBase.td"

def RefuseTensors : Pass<"refuse-tensors", "::mlir::ModuleOp"> {
  let summary = "Refuse what is not lowered to loops over memrefs";
  let description = [{
    Native code starts from memrefs. An operation on tensors, or one of
    `sparse_tensor` other than those on a `storage_specifier`, is an error that
    names the operation: it was never given to upstream's sparsifier, or the
    sparsifier left it as it was.
  }];
}

def AnnotateWrittenArguments
    : Pass<"annotate-written-arguments", "::mlir::ModuleOp"> {
  let summary = "Record which memref arguments each function stores to";
  let description = [{
    Sets `ember.written_arguments` on every function with a body: the positions
    of the memref arguments it stores to, itself, through views, or in functions
    it calls. Later lowerings hide stores (an access program packs its buffers
    into an environment); the attribute keeps what was known before.
  }];
  let dependentDialects = ["::ember::EmberDialect"];
}

def EmitParallelCalls : Pass<"emit-parallel-calls", "::mlir::ModuleOp"> {
  let summary = "Hand loops to the threads of the runtime";
  let description = [{
    A call that [parallelize-loops](loops-passes.md#-parallelize-loops) made becomes a call of
    the runtime's `ember_parallel`, which cuts the loops into parts of equal work
    and runs them on its threads. Operands are passed in memory:

    ```mlir
    ember.parallel_call @bag_part(%c0, %n, %out)
        loops [#ember.loop_cost<cost = 9>] : index, index, memref<?xf32>
    ```
    becomes
    ```mlir
    %env = llvm.alloca %1 x !llvm.struct<(...)> : (i64) -> !llvm.ptr
    %loops = llvm.alloca %1 x !llvm.struct<(...)> : (i64) -> !llvm.ptr
    ...
    llvm.call @ember_parallel(@ember_run_bag_part, %env, %loops, %1)
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def LowerLookupDescriptions
    : Pass<"lower-lookup-descriptions", "::mlir::ModuleOp"> {
  let summary = "Tell the engine beside the core which rows are looked up";
  let description = [{
    `ember.describe_lookup` becomes a call of the runtime with addresses and sizes; in
    front of the first one of a function, the engine forgets what it was told
    before. Only simulated programs have that runtime.

    ```mlir
    llvm.call @ember_forget_lookups()
    llvm.call @ember_describe_lookup(%indices, %c4, %count, %row0, %stride, %bytes)
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect"];
}

def OwnResults : Pass<"own-results", "::mlir::ModuleOp"> {
  let summary = "Return memory that the caller may free";
  let description = [{
    Whoever calls a kernel frees the memrefs that it returns. Of what a public
    function returns that is not memory of its own, allocated in it and returned
    once, there is a copy: of arguments, of constants, of what is returned twice.

    ```mlir
    func.func @same(%x: memref<4xf32>) -> memref<4xf32> {
      return %x : memref<4xf32>
    }
    ```
    becomes
    ```mlir
    func.func @same(%x: memref<4xf32>) -> memref<4xf32> {
      %copy = memref.alloc() : memref<4xf32>
      memref.copy %x, %copy : memref<4xf32> to memref<4xf32>
      return %copy : memref<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def PrepareBuffers : Pass<"prepare-buffers", "::mlir::func::FuncOp"> {
  let summary = "Give local buffers and copies a form that is safe to lower";
  let description = [{
    Stack buffers whose size is not static, or for which a function's share of
    the stack is too small, are allocated instead and freed where their scope
    ends; the others move to the function's entry, where they take stack space
    once, however often a loop comes by. Those of integers start as zeros. `memref.copy`
    between memrefs that are not both contiguous becomes loops.
  }];
  let options = [
    Option<"clearIntegers", "clear-integers", "bool", "true",
           "Fill stack buffers of integers with zeros">,
    Option<"maxStackBytes", "max-stack-bytes", "int64_t", "65536",
           "Bytes of buffers that one function keeps on the stack">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def LowerMasks : Pass<"lower-masks", "::mlir::func::FuncOp"> {
  let summary = "Turn vector masks into comparisons of narrow lanes";
  let description = [{
    Upstream compares the count of a `vector.create_mask` with the lanes in 64
    bits, which is slow, or in 32, which is wrong for large counts. Here the
    count is first cut off at zero and at the length of the vector, so that
    comparing 32 bits is right for any count.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerNarrowFloats : Pass<"lower-narrow-floats", "::mlir::ModuleOp"> {
  let summary = "Compute with bf16 and 8-bit floats in f32, and keep them in integers";
  let description = [{
    LLVM knows bf16 as far as a processor does: few compute with it, some of
    them take subnormal numbers for zero, and for the others it calls functions
    that no library of the system has, even where vectors are only moved. 8-bit
    floats it does not know at all. Here each arithmetic operation extends its
    operands to f32 and truncates its result; reductions become one such
    operation per lane, as each of them rounds. The conversions become integer
    arithmetic, and bf16 becomes i16, f8E4M3FN and its like i8 in all types, so
    that results are the same on every processor. Which floats these are, and
    how they are laid out, the table of element types says
    (`runtime/include/ember/Runtime/ScalarTypes.def`).

    ```mlir
    %s = arith.addf %a, %b : bf16
    // becomes
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %b : bf16 to f32
    %z = arith.addf %x, %y : f32
    %s = arith.truncf %z : f32 to bf16
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerPackedLanes : Pass<"lower-packed-lanes", "::mlir::func::FuncOp"> {
  let summary = "Load and store vectors of narrow integers byte by byte";
  let description = [{
    An element of a `memref<?xi1>` takes a byte, and so does one of i4; but LLVM
    packs a vector of them into bits. Here `vector.load`, `vector.store` and
    their masked forms access vectors of whole bytes instead:

    ```mlir
    %v = vector.load %m[%i] : memref<?xi1>, vector<8xi1>
    // becomes
    %bytes = llvm.load %address {alignment = 1} : !llvm.ptr -> vector<8xi8>
    %v = arith.trunci %bytes : vector<8xi8> to vector<8xi1>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerLaneExtremes : Pass<"lower-lane-extremes", "::mlir::func::FuncOp"> {
  let summary = "Find the least and the largest float of a vector as integers on x86";
  let description = [{
    x86 has no instruction for `minimumf` and `maximumf`, in which -0 is less
    than 0 and NaN is the result if it is an operand: LLVM 22 emits several
    for each, and takes the last lanes of a vector apart. Of integers there is
    one. In their order, floats are integers of which negative ones have all bits but
    the sign inverted; NaN is looked for once. Nothing is done on other targets.

    ```mlir
    %s = vector.reduction <minimumf>, %v : vector<8xf32> into f32
    // becomes
    %ordered = ...
    %least = vector.reduction <minsi>, %ordered : vector<8xi32> into i32
    %number = ...
    %no_numbers = arith.cmpf uno, %v, %v : vector<8xf32>
    %is_none = vector.reduction <or>, %no_numbers : vector<8xi1> into i1
    %s = arith.select %is_none, %nan, %number : f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerNarrowGathers : Pass<"lower-narrow-gathers", "::mlir::func::FuncOp"> {
  let summary = "Gather integers below 32 bits lane by lane on AArch64";
  let description = [{
    LLVM 22 stops at a gather of four integers of 8 or 16 bits that are extended
    to 32, if registers are longer than 128 bits ("Cannot select ... NVCAST"). On
    AArch64 gathers of integers below 32 bits become loads of single elements
    under conditions; on other targets nothing is done.

    ```mlir
    %v = vector.gather %m[%c0] [%indices], %mask, %rest
        : memref<?xi8>, vector<4xindex>, vector<4xi1>, vector<4xi8> into vector<4xi8>
    // becomes, for each lane
    %r = scf.if %on -> vector<4xi8> {
      %x = vector.load %m[%i] : memref<?xi8>, vector<1xi8>
      ...
    ```
  }];
  let dependentDialects = ["::ember::EmberDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def EmitKernelEntries : Pass<"emit-kernel-entries", "::mlir::ModuleOp"> {
  let summary = "Emit the C entry of every public function";
  let description = [{
    For each public function `F` with a body, the C function

    ```c
    int32_t ember_kernel_F(void **args, ember_error *error);
    ```
    where `args[i]` points to the descriptor (memrefs) or the value (scalars,
    structures) of argument `i`, and `args[n + k]` to the place for result `k`.
    It runs a wrapper of `F` under `ember_invoke`. The wrapper checks the sizes
    and strides that the argument types fix, and that memory which `F` stores to
    overlaps no other argument; then it calls `F`. Arguments that were checked
    so carry `ember.noalias`, which convert-native-to-llvm turns into LLVM's
    noalias.

    Of calls of one function in `F` that stand one behind the other, the entry
    makes a loop over a table, with a row for each call: the numbers of arguments
    of `F`, and constants. Arguments that `F` has for these calls alone are not
    passed to it; it reads them from `args`. In messages of the function, the names
    of its arguments are those of what each call gives it.

    ```mlir
    call @column(%arg0, %arg1, %out, %c0) : (memref<?xf32>, memref<?x8xf32>, memref<?x16xf32>, index) -> ()
    call @column(%arg2, %arg3, %out, %c8) : (memref<?xf32>, memref<?x8xf32>, memref<?x16xf32>, index) -> ()
    ```
    becomes
    ```mlir
    scf.for %i = %c0 to %c2 step %c1 {
      %row = llvm.getelementptr %table[%number] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<4 x i64>
      %first = llvm.load %row : !llvm.ptr -> i64
      ...
      func.call @column(%values, %rows, %out, %place)
    }
    ```
  }];
  let options = [
    Option<"mayAlias", "may-alias", "bool", "false",
           "Arguments may overlap: no check and no noalias">,
    Option<"leastCalls", "least-calls", "unsigned", "8",
           "Calls of one function that become a loop: fewer stay calls">,
  ];
  let dependentDialects = ["::ember::EmberDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def ConvertNativeToLLVM : Pass<"convert-native-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Lower func, scf, arith, math, memref and vector to llvm";
  let description = [{
    One full conversion, after which only the llvm dialect is left. Buffers come
    from `ember_alloc` and go to `ember_free`. Reductions keep their order.
    All functions but kernel entries become internal.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // EMBER_TARGET_NATIVE_PASSES_TD
