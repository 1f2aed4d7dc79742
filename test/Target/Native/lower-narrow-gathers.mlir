// RUN: ember-opt %s --set-target="mtriple=aarch64-linux-gnu mcpu=neoverse-v1" --lower-narrow-gathers | FileCheck %s
// RUN: ember-opt %s --set-target="mtriple=x86_64-linux-gnu mcpu=x86-64-v3" --lower-narrow-gathers | FileCheck %s --check-prefix=OTHER

// CHECK-LABEL: func.func @bytes(
// CHECK-NOT:     vector.gather
// CHECK-COUNT-4: vector.load %arg0[%{{.*}}] : memref<?xi8>, vector<1xi8>
// CHECK:         return
// OTHER-LABEL: func.func @bytes(
// OTHER:         vector.gather
func.func @bytes(%m: memref<?xi8>, %indices: vector<4xindex>, %mask: vector<4xi1>, %rest: vector<4xi8>) -> vector<4xi8> {
  %c0 = arith.constant 0 : index
  %v = vector.gather %m[%c0] [%indices], %mask, %rest : memref<?xi8>, vector<4xindex>, vector<4xi1>, vector<4xi8> into vector<4xi8>
  return %v : vector<4xi8>
}

// CHECK-LABEL: func.func @words(
// CHECK:         vector.gather
func.func @words(%m: memref<?xi32>, %indices: vector<4xindex>, %mask: vector<4xi1>, %rest: vector<4xi32>) -> vector<4xi32> {
  %c0 = arith.constant 0 : index
  %v = vector.gather %m[%c0] [%indices], %mask, %rest : memref<?xi32>, vector<4xindex>, vector<4xi1>, vector<4xi32> into vector<4xi32>
  return %v : vector<4xi32>
}
