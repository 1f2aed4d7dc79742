// RUN: ember-opt %s -split-input-file -verify-diagnostics

// Both halves: what is pushed is what is popped.

func.func private @a(%x: f32, %i: index, %data: !ring.data<8>, %tokens: !ring.tokens) attributes {ring.half = #ring.half<access>} {
  ring.push %tokens, 0 : !ring.tokens
  // expected-note @below {{pushed here}}
  %s = ring.acquire %data for 0 : !ring.data<8> -> !ring.slot<f32>
  ring.store %x, %s : !ring.slot<f32>
  ring.commit %s : !ring.slot<f32>
  ring.end %tokens : !ring.tokens
  return
}
func.func private @c(%data: !ring.data<8>, %tokens: !ring.tokens) attributes {ring.half = #ring.half<compute>} {
  // expected-error @below {{'ring.wait' op is for 8 bytes, a 'vector<2xi1>', where the access half pushes 8, a 'f32'}}
  %s = ring.wait %data for 0 : !ring.data<8> -> !ring.slot<vector<2xi1>>
  ring.release %s : !ring.slot<vector<2xi1>>
  return
}
func.func @f(%x: f32, %i: index) {
  %data = ring.create : !ring.data<8>
  %tokens = ring.create : !ring.tokens
  ring.run "f" access @a(%x, %i, %data, %tokens : f32, index, !ring.data<8>, !ring.tokens) compute @c(%data, %tokens : !ring.data<8>, !ring.tokens)
  return
}

// -----

func.func private @a(%x: f32, %i: index, %data: !ring.data<8>, %tokens: !ring.tokens) attributes {ring.half = #ring.half<access>} {
  ring.push %tokens, 0 : !ring.tokens
  %s = ring.acquire %data for 0 : !ring.data<8> -> !ring.slot<index>
  ring.store %i, %s : !ring.slot<index>
  ring.commit %s : !ring.slot<index>
  // expected-note @below {{pushed here}}
  %t = ring.acquire %data for 0 : !ring.data<8> -> !ring.slot<f32>
  ring.store %x, %t : !ring.slot<f32>
  ring.commit %t : !ring.slot<f32>
  ring.end %tokens : !ring.tokens
  return
}
func.func private @c(%data: !ring.data<8>, %tokens: !ring.tokens) attributes {ring.half = #ring.half<compute>} {
  %s = ring.wait %data for 0 : !ring.data<8> -> !ring.slot<index>
  ring.release %s : !ring.slot<index>
  // expected-error @below {{'ring.wait' op is for 8 bytes, a 'index', where the access half pushes 8, a 'f32'}}
  %t = ring.wait %data for 0 : !ring.data<8> -> !ring.slot<index>
  ring.release %t : !ring.slot<index>
  return
}
func.func @f(%x: f32, %i: index) {
  %data = ring.create : !ring.data<8>
  %tokens = ring.create : !ring.tokens
  ring.run "f" access @a(%x, %i, %data, %tokens : f32, index, !ring.data<8>, !ring.tokens) compute @c(%data, %tokens : !ring.data<8>, !ring.tokens)
  return
}

// -----

func.func private @a(%x: f32, %i: index, %data: !ring.data<8>, %tokens: !ring.tokens) attributes {ring.half = #ring.half<access>} {
  ring.push %tokens, 0 : !ring.tokens
  %s = ring.acquire %data for 0 : !ring.data<8> -> !ring.slot<f32>
  ring.store %x, %s : !ring.slot<f32>
  ring.commit %s : !ring.slot<f32>
  ring.end %tokens : !ring.tokens
  return
}
func.func private @c(%data: !ring.data<8>, %tokens: !ring.tokens) attributes {ring.half = #ring.half<compute>} {
  %s = ring.wait %data for 0 : !ring.data<8> -> !ring.slot<f32>
  ring.release %s : !ring.slot<f32>
  // expected-error @below {{'ring.wait' op has no operand to wait for: token 0 gets 1}}
  %t = ring.wait %data for 0 : !ring.data<8> -> !ring.slot<f32>
  ring.release %t : !ring.slot<f32>
  return
}
func.func @f(%x: f32, %i: index) {
  %data = ring.create : !ring.data<8>
  %tokens = ring.create : !ring.tokens
  ring.run "f" access @a(%x, %i, %data, %tokens : f32, index, !ring.data<8>, !ring.tokens) compute @c(%data, %tokens : !ring.data<8>, !ring.tokens)
  return
}

// -----

func.func private @a(%x: f32, %i: index, %data: !ring.data<8>, %tokens: !ring.tokens) attributes {ring.half = #ring.half<access>} {
  ring.push %tokens, 0 : !ring.tokens
  %s = ring.acquire %data for 0 : !ring.data<8> -> !ring.slot<index>
  ring.store %i, %s : !ring.slot<index>
  ring.commit %s : !ring.slot<index>
  // expected-error @below {{'ring.acquire' op is for an operand of token 0 that the compute half never waits for}}
  %t = ring.acquire %data for 0 : !ring.data<8> -> !ring.slot<f32>
  ring.store %x, %t : !ring.slot<f32>
  ring.commit %t : !ring.slot<f32>
  ring.end %tokens : !ring.tokens
  return
}
func.func private @c(%data: !ring.data<8>, %tokens: !ring.tokens) attributes {ring.half = #ring.half<compute>} {
  %s = ring.wait %data for 0 : !ring.data<8> -> !ring.slot<index>
  ring.release %s : !ring.slot<index>
  return
}
func.func @f(%x: f32, %i: index) {
  %data = ring.create : !ring.data<8>
  %tokens = ring.create : !ring.tokens
  ring.run "f" access @a(%x, %i, %data, %tokens : f32, index, !ring.data<8>, !ring.tokens) compute @c(%data, %tokens : !ring.data<8>, !ring.tokens)
  return
}

// -----

func.func private @a(%x: f32, %i: index, %data: !ring.data<8>, %tokens: !ring.tokens) attributes {ring.half = #ring.half<access>} {
  ring.push %tokens, 0 : !ring.tokens
  ring.end %tokens : !ring.tokens
  return
}
func.func private @c(%data: !ring.data<8>, %tokens: !ring.tokens) attributes {ring.half = #ring.half<compute>} {
  // expected-error @below {{'ring.wait' op has no operand to wait for: token 0 gets 0}}
  %t = ring.wait %data for 0 : !ring.data<8> -> !ring.slot<f32>
  ring.release %t : !ring.slot<f32>
  return
}
func.func @f(%x: f32, %i: index) {
  %data = ring.create : !ring.data<8>
  %tokens = ring.create : !ring.tokens
  ring.run "f" access @a(%x, %i, %data, %tokens : f32, index, !ring.data<8>, !ring.tokens) compute @c(%data, %tokens : !ring.data<8>, !ring.tokens)
  return
}
