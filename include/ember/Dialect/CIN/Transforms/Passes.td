//===- Passes.td - Passes on statements --------------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_TRANSFORMS_PASSES_TD
#define EMBER_DIALECT_CIN_TRANSFORMS_PASSES_TD

include "ember/Dialect/CIN/Transforms/SweepPasses.td"
include "mlir/Pass/PassBase.td"

def Fuse : Pass<"cin-fuse", "::mlir::func::FuncOp"> {
  let summary = "Compute elements where they are read";
  let description = [{
    What a statement assigns to a temporary, or to an array that is assigned to
    again as a whole, takes the place of each access that reads it, with the
    access's indices for its variables: also in reductions, and where the index
    is an element of an array. What is read nowhere any more is dropped.

    ```mlir
    cin.forall (%p) {
      %s = cin.access %scores[%p] : memref<?xf32>
      %e = cin.call exp(%s) : (f32) -> f32
      cin.assign %e to %powers[%p] : memref<?xf32>
    }
    cin.forall (%i) {
      %sum = cin.reduce add (%p in %begin to %end : i64) -> f32 {
        %e = cin.access %powers[%p] : memref<?xf32>
        cin.yield %e : f32
      }
      cin.assign %sum to %out[%i] : memref<?xf32>
    }
    ```
    becomes
    ```mlir
    cin.forall (%i) {
      %sum = cin.reduce add (%p in %begin to %end : i64) -> f32 {
        %s = cin.access %scores[%p] : memref<?xf32>
        %e = cin.call exp(%s) : (f32) -> f32
        cin.yield %e : f32
      }
      cin.assign %sum to %out[%i] : memref<?xf32>
    }
    ```

    It is legal where every access that reads what the statement assigns reads
    an element that it surely assigned: its variables have all positions, or the
    access is in the same range and under the same condition; where no statement
    between writes what it is computed from; and where the statement that reads
    still reads no other elements of what it assigns to.

    What has a reduction is left where it is if loops that compute its elements
    where they are read are estimated to take more than twice as long, each
    statement in the best order of loops (--cin-schedule).

    It is done where no element is computed more than `recompute` times, or where
    that costs no more than `cheap`: 1 for each access and each call, 8 for each
    call of a function that takes a series or a division. An element may be
    computed more often if it is read at an index that is an element of an array,
    or in a loop inside of another one that it does not depend on. A reduction is
    never computed more often. What stays is said, and why.

    A range that is all of the dimensions that its variable is the index of is
    none, and a temporary that is assigned to as a whole first has no initial
    value: what fills it as far as it reaches, `let t[i] = -inf for i in 0:n`,
    assigns to each of its elements.

    ```mlir
    %t = cin.temporary sizes(%n) initial 0.000000e+00 : f32 : memref<?xf32>
    cin.forall (%i in %zero to %n) {
      cin.assign %least to %t[%i] : memref<?xf32>
    }
    ```
    becomes
    ```mlir
    %t = cin.temporary sizes(%n) : memref<?xf32>
    cin.forall (%i) {
      cin.assign %least to %t[%i] : memref<?xf32>
    }
    ```

    Statements that have a schedule stay as they are. Statements over the same
    variables stay statements of their own: which loops they share is for
    schedules to say.
  }];
  let options = [
    Option<"recompute", "recompute", "unsigned", "1",
           "How many times an element may be computed that costs more">,
    Option<"cheap", "cheap", "unsigned", "4",
           "The cost up to which elements may be computed any number of times">];
  let dependentDialects = ["::ember::cin::CINDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def Differentiate : Pass<"cin-differentiate", "::mlir::ModuleOp"> {
  let summary = "Make functions that evaluate gradients of statements";
  let description = [{
    Beside each function `NAME`, or beside that of option `function`, that is one
    `cin.evaluate` of its arguments, there will be `NAME_gradient`. It takes what
    the function takes, what it assigns to as it is afterwards, as far as it needs
    that, and the gradients of `of`; it assigns the gradients by `wrt`. Those of
    `W` are `W_gradient`, and of an array in a format, `A_values_gradient`: of
    what is stored alone. The gradient of a gradient is `NAME_gradient2`, with
    arrays `W_gradient2`. Gradients of floats below 32 bits are of f32.

    ```mlir
    cin.forall (%b, %e) {
      %sum = cin.reduce add (%p in %begin to %end : i64) -> f32 {
        %row = cin.access %I[%p] : memref<?xi64>
        %x = cin.access %W[%row, %e] : memref<?x?xf32> (i64, index)
        cin.yield %x : f32
      }
      cin.assign %sum to %out[%b, %e] : memref<?x?xf32>
    }
    ```
    has with `of=out wrt=W` the gradient
    ```mlir
    cin.forall (%b) {
      cin.forall (%p in %begin to %end : i64, %e) {
        %row = cin.access %I[%p] : memref<?xi64>
        %g = cin.access %out_gradient[%b, %e] : memref<?x?xf32>
        cin.assign add %g to %W_gradient[%row, %e] : memref<?x?xf32> (i64, index)
      }
    }
    ```

    Statements are differentiated last ones first. What they need of temporaries
    is evaluated again; expensive values that were assigned are read from there.
    What a largest or least value was chosen from has equal shares, if several are
    equal. Integers, booleans, indices, bounds and conditions have no gradients.

    A call of a `cin.function` has the gradient that its derivative computes:
    another function, of its operands and of the gradient by its result, which
    is `@NAME_by_OPERAND`. It computes what the body does, and beside each float
    how that changes with the operand; so do its cases. What is declared of the
    function says where the derivative is 0.

    At indices that are no variables of their own, elements in formats are located:
    nothing is added where none is stored. It is legal where an array that is read
    is not assigned to behind that. Operations without a derivative, `*=` and the
    like are errors that name them.
  }];
  let options = [
    ListOption<"of", "of", "std::string", "Arrays whose gradients are given">,
    ListOption<"wrt", "wrt", "std::string",
               "Arrays and numbers whose gradients are wanted">,
    Option<"function", "function", "std::string", "",
           "Which function; all that evaluate statements if it is empty">];
  let dependentDialects = ["::ember::cin::CINDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect"];
}

def GroupScatters : Pass<"cin-group-scatters", "::mlir::func::FuncOp"> {
  let summary = "Combine what is scattered to one place in one go";
  let description = [{
    A statement that combines an element for each `e` with what is there at place
    `target[e]` becomes one over all places, which reduces the elements of each:
    for `by=target`

    ```mlir
    cin.forall (%e, %f) {
      %n = cin.access %target[%e] : memref<?xi64>
      %w = cin.access %weights[%e] : memref<?xf32>
      %row = cin.access %source[%e] : memref<?xi64>
      %x = cin.access %X[%row, %f] : memref<?x?xf32> (i64, index)
      %message = cin.call mul(%w, %x) : (f32, f32) -> f32
      cin.assign add %message to %out[%n, %f] : memref<?x?xf32> (i64, index)
    }
    ```
    becomes
    ```mlir
    cin.forall (%n, %f) {
      %next = cin.apply affine_map<(d0) -> (d0 + 1)>(%n)
      %begin = cin.access %target_offsets[%n] : memref<?xi32>
      %end = cin.access %target_offsets[%next] : memref<?xi32>
      %sum = cin.reduce add (%p in %begin to %end : i32) -> f32 {
        %e = cin.access %target_order[%p] : memref<?xi32>
        %w = cin.access %weights[%e] : memref<?xf32> (i32)
        %row = cin.access %source_by_target[%p] : memref<?xi32>
        %x = cin.access %X[%row, %f] : memref<?x?xf32> (i32, index)
        %message = cin.call mul(%w, %x) : (f32, f32) -> f32
        cin.yield %message : f32
      }
      cin.assign add %sum to %out[%n, %f] : memref<?x?xf32>
    }
    ```

    so that sums stay in registers and places are shared out among threads. The
    function takes three more kinds of parameters, of i32: `target_offsets`, one
    more than there are places, say where the group of each begins in
    `target_order`, the elements' numbers in the order of their places;
    `source_by_target` is `source` in that order, for each array of integers that
    says where to look up. Whoever calls it has grouped them, once for all calls
    with these targets. Places may be a row of an array of several dimensions:
    of `by=edges[1]`, which is `edges[1, e]`, parameters are `edges_1_offsets` and
    so on.

    It is legal where the function that combines is associative and commutative
    and has an identity, where nothing else that is assigned to depends on the
    element's number, and where the statement does not read what it assigns to.
    Terms of one place are combined in the order of `target_order`. What began as
    the identity is assigned to instead. Other statements stay as they are.
  }];
  let options = [
    ListOption<"by", "by", "std::string", "Arrays that say places">];
  let dependentDialects = ["::ember::cin::CINDialect"];
}

def ChooseFormats : Pass<"cin-choose-formats", "::mlir::func::FuncOp"> {
  let summary = "Decide how temporaries are stored";
  let description = [{
    A `cin.temporary` of two dimensions or more is stored by rows, or by columns,
    that list their coordinates, where the statement that assigns to it and those
    that read it are estimated (--cin-schedule) to take less than half the time
    then, each in its best order of loops. How much it stores is estimated from
    what the statement visits that assigns to it. Its fill is what that statement
    makes of nothing that is stored.

    Nothing changes where a statement has a schedule, where several assign to the
    array, or one combines, or where an element of it is an index of something.
  }];
  let dependentDialects = ["::ember::cin::CINDialect"];
}

def ExpandTemporaries : Pass<"cin-expand-temporaries", "::mlir::func::FuncOp"> {
  let summary = "Make arrays that store the levels of temporaries in formats";
  let description = [{
    A `cin.temporary` in a format is counted for by the statement that assigns to
    it, then there is room for it, `cin.reserve`, and then the statement appends
    to it.

    ```mlir
    %T = cin.temporary sizes(%m, %n)
        : !cin.array<?x?xf32, #cin.format<dense, compressed fill 0.0 : f32>>
    cin.forall (%i, %j) { ... cin.assign %x to %T[%i, %j] ... }
    ```
    becomes
    ```mlir
    %counts = cin.temporary : memref<2xi64>
    %counted = cin.assemble counting %counts sizes(%m, %n) ...
    cin.forall (%i, %j) { ... cin.assign %x to %counted[%i, %j] ... }
    %positions, %coordinates, %values = cin.reserve %counted ...
    %T = cin.assemble %values levels(%positions, %coordinates) sizes(%m, %n) ...
    cin.forall (%i, %j) { ... cin.assign %x to %T[%i, %j] ... }
    ```

    An array that is read before anything is assigned to it is an error.
  }];
  let dependentDialects = ["::ember::cin::CINDialect"];
}

def ExpandMissing : Pass<"cin-expand-missing", "::mlir::func::FuncOp"> {
  let summary = "Turn what statements make of missing elements into conditions";
  let description = [{
    Elements that an array with the fill `missing` does not store have no value.
    One rule says what follows: a function has a value where all of its operands
    have one, and reductions and assignments combine the values that there are.
    A condition without a value does not hold. `coalesce(a, b)` is `a` where it
    exists, and `b` elsewhere.

    ```mlir
    %sum = cin.reduce add (%j) -> f32 {
      %a = cin.access %A[%i, %j] : !cin.array<?x?xf32, #cin.format<dense, compressed fill missing>>
      cin.yield %a : f32
    }
    ```
    becomes
    ```mlir
    %sum = cin.reduce add (%j) -> f32 {
      %a = cin.access %A[%i, %j] : !cin.array<?x?xf32, #cin.format<dense, compressed fill missing>>
      %exists = cin.stored %a : f32
      cin.yield %a where %exists : f32
    }
    ```

    What is assigned to an array in a format is stored where it exists. A dense
    array gets the identity of a reduction that has nothing to combine; another
    value that may be missing is an error.
  }];
  let dependentDialects = ["::ember::cin::CINDialect"];
}

def Schedule : Pass<"cin-schedule", "::mlir::func::FuncOp"> {
  let summary = "Decide on the order of loops";
  let description = [{
    Each statement gets a schedule that names all its variables, those of
    reductions, too, in an order. Variables get different names for that.

    What a written schedule asks for, is done first: variables are split, and
    expressions kept in temporaries. Of the orders that are left, the best is
    chosen: by the visits that loops are expected to have, from sizes and
    densities that are known (`cin.hints`), or from several that are assumed, of
    which the largest tell which orders grow faster than others. What is searched
    for, scattered, or kept in workspaces costs more than what is walked.

    A matrix in a format whose levels contradict the loops is read by a copy, a
    `cin.regroup` in front of the statement, where that is better by a fifth, with
    what the copy costs, or twice as good where sizes are assumed. Written
    relations other than orders of loops are about levels as they are: there are
    no copies then.

    Lists that the innermost loop would merge are looked up instead, by a relation
    `precompute("A[i, j]" over j)` for each, where lengths are known, none is so
    short that it is compared at once, and nothing is assigned where one has none.

    Unless another one is as much better, loops stand in the order of the
    result's indices, and where arrays in formats want another one, in that: what
    they store is walked from the outermost level on. A reduction whose terms are
    elements of rows, that is which depend on the last variable and have it as
    last index everywhere, is outside of that variable. Blocks of rows that are
    looked up are read for all that they are combined with: `y[w,q,e] =
    sum[j,t](P[w,q,j,t] * V[I[w,j],t,e])` in the order `w, j, q, t, e`.

    ```mlir
    cin.forall (%i, %j) attributes {names = ["i", "j"]} {
      %sum = cin.reduce add (%k) -> f32 attributes {names = ["k"]} {
        %a = cin.access %A[%i, %k] : memref<?x?xf32>
        %b = cin.access %B[%k, %j] : memref<?x?xf32>
        ...
      }
      cin.assign %sum to %C[%i, %j] : memref<?x?xf32>
    }
    ```
    becomes the same statement with `schedule = #cin.schedule<reorder(i, k, j)>`.
  }];
  let dependentDialects = ["::ember::cin::CINDialect"];
}

def InsertWorkspaces : Pass<"cin-insert-workspaces", "::mlir::func::FuncOp"> {
  let summary = "Keep partial results of reductions that surround others' loops";
  let description = [{
    Where the order of loops has a variable of a reduction outside of variables
    that the sum depends on, there are as many partial results as these have
    values. They are kept in the result itself, where nothing else is done with
    the sum, and in a workspace otherwise, which knows what is stored in it if
    what is assigned to does. The statement becomes several, each with a schedule
    of its own.

    Dense results of a statement that walks what others store are what they are
    where nothing is stored, first.

    An element of an array in a format that the schedule wants precomputed over
    the variable of the innermost loop is looked up there: what the array stores
    of that row is put in a bitmap in front of the loop.

    ```mlir
    cin.forall (%b, %e) attributes {schedule = #cin.schedule<reorder(b, p, e)>} {
      %begin, %end = ...
      %sum = cin.reduce add (%p in %begin to %end : i64) -> f32 {
        %row = cin.access %I[%p] : memref<?xi64>
        %x = cin.access %W[%row, %e] : memref<?x?xf32> (i64, index)
        cin.yield %x : f32
      }
      cin.assign %sum to %out[%b, %e] : memref<?x?xf32>
    }
    ```
    becomes
    ```mlir
    cin.forall (%b) {
      cin.forall (%e) {
        %zero = cin.literal 0.0 : f32
        cin.assign %zero to %out[%b, %e] : memref<?x?xf32>
      }
      %begin, %end = ...
      cin.forall (%p in %begin to %end : i64, %e)
          attributes {schedule = #cin.schedule<reorder(p, e)>} {
        %row = cin.access %I[%p] : memref<?xi64>
        %x = cin.access %W[%row, %e] : memref<?x?xf32> (i64, index)
        cin.assign add %x to %out[%b, %e] : memref<?x?xf32>
      }
    }
    ```
  }];
  let dependentDialects = ["::ember::cin::CINDialect"];
}

def Concretize : Pass<"cin-concretize", "::mlir::func::FuncOp"> {
  let summary = "A loop for each variable, in the order of the schedule";
  let description = [{
    Each variable of a statement gets a loop of its own, in the order of its
    schedule, which is gone then; without one in the order in which they stand.
    Each expression moves out to the outermost loop that it can be computed in.
    Conditions become `cin.if` around all that they guard.

    ```mlir
    cin.forall (%p in %begin to %end : i64, %e)
        attributes {schedule = #cin.schedule<reorder(p, e)>} {
      %row = cin.access %I[%p] : memref<?xi64>
      %x = cin.access %W[%row, %e] : memref<?x?xf32> (i64, index)
      cin.assign add %x to %out[%b, %e] : memref<?x?xf32>
    }
    ```
    becomes
    ```mlir
    cin.forall (%p in %begin to %end : i64) {
      %row = cin.access %I[%p] : memref<?xi64>
      cin.forall (%e) {
        %x = cin.access %W[%row, %e] : memref<?x?xf32> (i64, index)
        cin.assign add %x to %out[%b, %e] : memref<?x?xf32>
      }
    }
    ```

    Because expressions move, an index that depends on no variable of a reduction
    is checked even where that has no terms.
  }];
  let dependentDialects = ["::ember::cin::CINDialect"];
}

def DeriveIteration : Pass<"cin-derive-iteration", "::mlir::func::FuncOp"> {
  let summary = "Find the coordinates at which loops do anything";
  let description = [{
    A coordinate may be left out where what the loop's statements assign, or what
    its reduction adds, is there already: the result's fill, or the identity of
    the function that combines. That is asked for each combination of operands
    that store a coordinate, with the fills of those that do not: a function of
    known values is computed, and of others its properties say what it is. What
    remains is the loop's `iteration`, a set in terms of its operands. Loops
    without operands in a sparse format keep none: they visit everything.

    ```mlir
    cin.forall (%i) {
      %a = cin.access %A[%i] : !cin.array<?xf32, #cin.format<compressed fill 0.0 : f32>>
      %b = cin.access %B[%i] : !cin.array<?xf32, #cin.format<compressed fill 0.0 : f32>>
      %x = cin.call mul(%a, %b) : (f32, f32) -> f32
      cin.assign add %x to %y[%i] : memref<?xf32>
    }
    ```
    becomes a loop with `iteration = #cin.iteration<"0 & 1">`. Iteration algebra
    is that of section 3.6 of Hsu's dissertation; here it follows from values
    rather than from a rule for each property.
  }];
  let dependentDialects = ["::ember::cin::CINDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def CheckFunctions : Pass<"cin-check-functions", "::mlir::ModuleOp"> {
  let summary = "Refute what is declared of functions";
  let description = [{
    Computes each `cin.function` of some small numbers, as its code computes it,
    and compares the values with what is declared: that it is commutative,
    associative or idempotent, its annihilators, its identities, what it is
    outside of its iteration, and what its cases make of their operands. What
    differs is an error with the numbers. What cannot be computed before it runs
    is believed. Floats may differ by what another order of a sum makes.

    ```mlir
    // error: is declared commutative, but minus(0, 1) is -1, and minus(1, 0) is 1
    cin.function @minus(%x: i64, %y: i64) -> i64 attributes {commutative} {
      %z = arith.subi %x, %y : i64
      cin.return %z : i64
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect"];
}

def DropFunctions : Pass<"cin-drop-functions", "::mlir::ModuleOp"> {
  let summary = "Drop functions that no statement calls";
  let description = [{
    Behind `--convert-cin-to-scf`, which puts bodies where they are called, that
    is every `cin.function`.
  }];
}

def SimplifyIteration : Pass<"cin-simplify-iteration", "::mlir::func::FuncOp"> {
  let summary = "Visit nothing where arrays that share their levels exclude it";
  let description = [{
    Arrays that are assembled from the same positions and coordinates store the
    same: regions of what the one stores and the other does not are empty. A set
    without any other region is `none`. Loops that visit nothing are dropped, and
    reductions over nothing are the identity. Points that omit, and operands that
    are walked for their values, stay: the lattice is that of the same set.

    ```mlir
    cin.forall (%i) attributes {iteration = #cin.iteration<"0 & ~1">} {
      %a = cin.access %A[%i] : !cin.array<?xf32, #csf>
      %b = cin.access %B[%i] : !cin.array<?xf32, #csf>
      ...
    }
    ```
    is dropped if A and B have the same coordinates.
  }];
  let dependentDialects = ["::ember::cin::CINDialect"];
}

def SortOperands : Pass<"cin-sort-operands", "::mlir::func::FuncOp"> {
  let summary = "Sort what is in no order where loops rely on one";
  let description = [{
    Loops that merge, search or append need coordinates in an order, each once.
    Where an array whose levels are `unordered` is left to such a loop, the
    statement reads a sorted copy of it, by the same dimensions.

    ```mlir
    cin.reduce add (%j) attributes {iteration = #cin.iteration<"0 & 1">} {
      %a = cin.access %A[%i, %j] : !cin.array<?x?xf32, #cin.format<dense, compressed(unordered) fill 0.0 : f32>>
      ...
    }
    ```
    reads a `dense, compressed` copy, which `cin.regroup` makes of `%A`.
  }];
  let dependentDialects = ["::ember::cin::CINDialect"];
}

def ExpandFormats : Pass<"cin-expand-formats", "::mlir::func::FuncOp"> {
  let summary = "Turn loops over what one array stores into loops over positions";
  let description = [{
    An array of which each list of coordinates is walked by loops that walk
    nothing else is looked up by positions: its statement is one on its arrays of
    positions, coordinates and values, of which indices are elements of others.
    Levels that share their positions, as those of coordinates, become one loop.
    Arrays that have to be merged with others stay what they are.

    ```mlir
    cin.forall (%j) attributes {iteration = #cin.iteration<"0">} {
      %a = cin.access %A[%i, %j] : !cin.array<?x?xf32, #cin.format<dense, compressed fill 0.0 : f32>>
      cin.assign add %a to %y[%j] : memref<?xf32>
    }
    ```
    becomes
    ```mlir
    %begin = cin.access %positions[%i] : memref<?xi64>
    %end = cin.access %positions[%next] : memref<?xi64>
    cin.forall (%p in %begin to %end : i64) {
      %j = cin.access %coordinates[%p] : memref<?xi64>
      %a = cin.access %values[%p] : memref<?xf32>
      cin.assign add %a to %y[%j] : memref<?xf32> (i64)
    }
    ```
  }];
  let dependentDialects = ["::ember::cin::CINDialect"];
}

def ExpandEncodings : Pass<"cin-expand-encodings", "::mlir::func::FuncOp"> {
  let summary = "Turn elements of encoded arrays into functions of their bytes";
  let description = [{
    An element of an array whose format has an encoding becomes what its bytes
    stand for: `scale * integer + bias`, rounded once, or a float of 8 bits, times
    the scale of its block if there are any. The scale and bias of a row are
    looked up in the outermost loop that knows the row, but not outside of a
    condition.

    ```mlir
    %row = cin.access %I[%p] : memref<?xi64>
    cin.forall (%e) {
      %x = cin.access %T[%row, %e] : !cin.array<?x?xf32, #cin.format<dense, dense
           encoding <int8, f32> fill 0.0 : f32>> (i64, index)
      cin.assign %x to %out[%p, %e] : memref<?x?xf32>
    }
    ```
    becomes
    ```mlir
    %row = cin.access %I[%p] : memref<?xi64>
    %scale, %bias = ...
    cin.forall (%e) {
      %place = cin.apply affine_map<(d0) -> (d0)>(%e)
      %byte = cin.access %bytes[%row, %place] : memref<?x?xi8> (i64, index)
      %wide = cin.call convert_unsigned(%byte) : (i8) -> i32
      %integer = cin.call convert_unsigned(%wide) : (i32) -> f32
      %x = cin.call fma(%integer, %scale, %bias) : (f32, f32, f32) -> f32
      cin.assign %x to %out[%p, %e] : memref<?x?xf32>
    }
    ```

    **Sums of rows**, of which each element is a sum of elements of encoded rows
    with factors that are the same for a whole row, take the biases apart:
    `sum(w * (s * x + b)) = sum((w * s) * x) + sum(w * b)`. That is one
    multiplication and addition for an element, and one addition for a row.
    It is done where a loop over elements adds nothing else to them, and nothing
    else reads or assigns to them in the loops over rows around it. Where two
    elements are in a byte, the sums of even and of odd elements stand apart until
    all rows are added, so that each byte is read once.

    **Scales of blocks** are looked up once a block: a loop over elements becomes
    one over blocks, with one over their elements inside.

    **Arrays of which coordinates are stored** are split: a `cin.assemble` that is
    `locating` says where an element is, or the row that it is in, and what is
    stored there is decoded. Loops that walk the array walk that one instead.
    `lists` leaves it at that: --cin-expand-formats comes next, which makes loops
    over positions of them.

    An index of an encoded dimension that is not a variable with all of its
    positions is checked by a `cin.assemble` that is `locating`.
  }];
  let options = [
    Option<"listsOnly", "lists", "bool", "false",
           "Only arrays of which coordinates are stored">,
  ];
  let dependentDialects = ["::ember::cin::CINDialect"];
}
#endif // EMBER_DIALECT_CIN_TRANSFORMS_PASSES_TD
