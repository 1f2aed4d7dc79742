// RUN: ember-opt %s --ring-to-tmu --split-input-file | FileCheck %s

// The compute half reads from chunks: tokens from their begin, operands behind
// them. Token 0 has a reserve, so its operand never crosses the end.

// CHECK-LABEL: func.func private @rows.compute.0(
// CHECK-SAME:    %[[OUT:[a-z0-9]+]]: memref<?xf32>, %[[UNIT:[a-z0-9]+]]: !llvm.ptr)
// CHECK:         %[[AT:.*]] = llvm.getelementptr %[[UNIT]][8]
// CHECK:         %[[CHUNK:.*]] = llvm.load volatile %[[AT]]
// CHECK:         llvm.getelementptr %[[CHUNK]][512]
// CHECK:         llvm.getelementptr %[[CHUNK]][2048]
// CHECK:         scf.while
// CHECK:           %[[BACK:.*]] = llvm.getelementptr %[[UNIT]][16]
// CHECK:           llvm.store volatile %{{.*}}, %[[BACK]]
// CHECK-NOT:     ring.
// CHECK:         case 0 {
// CHECK-NOT:       scf.if
// CHECK:           %[[SLOT:.*]] = llvm.inttoptr
// CHECK:           llvm.load %[[SLOT]] {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK:           llvm.getelementptr %[[SLOT]][4]
// CHECK:         case 1 {
// CHECK:           scf.if
// CHECK:             llvm.load volatile
func.func private @rows.compute.0(%out: memref<?xf32>, %data: !ring.data<8>, %tokens: !ring.tokens<2>)
    attributes {ring.half = #ring.half<compute>} {
  %c0 = arith.constant 0 : index
  scf.while : () -> (i64) {
    %token, %more = ring.pop %tokens : !ring.tokens<2>
    scf.condition(%more) %token : i64
  } do {
  ^bb0(%token: i64):
    %id = ring.token_id %token in %tokens : !ring.tokens<2>
    %case = arith.index_cast %id : i64 to index
    scf.index_switch %case
    case 0 {
      %slot = ring.wait %data for 0 : !ring.data<8> -> !ring.slot<f32>
      %v = ring.load %slot : !ring.slot<f32>
      ring.release %slot : !ring.slot<f32>
      memref.store %v, %out[%c0] : memref<?xf32>
      scf.yield
    }
    case 1 {
      %slot = ring.wait %data for 1 : !ring.data<8> -> !ring.slot<f32>
      %v = ring.load %slot : !ring.slot<f32>
      ring.release %slot : !ring.slot<f32>
      memref.store %v, %out[%c0] : memref<?xf32>
      scf.yield
    }
    default {
    }
    scf.yield
  }
  return
}

// CHECK-LABEL: func.func @rows(
// CHECK:         %[[BLOCK:.*]] = llvm.alloca
// CHECK:         %[[UNIT:.*]] = llvm.call @ember_access_unit()
// CHECK:         memref.extract_strided_metadata
// CHECK:         memref.extract_aligned_pointer_as_index
// CHECK:         llvm.getelementptr %[[BLOCK]][16]
// CHECK:         %[[LAUNCH:.*]] = llvm.getelementptr %[[UNIT]][0]
// CHECK:         llvm.store volatile %{{.*}}, %[[LAUNCH]]
// CHECK:         call @rows.compute.0(%{{.*}}, %[[UNIT]])
// CHECK:         %[[DONE:.*]] = llvm.getelementptr %[[UNIT]][24]
// CHECK:         llvm.load volatile %[[DONE]]
func.func @rows(%in: memref<?xf32>, %out: memref<?xf32>, %n: index) {
  tmu.program captures(%i = %in : memref<?xf32>, %m = %n : index) compute @rows.compute.0(%out : memref<?xf32>)
      machine <lanes = 1, layers = 1, streams = 8, storage = 1024, requests = 16, chunk = 2048, tokens = 512> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu, %p, %count = tmu.set_dns_tu %c0 to %m step %c1 queue 4
    %v = tmu.set_mem_str %tu, %i[%p] : memref<?xf32>, !slc.stream<index> -> !slc.stream<f32>
    %layer = tmu.set_single_layer %tu number 0
    tmu.set_control_token %layer, ite, 0 reserve 8
    tmu.set_operand %layer, ite, (%v) for 0 : (!slc.stream<f32>) -> f32
    tmu.set_control_token %layer, ite, 1
    tmu.set_operand %layer, ite, (%v) for 1 : (!slc.stream<f32>) -> f32
  }
  return
}
