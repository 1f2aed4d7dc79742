//===- CasePasses.td - What the execute unit does ----------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_DLC_TRANSFORMS_CASEPASSES_TD
#define EMBER_DIALECT_DLC_TRANSFORMS_CASEPASSES_TD

include "ember/Dialect/DLC/Transforms/ProgramPass.td"

def MergeCallbacks : DLC_ProgramPass<"merge-callbacks"> {
  let summary = "Begin a segment where the one before it ends";
  let description = [{
    Where a segment needs something done before its first lookup and after its
    last, it costs two tokens. If the first one brings no operands, and how many
    segments there are is known, its work is done as soon as the segment before
    has ended, and for the first segment before the programs start.

    ```mlir
    dlc.program ...
    access {
      %bag = dlc.new_tu %c0 to %n step %c1
      dlc.register_callback %bag, ite, 0
      ...
      dlc.register_callback %seg, end, 2
    }
    compute {
      dlc.compute_loop
      case 0 {
        // Sets a sum to zero.
      }
      case 1 {
        // Adds a row.
      }
      case 2 {
        // Divides the sum.
      }
    }
    ```
    becomes
    ```mlir
    dlc.program ...
    access {
      %bag = dlc.new_tu %c0 to %n step %c1
      ...
      dlc.register_callback %seg, end, 2
    }
    compute {
      scf.if %any {
        // Sets the first sum to zero.
      }
      dlc.compute_loop iter_args(%n) -> (index)
      case 1 {
      ^bb0(%left: index):
        ...
      }
      case 2 {
      ^bb0(%left: index):
        // Divides the sum.
        %more = arith.subi %left, %c1 : index
        %continues = arith.cmpi sgt, %more, %c0 : index
        scf.if %continues {
          // Sets the next sum to zero.
        }
        dlc.yield %more : index
      }
    }
    ```
  }];
  let statistics = [
    Statistic<"merged", "merged", "Callbacks that became part of others">,
  ];
  let dependentDialects = ["::ember::dlc::DLCDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def LoadDirectRows : DLC_ProgramPass<"load-direct-rows"> {
  let summary = "Do not send rows that the execute unit finds itself";
  let description = [{
    Some rows follow the outermost loop: of a vertex, beside those of its
    neighbours. The execute unit counts these iterations where queue alignment
    has it do so, and rows that come one after the other are what caches and
    prefetchers of a core are good at. Such a row is loaded by the case itself,
    and the access unit and the queue are left to rows that indices select. Rows
    that are of use for one traversal only are still sent.

    ```mlir
    dlc.program ...
    access {
      %vertex = dlc.new_tu %c0 to %n step %c1
      %i = dlc.get_ind_var %vertex : !slc.stream<index>
      dlc.register_callback %vertex, ite, 0
      ...
      %v = dlc.mem_str %elem, %own[%i, %e] contiguous : memref<?x8xf32>[!slc.stream<index>, !slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
      dlc.register_callback %elem, end, 1 announced
      dlc.register_operand %elem, ite, %v for 1 : !slc.stream<vector<4xf32>>
      dlc.register_operand %elem, ite, %w for 1 : !slc.stream<vector<4xf32>>
    }
    compute {
      dlc.compute_loop iter_args(%none) -> (index)
      case 0 {
      ^bb0(%b: index):
        %next = arith.addi %b, %c1 : index
        ...
      }
      case 1 {
      ^bb0(%b: index):
        scf.for %k = %c0 to %c2 step %c1 {
          %v = dlc.pop_operand : vector<4xf32>
          %w = dlc.pop_operand : vector<4xf32>
          ...
    ```
    becomes
    ```mlir
      dlc.register_callback %elem, end, 1 announced
      dlc.register_operand %elem, ite, %w for 1 : !slc.stream<vector<4xf32>>
    ...
        scf.for %k = %c0 to %c2 step %c1 {
          %column = arith.muli %k, %c4 : index
          %v = vector.load %own[%b, %column] : memref<?x8xf32>, vector<4xf32>
          %w = dlc.pop_operand : vector<4xf32>
    ```
  }];
  let statistics = [
    Statistic<"loaded", "loaded rows", "Rows that cases load themselves">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def PromoteRows : Pass<"promote-rows", "::mlir::ModuleOp"> {
  let summary = "Keep the row that cases add to in registers";
  let description = [{
    Each lookup is a case of its own, which loads the sums of its segment, adds to
    them, and stores them. Where registers of the execute unit select the row,
    cases work on a buffer instead; the case that goes on to another row writes
    the last one back, and so does the end of the program. What is of a known,
    short length is unrolled later and then stays in vector registers, of which
    half are given away.

    ```mlir
    %last = dlc.compute_loop iter_args(%none) -> (index)
    case 1 {
    ^bb0(%b: index):
      %v = dlc.pop_operand : vector<16xf32>
      %sum = vector.load %out[%b, %c0] : memref<?x16xf32>, vector<16xf32>
      %next = arith.addf %sum, %v : vector<16xf32>
      vector.store %next, %out[%b, %c0] : memref<?x16xf32>, vector<16xf32>
      dlc.yield %b : index
    }
    case 0 {
    ^bb0(%b: index):
      %n = arith.addi %b, %c1 : index
      vector.store %zero, %out[%n, %c0] : memref<?x16xf32>, vector<16xf32>
      dlc.yield %n : index
    }
    ```
    becomes, once loops of one iteration are gone,
    ```mlir
    %row = memref.alloca() {alignment = 64 : i64} : memref<16xf32>
    %last, %begun = dlc.compute_loop iter_args(%none, %false) -> (index, i1)
    case 1 {
    ^bb0(%b: index, %is: i1):
      %v = dlc.pop_operand : vector<16xf32>
      %sum = vector.load %row[%c0] : memref<16xf32>, vector<16xf32>
      %next = arith.addf %sum, %v : vector<16xf32>
      vector.store %next, %row[%c0] : memref<16xf32>, vector<16xf32>
      dlc.yield %b, %is : index, i1
    }
    case 0 {
    ^bb0(%b: index, %is: i1):
      scf.if %is {
        %done = vector.load %row[%c0] : memref<16xf32>, vector<16xf32>
        vector.store %done, %out[%b, %c0] : memref<?x16xf32>, vector<16xf32>
      }
      %n = arith.addi %b, %c1 : index
      %old = vector.load %out[%n, %c0] : memref<?x16xf32>, vector<16xf32>
      vector.store %old, %row[%c0] : memref<16xf32>, vector<16xf32>
      vector.store %zero, %row[%c0] : memref<16xf32>, vector<16xf32>
      dlc.yield %n, %true : index, i1
    }
    scf.if %begun { ... }
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", "0",
           "Bits of a vector register (0: those of the target)">,
    Option<"vectorRegisters", "vector-registers", "int64_t", "0",
           "Vector registers (0: those of the target)">,
    Option<"mayAlias", "may-alias", "bool", "false",
           "Arguments may overlap each other">,
  ];
  let statistics = [
    Statistic<"promoted", "promoted rows", "Memory of which a row is promoted">,
  ];
  let dependentDialects = [
    "::ember::EmberDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def OrderCases : Pass<"order-cases", "::mlir::func::FuncOp"> {
  let summary = "Put the most frequent case of each compute program first";
  let description = [{
    Sorts the cases of each `dlc.compute_loop` by how often they are expected to
    run (Ember paper, section 8.3), and gives them weights that say so. Tokens
    keep their ids.

    A case runs as often as the event happens at which its callback is
    registered. That follows from the traversal units: one that is nested
    iterates as often as its bounds say, if they are constant, in each iteration
    of its parent, and begins and ends once in it. Bounds that are not known are
    taken for 64 iterations of an outermost unit, 16 of one that is bounded by
    streams, and 16 elements of any other one; a toggled callback runs in every
    fourth iteration.

    ```mlir
    dlc.compute_loop
    case 0 {          // at the end of a bag
      ...
    }
    case 1 {          // at the end of a row of a bag
      ...
    }
    ```
    becomes
    ```mlir
    dlc.compute_loop
    case 1 weight 1024 {
      ...
    }
    case 0 weight 64 {
      ...
    }
    ```

    With `profile=FILE`, which `ember-run --stats=FILE` has written for the same
    program, weights are the tokens counted there. A remark names programs that
    the file does not know; they are ordered by estimates. A file that cannot be
    read or that counts events at which a program has no callback is an error.
  }];
  let options = [
    Option<"profile", "profile", "std::string", "\"\"",
           "Statistics of a run to take the counts of tokens from">,
  ];
  let statistics = [
    Statistic<"moved", "moved", "Compute programs whose cases changed places">,
  ];
  let dependentDialects = ["::ember::dlc::DLCDialect"];
}

#endif // EMBER_DIALECT_DLC_TRANSFORMS_CASEPASSES_TD
