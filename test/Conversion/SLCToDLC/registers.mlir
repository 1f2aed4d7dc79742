// Loop-carried values as registers of the compute loop.

// RUN: ember-opt %s --scf-to-slc --slc-to-dlc=opt-level=2 2>/dev/null | FileCheck %s

func.func private @touch()

// CHECK-LABEL: func.func @bag(
// CHECK-SAME: %[[V0:[a-zA-Z0-9_]+]]: memref<?xindex>, %[[V1:[a-zA-Z0-9_]+]]: memref<?xi32>, %[[V2:[a-zA-Z0-9_]+]]: memref<?x?xf32>, %[[V3:[a-zA-Z0-9_]+]]: memref<?x?xf32>, %[[V4:[a-zA-Z0-9_]+]]: index, %[[V5:[a-zA-Z0-9_]+]]: index) {
// CHECK: access {
// CHECK-DAG: %[[V6:[a-zA-Z0-9_]+]] = arith.constant 0 : index
// CHECK-DAG: %[[V7:[a-zA-Z0-9_]+]] = arith.constant 1 : index
// CHECK: %[[V9:[a-zA-Z0-9_]+]] = dlc.new_tu %[[V6]] to %[[V4]] step %[[V7]]
// CHECK-NEXT: %[[V10:[a-zA-Z0-9_]+]] = dlc.get_ind_var %[[V9]] : !slc.stream<index>
// CHECK-NEXT: %[[V11:[a-zA-Z0-9_]+]] = dlc.alu_str %[[V9]], add %[[V10]], %[[V7]] : !slc.stream<index>, index -> !slc.stream<index>
// CHECK-NEXT: %[[V12:[a-zA-Z0-9_]+]] = dlc.mem_str %[[V9]], %[[V0]][%[[V10]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// CHECK-NEXT: %[[V13:[a-zA-Z0-9_]+]] = dlc.mem_str %[[V9]], %[[V0]][%[[V11]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// CHECK-NEXT: dlc.register_callback %[[V9]], ite, 0
// CHECK-NEXT: dlc.register_operand %[[V9]], ite, %[[V10]] for 0 : !slc.stream<index>
// CHECK-NEXT: %[[V14:[a-zA-Z0-9_]+]] = dlc.new_tu %[[V12]] to %[[V13]] step %[[V7]] in %[[V9]] : !slc.stream<index>, !slc.stream<index>
// CHECK-NEXT: %[[V15:[a-zA-Z0-9_]+]] = dlc.get_ind_var %[[V14]] : !slc.stream<index>
// CHECK-NEXT: %[[V16:[a-zA-Z0-9_]+]] = dlc.mem_str %[[V14]], %[[V1]][%[[V15]]] : memref<?xi32>[!slc.stream<index>] -> !slc.stream<i32>
// CHECK-NEXT: %[[V17:[a-zA-Z0-9_]+]] = dlc.cast_str %[[V14]], %[[V16]] : !slc.stream<i32> to !slc.stream<index>
// CHECK-NEXT: %[[V18:[a-zA-Z0-9_]+]] = dlc.new_tu %[[V6]] to %[[V5]] step %[[V7]] in %[[V14]]
// CHECK-NEXT: %[[V19:[a-zA-Z0-9_]+]] = dlc.get_ind_var %[[V18]] : !slc.stream<index>
// CHECK-NEXT: %[[V20:[a-zA-Z0-9_]+]] = dlc.mem_str %[[V18]], %[[V2]][%[[V17]], %[[V19]]] : memref<?x?xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
// CHECK-NEXT: dlc.register_callback %[[V18]], ite, 1
// CHECK-NEXT: dlc.register_operand %[[V18]], ite, %[[V10]] for 1 : !slc.stream<index>
// CHECK-NEXT: dlc.register_operand %[[V18]], ite, %[[V19]] for 1 : !slc.stream<index>
// CHECK-NEXT: dlc.register_operand %[[V18]], ite, %[[V20]] for 1 : !slc.stream<f32>
// CHECK: compute {
// CHECK-DAG: %[[V6:[a-zA-Z0-9_]+]] = arith.constant 0 : index
// CHECK-DAG: %[[V7:[a-zA-Z0-9_]+]] = arith.constant 1 : index
// CHECK-DAG: %[[V8:[a-zA-Z0-9_]+]] = arith.constant 0.000000e+00 : f32
// CHECK: dlc.compute_loop
// CHECK-NEXT: case 0 {
// CHECK-NEXT: %[[V21:[a-zA-Z0-9_]+]] = dlc.pop_operand : index
// CHECK-NEXT: scf.for %[[V22:[a-zA-Z0-9_]+]] = %[[V6]] to %[[V5]] step %[[V7]] {
// CHECK-NEXT: memref.store %[[V8]], %[[V3]][%[[V21]], %[[V22]]] : memref<?x?xf32>
// CHECK: case 1 {
// CHECK-NEXT: %[[V23:[a-zA-Z0-9_]+]] = dlc.pop_operand : index
// CHECK-NEXT: %[[V24:[a-zA-Z0-9_]+]] = dlc.pop_operand : index
// CHECK-NEXT: %[[V25:[a-zA-Z0-9_]+]] = dlc.pop_operand : f32
// CHECK-NEXT: %[[V26:[a-zA-Z0-9_]+]] = memref.load %[[V3]][%[[V23]], %[[V24]]] : memref<?x?xf32>
// CHECK-NEXT: %[[V27:[a-zA-Z0-9_]+]] = arith.addf %[[V26]], %[[V25]] : f32
// CHECK-NEXT: memref.store %[[V27]], %[[V3]][%[[V23]], %[[V24]]] : memref<?x?xf32>
// CHECK: return
func.func @bag(%offsets: memref<?xindex>, %indices: memref<?xi32>, %table: memref<?x?xf32>, %out: memref<?x?xf32>, %bags: index, %length: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %b = %c0 to %bags step %c1 {
    scf.for %e = %c0 to %length step %c1 {
      memref.store %zero, %out[%b, %e] : memref<?x?xf32>
    }
    %b1 = arith.addi %b, %c1 : index
    %beg = memref.load %offsets[%b] : memref<?xindex>
    %end = memref.load %offsets[%b1] : memref<?xindex>
    scf.for %p = %beg to %end step %c1 {
      %i32 = memref.load %indices[%p] : memref<?xi32>
      %i = arith.index_cast %i32 : i32 to index
      scf.for %e = %c0 to %length step %c1 {
        %v = memref.load %table[%i, %e] : memref<?x?xf32>
        %acc = memref.load %out[%b, %e] : memref<?x?xf32>
        %sum = arith.addf %acc, %v : f32
        memref.store %sum, %out[%b, %e] : memref<?x?xf32>
      }
    }
  }
  return
}

// CHECK-LABEL: func.func @written(
// CHECK-SAME: %[[V0:[a-zA-Z0-9_]+]]: memref<?xf32>, %[[V1:[a-zA-Z0-9_]+]]: index) {
// CHECK: %[[V2:[a-zA-Z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %[[V3:[a-zA-Z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: scf.for %[[V4:[a-zA-Z0-9_]+]] = %[[V2]] to %[[V1]] step %[[V3]] {
// CHECK-NEXT: %[[V5:[a-zA-Z0-9_]+]] = memref.load %[[V0]][%[[V4]]] : memref<?xf32>
// CHECK-NEXT: %[[V6:[a-zA-Z0-9_]+]] = arith.addf %[[V5]], %[[V5]] : f32
// CHECK-NEXT: memref.store %[[V6]], %[[V0]][%[[V4]]] : memref<?xf32>
// CHECK: return
func.func @written(%a: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<?xf32>
    %w = arith.addf %v, %v : f32
    memref.store %w, %a[%i] : memref<?xf32>
  }
  return
}

// CHECK-LABEL: func.func @calls(
// CHECK-SAME: %[[V0:[a-zA-Z0-9_]+]]: memref<?xf32>, %[[V1:[a-zA-Z0-9_]+]]: memref<f32>, %[[V2:[a-zA-Z0-9_]+]]: index) {
// CHECK: %[[V3:[a-zA-Z0-9_]+]] = arith.constant 0 : index
// CHECK: %[[V4:[a-zA-Z0-9_]+]] = arith.constant 1 : index
// CHECK: scf.for %[[V5:[a-zA-Z0-9_]+]] = %[[V3]] to %[[V2]] step %[[V4]] {
// CHECK: func.call @touch() : () -> ()
// CHECK: access {
// CHECK-DAG: %[[V3:[a-zA-Z0-9_]+]] = arith.constant 0 : index
// CHECK-DAG: %[[V4:[a-zA-Z0-9_]+]] = arith.constant 1 : index
// CHECK: %[[V6:[a-zA-Z0-9_]+]] = dlc.new_tu %[[V3]] to %[[V2]] step %[[V4]]
// CHECK-NEXT: %[[V7:[a-zA-Z0-9_]+]] = dlc.get_ind_var %[[V6]] : !slc.stream<index>
// CHECK-NEXT: %[[V8:[a-zA-Z0-9_]+]] = dlc.mem_str %[[V6]], %[[V0]][%[[V7]]] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
// CHECK-NEXT: dlc.register_callback %[[V6]], ite, 0
// CHECK-NEXT: dlc.register_operand %[[V6]], ite, %[[V8]] for 0 : !slc.stream<f32>
// CHECK: compute {
// CHECK: dlc.compute_loop
// CHECK-NEXT: case 0 {
// CHECK-NEXT: %[[V9:[a-zA-Z0-9_]+]] = dlc.pop_operand : f32
// CHECK-NEXT: memref.store %[[V9]], %[[V1]][] : memref<f32>
// CHECK: return
func.func @calls(%a: memref<?xf32>, %o: memref<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    func.call @touch() : () -> ()
    scf.for %i = %c0 to %n step %c1 {
      %v = memref.load %a[%i] : memref<?xf32>
      memref.store %v, %o[] : memref<f32>
    }
  }
  return
}

// CHECK-LABEL: func.func @carried(
// CHECK-SAME: %[[V0:[a-zA-Z0-9_]+]]: memref<?xf32>, %[[V1:[a-zA-Z0-9_]+]]: memref<?xindex>, %[[V2:[a-zA-Z0-9_]+]]: memref<?xf32>, %[[V3:[a-zA-Z0-9_]+]]: index) -> (f32, index) {
// CHECK: %[[R:[a-zA-Z0-9_]+]]:2 = dlc.program
// CHECK: access {
// CHECK-DAG: %[[V4:[a-zA-Z0-9_]+]] = arith.constant 0 : index
// CHECK-DAG: %[[V5:[a-zA-Z0-9_]+]] = arith.constant 1 : index
// CHECK: %[[V7:[a-zA-Z0-9_]+]] = dlc.new_tu %[[V4]] to %[[V3]] step %[[V5]]
// CHECK-NEXT: %[[V8:[a-zA-Z0-9_]+]] = dlc.get_ind_var %[[V7]] : !slc.stream<index>
// CHECK-NEXT: %[[V9:[a-zA-Z0-9_]+]] = dlc.alu_str %[[V7]], add %[[V8]], %[[V5]] : !slc.stream<index>, index -> !slc.stream<index>
// CHECK-NEXT: %[[V10:[a-zA-Z0-9_]+]] = dlc.mem_str %[[V7]], %[[V1]][%[[V8]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// CHECK-NEXT: %[[V11:[a-zA-Z0-9_]+]] = dlc.mem_str %[[V7]], %[[V1]][%[[V9]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// CHECK-NEXT: dlc.register_callback %[[V7]], ite, 0
// CHECK-NEXT: %[[V12:[a-zA-Z0-9_]+]] = dlc.new_tu %[[V10]] to %[[V11]] step %[[V5]] in %[[V7]] : !slc.stream<index>, !slc.stream<index>
// CHECK-NEXT: %[[V13:[a-zA-Z0-9_]+]] = dlc.get_ind_var %[[V12]] : !slc.stream<index>
// CHECK-NEXT: %[[V14:[a-zA-Z0-9_]+]] = dlc.mem_str %[[V12]], %[[V0]][%[[V13]]] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
// CHECK-NEXT: dlc.register_callback %[[V12]], ite, 1
// CHECK-NEXT: dlc.register_operand %[[V12]], ite, %[[V14]] for 1 : !slc.stream<f32>
// CHECK-NEXT: dlc.register_callback %[[V12]], end, 2
// CHECK-NEXT: dlc.register_operand %[[V12]], end, %[[V8]] for 2 : !slc.stream<index>
// CHECK-NEXT: dlc.register_operand %[[V12]], end, %[[V11]] for 2 : !slc.stream<index>
// CHECK: compute {
// CHECK-DAG: %[[V4:[a-zA-Z0-9_]+]] = arith.constant 0 : index
// CHECK-DAG: %[[V6:[a-zA-Z0-9_]+]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[V15:[a-zA-Z0-9_]+]]:4 = dlc.compute_loop iter_args(%[[V4]], %[[V6]], %[[V6]], %[[V6]]) -> (index, f32, f32, f32)
// CHECK-NEXT: case 0 {
// CHECK-NEXT: ^bb0(%[[V16:[a-zA-Z0-9_]+]]: index, %[[V17:[a-zA-Z0-9_]+]]: f32, %[[V18:[a-zA-Z0-9_]+]]: f32, %[[V19:[a-zA-Z0-9_]+]]: f32):
// CHECK-NEXT: dlc.yield %[[V16]], %[[V17]], %[[V18]], %[[V6]] : index, f32, f32, f32
// CHECK: case 1 {
// CHECK-NEXT: ^bb0(%[[V20:[a-zA-Z0-9_]+]]: index, %[[V21:[a-zA-Z0-9_]+]]: f32, %[[V22:[a-zA-Z0-9_]+]]: f32, %[[V23:[a-zA-Z0-9_]+]]: f32):
// CHECK-NEXT: %[[V24:[a-zA-Z0-9_]+]] = dlc.pop_operand : f32
// CHECK-NEXT: %[[V25:[a-zA-Z0-9_]+]] = arith.addf %[[V23]], %[[V24]] : f32
// CHECK-NEXT: dlc.yield %[[V20]], %[[V21]], %[[V22]], %[[V25]] : index, f32, f32, f32
// CHECK: case 2 {
// CHECK-NEXT: ^bb0(%[[V26:[a-zA-Z0-9_]+]]: index, %[[V27:[a-zA-Z0-9_]+]]: f32, %[[V28:[a-zA-Z0-9_]+]]: f32, %[[V29:[a-zA-Z0-9_]+]]: f32):
// CHECK-NEXT: %[[V30:[a-zA-Z0-9_]+]] = dlc.pop_operand : index
// CHECK-NEXT: %[[V31:[a-zA-Z0-9_]+]] = dlc.pop_operand : index
// CHECK-NEXT: memref.store %[[V29]], %[[V2]][%[[V30]]] : memref<?xf32>
// CHECK-NEXT: dlc.yield %[[V31]], %[[V28]], %[[V29]], %[[V29]] : index, f32, f32, f32
// CHECK: dlc.yield %[[V15]]#0, %[[V15]]#1 : index, f32
// CHECK: return %[[R]]#1, %[[R]]#0 : f32, index
func.func @carried(%a: memref<?xf32>, %ptr: memref<?xindex>, %o: memref<?xf32>, %n: index) -> (f32, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%last = %c0, %x = %z, %y = %z) -> (index, f32, f32) {
    %i1 = arith.addi %i, %c1 : index
    %b = memref.load %ptr[%i] : memref<?xindex>
    %e = memref.load %ptr[%i1] : memref<?xindex>
    %s = scf.for %p = %b to %e step %c1 iter_args(%acc = %z) -> f32 {
      %v = memref.load %a[%p] : memref<?xf32>
      %t = arith.addf %acc, %v : f32
      scf.yield %t : f32
    }
    memref.store %s, %o[%i] : memref<?xf32>
    scf.yield %e, %y, %s : index, f32, f32
  }
  return %r#1, %r#0 : f32, index
}

// CHECK-LABEL: func.func @conditional(
// CHECK-SAME: %[[V0:[a-zA-Z0-9_]+]]: memref<?xf32>, %[[V1:[a-zA-Z0-9_]+]]: memref<?xi1>, %[[V2:[a-zA-Z0-9_]+]]: memref<?xindex>, %[[V3:[a-zA-Z0-9_]+]]: memref<?xf32>, %[[V4:[a-zA-Z0-9_]+]]: index) {
// CHECK: access {
// CHECK-DAG: %[[V5:[a-zA-Z0-9_]+]] = arith.constant 0 : index
// CHECK-DAG: %[[V6:[a-zA-Z0-9_]+]] = arith.constant 1 : index
// CHECK: %[[V7:[a-zA-Z0-9_]+]] = dlc.new_tu %[[V5]] to %[[V4]] step %[[V6]]
// CHECK-NEXT: %[[V8:[a-zA-Z0-9_]+]] = dlc.get_ind_var %[[V7]] : !slc.stream<index>
// CHECK-NEXT: %[[V9:[a-zA-Z0-9_]+]] = dlc.mem_str %[[V7]], %[[V1]][%[[V8]]] : memref<?xi1>[!slc.stream<index>] -> !slc.stream<i1>
// CHECK-NEXT: %[[V10:[a-zA-Z0-9_]+]] = dlc.mem_str %[[V7]], %[[V2]][%[[V8]]] mask %[[V9]] : memref<?xindex>
// CHECK-NEXT: %[[V11:[a-zA-Z0-9_]+]] = dlc.mem_str %[[V7]], %[[V0]][%[[V10]]] mask %[[V9]] : memref<?xf32>
// CHECK-NEXT: dlc.register_callback %[[V7]], ite, 0
// CHECK-NEXT: dlc.register_operand %[[V7]], ite, %[[V11]] for 0 : !slc.stream<f32>
// CHECK-NEXT: dlc.register_operand %[[V7]], ite, %[[V8]] for 0 : !slc.stream<index>
// CHECK-NEXT: dlc.register_operand %[[V7]], ite, %[[V9]] for 0 : !slc.stream<i1>
// CHECK: compute {
// CHECK: dlc.compute_loop
// CHECK-NEXT: case 0 {
// CHECK-NEXT: %[[V12:[a-zA-Z0-9_]+]] = dlc.pop_operand : f32
// CHECK-NEXT: %[[V13:[a-zA-Z0-9_]+]] = dlc.pop_operand : index
// CHECK-NEXT: %[[V14:[a-zA-Z0-9_]+]] = dlc.pop_operand : i1
// CHECK-NEXT: scf.if %[[V14]] {
// CHECK-NEXT: memref.store %[[V12]], %[[V3]][%[[V13]]] : memref<?xf32>
// CHECK: return
func.func @conditional(%a: memref<?xf32>, %b: memref<?xi1>, %idx: memref<?xindex>, %o: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %c = memref.load %b[%i] : memref<?xi1>
    scf.if %c {
      %j = memref.load %idx[%i] : memref<?xindex>
      %v = memref.load %a[%j] : memref<?xf32>
      memref.store %v, %o[%i] : memref<?xf32>
    }
  }
  return
}
