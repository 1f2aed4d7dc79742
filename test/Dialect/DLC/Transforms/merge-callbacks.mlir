// What begins a segment is done where the one before it ends.

// RUN: ember-opt %s --merge-callbacks --split-input-file | FileCheck %s

// The first segment begins before the first token, if there is one; others
// begin with what the end of the one before has left in the registers.

// CHECK-LABEL: func.func @mean(
// CHECK-SAME: %[[N:[a-z0-9]+]]: index
// CHECK:      access {
// CHECK:        dlc.new_tu
// CHECK-NEXT:   dlc.get_ind_var
// CHECK-NOT:    ite
// CHECK:        dlc.register_callback %{{.*}}, end, 1
// CHECK-NEXT: }
// CHECK:      %[[TRIPS:.*]] = arith.maxsi %[[N]], %c0
// CHECK:      %[[ANY:.*]] = arith.cmpi sgt, %[[TRIPS]]
// CHECK:      %[[FIRST:.*]] = scf.if %[[ANY]] -> (index) {
// CHECK-NEXT:   %[[NEXT:.*]] = arith.addi %[[INIT:.*]], %c1
// CHECK-NEXT:   memref.store %{{.*}}, %{{.*}}[%[[NEXT]]]
// CHECK-NEXT:   scf.yield %[[NEXT]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   scf.yield %[[INIT]]
// CHECK-NEXT: }
// CHECK:      dlc.compute_loop iter_args(%[[FIRST]], %[[TRIPS]]) -> (index, index)
// CHECK-NEXT: case 1 {
// CHECK-NEXT: ^bb0(%[[AT:.*]]: index, %[[LEFT:.*]]: index):
// CHECK:        memref.store %{{.*}}, %{{.*}}[%[[AT]]]
// CHECK:        %[[MORE:.*]] = arith.subi %[[LEFT]], %{{.*}}
// CHECK:        %[[CONTINUES:.*]] = arith.cmpi sgt, %[[MORE]]
// CHECK:        %[[THEN:.*]] = scf.if %[[CONTINUES]] -> (index) {
// CHECK-NEXT:     %[[FURTHER:.*]] = arith.addi %[[AT]], %c1
// CHECK-NEXT:     memref.store %{{.*}}, %{{.*}}[%[[FURTHER]]]
// CHECK-NEXT:     scf.yield %[[FURTHER]]
// CHECK-NEXT:   } else {
// CHECK-NEXT:     scf.yield %[[AT]]
// CHECK-NEXT:   }
// CHECK-NEXT:   dlc.yield %[[THEN]], %[[MORE]]
// CHECK-NOT:  case
func.func @mean(%n: index, %offsets: memref<?xindex>, %out: memref<?xf32>) {
  %r = dlc.program captures(%n = %n : index, %offsets = %offsets : memref<?xindex>, %out = %out : memref<?xf32>) -> (index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %bag = dlc.new_tu %c0 to %n step %c1
    %b = dlc.get_ind_var %bag : !slc.stream<index>
    dlc.register_callback %bag, ite, 0
    %end = dlc.mem_str %bag, %offsets[%b] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %seg = dlc.new_tu %c0 to %end step %c1 in %bag : index, !slc.stream<index>
    dlc.register_callback %seg, end, 1
  }
  compute {
    %before = arith.constant -1 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %two = arith.constant 2.0 : f32
    %r = dlc.compute_loop iter_args(%before) -> (index)
    case 0 {
    ^bb0(%at: index):
      %next = arith.addi %at, %c1 : index
      memref.store %zero, %out[%next] : memref<?xf32>
      dlc.yield %next : index
    }
    case 1 {
    ^bb0(%at: index):
      %v = memref.load %out[%at] : memref<?xf32>
      %half = arith.divf %v, %two : f32
      memref.store %half, %out[%at] : memref<?xf32>
      dlc.yield %at : index
    }
    dlc.yield %r : index
  }
  return
}

// -----

// Not where the first token brings something, is not the first, or where the
// last one need not come.

// CHECK-LABEL: func.func @stay(
// CHECK: dlc.register_callback %{{.*}}, ite, 0
// CHECK: dlc.register_callback %{{.*}}, beg, 2
// CHECK: dlc.register_callback %{{.*}}, ite, 3
// CHECK: dlc.register_callback %{{.*}}, ite, 5
// CHECK: dlc.register_callback %{{.*}}, ite, 7
// CHECK: dlc.register_callback %{{.*}}, ite, 9
func.func @stay(%n: index, %offsets: memref<?xindex>, %out: memref<?xindex>) {
  dlc.program captures(%n = %n : index, %out = %out : memref<?xindex>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %bag = dlc.new_tu %c0 to %n step %c1
    %b = dlc.get_ind_var %bag : !slc.stream<index>
    dlc.register_callback %bag, ite, 0
    dlc.register_operand %bag, ite, %b for 0 : !slc.stream<index>
    %seg = dlc.new_tu %c0 to %n step %c1 in %bag
    dlc.register_callback %seg, end, 1
  }
  compute {
    %c0 = arith.constant 0 : index
    dlc.compute_loop
    case 0 {
      %b = dlc.pop_operand : index
      memref.store %b, %out[%b] : memref<?xindex>
    }
    case 1 {
      memref.store %c0, %out[%c0] : memref<?xindex>
    }
  }
  dlc.program captures(%n = %n : index, %out = %out : memref<?xindex>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %bag = dlc.new_tu %c0 to %n step %c1
    dlc.register_callback %bag, beg, 2
    dlc.register_callback %bag, ite, 3
    %seg = dlc.new_tu %c0 to %n step %c1 in %bag
    dlc.register_callback %seg, end, 4
  }
  compute {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    dlc.compute_loop
    case 2 {
      memref.store %c0, %out[%c0] : memref<?xindex>
    }
    case 3 {
      memref.store %c0, %out[%c1] : memref<?xindex>
    }
    case 4 {
      memref.store %c1, %out[%c0] : memref<?xindex>
    }
  }
  dlc.program captures(%n = %n : index, %offsets = %offsets : memref<?xindex>, %out = %out : memref<?xindex>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %bag = dlc.new_tu %c0 to %n step %c1
    %b = dlc.get_ind_var %bag : !slc.stream<index>
    %end = dlc.mem_str %bag, %offsets[%b] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    dlc.register_callback %bag, ite, 5
    %seg = dlc.new_tu %c0 to %n step %c1 in %bag
    dlc.register_callback %seg, end, 6 on %end : !slc.stream<index>
  }
  compute {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    dlc.compute_loop
    case 5 {
      memref.store %c0, %out[%c1] : memref<?xindex>
    }
    case 6 {
      memref.store %c1, %out[%c0] : memref<?xindex>
    }
  }
  dlc.program captures(%n = %n : index, %out = %out : memref<?xindex>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %bag = dlc.new_tu %c0 to %n step %c1
    dlc.register_callback %bag, ite, 7
    %seg = dlc.new_tu %c0 to %n step %c1 in %bag
    dlc.register_callback %seg, end, 8 announced
  }
  compute {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    dlc.compute_loop
    case 7 {
      memref.store %c0, %out[%c1] : memref<?xindex>
    }
    case 8 {
      memref.store %c1, %out[%c0] : memref<?xindex>
    }
  }
  dlc.program captures(%n = %n : index, %offsets = %offsets : memref<?xindex>, %out = %out : memref<?xindex>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %bag = dlc.new_tu %c0 to %n step %c1
    %b = dlc.get_ind_var %bag : !slc.stream<index>
    %end = dlc.mem_str %bag, %offsets[%b] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %ok = dlc.cmp_str %bag, sge %end, %c0 : !slc.stream<index>, index -> !slc.stream<i1>
    dlc.register_callback %bag, ite, 9
    %seg = dlc.new_tu %c0 to %n step %c1 in %bag
    dlc.register_callback %seg, end, 10 mask %ok : !slc.stream<i1>
  }
  compute {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    dlc.compute_loop
    case 9 {
      memref.store %c0, %out[%c1] : memref<?xindex>
    }
    case 10 {
      memref.store %c1, %out[%c0] : memref<?xindex>
    }
  }
  return
}
