// Units with lanes, loads of every form, and buffers: one line in the queue
// listing for each operand.

// A trip count that the lanes do not divide, a step of two, and lanes that the
// mask of the outer unit switches off.

// RUN: ember-run %s --entry=units 5 2 --trace-queues=%t.txt
// RUN: FileCheck %s --check-prefix=UNITS --input-file=%t.txt
// RUN: ember-run %s --entry=units 5 2 --trace-queues=%t.txt --queue-capacity=1 --schedule=threads
// RUN: FileCheck %s --check-prefix=UNITS --input-file=%t.txt
// UNITS:      ctrl lanes.ite
// UNITS-NEXT: data vector<4xindex> [0, 2, 4, 6]
// UNITS-NEXT: data vector<4xi1> [1, 1, 1, 0]
// UNITS-NEXT: ctrl same.ite
// UNITS-NEXT: data vector<4xindex> [0, 0, 0, 0]
// UNITS-NEXT: data vector<4xi1> [1, 1, 1, 0]
// UNITS-NEXT: data index 0
// UNITS-NEXT: ctrl first.ite
// UNITS-NEXT: data vector<4xindex> [2, 2, 2, 2]
// UNITS-NEXT: data vector<4xi1> [1, 0, 0, 0]
// UNITS-NEXT: ctrl first.ite
// UNITS-NEXT: data vector<4xindex> [4, 4, 4, 4]
// UNITS-NEXT: data vector<4xi1> [1, 0, 0, 0]
// UNITS-NEXT: ctrl same.ite
// UNITS-NEXT: data vector<4xindex> [2, 2, 2, 2]
// UNITS-NEXT: data vector<4xi1> [1, 1, 1, 0]
// UNITS-NEXT: data index 1
// UNITS:      ctrl done
func.func @units(%n: index, %step: index) {
  dlc.program captures(%n = %n : index, %step = %step : index)
  access {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c2 = arith.constant 2 : index
    %lanes = dlc.new_tu %c0 to %n step %step vector<4> {ember.name = "lanes"}
    %a = dlc.get_ind_var %lanes : !slc.stream<vector<4xindex>>
    %am = dlc.get_mask %lanes : !slc.stream<vector<4xi1>>
    %same = dlc.new_tu %c0 to %c4 step %c2 in %lanes vector<4> bcast mask %am {ember.name = "same"} : index, index, !slc.stream<vector<4xi1>>
    %b = dlc.get_ind_var %same : !slc.stream<vector<4xindex>>
    %bm = dlc.get_mask %same : !slc.stream<vector<4xi1>>
    %bn = dlc.get_iter_count %same : !slc.stream<index>
    %first = dlc.new_tu %c2 to %n step %c2 in %same vector<4> scalar {ember.name = "first"}
    %c = dlc.get_ind_var %first : !slc.stream<vector<4xindex>>
    %cm = dlc.get_mask %first : !slc.stream<vector<4xi1>>
    dlc.register_callback %lanes, ite, 0
    dlc.register_operand %lanes, ite, %a for 0 : !slc.stream<vector<4xindex>>
    dlc.register_operand %lanes, ite, %am for 0 : !slc.stream<vector<4xi1>>
    dlc.register_callback %same, ite, 1
    dlc.register_operand %same, ite, %b for 1 : !slc.stream<vector<4xindex>>
    dlc.register_operand %same, ite, %bm for 1 : !slc.stream<vector<4xi1>>
    dlc.register_operand %same, ite, %bn for 1 : !slc.stream<index>
    dlc.register_callback %first, ite, 2
    dlc.register_operand %first, ite, %c for 2 : !slc.stream<vector<4xindex>>
    dlc.register_operand %first, ite, %cm for 2 : !slc.stream<vector<4xi1>>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %a = dlc.pop_operand : vector<4xindex>
      %am = dlc.pop_operand : vector<4xi1>
    }
    case 1 {
      %b = dlc.pop_operand : vector<4xindex>
      %bm = dlc.pop_operand : vector<4xi1>
      %bn = dlc.pop_operand : index
    }
    case 2 {
      %c = dlc.pop_operand : vector<4xindex>
      %cm = dlc.pop_operand : vector<4xi1>
    }
  }
  return
}

// Lanes with ranges of their own, one of them empty, go on until the last ends.

// RUN: %npy make %t.starts.npy index "[1, 5, 4]"
// RUN: %npy make %t.ends.npy index "[3, 5, 7]"
// RUN: ember-run %s --entry=lockstep @%t.starts.npy @%t.ends.npy --trace-queues=%t.txt --stats=%t.json
// RUN: FileCheck %s --check-prefix=LOCKSTEP --input-file=%t.txt
// LOCKSTEP:      ctrl tu1.ite
// LOCKSTEP-NEXT: data vector<4xindex> [1, 5, 4, 0]
// LOCKSTEP-NEXT: data vector<4xi1> [1, 0, 1, 0]
// LOCKSTEP-NEXT: ctrl tu1.ite
// LOCKSTEP-NEXT: data vector<4xindex> [2, 6, 5, 1]
// LOCKSTEP-NEXT: data vector<4xi1> [1, 0, 1, 0]
// LOCKSTEP-NEXT: ctrl tu1.ite
// LOCKSTEP-NEXT: data vector<4xindex> [3, 7, 6, 2]
// LOCKSTEP-NEXT: data vector<4xi1> [0, 0, 1, 0]
// LOCKSTEP-NEXT: ctrl done
// RUN: FileCheck %s --check-prefix=ELEMENTS --input-file=%t.json
// ELEMENTS: "elements": 3,
// ELEMENTS-NEXT: "loads": 1,
// ELEMENTS-NEXT: "name": "arg1"
// ELEMENTS: "elements": 3,
// ELEMENTS-NEXT: "loads": 1,
// ELEMENTS-NEXT: "name": "starts"
func.func @lockstep(%starts: memref<?xindex> {ember.name = "starts"}, %ends: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %starts, %c0 : memref<?xindex>
  dlc.program captures(%n = %n : index, %starts = %starts : memref<?xindex>, %ends = %ends : memref<?xindex>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = dlc.new_tu %c0 to %n step %c1 vector<4>
    %i = dlc.get_ind_var %a : !slc.stream<vector<4xindex>>
    %m = dlc.get_mask %a : !slc.stream<vector<4xi1>>
    %s = dlc.mem_str %a, %starts[%i] mask %m contiguous : memref<?xindex>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xindex>>
    %e = dlc.mem_str %a, %ends[%i] mask %m : memref<?xindex>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xindex>>
    %b = dlc.new_tu %s to %e step %c1 in %a vector<4> mask %m : !slc.stream<vector<4xindex>>, !slc.stream<vector<4xindex>>, !slc.stream<vector<4xi1>>
    %j = dlc.get_ind_var %b : !slc.stream<vector<4xindex>>
    %k = dlc.get_mask %b : !slc.stream<vector<4xi1>>
    dlc.register_callback %b, ite, 0
    dlc.register_operand %b, ite, %j for 0 : !slc.stream<vector<4xindex>>
    dlc.register_operand %b, ite, %k for 0 : !slc.stream<vector<4xi1>>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %j = dlc.pop_operand : vector<4xindex>
      %k = dlc.pop_operand : vector<4xi1>
    }
  }
  return
}

// Gathers in one and in two dimensions, of a transposed matrix too, a vector
// out of a memref of vectors, and arithmetic that divides by what a lane that
// is switched off holds.

// RUN: %npy make %t.rows.npy f32 "np.arange(12).reshape(3, 4)"
// RUN: %npy make %t.at.npy i32 "[2, 1, 1]"
// RUN: ember-run %s --entry=loads @%t.rows.npy @%t.at.npy --trace-queues=%t.txt
// RUN: FileCheck %s --check-prefix=LOADS --input-file=%t.txt
// LOADS:      data vector<4xf32> [2, 1, 1, 0]
// LOADS-NEXT: data vector<4xf32> [8, 5, 6, 0]
// LOADS-NEXT: data vector<4xf32> [2, 5, 9, 0]
// LOADS-NEXT: data vector<4xf32> [4, 5, 6, 7]
// LOADS-NEXT: data vector<4xi32> [16, 2, 2, 0]
// LOADS-NEXT: data vector<4xi32> [-4, -4, -4, -4]
// LOADS-NEXT: data vector<4xindex> [5, 10, 10, {{.*}}]
// LOADS-NEXT: data f32 1
func.func @loads(%in: memref<?x4xf32>, %at: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %turned = memref.transpose %in (i, j) -> (j, i) : memref<?x4xf32> to memref<4x?xf32, strided<[1, 4]>>
  %vectors = memref.alloc() : memref<2xvector<4xf32>>
  %row = vector.load %in[%c1, %c0] : memref<?x4xf32>, vector<4xf32>
  memref.store %row, %vectors[%c1] : memref<2xvector<4xf32>>
  dlc.program captures(%at = %at : memref<?xi32>, %in = %in : memref<?x4xf32>, %turned = %turned : memref<4x?xf32, strided<[1, 4]>>, %vectors = %vectors : memref<2xvector<4xf32>>)
  access {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c1 = arith.constant 1 : index
    %four = arith.constant -4 : i32
    %c10 = arith.constant 10 : index
    %tu = dlc.new_tu %c0 to %c3 step %c1 vector<4>
    %i = dlc.get_ind_var %tu : !slc.stream<vector<4xindex>>
    %m = dlc.get_mask %tu : !slc.stream<vector<4xi1>>
    %raw = dlc.mem_str %tu, %at[%i] mask %m contiguous : memref<?xi32>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xi32>>
    %p = dlc.cast_str %tu, %raw : !slc.stream<vector<4xi32>> to !slc.stream<vector<4xindex>>
    %gathered = dlc.mem_str %tu, %in[%c0, %p] mask %m : memref<?x4xf32>[index, !slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
    %both = dlc.mem_str %tu, %in[%p, %i] mask %m : memref<?x4xf32>[!slc.stream<vector<4xindex>>, !slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
    %strided = dlc.mem_str %tu, %turned[%p, %i] mask %m : memref<4x?xf32, strided<[1, 4]>>[!slc.stream<vector<4xindex>>, !slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
    %whole = dlc.mem_str %tu, %vectors[%c1] : memref<2xvector<4xf32>>[index] -> !slc.stream<vector<4xf32>>
    %shifted = dlc.alu_str %tu, shl %raw, %raw : !slc.stream<vector<4xi32>>, !slc.stream<vector<4xi32>> -> !slc.stream<vector<4xi32>>
    %product = dlc.alu_str %tu, mul %shifted, %raw : !slc.stream<vector<4xi32>>, !slc.stream<vector<4xi32>> -> !slc.stream<vector<4xi32>>
    %negative = dlc.fwd_str %tu, %four : i32 -> !slc.stream<vector<4xi32>>
    %quotient = dlc.alu_str %tu, divu %c10, %p : index, !slc.stream<vector<4xindex>> -> !slc.stream<vector<4xindex>>
    %one = dlc.mem_str %tu, %in[%c0, %c1] : memref<?x4xf32>[index, index] -> !slc.stream<f32>
    dlc.register_callback %tu, ite, 0
    dlc.register_operand %tu, ite, %gathered for 0 : !slc.stream<vector<4xf32>>
    dlc.register_operand %tu, ite, %both for 0 : !slc.stream<vector<4xf32>>
    dlc.register_operand %tu, ite, %strided for 0 : !slc.stream<vector<4xf32>>
    dlc.register_operand %tu, ite, %whole for 0 : !slc.stream<vector<4xf32>>
    dlc.register_operand %tu, ite, %product for 0 : !slc.stream<vector<4xi32>>
    dlc.register_operand %tu, ite, %negative for 0 : !slc.stream<vector<4xi32>>
    dlc.register_operand %tu, ite, %quotient for 0 : !slc.stream<vector<4xindex>>
    dlc.register_operand %tu, ite, %one for 0 : !slc.stream<f32>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %a = dlc.pop_operand : vector<4xf32>
      %b = dlc.pop_operand : vector<4xf32>
      %c = dlc.pop_operand : vector<4xf32>
      %d = dlc.pop_operand : vector<4xf32>
      %e = dlc.pop_operand : vector<4xi32>
      %f = dlc.pop_operand : vector<4xi32>
      %g = dlc.pop_operand : vector<4xindex>
      %h = dlc.pop_operand : f32
    }
  }
  memref.dealloc %vectors : memref<2xvector<4xf32>>
  return
}

// Rows popped as a whole: read twice and backwards, with a size that is popped
// too, and with a size that is fixed.

// RUN: %npy make %t.three.npy f32 "[1, 2, 3]"
// RUN: %npy make %t.sums.npy f32 "np.zeros(3)"
// RUN: %npy make %t.expected.npy f32 "[1, 4, 8]"
// RUN: ember-run %s --entry=rows @%t.three.npy @%t.sums.npy --save=1:%t.1.npy
// RUN: %npy compare %t.1.npy %t.expected.npy
// RUN: ember-run %s --entry=rows @%t.three.npy @%t.sums.npy --save=1:%t.1.npy --queue-capacity=1 --schedule=threads -O3
// RUN: %npy compare %t.1.npy %t.expected.npy
// RUN: ember-run %s --entry=fixed_rows @%t.three.npy @%t.sums.npy --save=1:%t.2.npy --queue-capacity=1
// RUN: %npy make %t.fixed.npy f32 "[10, 10, 10]"
// RUN: %npy compare %t.2.npy %t.fixed.npy
func.func @rows(%in: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %in, %c0 : memref<?xf32>
  dlc.program captures(%n = %n : index, %in = %in : memref<?xf32>, %out = %out : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %a : !slc.stream<index>
    %i1 = dlc.alu_str %a, add %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    %b = dlc.new_tu %c0 to %i1 step %c1 in %a : index, !slc.stream<index>
    %j = dlc.get_ind_var %b : !slc.stream<index>
    %v = dlc.mem_str %b, %in[%j] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    dlc.register_callback %b, end, 0 announced
    dlc.register_operand %b, beg, %i1 for 0 : !slc.stream<index>
    dlc.register_operand %b, ite, %v for 0 : !slc.stream<f32>
    dlc.register_operand %b, end, %i for 0 : !slc.stream<index>
  }
  compute {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    dlc.compute_loop
    case 0 {
      %size = dlc.pop_operand : index
      %row = dlc.pop_operand size %size : memref<?xf32>
      %at = dlc.pop_operand : index
      %zero = arith.constant 0.0 : f32
      %sum = scf.for %k = %c0 to %size step %c1 iter_args(%acc = %zero) -> (f32) {
        %last = arith.subi %size, %c1 : index
        %back = arith.subi %last, %k : index
        %x = memref.load %row[%back] : memref<?xf32>
        %next = arith.addf %acc, %x : f32
        scf.yield %next : f32
      }
      %more = memref.load %row[%at] : memref<?xf32>
      %one = memref.load %row[%c0] : memref<?xf32>
      %most = arith.addf %sum, %more : f32
      %all = arith.subf %most, %one : f32
      %is_last = arith.cmpi eq, %at, %c0 : index
      %value = arith.select %is_last, %sum, %all : f32
      memref.store %value, %out[%at] : memref<?xf32>
    }
  }
  return
}

func.func @fixed_rows(%in: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %in, %c0 : memref<?xf32>
  dlc.program captures(%n = %n : index, %in = %in : memref<?xf32>, %out = %out : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %a : !slc.stream<index>
    %b = dlc.new_tu %c0 to %n step %c1 in %a
    %j = dlc.get_ind_var %b : !slc.stream<index>
    %v = dlc.mem_str %b, %in[%j] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    dlc.register_callback %b, end, 0 announced
    dlc.register_operand %b, ite, %v for 0 : !slc.stream<f32>
    dlc.register_operand %b, end, %i for 0 : !slc.stream<index>
  }
  compute {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    dlc.compute_loop
    case 0 {
      %row = dlc.pop_operand size %n : memref<?xf32>
      %at = dlc.pop_operand : index
      %a = memref.load %row[%c0] : memref<?xf32>
      %last = arith.subi %n, %c1 : index
      %b = memref.load %row[%last] : memref<?xf32>
      %product = arith.mulf %b, %b : f32
      %sum = arith.addf %a, %product : f32
      memref.store %sum, %out[%at] : memref<?xf32>
    }
  }
  return
}
