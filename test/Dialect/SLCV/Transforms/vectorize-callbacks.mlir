// RUN: ember-opt %s --vectorize-callbacks --split-input-file | FileCheck %s

// Loads and stores become gathers and scatters, the induction variable crosses
// as its lane 0, and the mask is computed from that and the bound.
// CHECK-LABEL: @accumulate(
// CHECK-SAME:    %{{.*}}: memref<?xf32>, %[[OUT:.*]]: memref<?x?xf32>, %[[ROW:.*]]: index, %[[N:.*]]: index)
// CHECK:         slcv.vec_for (%[[E:.*]], %{{.*}}) =
// CHECK:           slc.callback ite {
// CHECK-NEXT:        %[[E0:.*]] = slc.str_to_val %[[E]][0] : !slc.stream<vector<4xindex>> -> index
// CHECK-NEXT:        %[[FIRST:.*]] = vector.broadcast %[[E0]] : index to vector<4xindex>
// CHECK-NEXT:        %[[STEP:.*]] = vector.step : vector<4xindex>
// CHECK-NEXT:        %[[POS:.*]] = arith.addi %[[FIRST]], %[[STEP]] : vector<4xindex>
// CHECK-NEXT:        %[[X:.*]] = slc.str_to_val %{{.*}} : !slc.stream<vector<4xf32>> -> vector<4xf32>
// CHECK-NEXT:        %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT:        %[[LEFT:.*]] = arith.subi %[[N]], %[[E0]] : index
// CHECK-NEXT:        %[[MASK:.*]] = vector.create_mask %[[LEFT]] : vector<4xi1>
// CHECK-NEXT:        %[[PASS:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK-NEXT:        %[[ACC:.*]] = vector.gather %[[OUT]][%[[ROW]], %[[ZERO]]] [%[[POS]]], %[[MASK]], %[[PASS]]
// CHECK-NEXT:        %[[SUM:.*]] = arith.addf %[[ACC]], %[[X]] fastmath<contract> : vector<4xf32>
// CHECK:             vector.scatter %[[OUT]][%[[ROW]], %{{.*}}] [%[[POS]]], %[[MASK]], %[[SUM]]
// CHECK-NEXT:      }
func.func @accumulate(%a: memref<?xf32>, %out: memref<?x?xf32>, %row: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slcv.vec_for (%e, %mask) = %c0 to %n step %c1 vector<4> {
    %v = slcv.vec_mem_str %a[%e] mask %mask : memref<?xf32>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
    slc.callback ite {
      %es = slc.str_to_val %e : !slc.stream<vector<4xindex>> -> vector<4xindex>
      %i = slcv.as_scalar %es : vector<4xindex> to index
      %xs = slc.str_to_val %v : !slc.stream<vector<4xf32>> -> vector<4xf32>
      %x = slcv.as_scalar %xs : vector<4xf32> to f32
      %acc = memref.load %out[%row, %i] : memref<?x?xf32>
      %sum = arith.addf %acc, %x fastmath<contract> : f32
      memref.store %sum, %out[%row, %i] : memref<?x?xf32>
    }
  }
  return
}

// -----

// The upper bound is a stream: the mask crosses. A division does not divide
// inactive lanes by what they hold.
// CHECK-LABEL: @stream_bound(
// CHECK:         slcv.vec_for (%[[E:.*]], %[[M:.*]]) =
// CHECK:             %[[MASK:.*]] = slc.str_to_val %[[M]] : !slc.stream<vector<4xi1>> -> vector<4xi1>
// CHECK-NEXT:        %[[ONES:.*]] = arith.constant dense<1> : vector<4xi32>
// CHECK-NEXT:        %[[BY:.*]] = arith.select %[[MASK]], %{{.*}}, %[[ONES]] : vector<4xi1>, vector<4xi32>
// CHECK-NEXT:        %[[Q:.*]] = arith.divsi %{{.*}}, %[[BY]] : vector<4xi32>
// CHECK:             vector.scatter %{{.*}} %[[MASK]], %[[Q]]
func.func @stream_bound(%ub: memref<?xindex>, %a: memref<?xi32>, %out: memref<?xi32>, %n: index, %d: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %b = %c0 to %n step %c1 {
    %end = slc.mem_str %ub[%b] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    slcv.vec_for (%e, %mask) = %c0 to %end step %c1 vector<4> : index, !slc.stream<index> {
      %v = slcv.vec_mem_str %a[%e] mask %mask : memref<?xi32>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xi32>>
      slc.callback ite {
        %es = slc.str_to_val %e : !slc.stream<vector<4xindex>> -> vector<4xindex>
        %i = slcv.as_scalar %es : vector<4xindex> to index
        %xs = slc.str_to_val %v : !slc.stream<vector<4xi32>> -> vector<4xi32>
        %x = slcv.as_scalar %xs : vector<4xi32> to i32
        %q = arith.divsi %d, %x : i32
        memref.store %q, %out[%i] : memref<?xi32>
      }
    }
  }
  return
}

// -----

// Every lane is active: no mask. Constants are splat, other scalars copied to
// all lanes, and comparisons select lane by lane.
// CHECK-LABEL: @full(
// CHECK-SAME:    %{{.*}}: memref<8xf32>, %{{.*}}: memref<8xf32>, %[[W:.*]]: f32)
// CHECK-NOT:       create_mask
// CHECK:           %[[WS:.*]] = vector.broadcast %[[W]] : f32 to vector<4xf32>
// CHECK:           %[[P:.*]] = arith.cmpf ogt, %{{.*}}, %[[WS]] : vector<4xf32>
// CHECK:           %[[TWO:.*]] = arith.constant dense<2.000000e+00> : vector<4xf32>
// CHECK:           arith.mulf %{{.*}}, %[[TWO]] : vector<4xf32>
// CHECK:           arith.select %[[P]], %{{.*}}, %{{.*}} : vector<4xi1>, vector<4xf32>
// CHECK:           %[[ALL:.*]] = arith.constant dense<true> : vector<4xi1>
// CHECK:           vector.scatter %{{.*}} %[[ALL]],
func.func @full(%a: memref<8xf32>, %out: memref<8xf32>, %w: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  slcv.vec_for (%e, %mask) = %c0 to %c8 step %c1 vector<4> {
    %v = slcv.vec_mem_str %a[%e] : memref<8xf32>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
    slc.callback ite {
      %es = slc.str_to_val %e : !slc.stream<vector<4xindex>> -> vector<4xindex>
      %i = slcv.as_scalar %es : vector<4xindex> to index
      %xs = slc.str_to_val %v : !slc.stream<vector<4xf32>> -> vector<4xf32>
      %x = slcv.as_scalar %xs : vector<4xf32> to f32
      %two = arith.constant 2.0 : f32
      %p = arith.cmpf ogt, %x, %w : f32
      %y = arith.mulf %x, %two : f32
      %z = arith.select %p, %y, %x : f32
      memref.store %z, %out[%i] : memref<8xf32>
    }
  }
  return
}

// -----

// Reductions run in lane order from the carried value; inactive lanes hold
// what changes nothing.
// CHECK-LABEL: @reductions(
// CHECK:         iter_args(%[[S:.*]] = %{{.*}}, %[[M:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}) -> (f32, f32, i32)
// CHECK:         slc.callback ite -> (f32, f32, i32) {
// CHECK:           %[[X:.*]] = slc.str_to_val %{{.*}} : !slc.stream<vector<4xf32>> -> vector<4xf32>
// CHECK:           %[[MASK:.*]] = vector.create_mask
// CHECK:           %[[NEG:.*]] = arith.constant dense<-0.000000e+00> : vector<4xf32>
// CHECK:           %[[XS:.*]] = arith.select %[[MASK]], %[[X]], %[[NEG]]
// CHECK:           %[[SUM:.*]] = vector.reduction <add>, %[[XS]], %[[S]] : vector<4xf32> into f32
// CHECK:           %[[INF:.*]] = arith.constant dense<0xFF800000> : vector<4xf32>
// CHECK:           %[[XM:.*]] = arith.select %[[MASK]], %[[X]], %[[INF]]
// CHECK:           %[[MAX:.*]] = vector.reduction <maximumf>, %[[XM]], %[[M]] : vector<4xf32> into f32
// CHECK:           %[[ONE:.*]] = arith.constant dense<1> : vector<4xi32>
// CHECK:           %[[XP:.*]] = arith.select %[[MASK]], %{{.*}}, %[[ONE]]
// CHECK:           %[[PROD:.*]] = vector.reduction <mul>, %[[XP]], %[[P]] : vector<4xi32> into i32
// CHECK:           slc.yield %[[SUM]], %[[MAX]], %[[PROD]]
func.func @reductions(%a: memref<?xf32>, %n: index, %z: f32, %k: i32) -> (f32, f32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = slcv.vec_for (%e, %mask) = %c0 to %n step %c1 vector<4> iter_args(%s = %z, %m = %z, %p = %k) -> (f32, f32, i32) {
    %v = slcv.vec_mem_str %a[%e] mask %mask : memref<?xf32>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
    %s1 = slc.callback ite -> f32 {
      %xs = slc.str_to_val %v : !slc.stream<vector<4xf32>> -> vector<4xf32>
      %x = slcv.as_scalar %xs : vector<4xf32> to f32
      %t = arith.addf %s, %x : f32
      slc.yield %t : f32
    }
    %r1:2 = slc.callback ite -> (f32, i32) {
      %xs = slc.str_to_val %v : !slc.stream<vector<4xf32>> -> vector<4xf32>
      %x = slcv.as_scalar %xs : vector<4xf32> to f32
      %t = arith.maximumf %x, %m : f32
      %i = arith.fptosi %x : f32 to i32
      %u = arith.muli %p, %i : i32
      slc.yield %t, %u : f32, i32
    }
    slc.yield %s1, %r1#0, %r1#1 : f32, f32, i32
  }
  return %r#0, %r#1, %r#2 : f32, f32, i32
}
