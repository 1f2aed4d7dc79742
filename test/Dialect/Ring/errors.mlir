// RUN: ember-opt %s -split-input-file -verify-diagnostics

// Types and attributes.

// expected-error @below {{operands take a positive multiple of 8 bytes, not 12}}
func.func private @f(!ring.data<12>)

// -----

// expected-error @below {{ids take up to 32 bits, not 40}}
func.func private @f(!ring.tokens<40>)

// -----

// expected-error @below {{a slot cannot hold a 'memref<4xf32>'}}
func.func private @f(!ring.slot<memref<4xf32>>)

// -----

// expected-error @below {{a slot cannot hold a 'vector<[4]xf32>'}}
func.func private @f(!ring.slot<vector<[4]xf32>>)

// -----

// expected-error @below {{'func.func' op has no use for '"ring.side" = "access"': functions have 'ring.half = #ring.half<access>'}}
func.func private @f() attributes {ring.side = "access"}

// -----

func.func @f() {
  // expected-error @below {{'arith.constant' op cannot be a half of a program: functions are}}
  %c = arith.constant {ring.half = #ring.half<access>} 0 : index
  return
}

// -----

// Creating and running.

func.func @f() {
  // expected-error @below {{'ring.create' op has the capacity 0, which holds nothing}}
  %data = ring.create capacity 0 : !ring.data<8>
  return
}

// -----

func.func private @g(!ring.data<8>)
func.func @f() {
  // expected-error @below {{'ring.create' op makes a ring that something other than 'ring.run' uses}}
  %data = ring.create : !ring.data<8>
  // expected-note @below {{here}}
  call @g(%data) : (!ring.data<8>) -> ()
  return
}

// -----

func.func private @a(!ring.tokens) attributes {ring.half = #ring.half<access>}
func.func private @c() attributes {ring.half = #ring.half<compute>}
func.func @f() {
  %tokens = ring.create : !ring.tokens
  // expected-error @below {{'ring.run' op does not hand each ring to both halves, once}}
  ring.run "f" access @a(%tokens : !ring.tokens) compute @c()
  return
}

// -----

func.func @f() {
  %tokens = ring.create : !ring.tokens
  // expected-error @below {{'ring.run' op hands a ring to the access half twice}}
  ring.run "f" access @a(%tokens, %tokens : !ring.tokens, !ring.tokens) compute @c(%tokens : !ring.tokens)
  return
}

// -----

func.func private @c(!ring.tokens) attributes {ring.half = #ring.half<compute>}
func.func @f() {
  %tokens = ring.create : !ring.tokens
  // expected-error @below {{'ring.run' op runs @a, which is no function}}
  ring.run "f" access @a(%tokens : !ring.tokens) compute @c(%tokens : !ring.tokens)
  return
}

// -----

func.func private @a(!ring.tokens) attributes {ring.half = #ring.half<access>}
func.func private @c(!ring.tokens) attributes {ring.half = #ring.half<compute>}
func.func @f() {
  %tokens = ring.create : !ring.tokens
  // expected-error @below {{'ring.run' op runs @c as the access half, which it does not say it is}}
  ring.run "f" access @c(%tokens : !ring.tokens) compute @a(%tokens : !ring.tokens)
  return
}

// -----

func.func private @a(!ring.tokens) attributes {ring.half = #ring.half<access>}
func.func private @c(!ring.tokens) attributes {ring.half = #ring.half<compute>}
func.func @f() {
  %tokens = ring.create : !ring.tokens<2>
  // expected-error @below {{'ring.run' op runs @a as a function of type ('!ring.tokens<2>') -> (), but it is of type '(!ring.tokens) -> ()'}}
  ring.run "f" access @a(%tokens : !ring.tokens<2>) compute @c(%tokens : !ring.tokens<2>)
  return
}

// -----

// Where operations stand.

func.func private @f(%tokens: !ring.tokens) {
  // expected-error @below {{'ring.end' op stands in no function that says by 'ring.half' which half of a program it is}}
  ring.end %tokens : !ring.tokens
  return
}

// -----

func.func private @f(%data: !ring.data<8>, %tokens: !ring.tokens, %x: f32, %n: index, %if: i1) attributes {ring.half = #ring.half<access>} {
  // expected-error @below {{'ring.pop' op is an operation of the compute half, but stands in the access half}}
  %token, %more = ring.pop %tokens : !ring.tokens
  ring.end %tokens : !ring.tokens
  return
}

// -----

func.func private @f(%data: !ring.data<8>, %tokens: !ring.tokens, %x: f32, %n: index, %if: i1) attributes {ring.half = #ring.half<compute>} {
  // expected-error @below {{'ring.push' op is an operation of the access half, but stands in the compute half}}
  ring.push %tokens, 0 : !ring.tokens
  return
}

// -----

func.func private @f(%tokens: !ring.tokens) attributes {ring.half = #ring.half<access>} {
  cf.br ^end
^end:
  // expected-error @below {{'ring.end' op stands among branches; the protocol is verified in structured control flow}}
  ring.end %tokens : !ring.tokens
  return
}

// -----

func.func private @g(!ring.tokens)
func.func private @f(%tokens: !ring.tokens) attributes {ring.half = #ring.half<access>} {
  // expected-error @below {{'func.call' op hands on a ring, which only operations of the ring dialect may use}}
  call @g(%tokens) : (!ring.tokens) -> ()
  ring.end %tokens : !ring.tokens
  return
}

// -----

func.func private @f(%data: !ring.data<8>, %tokens: !ring.tokens, %x: f32, %n: index, %if: i1) attributes {ring.half = #ring.half<compute>} {
  %s = scf.if %if -> !ring.slot<f32> {
    %slot = ring.wait %data for 0 : !ring.data<8> -> !ring.slot<f32>
    // expected-error @below {{'scf.yield' op hands on a slot, which only operations of the ring dialect may use}}
    scf.yield %slot : !ring.slot<f32>
  } else {
    %slot = ring.wait %data for 0 : !ring.data<8> -> !ring.slot<f32>
    scf.yield %slot : !ring.slot<f32>
  }
  return
}

// -----

func.func private @f(%slot: !ring.slot<f32>) attributes {ring.half = #ring.half<compute>} {
  // expected-error @below {{'ring.load' op uses a slot that was neither acquired nor waited for}}
  %v = ring.load %slot : !ring.slot<f32>
  return
}

// -----

func.func private @f() attributes {ring.half = #ring.half<compute>} {
  %tokens = ring.create : !ring.tokens
  // expected-error @below {{'ring.pop' op uses a ring that is no argument of its function}}
  %token, %more = ring.pop %tokens : !ring.tokens
  return
}

// -----

// Operands.

func.func private @f(%data: !ring.data<8>, %tokens: !ring.tokens, %x: f32, %n: index, %if: i1) attributes {ring.half = #ring.half<access>} {
  ring.push %tokens, 0 : !ring.tokens
  // expected-error @below {{'ring.acquire' op is about 16 bytes in a ring whose operands take up to 8}}
  %slot = ring.acquire %data for 0 : !ring.data<8> -> !ring.slot<vector<4xf32>>
  ring.end %tokens : !ring.tokens
  return
}

// -----

func.func private @f(%data: !ring.data<8>, %tokens: !ring.tokens, %x: f32, %n: index, %if: i1) attributes {ring.half = #ring.half<compute>} {
  // expected-error @below {{'ring.wait' op is about 16 bytes in a ring whose operands take up to 8}}
  %slot = ring.wait %data for 0 : !ring.data<8> -> !ring.slot<vector<4xf32>>
  return
}

// -----

func.func private @f(%data: !ring.data<8>, %tokens: !ring.tokens, %x: f32, %n: index, %if: i1) attributes {ring.half = #ring.half<compute>} {
  // expected-error @below {{'ring.wait' op is for token -1; ids are not negative}}
  %slot = ring.wait %data for -1 : !ring.data<8> -> !ring.slot<f32>
  return
}

// -----

func.func private @f(%data: !ring.data<8>, %tokens: !ring.tokens, %x: f32, %n: index, %if: i1) attributes {ring.half = #ring.half<access>} {
  ring.push %tokens, 0 : !ring.tokens
  %slot = ring.acquire %data for 0 : !ring.data<8> -> !ring.slot<f64>
  // expected-error @below {{'ring.store' op failed to verify that the value has the type of the slot's operand}}
  "ring.store"(%x, %slot) : (f32, !ring.slot<f64>) -> ()
  ring.end %tokens : !ring.tokens
  return
}

// -----

// The life of a slot.

func.func private @f(%data: !ring.data<8>, %tokens: !ring.tokens, %x: f32, %n: index, %if: i1) attributes {ring.half = #ring.half<access>} {
  ring.push %tokens, 0 : !ring.tokens
  // expected-note @below {{the slot}}
  %a = ring.acquire %data for 0 : !ring.data<8> -> !ring.slot<f32>
  // expected-error @below {{'ring.acquire' op comes before the commit of the ring's slot before it}}
  %b = ring.acquire %data for 0 : !ring.data<8> -> !ring.slot<f32>
  ring.end %tokens : !ring.tokens
  return
}

// -----

func.func private @f(%data: !ring.data<8>, %tokens: !ring.tokens, %x: f32, %n: index, %if: i1) attributes {ring.half = #ring.half<access>} {
  ring.push %tokens, 0 : !ring.tokens
  // expected-note @below {{the slot}}
  %a = ring.acquire %data for 0 : !ring.data<8> -> !ring.slot<f32>
  ring.store %x, %a : !ring.slot<f32>
  scf.if %if {
    // expected-error @below {{'ring.acquire' op comes before the commit of the ring's slot before it}}
    %b = ring.acquire %data for 0 : !ring.data<8> -> !ring.slot<f32>
    ring.store %x, %b : !ring.slot<f32>
    ring.commit %b : !ring.slot<f32>
  }
  ring.commit %a : !ring.slot<f32>
  ring.end %tokens : !ring.tokens
  return
}

// -----

func.func private @f(%data: !ring.data<8>, %tokens: !ring.tokens, %x: f32, %n: index, %if: i1) attributes {ring.half = #ring.half<compute>} {
  // expected-note @below {{the slot}}
  %a = ring.wait %data for 0 : !ring.data<8> -> !ring.slot<f32>
  // expected-error @below {{'ring.wait' op comes before the release of the ring's slot before it}}
  %b = ring.wait %data for 0 : !ring.data<8> -> !ring.slot<f32>
  return
}

// -----

func.func private @f(%data: !ring.data<8>, %tokens: !ring.tokens, %x: f32, %n: index, %if: i1) attributes {ring.half = #ring.half<access>} {
  ring.push %tokens, 0 : !ring.tokens
  // expected-note @below {{the slot}}
  %a = ring.acquire %data for 0 : !ring.data<8> -> !ring.slot<f32>
  ring.store %x, %a : !ring.slot<f32>
  ring.commit %a : !ring.slot<f32>
  // expected-error @below {{'ring.commit' op uses a slot after its commit}}
  ring.commit %a : !ring.slot<f32>
  ring.end %tokens : !ring.tokens
  return
}

// -----

func.func private @f(%data: !ring.data<8>, %tokens: !ring.tokens, %x: f32, %n: index, %if: i1) attributes {ring.half = #ring.half<access>} {
  ring.push %tokens, 0 : !ring.tokens
  // expected-note @below {{the slot}}
  %a = ring.acquire %data for 0 : !ring.data<8> -> !ring.slot<f32>
  ring.store %x, %a : !ring.slot<f32>
  ring.commit %a : !ring.slot<f32>
  // expected-error @below {{'ring.store' op uses a slot after its commit}}
  ring.store %x, %a : !ring.slot<f32>
  ring.end %tokens : !ring.tokens
  return
}

// -----

func.func private @f(%data: !ring.data<8>, %tokens: !ring.tokens, %x: f32, %n: index, %if: i1) attributes {ring.half = #ring.half<access>} {
  ring.push %tokens, 0 : !ring.tokens
  %a = ring.acquire %data for 0 : !ring.data<8> -> !ring.slot<f32>
  // expected-error @below {{'ring.commit' op pushes an operand that was never stored}}
  ring.commit %a : !ring.slot<f32>
  ring.end %tokens : !ring.tokens
  return
}

// -----

func.func private @f(%data: !ring.data<8>, %tokens: !ring.tokens, %x: f32, %n: index, %if: i1) attributes {ring.half = #ring.half<access>} {
  ring.push %tokens, 0 : !ring.tokens
  // expected-error @below {{'ring.acquire' op has no commit in its block}}
  %a = ring.acquire %data for 0 : !ring.data<8> -> !ring.slot<f32>
  ring.store %x, %a : !ring.slot<f32>
  ring.end %tokens : !ring.tokens
  return
}

// -----

func.func private @f(%data: !ring.data<8>, %tokens: !ring.tokens, %x: f32, %n: index, %if: i1) attributes {ring.half = #ring.half<access>} {
  ring.push %tokens, 0 : !ring.tokens
  // expected-note @below {{the slot}}
  %a = ring.acquire %data for 0 : !ring.data<8> -> !ring.slot<f32>
  ring.store %x, %a : !ring.slot<f32>
  scf.if %if {
    // expected-error @below {{'ring.commit' op stands in another block than the slot: it would not run once for each}}
    ring.commit %a : !ring.slot<f32>
  }
  ring.end %tokens : !ring.tokens
  return
}

// -----

func.func private @f(%data: !ring.data<8>, %tokens: !ring.tokens, %x: f32, %n: index, %if: i1) attributes {ring.half = #ring.half<compute>} {
  // expected-note @below {{the slot}}
  %a = ring.wait %data for 0 : !ring.data<8> -> !ring.slot<f32>
  ring.release %a : !ring.slot<f32>
  // expected-error @below {{'ring.load' op uses a slot after its release}}
  %v = ring.load %a : !ring.slot<f32>
  return
}

// -----

func.func private @f(%data: !ring.data<8>, %tokens: !ring.tokens, %x: f32, %n: index, %if: i1) attributes {ring.half = #ring.half<compute>} {
  // expected-note @below {{the slot}}
  %a = ring.wait %data for 0 : !ring.data<8> -> !ring.slot<f32>
  ring.release %a : !ring.slot<f32>
  scf.if %if {
    // expected-error @below {{'ring.load' op uses a slot after its release}}
    %v = ring.load %a : !ring.slot<f32>
  }
  return
}

// -----

func.func private @f(%data: !ring.data<8>, %tokens: !ring.tokens, %x: f32, %n: index, %if: i1) attributes {ring.half = #ring.half<compute>} {
  scf.if %if {
    // expected-error @below {{'ring.wait' op has no release in its block}}
    %a = ring.wait %data for 0 : !ring.data<8> -> !ring.slot<f32>
  }
  return
}

// -----

// Tokens.

func.func private @f(%data: !ring.data<8>, %tokens: !ring.tokens, %x: f32, %n: index, %if: i1) attributes {ring.half = #ring.half<access>} {
  // expected-error @below {{'ring.push' op pushes token -1; ids are not negative}}
  ring.push %tokens, -1 : !ring.tokens
  ring.end %tokens : !ring.tokens
  return
}

// -----

func.func private @f(%tokens: !ring.tokens<2>, %x: f32, %v: vector<4xf32>) attributes {ring.half = #ring.half<access>} {
  // expected-error @below {{'ring.push' op pushes token 3, but ids of '!ring.tokens<2>' end at 2}}
  ring.push %tokens, 3 : !ring.tokens<2>
  ring.end %tokens : !ring.tokens<2>
  return
}

// -----

func.func private @f(%tokens: !ring.tokens<2>, %x: f32, %v: vector<4xf32>) attributes {ring.half = #ring.half<access>} {
  // expected-error @below {{'ring.push' op is about a value of type 'vector<4xf32>', which tokens of '!ring.tokens<2>' cannot carry}}
  ring.push %tokens, 0 value %v : !ring.tokens<2>, vector<4xf32>
  ring.end %tokens : !ring.tokens<2>
  return
}

// -----

func.func private @f(%data: !ring.data<8>, %tokens: !ring.tokens, %x: f32, %n: index, %if: i1) attributes {ring.half = #ring.half<access>} {
  // expected-error @below {{'ring.push' op is about a value of type 'f32', which tokens of '!ring.tokens' cannot carry}}
  ring.push %tokens, 0 value %x : !ring.tokens, f32
  ring.end %tokens : !ring.tokens
  return
}

// -----

func.func private @f(%tokens: !ring.tokens<2>, %x: f32, %v: vector<4xf32>) attributes {ring.half = #ring.half<access>} {
  // expected-error @below {{'ring.follows' op asks whether a 'f32' follows a token of '!ring.tokens<2>', which always fits}}
  %follows = ring.follows %x in %tokens : f32, !ring.tokens<2>
  ring.end %tokens : !ring.tokens<2>
  return
}

// -----

func.func private @f(%tokens: !ring.tokens<2>, %token: i64) attributes {ring.half = #ring.half<compute>} {
  // expected-error @below {{'ring.token_follows' op asks whether a 'i32' follows a token of '!ring.tokens<2>', which always fits}}
  %follows = ring.token_follows %token in %tokens of i32 : !ring.tokens<2>
  return
}

// -----

func.func private @f(%tokens: !ring.tokens, %token: i64) attributes {ring.half = #ring.half<compute>} {
  // expected-error @below {{'ring.token_value' op is about a value of type 'f32', which tokens of '!ring.tokens' cannot carry}}
  %v = ring.token_value %token in %tokens : !ring.tokens -> f32
  return
}

// -----

func.func private @f(%tokens: !ring.tokens<2>, %x: f32, %v: vector<4xf32>) attributes {ring.half = #ring.half<access>} {
  // expected-error @below {{'ring.trace_token' op reports a 'vector<4xf32>', which no token can carry}}
  ring.trace_token 0, "f.0" at "e.ite" named "e.ite" value %v : vector<4xf32>
  ring.end %tokens : !ring.tokens<2>
  return
}

// -----

func.func private @f(%data: !ring.data<8>, %tokens: !ring.tokens, %x: f32, %n: index, %if: i1) attributes {ring.half = #ring.half<access>} {
  // expected-error @below {{'ring.acquire' op is for an operand of token 1, which is never pushed}}
  %a = ring.acquire %data for 1 : !ring.data<8> -> !ring.slot<f32>
  ring.store %x, %a : !ring.slot<f32>
  ring.commit %a : !ring.slot<f32>
  ring.push %tokens, 0 : !ring.tokens
  ring.end %tokens : !ring.tokens
  return
}

// -----

// expected-error @below {{'func.func' op never ends the tokens of argument #0}}
func.func private @f(%tokens: !ring.tokens) attributes {ring.half = #ring.half<access>} {
  ring.push %tokens, 0 : !ring.tokens
  return
}

// -----

func.func private @f(%data: !ring.data<8>, %tokens: !ring.tokens, %x: f32, %n: index, %if: i1) attributes {ring.half = #ring.half<access>} {
  // expected-note @below {{the end}}
  ring.end %tokens : !ring.tokens
  // expected-error @below {{'ring.push' op comes after the end of the program}}
  ring.push %tokens, 0 : !ring.tokens
  return
}

// -----

func.func private @f(%data: !ring.data<8>, %tokens: !ring.tokens, %x: f32, %n: index, %if: i1) attributes {ring.half = #ring.half<access>} {
  // expected-note @below {{the end}}
  ring.end %tokens : !ring.tokens
  // expected-error @below {{'ring.end' op comes after the end of the program}}
  ring.end %tokens : !ring.tokens
  return
}

// -----

func.func private @f(%data: !ring.data<8>, %tokens: !ring.tokens, %x: f32, %n: index, %if: i1) attributes {ring.half = #ring.half<access>} {
  scf.if %if {
    // expected-error @below {{'ring.end' op stands within control flow: a program ends once}}
    ring.end %tokens : !ring.tokens
  }
  return
}

// -----

func.func private @access(%data: !ring.data<8>, %tokens: !ring.tokens) attributes {ring.half = #ring.half<access>} {
  ring.end %tokens : !ring.tokens
  return
}
func.func private @compute(%data: !ring.data<8>, %tokens: !ring.tokens) attributes {ring.half = #ring.half<compute>} {
  // expected-error@+1 {{stands in @compute, which it runs itself}}
  ring.run "rows" access @access(%data, %tokens : !ring.data<8>, !ring.tokens) compute @compute(%data, %tokens : !ring.data<8>, !ring.tokens)
  return
}
