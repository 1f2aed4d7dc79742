// What a simulator loads.

// RUN: emberc %s --emit=tmu-config -o - | FileCheck %s
// RUN: emberc %s --emit=tmu-config -o - | python3 -c "import json, sys; print(len(json.load(sys.stdin)['programs']))" | FileCheck %s --check-prefix=COUNT
// RUN: not emberc %s --emit=llvm -o - 2>&1 | FileCheck %s --check-prefix=NATIVE

// COUNT: 2
// NATIVE: error: 'tmu.program' op needs a Tensor Marshaling Unit, which no processor that code is made for has; --emit=tmu-config is what a simulator loads

func.func private @rows.compute.0(%data: !ring.data<8>, %tokens: !ring.tokens<2>) attributes {ring.half = #ring.half<compute>} {
  return
}

// CHECK:      "programs": [
// CHECK-NEXT:   {
// CHECK-NEXT:     "captures": [
// CHECK-NEXT:       {
// CHECK-NEXT:         "kind": "memory",
// CHECK-NEXT:         "name": "keys",
// CHECK-NEXT:         "type": "i32"
// CHECK-NEXT:       },
// CHECK:              "kind": "scalar",
// CHECK-NEXT:         "type": "index"
// CHECK:          "chunk": {
// CHECK-NEXT:       "bytes": 2048,
// CHECK-NEXT:       "tokenBytes": 512
// CHECK:          "compute": "rows.compute.0",
// CHECK-NEXT:     "idBits": 2,
// CHECK-NEXT:     "layers": [
// CHECK:            "kind": "single",
// CHECK-NEXT:       "name": "rows",
// CHECK-NEXT:       "pushes": {
// CHECK-NEXT:         "beg": [],
// CHECK-NEXT:         "end": [],
// CHECK-NEXT:         "ite": [
// CHECK-NEXT:           {
// CHECK-NEXT:             "follows": true,
// CHECK-NEXT:             "mask": [
// CHECK-NEXT:               {
// CHECK-NEXT:                 "lane": 0,
// CHECK-NEXT:                 "layer": 0,
// CHECK-NEXT:                 "stream": 5
// CHECK-NEXT:               }
// CHECK-NEXT:             ],
// CHECK-NEXT:             "token": 0,
// CHECK-NEXT:             "value": {
// CHECK-NEXT:               "lane": 0,
// CHECK-NEXT:               "layer": 0,
// CHECK-NEXT:               "stream": 0
// CHECK-NEXT:             },
// CHECK-NEXT:             "valueType": "index"
// The unit of segments, whose steps nothing counts.
// CHECK:            "units": [
// CHECK-NEXT:         {
// CHECK-NEXT:           "coordinates": 0,
// CHECK-NEXT:           "kind": "segment",
// CHECK-NEXT:           "lower": {
// CHECK-NEXT:             "constant": 0
// CHECK-NEXT:           },
// CHECK-NEXT:           "queue": 3,
// CHECK-NEXT:           "streams": [
// CHECK-NEXT:             {
// CHECK-NEXT:               "kind": "position"
// CHECK-NEXT:             },
// CHECK-NEXT:             {
// CHECK-NEXT:               "kind": "segmentEnd"
// CHECK-NEXT:             },
// CHECK-NEXT:             {
// CHECK-NEXT:               "capture": 0,
// CHECK-NEXT:               "elements": 1,
// CHECK-NEXT:               "kind": "memory",
// CHECK-NEXT:               "nontemporal": true,
// CHECK-NEXT:               "position": {
// CHECK-NEXT:                 "lane": 0,
// CHECK-NEXT:                 "layer": 0,
// CHECK-NEXT:                 "stream": 0
// CHECK-NEXT:               },
// CHECK-NEXT:               "type": "i32"
// CHECK-NEXT:             },
// CHECK-NEXT:             {
// CHECK-NEXT:               "from": "i32",
// CHECK:                    "kind": "cast",
// CHECK-NEXT:               "op": "zero-extend",
// CHECK-NEXT:               "to": "index"
// CHECK:                    "initial": {
// CHECK-NEXT:                 "constant": 0
// CHECK:                    "kind": "accumulate",
// CHECK-NEXT:               "type": "index"
// CHECK:                    "kind": "compare",
// CHECK-NEXT:               "predicate": "sgt",
// CHECK-NEXT:               "type": "i32"
// CHECK:                "upper": {
// CHECK-NEXT:             "capture": 1
// The elements of a row, two a lane.
// CHECK:            "kind": "single",
// CHECK-NEXT:       "pushes": {
// CHECK-NEXT:         "beg": [
// CHECK-NEXT:           {
// CHECK-NEXT:             "on": {
// CHECK-NEXT:               "lane": 0,
// CHECK-NEXT:               "layer": 0,
// CHECK-NEXT:               "stream": 3
// CHECK-NEXT:             },
// CHECK-NEXT:             "reserve": 40,
// CHECK-NEXT:             "same": true,
// CHECK-NEXT:             "token": 1
// CHECK:              "end": [],
// CHECK-NEXT:         "ite": [
// CHECK-NEXT:           {
// CHECK-NEXT:             "bytes": 8,
// CHECK-NEXT:             "elements": 2,
// CHECK-NEXT:             "on": {
// CHECK:                  "operand": 1,
// CHECK-NEXT:             "same": true,
// CHECK-NEXT:             "streams": [
// CHECK-NEXT:               {
// CHECK-NEXT:                 "lane": 0,
// CHECK-NEXT:                 "layer": 1,
// CHECK-NEXT:                 "stream": 4
// CHECK:                  "type": "f32"
// CHECK:                "kind": "range",
// CHECK:                "step": {
// CHECK-NEXT:             "constant": 2
// CHECK:                    "kind": "forward",
// CHECK:                    "capture": 2,
// CHECK-NEXT:               "elements": 1,
// CHECK-NEXT:               "kind": "memory",
// CHECK-NEXT:               "level": "l2",
// CHECK-NEXT:               "mask": {
// CHECK:                    "otherwise": {
// CHECK-NEXT:                 "constant": 1065353216
// CHECK:                    "elements": 2,
// CHECK-NEXT:               "kind": "memory",
// CHECK:                    "whenPushed": true
// CHECK:                    "kind": "alu",
// CHECK-NEXT:               "op": "add",
// CHECK:                    "kind": "store",
// CHECK:                    "value": {
// CHECK:          "name": "rows.0"
func.func @rows(%keys: memref<?xi32> {ember.name = "keys"}, %in: memref<?xf32>, %out: memref<?xf32>, %n: index) {
  tmu.program captures(%k = %keys : memref<?xi32>, %m = %n : index, %i = %in : memref<?xf32>, %o = %out : memref<?xf32>)
      compute @rows.compute.0() machine <lanes = 8, layers = 4, streams = 16, storage = 1024, requests = 256, chunk = 2048, tokens = 512> {
    %c0 = arith.constant 0 : index
    %c0_i32 = arith.constant 0 : i32
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %seg, %p, %count, %end = tmu.set_seg_tu %c0 to %m segments(%k : memref<?xi32>) : index, index queue 3
    %key = tmu.set_mem_str %seg, %k[%p] nontemporal : memref<?xi32>, !slc.stream<index> -> !slc.stream<i32>
    %row = tmu.set_cast_str %seg, unsigned %key : !slc.stream<i32> to !slc.stream<index>
    %sum = tmu.set_acc_str %seg, %row from %c0 : !slc.stream<index>, index
    %ok = tmu.set_cmp_str %seg, sgt %key, %c0_i32 : !slc.stream<i32>, i32 -> !slc.stream<i1>
    %segments = tmu.set_single_layer %seg number 0 {ember.name = "rows"}
    %tu, %e, %l = tmu.set_rng_tu %p to %end step %c2 in %segments queue 12
    %base = tmu.set_fwd_str %tu, %sum : !slc.stream<index> -> !slc.stream<index>
    %on = tmu.set_fwd_str %tu, %ok : !slc.stream<i1> -> !slc.stream<i1>
    %v = tmu.set_mem_str %tu, %i[%e] mask %on else %one level l2 : memref<?xf32>, !slc.stream<index>, f32 -> !slc.stream<f32>
    %w = tmu.set_mem_str %tu, %i[%e] : memref<?xf32>, !slc.stream<index> -> !slc.stream<vector<2xf32>>
    %far = tmu.set_alu_str %tu, add %base, %e : !slc.stream<index>, !slc.stream<index> -> !slc.stream<index>
    tmu.set_store_str %tu, %v, %o[%far] : !slc.stream<f32>, memref<?xf32>, !slc.stream<index>
    %elements = tmu.set_single_layer %tu number 1
    tmu.set_control_token %segments, ite, 0 mask %ok : !slc.stream<i1> value %p : !slc.stream<index>
    tmu.set_control_token %elements, end, 1 announced reserve 40 on same %row : !slc.stream<index>
    tmu.set_operand %elements, ite, (%w) for 1 : (!slc.stream<vector<2xf32>>) -> vector<2xf32>
  }
  return
}

func.func private @none.compute.0(%data: !ring.data<8>, %tokens: !ring.tokens) attributes {ring.half = #ring.half<compute>} {
  return
}

// CHECK: "name": "none.0"
func.func @none() {
  tmu.program compute @none.compute.0() machine <lanes = 8, layers = 4, streams = 16, storage = 1024, requests = 256, chunk = 2048, tokens = 512> {
  }
  return
}
