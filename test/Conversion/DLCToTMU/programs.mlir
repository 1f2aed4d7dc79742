// Access programs as configurations, with as many lanes as a vector has elements
// and with half as many, where that is possible.

// RUN: ember-opt %s --dlc-to-tmu=lanes=4 --split-input-file | FileCheck %s
// RUN: ember-opt %s --dlc-to-tmu=lanes=4 --split-input-file | ember-opt --split-input-file | FileCheck %s
// RUN: ember-opt %s --dlc-to-tmu=lanes=2 --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=WIDE

// A position is computed as far out as it is known, and forwarded layer by layer.

// CHECK-LABEL: func.func @bag(
// CHECK: %[[PITCH:.*]] = memref.dim %arg2, %{{.*}} : memref<?x?xf32>
// CHECK: tmu.program captures(%[[BAGS:[^ ]*]] = {{.*}}, %[[PITCH]] = %[[PITCH]] : index, {{.*}}) compute @bag.compute.0(%arg3 : memref<?x?xf32>) {
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK: %[[TU:.*]], %[[B:.*]], %{{.*}} = tmu.set_dns_tu %[[C0]] to %[[BAGS]] step %[[C1]]{{$}}
// CHECK: tmu.set_alu_str %[[TU]], add %[[B]], %[[C1]]
// CHECK: %[[BAG:.*]] = tmu.set_single_layer %[[TU]] {ember.name = "bag"}
// CHECK: %[[SEG:.*]], %[[P:.*]], %{{.*}} = tmu.set_rng_tu %{{.*}} to %{{.*}} step %[[C1]] in %[[BAG]]
// CHECK: %[[RAW:.*]] = tmu.set_mem_str %[[SEG]], %{{.*}}[%[[P]]] nontemporal : memref<?xi64>
// CHECK: %[[I:.*]] = tmu.set_cast_str %[[SEG]], %[[RAW]]
// CHECK: %[[ROW:.*]] = tmu.set_alu_str %[[SEG]], mul %[[I]], %[[PITCH]]
// CHECK: %[[B1:.*]] = tmu.set_fwd_str %[[SEG]], %[[B]]
// CHECK: %[[LOOKUPS:.*]] = tmu.set_bcast_layer %[[SEG]]
// CHECK: %[[E0:.*]], %[[X0:.*]], %{{.*}} = tmu.set_dns_tu %[[C0]] to %{{.*}} step %[[C4]] in %[[LOOKUPS]]
// CHECK-COUNT-3: tmu.set_dns_tu %{{.*}} to %{{.*}} step %[[C4]] in %[[LOOKUPS]]
// CHECK: %[[R0:.*]] = tmu.set_fwd_str %[[E0]], %[[ROW]]
// CHECK: %[[A0:.*]] = tmu.set_alu_str %[[E0]], add %[[R0]], %[[X0]]
// CHECK: %[[V0:.*]] = tmu.set_mem_str %[[E0]], %{{.*}}[%[[A0]]] level l2 : memref<?x?xf32>, !slc.stream<index> -> !slc.stream<f32>
// CHECK: %[[B2:.*]] = tmu.set_fwd_str %[[E0]], %[[B1]]
// CHECK: %[[ELEMENTS:.*]] = tmu.set_lockstep_layer %[[E0]], %{{.*}}, %{{.*}}, %{{.*}}
// CHECK-NEXT: tmu.set_control_token %[[ELEMENTS]], ite, 0{{$}}
// CHECK-NEXT: tmu.set_operand %[[ELEMENTS]], ite, (%[[B2]]) for 0 : (!slc.stream<index>) -> index
// CHECK-NEXT: tmu.set_operand %[[ELEMENTS]], ite, (%[[X0]]) for 0 : (!slc.stream<index>) -> index
// CHECK-NEXT: tmu.set_operand %[[ELEMENTS]], ite, (%[[V0]], %{{.*}}, %{{.*}}, %{{.*}}) for 0 : {{.*}} -> vector<4xf32>
// CHECK-NEXT: tmu.set_control_token %[[LOOKUPS]], end, 1{{$}}
// CHECK: func.func private @bag.compute.0(%{{.*}}: memref<?x?xf32> {{.*}}, %[[DATA:.*]]: !ring.data<16>, %{{.*}}: !ring.tokens) attributes {ring.half = #ring.half<compute>}
// CHECK: ring.wait %[[DATA]] for 0

// WIDE-LABEL: func.func @bag(
// WIDE: %[[C2:.*]] = arith.constant 2 : index
// WIDE: %[[C4:.*]] = arith.constant 4 : index
// WIDE: %[[LOOKUPS:.*]] = tmu.set_bcast_layer
// WIDE: tmu.set_dns_tu %{{.*}} to %{{.*}} step %[[C4]] in %[[LOOKUPS]]
// WIDE: tmu.set_dns_tu %[[C2]] to %{{.*}} step %[[C4]] in %[[LOOKUPS]]
// WIDE-COUNT-2: tmu.set_mem_str {{.*}} -> !slc.stream<vector<2xf32>>
// WIDE: tmu.set_operand %{{.*}}, ite, (%{{.*}}, %{{.*}}) for 0 : (!slc.stream<vector<2xf32>>, !slc.stream<vector<2xf32>>) -> vector<4xf32>
func.func @bag(%offsets: memref<?xi64> {ember.name = "offsets"}, %indices: memref<?xi64>, %table: memref<?x?xf32>, %out: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bags = memref.dim %out, %c0 : memref<?x?xf32>
  %width = memref.dim %out, %c1 : memref<?x?xf32>
  dlc.program captures(%bags = %bags : index, %width = %width : index, %offsets = %offsets : memref<?xi64>, %indices = %indices : memref<?xi64>, %table = %table : memref<?x?xf32>, %out = %out : memref<?x?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %b_tu = dlc.new_tu %c0 to %bags step %c1 {ember.name = "bag"}
    %b = dlc.get_ind_var %b_tu : !slc.stream<index>
    %b1 = dlc.alu_str %b_tu, add %b, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    %beg = dlc.mem_str %b_tu, %offsets[%b] : memref<?xi64>[!slc.stream<index>] -> !slc.stream<i64>
    %end = dlc.mem_str %b_tu, %offsets[%b1] : memref<?xi64>[!slc.stream<index>] -> !slc.stream<i64>
    %lo = dlc.cast_str %b_tu, %beg : !slc.stream<i64> to !slc.stream<index>
    %hi = dlc.cast_str %b_tu, %end : !slc.stream<i64> to !slc.stream<index>
    %s_tu = dlc.new_tu %lo to %hi step %c1 in %b_tu : !slc.stream<index>, !slc.stream<index>
    %p = dlc.get_ind_var %s_tu : !slc.stream<index>
    %raw = dlc.mem_str %s_tu, %indices[%p] nontemporal : memref<?xi64>[!slc.stream<index>] -> !slc.stream<i64>
    %row = dlc.cast_str %s_tu, %raw : !slc.stream<i64> to !slc.stream<index>
    %e_tu = dlc.new_tu %c0 to %width step %c1 in %s_tu vector<4>
    %e = dlc.get_ind_var %e_tu : !slc.stream<vector<4xindex>>
    %m = dlc.get_mask %e_tu : !slc.stream<vector<4xi1>>
    %v = dlc.mem_str %e_tu, %table[%row, %e] mask %m contiguous level l2 : memref<?x?xf32>[!slc.stream<index>, !slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
    dlc.register_callback %e_tu, ite, 0
    dlc.register_operand %e_tu, ite, %b for 0 : !slc.stream<index>
    dlc.register_operand %e_tu, ite, %e[0] for 0 : !slc.stream<vector<4xindex>>
    dlc.register_operand %e_tu, ite, %v for 0 : !slc.stream<vector<4xf32>>
    dlc.register_callback %s_tu, end, 1
  }
  compute {
    dlc.compute_loop
    case 0 {
      %b = dlc.pop_operand : index
      %e = dlc.pop_operand : index
      %v = dlc.pop_operand : vector<4xf32>
      %acc = vector.load %out[%b, %e] : memref<?x?xf32>, vector<4xf32>
      %sum = arith.addf %acc, %v : vector<4xf32>
      vector.store %sum, %out[%b, %e] : memref<?x?xf32>, vector<4xf32>
    }
    case 1 {
    }
  }
  return
}

// -----

// Rows that stay in the unit: their positions in both memories. What strides are
// not known is read off the memref.

// CHECK-LABEL: func.func @gather(
// CHECK: memref.extract_strided_metadata
// CHECK: tmu.program captures({{.*}}, %[[PITCH:[^ ]*]] = %{{.*}}#0 : index, {{.*}}) compute @gather.compute.0() {
// CHECK: %[[TU:.*]], %[[I:.*]], %{{.*}} = tmu.set_dns_tu
// CHECK: %[[BLOCK:.*]] = tmu.set_cast_str %[[TU]], unsigned
// CHECK: %[[FROM:.*]] = tmu.set_alu_str %[[TU]], mul %[[BLOCK]], %c12
// CHECK: %[[TO:.*]] = tmu.set_alu_str %[[TU]], mul %[[I]], %[[PITCH]]
// CHECK: tmu.set_single_layer
// CHECK: %[[ROWS:.*]], %[[J:.*]], %{{.*}} = tmu.set_dns_tu
// CHECK: %[[FROM1:.*]] = tmu.set_fwd_str %[[ROWS]], %[[FROM]]
// CHECK: %[[J6:.*]] = tmu.set_alu_str %[[ROWS]], mul %[[J]], %c6
// CHECK: tmu.set_alu_str %[[ROWS]], add %[[FROM1]], %[[J6]]
// CHECK: %[[TO1:.*]] = tmu.set_fwd_str %[[ROWS]], %[[TO]]
// CHECK: tmu.set_alu_str %[[ROWS]], add %[[TO1]], %[[J6]]
// CHECK: tmu.set_bcast_layer
// CHECK: %[[V:.*]] = tmu.set_mem_str %[[E0:.*]], %{{.*}}[%{{.*}}] level l2 : memref<?x2x6xf32>
// CHECK: tmu.set_store_str %[[E0]], %[[V]], %{{.*}}[%{{.*}}] nontemporal : !slc.stream<f32>, memref<?x2x6xf32, strided<[?, 6, 1], offset: ?>>, !slc.stream<index>
// CHECK-COUNT-3: tmu.set_store_str
// CHECK-NEXT: tmu.set_lockstep_layer
// CHECK-NOT: tmu.set_control_token

// WIDE-LABEL: func.func @gather(
// WIDE-COUNT-2: tmu.set_store_str {{.*}} : !slc.stream<vector<2xf32>>
func.func @gather(%x: memref<?x2x6xf32>, %blocks: memref<?xi32>, %out: memref<?x2x6xf32, strided<[?, 6, 1], offset: ?>>, %n: index) {
  dlc.program captures(%n = %n : index, %x = %x : memref<?x2x6xf32>, %blocks = %blocks : memref<?xi32>, %out = %out : memref<?x2x6xf32, strided<[?, 6, 1], offset: ?>>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c6 = arith.constant 6 : index
    %i_tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %i_tu : !slc.stream<index>
    %raw = dlc.mem_str %i_tu, %blocks[%i] : memref<?xi32>[!slc.stream<index>] -> !slc.stream<i32>
    %block = dlc.cast_str %i_tu, unsigned %raw : !slc.stream<i32> to !slc.stream<index>
    %j_tu = dlc.new_tu %c0 to %c2 step %c1 in %i_tu
    %j = dlc.get_ind_var %j_tu : !slc.stream<index>
    %e_tu = dlc.new_tu %c0 to %c6 step %c1 in %j_tu vector<4>
    %e = dlc.get_ind_var %e_tu : !slc.stream<vector<4xindex>>
    %m = dlc.get_mask %e_tu : !slc.stream<vector<4xi1>>
    %v = dlc.mem_str %e_tu, %x[%block, %j, %e] mask %m contiguous level l2 : memref<?x2x6xf32>[!slc.stream<index>, !slc.stream<index>, !slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
    dlc.store_str %e_tu, %v, %out[%i, %j, %e] mask %m contiguous nontemporal : !slc.stream<vector<4xf32>>, memref<?x2x6xf32, strided<[?, 6, 1], offset: ?>>[!slc.stream<index>, !slc.stream<index>, !slc.stream<vector<4xindex>>]
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

// Where the mask does not switch lanes off, it is what is asked for: all lanes
// visit as many elements.

// CHECK-LABEL: func.func @masks(
// CHECK: arith.ceildivui %arg0
// CHECK: %[[END:.*]] = arith.select
// CHECK: tmu.program captures(%[[STOP:.*]] = %[[END]] : index, %[[N:.*]] = %arg0 : index, {{.*}})
// CHECK: %[[TU:.*]], %[[I:.*]], %{{.*}} = tmu.set_dns_tu %{{.*}} to %[[STOP]] step
// CHECK: %[[BELOW:.*]] = tmu.set_cmp_str %[[TU]], slt %[[I]], %[[N]]
// CHECK: %[[KEY:.*]] = tmu.set_mem_str %[[TU]], %{{.*}}[%[[I]]] mask %[[BELOW]]
// CHECK: %[[LESS:.*]] = tmu.set_cmp_str %[[TU]], slt %[[KEY]]
// CHECK: %[[OK:.*]] = tmu.set_alu_str %[[TU]], and %[[LESS]], %[[BELOW]]
// CHECK: tmu.set_mem_str %[[TU]], %{{.*}}[%[[I]]] mask %[[OK]] else %{{.*}} : memref<?xf32>
// CHECK: %[[LAYER:.*]] = tmu.set_lockstep_layer
// CHECK: tmu.set_control_token %[[LAYER]], ite, 0 mask %[[OK]], %{{.*}}, %{{.*}}, %{{.*}} : !slc.stream<i1>
// CHECK: tmu.set_operand %[[LAYER]], ite, ({{.*}}) for 0 : {{.*}} -> vector<4xf32>
// CHECK: tmu.set_operand %[[LAYER]], ite, (%[[OK]], {{.*}}) for 0 : {{.*}} -> vector<4xi1>
func.func @masks(%n: index, %a: memref<?xf32>, %k: memref<?xi32>, %limit: i32, %out: memref<?xf32>) {
  dlc.program captures(%n = %n : index, %a = %a : memref<?xf32>, %k = %k : memref<?xi32>, %limit = %limit : i32, %out = %out : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1.0 : f32
    %tu = dlc.new_tu %c0 to %n step %c1 vector<4>
    %i = dlc.get_ind_var %tu : !slc.stream<vector<4xindex>>
    %m = dlc.get_mask %tu : !slc.stream<vector<4xi1>>
    %key = dlc.mem_str %tu, %k[%i] mask %m contiguous : memref<?xi32>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xi32>>
    %less = dlc.cmp_str %tu, slt %key, %limit : !slc.stream<vector<4xi32>>, i32 -> !slc.stream<vector<4xi1>>
    %ok = dlc.alu_str %tu, and %less, %m : !slc.stream<vector<4xi1>>, !slc.stream<vector<4xi1>> -> !slc.stream<vector<4xi1>>
    %v = dlc.mem_str %tu, %a[%i] mask %ok else %one : memref<?xf32>[!slc.stream<vector<4xindex>>], f32 -> !slc.stream<vector<4xf32>>
    dlc.register_callback %tu, ite, 0 mask %ok : !slc.stream<vector<4xi1>>
    dlc.register_operand %tu, ite, %v for 0 : !slc.stream<vector<4xf32>>
    // expected-error @below {{pushes a vector that is not loaded, but each of 2 lanes stands for 2 elements of 4; vectors of as many as there are lanes would fit}}
    dlc.register_operand %tu, ite, %ok for 0 : !slc.stream<vector<4xi1>>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %v = dlc.pop_operand : vector<4xf32>
      %ok = dlc.pop_operand : vector<4xi1>
    }
  }
  return
}

// -----

// Segments, sums, toggles, what tokens carry, and a unit of a fixed size at a
// stream's position. A product with a power of two is a shift. Operands stand
// behind the token that announces them.

// CHECK-LABEL: func.func @toggles(
// CHECK: %[[TU:.*]], %[[S:.*]], %[[COUNT:.*]], %[[END:.*]] = tmu.set_seg_tu %{{.*}} to %{{.*}} segments(%{{.*}} : memref<?xi64>) : index, index
// CHECK: %[[LENGTH:.*]] = tmu.set_mem_str %[[TU]], %{{.*}}[%[[S]]]
// CHECK: %[[SUM:.*]] = tmu.set_acc_str %[[TU]], %[[LENGTH]] from %{{.*}} : !slc.stream<index>, index
// CHECK: tmu.set_alu_str %[[TU]], shl %[[COUNT]], %c2
// CHECK: %[[SEGMENTS:.*]] = tmu.set_single_layer %[[TU]]
// CHECK: %[[P_TU:.*]], %[[P:.*]], %{{.*}} = tmu.set_rng_tu %[[S]] to %[[END]] step %{{.*}} in %[[SEGMENTS]]
// CHECK: %[[BEGIN:.*]] = tmu.set_fwd_str %[[P_TU]], %[[SUM]]
// CHECK: %[[FAR:.*]] = tmu.set_alu_str %[[P_TU]], add %[[BEGIN]], %[[P]]
// CHECK: %[[ROW:.*]] = tmu.set_mem_str %[[P_TU]]
// CHECK: %[[POSITIONS:.*]] = tmu.set_single_layer %[[P_TU]]
// CHECK: %[[E_TU:.*]], %{{.*}}, %{{.*}} = tmu.set_idx_tu %[[FAR]] size %c4{{.*}} step %{{.*}} in %[[POSITIONS]]
// CHECK: %[[V:.*]] = tmu.set_mem_str %[[E_TU]]
// CHECK: %[[ELEMENTS:.*]] = tmu.set_single_layer %[[E_TU]]
// CHECK: tmu.set_control_token %[[POSITIONS]], ite, 0 on %[[ROW]] : !slc.stream<i64> value %[[ROW]] : !slc.stream<i64>
// CHECK: tmu.set_control_token %[[ELEMENTS]], end, 1 announced on %[[C:.*]] : !slc.stream<index>
// CHECK: tmu.set_operand %[[ELEMENTS]], ite, (%[[V]]) for 1 : (!slc.stream<f64>) -> f64
// CHECK: tmu.set_control_token %[[ELEMENTS]], end, 2 announced on same %[[C]] : !slc.stream<index>
// CHECK: tmu.set_operand %[[ELEMENTS]], beg, (%[[BEGIN]]) for 2 : (!slc.stream<index>) -> index
func.func @toggles(%n: index, %rows: memref<?xi64>, %lengths: memref<?xindex>, %a: memref<?x4xf64>) {
  dlc.program captures(%n = %n : index, %rows = %rows : memref<?xi64>, %lengths = %lengths : memref<?xindex>, %a = %a : memref<?x4xf64>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %s_tu = dlc.new_tu %c0 to %n step %c1 segments(%rows : memref<?xi64>)
    %s = dlc.get_ind_var %s_tu : !slc.stream<index>
    %s1 = dlc.get_segment_end %s_tu : !slc.stream<index>
    %count = dlc.get_iter_count %s_tu : !slc.stream<index>
    %length = dlc.mem_str %s_tu, %lengths[%s] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %begin = dlc.acc_str %s_tu, %length from %c0 : !slc.stream<index>, index
    %p_tu = dlc.new_tu %s to %s1 step %c1 in %s_tu : !slc.stream<index>, !slc.stream<index>
    %p = dlc.get_ind_var %p_tu : !slc.stream<index>
    %row = dlc.mem_str %p_tu, %rows[%p] : memref<?xi64>[!slc.stream<index>] -> !slc.stream<i64>
    %far = dlc.alu_str %p_tu, add %begin, %p : !slc.stream<index>, !slc.stream<index> -> !slc.stream<index>
    %to = dlc.alu_str %p_tu, add %far, %c4 : !slc.stream<index>, index -> !slc.stream<index>
    %e_tu = dlc.new_tu %far to %to step %c1 in %p_tu : !slc.stream<index>, !slc.stream<index>
    %e = dlc.get_ind_var %e_tu : !slc.stream<index>
    %v = dlc.mem_str %e_tu, %a[%count, %e] : memref<?x4xf64>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f64>
    dlc.register_callback %p_tu, ite, 0 on %row : !slc.stream<i64> value %row : !slc.stream<i64>
    dlc.register_callback %e_tu, end, 1 announced on %count : !slc.stream<index>
    dlc.register_operand %e_tu, ite, %v for 1 : !slc.stream<f64>
    dlc.register_operand %e_tu, beg, %begin for 2 : !slc.stream<index>
    dlc.register_callback %e_tu, end, 2 announced on same %count : !slc.stream<index>
  }
  compute {
    %c4 = arith.constant 4 : index
    dlc.compute_loop
    case 0 {
      %row = dlc.token_value : i64
    }
    case 1 {
      %r = dlc.pop_operand size %c4 : memref<?xf64>
    }
    case 2 {
      %b = dlc.pop_operand : index
    }
  }
  return
}

// -----

// A step that is known at run time is checked; packed elements are found from that
// of the first lane; lanes of fixed vectors are captured.

// CHECK-LABEL: func.func @repeated(
// CHECK: %[[HOLDS:.*]] = arith.cmpi sgt, %arg1
// CHECK: cf.assert %[[HOLDS]], "the step of a loop is not positive
// CHECK-COUNT-4: vector.extract %arg3
// CHECK: tmu.program
// CHECK: %[[ROW:.*]] = tmu.set_alu_str %{{.*}}, mul
// CHECK: %[[NEXT:.*]] = tmu.set_alu_str %{{.*}}, add %{{.*}}, %[[ROW]]
// CHECK-COUNT-2: tmu.set_fwd_str %{{.*}}, %[[ROW]]
// CHECK-COUNT-2: tmu.set_fwd_str %{{.*}}, %[[NEXT]]
// CHECK-COUNT-4: tmu.set_fwd_str %{{.*}}, %{{.*}} : i8 -> !slc.stream<i8>
func.func @repeated(%n: index, %step: index, %a: memref<?x?xi8>, %w: vector<4xi8>, %out: memref<?xi8>) {
  dlc.program captures(%n = %n : index, %step = %step : index, %a = %a : memref<?x?xi8>, %w = %w : vector<4xi8>, %out = %out : memref<?xi8>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %r_tu = dlc.new_tu %c0 to %n step %step
    %r = dlc.get_ind_var %r_tu : !slc.stream<index>
    %e_tu = dlc.new_tu %c0 to %n step %c1 in %r_tu vector<4>
    %e = dlc.get_ind_var %e_tu : !slc.stream<vector<4xindex>>
    %m = dlc.get_mask %e_tu : !slc.stream<vector<4xi1>>
    %half = dlc.alu_str %e_tu, divu %e, %c2 : !slc.stream<vector<4xindex>>, index -> !slc.stream<vector<4xindex>>
    %v = dlc.mem_str %e_tu, %a[%r, %half] mask %m contiguous repeat 2 : memref<?x?xi8>[!slc.stream<index>, !slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xi8>>
    %fixed = dlc.fwd_str %e_tu, %w : vector<4xi8> -> !slc.stream<vector<4xi8>>
    dlc.register_callback %e_tu, ite, 0
    dlc.register_operand %e_tu, ite, %v for 0 : !slc.stream<vector<4xi8>>
    // expected-error @below {{pushes a vector that is not loaded}}
    dlc.register_operand %e_tu, ite, %fixed for 0 : !slc.stream<vector<4xi8>>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %v = dlc.pop_operand : vector<4xi8>
      %f = dlc.pop_operand : vector<4xi8>
    }
  }
  return
}

// -----

// Bounds that only streams know are rounded up by streams of the layer around.

// CHECK-LABEL: func.func @bounds(
// CHECK: %[[OUT:.*]], %{{.*}}, %{{.*}} = tmu.set_dns_tu
// CHECK: %[[LENGTH:.*]] = tmu.set_alu_str %[[OUT]], sub %{{.*}}, %[[BEGIN:.*]] : !slc.stream<index>
// CHECK: %[[SIGNED:.*]] = tmu.set_alu_str %[[OUT]], maxs %[[LENGTH]], %{{.*}}
// CHECK: %[[MORE:.*]] = tmu.set_alu_str %[[OUT]], add %[[SIGNED]], %c3
// CHECK: %[[ROUND:.*]] = tmu.set_alu_str %[[OUT]], and %[[MORE]], %c-4
// CHECK: %[[END:.*]] = tmu.set_alu_str %[[OUT]], add %[[ROUND]], %[[BEGIN]]
// CHECK-COUNT-4: tmu.set_rng_tu %{{.*}} to %[[END]] step
func.func @bounds(%n: index, %offsets: memref<?xindex>) {
  dlc.program captures(%n = %n : index, %offsets = %offsets : memref<?xindex>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    %begin = dlc.mem_str %tu, %offsets[%i] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %in = dlc.new_tu %begin to %i step %c1 in %tu vector<4> : !slc.stream<index>, !slc.stream<index>
    %e = dlc.get_ind_var %in : !slc.stream<vector<4xindex>>
    dlc.register_callback %in, ite, 0
    // expected-error @below {{pushes a vector that is not loaded}}
    dlc.register_operand %in, ite, %e for 0 : !slc.stream<vector<4xindex>>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %e = dlc.pop_operand : vector<4xindex>
    }
  }
  return
}

// -----

// A lane whose first element would be no number any more has none.

// CHECK-LABEL: func.func @wraps(
// CHECK: %[[FIRST:.*]] = arith.addi %arg0, %{{.*}}
// CHECK: %[[WRAPS:.*]] = arith.cmpi slt, %[[FIRST]], %arg0
// CHECK: arith.select %[[WRAPS]], %arg1, %[[FIRST]]
func.func @wraps(%first: index, %n: index, %a: memref<?xi8>) {
  dlc.program captures(%first = %first : index, %n = %n : index, %a = %a : memref<?xi8>)
  access {
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %first to %n step %c1 vector<2>
    %i = dlc.get_ind_var %tu : !slc.stream<vector<2xindex>>
    %m = dlc.get_mask %tu : !slc.stream<vector<2xi1>>
    %v = dlc.mem_str %tu, %a[%i] mask %m contiguous : memref<?xi8>[!slc.stream<vector<2xindex>>] -> !slc.stream<vector<2xi8>>
    dlc.register_callback %tu, ite, 0
    dlc.register_operand %tu, ite, %v for 0 : !slc.stream<vector<2xi8>>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %v = dlc.pop_operand : vector<2xi8>
    }
  }
  return
}

// -----

// A value that does not fit in its token is pushed right behind it, and popped
// before the operands, also where the program registers these first.

// CHECK-LABEL: func.func @value_after_operands(
// CHECK: %[[LAYER:.*]] = tmu.set_single_layer
// CHECK-NEXT: tmu.set_control_token %[[LAYER]], ite, 0 value %[[VALUE:.*]] : !slc.stream<f64>
// CHECK-NEXT: tmu.set_operand %[[LAYER]], ite, (%{{.*}}) for 0 : (!slc.stream<f32>) -> f32
// CHECK: ring.token_follows
// CHECK: ring.wait {{.*}} -> !ring.slot<f64>
// CHECK: ring.wait {{.*}} -> !ring.slot<f32>
func.func @value_after_operands(%weights: memref<?xf32>, %values: memref<?xf64>, %scaled: memref<?xf32>, %out: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %values, %c0 : memref<?xf64>
  dlc.program captures(%n = %n : index, %weights = %weights : memref<?xf32>, %values = %values : memref<?xf64>, %scaled = %scaled : memref<?xf32>, %out = %out : memref<?xf64>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    %w = dlc.mem_str %tu, %weights[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    %v = dlc.mem_str %tu, %values[%i] : memref<?xf64>[!slc.stream<index>] -> !slc.stream<f64>
    dlc.register_operand %tu, ite, %w for 0 : !slc.stream<f32>
    dlc.register_callback %tu, ite, 0 value %v : !slc.stream<f64>
  }
  compute {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %end = dlc.compute_loop iter_args(%c0) -> (index)
    case 0 {
    ^bb0(%i: index):
      %v = dlc.token_value : f64
      %w = dlc.pop_operand : f32
      memref.store %w, %scaled[%i] : memref<?xf32>
      memref.store %v, %out[%i] : memref<?xf64>
      %next = arith.addi %i, %c1 : index
      dlc.yield %next : index
    }
  }
  return
}
