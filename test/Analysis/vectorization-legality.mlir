// Which inner loops are vectorised, and why others are not: one function a rule.
// RUN: ember-opt %s --slc-vectorize=vector-length=8 --verify-diagnostics -o %t
// RUN: FileCheck %s < %t

//===----------------------------------------------------------------------===//
// Legal
//===----------------------------------------------------------------------===//

// An index that the induction variable is part of, with what does not change.
// CHECK-LABEL: @shifted
// CHECK: slcv.vec_for
func.func @shifted(%a: memref<?xf32>, %out: memref<?xf32>, %n: index, %shift: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %e = %c0 to %n step %c1 {
    %f = slc.alu_str add %shift, %e : index, !slc.stream<index> -> !slc.stream<index>
    %v = slc.mem_str %a[%f] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    slc.callback ite {
      %i = slc.str_to_val %e : !slc.stream<index> -> index
      %x = slc.str_to_val %v : !slc.stream<f32> -> f32
      %j = arith.addi %i, %shift : index
      memref.store %x, %out[%j] : memref<?xf32>
    }
  }
  return
}

// Loaded and computed indices are gathered.
// CHECK-LABEL: @gathers
// CHECK: slcv.vec_for
func.func @gathers(%idx: memref<?xi32>, %a: memref<?x?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  slc.for %e = %c0 to %n step %c1 {
    %raw = slc.mem_str %idx[%e] : memref<?xi32>[!slc.stream<index>] -> !slc.stream<i32>
    %i = slc.cast_str %raw : !slc.stream<i32> to !slc.stream<index>
    %r = slc.alu_str remu %e, %c3 : !slc.stream<index>, index -> !slc.stream<index>
    %v = slc.mem_str %a[%i, %r] : memref<?x?xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
    slc.callback ite {
      %j = slc.str_to_val %e : !slc.stream<index> -> index
      %x = slc.str_to_val %v : !slc.stream<f32> -> f32
      memref.store %x, %out[%j] : memref<?xf32>
    }
  }
  return
}

// Two stores and a load of one element in each iteration.
// CHECK-LABEL: @same_element
// CHECK: slcv.vec_for
func.func @same_element(%a: memref<?xf32>, %out: memref<?x?xf32>, %n: index, %row: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %e = %c0 to %n step %c1 {
    %v = slc.mem_str %a[%e] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    slc.callback ite {
      %i = slc.str_to_val %e : !slc.stream<index> -> index
      %x = slc.str_to_val %v : !slc.stream<f32> -> f32
      memref.store %x, %out[%row, %i] : memref<?x?xf32>
    }
    slc.callback ite {
      %i = slc.str_to_val %e : !slc.stream<index> -> index
      %y = memref.load %out[%row, %i] : memref<?x?xf32>
      %z = arith.addf %y, %y : f32
      memref.store %z, %out[%row, %i] : memref<?x?xf32>
    }
  }
  return
}

// CHECK-LABEL: @reductions
// CHECK: slcv.vec_for {{.*}} iter_args
func.func @reductions(%a: memref<?xi64>, %n: index, %z: i64) -> (i64, i64, i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = slc.for %e = %c0 to %n step %c1 iter_args(%s = %z, %m = %z, %same = %z) -> (i64, i64, i64) {
    %v = slc.mem_str %a[%e] : memref<?xi64>[!slc.stream<index>] -> !slc.stream<i64>
    %s1, %m1 = slc.callback ite -> (i64, i64) {
      %x = slc.str_to_val %v : !slc.stream<i64> -> i64
      %s2 = arith.addi %s, %x : i64
      %m2 = arith.maxsi %x, %m : i64
      slc.yield %s2, %m2 : i64, i64
    }
    slc.yield %s1, %m1, %same : i64, i64, i64
  }
  return %r#0, %r#1, %r#2 : i64, i64, i64
}

// Distinct arguments do not alias; see vectorization-may-alias.mlir.
// CHECK-LABEL: @distinct_arguments
// CHECK: slcv.vec_for
func.func @distinct_arguments(%in: memref<?xf32>, %acc: memref<?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %e = %c0 to %n step %c1 {
    %v = slc.mem_str %in[%e] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    slc.callback ite {
      %i = slc.str_to_val %e : !slc.stream<index> -> index
      %x = slc.str_to_val %v : !slc.stream<f32> -> f32
      %j = arith.addi %i, %c1 : index
      %y = memref.load %acc[%j] : memref<?xf32>
      %z = arith.addf %x, %y : f32
      memref.store %z, %out[%i] : memref<?xf32>
    }
  }
  return
}

//===----------------------------------------------------------------------===//
// Rule 1: the loop
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @step_two
// CHECK-NOT: slcv
func.func @step_two(%a: memref<?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  // expected-remark @+1 {{loop not vectorised: its step is not known to be 1}}
  slc.for %e = %c0 to %n step %c2 {
    %v = slc.mem_str %a[%e] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    slc.callback ite {
      %i = slc.str_to_val %e : !slc.stream<index> -> index
      %x = slc.str_to_val %v : !slc.stream<f32> -> f32
      memref.store %x, %out[%i] : memref<?xf32>
    }
  }
  return
}

//===----------------------------------------------------------------------===//
// Rule 2: accesses
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @column
// CHECK-NOT: slcv
func.func @column(%a: memref<?x?xf32> {ember.name = "table"}, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @+1 {{loop not vectorised: the access to 'table' has the induction variable in dimension 0, which is not the last, so that its stride is not 1}}
  slc.for %e = %c0 to %n step %c1 {
    // expected-note @+1 {{here}}
    %v = slc.mem_str %a[%e, %c0] : memref<?x?xf32>[!slc.stream<index>, index] -> !slc.stream<f32>
    slc.callback ite {
      %i = slc.str_to_val %e : !slc.stream<index> -> index
      %x = slc.str_to_val %v : !slc.stream<f32> -> f32
      memref.store %x, %out[%i] : memref<?xf32>
    }
  }
  return
}

// CHECK-LABEL: @scaled
// CHECK-NOT: slcv
func.func @scaled(%a: memref<?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // expected-remark @+1 {{loop not vectorised: the access to argument 0 scales the induction variable in dimension 0, so that its stride is not 1}}
  slc.for %e = %c0 to %n step %c1 {
    %d = slc.alu_str mul %e, %c2 : !slc.stream<index>, index -> !slc.stream<index>
    // expected-note @+1 {{here}}
    %v = slc.mem_str %a[%d] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    slc.callback ite {
      %i = slc.str_to_val %e : !slc.stream<index> -> index
      %x = slc.str_to_val %v : !slc.stream<f32> -> f32
      memref.store %x, %out[%i] : memref<?xf32>
    }
  }
  return
}

// CHECK-LABEL: @backwards
// CHECK-NOT: slcv
func.func @backwards(%a: memref<?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @+1 {{the access to argument 0 scales the induction variable in dimension 0}}
  slc.for %e = %c0 to %n step %c1 {
    %d = slc.alu_str sub %n, %e : index, !slc.stream<index> -> !slc.stream<index>
    // expected-note @+1 {{here}}
    %v = slc.mem_str %a[%d] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    slc.callback ite {
      %i = slc.str_to_val %e : !slc.stream<index> -> index
      %x = slc.str_to_val %v : !slc.stream<f32> -> f32
      memref.store %x, %out[%i] : memref<?xf32>
    }
  }
  return
}

// CHECK-LABEL: @strided_layout
// CHECK-NOT: slcv
func.func @strided_layout(%a: memref<?xf32, strided<[?], offset: ?>>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @+1 {{the innermost stride of argument 0 is not known to be 1}}
  slc.for %e = %c0 to %n step %c1 {
    // expected-note @+1 {{here}}
    %v = slc.mem_str %a[%e] : memref<?xf32, strided<[?], offset: ?>>[!slc.stream<index>] -> !slc.stream<f32>
    slc.callback ite {
      %i = slc.str_to_val %e : !slc.stream<index> -> index
      %x = slc.str_to_val %v : !slc.stream<f32> -> f32
      memref.store %x, %out[%i] : memref<?xf32>
    }
  }
  return
}

// CHECK-LABEL: @uniform_store
// CHECK-NOT: slcv
func.func @uniform_store(%a: memref<?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @+1 {{the store to argument 1 writes the same element in every iteration, a loop-carried dependence}}
  slc.for %e = %c0 to %n step %c1 {
    %v = slc.mem_str %a[%e] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    slc.callback ite {
      %x = slc.str_to_val %v : !slc.stream<f32> -> f32
      %s = memref.load %out[%c0] : memref<?xf32>
      %t = arith.addf %s, %x : f32
      // expected-note @+1 {{here}}
      memref.store %t, %out[%c0] : memref<?xf32>
    }
  }
  return
}

// CHECK-LABEL: @scattered_store
// CHECK-NOT: slcv
func.func @scattered_store(%idx: memref<?xindex>, %out: memref<?xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @+1 {{the store to argument 1 is not contiguous: two iterations might write the same element}}
  slc.for %e = %c0 to %n step %c1 {
    %i = slc.mem_str %idx[%e] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    slc.callback ite {
      %j = slc.str_to_val %i : !slc.stream<index> -> index
      // expected-note @+1 {{here}}
      memref.store %x, %out[%j] : memref<?xf32>
    }
  }
  return
}

// CHECK-LABEL: @row_gather_in_callback
// CHECK-NOT: slcv
func.func @row_gather_in_callback(%idx: memref<?xindex>, %a: memref<?x?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @+1 {{the load from argument 1 gathers in dimension 0, which is not the last}}
  slc.for %e = %c0 to %n step %c1 {
    %i = slc.mem_str %idx[%e] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    slc.callback ite {
      %j = slc.str_to_val %i : !slc.stream<index> -> index
      %p = slc.str_to_val %e : !slc.stream<index> -> index
      // expected-note @+1 {{here}}
      %x = memref.load %a[%j, %c0] : memref<?x?xf32>
      memref.store %x, %out[%p] : memref<?xf32>
    }
  }
  return
}

// Memory keeps an i1 in a byte, a vector keeps eight.
// CHECK-LABEL: @bits
// CHECK-NOT: slcv
func.func @bits(%a: memref<?xi1>, %out: memref<?xi1>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @+1 {{the elements of argument 0 have a type that vectors are not made of}}
  slc.for %e = %c0 to %n step %c1 {
    // expected-note @+1 {{here}}
    %v = slc.mem_str %a[%e] : memref<?xi1>[!slc.stream<index>] -> !slc.stream<i1>
    slc.callback ite {
      %i = slc.str_to_val %e : !slc.stream<index> -> index
      %x = slc.str_to_val %v : !slc.stream<i1> -> i1
      memref.store %x, %out[%i] : memref<?xi1>
    }
  }
  return
}

//===----------------------------------------------------------------------===//
// Rule 3: dependences through memory
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @prefix_sum
// CHECK-NOT: slcv
func.func @prefix_sum(%a: memref<?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @+1 {{the access to argument 1 may touch what the store to argument 1 writes in another iteration, a loop-carried dependence}}
  slc.for %e = %c0 to %n step %c1 {
    %v = slc.mem_str %a[%e] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    slc.callback ite {
      %i = slc.str_to_val %e : !slc.stream<index> -> index
      %x = slc.str_to_val %v : !slc.stream<f32> -> f32
      // expected-note @+1 {{here}}
      %y = memref.load %out[%i] : memref<?xf32>
      %z = arith.addf %x, %y : f32
      %j = arith.addi %i, %c1 : index
      memref.store %z, %out[%j] : memref<?xf32>
    }
  }
  return
}

// CHECK-LABEL: @through_a_view
// CHECK-NOT: slcv
func.func @through_a_view(%a: memref<?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %view = memref.subview %out[1] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: 1>>
  // expected-remark @+1 {{the access to argument 1 may touch what the store to a view of argument 1 writes in another iteration}}
  slc.for %e = %c0 to %n step %c1 {
    %v = slc.mem_str %a[%e] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    slc.callback ite {
      %i = slc.str_to_val %e : !slc.stream<index> -> index
      %x = slc.str_to_val %v : !slc.stream<f32> -> f32
      // expected-note @+1 {{here}}
      %y = memref.load %out[%i] : memref<?xf32>
      %z = arith.addf %x, %y : f32
      memref.store %z, %view[%i] : memref<?xf32, strided<[1], offset: 1>>
    }
  }
  return
}

//===----------------------------------------------------------------------===//
// Rule 4: what callbacks compute
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @condition
// CHECK-NOT: slcv
func.func @condition(%a: memref<?xf32>, %out: memref<?xf32>, %n: index, %z: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @+1 {{a callback holds 'scf.if', and code with regions is not vectorised}}
  slc.for %e = %c0 to %n step %c1 {
    %v = slc.mem_str %a[%e] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    slc.callback ite {
      %i = slc.str_to_val %e : !slc.stream<index> -> index
      %x = slc.str_to_val %v : !slc.stream<f32> -> f32
      %p = arith.cmpf ogt, %x, %z : f32
      // expected-note @+1 {{here}}
      scf.if %p {
        memref.store %x, %out[%i] : memref<?xf32>
      }
    }
  }
  return
}

// CHECK-LABEL: @effect
// CHECK-NOT: slcv
func.func private @print(f32)
func.func @effect(%a: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @+1 {{a callback holds 'func.call', which has an effect that is no load or store}}
  slc.for %e = %c0 to %n step %c1 {
    %v = slc.mem_str %a[%e] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    slc.callback ite {
      %x = slc.str_to_val %v : !slc.stream<f32> -> f32
      // expected-note @+1 {{here}}
      func.call @print(%x) : (f32) -> ()
    }
  }
  return
}

// CHECK-LABEL: @odd_type
// CHECK-NOT: slcv
func.func @odd_type(%a: memref<?xi32>, %out: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @+1 {{a callback holds 'arith.extsi', which is not elementwise on types that vectors are made of}}
  slc.for %e = %c0 to %n step %c1 {
    %v = slc.mem_str %a[%e] : memref<?xi32>[!slc.stream<index>] -> !slc.stream<i32>
    slc.callback ite {
      %i = slc.str_to_val %e : !slc.stream<index> -> index
      %x = slc.str_to_val %v : !slc.stream<i32> -> i32
      // expected-note @+1 {{here}}
      %w = arith.extsi %x : i32 to i48
      %y = arith.trunci %w : i48 to i32
      memref.store %y, %out[%i] : memref<?xi32>
    }
  }
  return
}

//===----------------------------------------------------------------------===//
// Rule 5: divisions of streams
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @stream_division
// CHECK-NOT: slcv
func.func @stream_division(%d: memref<?xindex>, %a: memref<?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @+1 {{a stream divides by a value that changes from iteration to iteration}}
  slc.for %e = %c0 to %n step %c1 {
    %by = slc.mem_str %d[%e] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    // expected-note @+1 {{here}}
    %q = slc.alu_str divu %n, %by : index, !slc.stream<index> -> !slc.stream<index>
    %v = slc.mem_str %a[%q] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    slc.callback ite {
      %i = slc.str_to_val %e : !slc.stream<index> -> index
      %x = slc.str_to_val %v : !slc.stream<f32> -> f32
      memref.store %x, %out[%i] : memref<?xf32>
    }
  }
  return
}

//===----------------------------------------------------------------------===//
// Rule 6: loop-carried values
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @recurrence
// CHECK-NOT: slcv
func.func @recurrence(%a: memref<?xf32>, %n: index, %z: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @+1 {{loop-carried value #0 is not a reduction by one operation that can combine lanes in order}}
  %r = slc.for %e = %c0 to %n step %c1 iter_args(%s = %z) -> (f32) {
    %v = slc.mem_str %a[%e] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    %s1 = slc.callback ite -> f32 {
      %x = slc.str_to_val %v : !slc.stream<f32> -> f32
      %h = arith.mulf %s, %x : f32
      %t = arith.addf %h, %x : f32
      slc.yield %t : f32
    }
    slc.yield %s1 : f32
  }
  return %r : f32
}

// The running sum is stored.
// CHECK-LABEL: @running
// CHECK-NOT: slcv
func.func @running(%a: memref<?xf32>, %out: memref<?xf32>, %n: index, %z: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @+1 {{loop-carried value #0 is not a reduction}}
  %r = slc.for %e = %c0 to %n step %c1 iter_args(%s = %z) -> (f32) {
    %v = slc.mem_str %a[%e] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    %s1 = slc.callback ite -> f32 {
      %i = slc.str_to_val %e : !slc.stream<index> -> index
      %x = slc.str_to_val %v : !slc.stream<f32> -> f32
      %t = arith.addf %s, %x : f32
      memref.store %t, %out[%i] : memref<?xf32>
      slc.yield %t : f32
    }
    slc.yield %s1 : f32
  }
  return %r : f32
}

// Which zero the result is would depend on the order.
// CHECK-LABEL: @maxnum
// CHECK-NOT: slcv
func.func @maxnum(%a: memref<?xf32>, %n: index, %z: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @+1 {{loop-carried value #0 is not a reduction}}
  %r = slc.for %e = %c0 to %n step %c1 iter_args(%s = %z) -> (f32) {
    %v = slc.mem_str %a[%e] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    %s1 = slc.callback ite -> f32 {
      %x = slc.str_to_val %v : !slc.stream<f32> -> f32
      %t = arith.maxnumf %s, %x : f32
      slc.yield %t : f32
    }
    slc.yield %s1 : f32
  }
  return %r : f32
}
