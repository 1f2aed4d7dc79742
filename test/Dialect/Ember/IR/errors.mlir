// RUN: ember-opt %s --split-input-file --verify-diagnostics

func.func @no_failure(%bad: i1) {
  // expected-error @below {{must hold an operation that ends the program}}
  ember.check fails_if %bad {
  }
  return
}

// -----

func.func @stores(%bad: i1, %m: memref<f32>, %v: f32) {
  ember.check fails_if %bad {
    // expected-error @below {{stores to memory in a check, which would show where the check is left out}}
    memref.store %v, %m[] : memref<f32>
    ember.fail "no"
  }
  return
}

// -----

func.func private @two(%a: index, %b: index)

func.func @no_loops(%n: index) {
  // expected-error @below {{must call at least one loop}}
  ember.parallel_call @two(%n, %n) loops [] : index, index
  return
}

// -----

func.func private @two(%a: index, %b: index)

func.func @too_few(%n: index) {
  // expected-error @below {{has 2 operands, but 2 loops with two bounds each}}
  ember.parallel_call @two(%n, %n) loops [#ember.loop_cost<cost = 1>, #ember.loop_cost<cost = 1>] : index, index
  return
}

// -----

func.func private @two(%a: i64, %b: index)

func.func @bounds(%n: index, %i: i64) {
  // expected-error @below {{must have bounds of type index, not 'i64'}}
  ember.parallel_call @two(%i, %n) loops [#ember.loop_cost<cost = 1>] : i64, index
  return
}

// -----

func.func private @three(%a: index, %b: index, %c: index)

func.func @offsets(%n: index) {
  // expected-error @below {{must have offsets, a memref of one dimension of integers, as operand 2}}
  ember.parallel_call @three(%n, %n, %n) loops [#ember.loop_cost<cost = 1, offsets = 2, first_offset = 1>] : index, index, index
  return
}

// -----

func.func private @three(%a: index, %b: index, %c: memref<?xi64>)

func.func @first_offset(%n: index, %m: memref<?xi64>) {
  // expected-error @below {{must have the first offset, an index, as operand 3}}
  ember.parallel_call @three(%n, %n, %m) loops [#ember.loop_cost<cost = 1, offsets = 2, first_offset = 3>] : index, index, memref<?xi64>
  return
}

// -----

func.func private @two(%a: index, %b: index) -> index

func.func @results(%n: index) {
  // expected-error @below {{calls 'two', which has results: parts have none}}
  ember.parallel_call @two(%n, %n) loops [#ember.loop_cost<cost = 1>] : index, index
  return
}

// -----

func.func private @two(%a: index, %b: index)

func.func @types(%n: index) {
  // expected-error @below {{has operands of other types than 'two' takes}}
  ember.parallel_call @two(%n, %n, %n) loops [#ember.loop_cost<cost = 1>] : index, index, index
  return
}

// -----

func.func @nothing(%n: index) {
  // expected-error @below {{calls 'nothing_there', which is no function}}
  ember.parallel_call @nothing_there(%n, %n) loops [#ember.loop_cost<cost = 1>] : index, index
  return
}

// -----

// expected-error @below {{costs are not negative}}
func.func private @negative() attributes {test.cost = #ember.loop_cost<cost = -1>}

// -----

// expected-error @below {{needs both 'offsets' and 'first_offset', or neither}}
func.func private @half() attributes {test.cost = #ember.loop_cost<cost = 1, offsets = 2>}

// -----

// expected-error @below {{has a cost of segments, but no offsets}}
func.func private @segments() attributes {test.cost = #ember.loop_cost<cost = 1, segment_cost = 2>}

// -----

// expected-error @below {{'ember.purpose' is no attribute that operations have}}
func.func private @unknown() attributes {ember.purpose = "none"}

// -----

// expected-error @below {{'ember.scratch' is no attribute that arguments have}}
func.func private @argument(memref<f32> {ember.scratch})

// -----

// expected-error @below {{'ember.rows' stands on memrefs only}}
func.func private @rows(index {ember.rows = "dimension 0 of 'A'"})

// -----

// expected-error @below {{'ember.rows' must hold a string}}
func.func private @rows_value(memref<?xi64> {ember.rows})

// -----

func.func @bounds(%memory: memref<?xf32>, %n: index) {
  // expected-error @below {{'ember.bounds' stands on a cf.assert or memref.alloc only}}
  %value = memref.load %memory[%n] {ember.bounds = "dimension 0 of 'A'"} : memref<?xf32>
  return
}

// -----

// expected-error @below {{'ember.noalias' stands on memrefs only}}
func.func private @noalias(f32 {ember.noalias})

// -----

// expected-error @below {{'ember.noalias' must hold no value}}
func.func private @noalias_value(memref<f32> {ember.noalias = 1})

// -----

// expected-error @below {{'ember.name' must hold a string}}
func.func private @name(memref<f32> {ember.name = 1})

// -----

// expected-error @below {{'ember.name' is no attribute that results have}}
func.func private @result() -> (memref<f32> {ember.name = "sums"})

// -----

// expected-error @below {{'ember.independent' stands on a loop only}}
func.func private @independent() attributes {ember.independent}

// -----

func.func @group(%n: index) {
  // expected-error @below {{'ember.group' must hold a positive index}}
  scf.for %i = %n to %n step %n {
  } {ember.group = 0 : index}
  return
}

// -----

func.func @pieces(%c: i1) {
  // expected-error @below {{'ember.pieces' must hold no value}}
  scf.if %c {
  } {ember.pieces = 4 : index}
  return
}

// -----

func.func @level(%m: memref<f32>) {
  // expected-error @below {{'ember.cache_level' must hold a level of slc}}
  %v = memref.load %m[] {ember.cache_level = "near"} : memref<f32>
  return
}

// -----

// expected-error @below {{'ember.written_arguments' names argument 0, which is no memref argument of it}}
func.func private @written(index) attributes {ember.written_arguments = array<i64: 0>}

// -----

// expected-error @below {{a processor has a name}}
func.func private @nameless() attributes {test.target = #ember.target<cpu = "">}

// -----

// expected-error @below {{'vector_bits' is from 0 to 8192, not -1}}
func.func private @registers() attributes {test.target = #ember.target<vector_bits = -1>}

// -----

// expected-error @below {{'vector_registers' is from 0 to 1024, not 100000}}
func.func private @many_registers() attributes {test.target = #ember.target<vector_registers = 100000>}

// -----

// expected-error @below {{'cache_line_bytes' is from 1 to 65536, not 0}}
func.func private @lines() attributes {test.target = #ember.target<cache_line_bytes = 0>}

// -----

// expected-error @below {{'second_cache_bytes' is from 1 to 1099511627776, not 0}}
func.func private @cache() attributes {test.target = #ember.target<second_cache_bytes = 0>}

// -----

// expected-error @below {{'outstanding_lines' is from 1 to 65536, not 65537}}
func.func private @outstanding() attributes {test.target = #ember.target<outstanding_lines = 65537>}

// -----

// expected-error @below {{'first_cache_lines' is from 1 to 65536, not 0}}
func.func private @first_cache() attributes {test.target = #ember.target<first_cache_lines = 0>}

// -----

// expected-error @below {{'llvm.x86.sse.sfence' is no fence of this processor}}
func.func private @fence() attributes {test.target = #ember.target<triple = "aarch64-linux-gnu", store_fence = "llvm.x86.sse.sfence">}

// -----

// expected-error @below {{'ember.target' stands on a module only}}
func.func private @target() attributes {ember.target = #ember.target<cpu = "haswell">}

// -----

// expected-error @below {{'ember.target' must hold a target}}
module attributes {ember.target = "haswell"} {}

// -----

// expected-error @below {{'ember.may_alias' must hold no value}}
module attributes {ember.may_alias = true} {}

// -----

// expected-error @below {{'ember.sizes' must hold, for each dimension, a unit or a number and terms [name, dimension, factor], and may hold a divisor behind them}}
func.func private @sizes(memref<?xf32> {ember.sizes = [[0, ["A", 1]]]})

// -----

// expected-error @below {{'ember.sizes' must hold, for each dimension, a unit or a number and terms [name, dimension, factor], and may hold a divisor behind them}}
func.func private @divisor(memref<?xf32> {ember.sizes = [[0, ["A", 0, 1], 0]]})

// -----

// expected-error @below {{'ember.sizes' must hold, for each dimension, a unit or a number and terms [name, dimension, factor], and may hold a divisor behind them}}
func.func private @no_sizes(memref<?xf32> {ember.sizes = 3})

// -----

// expected-error @below {{'ember.sizes' must hold, for each dimension, a unit or a number and terms [name, dimension, factor], and may hold a divisor behind them}}
func.func private @narrow_sizes(memref<?xf32> {ember.sizes = [[0, ["A", 0, 1 : i8]]]})

// -----

// expected-error @below {{'ember.sizes' holds 2 sizes of an argument of type 'memref<?xf32>', which has 1}}
func.func private @many_sizes(memref<?xf32> {ember.sizes = [[0], [0]]})

// -----

// expected-error @below {{'ember.sizes' names dimension -1 of "A", and dimensions are numbered from 0}}
func.func private @negative_dimension(memref<?xf32> {ember.sizes = [[0, ["A", -1, 1]]]})

// -----

// expected-error @below {{'ember.sizes' names dimension 2 of "A", which has 2 dimensions}}
func.func private @no_dimension(memref<?xf32> {ember.sizes = [[0, ["A", 2, 1]]]}, memref<?x?xf32> {ember.name = "A"})

// -----

// expected-error @below {{'ember.sizes' holds a size that ends at position -2, which is negative}}
func.func private @negative_size(memref<?xf32> {ember.sizes = [[-2]]})

// -----

// expected-error @below {{'ember.sizes' holds size 5 of dimension 0 of an argument of type 'memref<4xf32>'}}
func.func private @other_size(memref<4xf32> {ember.sizes = [[4]]})

// -----

// expected-error @below {{'ember.initial' must hold a number}}
func.func private @initial(memref<?xf32> {ember.initial = "0"})

// -----

// expected-error @below {{'ember.given' must hold no value}}
func.func private @given(memref<?xf32> {ember.given = 1})

// -----

// expected-error @below {{'ember.given' stands on memrefs only}}
func.func private @given_number(index {ember.given})

// -----

// expected-error @below {{'ember.decisions' must hold an array of strings}}
module attributes {ember.decisions = [1]} {}
