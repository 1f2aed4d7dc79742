// Every operation and every form of its assembly.

// RUN: ember-opt %s | ember-opt | FileCheck %s
// RUN: ember-opt %s --mlir-print-op-generic | ember-opt | FileCheck %s

// CHECK-LABEL: func.func @units(
// CHECK-SAME: %[[N:.*]]: index, %[[MASK:.*]]: vector<4xi1>)
func.func @units(%n: index, %lanes: vector<4xi1>) {
  // CHECK: access {
  dlc.program captures(%n = %n : index, %lanes = %lanes : vector<4xi1>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // CHECK: %[[A:.*]] = dlc.new_tu %c0 to %[[N]] step %c1{{$}}
    %a = dlc.new_tu %c0 to %n step %c1
    // CHECK: %[[I:.*]] = dlc.get_ind_var %[[A]] : !slc.stream<index>
    %i = dlc.get_ind_var %a : !slc.stream<index>
    // CHECK: dlc.get_iter_count %[[A]] : !slc.stream<index>
    %count = dlc.get_iter_count %a : !slc.stream<index>
    // CHECK: %[[B:.*]] = dlc.new_tu %[[I]] to %[[N]] step %c1 in %[[A]] vector<4> mask %[[MASK]] : !slc.stream<index>, index, vector<4xi1>
    %b = dlc.new_tu %i to %n step %c1 in %a vector<4> mask %lanes : !slc.stream<index>, index, vector<4xi1>
    // CHECK: %[[E:.*]] = dlc.get_ind_var %[[B]] : !slc.stream<vector<4xindex>>
    %e = dlc.get_ind_var %b : !slc.stream<vector<4xindex>>
    // CHECK: %[[M:.*]] = dlc.get_mask %[[B]] : !slc.stream<vector<4xi1>>
    %m = dlc.get_mask %b : !slc.stream<vector<4xi1>>
    // CHECK: %[[C:.*]] = dlc.new_tu %c0 to %[[E]] step %c1 in %[[B]] vector<4> mask %[[M]] : index, !slc.stream<vector<4xindex>>, !slc.stream<vector<4xi1>>
    %c = dlc.new_tu %c0 to %e step %c1 in %b vector<4> mask %m : index, !slc.stream<vector<4xindex>>, !slc.stream<vector<4xi1>>
    // CHECK: %[[D:.*]] = dlc.new_tu %c0 to %[[N]] step %c1 in %[[C]] vector<8> bcast
    %d = dlc.new_tu %c0 to %n step %c1 in %c vector<8> bcast
    // CHECK: dlc.new_tu %c0 to %[[N]] step %c1 in %[[D]] vector<8> scalar {ember.name = "last"}
    %last = dlc.new_tu %c0 to %n step %c1 in %d vector<8> scalar {ember.name = "last"}
  }
  compute {
    // CHECK: dlc.compute_loop{{$}}
    dlc.compute_loop
  }
  return
}

// CHECK-LABEL: func.func @streams(
// CHECK-SAME: %[[N:[^:]*]]: index, %[[IN:[^:]*]]: memref<?x?xf32>, %[[RAW:[^:]*]]: memref<?xi32>, %[[ONE:[^:]*]]: memref<f32>, %[[ROWS:[^:]*]]: memref<?xvector<4xf32>>, %[[X:[^:]*]]: f32)
func.func @streams(%n: index, %in: memref<?x?xf32>, %raw: memref<?xi32>,
                   %one: memref<f32>, %rows: memref<?xvector<4xf32>>, %x: f32) {
  dlc.program captures(%n = %n : index, %raw = %raw : memref<?xi32>, %one = %one : memref<f32>, %rows = %rows : memref<?xvector<4xf32>>, %in = %in : memref<?x?xf32>, %x = %x : f32)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %a : !slc.stream<index>
    // CHECK: %[[R:.*]] = dlc.mem_str %[[A:.*]], %[[RAW]][%[[I:.*]]] : memref<?xi32>[!slc.stream<index>] -> !slc.stream<i32>
    %r = dlc.mem_str %a, %raw[%i] : memref<?xi32>[!slc.stream<index>] -> !slc.stream<i32>
    // CHECK: dlc.cast_str %[[A]], %[[R]] : !slc.stream<i32> to !slc.stream<index>
    %s = dlc.cast_str %a, %r : !slc.stream<i32> to !slc.stream<index>
    // CHECK: dlc.cast_str %[[A]], unsigned %[[R]] : !slc.stream<i32> to !slc.stream<i64>
    %u = dlc.cast_str %a, unsigned %r : !slc.stream<i32> to !slc.stream<i64>
    // CHECK: dlc.mem_str %[[A]], %[[ONE]][] : memref<f32>[] -> !slc.stream<f32>
    %v = dlc.mem_str %a, %one[] : memref<f32>[] -> !slc.stream<f32>
    // CHECK: dlc.mem_str %[[A]], %[[ROWS]][%[[I]]] : memref<?xvector<4xf32>>[!slc.stream<index>] -> !slc.stream<vector<4xf32>>
    %row = dlc.mem_str %a, %rows[%i] : memref<?xvector<4xf32>>[!slc.stream<index>] -> !slc.stream<vector<4xf32>>
    // CHECK: %[[B:.*]] = dlc.new_tu
    %b = dlc.new_tu %c0 to %n step %c1 in %a vector<4>
    %e = dlc.get_ind_var %b : !slc.stream<vector<4xindex>>
    %m = dlc.get_mask %b : !slc.stream<vector<4xi1>>
    // CHECK: dlc.mem_str %[[B]], %[[IN]][%[[I]], %[[E:.*]]] mask %[[M:.*]] contiguous : memref<?x?xf32>[!slc.stream<index>, !slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
    %w = dlc.mem_str %b, %in[%i, %e] mask %m contiguous : memref<?x?xf32>[!slc.stream<index>, !slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
    // CHECK: dlc.mem_str %[[B]], %[[IN]][%[[E]], %c0] mask %[[M]] : memref<?x?xf32>[!slc.stream<vector<4xindex>>, index] -> !slc.stream<vector<4xf32>>
    %g = dlc.mem_str %b, %in[%e, %c0] mask %m : memref<?x?xf32>[!slc.stream<vector<4xindex>>, index] -> !slc.stream<vector<4xf32>>
    // CHECK: dlc.mem_str %[[B]], %[[IN]][%c0, %[[E]]] contiguous :
    %h = dlc.mem_str %b, %in[%c0, %e] contiguous : memref<?x?xf32>[index, !slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
    // CHECK: dlc.alu_str %[[B]], add %[[E]], %c1 : !slc.stream<vector<4xindex>>, index -> !slc.stream<vector<4xindex>>
    %sum = dlc.alu_str %b, add %e, %c1 : !slc.stream<vector<4xindex>>, index -> !slc.stream<vector<4xindex>>
    // CHECK: dlc.alu_str %{{.*}}, sub
    %o1 = dlc.alu_str %b, sub %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: dlc.alu_str %{{.*}}, mul
    %o2 = dlc.alu_str %b, mul %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: dlc.alu_str %{{.*}}, divs
    %o3 = dlc.alu_str %b, divs %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: dlc.alu_str %{{.*}}, divu
    %o4 = dlc.alu_str %b, divu %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: dlc.alu_str %{{.*}}, rems
    %o5 = dlc.alu_str %b, rems %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: dlc.alu_str %{{.*}}, remu
    %o6 = dlc.alu_str %b, remu %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: dlc.alu_str %{{.*}}, and
    %o7 = dlc.alu_str %b, and %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: dlc.alu_str %{{.*}}, or
    %o8 = dlc.alu_str %b, or %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: dlc.alu_str %{{.*}}, xor
    %o9 = dlc.alu_str %b, xor %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: dlc.alu_str %{{.*}}, shl
    %o10 = dlc.alu_str %b, shl %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: dlc.alu_str %{{.*}}, shrs
    %o11 = dlc.alu_str %b, shrs %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: dlc.alu_str %{{.*}}, shru
    %o12 = dlc.alu_str %b, shru %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: dlc.alu_str %{{.*}}, mins
    %o13 = dlc.alu_str %b, mins %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: dlc.alu_str %{{.*}}, maxs
    %o14 = dlc.alu_str %b, maxs %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: dlc.alu_str %{{.*}}, minu
    %o15 = dlc.alu_str %b, minu %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: dlc.alu_str %{{.*}}, maxu %c1, %[[I]] : index, !slc.stream<index> -> !slc.stream<index>
    %o16 = dlc.alu_str %b, maxu %c1, %i : index, !slc.stream<index> -> !slc.stream<index>
    // CHECK: dlc.fwd_str %[[B]], %[[I]] : !slc.stream<index> -> !slc.stream<index>
    %f = dlc.fwd_str %b, %i : !slc.stream<index> -> !slc.stream<index>
    // CHECK: dlc.fwd_str %[[B]], %[[X]] : f32 -> !slc.stream<vector<4xf32>>
    %wide = dlc.fwd_str %b, %x : f32 -> !slc.stream<vector<4xf32>>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// CHECK-LABEL: func.func @token_values(
func.func @token_values(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %a : !slc.stream<index>
    %b = dlc.new_tu %c0 to %n step %c1 in %a vector<4>
    %e = dlc.get_ind_var %b : !slc.stream<vector<4xindex>>
    // CHECK: dlc.register_callback %{{.*}}, ite, 0 value %{{[^ ]*}}[3] : !slc.stream<vector<4xindex>> {ember.name = "lane"}
    dlc.register_callback %b, ite, 0 value %e[3] : !slc.stream<vector<4xindex>> {ember.name = "lane"}
    %c = dlc.new_tu %c0 to %n step %c1 in %b
    // CHECK: dlc.register_callback %{{.*}}, end, 1 announced value %{{[^ ]*}} : !slc.stream<index>
    dlc.register_callback %c, end, 1 announced value %i : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
    case 0 {
      // CHECK: dlc.token_value : index
      %v = dlc.token_value : index
    }
    case 1 {
      %v = dlc.token_value : index
    }
  }
  return
}

// CHECK-LABEL: func.func @programs(
func.func @programs(%n: index) -> (index, f32) {
  // CHECK: dlc.program captures({{.*}}) -> (index, f32) attributes {ember.name = "nest"}
  %r:2 = dlc.program captures(%n = %n : index) -> (index, f32) attributes {ember.name = "nest"}
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %a : !slc.stream<index>
    %b = dlc.new_tu %c0 to %n step %c1 in %a vector<4>
    %e = dlc.get_ind_var %b : !slc.stream<vector<4xindex>>
    // CHECK: dlc.register_callback %[[A:.*]], ite, 0{{$}}
    dlc.register_callback %a, ite, 0
    // CHECK: dlc.register_operand %[[A]], ite, %[[I:.*]] for 0 : !slc.stream<index>
    dlc.register_operand %a, ite, %i for 0 : !slc.stream<index>
    // CHECK: dlc.register_callback %[[A]], beg, 4
    dlc.register_callback %a, beg, 4
    // CHECK: dlc.register_callback %[[B:.*]], end, 7 announced
    dlc.register_callback %b, end, 7 announced
    // CHECK: dlc.register_operand %[[B]], beg, %[[I]] for 7 : !slc.stream<index>
    dlc.register_operand %b, beg, %i for 7 : !slc.stream<index>
    // CHECK: dlc.register_operand %[[B]], ite, %{{.*}}[3] for 7 : !slc.stream<vector<4xindex>>
    dlc.register_operand %b, ite, %e[3] for 7 : !slc.stream<vector<4xindex>>
    // CHECK: dlc.register_operand %[[B]], end, %[[I]] for 7 : !slc.stream<index>
    dlc.register_operand %b, end, %i for 7 : !slc.stream<index>
  }
  compute {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    // CHECK: %[[R:.*]]:2 = dlc.compute_loop iter_args(%{{.*}}, %{{.*}}) -> (index, f32) attributes {ember.name = "code"}
    %r:2 = dlc.compute_loop iter_args(%c0, %zero) -> (index, f32) attributes {ember.name = "code"}
    // CHECK-NEXT: case 0 {
    // CHECK-NEXT: ^bb0(%[[SUM:.*]]: index, %[[F:.*]]: f32):
    case 0 {
    ^bb0(%sum: index, %f: f32):
      // CHECK: %[[V:.*]] = dlc.pop_operand : index
      %v = dlc.pop_operand : index
      %next = arith.addi %sum, %v : index
      // CHECK: dlc.yield %{{.*}}, %[[F]] : index, f32
      dlc.yield %next, %f : index, f32
    }
    // CHECK: case 4 {
    case 4 {
    ^bb0(%sum: index, %f: f32):
      dlc.yield %sum, %f : index, f32
    }
    // CHECK: case 7 {
    case 7 {
    ^bb0(%sum: index, %f: f32):
      %b = dlc.pop_operand : index
      // CHECK: dlc.pop_operand size %{{.*}} : memref<?xindex>
      %row = dlc.pop_operand size %n : memref<?xindex>
      %l = dlc.pop_operand : index
      dlc.yield %sum, %f : index, f32
    }
    dlc.yield %r#0, %r#1 : index, f32
  }
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = dlc.new_tu %c0 to %n step %c1
    dlc.register_callback %a, ite, 0
  }
  compute {
    // CHECK: dlc.compute_loop{{$}}
    // CHECK-NEXT: case 0 {
    // CHECK-NEXT: }
    dlc.compute_loop
    case 0 {
    }
  }
  return %r#0, %r#1 : index, f32
}

// CHECK-LABEL: func.func @stores(
func.func @stores(%n: index, %a: memref<?xf32>) {
  dlc.program captures(%n = %n : index, %a = %a : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1 vector<4>
    %e = dlc.get_ind_var %tu : !slc.stream<vector<4xindex>>
    %m = dlc.get_mask %tu : !slc.stream<vector<4xi1>>
    // CHECK: %[[V:.*]] = dlc.mem_str %[[TU:.*]], %arg1[%[[E:.*]]] mask %[[M:.*]] contiguous level llc nontemporal : memref<?xf32>
    %v = dlc.mem_str %tu, %a[%e] mask %m contiguous level llc nontemporal : memref<?xf32>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
    // CHECK: dlc.store_str %[[TU]], %[[V]], %arg1[%[[E]]] mask %[[M]] contiguous level l1 nontemporal : !slc.stream<vector<4xf32>>, memref<?xf32>[!slc.stream<vector<4xindex>>]
    dlc.store_str %tu, %v, %a[%e] mask %m contiguous level l1 nontemporal : !slc.stream<vector<4xf32>>, memref<?xf32>[!slc.stream<vector<4xindex>>]
    %w = dlc.mem_str %tu, %a[%c0] : memref<?xf32>[index] -> !slc.stream<f32>
    // CHECK: dlc.store_str %[[TU]], %{{.*}}, %arg1[%c0] {ember.name = "w"} : !slc.stream<f32>, memref<?xf32>[index]
    dlc.store_str %tu, %w, %a[%c0] {ember.name = "w"} : !slc.stream<f32>, memref<?xf32>[index]
  }
  compute {
    // A program without cases stays with its access program.
    // CHECK: dlc.compute_loop{{$}}
    dlc.compute_loop
  }
  return
}

// CHECK-LABEL: func.func @toggles(
func.func @toggles(%n: index, %a: memref<?xi32>) {
  dlc.program captures(%n = %n : index, %a = %a : memref<?xi32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %p = dlc.get_ind_var %tu : !slc.stream<index>
    %v = dlc.mem_str %tu, %a[%p] : memref<?xi32>[!slc.stream<index>] -> !slc.stream<i32>
    // CHECK: dlc.register_callback %{{.*}}, ite, 0 on %[[V:.*]] : !slc.stream<i32>
    dlc.register_callback %tu, ite, 0 on %v : !slc.stream<i32>
    // CHECK-NEXT: dlc.register_callback %{{.*}}, ite, 1 on %[[V]] : !slc.stream<i32> value %{{.*}} : !slc.stream<index>
    dlc.register_callback %tu, ite, 1 on %v : !slc.stream<i32> value %p : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
    case 0 {
    }
    case 1 {
      %i = dlc.token_value : index
    }
  }
  return
}

// CHECK-LABEL: func.func @predicates(
// CHECK-SAME: %[[N:.*]]: index)
func.func @predicates(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // CHECK: %[[TU:.*]] = dlc.new_tu
    %tu = dlc.new_tu %c0 to %n step %c1
    // CHECK: %[[I:.*]] = dlc.get_ind_var
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    // CHECK: %[[OK:.*]] = dlc.cmp_str %[[TU]], sge %[[I]], %[[N]] : !slc.stream<index>, index -> !slc.stream<i1>
    %ok = dlc.cmp_str %tu, sge %i, %n : !slc.stream<index>, index -> !slc.stream<i1>
    // CHECK: dlc.sel_str %[[TU]], %[[OK]], %[[N]], %[[I]] : !slc.stream<i1>, index, !slc.stream<index> -> !slc.stream<index>
    %end = dlc.sel_str %tu, %ok, %n, %i : !slc.stream<i1>, index, !slc.stream<index> -> !slc.stream<index>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// CHECK-LABEL: func.func @segments(
// CHECK-SAME: %[[ROWS:.*]]: memref<?xi64>, %[[N:.*]]: index)
func.func @segments(%rows: memref<?xi64>, %n: index) {
  dlc.program captures(%n = %n : index, %rows = %rows : memref<?xi64>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // CHECK: %[[A:.*]] = dlc.new_tu %c0 to %[[N]] step %c1 segments(%[[ROWS]] : memref<?xi64>){{$}}
    %a = dlc.new_tu %c0 to %n step %c1 segments(%rows : memref<?xi64>)
    // CHECK: %[[B:.*]] = dlc.get_ind_var %[[A]] : !slc.stream<index>
    %b = dlc.get_ind_var %a : !slc.stream<index>
    // CHECK: %[[E:.*]] = dlc.get_segment_end %[[A]] : !slc.stream<index>
    %e = dlc.get_segment_end %a : !slc.stream<index>
    // CHECK: dlc.new_tu %[[B]] to %[[E]] step %c1 in %[[A]] segments(%[[ROWS]] : memref<?xi64>) : !slc.stream<index>, !slc.stream<index>
    %c = dlc.new_tu %b to %e step %c1 in %a segments(%rows : memref<?xi64>) : !slc.stream<index>, !slc.stream<index>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// At the end of a row, for the first of each segment and for the others.
// CHECK-LABEL: func.func @toggles_at_ends(
func.func @toggles_at_ends(%n: index, %a: memref<?xf32>) {
  dlc.program captures(%n = %n : index, %a = %a : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %seg = dlc.new_tu %c0 to %n step %c1
    %s = dlc.get_ind_var %seg : !slc.stream<index>
    %tu = dlc.new_tu %c0 to %n step %c1 in %seg
    %row = dlc.new_tu %c0 to %n step %c1 in %tu
    %e = dlc.get_ind_var %row : !slc.stream<index>
    %v = dlc.mem_str %row, %a[%e] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    // CHECK: dlc.register_callback %{{.*}}, end, 0 announced on %[[S:.*]] : !slc.stream<index>
    dlc.register_callback %row, end, 0 announced on %s : !slc.stream<index>
    dlc.register_operand %row, ite, %v for 0 : !slc.stream<f32>
    // CHECK: dlc.register_callback %{{.*}}, end, 1 announced on same %[[S]] : !slc.stream<index> value %[[S]] : !slc.stream<index>
    dlc.register_callback %row, end, 1 announced on same %s : !slc.stream<index> value %s : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %r = dlc.pop_operand size %n : memref<?xf32>
    }
    case 1 {
      %i = dlc.token_value : index
    }
  }
  return
}

// Captures are called what they are called outside, in both regions, where that
// has a name of its own; a value may be captured twice.
// CHECK-LABEL: func.func @captures(
func.func @captures(%n: index, %out: memref<?xindex>) -> index {
  %c0 = arith.constant 0 : index
  %pair:2 = scf.for %i = %c0 to %n step %n iter_args(%a = %n, %b = %n) -> (index, index) {
    scf.yield %b, %a : index, index
  }
  // CHECK: %[[R:.*]] = dlc.program captures(%arg0 = %arg0 : index, %[[AGAIN:[^ ]*]] = %arg0 : index, %arg1 = %arg1 : memref<?xindex>, %[[SECOND:[^ ]*]] = %{{.*}}#1 : index) -> (index)
  // CHECK-NEXT: access {
  // CHECK-NEXT: dlc.new_tu %arg0 to %[[AGAIN]] step %[[SECOND]]
  // CHECK-NEXT: }
  // CHECK-NEXT: compute {
  // CHECK-NEXT: memref.store %arg0, %arg1[%[[AGAIN]]] : memref<?xindex>
  // CHECK-NEXT: dlc.compute_loop
  // CHECK-NEXT: dlc.yield %[[SECOND]] : index
  // CHECK-NEXT: }
  // CHECK-NEXT: return %[[R]]
  %r = dlc.program captures(%l = %n : index, %u = %n : index, %o = %out : memref<?xindex>, %s = %pair#1 : index) -> (index)
  access {
    %tu = dlc.new_tu %l to %u step %s
  }
  compute {
    memref.store %l, %o[%u] : memref<?xindex>
    dlc.compute_loop
    dlc.yield %s : index
  }
  return %r : index
}

// A case may hold a program of its own, which shares a name three levels deep.
// CHECK-LABEL: func.func @nested(
func.func @nested(%n: index) {
  // CHECK: dlc.program captures(%arg0 = %arg0 : index)
  dlc.program captures(%m = %n : index)
  access {
    // CHECK: dlc.new_tu %arg0 to %arg0 step %arg0
    %tu = dlc.new_tu %m to %m step %m
    dlc.register_callback %tu, ite, 0
  }
  compute {
    dlc.compute_loop
    case 0 {
      // CHECK: dlc.program captures(%arg0 = %arg0 : index)
      dlc.program captures(%m = %m : index)
      access {
        // CHECK: dlc.new_tu %arg0 to %arg0 step %arg0
        %inner = dlc.new_tu %m to %m step %m
      }
      compute {
        dlc.compute_loop
      }
    }
  }
  return
}
