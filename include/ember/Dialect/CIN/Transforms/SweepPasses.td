//===- SweepPasses.td - Statements that pass tiles on ------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_TRANSFORMS_SWEEPPASSES_TD
#define EMBER_DIALECT_CIN_TRANSFORMS_SWEEPPASSES_TD

include "mlir/Pass/PassBase.td"

def AnnotateEinsumDag : Pass<"annotate-einsum-dag", "::mlir::func::FuncOp"> {
  let summary = "Say of statements what they pass to each other";
  let description = [{
    Reads a function as a graph of operations, as `ember-dag` does, and gives each
    statement a `cin.reuse`: which variable dominates it, how many operations have to
    end before it begins, with which others it may run at once, and how its result
    passes to those that read it. A function on tensors is one graph, with its
    loop; of one on memrefs each evaluation is.

    Sizes are those of types and of `cin.hints`. Where one is not known, or
    something is no statement that the graph knows, a remark says so, and nothing
    changes.

    ```mlir
    cin.forall (%m, %n) attributes {names = ["m", "n"]} {...}
    ```
    becomes
    ```mlir
    cin.forall (%m, %n) attributes {names = ["m", "n"], cin.reuse = {node = 0, dominance = "U",
        rank = "m", stage = 0, step = 0, feeds = ["1 pipelineable"]}} {...}
    ```
  }];
  let options = [
    Option<"largeRank", "large-rank", "double", /*default=*/"1000",
           "A rank dominates that has more than so many values">,
    Option<"rankRatio", "rank-ratio", "double", /*default=*/"100",
           "and more than so many times those of each other rank">,
    Option<"balancedRank", "balanced-rank", "double", /*default=*/"50",
           "An operation whose ranks all have as many values is balanced">];
  let dependentDialects = ["::ember::cin::CINDialect"];
}

def FuseEinsumDag : Pass<"fuse-einsum-dag", "::mlir::func::FuncOp"> {
  let summary = "Make sweeps over tiles of statements that pass tiles on";
  let description = [{
    Statements one behind the other that are of one step, as their `cin.reuse`
    says, or go over the same array by their dominant variables, become a sweep:
    each is over the tiles of its dominant variable, in an
    outermost loop that `--cin-join-sweeps` makes one of. What a statement writes
    of a tile is in a cache when the next one reads it, whatever its pattern: a
    result that nobody else knows is never read from memory, and others are
    written once.

    A statement that sums over its dominant variable has a sum for each tile,
    which one behind the sweep adds up in their order, so that results do not
    depend on how many threads share the tiles.

    Statements are left alone that write what others of the sweep read in another
    place than the one that they are at, whose dominant variable has a range or
    walks what a format stores, or that have a schedule of their own.

    ```mlir
    cin.forall (%m, %n) {... S[m, n] = ...}
    cin.forall (%q, %n) {... D[q, n] = sum k: P[k, q] * S[k, n]}
    ```
    becomes
    ```mlir
    %E = cin.temporary sizes(%tiles) : memref<?x8x8xf32>
    cin.forall (%m0 in %zero to %tiles, %n) {... for m1 in the tile: S[m1, n] = ...}
    cin.forall (%k0, %q, %n) {... E[k0, q, n] = sum k in the tile: P[k, q] * S[k, n]}
    cin.forall (%q, %n) {... D[q, n] = sum k0: E[k0, q, n]}
    ```
    of which the first two have a `cin.sweep` with the same number.
  }];
  let options = [
    Option<"tileBytes", "tile-bytes", "int64_t", /*default=*/"1 << 19",
           "What tiles of all arrays of a sweep take together, at most">];
  let dependentDialects = ["::ember::cin::CINDialect"];
}

def JoinSweeps : Pass<"cin-join-sweeps", "::mlir::func::FuncOp"> {
  let summary = "One loop over tiles for the statements of a sweep";
  let description = [{
    Statements one behind the other with the same number of a `cin.sweep`, each of which is
    concrete and has one outermost loop, become one, in which their bodies stand
    one behind the other.

    ```mlir
    cin.forall (%t in %zero to %tiles) attributes {cin.sweep = {number = 0, tile = "t"}} {A}
    cin.forall (%t) attributes {cin.sweep = {number = 0, tile = "t"}} {B}
    ```
    becomes
    ```mlir
    cin.forall (%t in %zero to %tiles) {A; B}
    ```
  }];
  let dependentDialects = ["::ember::cin::CINDialect"];
}

#endif // EMBER_DIALECT_CIN_TRANSFORMS_SWEEPPASSES_TD
