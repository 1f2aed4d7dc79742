//===- LanePasses.td - Fast code for lanes on the CPU ------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes that a kernel is right without, on what the lanes of vectors compute.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LOOPS_TRANSFORMS_LANEPASSES_TD
#define EMBER_LOOPS_TRANSFORMS_LANEPASSES_TD

include "mlir/Pass/PassBase.td"

def PairBFloat16Lanes : Pass<"pair-bfloat16-lanes", "::mlir::func::FuncOp"> {
  let summary = "Take apart two bf16 at a time where lanes may be in any order";
  let description = [{
    A bf16 is the upper half of an f32. To widen the lanes of a vector, they are
    first moved apart, which takes as long as adding them up. Two accumulators
    that a loop carries for neighbouring vectors of a row need not be in the
    order of the row: one of them gets the even elements, which a shift makes
    f32, and the other one the odd elements, which masking does. They are
    brought into order behind the loop.

    ```mlir
    %s0, %s1 = scf.for ... iter_args(%a = %a0, %b = %b0) {
      %x = vector.load %table[%i, %c0] : memref<?x32xbf16>, vector<16xbf16>
      %y = vector.load %table[%i, %c16] : memref<?x32xbf16>, vector<16xbf16>
      %u = arith.extf %x : vector<16xbf16> to vector<16xf32>
      %v = arith.extf %y : vector<16xbf16> to vector<16xf32>
      %c = arith.addf %a, %u : vector<16xf32>
      %d = arith.addf %b, %v : vector<16xf32>
      scf.yield %c, %d
    }
    ```
    becomes
    ```mlir
    %e0 = vector.shuffle %a0, %b0 [0, 2, 4, ..., 30]
    %o0 = vector.shuffle %a0, %b0 [1, 3, 5, ..., 31]
    %e1, %o1 = scf.for ... iter_args(%e = %e0, %o = %o0) {
      %w = vector.load %table[%i, %c0] : memref<?x32xbf16>, vector<32xbf16>
      %p = vector.bitcast %w : vector<32xbf16> to vector<16xi32>
      %u = arith.shli %p, %c16 : vector<16xi32>       // as f32
      %v = arith.andi %p, %upper : vector<16xi32>     // as f32
      ...
    }
    %s0 = vector.shuffle %e1, %o1 [0, 16, 1, 17, ..., 7, 23]
    %s1 = vector.shuffle %e1, %o1 [8, 24, 9, 25, ..., 15, 31]
    ```
    Both accumulators must be computed alike, element by element, from one load
    each and from what is the same in all lanes; results have the same bits.
    Processors store the low byte first.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect"];
  let statistics = [
    Statistic<"paired", "paired", "Pairs of accumulators">,
  ];
}

def ApproximateTrigonometry
    : Pass<"approximate-trigonometry", "::mlir::func::FuncOp"> {
  let summary = "Compute sines and cosines of vectors without the C library";
  let description = [{
    `math.sin` and `math.cos` of vectors of f32 that allow it (`afn`) become
    polynomials, which are right to about two units in the last place, for both
    functions of an angle together. Where a lane is farther than 10000 from zero,
    infinite or no number, the C library is asked for each lane, as before.

    ```mlir
    %s = math.sin %x fastmath<afn> : vector<16xf32>
    ```
    becomes
    ```mlir
    %far = vector.reduction <or>, %isFar : vector<16xi1> into i1
    %s, %c = scf.if %far -> (vector<16xf32>, vector<16xf32>) {
      ... // math.sin, math.cos
    } else {
      ... // polynomials
    }
    ```
    MLIR's own approximations of these functions take pi / 2 as one float. An
    angle of 10000 is then off by up to 0.0008, a small negative one by far more
    than two units in the last place, and the two functions take about twice the
    instructions, because they share nothing.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
  let statistics = [
    Statistic<"approximated", "approximated", "Angles">,
  ];
}

def ApproximateExponentials
    : Pass<"approximate-exponentials", "::mlir::func::FuncOp"> {
  let summary = "Compute exponentials of vectors without the C library";
  let description = [{
    `math.exp` and `math.expm1` of vectors of f32 become a polynomial, scaled by a
    power of two, which is right to about one unit in the last place for all
    numbers, the second one to two; the C library would be called for each lane.

    ```mlir
    %y = math.exp %x : vector<8xf32>
    ```
    becomes
    ```mlir
    %turns = math.fma %x, %log2e, %magic : vector<8xf32>
    ... // %rest, and a polynomial of it
    %half = arith.mulf %power, %scale : vector<8xf32>
    %y = arith.mulf %half, %otherScale : vector<8xf32>
    ```
    Infinities and what is no number are as they were, and what is too small to
    be a normal number is rounded once.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
  let statistics = [
    Statistic<"approximated", "approximated", "Exponentials">,
  ];
}

def ApproximateLogarithms
    : Pass<"approximate-logarithms", "::mlir::func::FuncOp"> {
  let summary = "Compute logarithms of vectors without the C library";
  let description = [{
    `math.log` and `math.log1p` of vectors of f32 become a polynomial of the
    fraction and a multiple of the exponent, which are right to about one unit in
    the last place for all numbers, also near 0; the C library would be called for
    each lane.

    ```mlir
    %y = math.log1p %x : vector<8xf32>
    ```
    becomes
    ```mlir
    %sum = arith.addf %x, %one : vector<8xf32>
    ... // %lost, what 1 + x is less than the sum, by the sum
    ... // %exponent and %fraction of the sum, and a polynomial of the fraction
    %y = math.fma %exponent, %ln2, %rest : vector<8xf32>
    ```
    Of 0, infinities, negative numbers and what is no number, the results are the C
    library's. MLIR's own approximation of `math.log1p` is the logarithm of the sum
    times x by what is left of it, which takes a division more.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
  let statistics = [
    Statistic<"approximated", "approximated", "Logarithms">,
  ];
}

def ApproximateErrorFunctions
    : Pass<"approximate-error-functions", "::mlir::func::FuncOp"> {
  let summary = "Compute erf of vectors without the C library";
  let description = [{
    `math.erf` of vectors of f32 becomes a polynomial near 0, and 1 less an
    exponential elsewhere, which are right to about one unit in the last place for
    all numbers; the C library would be called for each lane. The exponential is
    for `approximate-exponentials`.

    ```mlir
    %y = math.erf %x : vector<8xf32>
    ```
    becomes
    ```mlir
    ... // %small, a polynomial of %x, and %exponent, one of its size
    %power = math.exp %exponent : vector<8xf32>
    %large = arith.subf %one, %power : vector<8xf32>
    ... // with the sign of %x
    %y = arith.select %isNear0, %small, %signed : vector<8xi1>, vector<8xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
  let statistics = [
    Statistic<"approximated", "approximated", "Functions">,
  ];
}

#endif // EMBER_LOOPS_TRANSFORMS_LANEPASSES_TD
