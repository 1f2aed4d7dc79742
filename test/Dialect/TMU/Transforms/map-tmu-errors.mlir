// What does not fit is one error, which says how much there is.

// RUN: ember-opt %s --map-tmu="lanes=2 layers=2 streams=3 storage=64 chunk=128 tokens=64 computed-queues" --split-input-file --verify-diagnostics
// RUN: not ember-opt %s --map-tmu="fiber=0" --split-input-file 2>&1 | FileCheck %s --check-prefix=FIBER
// RUN: not ember-opt %s --map-tmu="storage=0" --split-input-file 2>&1 | FileCheck %s --check-prefix=STORAGE
// FIBER: error: map-tmu: a fiber is taken to have at least one element, not 0
// STORAGE: error: map-tmu: a unit needs storage of at least 8, not 0

func.func private @c(!ring.data<8>, !ring.tokens)

func.func @layers(%n: index) {
  // expected-error @below {{needs 3 layers, but the machine has 2; decouple fewer loops of the nest}}
  tmu.program captures(%m = %n : index) compute @c() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a, %ap, %ak = tmu.set_dns_tu %c0 to %m step %c1
    %al = tmu.set_single_layer %a
    %b, %bp, %bk = tmu.set_dns_tu %c0 to %m step %c1 in %al
    %bl = tmu.set_single_layer %b
    %d, %dp, %dk = tmu.set_dns_tu %c0 to %m step %c1 in %bl
    %dl = tmu.set_single_layer %d
  }
  return
}

// -----

func.func private @c(!ring.data<8>, !ring.tokens)

func.func @lanes(%n: index) {
  tmu.program captures(%m = %n : index) compute @c() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a, %ap, %ak = tmu.set_dns_tu %c0 to %m step %c1
    %b, %bp, %bk = tmu.set_dns_tu %c0 to %m step %c1
    %d, %dp, %dk = tmu.set_dns_tu %c0 to %m step %c1
    // expected-error @below {{needs 3 lanes, but the machine has 2; --dlc-to-tmu=lanes=2 spreads vectors over those}}
    %l = tmu.set_lockstep_layer %a, %b, %d
  }
  return
}

// -----

func.func private @c(!ring.data<8>, !ring.tokens)

func.func @streams(%n: index, %in: memref<?xf32>) {
  tmu.program captures(%m = %n : index, %i = %in : memref<?xf32>) compute @c() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @below {{needs 4 streams, but a unit of the machine has 3}}
    %a, %ap, %ak = tmu.set_dns_tu %c0 to %m step %c1
    %b = tmu.set_alu_str %a, add %ap, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    %v = tmu.set_mem_str %a, %i[%b] : memref<?xf32>, !slc.stream<index> -> !slc.stream<f32>
    %w = tmu.set_mem_str %a, %i[%ap] : memref<?xf32>, !slc.stream<index> -> !slc.stream<f32>
    %l = tmu.set_single_layer %a
    tmu.set_control_token %l, ite, 0
    tmu.set_operand %l, ite, (%v) for 0 : (!slc.stream<f32>) -> f32
    tmu.set_operand %l, ite, (%w) for 0 : (!slc.stream<f32>) -> f32
  }
  return
}

// -----

func.func private @c(!ring.data<8>, !ring.tokens)

func.func @storage(%n: index, %in: memref<?xf64>) {
  // expected-error @below {{needs 80 bytes a lane for queues of 2 elements, but the machine has 64; decouple fewer loops of the nest, or look up less at a time}}
  tmu.program captures(%m = %n : index, %i = %in : memref<?xf64>) compute @c() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a, %ap, %ak = tmu.set_dns_tu %c0 to %m step %c1
    %v = tmu.set_mem_str %a, %i[%ap] : memref<?xf64>, !slc.stream<index> -> !slc.stream<f64>
    %al = tmu.set_single_layer %a
    %b, %bp, %bk = tmu.set_dns_tu %c0 to %m step %c1 in %al
    %f = tmu.set_fwd_str %b, %v : !slc.stream<f64> -> !slc.stream<f64>
    %w = tmu.set_mem_str %b, %i[%bp] : memref<?xf64>, !slc.stream<index> -> !slc.stream<f64>
    %bl = tmu.set_single_layer %b
    tmu.set_control_token %bl, ite, 0
    tmu.set_operand %bl, ite, (%f) for 0 : (!slc.stream<f64>) -> f64
    tmu.set_operand %bl, ite, (%w) for 0 : (!slc.stream<f64>) -> f64
  }
  return
}

// -----

func.func private @c(!ring.data<8>, !ring.tokens)

func.func @chunk(%n: index) {
  tmu.program captures(%m = %n : index) compute @c() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a, %ap, %ak = tmu.set_dns_tu %c0 to %m step %c1
    %l = tmu.set_single_layer %a
    // expected-error @below {{has operands of 71 bytes, but a chunk of the output queue has 64 for them}}
    tmu.set_control_token %l, ite, 0
    tmu.set_operand %l, ite, (%ap) for 0 : (!slc.stream<index>) -> index
    tmu.set_operand %l, ite, (%ap) for 0 : (!slc.stream<index>) -> index
    tmu.set_operand %l, ite, (%ap) for 0 : (!slc.stream<index>) -> index
    tmu.set_operand %l, ite, (%ap) for 0 : (!slc.stream<index>) -> index
    tmu.set_operand %l, ite, (%ap) for 0 : (!slc.stream<index>) -> index
    tmu.set_operand %l, ite, (%ap) for 0 : (!slc.stream<index>) -> index
    tmu.set_operand %l, ite, (%ap) for 0 : (!slc.stream<index>) -> index
    tmu.set_operand %l, ite, (%ap) for 0 : (!slc.stream<index>) -> index
  }
  return
}
