// A store that stays with the execute unit is named, with the reason.

// RUN: ember-opt %s --store-streams --verify-diagnostics | FileCheck %s
// RUN: ember-opt %s --store-streams=mode=always 2>/dev/null | FileCheck %s --check-prefix=ALWAYS

// CHECK-NOT: slc.store_str

// Only of this one does the option decide.
// ALWAYS-LABEL: func.func @read_elsewhere(
// ALWAYS: slc.store_str %{{.*}}, %arg1
// ALWAYS-NOT: slc.store_str
func.func @read_elsewhere(%x: memref<?xf32>, %out: memref<?xf32>, %sum: memref<f64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    %v = slc.mem_str %x[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    slc.callback ite {
      %a = slc.str_to_val %v : !slc.stream<f32> -> f32
      %at = slc.str_to_val %i : !slc.stream<index> -> index
      // expected-remark @below {{store to argument 1 stays in the execute unit: the execute unit needs its value anyway}}
      memref.store %a, %out[%at] : memref<?xf32>
      %old = memref.load %sum[] : memref<f64>
      %wide = arith.extf %a : f32 to f64
      %new = arith.addf %old, %wide : f64
      memref.store %new, %sum[] : memref<f64>
    }
  }
  return
}

func.func @accumulates(%x: memref<?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    %v = slc.mem_str %x[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    slc.callback ite {
      %a = slc.str_to_val %v : !slc.stream<f32> -> f32
      %at = slc.str_to_val %i : !slc.stream<index> -> index
      // expected-remark @below {{store to argument 1 stays in the execute unit: other code of the nest may access the same memory at another time}}
      memref.store %a, %out[%at] : memref<?xf32>
      // expected-note @below {{here}}
      %old = memref.load %out[%c0] : memref<?xf32>
      %new = arith.addf %old, %a : f32
      // No candidate: what it stores is computed.
      memref.store %new, %out[%c0] : memref<?xf32>
    }
  }
  return
}

func.func @calls(%x: memref<?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    %v = slc.mem_str %x[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    slc.callback ite {
      %a = slc.str_to_val %v : !slc.stream<f32> -> f32
      %at = slc.str_to_val %i : !slc.stream<index> -> index
      // expected-remark @below {{store to argument 1 stays in the execute unit: other code of the nest may access the same memory at another time}}
      memref.store %a, %out[%at] : memref<?xf32>
      // expected-note @below {{here}}
      func.call @unknown() : () -> ()
    }
  }
  return
}
func.func private @unknown()

func.func @conditional(%x: memref<?xf32>, %out: memref<?xf32>, %n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    %v = slc.mem_str %x[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    slc.callback ite {
      %a = slc.str_to_val %v : !slc.stream<f32> -> f32
      scf.if %c {
        // expected-remark @below {{store to argument 1 stays in the execute unit: it is not made in every iteration}}
        memref.store %a, %out[%c0] : memref<?xf32>
      }
    }
  }
  return
}

func.func @after_nested(%x: memref<?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    %v = slc.mem_str %x[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    slc.for %j = %c0 to %n step %c1 {
    }
    slc.callback end {
      %a = slc.str_to_val %v : !slc.stream<f32> -> f32
      %at = slc.str_to_val %i : !slc.stream<index> -> index
      // expected-remark @below {{store to argument 1 stays in the execute unit: it comes after a nested loop, to which the access unit does not return}}
      memref.store %a, %out[%at] : memref<?xf32>
    }
  }
  return
}

func.func @carried_address(%x: memref<?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = slc.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
    %v = slc.mem_str %x[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    %next = slc.callback ite -> index {
      %a = slc.str_to_val %v : !slc.stream<f32> -> f32
      // expected-remark @below {{store to argument 1 stays in the execute unit: its address is no matter of streams}}
      memref.store %a, %out[%k] : memref<?xf32>
      %m = arith.addi %k, %c1 : index
      slc.yield %m : index
    }
    slc.yield %next : index
  }
  return
}
