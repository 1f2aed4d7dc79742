// The loops that traversals become, in recoupled programs and in access programs
// alike: as they are where nothing can wrap around, counted where it could.

// RUN: ember-opt %s --convert-slc-to-scf | FileCheck %s --check-prefixes=CHECK,SLCV
// RUN: ember-opt %s --slc-to-dlc --convert-dlc-to-llvm | FileCheck %s --check-prefixes=CHECK,DLC

// A size is far from the largest index.
// SLCV-LABEL: func.func @size(
// DLC-LABEL: func.func private @size.access.0(
// CHECK: %[[N:.*]] = memref.dim
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[N]] step %c4
// CHECK: %[[LEFT:.*]] = arith.subi %[[N]], %[[I]]
// CHECK: vector.create_mask %[[LEFT]]
func.func @size(%t: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %t, %c0 : memref<?xf32>
  slcv.vec_for (%e, %mask) = %c0 to %n step %c1 vector<4> {
    slc.callback ite {
      %m = slc.str_to_val %mask : !slc.stream<vector<4xi1>> -> vector<4xi1>
      vector.print %m : vector<4xi1>
    }
  }
  return
}

// So is what ends where an index of memory does.
// SLCV-LABEL: func.func @addresses(
// DLC-LABEL: func.func private @addresses.access.0(
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c4
func.func @addresses(%t: memref<?xf32>, %from: index, %to: index) {
  %c1 = arith.constant 1 : index
  slcv.vec_for (%e, %mask) = %from to %to step %c1 vector<4> {
    %v = slcv.vec_mem_str %t[%e] mask %mask contiguous : memref<?xf32>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
    slc.callback ite {
      %x = slc.str_to_val %v : !slc.stream<vector<4xf32>> -> vector<4xf32>
      vector.print %x : vector<4xf32>
    }
  }
  return
}

// Anything else is counted, as unsigned numbers.
// SLCV-LABEL: func.func @anything(
// DLC-LABEL: func.func private @anything.access.0(
// CHECK: %[[RANGE:.*]] = arith.cmpi slt, %[[LOWER:.*]], %[[UPPER:.*]] : index
// CHECK: %[[LENGTH:.*]] = arith.subi %[[UPPER]], %[[LOWER]]
// CHECK: %[[ELEMENTS:.*]] = arith.select %[[RANGE]], %[[LENGTH]], %c0
// CHECK: %[[TRIPS:.*]] = arith.ceildivui %[[ELEMENTS]], %c4
// CHECK: scf.for %[[K:.*]] = %c0{{.*}} to %[[TRIPS]] step %c1
func.func @anything(%from: index, %to: index) {
  %c1 = arith.constant 1 : index
  slcv.vec_for (%e, %mask) = %from to %to step %c1 vector<4> {
    slc.callback ite {
      %x = slc.str_to_val %e : !slc.stream<vector<4xindex>> -> vector<4xindex>
      vector.print %x : vector<4xindex>
    }
  }
  return
}

// A step that is known at run time only is checked, and where it leads.
// SLCV-LABEL: func.func @steps(
// DLC-LABEL: func.func private @steps.access.0(
// CHECK: cf.assert %{{.*}}, "the step of a loop is not positive at
// CHECK: cf.assert %{{.*}}, "the bound of a loop is too large for its step at
// CHECK: scf.for
func.func @steps(%from: index, %to: index, %step: index) {
  slcv.vec_for (%e, %mask) = %from to %to step %step vector<4> {
    slc.callback ite {
      %x = slc.str_to_val %e : !slc.stream<vector<4xindex>> -> vector<4xindex>
      vector.print %x : vector<4xindex>
    }
  }
  return
}
