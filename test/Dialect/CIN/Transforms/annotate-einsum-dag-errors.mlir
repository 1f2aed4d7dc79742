// RUN: ember-opt %s --split-input-file --verify-diagnostics

func.func @on_a_function() attributes {cin.sweep = {number = 0, tile = "i"}} {return} // expected-error {{'func.func' op has "cin.sweep", which is said of statements of a cin.evaluate}}

// -----

func.func @inside(%x: memref<4xf32>, %y: memref<4xf32>) {
  cin.evaluate ins(%a = %x : memref<4xf32>) outs(%b = %y : memref<4xf32>) {
    cin.forall () {
      cin.forall (%i) attributes {cin.sweep = {number = 0, tile = "i"}} { // expected-error {{which is said of statements of a cin.evaluate}}
        %e = cin.access %a[%i] : memref<4xf32>
        cin.assign %e to %b[%i] : memref<4xf32>
      }
    }
  }
  return
}

// -----

func.func @negative(%x: memref<4xf32>, %y: memref<4xf32>) {
  cin.evaluate ins(%a = %x : memref<4xf32>) outs(%b = %y : memref<4xf32>) {
    cin.forall (%i) attributes {cin.sweep = {number = -1, tile = "i"}} { // expected-error {{cin.sweep has a number from 0}}
      %e = cin.access %a[%i] : memref<4xf32>
      cin.assign %e to %b[%i] : memref<4xf32>
    }
  }
  return
}

// -----

func.func @no_rank(%x: memref<4xf32>, %y: memref<4xf32>) {
  cin.evaluate ins(%a = %x : memref<4xf32>) outs(%b = %y : memref<4xf32>) {
    cin.forall (%i) attributes {cin.reuse = {node = 0, dominance = "U", stage = 0, step = 0}} { // expected-error {{a rank dominates, and it is not said which}}
      %e = cin.access %a[%i] : memref<4xf32>
      cin.assign %e to %b[%i] : memref<4xf32>
    }
  }
  return
}

// -----

func.func @no_pattern(%x: memref<4xf32>, %y: memref<4xf32>) {
  cin.evaluate ins(%a = %x : memref<4xf32>) outs(%b = %y : memref<4xf32>) {
    cin.forall (%i) attributes {cin.reuse = {node = 0, dominance = "small", stage = 0, step = 0, feeds = ["1 often"]}} { // expected-error {{feeds has texts of an operation's number and a pattern}}
      %e = cin.access %a[%i] : memref<4xf32>
      cin.assign %e to %b[%i] : memref<4xf32>
    }
  }
  return
}

// -----

func.func @itself(%x: memref<4xf32>, %y: memref<4xf32>) {
  cin.evaluate ins(%a = %x : memref<4xf32>) outs(%b = %y : memref<4xf32>) {
    cin.forall (%i) attributes {cin.reuse = {node = 1, dominance = "bal", stage = 0, step = 0, feeds = ["1 sequential"]}} { // expected-error {{an operation feeds itself}}
      %e = cin.access %a[%i] : memref<4xf32>
      cin.assign %e to %b[%i] : memref<4xf32>
    }
  }
  return
}
