// RUN: ember-opt --split-input-file --verify-diagnostics %s

func.func @unknown(%a: memref<?xf32>, %b: memref<?xf32>) {
  cin.evaluate ins(%x = %a : memref<?xf32>) outs(%y = %b : memref<?xf32>) {
    // expected-error @+1 {{has a schedule in which there is no variable 'k'}}
    cin.forall (%i) attributes {names = ["i"], schedule = #cin.schedule<reorder(i, k)>} {
      %e = cin.access %x[%i] : memref<?xf32>
      cin.assign %e to %y[%i] : memref<?xf32>
    }
  }
  return
}

// -----

func.func @taken(%a: memref<?x?xf32>, %b: memref<?x?xf32>) {
  cin.evaluate ins(%x = %a : memref<?x?xf32>) outs(%y = %b : memref<?x?xf32>) {
    // expected-error @+1 {{has a schedule in which there is a variable 'j' already}}
    cin.forall (%i, %j) attributes {names = ["i", "j"], schedule = #cin.schedule<split(i, j, i1, 4)>} {
      %e = cin.access %x[%i, %j] : memref<?x?xf32>
      cin.assign %e to %y[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// -----

// expected-error @+1 {{there is no scheduling relation 'tile': expected one of split, fuse, reorder, precompute and parallelize}}
#a = #cin.schedule<tile(i)>

// -----

// expected-error @+1 {{'fuse' has two variables and the name of what they become}}
#a = #cin.schedule<fuse(i, j)>

// -----

// expected-error @+1 {{'parallelize' has one variable}}
#a = #cin.schedule<parallelize(i, j)>

// -----

// expected-error @+1 {{a density is more than 0, and at most 1}}
#a = #cin.hint<density(1.5 : f64)>
