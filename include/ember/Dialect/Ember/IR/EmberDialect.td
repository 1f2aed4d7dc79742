//===- EmberDialect.td - What passes tell each other -------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_EMBER_IR_EMBERDIALECT_TD
#define EMBER_DIALECT_EMBER_IR_EMBERDIALECT_TD

include "mlir/IR/OpBase.td"

def Ember_Dialect : Dialect {
  let name = "ember";
  let cppNamespace = "::ember";
  let summary = "What passes tell each other beside the program itself";
  let description = [{
    No level of its own: checks, calls that run in parts, and attributes that one
    pass leaves for another one on operations of any dialect.

    ```mlir
    ember.check fails_if %outside {
      ember.fail_index "dimension 0 of 'table'", %i of %rows from "'indices'"
          at %p : index, index, index
    }
    ember.parallel_call @bag_part(%c0, %n, %out)
        loops [#ember.loop_cost<cost = 9>] : index, index, memref<?xf32>
    ```

    These attributes may stand on operations and arguments; any other of this
    dialect is an error, and so is one of these in another place or of another
    type.

    | attribute | on | says |
    |---|---|---|
    | `ember.name = "weights"` | an argument, an operation | what the user calls it |
    | `ember.message_name = "'weights'"` | an argument | what messages call it, where that is not its name: in functions made of parts of a function, and of parts of an array in a format |
    | `ember.sizes = [[3, ["x", 0, 4]]]` | an argument that is assigned to, a size | of each dimension how large it has to be: one more than a constant and some factors times the last positions of dimensions of other arguments, all of that divided by a number behind them, if there is one, and rounded down; a unit where only the caller knows |
    | `ember.initial = 0.0 : f32` | a memref argument | what it has to hold before, if the caller wants nothing else |
    | `ember.given` | a memref argument | it is read before it is assigned to |
    | `ember.noalias` | a memref argument | a kernel's entry has checked that it overlaps no other argument |
    | `ember.written_arguments = array<i64: 1>` | a function | the memref arguments that it stores to |
    | `ember.segment = "'offsets'"` | a loop | the memref between two neighbouring elements of which it runs |
    | | `cf.assert` | it asserts that of two such elements the second is no less |
    | `ember.bounds = "dimension 0 of 'A'"` | `cf.assert` | it asserts that an index is below a size, that of this |
    | | an argument, `memref.alloc` | of a memref of one dimension: its indices are those of this |
    | `ember.rows = "dimension 0 of 'A'"` | an argument, `memref.alloc` | two neighbouring elements of the memref are where a row of this begins and ends |
    | `ember.independent` | `scf.for` | iterations may run in any order, and store to different places of memory that is not scratch |
    | `ember.group = 4 : index` | `scf.for` | it takes so many iterations at once from its lower bound on |
    | `ember.pieces = 64 : index` | `scf.for` | it runs over pieces of a reduction, of so many iterations |
    | `ember.pieces` | `scf.if` | such a loop is all that is in it |
    | `ember.scratch` | `memref.alloc`, `memref.alloca` | an iteration of an outermost loop reads from it what it has stored there itself, or what is stored there in front of the loop, which it leaves there |
    | `ember.cache_level = 2 : i32` | a load | the cache that should keep the row |
    | `ember.target = #ember.target<...>` | a module | the processor that its code is for; none is the generic one |
    | `ember.may_alias` | a module | memref arguments, and memrefs of different element types, may share memory |
    | `ember.decisions = ["cin-fuse: t is computed where it is read"]` | a module | what rules have done with its statements |
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = ["::ember::slc::SLCDialect"];
}

#endif // EMBER_DIALECT_EMBER_IR_EMBERDIALECT_TD
