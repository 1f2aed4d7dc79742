// Every operation and every form of its assembly.

// RUN: ember-opt %s | ember-opt | FileCheck %s
// RUN: ember-opt %s --mlir-print-op-generic | ember-opt | FileCheck %s

// CHECK-LABEL: func.func @on_tensors(
func.func @on_tensors(%a: tensor<?x?xf32>, %b: tensor<?xi32>, %s: f32, %y: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: cin.evaluate ins(%A = %{{.*}}, %I = %{{.*}}, %s = %{{.*}} : tensor<?x?xf32>, tensor<?xi32>, f32) outs(%y = %{{.*}} : tensor<?xf32>) -> tensor<?xf32> attributes {names = ["A", "I", "s", "y"]} {
  %0 = cin.evaluate ins(%A = %a, %I = %b, %f = %s : tensor<?x?xf32>, tensor<?xi32>, f32)
                    outs(%out = %y : tensor<?xf32>) -> tensor<?xf32>
                    attributes {names = ["A", "I", "s", "y"]} {
    // CHECK: cin.forall (%i) attributes {names = ["i"]} {
    cin.forall (%i) attributes {names = ["i"]} {
      // CHECK: %[[END:.*]] = cin.extent %A, 1 : tensor<?x?xf32>
      %end = cin.extent %A, 1 : tensor<?x?xf32>
      // CHECK: %[[BEGIN:.*]] = cin.access %I[%i] : tensor<?xi32>
      %begin = cin.access %I[%i] : tensor<?xi32>
      // CHECK: cin.reduce max (%{{.*}} in %[[BEGIN]] to %[[END]] : i32 and index, %{{.*}}) -> f32 {
      %largest = cin.reduce max (%p in %begin to %end : i32 and index, %q) -> f32 {
        // CHECK: cin.apply #{{.*}}(%{{.*}}, %[[BEGIN]] : index, i32)
        %next = cin.apply affine_map<(d0, d1) -> (d0 * 2 + d1)>(%p, %begin : index, i32)
        %x = cin.access %A[%next, %p] : tensor<?x?xf32>
        %w = cin.access %A[%begin, %q] : tensor<?x?xf32> (i32, index)
        // CHECK: cin.call mul(%{{.*}}, %s) : (f32, f32) -> f32
        %product = cin.call mul(%x, %f) : (f32, f32) -> f32
        // CHECK: cin.call lt(%{{.*}}, %{{.*}}) : (f32, f32) -> i1
        %kept = cin.call lt(%w, %product) : (f32, f32) -> i1
        // CHECK: cin.yield %{{.*}} where %{{.*}} : f32
        cin.yield %product where %kept : f32
      }
      // CHECK: cin.literal 5.000000e-01 : f32
      %half = cin.literal 0.5 : f32
      %isSmall = cin.call le(%largest, %half) : (f32, f32) -> i1
      // CHECK: cin.assign add %{{.*}} to %y[%i] where %{{.*}} : tensor<?xf32>
      cin.assign add %largest to %out[%i] where %isSmall : tensor<?xf32>
    }
  }
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @on_memrefs(
func.func @on_memrefs(%y: memref<?xf32>, %z: memref<f32>) {
  // CHECK: cin.evaluate outs(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}} : memref<?xf32>, memref<f32>) {
  cin.evaluate outs(%out = %y, %total = %z : memref<?xf32>, memref<f32>) {
    // CHECK: cin.forall () {
    cin.forall () {
      %n = cin.extent %out, 0 : memref<?xf32>
      // CHECK: cin.where (%[[T:.*]] : memref<?xf32>, %{{.*}}) {
      cin.where (%t : memref<?xf32>, %n) {
        cin.forall (%i) {
          // CHECK: cin.access %[[T]][%{{.*}}] : memref<?xf32>
          %x = cin.access %t[%i] : memref<?xf32>
          cin.assign %x to %out[%i] : memref<?xf32>
        }
      // CHECK: } produced {
      } produced {
        cin.forall (%i) {
          %x = cin.access %out[%i] : memref<?xf32>
          %one = cin.literal 1.0 : f32
          %holds = cin.call lt(%x, %one) : (f32, f32) -> i1
          // CHECK: cin.if %{{.*}} {
          cin.if %holds {
            // CHECK: cin.assign %{{.*}} to %[[T]][%{{.*}}] : memref<?xf32>
            cin.assign %one to %t[%i] : memref<?xf32>
          }
        }
      }
    }
    cin.forall () {
      %zero = cin.literal 0.0 : f32
      // CHECK: cin.assign %{{.*}} to %{{.*}}[] : memref<f32>
      cin.assign %zero to %total[] : memref<f32>
    }
  }
  return
}

// CHECK-LABEL: func.func @in_order(
func.func @in_order(%a: memref<?xf32>, %c: i1, %y: memref<?xf32>) {
  cin.evaluate ins(%A = %a, %is_new = %c : memref<?xf32>, i1) outs(%out = %y : memref<?xf32>) {
    // CHECK: cin.same_size %{{.*}}, 0 and %{{.*}}, 0 {message = "not as many"} : memref<?xf32> and memref<?xf32>
    cin.same_size %A, 0 and %out, 0 {message = "not as many"} : memref<?xf32> and memref<?xf32>
    cin.forall (%i) {
      // CHECK: cin.reduce larger (%{{.*}}) -> f32 attributes {otherwise = 0.000000e+00 : f32} {
      %m = cin.reduce larger (%j) -> f32 attributes {otherwise = 0.0 : f32} {
        %x = cin.access %A[%j] : memref<?xf32>
        // CHECK: cin.call sin(%{{.*}}) {approximate} : (f32) -> f32
        %s = cin.call sin(%x) {approximate} : (f32) -> f32
        cin.yield %s : f32
      }
      // CHECK: cin.assign larger %{{.*}} to %{{.*}}[%{{.*}}] where %[[C:.*]] first %[[C]] : memref<?xf32>
      cin.assign larger %m to %out[%i] where %is_new first %is_new : memref<?xf32>
    }
  }
  return
}

// CHECK-LABEL: func.func @compact(
func.func @compact(%m: memref<?xi1>, %x: memref<?xf32>, %y: memref<?xf32>, %n: memref<1xi64>) {
  cin.evaluate ins(%M = %m, %A = %x : memref<?xi1>, memref<?xf32>) outs(%out = %y, %count = %n : memref<?xf32>, memref<1xi64>) {
    // CHECK: %[[KEPT:.*]] = cin.compact %{{.*}} counted %{{.*}} : memref<?xf32>, memref<1xi64>
    %kept = cin.compact %out counted %count : memref<?xf32>, memref<1xi64>
    cin.forall (%i) {
      %c = cin.access %M[%i] : memref<?xi1>
      %v = cin.access %A[%i] : memref<?xf32>
      // CHECK: cin.assign %{{.*}} to %[[KEPT]][%{{.*}}] where %{{.*}} : memref<?xf32>
      cin.assign %v to %kept[%i] where %c : memref<?xf32>
    }
  }
  return
}
