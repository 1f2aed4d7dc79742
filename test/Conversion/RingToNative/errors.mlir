// RUN: ember-opt %s --ring-to-native -split-input-file -verify-diagnostics

// What rings can say and the runtime's threads cannot do.

func.func private @access(%data: !ring.data<8>, %tokens: !ring.tokens) attributes {ring.half = #ring.half<access>} {
  ring.end %tokens : !ring.tokens
  return
}
func.func private @compute(%t: tensor<4xf32>, %data: !ring.data<8>, %tokens: !ring.tokens) attributes {ring.half = #ring.half<compute>} {
  return
}
func.func @tensor(%t: tensor<4xf32>) {
  %data = ring.create : !ring.data<8>
  %tokens = ring.create : !ring.tokens
  // expected-error @below {{'ring.run' op hands over a value of type 'tensor<4xf32>', which has no form in memory}}
  ring.run "tensor" access @access(%data, %tokens : !ring.data<8>, !ring.tokens) compute @compute(%t, %data, %tokens : tensor<4xf32>, !ring.data<8>, !ring.tokens)
  return
}

// -----

func.func private @access(%data: !ring.data<8>, %tokens: !ring.tokens) attributes {ring.half = #ring.half<access>} {
  ring.end %tokens : !ring.tokens
  return
}
func.func private @compute(%data: !ring.data<8>, %tokens: !ring.tokens) attributes {ring.half = #ring.half<compute>} {
  return
}
func.func @capacities() {
  %data = ring.create capacity 4 : !ring.data<8>
  // expected-error @below {{'ring.create' op holds 8 where the program's other ring holds 4; on threads, both hold as many}}
  %tokens = ring.create capacity 8 : !ring.tokens
  ring.run "capacities" access @access(%data, %tokens : !ring.data<8>, !ring.tokens) compute @compute(%data, %tokens : !ring.data<8>, !ring.tokens)
  return
}

// -----

func.func private @access(%data: !ring.data<8>, %tokens: !ring.tokens) attributes {ring.half = #ring.half<access>} {
  ring.end %tokens : !ring.tokens
  return
}
func.func private @compute(%data: !ring.data<8>, %tokens: !ring.tokens) attributes {ring.half = #ring.half<compute>} {
  return
}
func.func @handed(%data: !ring.data<8>, %tokens: !ring.tokens) {
  // expected-error @below {{'ring.run' op runs with a ring that its function did not create; a program on threads has its own}}
  ring.run "handed" access @access(%data, %tokens : !ring.data<8>, !ring.tokens) compute @compute(%data, %tokens : !ring.data<8>, !ring.tokens)
  return
}

// -----

// expected-error @below {{'func.func' op takes 2 data and 1 token rings; a program on threads has one of each}}
func.func private @several(%left: !ring.data<8>, %right: !ring.data<16>, %tokens: !ring.tokens) attributes {ring.half = #ring.half<compute>} {
  return
}
