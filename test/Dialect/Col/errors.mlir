// One error a rule of the verifiers.

// RUN: ember-opt %s -split-input-file -verify-diagnostics

func.func @no_operator() {
  // expected-error @below {{'col.node' op names no operator of TensorFlow}}
  col.node "" "n"() pure : () -> ()
  return
}

// -----

func.func @outputs() {
  // expected-error @below {{'col.node' op has names of 2 outputs and 1 results}}
  %0 = col.node "Somebodys" "n"() outputs ["0", "1"] : () -> tensor<f32>
  return
}
