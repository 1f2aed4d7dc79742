// RUN: ember-opt %s --split-input-file --verify-diagnostics

func.func @dense(%m: index, %p: memref<?xi64>, %c: memref<?xi1>, %v: memref<?xf32>, %y: memref<?xf32>) {
  cin.evaluate ins(%M = %m, %P = %p, %C = %c, %V = %v : index, memref<?xi64>, memref<?xi1>, memref<?xf32>) outs(%out = %y : memref<?xf32>) {
    %a = cin.assemble %V levels(%C) sizes(%M, %M) : memref<?xf32>, memref<?xi1> -> !cin.array<?x?xf32, #cin.format<bitmap, dense fill 0.0 : f32>>
    // expected-error @below {{cannot copy the array: none of its levels is a list of coordinates}}
    %q, %d, %w = cin.regroup %a order [0, 1] : !cin.array<?x?xf32, #cin.format<bitmap, dense fill 0.0 : f32>> -> memref<?xi64>, memref<?xi64>, memref<?xf32>
  }
  return
}

// -----

func.func @order(%m: index, %p: memref<?xi64>, %c: memref<?xi64>, %v: memref<?xf32>, %y: memref<?xf32>) {
  cin.evaluate ins(%M = %m, %P = %p, %C = %c, %V = %v : index, memref<?xi64>, memref<?xi64>, memref<?xf32>) outs(%out = %y : memref<?xf32>) {
    %a = cin.assemble %V levels(%P, %C, %C) sizes(%M, %M) : memref<?xf32>, memref<?xi64>, memref<?xi64>, memref<?xi64> -> !cin.array<?x?xf32, #cin.format<compressed(unordered), singleton fill 0.0 : f32>>
    // expected-error @below {{has an order that is none of the 2 dimensions of the array}}
    %q, %d, %w = cin.regroup %a order [0, 0] : !cin.array<?x?xf32, #cin.format<compressed(unordered), singleton fill 0.0 : f32>> -> memref<?xi64>, memref<?xi64>, memref<?xf32>
  }
  return
}

// -----

func.func @element(%m: index, %p: memref<?xi64>, %c: memref<?xi64>, %v: memref<?xf32>, %y: memref<?xf32>) {
  cin.evaluate ins(%M = %m, %P = %p, %C = %c, %V = %v : index, memref<?xi64>, memref<?xi64>, memref<?xf32>) outs(%out = %y : memref<?xf32>) {
    %a = cin.assemble %V levels(%P, %C) sizes(%M, %M) : memref<?xf32>, memref<?xi64>, memref<?xi64> -> !cin.array<?x?xf32, #cin.format<dense, compressed fill 0.0 : f32>>
    // expected-error @below {{has values of 'f64' for an array of 'f32'}}
    %q, %d, %w = cin.regroup %a order [0, 1] : !cin.array<?x?xf32, #cin.format<dense, compressed fill 0.0 : f32>> -> memref<?xi64>, memref<?xi64>, memref<?xf64>
  }
  return
}

// -----

func.func @size(%m: index, %p: memref<?xi64>, %c: memref<?xi64>, %v: memref<?xf32>, %y: memref<?xf32>) {
  cin.evaluate ins(%M = %m, %P = %p, %C = %c, %V = %v : index, memref<?xi64>, memref<?xi64>, memref<?xf32>) outs(%out = %y : memref<?xf32>) {
    %a = cin.assemble %V levels(%P, %C) sizes(%M, %M) : memref<?xf32>, memref<?xi64>, memref<?xi64> -> !cin.array<?x?xf32, #cin.format<dense, compressed fill 0.0 : f32>>
    // expected-error @below {{has a result of type 'memref<4xi64>', of which nobody knows the size}}
    %q, %d, %w = cin.regroup %a order [0, 1] : !cin.array<?x?xf32, #cin.format<dense, compressed fill 0.0 : f32>> -> memref<4xi64>, memref<?xi64>, memref<?xf32>
  }
  return
}

// -----

func.func @tensor(%m: index, %p: memref<?xi64>, %c: memref<?xi64>, %v: memref<?xf32>, %y: memref<?xf32>) {
  cin.evaluate ins(%M = %m, %P = %p, %C = %c, %V = %v : index, memref<?xi64>, memref<?xi64>, memref<?xf32>) outs(%out = %y : memref<?xf32>) {
    %a = cin.assemble %V levels(%P, %C) sizes(%M, %M) : memref<?xf32>, memref<?xi64>, memref<?xi64> -> !cin.array<?x?xf32, #cin.format<dense, compressed fill 0.0 : f32>>
    // expected-error @below {{has a result of type 'tensor<?xi64>', and the array's values are of 'memref<?xf32>'}}
    %q, %d, %w = cin.regroup %a order [0, 1] : !cin.array<?x?xf32, #cin.format<dense, compressed fill 0.0 : f32>> -> tensor<?xi64>, memref<?xi64>, memref<?xf32>
  }
  return
}

// -----

func.func @count(%m: index, %p: memref<?xi64>, %c: memref<?xi64>, %v: memref<?xf32>, %y: memref<?xf32>) {
  cin.evaluate ins(%M = %m, %P = %p, %C = %c, %V = %v : index, memref<?xi64>, memref<?xi64>, memref<?xf32>) outs(%out = %y : memref<?xf32>) {
    %a = cin.assemble %V levels(%P, %C) sizes(%M, %M, %M) : memref<?xf32>, memref<?xi64>, memref<?xi64> -> !cin.array<?x?x?xf32, #cin.format<dense, dense, compressed fill 0.0 : f32>>
    // expected-error @below {{has 1 results of coordinates for an array of 3 dimensions}}
    %q, %d, %w = cin.regroup %a order [2, 0, 1] : !cin.array<?x?x?xf32, #cin.format<dense, dense, compressed fill 0.0 : f32>> -> memref<?xi64>, memref<?xi64>, memref<?xf32>
  }
  return
}

// -----

func.func @list(%m: index, %p: memref<?xi64>, %c: memref<?xi64>, %v: memref<?xf32>, %y: memref<?xf32>) {
  cin.evaluate ins(%M = %m, %P = %p, %C = %c, %V = %v : index, memref<?xi64>, memref<?xi64>, memref<?xf32>) outs(%out = %y : memref<?xf32>) {
    %a = cin.assemble %V levels(%P, %C) sizes(%M) : memref<?xf32>, memref<?xi64>, memref<?xi64> -> !cin.array<?xf32, #cin.format<compressed(unordered) fill 0.0 : f32>>
    // expected-error @below {{has 0 results of coordinates for an array of 1 dimensions}}
    %q, %w = cin.regroup %a order [0] : !cin.array<?xf32, #cin.format<compressed(unordered) fill 0.0 : f32>> -> memref<?xi64>, memref<?xf32>
  }
  return
}
