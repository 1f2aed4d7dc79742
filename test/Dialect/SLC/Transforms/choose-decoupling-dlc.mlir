// A program that is decoupled already stays so: loops of its compute program
// are the execute unit's.

// RUN: ember-opt %s --scf-to-slc 2>&1 | FileCheck %s
// RUN: ember-opt %s --choose-decoupling 2>&1 | FileCheck %s
// CHECK-NOT: slc.decouple
// CHECK-NOT: remark
// CHECK: dlc.compute_loop
// CHECK-NOT: slc.for
// CHECK: case 1
// CHECK: scf.for
// CHECK-NOT: slc.callback

module {
  func.func @fm(%arg0: memref<?xindex>, %arg1: memref<?xindex>, %arg2: memref<?x?xf32>, %arg3: memref<?x?xf32>, %arg4: memref<?x?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %dim = memref.dim %arg4, %c0 : memref<?x?xf32>
    %dim_0 = memref.dim %arg2, %c1 : memref<?x?xf32>
    %0 = dlc.program captures(%dim = %dim : index, %arg0 = %arg0 : memref<?xindex>, %arg1 = %arg1 : memref<?xindex>, %dim_0 = %dim_0 : index, %arg2 = %arg2 : memref<?x?xf32>, %arg3 = %arg3 : memref<?x?xf32>, %arg4 = %arg4 : memref<?x?xf32>) -> (f32)
    access {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %tu = dlc.new_tu %c0 to %dim step %c1
      %1 = dlc.get_ind_var %tu : !slc.stream<index>
      %v = dlc.mem_str %tu, %arg0[%1] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
      %2 = dlc.alu_str %tu, add %1, %c1 : !slc.stream<index>, index -> !slc.stream<index>
      %v_1 = dlc.mem_str %tu, %arg0[%2] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
      %tu_2 = dlc.new_tu %v to %v_1 step %c1 in %tu : !slc.stream<index>, !slc.stream<index>
      %3 = dlc.get_ind_var %tu_2 : !slc.stream<index>
      %v_3 = dlc.mem_str %tu_2, %arg1[%3] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
      %tu_4 = dlc.new_tu %c0 to %dim_0 step %c1 in %tu_2
      %4 = dlc.get_ind_var %tu_4 : !slc.stream<index>
      %v_5 = dlc.mem_str %tu_4, %arg2[%1, %4] : memref<?x?xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
      %v_6 = dlc.mem_str %tu_4, %arg3[%v_3, %4] : memref<?x?xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
      dlc.register_callback %tu_4, ite, 0
      dlc.register_operand %tu_4, ite, %v_5 for 0 : !slc.stream<f32>
      dlc.register_operand %tu_4, ite, %v_6 for 0 : !slc.stream<f32>
      dlc.register_callback %tu_4, end, 1
      dlc.register_operand %tu_4, end, %v_3 for 1 : !slc.stream<index>
      dlc.register_operand %tu_4, end, %1 for 1 : !slc.stream<index>
    }
    compute {
      %cst = arith.constant 0.000000e+00 : f32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %0 = dlc.compute_loop iter_args(%cst) -> (f32)
      case 0 {
      ^bb0(%arg5: f32):
        %1 = dlc.pop_operand : f32
        %2 = dlc.pop_operand : f32
        %3 = arith.mulf %1, %2 : f32
        %4 = arith.addf %arg5, %3 : f32
        dlc.yield %4 : f32
      }
      case 1 {
      ^bb0(%arg5: f32):
        %1 = dlc.pop_operand : index
        %2 = dlc.pop_operand : index
        scf.for %arg6 = %c0 to %dim_0 step %c1 {
          %3 = memref.load %arg3[%1, %arg6] : memref<?x?xf32>
          %4 = arith.mulf %arg5, %3 : f32
          %5 = memref.load %arg4[%2, %arg6] : memref<?x?xf32>
          %6 = arith.addf %5, %4 : f32
          memref.store %6, %arg4[%2, %arg6] : memref<?x?xf32>
        }
        dlc.yield %cst : f32
      }
      dlc.yield %0 : f32
    }
    return
  }
}

