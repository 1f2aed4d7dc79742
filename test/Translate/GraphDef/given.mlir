// An argument that stands for a node is that of the graph that it comes from, or another one of the
// module.

// RUN: not ember-translate --export-graphdef %s --function=alone 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: error: argument 0 stands for node 'kernel' (VarHandleOp): give the graph that it is in as --original
func.func @alone(%kernel: tensor<?x8xf32> {col.node = "VarHandleOp", ember.name = "kernel"})
    -> tensor<?x8xf32> {
  %0 = col.node "Neg" "out"(%kernel) pure {T = f32} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// RUN: %encode-graph < %S/nodes.pbtxt > %t.pb
// RUN: ember-translate --export-graphdef %s --function=alone --original %t.pb | %decode-graph | FileCheck %s --check-prefix=GIVEN
// GIVEN:      name: "kernel"
// GIVEN-NEXT: op: "VarHandleOp"
// GIVEN-NEXT: device: "/device:CPU:0"
// GIVEN:      name: "out"
// GIVEN-NEXT: op: "Neg"
// GIVEN-NEXT: input: "kernel"

// RUN: ember-translate --export-graphdef %s --function=both | %decode-graph | FileCheck %s --check-prefix=BOTH
// BOTH-NOT:  Placeholder
// BOTH:      name: "kernel"
// BOTH-NEXT: op: "VarHandleOp"
// BOTH-NOT:  name: "kernel"
// BOTH:      name: "out"
// BOTH-NEXT: op: "Neg"
// BOTH-NEXT: input: "kernel"
func.func @both(%kernel: tensor<?x8xf32> {col.node = "VarHandleOp", ember.name = "kernel"})
    -> (tensor<?x8xf32>, tensor<*xf32>) {
  %handle = col.node "VarHandleOp" "kernel"() pure {dtype = f32, shape = array<i64: -1, 8>}
      : () -> tensor<*x!col.foreign<resource>>
  %0 = col.node "Neg" "out"(%kernel) pure {T = f32} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = col.node "ReadVariableOp" "read"(%handle) reads {dtype = f32}
      : (tensor<*x!col.foreign<resource>>) -> tensor<*xf32>
  return %0, %1 : tensor<?x8xf32>, tensor<*xf32>
}
