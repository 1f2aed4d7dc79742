// Embedding bags as the paper's compute programs: figures 10 (one element an
// iteration), 14b (vectors), 14c (buffers) and 14d (aligned queues).

// RUN: ember-opt %s --convert-dlc-to-llvm --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @figure10(
// CHECK: llvm.intr.stacksave
// CHECK: %[[ENV:.*]] = llvm.alloca
// CHECK: %[[PROGRAM:.*]] = llvm.mlir.addressof @figure10.access.0.program
// CHECK: llvm.call @ember_dae_run(%[[PROGRAM]], %[[ENV]])
// CHECK: llvm.intr.stackrestore
// CHECK-NOT: dlc.
func.func @figure10(%offsets: memref<?xindex> {ember.name = "offsets"},
                    %indices: memref<?xindex> {ember.name = "indices"},
                    %table: memref<?x?xf32> {ember.name = "weight"},
                    %out: memref<?x?xf32> {ember.name = "out"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bags = memref.dim %out, %c0 : memref<?x?xf32>
  %length = memref.dim %table, %c1 : memref<?x?xf32>
  dlc.program captures(%bags = %bags : index, %offsets = %offsets : memref<?xindex>, %indices = %indices : memref<?xindex>, %length = %length : index, %table = %table : memref<?x?xf32>, %out = %out : memref<?x?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %b_tr = dlc.new_tu %c0 to %bags step %c1 {ember.name = "b"}
    %b = dlc.get_ind_var %b_tr : !slc.stream<index>
    %b1 = dlc.alu_str %b_tr, add %b, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    %beg = dlc.mem_str %b_tr, %offsets[%b] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %end = dlc.mem_str %b_tr, %offsets[%b1] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %s_tr = dlc.new_tu %beg to %end step %c1 in %b_tr {ember.name = "s"} : !slc.stream<index>, !slc.stream<index>
    %p = dlc.get_ind_var %s_tr : !slc.stream<index>
    %i = dlc.mem_str %s_tr, %indices[%p] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %e_tr = dlc.new_tu %c0 to %length step %c1 in %s_tr {ember.name = "e"}
    %e = dlc.get_ind_var %e_tr : !slc.stream<index>
    %v = dlc.mem_str %e_tr, %table[%i, %e] : memref<?x?xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
    dlc.register_operand %e_tr, ite, %b for 0 : !slc.stream<index>
    dlc.register_operand %e_tr, ite, %e for 0 : !slc.stream<index>
    dlc.register_operand %e_tr, ite, %v for 0 : !slc.stream<f32>
    dlc.register_callback %e_tr, ite, 0
  }
  compute {
    dlc.compute_loop
    case 0 {
      %b = dlc.pop_operand : index
      %e = dlc.pop_operand : index
      %v = dlc.pop_operand : f32
      %acc = memref.load %out[%b, %e] : memref<?x?xf32>
      %sum = arith.addf %acc, %v : f32
      memref.store %sum, %out[%b, %e] : memref<?x?xf32>
    }
  }
  return
}

// CHECK-LABEL: func.func private @figure10.access.0(
// CHECK-SAME: {ember.message_name = "'offsets'"}
// CHECK-SAME: %[[Q:[^:]*]]: !llvm.ptr {llvm.noalias}
// CHECK: scf.for %[[B:.*]] = %c0{{.*}} to %
// CHECK:   %[[BEG:.*]] = memref.load %{{.*}}[%[[B]]]
// CHECK:   %[[END:.*]] = memref.load
// CHECK:   scf.for %[[P:.*]] = %[[BEG]] to %[[END]]
// CHECK:     memref.load %{{.*}}[%[[P]]]
// CHECK:     scf.for %[[E:.*]] =
// CHECK:       memref.load
// The token goes first, so that room for one operand is enough.
// CHECK:       llvm.call @ember_token_push
// CHECK:       %[[SLOT:.*]] = llvm.call @ember_data_acquire(%[[Q]], %{{.*}})
// CHECK:       llvm.store %{{.*}}, %[[SLOT]] {alignment = 8 : i64} : i64, !llvm.ptr
// CHECK:       llvm.call @ember_data_commit(%[[Q]], %{{.*}})
// CHECK:       llvm.store {{.*}} : f32, !llvm.ptr
// CHECK: %[[DONE:.*]] = llvm.mlir.constant(-1 : i64)
// CHECK: llvm.call @ember_token_push(%[[Q]], %[[DONE]])

// CHECK-LABEL: func.func private @figure10.compute.0(
// CHECK: scf.while
// CHECK:   %[[TOKEN:.*]] = llvm.call @ember_token_pop
// CHECK:   scf.condition({{.*}}) %[[TOKEN]]
// CHECK:   scf.index_switch
// CHECK:   case 0 {
// CHECK:     llvm.call @ember_data_wait
// CHECK:     llvm.load {{.*}} : !llvm.ptr -> i64
// CHECK:     llvm.call @ember_data_release
// CHECK:     llvm.load {{.*}} : !llvm.ptr -> f32
// CHECK:     memref.store
// CHECK:   default {
// CHECK:     ember.fail "the compute program has no case for a token"

// CHECK-LABEL: llvm.func internal @figure10.access.0.entry(
// CHECK: llvm.load
// CHECK: builtin.unrealized_conversion_cast
// CHECK: call @figure10.access.0(

// CHECK-LABEL: llvm.mlir.global internal constant @figure10.access.0.program()
// CHECK: llvm.mlir.addressof @figure10.access.0.entry
// CHECK: llvm.mlir.addressof @figure10.compute.0.entry
// CHECK: llvm.mlir.constant(8 : i64)

// -----

// CHECK-LABEL: func.func @figure14b(
func.func @figure14b(%offsets: memref<?xindex> {ember.name = "offsets"},
                     %indices: memref<?xindex> {ember.name = "indices"},
                     %table: memref<?x?xf32> {ember.name = "weight"},
                     %out: memref<?x?xf32> {ember.name = "out"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bags = memref.dim %out, %c0 : memref<?x?xf32>
  %length = memref.dim %table, %c1 : memref<?x?xf32>
  dlc.program captures(%bags = %bags : index, %offsets = %offsets : memref<?xindex>, %indices = %indices : memref<?xindex>, %length = %length : index, %table = %table : memref<?x?xf32>, %out = %out : memref<?x?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %b_tr = dlc.new_tu %c0 to %bags step %c1 {ember.name = "b"}
    %b = dlc.get_ind_var %b_tr : !slc.stream<index>
    %b1 = dlc.alu_str %b_tr, add %b, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    %beg = dlc.mem_str %b_tr, %offsets[%b] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %end = dlc.mem_str %b_tr, %offsets[%b1] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %s_tr = dlc.new_tu %beg to %end step %c1 in %b_tr {ember.name = "s"} : !slc.stream<index>, !slc.stream<index>
    %p = dlc.get_ind_var %s_tr : !slc.stream<index>
    %i = dlc.mem_str %s_tr, %indices[%p] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %e_tr = dlc.new_tu %c0 to %length step %c1 in %s_tr vector<2> {ember.name = "e"}
    %e = dlc.get_ind_var %e_tr : !slc.stream<vector<2xindex>>
    %mask = dlc.get_mask %e_tr : !slc.stream<vector<2xi1>>
    %v = dlc.mem_str %e_tr, %table[%i, %e] mask %mask contiguous : memref<?x?xf32>[!slc.stream<index>, !slc.stream<vector<2xindex>>] -> !slc.stream<vector<2xf32>>
    dlc.register_callback %e_tr, ite, 0
    dlc.register_operand %e_tr, ite, %b for 0 : !slc.stream<index>
    dlc.register_operand %e_tr, ite, %e[0] for 0 : !slc.stream<vector<2xindex>>
    dlc.register_operand %e_tr, ite, %v for 0 : !slc.stream<vector<2xf32>>
    dlc.register_operand %e_tr, ite, %mask for 0 : !slc.stream<vector<2xi1>>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %b = dlc.pop_operand : index
      %e = dlc.pop_operand : index
      %v = dlc.pop_operand : vector<2xf32>
      %mask = dlc.pop_operand : vector<2xi1>
      %acc = vector.maskedload %out[%b, %e], %mask, %v : memref<?x?xf32>, vector<2xi1>, vector<2xf32> into vector<2xf32>
      %sum = arith.addf %acc, %v : vector<2xf32>
      vector.maskedstore %out[%b, %e], %mask, %sum : memref<?x?xf32>, vector<2xi1>, vector<2xf32>
    }
  }
  return
}
// CHECK-LABEL: func.func private @figure14b.access.0(
// CHECK: scf.for %[[E:.*]] = %{{.*}} to %[[LENGTH:.*]] step %c2
// CHECK:   %[[LEFT:.*]] = arith.subi %[[LENGTH]], %[[E]]
// CHECK:   %[[MASK:.*]] = vector.create_mask %[[LEFT]] : vector<2xi1>
// CHECK:   vector.maskedload {{.*}}, %[[MASK]], {{.*}} into vector<2xf32>
// CHECK:   llvm.store {{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr
// CHECK:   %[[BITS:.*]] = llvm.bitcast %[[MASK]] : vector<2xi1> to i2
// CHECK:   %[[BYTE:.*]] = arith.extui %[[BITS]] : i2 to i8
// CHECK:   llvm.store %[[BYTE]]
// CHECK-LABEL: func.func private @figure14b.compute.0(
// CHECK:   llvm.load {{.*}} {alignment = 8 : i64} : !llvm.ptr -> vector<2xf32>
// CHECK:   %[[BYTE:.*]] = llvm.load {{.*}} : !llvm.ptr -> i8
// CHECK:   arith.trunci %[[BYTE]] : i8 to i2

// -----

// CHECK-LABEL: func.func @figure14c(
func.func @figure14c(%offsets: memref<?xindex> {ember.name = "offsets"},
                     %indices: memref<?xindex> {ember.name = "indices"},
                     %table: memref<?x4xf32> {ember.name = "weight"},
                     %out: memref<?x4xf32> {ember.name = "out"}) {
  %c0 = arith.constant 0 : index
  %bags = memref.dim %out, %c0 : memref<?x4xf32>
  dlc.program captures(%bags = %bags : index, %offsets = %offsets : memref<?xindex>, %indices = %indices : memref<?xindex>, %table = %table : memref<?x4xf32>, %out = %out : memref<?x4xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %b_tr = dlc.new_tu %c0 to %bags step %c1 {ember.name = "b"}
    %b = dlc.get_ind_var %b_tr : !slc.stream<index>
    %b1 = dlc.alu_str %b_tr, add %b, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    %beg = dlc.mem_str %b_tr, %offsets[%b] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %end = dlc.mem_str %b_tr, %offsets[%b1] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %s_tr = dlc.new_tu %beg to %end step %c1 in %b_tr {ember.name = "s"} : !slc.stream<index>, !slc.stream<index>
    %p = dlc.get_ind_var %s_tr : !slc.stream<index>
    %i = dlc.mem_str %s_tr, %indices[%p] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %e_tr = dlc.new_tu %c0 to %c4 step %c1 in %s_tr vector<2> {ember.name = "e"}
    %e = dlc.get_ind_var %e_tr : !slc.stream<vector<2xindex>>
    %mask = dlc.get_mask %e_tr : !slc.stream<vector<2xi1>>
    %v = dlc.mem_str %e_tr, %table[%i, %e] mask %mask contiguous : memref<?x4xf32>[!slc.stream<index>, !slc.stream<vector<2xindex>>] -> !slc.stream<vector<2xf32>>
    dlc.register_callback %e_tr, end, 0 announced
    dlc.register_operand %e_tr, beg, %b for 0 : !slc.stream<index>
    dlc.register_operand %e_tr, ite, %v for 0 : !slc.stream<vector<2xf32>>
  }
  compute {
    %c2 = arith.constant 2 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    dlc.compute_loop
    case 0 {
      %b = dlc.pop_operand : index
      %row = dlc.pop_operand size %c2 : memref<?xvector<2xf32>>
      scf.for %k = %c0 to %c2 step %c1 {
        %v = memref.load %row[%k] : memref<?xvector<2xf32>>
        %e = arith.muli %k, %c2 : index
        %acc = vector.load %out[%b, %e] : memref<?x4xf32>, vector<2xf32>
        %sum = arith.addf %acc, %v : vector<2xf32>
        vector.store %sum, %out[%b, %e] : memref<?x4xf32>, vector<2xf32>
      }
    }
  }
  return
}
// CHECK-LABEL: func.func private @figure14c.access.0(
// The token and the bag before the row:
// CHECK: llvm.call @ember_token_push
// CHECK: llvm.store {{.*}} : i64, !llvm.ptr
// CHECK: scf.for
// CHECK:   llvm.store {{.*}} : vector<2xf32>, !llvm.ptr
// CHECK-LABEL: func.func private @figure14c.compute.0(
// CHECK-NOT: memref.alloc
// CHECK: scf.for
// CHECK-NEXT: llvm.mlir.constant(8 : i64)
// CHECK-NEXT: llvm.call @ember_data_wait
// CHECK: llvm.load {{.*}} -> vector<2xf32>

// -----

// CHECK-LABEL: func.func @figure14d(
func.func @figure14d(%offsets: memref<?xindex> {ember.name = "offsets"},
                     %indices: memref<?xindex> {ember.name = "indices"},
                     %table: memref<?x4xf32> {ember.name = "weight"},
                     %out: memref<?x4xf32> {ember.name = "out"}) -> index {
  %c0 = arith.constant 0 : index
  %bags = memref.dim %out, %c0 : memref<?x4xf32>
  %last = dlc.program captures(%bags = %bags : index, %offsets = %offsets : memref<?xindex>, %indices = %indices : memref<?xindex>, %table = %table : memref<?x4xf32>, %out = %out : memref<?x4xf32>) -> (index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %b_tr = dlc.new_tu %c0 to %bags step %c1 {ember.name = "b"}
    %b = dlc.get_ind_var %b_tr : !slc.stream<index>
    %b1 = dlc.alu_str %b_tr, add %b, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    %beg = dlc.mem_str %b_tr, %offsets[%b] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %end = dlc.mem_str %b_tr, %offsets[%b1] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %s_tr = dlc.new_tu %beg to %end step %c1 in %b_tr {ember.name = "s"} : !slc.stream<index>, !slc.stream<index>
    %p = dlc.get_ind_var %s_tr : !slc.stream<index>
    %i = dlc.mem_str %s_tr, %indices[%p] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %e_tr = dlc.new_tu %c0 to %c4 step %c1 in %s_tr vector<2> {ember.name = "e"}
    %e = dlc.get_ind_var %e_tr : !slc.stream<vector<2xindex>>
    %mask = dlc.get_mask %e_tr : !slc.stream<vector<2xi1>>
    %v = dlc.mem_str %e_tr, %table[%i, %e] mask %mask contiguous : memref<?x4xf32>[!slc.stream<index>, !slc.stream<vector<2xindex>>] -> !slc.stream<vector<2xf32>>
    dlc.register_callback %e_tr, end, 0 announced
    dlc.register_operand %e_tr, ite, %v for 0 : !slc.stream<vector<2xf32>>
    dlc.register_callback %s_tr, end, 1
  }
  compute {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %last = dlc.compute_loop iter_args(%c0) -> (index)
    case 0 {
    ^bb0(%bag: index):
      %row = dlc.pop_operand size %c2 : memref<?xvector<2xf32>>
      scf.for %k = %c0 to %c2 step %c1 {
        %v = memref.load %row[%k] : memref<?xvector<2xf32>>
        %e = arith.muli %k, %c2 : index
        %acc = vector.load %out[%bag, %e] : memref<?x4xf32>, vector<2xf32>
        %sum = arith.addf %acc, %v : vector<2xf32>
        vector.store %sum, %out[%bag, %e] : memref<?x4xf32>, vector<2xf32>
      }
      dlc.yield %bag : index
    }
    case 1 {
    ^bb0(%bag: index):
      %next = arith.addi %bag, %c1 : index
      dlc.yield %next : index
    }
    dlc.yield %last : index
  }
  return %last : index
}
// CHECK-LABEL: func.func private @figure14d.compute.0(
// CHECK-SAME: -> index
// CHECK: scf.while (%[[BAG:.*]] = %{{.*}}) : (index) -> (i64, index)
// CHECK: scf.index_switch {{.*}} -> index
// CHECK: case 0 {
// CHECK: case 1 {
// CHECK:   arith.addi
// CHECK-LABEL: llvm.func internal @figure14d.compute.0.entry(
// CHECK: %[[LAST:.*]] = func.call @figure14d.compute.0(
// CHECK: builtin.unrealized_conversion_cast %[[LAST]] : index to i64
// CHECK: llvm.store
