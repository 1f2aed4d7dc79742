// RUN: ember-opt %s --simplify-mem-ops | FileCheck %s

// CHECK-LABEL: @masked(
// CHECK-SAME:    %[[OUT:.*]]: memref<?x?xf32>, %[[ROW:.*]]: index, %[[E0:.*]]: index, %[[MASK:.*]]: vector<4xi1>, %[[PASS:.*]]: vector<4xf32>)
// CHECK:         %[[V:.*]] = vector.maskedload %[[OUT]][%[[ROW]], %[[E0]]], %[[MASK]], %[[PASS]]
// CHECK:         vector.maskedstore %[[OUT]][%[[ROW]], %[[E0]]], %[[MASK]], %[[V]]
func.func @masked(%out: memref<?x?xf32>, %row: index, %e0: index, %mask: vector<4xi1>, %pass: vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %first = vector.broadcast %e0 : index to vector<4xindex>
  %steps = vector.step : vector<4xindex>
  %pos = arith.addi %first, %steps : vector<4xindex>
  %v = vector.gather %out[%row, %c0] [%pos], %mask, %pass : memref<?x?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.scatter %out[%row, %c0] [%pos], %mask, %v : memref<?x?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
  return
}

// Sums of any shape, as long as lane numbers are in it once.
// CHECK-LABEL: @sums(
// CHECK-SAME:    %[[A:.*]]: memref<?xf32>, %[[I:.*]]: index, %[[J:.*]]: index, %[[BASE:.*]]: index)
// CHECK:         %[[IB:.*]] = arith.addi %[[I]], %[[BASE]]
// CHECK:         %[[SEVEN:.*]] = arith.constant 7 : index
// CHECK:         %[[IB7:.*]] = arith.addi %[[IB]], %[[SEVEN]]
// CHECK:         %[[AT:.*]] = arith.subi %[[IB7]], %[[J]]
// CHECK:         vector.load %[[A]][%[[AT]]]
// CHECK:         vector.gather
// CHECK:         vector.gather
func.func @sums(%a: memref<?xf32>, %i: index, %j: index, %base: index) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>) {
  %all = arith.constant dense<true> : vector<4xi1>
  %pass = arith.constant dense<0.0> : vector<4xf32>
  %seven = arith.constant dense<7> : vector<4xindex>
  %is = vector.broadcast %i : index to vector<4xindex>
  %js = vector.broadcast %j : index to vector<4xindex>
  %steps = vector.step : vector<4xindex>
  %0 = arith.addi %steps, %seven : vector<4xindex>
  %1 = arith.subi %0, %js : vector<4xindex>
  %pos = arith.addi %is, %1 : vector<4xindex>
  %v = vector.gather %a[%base] [%pos], %all, %pass : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %twice = arith.addi %pos, %steps : vector<4xindex>
  %w = vector.gather %a[%base] [%twice], %all, %pass : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %down = arith.subi %is, %steps : vector<4xindex>
  %x = vector.gather %a[%base] [%down], %all, %pass : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  return %v, %w, %x : vector<4xf32>, vector<4xf32>, vector<4xf32>
}

// CHECK-LABEL: @streams(
// CHECK:         slcv.vec_for (%[[E:.*]], %[[MASK:.*]]) =
// CHECK:           slcv.vec_mem_str %{{.*}}[%{{.*}}, %[[E]]] mask %[[MASK]] contiguous :
// CHECK:           %[[F:.*]] = slcv.vec_alu_str add
// CHECK:           %[[I:.*]] = slcv.vec_mem_str %{{.*}}[%[[F]]] mask %[[MASK]] contiguous :
// CHECK:           slcv.vec_mem_str %{{.*}}[%{{.*}}, %[[I]]] mask %[[MASK]] :
// CHECK:           slcv.vec_mem_str %{{.*}}[%[[I]], %[[E]]] mask %[[MASK]] :
// CHECK:         slcv.vec_for {{.*}} bcast
// CHECK:           slcv.vec_mem_str %{{.*}}[%{{.*}}, %{{.*}}] mask %{{[a-z0-9_]*}} :
func.func @streams(%idx: memref<?xindex>, %a: memref<?x?xf32>, %out: memref<?xvector<4xf32>>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %b = %c0 to %n step %c1 {
    slcv.vec_for (%e, %mask) = %c0 to %n step %c1 vector<4> {
      %v = slcv.vec_mem_str %a[%b, %e] mask %mask : memref<?x?xf32>[!slc.stream<index>, !slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
      %f = slcv.vec_alu_str add %b, %e : !slc.stream<index>, !slc.stream<vector<4xindex>> -> !slc.stream<vector<4xindex>>
      %i = slcv.vec_mem_str %idx[%f] mask %mask : memref<?xindex>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xindex>>
      %w = slcv.vec_mem_str %a[%b, %i] mask %mask : memref<?x?xf32>[!slc.stream<index>, !slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
      %x = slcv.vec_mem_str %a[%i, %e] mask %mask : memref<?x?xf32>[!slc.stream<vector<4xindex>>, !slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
      slc.callback ite {
        %vs = slc.str_to_val %v : !slc.stream<vector<4xf32>> -> vector<4xf32>
        %ws = slc.str_to_val %w : !slc.stream<vector<4xf32>> -> vector<4xf32>
        %xs = slc.str_to_val %x : !slc.stream<vector<4xf32>> -> vector<4xf32>
        memref.store %vs, %out[%c0] : memref<?xvector<4xf32>>
        memref.store %ws, %out[%c0] : memref<?xvector<4xf32>>
        memref.store %xs, %out[%c0] : memref<?xvector<4xf32>>
      }
    }
  }
  slcv.vec_for (%e, %mask) = %c0 to %n step %c1 vector<4> bcast {
    %v = slcv.vec_mem_str %a[%c0, %e] mask %mask : memref<?x?xf32>[index, !slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
    slc.callback ite {
      %vs = slc.str_to_val %v : !slc.stream<vector<4xf32>> -> vector<4xf32>
      memref.store %vs, %out[%c0] : memref<?xvector<4xf32>>
    }
  }
  return
}
