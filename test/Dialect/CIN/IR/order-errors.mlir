// RUN: ember-opt %s --split-input-file --verify-diagnostics

// What combinations that have an order, and sizes with words of their own, have to be.

func.func @otherwise_of_another_type(%a: memref<?xf32>, %y: memref<f32>) {
  cin.evaluate ins(%A = %a : memref<?xf32>) outs(%out = %y : memref<f32>) {
    cin.forall () {
      // expected-error @below {{is otherwise a value of type 'f64', and has a result of type 'f32'}}
      %m = cin.reduce larger (%i) -> f32 attributes {otherwise = 0.0 : f64} {
        %x = cin.access %A[%i] : memref<?xf32>
        cin.yield %x : f32
      }
      cin.assign %m to %out[] : memref<f32>
    }
  }
  return
}

// -----

func.func @nothing_of_no_terms(%a: memref<?xf32>, %y: memref<f32>) {
  cin.evaluate ins(%A = %a : memref<?xf32>) outs(%out = %y : memref<f32>) {
    cin.forall () {
      // expected-error @below {{combines values with 'larger', which is not associative}}
      %m = cin.reduce larger (%i) -> f32 {
        %x = cin.access %A[%i] : memref<?xf32>
        cin.yield %x : f32
      }
      cin.assign %m to %out[] : memref<f32>
    }
  }
  return
}

// -----

func.func @first_of_none(%c: i1, %y: memref<?xf32>) {
  cin.evaluate ins(%is_new = %c : i1) outs(%out = %y : memref<?xf32>) {
    cin.forall (%i) {
      %one = cin.literal 1.0 : f32
      // expected-error @below {{has a first value of those that it combines, and no function to combine them with}}
      cin.assign %one to %out[%i] first %is_new : memref<?xf32>
    }
  }
  return
}

// -----

func.func @first_of_one(%c: i1, %y: memref<?xf32>) {
  cin.evaluate ins(%is_new = %c : i1) outs(%out = %y : memref<?xf32>) {
    cin.forall (%i) {
      %one = cin.literal 1.0 : f32
      // expected-error @below {{2 operands, and it takes 1}}
      cin.assign neg %one to %out[%i] first %is_new : memref<?xf32>
    }
  }
  return
}

// -----

func.func @order_of_assignments(%n: index, %y: memref<?xf32>) {
  cin.evaluate ins(%N = %n : index) outs(%out = %y : memref<?xf32>) {
    cin.forall (%i) {
      %one = cin.literal 1.0 : f32
      // expected-error @below {{combines values with 'larger', which is not associative}}
      cin.assign larger %one to %out[%i] : memref<?xf32>
    }
  }
  return
}

// -----

func.func @size_of_nothing(%x: memref<?xf32>, %y: memref<?xf32>) {
  cin.evaluate ins(%X = %x : memref<?xf32>) outs(%out = %y : memref<?xf32>) {
    // expected-error @below {{says neither which variable asks for it nor what is wrong otherwise}}
    cin.same_size %X, 0 and %out, 0 : memref<?xf32> and memref<?xf32>
  }
  return
}
