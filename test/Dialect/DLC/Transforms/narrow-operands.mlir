// What all lanes have is pushed once.

// RUN: ember-opt %s --narrow-operands | FileCheck %s

// CHECK-LABEL: func.func @splats(
func.func @splats(%n: index, %x: f32, %a: memref<?xf32>, %out: memref<?xf32>) {
  // CHECK: access {
  dlc.program captures(%n = %n : index, %x = %x : f32, %a = %a : memref<?xf32>, %out = %out : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    // CHECK: %[[V:.*]] = dlc.mem_str
    %v = dlc.mem_str %tu, %a[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    %wide = dlc.fwd_str %tu, %v : !slc.stream<f32> -> !slc.stream<vector<4xf32>>
    // CHECK-NEXT: %[[X:.*]] = dlc.fwd_str %{{.*}}, %{{.*}} : f32 -> !slc.stream<f32>
    %fixed = dlc.fwd_str %tu, %x : f32 -> !slc.stream<vector<4xf32>>
    dlc.register_callback %tu, ite, 0
    // CHECK: dlc.register_operand %{{.*}}, ite, %[[V]] for 0 : !slc.stream<f32>
    dlc.register_operand %tu, ite, %wide for 0 : !slc.stream<vector<4xf32>>
    // CHECK: dlc.register_operand %{{.*}}, ite, %[[X]] for 0 : !slc.stream<f32>
    dlc.register_operand %tu, ite, %fixed for 0 : !slc.stream<vector<4xf32>>
    dlc.register_operand %tu, ite, %i for 0 : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
    case 0 {
      // CHECK: %[[P:.*]] = dlc.pop_operand : f32
      // CHECK-NEXT: %[[A:.*]] = vector.broadcast %[[P]] : f32 to vector<4xf32>
      %p = dlc.pop_operand : vector<4xf32>
      // CHECK-NEXT: %[[Q:.*]] = dlc.pop_operand : f32
      // CHECK-NEXT: %[[B:.*]] = vector.broadcast %[[Q]] : f32 to vector<4xf32>
      %q = dlc.pop_operand : vector<4xf32>
      // CHECK-NEXT: dlc.pop_operand : index
      %i = dlc.pop_operand : index
      // CHECK-NEXT: arith.addf %[[A]], %[[B]] : vector<4xf32>
      %sum = arith.addf %p, %q : vector<4xf32>
      vector.store %sum, %out[%i] : memref<?xf32>, vector<4xf32>
    }
  }
  return
}

// Lanes that differ, one lane, and rows stay.
// CHECK-LABEL: func.func @others(
func.func @others(%n: index, %a: memref<?xf32>) {
  dlc.program captures(%n = %n : index, %a = %a : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1 vector<4>
    %i = dlc.get_ind_var %tu : !slc.stream<vector<4xindex>>
    %m = dlc.get_mask %tu : !slc.stream<vector<4xi1>>
    %v = dlc.mem_str %tu, %a[%i] mask %m contiguous : memref<?xf32>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
    dlc.register_callback %tu, ite, 0
    // CHECK: dlc.register_operand %{{.*}}, ite, %{{.*}} for 0 : !slc.stream<vector<4xf32>>
    dlc.register_operand %tu, ite, %v for 0 : !slc.stream<vector<4xf32>>
    // CHECK: dlc.register_operand %{{.*}}, ite, %{{.*}}[0] for 0 : !slc.stream<vector<4xindex>>
    dlc.register_operand %tu, ite, %i[0] for 0 : !slc.stream<vector<4xindex>>
  }
  compute {
    dlc.compute_loop
    case 0 {
      // CHECK: dlc.pop_operand : vector<4xf32>
      %v = dlc.pop_operand : vector<4xf32>
      // CHECK-NEXT: dlc.pop_operand : index
      %i = dlc.pop_operand : index
    }
  }
  return
}
