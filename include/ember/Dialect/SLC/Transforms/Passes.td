//===- Passes.td - Passes that decouple scf nests ----------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLC_TRANSFORMS_PASSES_TD
#define EMBER_DIALECT_SLC_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ChooseDecoupling : Pass<"choose-decoupling", "::mlir::ModuleOp"> {
  let summary = "Choose which scf loops the access unit traverses";
  let description = [{
    Marks in every outermost scf.for nest the loops to offload (Ember paper,
    section 6.2) with the attribute `slc.decouple`, and moves what the execute
    unit does into `slc.callback`s: `beg` before the nested offloaded loop,
    `end` after it, `ite` in the innermost one. Read-only loads and the index
    arithmetic they need stay outside.

    A loop is offloaded if its bounds are fixed during the nest or computed by
    offloaded loops, and it loads from a read-only location that no loop around
    it has loaded from already; at most one loop a level is. What is not
    offloaded stays as it was; a remark names the loop and the reason.

    A loop under an `scf.if` whose condition the access unit can evaluate is
    taken out of it: where the condition does not hold, it traverses nothing. A
    load under one stands there alone then, with what there is instead of it:
    `convert-scf-to-slc` makes a `slc.mem_str` with a mask of it. Remarks name
    the conditions that keep something in the execute unit.

    ```mlir
    scf.if %ok {
      %w = memref.load %weights[%i] : memref<?xf32>
      scf.for %e = %c0 to %n step %c1 { ... %w ... }
    }
    ```
    becomes
    ```mlir
    %w = scf.if %ok -> (f32) {
      %v = memref.load %weights[%i] : memref<?xf32>
      scf.yield %v : f32
    } else {
      scf.yield %zero : f32
    }
    %end = arith.select %ok, %n, %c0 : index
    scf.for %e = %c0 to %end step %c1 { ... %w ... }
    ```

    A loop-carried integer that grows by what is loaded, and whose total nobody
    uses, is a running sum that the access unit keeps: where segments begin that
    are given by their lengths. `slc.running_sums` lists the positions of those.

    Memory is read-only if nothing in the nest stores to it through a memref
    that may alias it. Distinct memref arguments, and memrefs of different
    element types, are taken as not aliasing; kernels check at entry that what
    they write overlaps nothing else. `may-alias` turns both assumptions off.

    ```mlir
    scf.for %e = %c0 to %n step %c1 {
      %v = memref.load %table[%i, %e] : memref<?x?xf32>
      %acc = memref.load %out[%b, %e] : memref<?x?xf32>
      %sum = arith.addf %acc, %v : f32
      memref.store %sum, %out[%b, %e] : memref<?x?xf32>
    }
    ```
    becomes
    ```mlir
    scf.for %e = %c0 to %n step %c1 {
      %v = memref.load %table[%i, %e] : memref<?x?xf32>
      slc.callback ite {
        %acc = memref.load %out[%b, %e] : memref<?x?xf32>
        %sum = arith.addf %acc, %v : f32
        memref.store %sum, %out[%b, %e] : memref<?x?xf32>
      }
    } {slc.decouple}
    ```
  }];
  let options = [
    Option<"mayAlias", "may-alias", "bool", "false",
           "Take memref arguments and memrefs of different element types as "
           "possibly aliasing">
  ];
  let statistics = [
    Statistic<"numNests", "nests-decoupled", "Nests that were decoupled">,
    Statistic<"numLoops", "loops-offloaded", "Loops given to the access unit">
  ];
  let dependentDialects = ["::ember::slc::SLCDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect"];
}

def MoveToValOps : Pass<"move-to-val-ops", "::mlir::func::FuncOp"> {
  let summary = "Move stream-to-value conversions into callbacks";
  let description = [{
    `convert-scf-to-slc` puts a `slc.str_to_val` beside the stream it reads.
    This pass gives each callback its own, so that loop bodies hold streams and
    callbacks only.

    ```mlir
    %val = slc.str_to_val %v : !slc.stream<f32> -> f32
    slc.callback ite {
      memref.store %val, %out[] : memref<f32>
    }
    ```
    becomes
    ```mlir
    slc.callback ite {
      %val = slc.str_to_val %v : !slc.stream<f32> -> f32
      memref.store %val, %out[] : memref<f32>
    }
    ```
  }];
}

def MaskCallbacks : Pass<"mask-callbacks", "::mlir::func::FuncOp"> {
  let summary = "Leave callbacks out where a stream says that they do nothing";
  let description = [{
    A callback whose code stands under one condition that the access unit can
    evaluate gets a mask: for the other iterations nothing crosses the queues. A
    callback with code for both outcomes becomes two of which one is left out.
    Where the whole body of an innermost loop is left out for a condition of the
    loops around, the loop has an empty range, and nothing is loaded either.

    A callback that chooses between what it computes and what memory held before
    is under a condition, too. `selects=false` leaves it as it is: a processor
    would rather choose than branch.

    Branches that are left in an innermost loop and only compute become choices,
    which lanes can make. Remarks name the conditions that keep a callback
    running which would do nothing.

    ```mlir
    slc.callback end {
      %row = slc.str_to_val %i : !slc.stream<index> -> index
      %ok = arith.cmpi sge, %row, %c0 : index
      scf.if %ok {
        memref.store %row, %out[] : memref<index>
      }
    }
    ```
    becomes
    ```mlir
    %ok = slc.cmp_str sge %i, %c0 : !slc.stream<index>, index -> !slc.stream<i1>
    slc.callback end mask %ok : !slc.stream<i1> {
      %row = slc.str_to_val %i : !slc.stream<index> -> index
      memref.store %row, %out[] : memref<index>
    }
    ```
  }];
  let options = [
    Option<"selects", "selects", "bool", "true",
           "Take stores of what was there before for no stores">
  ];
  let statistics = [
    Statistic<"masked", "callbacks-masked", "Callbacks with a mask">,
    Statistic<"predicated", "loops-predicated", "Loops left out as a whole">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def StoreStreams : Pass<"store-streams", "::mlir::ModuleOp"> {
  let summary = "Let the access unit store what callbacks only pass on";
  let description = [{
    A callback that stores a stream's element as it is, where only streams say,
    is done by the access unit itself: `slc.store_str` (Ember paper, section
    7.4). Gathers then send nothing through the queues at all. Arithmetic that
    addresses need is done by streams of the outermost loop that has them.

    A store stays in the execute unit, with a remark, if other code of the nest
    may touch the same memory, since the access unit runs ahead of it; if its
    value is computed; if it stands behind a nested loop; and, in mode `auto`,
    if its value crosses to the execute unit anyway.

    ```mlir
    slc.callback ite {
      %bag = slc.str_to_val %b : !slc.stream<index> -> index
      %pos = slc.str_to_val %e : !slc.stream<index> -> index
      %val = slc.str_to_val %v : !slc.stream<f32> -> f32
      memref.store %val, %out[%bag, %pos] : memref<?x?xf32>
    }
    ```
    becomes
    ```mlir
    slc.store_str %v, %out[%b, %e] : !slc.stream<f32>, memref<?x?xf32>[!slc.stream<index>, !slc.stream<index>]
    ```
  }];
  let options = [
    Option<"mode", "mode", "::ember::Choice<::ember::StoreStreamMode>",
           "::ember::StoreStreamMode::automatic",
           "Which stores the access unit makes",
           [{::llvm::cl::values(
             clEnumValN(::ember::StoreStreamMode::automatic, "auto",
                        "those whose value need not cross then"),
             clEnumValN(::ember::StoreStreamMode::always, "always",
                        "all that it can"),
             clEnumValN(::ember::StoreStreamMode::never, "never",
                        "none"))}]>,
    Option<"mayAlias", "may-alias", "bool", "false",
           "Take memref arguments and memrefs of different element types as "
           "possibly aliasing">,
  ];
  let statistics = [
    Statistic<"stores", "stores", "Stores given to the access unit">
  ];
}

def ChooseCacheHints : Pass<"choose-cache-hints", "::mlir::func::FuncOp"> {
  let summary = "Choose cache levels and non-temporal accesses of streams";
  let description = [{
    Tells the access unit which cache should keep what a stream accesses, and
    what will not be needed again (Ember paper, section 7.4). The cost model is
    how often a nest comes back to the same element:

    | the address depends on | reuse | hint |
    |---|---|---|
    | every loop around the access, nothing loaded | each element once: indices, offsets, weights, results | `nontemporal` |
    | not on some loop around it | in each of its iterations | `level l1` |
    | something loaded, and a loop through the block it selects | whole blocks, as in sparse attention | `level l2` |
    | something loaded | as the data have it: a lookup | `level l2` if the memref is known to fit there, otherwise `level llc` |

    Streams that have a hint keep it.

    ```mlir
    %i = slc.mem_str %ids[%p] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    slc.for %e = %c0 to %c64 step %c1 {
      %v = slc.mem_str %table[%i, %e] : memref<?x64xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
    ```
    becomes
    ```mlir
    %i = slc.mem_str %ids[%p] nontemporal : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    slc.for %e = %c0 to %c64 step %c1 {
      %v = slc.mem_str %table[%i, %e] level llc : memref<?x64xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
    ```
  }];
  let options = [
    Option<"lookupLevel", "lookup-level", "::ember::Choice<::ember::LookupLevel>",
           "::ember::LookupLevel::automatic",
           "The cache that keeps what is looked up",
           [{::llvm::cl::values(
             clEnumValN(::ember::LookupLevel::automatic, "auto",
                        "as the table says"),
             clEnumValN(::ember::LookupLevel::l1, "l1", "the first"),
             clEnumValN(::ember::LookupLevel::l2, "l2", "the second"),
             clEnumValN(::ember::LookupLevel::llc, "llc", "the last"),
             clEnumValN(::ember::LookupLevel::none, "none",
                        "no hint, for streams of any kind"))}]>,
    Option<"l2Bytes", "l2-bytes", "int64_t", "1 << 20",
           "Up to which size a memref is taken to stay in the second cache">,
  ];
  let statistics = [
    Statistic<"levels", "levels", "Streams given a cache level">,
    Statistic<"nontemporal", "nontemporal", "Streams made non-temporal">
  ];
}

#endif // EMBER_DIALECT_SLC_TRANSFORMS_PASSES_TD
