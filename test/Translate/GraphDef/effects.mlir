// What export.test writes.

func.func @effects(%x: tensor<f32> {ember.name = "x"}) -> tensor<f32> {
  %handle = col.node "VarHandleOp" "handle"() pure {dtype = f32} : () -> tensor<!col.foreign<resource>>
  %sum = col.node "AddV2" "sum"(%x, %x) pure {T = f32} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %neg = col.node "Neg" "sum"(%sum) pure {T = f32} : (tensor<f32>) -> tensor<f32>
  col.node "AssignVariableOp" "first"(%handle, %x) {dtype = f32} : (tensor<!col.foreign<resource>>, tensor<f32>) -> ()
  %between = col.node "ReadVariableOp" "between"(%handle) reads {dtype = f32} : (tensor<!col.foreign<resource>>) -> tensor<f32>
  %again = col.node "ReadVariableOp" "again"(%handle) reads {dtype = f32} : (tensor<!col.foreign<resource>>) -> tensor<f32>
  col.node "AssignVariableOp" "second"(%handle, %between) {dtype = f32} : (tensor<!col.foreign<resource>>, tensor<f32>) -> ()
  return %neg : tensor<f32>
}

func.func @column(%x: tensor<f32>) -> tensor<f32> {
  %0 = arith.negf %x : tensor<f32>
  return %0 : tensor<f32>
}

func.func @types(%x: tensor<i3>) {
  return
}

func.func @settings() {
  col.node "NoOp" "no"() {number = 3 : i5} : () -> ()
  return
}

func.func @named() -> tensor<f32> {
  %0 = col.node "Somebodys" "a"() outputs ["y:0"] : () -> tensor<f32>
  %1 = col.node "Neg" "b"(%0) pure {T = f32} : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
