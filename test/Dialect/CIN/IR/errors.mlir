// What operations refuse.
// RUN: ember-opt %s --split-input-file --verify-diagnostics

func.func @no_function(%y: memref<?xf32>) {
  cin.evaluate outs(%out = %y : memref<?xf32>) {
    cin.forall (%i) {
      %x = cin.access %out[%i] : memref<?xf32>
      // expected-error @below {{there is no function 'gcd'}}
      %z = cin.call gcd(%x, %x) : (f32, f32) -> f32
      cin.assign %z to %out[%i] : memref<?xf32>
    }
  }
  return
}

// -----

func.func @arity(%y: memref<?xf32>) {
  cin.evaluate outs(%out = %y : memref<?xf32>) {
    cin.forall (%i) {
      %x = cin.access %out[%i] : memref<?xf32>
      // expected-error @below {{gives 'max' 1 operands, and it takes 2}}
      %z = cin.call max(%x) : (f32) -> f32
      cin.assign %z to %out[%i] : memref<?xf32>
    }
  }
  return
}

// -----

func.func @types(%y: memref<?xf32>) {
  cin.evaluate outs(%out = %y : memref<?xf32>) {
    cin.forall (%i) {
      %x = cin.access %out[%i] : memref<?xf32>
      // expected-error @below {{gives 'and' values of type 'f32', which it does not take}}
      %z = cin.call and(%x, %x) : (f32, f32) -> f32
      cin.assign %z to %out[%i] : memref<?xf32>
    }
  }
  return
}

// -----

func.func @not_associative(%y: memref<?xf32>, %a: memref<?xf32>) {
  cin.evaluate ins(%A = %a : memref<?xf32>) outs(%out = %y : memref<?xf32>) {
    cin.forall (%i) {
      // expected-error @below {{combines values with 'sub', which is not associative: what it makes of them would depend on how they are grouped}}
      %z = cin.reduce sub (%j) -> f32 {
        %x = cin.access %A[%j] : memref<?xf32>
        cin.yield %x : f32
      }
      cin.assign %z to %out[%i] : memref<?xf32>
    }
  }
  return
}

// -----

func.func @rank(%y: memref<?xf32>) {
  cin.evaluate outs(%out = %y : memref<?xf32>) {
    cin.forall (%i) {
      // expected-error @below {{has 2 indices of 'memref<?xf32>', which has 1 dimension}}
      %x = cin.access %out[%i, %i] : memref<?xf32>
      cin.assign %x to %out[%i] : memref<?xf32>
    }
  }
  return
}

// -----

func.func @input(%y: memref<?xf32>, %a: memref<?xf32>) {
  cin.evaluate ins(%A = %a : memref<?xf32>) outs(%out = %y : memref<?xf32>) attributes {names = ["A", "y"]} {
    cin.forall (%i) {
      %x = cin.access %A[%i] : memref<?xf32>
      // expected-error @below {{assigns to A, which is not one of outs}}
      cin.assign %x to %A[%i] : memref<?xf32>
    }
  }
  return
}

// -----

func.func @no_range(%y: memref<?xf32>, %a: memref<?xf32>) {
  cin.evaluate ins(%A = %a : memref<?xf32>) outs(%out = %y : memref<?xf32>) {
    // expected-error @below {{variable i has no range, and is the index of no dimension by itself, which would say which values it has: give it a range}}
    cin.forall (%i) attributes {names = ["i"]} {
      %next = cin.apply affine_map<(d0) -> (d0 + 1)>(%i)
      %x = cin.access %A[%next] : memref<?xf32>
      cin.assign %x to %out[%next] : memref<?xf32>
    }
  }
  return
}

// -----

func.func @race(%y: memref<?xf32>, %a: memref<?xf32>, %b: memref<?xi64>) {
  cin.evaluate ins(%A = %a, %I = %b : memref<?xf32>, memref<?xi64>) outs(%out = %y : memref<?xf32>) attributes {names = ["A", "I", "y"]} {
    cin.forall (%p) attributes {names = ["p"]} {
      %row = cin.access %I[%p] : memref<?xi64>
      %x = cin.access %A[%p] : memref<?xf32>
      // expected-error @below {{several values of p may assign to one element of y: combine them, as += and max= do, or make p an index}}
      cin.assign %x to %out[%row] : memref<?xf32> (i64)
    }
  }
  return
}

// -----

// Digits of a position: t has less values than j is multiplied by.
func.func @digits(%y: memref<?xf32>, %a: memref<?xf32>) {
  cin.evaluate ins(%A = %a : memref<?xf32>) outs(%out = %y : memref<?xf32>) {
    cin.forall () {
      %zero = cin.literal 0 : index
      %four = cin.literal 4 : index
      cin.forall (%j, %t in %zero to %four) {
        %place = cin.apply affine_map<(d0, d1) -> (d0 * 4 + d1)>(%j, %t)
        %x = cin.access %A[%j] : memref<?xf32>
        cin.assign %x to %out[%place] : memref<?xf32>
      }
    }
    cin.forall () {
      %zero = cin.literal 0 : index
      %five = cin.literal 5 : index
      cin.forall (%j, %t in %zero to %five) attributes {names = ["j", "t"]} {
        %place = cin.apply affine_map<(d0, d1) -> (d0 * 4 + d1)>(%j, %t)
        %x = cin.access %A[%j] : memref<?xf32>
        // expected-error @below {{several values of j may assign to one element}}
        cin.assign %x to %out[%place] : memref<?xf32>
      }
    }
  }
  return
}

// -----

func.func @mixed(%y: memref<?xf32>, %a: tensor<?xf32>) {
  // expected-error @below {{mixes tensors and memrefs; all must be the one or the other}}
  cin.evaluate ins(%A = %a : tensor<?xf32>) outs(%out = %y : memref<?xf32>) {
    cin.forall (%i) {
      %x = cin.access %A[%i] : tensor<?xf32>
      cin.assign %x to %out[%i] : memref<?xf32>
    }
  }
  return
}

// -----

func.func @workspace(%y: memref<?xf32>, %k: index) {
  cin.evaluate ins(%n = %k : index) outs(%out = %y : memref<?xf32>) {
    cin.forall () {
      // expected-error @below {{has a size that is not the cin.extent of an array that the cin.evaluate around it names}}
      cin.where (%t : memref<?xf32>, %n) {
        cin.forall (%i) {
          %x = cin.access %t[%i] : memref<?xf32>
          cin.assign %x to %out[%i] : memref<?xf32>
        }
      } produced {
        cin.forall (%i) {
          %x = cin.access %out[%i] : memref<?xf32>
          cin.assign %x to %t[%i] : memref<?xf32>
        }
      }
    }
  }
  return
}

// -----

#sparse = #sparse_tensor.encoding<{ map = (i) -> (i : compressed) }>

func.func @encoded(%a: tensor<?xf32, #sparse>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{which is not dense; convert it to a tensor without encoding first}}
  %0 = cin.evaluate ins(%A = %a : tensor<?xf32, #sparse>) outs(%out = %y : tensor<?xf32>) -> tensor<?xf32> {
    cin.forall (%i) {
      %x = cin.access %A[%i] : tensor<?xf32, #sparse>
      cin.assign %x to %out[%i] : tensor<?xf32>
    }
  }
  return %0 : tensor<?xf32>
}

// -----

func.func @boolean_index(%a: memref<?xi1>, %y: memref<?xf32>) {
  cin.evaluate ins(%A = %a : memref<?xi1>) outs(%out = %y : memref<?xf32>) {
    cin.forall (%i) {
      %b = cin.access %A[%i] : memref<?xi1>
      // expected-error @below {{operand #1 must be variadic of 8-bit signless integer or 16-bit signless integer}}
      %x = cin.access %out[%b] : memref<?xf32> (i1)
      cin.assign %x to %out[%i] : memref<?xf32>
    }
  }
  return
}

// -----

func.func @stored_of_dense(%y: memref<?xf32>) {
  cin.evaluate outs(%out = %y : memref<?xf32>) {
    cin.forall (%i) {
      // expected-error @below {{asks whether an element of a dense array is stored: all are}}
      %z = cin.access stored %out[%i] : memref<?xf32>
    }
  }
  return
}

// -----

func.func @scan_of_a_scan(%n: memref<?xi64>, %y: memref<?xf32>) {
  cin.evaluate ins(%lengths = %n : memref<?xi64>) outs(%out = %y : memref<?xf32>) {
    %sums = cin.scan %lengths : memref<?xi64> -> memref<?xi64>
    // expected-error @below {{adds up an array that has no name}}
    %more = cin.scan %sums : memref<?xi64> -> memref<?xi64>
  }
  return
}

// -----

func.func @scan_within_nothing(%n: memref<?xi64>, %m: memref<?xi64>, %y: memref<?xf32>) {
  cin.evaluate ins(%lengths = %n : memref<?xi64>) outs(%out = %y : memref<?xf32>) {
    // expected-error @below {{has segments within an array that has no name}}
    %sums = cin.scan %lengths within %m : memref<?xi64>, memref<?xi64> -> memref<?xi64>
    cin.forall (%i) {
      %zero = cin.literal 0.0 : f32
      cin.assign %zero to %out[%i] : memref<?xf32>
    }
  }
  return
}

// -----

func.func @scan_of_another_size(%n: memref<4xi64>, %y: memref<?xf32>) {
  cin.evaluate ins(%lengths = %n : memref<4xi64>) outs(%out = %y : memref<?xf32>) {
    // expected-error @below {{has a result of type 'memref<4xi64>', which has not one element more than 'memref<4xi64>'}}
    %sums = cin.scan %lengths : memref<4xi64> -> memref<4xi64>
  }
  return
}

// -----

func.func @division(%y: memref<?xf32>, %x: memref<?xf32>) {
  cin.evaluate ins(%a = %x : memref<?xf32>) outs(%out = %y : memref<?xf32>) {
    cin.forall (%i) {
      // expected-error @below {{has a map that divides by something else than a positive constant}}
      %j = cin.apply affine_map<(d0) -> (d0 + d0 mod 0)>(%i)
      %v = cin.access %a[%j] : memref<?xf32>
      cin.assign %v to %out[%i] : memref<?xf32>
    }
  }
  return
}

// -----

func.func @map(%y: memref<?xf32>, %x: memref<?xf32>) {
  cin.evaluate ins(%a = %x : memref<?xf32>) outs(%out = %y : memref<?xf32>) {
    cin.forall (%i) {
      // expected-error @below {{has a map that is not one expression of dimensions}}
      %j = cin.apply affine_map<() -> ()>()
      %v = cin.access %a[%i] : memref<?xf32>
      cin.assign %v to %out[%j] : memref<?xf32>
    }
  }
  return
}

// -----

func.func @ranged(%y: memref<?xf32>) {
  cin.evaluate outs(%out = %y : memref<?xf32>) {
    // expected-error @below {{'ranged' follows from the rest of the operation: leave it out of its attributes}}
    cin.forall (%i) attributes {ranged = 5} {
      %zero = cin.literal 0.0 : f32
      cin.assign %zero to %out[%i] : memref<?xf32>
    }
  }
  return
}

// -----

func.func @schedule(%y: memref<?xf32>) {
  cin.evaluate outs(%out = %y : memref<?xf32>) {
    // expected-error @below {{attribute 'schedule' failed to satisfy constraint}}
    cin.forall (%i) attributes {schedule = "reorder(i)"} {
      %zero = cin.literal 0.0 : f32
      cin.assign %zero to %out[%i] : memref<?xf32>
    }
  }
  return
}

// -----

func.func @stored(%y: memref<?xf32>) {
  cin.evaluate outs(%out = %y : memref<?xf32>) {
    cin.forall (%i) {
      // expected-error @below {{'stored' follows from the rest of the operation: leave it out of its attributes}}
      %x = cin.access %out[%i] {stored = 1} : memref<?xf32>
      cin.assign %x to %out[%i] : memref<?xf32>
    }
  }
  return
}

// -----

func.func @segments_of_evaluate(%n: index, %x: memref<?xf32>, %y: memref<?xf32>) {
  // expected-error @below {{'operandSegmentSizes' follows from the rest of the operation: leave it out of its attributes}}
  cin.evaluate ins(%a = %x, %N = %n : memref<?xf32>, index) outs(%out = %y : memref<?xf32>) attributes {operandSegmentSizes = array<i32: 1, 2>} {
    cin.forall (%i) {
      %v = cin.access %a[%i] : memref<?xf32>
      cin.assign %v to %out[%i] : memref<?xf32>
    }
  }
  return
}

// -----

func.func @segments_of_forall(%n: index, %x: memref<?xf32>, %y: memref<?xf32>) {
  cin.evaluate ins(%a = %x, %N = %n : memref<?xf32>, index) outs(%out = %y : memref<?xf32>) {
    // expected-error @below {{'operandSegmentSizes' follows from the rest of the operation: leave it out of its attributes}}
    cin.forall (%i in %N to %N) attributes {operandSegmentSizes = array<i32: 2, 0>} {
      %v = cin.access %a[%i] : memref<?xf32>
      cin.assign %v to %out[%i] : memref<?xf32>
    }
  }
  return
}

// -----

func.func @segments_of_assign(%n: index, %x: memref<?xf32>, %y: memref<?xf32>) {
  cin.evaluate ins(%a = %x, %N = %n : memref<?xf32>, index) outs(%out = %y : memref<?xf32>) {
    cin.forall (%i) {
      %v = cin.access %a[%i] : memref<?xf32>
      // expected-error @below {{'operandSegmentSizes' follows from the rest of the operation: leave it out of its attributes}}
      cin.assign %v to %out[%i] {operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>} : memref<?xf32>
    }
  }
  return
}

// -----

func.func @segments_of_reduce(%n: index, %x: memref<?xf32>, %y: memref<?xf32>) {
  cin.evaluate ins(%a = %x, %N = %n : memref<?xf32>, index) outs(%out = %y : memref<?xf32>) {
    cin.forall (%i) {
      // expected-error @below {{'operandSegmentSizes' follows from the rest of the operation: leave it out of its attributes}}
      %v = cin.reduce add (%j in %N to %N) -> f32 attributes {operandSegmentSizes = array<i32: 0, 2>} {
        %w = cin.access %a[%j] : memref<?xf32>
        cin.yield %w : f32
      }
      cin.assign %v to %out[%i] : memref<?xf32>
    }
  }
  return
}

// -----

func.func @segments_of_assemble(%n: index, %x: memref<?xf32>, %y: memref<?xf32>) {
  cin.evaluate ins(%a = %x, %N = %n : memref<?xf32>, index) outs(%out = %y : memref<?xf32>) {
    // expected-error @below {{'operandSegmentSizes' follows from the rest of the operation: leave it out of its attributes}}
    %A = cin.assemble %a sizes(%N) {operandSegmentSizes = array<i32: 1, 1, 0>} : memref<?xf32> -> !cin.array<?xf32, #cin.format<dense fill 0.0 : f32>>
  }
  return
}

// -----

func.func @callee(%n: index, %x: memref<?xf32>, %y: memref<?xf32>) {
  cin.evaluate ins(%a = %x, %N = %n : memref<?xf32>, index) outs(%out = %y : memref<?xf32>) {
    cin.forall (%i) {
      %v = cin.access %a[%i] : memref<?xf32>
      // expected-error @below {{'callee' follows from the rest of the operation: leave it out of its attributes}}
      %w = cin.call neg(%v) {callee = #cin.builtin<abs>} : (f32) -> f32
      cin.assign %w to %out[%i] : memref<?xf32>
    }
  }
  return
}

// -----

func.func @generic_segments(%n: index, %x: memref<?xf32>, %y: memref<?xf32>) {
  cin.evaluate ins(%a = %x, %N = %n : memref<?xf32>, index) outs(%out = %y : memref<?xf32>) {
    cin.forall (%i) {
      %v = cin.access %a[%i] : memref<?xf32>
      // expected-error @below {{'cin.assign' op operand count (3) does not match with the total size (4) specified in attribute 'operandSegmentSizes'}}
      "cin.assign"(%v, %out, %i) {operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>} : (f32, memref<?xf32>, index) -> ()
    }
  }
  return
}

// -----

func.func @generic_count(%n: index, %x: memref<?xf32>, %y: memref<?xf32>) {
  cin.evaluate ins(%a = %x, %N = %n : memref<?xf32>, index) outs(%out = %y : memref<?xf32>) {
    cin.forall (%i) {
      %v = cin.access %a[%i] : memref<?xf32>
      // expected-error @below {{'cin.assign' op operand count (3) does not match with the total size (0) specified in attribute 'operandSegmentSizes'}}
      "cin.assign"(%v, %out, %i) {operandSegmentSizes = array<i32: 1, 1, 1>} : (f32, memref<?xf32>, index) -> ()
    }
  }
  return
}

// -----

func.func @negative_segment(%n: index, %x: memref<?xf32>, %y: memref<?xf32>) {
  cin.evaluate ins(%a = %x, %N = %n : memref<?xf32>, index) outs(%out = %y : memref<?xf32>) {
    cin.forall (%i) {
      %v = cin.access %a[%i] : memref<?xf32>
      // expected-error @below {{'cin.assign' op 'operandSegmentSizes' attribute cannot have negative elements}}
      "cin.assign"(%v, %out, %i) <{operandSegmentSizes = array<i32: 1, 1, 2, -1, 0>}> : (f32, memref<?xf32>, index) -> ()
    }
  }
  return
}

// -----

func.func @compact_input(%x: memref<?xf32>, %y: memref<?xf32>, %n: memref<1xi64>) {
  cin.evaluate ins(%A = %x : memref<?xf32>) outs(%out = %y, %count = %n : memref<?xf32>, memref<1xi64>) {
    // expected-error @below {{'cin.compact' op is of something else than arrays of outs}}
    %kept = cin.compact %A counted %count : memref<?xf32>, memref<1xi64>
  }
  return
}

// -----

func.func @compact_counts(%y: memref<?xf32>, %n: memref<?xi64>) {
  cin.evaluate outs(%out = %y, %count = %n : memref<?xf32>, memref<?xi64>) {
    // expected-error @below {{'cin.compact' op has a count of type 'memref<?xi64>', which is not one number}}
    %kept = cin.compact %out counted %count : memref<?xf32>, memref<?xi64>
  }
  return
}
