// One scalar of each case rides in its token.

// RUN: ember-opt %s --use-token-values --split-input-file | FileCheck %s --check-prefixes=CHECK,AUTO
// RUN: ember-opt %s --use-token-values=which=any --split-input-file | FileCheck %s --check-prefixes=CHECK,ANY
// RUN: ember-opt %s --use-token-values=which=none --split-input-file | FileCheck %s --check-prefix=NONE
// RUN: ember-opt %s --use-token-values --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARKS --implicit-check-not=remark
// NONE-NOT: token_value

// The padded scalar takes most room in the queue: it rides, unpadded, and its
// forwarded stream goes. The callback moves behind the stream it reads.

// CHECK-LABEL: func.func @padded(
// CHECK: %[[I:.*]] = dlc.get_ind_var
// CHECK: %[[W:.*]] = dlc.mem_str
// CHECK-NOT: dlc.fwd_str
// CHECK: %[[E:.*]] = dlc.new_tu {{.*}} vector<4>
// CHECK: dlc.register_operand %[[E]], beg, %[[I]] for 0 : !slc.stream<index>
// CHECK-NEXT: dlc.register_callback %[[E]], end, 0 announced value %[[W]] : !slc.stream<f32>
// CHECK-NEXT: dlc.register_operand %[[E]], ite, %{{.*}} for 0 : !slc.stream<vector<4xindex>>
// CHECK: case 0 {
// CHECK-NEXT: %[[V:.*]] = dlc.token_value : f32
// CHECK-NEXT: %[[N:.*]] = dlc.pop_operand : index
// CHECK: memref.store %[[V]], %{{.*}}[%[[N]]]
func.func @padded(%n: index, %in: memref<?xf32>, %out: memref<?xf32>) {
  dlc.program captures(%n = %n : index, %in = %in : memref<?xf32>, %out = %out : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    %w = dlc.mem_str %tu, %in[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    %wide = dlc.fwd_str %tu, %w : !slc.stream<f32> -> !slc.stream<vector<4xf32>>
    %row = dlc.new_tu %c0 to %n step %c1 in %tu vector<4>
    %e = dlc.get_ind_var %row : !slc.stream<vector<4xindex>>
    dlc.register_callback %row, end, 0 announced
    dlc.register_operand %row, beg, %i for 0 : !slc.stream<index>
    dlc.register_operand %row, beg, %wide for 0 : !slc.stream<vector<4xf32>>
    dlc.register_operand %row, ite, %e for 0 : !slc.stream<vector<4xindex>>
  }
  compute {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    dlc.compute_loop
    case 0 {
      %i = dlc.pop_operand : index
      %xs = dlc.pop_operand : vector<4xf32>
      %x = vector.extract %xs[0] : f32 from vector<4xf32>
      scf.for %k = %c0 to %n step %c1 {
        %e = dlc.pop_operand : vector<4xindex>
      }
      memref.store %x, %out[%i] : memref<?xf32>
    }
  }
  return
}

// -----

// A vector of which more than lane 0 is read stays; of equal operands, the one
// that surely fits rides.

// CHECK-LABEL: func.func @scalars(
// CHECK: dlc.fwd_str
// CHECK: dlc.register_operand %[[T:.*]], ite, %{{.*}} for 0 : !slc.stream<vector<2xi32>>
// CHECK-NEXT: dlc.register_callback %[[T]], ite, 0 value %{{.*}} : !slc.stream<i32>
// CHECK: dlc.register_callback %[[T]], end, 1{{$}}
// CHECK: case 0 {
// CHECK-NEXT: dlc.token_value : i32
// CHECK-NEXT: dlc.pop_operand : vector<2xi32>
func.func @scalars(%n: index, %in: memref<?xi32>, %out: memref<?xi32>) {
  dlc.program captures(%n = %n : index, %in = %in : memref<?xi32>, %out = %out : memref<?xi32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    %w = dlc.mem_str %tu, %in[%i] : memref<?xi32>[!slc.stream<index>] -> !slc.stream<i32>
    %wide = dlc.fwd_str %tu, %w : !slc.stream<i32> -> !slc.stream<vector<2xi32>>
    dlc.register_callback %tu, ite, 0
    dlc.register_operand %tu, ite, %wide for 0 : !slc.stream<vector<2xi32>>
    dlc.register_operand %tu, ite, %w for 0 : !slc.stream<i32>
    dlc.register_callback %tu, end, 1
  }
  compute {
    %c0 = arith.constant 0 : index
    dlc.compute_loop
    case 0 {
      %ws = dlc.pop_operand : vector<2xi32>
      %w = dlc.pop_operand : i32
      %v = vector.extract %ws[1] : i32 from vector<2xi32>
      %sum = arith.addi %v, %w : i32
      memref.store %sum, %out[%c0] : memref<?xi32>
    }
    case 1 {
    }
  }
  return
}

// -----

// Lane 1 of a stream rides as a lane. An f64 does if asked for.

// CHECK-LABEL: func.func @lanes(
// CHECK: dlc.register_callback %[[T:.*]], ite, 0 value %{{.*}}[1] : !slc.stream<vector<4xindex>>
// AUTO: dlc.register_callback %[[T]], ite, 1{{$}}
// AUTO: dlc.register_operand %[[T]], ite, %{{.*}} for 1 : !slc.stream<f64>
// ANY: dlc.register_callback %[[T]], ite, 1 value %{{.*}} : !slc.stream<f64>
// ANY-NOT: dlc.register_operand
func.func @lanes(%n: index, %in: memref<?xf64>, %out: memref<?xf64>) {
  dlc.program captures(%n = %n : index, %in = %in : memref<?xf64>, %out = %out : memref<?xf64>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1 vector<4>
    %i = dlc.get_ind_var %tu : !slc.stream<vector<4xindex>>
    %w = dlc.mem_str %tu, %in[%c0] : memref<?xf64>[index] -> !slc.stream<f64>
    dlc.register_callback %tu, ite, 0
    dlc.register_operand %tu, ite, %i[1] for 0 : !slc.stream<vector<4xindex>>
    // REMARKS: remark: token 1 carries no scalar: an f64 seldom fits
    dlc.register_callback %tu, ite, 1
    dlc.register_operand %tu, ite, %w for 1 : !slc.stream<f64>
  }
  compute {
    %c0 = arith.constant 0 : index
    dlc.compute_loop
    case 0 {
      %i = dlc.pop_operand : index
    }
    case 1 {
      %w = dlc.pop_operand : f64
      memref.store %w, %out[%c0] : memref<?xf64>
    }
  }
  return
}

// -----

// Nothing rides that is pushed before the token, or popped in a loop.

// CHECK-LABEL: func.func @stay(
// CHECK-NOT: value
func.func @stay(%n: index, %in: memref<?xf64>) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    %row = dlc.new_tu %c0 to %n step %c1 in %tu
    %e = dlc.get_ind_var %row : !slc.stream<index>
    // REMARKS: remark: token 0 carries no scalar: operands are pushed before it
    dlc.register_callback %row, end, 0
    dlc.register_operand %row, beg, %i for 0 : !slc.stream<index>
    dlc.register_operand %row, end, %i for 0 : !slc.stream<index>
    dlc.register_callback %tu, end, 1
    // REMARKS: remark: token 2 carries no scalar: its scalars come while the case runs
    dlc.register_callback %tu, ite, 2
    dlc.register_operand %tu, ite, %i for 2 : !slc.stream<index>
  }
  compute {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    dlc.compute_loop
    case 0 {
      %a = dlc.pop_operand : index
      %b = dlc.pop_operand : index
    }
    case 1 {
    }
    case 2 {
      scf.for %k = %c0 to %c1 step %c1 {
        %b = dlc.pop_operand : index
      }
    }
  }
  return
}
