// Every operation and every form of its assembly.

// RUN: ember-opt %s | ember-opt | FileCheck %s
// RUN: ember-opt %s --mlir-print-op-generic | ember-opt | FileCheck %s

// CHECK-LABEL: func.func private @access(
// CHECK-SAME: %[[DATA:[^:]*]]: !ring.data<64>, %[[TOKENS:[^:]*]]: !ring.tokens<2>) attributes {ring.half = #ring.half<access>}
func.func private @access(%n: index, %v: vector<16xf32>, %x: f64, %data: !ring.data<64>, %tokens: !ring.tokens<2>) attributes {ring.half = #ring.half<access>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: ring.push %[[TOKENS]], 0 : !ring.tokens<2>
    ring.push %tokens, 0 : !ring.tokens<2>
    // CHECK: %[[SLOT:.*]] = ring.acquire %[[DATA]] for 0 : !ring.data<64> -> !ring.slot<vector<16xf32>>
    %slot = ring.acquire %data for 0 : !ring.data<64> -> !ring.slot<vector<16xf32>>
    // CHECK: ring.store %{{.*}}, %[[SLOT]] : !ring.slot<vector<16xf32>>
    ring.store %v, %slot : !ring.slot<vector<16xf32>>
    // CHECK: ring.trace_operand %[[SLOT]], "weight" : !ring.slot<vector<16xf32>>
    ring.trace_operand %slot, "weight" : !ring.slot<vector<16xf32>>
    // CHECK: ring.commit %[[SLOT]] : !ring.slot<vector<16xf32>>
    ring.commit %slot : !ring.slot<vector<16xf32>>
  }
  // CHECK: %[[FOLLOWS:.*]] = ring.follows %{{.*}} in %[[TOKENS]] : f64, !ring.tokens<2>
  %follows = ring.follows %x in %tokens : f64, !ring.tokens<2>
  // CHECK: ring.trace_token 1, "f.0" at "tu0.end" named "e.end"{{$}}
  ring.trace_token 1, "f.0" at "tu0.end" named "e.end"
  // CHECK: ring.trace_token 1, "f.0" at "tu0.end" named "e.end" value %{{.*}} : f64
  ring.trace_token 1, "f.0" at "tu0.end" named "e.end" value %x : f64
  // CHECK: ring.push %[[TOKENS]], 1 value %{{.*}} : !ring.tokens<2>, f64
  ring.push %tokens, 1 value %x : !ring.tokens<2>, f64
  scf.if %follows {
    %slot = ring.acquire %data for 1 : !ring.data<64> -> !ring.slot<f64>
    ring.store %x, %slot : !ring.slot<f64>
    ring.commit %slot : !ring.slot<f64>
  }
  // CHECK: ring.end %[[TOKENS]] : !ring.tokens<2>
  ring.end %tokens : !ring.tokens<2>
  return
}

// Reads may stand in control flow within the life of a slot; tokens are words.

// CHECK-LABEL: func.func private @compute(
// CHECK-SAME: attributes {ring.half = #ring.half<compute>}
func.func private @compute(%sum: memref<f64>, %out: memref<?xf32>, %data: !ring.data<64>, %tokens: !ring.tokens<2>) -> index attributes {ring.half = #ring.half<compute>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %first = arith.constant 0 : i64
  %r:2 = scf.while (%count = %c0) : (index) -> (i64, index) {
    // CHECK: %{{.*}}, %[[MORE:.*]] = ring.pop %[[TOKENS:.*]] : !ring.tokens<2>
    %token, %more = ring.pop %tokens : !ring.tokens<2>
    scf.condition(%more) %token, %count : i64, index
  } do {
  ^bb0(%token: i64, %count: index):
    // CHECK: ring.token_id %[[TOKEN:.*]] in %{{.*}} : !ring.tokens<2>
    %id = ring.token_id %token in %tokens : !ring.tokens<2>
    %is_first = arith.cmpi eq, %id, %first : i64
    scf.if %is_first {
      // CHECK: %[[SLOT:.*]] = ring.wait %{{.*}} for 0 : !ring.data<64> -> !ring.slot<vector<16xf32>>
      %slot = ring.wait %data for 0 : !ring.data<64> -> !ring.slot<vector<16xf32>>
      scf.for %k = %c0 to %c16 step %c1 {
        // CHECK: ring.load %[[SLOT]] : !ring.slot<vector<16xf32>>
        %v = ring.load %slot : !ring.slot<vector<16xf32>>
        %x = vector.extract %v[%k] : f32 from vector<16xf32>
        memref.store %x, %out[%k] : memref<?xf32>
      }
      // CHECK: ring.release %[[SLOT]] : !ring.slot<vector<16xf32>>
      ring.release %slot : !ring.slot<vector<16xf32>>
    } else {
      // CHECK: ring.token_follows %[[TOKEN]] in %{{.*}} of f64 : !ring.tokens<2>
      %follows = ring.token_follows %token in %tokens of f64 : !ring.tokens<2>
      %x = scf.if %follows -> f64 {
        %slot = ring.wait %data for 1 : !ring.data<64> -> !ring.slot<f64>
        %v = ring.load %slot : !ring.slot<f64>
        ring.release %slot : !ring.slot<f64>
        scf.yield %v : f64
      } else {
        // CHECK: ring.token_value %[[TOKEN]] in %{{.*}} : !ring.tokens<2> -> f64
        %v = ring.token_value %token in %tokens : !ring.tokens<2> -> f64
        scf.yield %v : f64
      }
      memref.store %x, %sum[] : memref<f64>
    }
    %next = arith.addi %count, %c1 : index
    scf.yield %next : index
  }
  return %r#1 : index
}

// CHECK-LABEL: func.func @run(
func.func @run(%n: index, %v: vector<16xf32>, %x: f64, %sum: memref<f64>, %out: memref<?xf32>) -> index {
  // CHECK: %[[DATA:.*]] = ring.create capacity 16 : !ring.data<64>
  %data = ring.create capacity 16 : !ring.data<64>
  // CHECK: %[[TOKENS:.*]] = ring.create : !ring.tokens<2>
  %tokens = ring.create : !ring.tokens<2>
  // CHECK: ring.run "run" access @access(%{{.*}}, %{{.*}}, %{{.*}}, %[[DATA]], %[[TOKENS]] : index, vector<16xf32>, f64, !ring.data<64>, !ring.tokens<2>)
  // CHECK-SAME: compute @compute(%{{.*}}, %{{.*}}, %[[DATA]], %[[TOKENS]] : memref<f64>, memref<?xf32>, !ring.data<64>, !ring.tokens<2>) -> index
  %count = ring.run "run" access @access(%n, %v, %x, %data, %tokens : index, vector<16xf32>, f64, !ring.data<64>, !ring.tokens<2>) compute @compute(%sum, %out, %data, %tokens : memref<f64>, memref<?xf32>, !ring.data<64>, !ring.tokens<2>) -> index
  return %count : index
}

// A half of a program that is elsewhere, and tokens without values.

// CHECK: func.func private @elsewhere(!ring.data<8>, !ring.tokens) attributes {ring.half = #ring.half<access>}
func.func private @elsewhere(!ring.data<8>, !ring.tokens) attributes {ring.half = #ring.half<access>}
