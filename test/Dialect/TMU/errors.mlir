// RUN: ember-opt %s --split-input-file --verify-diagnostics

func.func private @c(!ring.data<8>, !ring.tokens)

func.func @step(%n: index) {
  tmu.program captures(%m = %n : index) compute @c() {
    %c0 = arith.constant 0 : index
    // expected-error @below {{step must be positive, but is 0}}
    %tu, %p, %k = tmu.set_dns_tu %c0 to %m step %c0
    %layer = tmu.set_single_layer %tu
  }
  return
}

// -----

func.func private @c(!ring.data<8>, !ring.tokens)

func.func @no_layer(%n: index) {
  tmu.program captures(%m = %n : index) compute @c() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @below {{stands in no layer}}
    %tu, %p, %k = tmu.set_dns_tu %c0 to %m step %c1
  }
  return
}

// -----

func.func private @c(!ring.data<8>, !ring.tokens)

func.func @two_chains(%n: index) {
  tmu.program captures(%m = %n : index) compute @c() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a, %p, %k = tmu.set_dns_tu %c0 to %m step %c1
    %outer = tmu.set_single_layer %a
    // expected-note @below {{the unit}}
    %b, %q, %l = tmu.set_dns_tu %c0 to %m step %c1
    // expected-error @below {{has a unit that walks no fibers of the layer before it}}
    %inner = tmu.set_single_layer %b
  }
  return
}

// -----

func.func private @c(!ring.data<8>, !ring.tokens)

func.func @lanes(%n: index) {
  tmu.program captures(%m = %n : index) compute @c() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a, %p, %k = tmu.set_dns_tu %c0 to %m step %c1
    %outer = tmu.set_single_layer %a
    %b, %q, %l = tmu.set_dns_tu %c0 to %m step %c1 in %outer
    %d, %r, %o = tmu.set_dns_tu %c0 to %m step %c1 in %outer
    // expected-error @below {{has 2 lanes, but the layer around it has 1 and broadcasts nothing}}
    %inner = tmu.set_lockstep_layer %b, %d
  }
  return
}

// -----

func.func private @c(!ring.data<8>, !ring.tokens)

func.func @not_forwarded(%n: index, %in: memref<?xf32>) {
  tmu.program captures(%m = %n : index, %i = %in : memref<?xf32>) compute @c() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-note @below {{the stream}}
    %a, %p, %k = tmu.set_dns_tu %c0 to %m step %c1
    %outer = tmu.set_single_layer %a
    %b, %q, %l = tmu.set_dns_tu %c0 to %m step %c1 in %outer
    // expected-error @below {{reads a stream of another unit, which 'tmu.set_fwd_str' has to forward}}
    %v = tmu.set_mem_str %b, %i[%p] : memref<?xf32>, !slc.stream<index> -> !slc.stream<f32>
    %inner = tmu.set_single_layer %b
  }
  return
}

// -----

func.func private @c(!ring.data<8>, !ring.tokens)

func.func @other_lane(%n: index) {
  tmu.program captures(%m = %n : index) compute @c() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a, %p, %k = tmu.set_dns_tu %c0 to %m step %c1
    // expected-note @below {{the stream}}
    %b, %q, %l = tmu.set_dns_tu %c0 to %m step %c1
    %outer = tmu.set_lockstep_layer %a, %b
    // expected-error @below {{reads a stream that is not of its lane in the layer around}}
    %d, %r, %o = tmu.set_idx_tu %q size %m step %c1 in %outer
    %e, %s, %u = tmu.set_idx_tu %q size %m step %c1 in %outer
    %inner = tmu.set_lockstep_layer %d, %e
  }
  return
}

// -----

func.func private @c(!ring.data<8>, !ring.tokens)

func.func @event(%n: index) {
  tmu.program captures(%m = %n : index) compute @c() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-note @below {{the stream}}
    %a, %p, %k = tmu.set_dns_tu %c0 to %m step %c1
    %layer = tmu.set_single_layer %a
    tmu.set_control_token %layer, end, 0
    // expected-error @below {{at event 'end' reads a stream that is not of the layer around}}
    tmu.set_operand %layer, end, (%p) for 0 : (!slc.stream<index>) -> index
  }
  return
}

// -----

func.func private @c(!ring.data<8>, !ring.tokens)

func.func @operand(%n: index) {
  tmu.program captures(%m = %n : index) compute @c() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a, %p, %k = tmu.set_dns_tu %c0 to %m step %c1
    %layer = tmu.set_single_layer %a
    // expected-error @below {{makes a 'vector<3xindex>' of 2 elements of 'index'}}
    tmu.set_operand %layer, ite, (%p, %k) for 0 : (!slc.stream<index>, !slc.stream<index>) -> vector<3xindex>
  }
  return
}

// -----

func.func private @c(!ring.data<8>, !ring.tokens)

func.func @announced(%n: index) {
  tmu.program captures(%m = %n : index) compute @c() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a, %p, %k = tmu.set_dns_tu %c0 to %m step %c1
    %layer = tmu.set_single_layer %a
    // expected-error @below {{is announced, which the end of a fiber can be and not event 'ite'}}
    tmu.set_control_token %layer, ite, 0 announced
  }
  return
}

// -----

func.func private @c(!ring.data<8>, !ring.tokens)

func.func @element(%n: index, %in: memref<?xf32>) {
  tmu.program captures(%m = %n : index, %i = %in : memref<?xf32>) compute @c() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a, %p, %k = tmu.set_dns_tu %c0 to %m step %c1
    // expected-error @below {{moves elements of 'f32', but its stream holds 'f64'}}
    %v = tmu.set_mem_str %a, %i[%p] : memref<?xf32>, !slc.stream<index> -> !slc.stream<f64>
    %layer = tmu.set_single_layer %a
  }
  return
}

// -----

func.func private @c(index, !ring.data<8>, !ring.tokens)

func.func @arguments() {
  // expected-error @below {{calls @c with () and the rings -> (), but it takes ('index', '!ring.data<8>', '!ring.tokens') -> ()}}
  tmu.program compute @c() {
  }
  return
}

// -----

func.func private @c(index)

func.func @no_rings(%n: index) {
  // expected-error @below {{runs @c, whose last arguments are no rings of operands and of tokens}}
  tmu.program compute @c(%n : index) {
  }
  return
}

// -----

func.func private @c(!ring.data<8>, !ring.tokens)

func.func @stranger(%n: index) {
  tmu.program captures(%m = %n : index) compute @c() {
    // expected-error @below {{cannot stand in a configuration, which holds units, streams, layers, what is pushed, and constants}}
    %0 = arith.addi %m, %m : index
  }
  return
}

// -----

func.func private @c(!ring.data<8>, !ring.tokens)

func.func @f(%n: index, %in: memref<?xf32>) {
  tmu.program captures(%m = %n : index, %i = %in : memref<?xf32>) compute @c() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @below {{has queues of no elements}}
    %a, %p, %k = tmu.set_dns_tu %c0 to %m step %c1 queue 0
    %layer = tmu.set_single_layer %a
  }
  return
}

// -----

func.func private @c(!ring.data<8>, !ring.tokens)

func.func @f(%n: index, %in: memref<?xf32>) {
  tmu.program captures(%m = %n : index, %i = %in : memref<?xf32>) compute @c() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a, %p, %k = tmu.set_dns_tu %c0 to %m step %c1
    // expected-error @below {{moves 16 bytes at once, but a lane moves at most 8}}
    %v = tmu.set_mem_str %a, %i[%p] : memref<?xf32>, !slc.stream<index> -> !slc.stream<vector<4xf32>>
    %layer = tmu.set_single_layer %a
  }
  return
}

// -----

func.func private @c(!ring.data<8>, !ring.tokens)

func.func @f(%n: index, %in: memref<?xf32>) {
  tmu.program captures(%m = %n : index, %i = %in : memref<?xf32>) compute @c() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a, %p, %k = tmu.set_dns_tu %c0 to %m step %c1
    %layer = tmu.set_single_layer %a
    // expected-error @below {{reserves a negative number of bytes}}
    tmu.set_control_token %layer, ite, 0 reserve -8
  }
  return
}

// -----

func.func private @c(!ring.data<8>, !ring.tokens)

func.func @f(%n: index, %in: memref<?xf32>) {
  tmu.program captures(%m = %n : index, %i = %in : memref<?xf32>) compute @c() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a, %p, %k = tmu.set_dns_tu %c0 to %m step %c1
    %layer = tmu.set_single_layer %a
    // expected-error @below {{pushes 128 bytes at once; an operand has 1 to 64}}
    tmu.set_operand %layer, ite, (%p, %p, %p, %p, %p, %p, %p, %p, %p) for 0 : (!slc.stream<index>, !slc.stream<index>, !slc.stream<index>, !slc.stream<index>, !slc.stream<index>, !slc.stream<index>, !slc.stream<index>, !slc.stream<index>, !slc.stream<index>) -> vector<9xindex>
  }
  return
}

// -----

// expected-error @below {{a unit needs lanes of at least 1, not 0}}
#m = #tmu.machine<lanes = 0, layers = 4, streams = 16, storage = 1024, requests = 256, chunk = 2048, tokens = 512>

// -----

// expected-error @below {{a chunk of 512 bytes, 512 of them for tokens, is no whole number of lines of 64 bytes for each}}
#m = #tmu.machine<lanes = 8, layers = 4, streams = 16, storage = 1024, requests = 256, chunk = 512, tokens = 512>

// -----

func.func private @c(!ring.data<8>, !ring.tokens)

func.func @mapped(%n: index) {
  tmu.program captures(%m = %n : index) compute @c() machine <lanes = 2, layers = 1, streams = 1, storage = 16, requests = 1, chunk = 128, tokens = 64> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @below {{has no queues, but its program is mapped to a machine}}
    %a, %p, %k = tmu.set_dns_tu %c0 to %m step %c1
    %layer = tmu.set_single_layer %a number 0
  }
  return
}

// -----

func.func private @c(!ring.data<8>, !ring.tokens)

func.func @mapped(%n: index) {
  tmu.program captures(%m = %n : index) compute @c() machine <lanes = 2, layers = 1, streams = 1, storage = 16, requests = 1, chunk = 128, tokens = 64> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a, %p, %k = tmu.set_dns_tu %c0 to %m step %c1 queue 2
    // expected-error @below {{is layer 0 of its program}}
    %layer = tmu.set_single_layer %a number 1
  }
  return
}

// -----

func.func private @c(!ring.data<8>, !ring.tokens)

func.func @mapped(%n: index) {
  tmu.program captures(%m = %n : index) compute @c() machine <lanes = 1, layers = 1, streams = 1, storage = 16, requests = 1, chunk = 128, tokens = 64> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a, %p, %k = tmu.set_dns_tu %c0 to %m step %c1 queue 2
    %b, %q, %l = tmu.set_dns_tu %c0 to %m step %c1 queue 2
    // expected-error @below {{has 2 lanes, but its machine 1}}
    %layer = tmu.set_lockstep_layer %a, %b number 0
  }
  return
}

// -----

func.func private @c(!ring.data<8>, !ring.tokens)

func.func @mapped(%n: index) {
  // expected-error @below {{has queues of 16 bytes in lane 0, which has 8}}
  tmu.program captures(%m = %n : index) compute @c() machine <lanes = 2, layers = 1, streams = 1, storage = 8, requests = 1, chunk = 128, tokens = 64, computed_queues = true> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a, %p, %k = tmu.set_dns_tu %c0 to %m step %c1 queue 2
    %layer = tmu.set_single_layer %a number 0
  }
  return
}

// -----

func.func private @c(!ring.data<8>, !ring.tokens)

func.func @mapped(%n: index) {
  tmu.program captures(%m = %n : index) compute @c() machine <lanes = 2, layers = 1, streams = 1, storage = 16, requests = 1, chunk = 128, tokens = 64> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @below {{has 2 streams, but a unit of the machine 1}}
    %a, %p, %k = tmu.set_dns_tu %c0 to %m step %c1 queue 2
    %b = tmu.set_alu_str %a, add %p, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    %layer = tmu.set_single_layer %a number 0
  }
  return
}

// -----

func.func private @c(!ring.data<8>, !ring.tokens)

func.func @mapped(%n: index) {
  // expected-error @below {{has 2 layers, but its machine 1}}
  tmu.program captures(%m = %n : index) compute @c() machine <lanes = 2, layers = 1, streams = 1, storage = 16, requests = 1, chunk = 128, tokens = 64> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a, %p, %k = tmu.set_dns_tu %c0 to %m step %c1 queue 2
    %layer = tmu.set_single_layer %a number 0
    %b, %q, %l = tmu.set_dns_tu %c0 to %m step %c1 in %layer queue 2
    %inner = tmu.set_single_layer %b number 1
  }
  return
}
