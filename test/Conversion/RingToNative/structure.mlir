// Where pairs of programs may stand, and what they share with their function: by
// way of rings to calls of the runtime.

// RUN: ember-opt %s --convert-dlc-to-llvm --split-input-file | FileCheck %s

// Two pairs in one function, one of them in a loop and a branch. Constants and
// sizes are computed again instead of passed.

// CHECK-LABEL: func.func @two_pairs(
// CHECK: scf.for
// CHECK:   scf.if
// CHECK:     %[[STACK:.*]] = llvm.intr.stacksave
// CHECK:     %[[ENV:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(i64, struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>)>
// CHECK:     llvm.mlir.addressof @two_pairs.access.0.program
// CHECK:     llvm.call @ember_dae_run(%{{.*}}, %[[ENV]])
// CHECK:     llvm.intr.stackrestore %[[STACK]]
// CHECK: llvm.alloca %{{.*}} x !llvm.struct<(struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>, f32)>
// CHECK: llvm.mlir.addressof @two_pairs.access.1.program
// CHECK: llvm.call @ember_dae_run
func.func @two_pairs(%n: index, %x: f32, %if: i1, %out: memref<?xf32> {ember.name = "out"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    scf.if %if {
      dlc.program captures(%k = %k : index, %out = %out : memref<?xf32>)
      access {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %tu = dlc.new_tu %c0 to %k step %c1
        dlc.register_callback %tu, ite, 5
      }
      compute {
        %c0 = arith.constant 0 : index
        dlc.compute_loop
        case 5 {
          %one = arith.constant 1.0 : f32
          %old = memref.load %out[%c0] : memref<?xf32>
          %new = arith.addf %old, %one : f32
          memref.store %new, %out[%c0] : memref<?xf32>
        }
      }
    }
  }
  %size = memref.dim %out, %c0 : memref<?xf32>
  dlc.program captures(%size = %size : index, %x = %x : f32, %out = %out : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %size step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    %v = dlc.fwd_str %tu, %x : f32 -> !slc.stream<f32>
    dlc.register_callback %tu, ite, 0
    dlc.register_operand %tu, ite, %i for 0 : !slc.stream<index>
    dlc.register_operand %tu, ite, %v for 0 : !slc.stream<f32>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %i = dlc.pop_operand : index
      %v = dlc.pop_operand : f32
      memref.store %v, %out[%i] : memref<?xf32>
    }
  }
  return
}
// CHECK-LABEL: func.func private @two_pairs.access.0(%{{.*}}: index, %{{.*}}: !llvm.ptr {llvm.noalias})
// CHECK-DAG: arith.constant 0 : index
// CHECK-DAG: arith.constant 1 : index
// CHECK: scf.for
// CHECK-LABEL: func.func private @two_pairs.compute.0(%{{.*}}: memref<?xf32> {ember.message_name = "'out'"}, %{{.*}}: !llvm.ptr {llvm.noalias})
// CHECK: scf.index_switch
// CHECK: case 5 {
// CHECK-LABEL: func.func private @two_pairs.access.1(%{{.*}}: memref<?xf32> {ember.message_name = "'out'"}, %{{.*}}: f32, %{{.*}}: !llvm.ptr
// CHECK: memref.dim
// CHECK: scf.for

// -----

// A case may hold a pair of its own.

// CHECK-LABEL: func.func @nested(
// CHECK: llvm.mlir.addressof @nested.access.1.program
// CHECK-LABEL: func.func private @nested.compute.0(
// CHECK: memref.store
// CHECK-LABEL: func.func private @nested.compute.1(
// CHECK: case 0 {
// CHECK: %[[V:.*]] = llvm.load
// CHECK: llvm.mlir.addressof @nested.access.0.program
// CHECK: llvm.call @ember_dae_run
func.func @nested(%n: index, %out: memref<?x?xindex>) {
  dlc.program captures(%n = %n : index, %out = %out : memref<?x?xindex>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    dlc.register_callback %tu, ite, 0
    dlc.register_operand %tu, ite, %i for 0 : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %i = dlc.pop_operand : index
      dlc.program captures(%i = %i : index, %out = %out : memref<?x?xindex>)
      access {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %tu = dlc.new_tu %c0 to %i step %c1
        %j = dlc.get_ind_var %tu : !slc.stream<index>
        dlc.register_callback %tu, ite, 0
        dlc.register_operand %tu, ite, %j for 0 : !slc.stream<index>
      }
      compute {
        dlc.compute_loop
        case 0 {
          %j = dlc.pop_operand : index
          memref.store %j, %out[%i, %j] : memref<?x?xindex>
        }
      }
    }
  }
  return
}

// -----

// Registers of several types, and nothing to traverse.

// CHECK-LABEL: func.func @registers(
// CHECK: %[[ENV:.*]] = llvm.alloca
// CHECK: llvm.call @ember_dae_run
// CHECK: llvm.getelementptr %[[ENV]][0, 4]
// CHECK: llvm.load {{.*}} -> !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
// CHECK: llvm.getelementptr %[[ENV]][0, 5]
// CHECK: llvm.load {{.*}} -> vector<4xf32>
// CHECK: llvm.intr.stackrestore
func.func @registers(%n: index, %a: memref<?xf32>, %b: memref<?xf32>, %v: vector<4xf32>) -> (memref<?xf32>, vector<4xf32>) {
  %r:2 = dlc.program captures(%n = %n : index, %a = %a : memref<?xf32>, %v = %v : vector<4xf32>, %b = %b : memref<?xf32>) -> (memref<?xf32>, vector<4xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    dlc.register_callback %tu, ite, 0
  }
  compute {
    %r:2 = dlc.compute_loop iter_args(%a, %v) -> (memref<?xf32>, vector<4xf32>)
    case 0 {
    ^bb0(%old: memref<?xf32>, %w: vector<4xf32>):
      %sum = arith.addf %w, %w : vector<4xf32>
      dlc.yield %b, %sum : memref<?xf32>, vector<4xf32>
    }
    dlc.yield %r#0, %r#1 : memref<?xf32>, vector<4xf32>
  }
  return %r#0, %r#1 : memref<?xf32>, vector<4xf32>
}
// CHECK-LABEL: func.func private @registers.compute.0(
// CHECK-SAME: -> (memref<?xf32>, vector<4xf32>)
// CHECK: scf.while ({{.*}}) : (memref<?xf32>, vector<4xf32>) -> (i64, memref<?xf32>, vector<4xf32>)

// -----

// A program without units only ends.

// CHECK-LABEL: func.func private @nothing.access.0(
// CHECK-NEXT: %[[DONE:.*]] = llvm.mlir.constant(-1 : i64)
// CHECK-NEXT: llvm.call @ember_token_push(%{{.*}}, %[[DONE]])
// CHECK-NEXT: return
func.func @nothing() {
  dlc.program
  access {
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

// Sizes of sparse tensors that are not lowered yet.

#csr = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed) }>
// CHECK-LABEL: func.func private @specifier.compute.0(%{{.*}}: !sparse_tensor.storage_specifier<#{{.*}}>, %{{.*}}: memref<index>
func.func @specifier(%n: index, %s: !sparse_tensor.storage_specifier<#csr>, %out: memref<index>) {
  dlc.program captures(%n = %n : index, %s = %s : !sparse_tensor.storage_specifier<#csr>, %out = %out : memref<index>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    dlc.register_callback %tu, end, 0
  }
  compute {
    dlc.compute_loop
    case 0 {
      %v = sparse_tensor.storage_specifier.get %s val_mem_sz : !sparse_tensor.storage_specifier<#csr>
      memref.store %v, %out[] : memref<index>
    }
  }
  return
}
// CHECK-LABEL: llvm.func internal @specifier.compute.0.entry(
// CHECK: builtin.unrealized_conversion_cast %{{.*}} : !llvm.struct<(array<2 x i64>, array<3 x i64>)> to !sparse_tensor.storage_specifier
