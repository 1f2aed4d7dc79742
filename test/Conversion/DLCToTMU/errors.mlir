// What a unit cannot do is one error, at what needs it.

// RUN: ember-opt %s --dlc-to-tmu=lanes=4 --split-input-file --verify-diagnostics
// RUN: not ember-opt %s --dlc-to-tmu=lanes=0 --split-input-file 2>&1 | FileCheck %s
// CHECK: error: dlc-to-tmu: a unit has at least one lane, not 0

func.func @f(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    %wide = dlc.fwd_str %tu, %i : !slc.stream<index> -> !slc.stream<vector<4xindex>>
    dlc.register_callback %tu, ite, 0
    // expected-error @below {{'dlc.register_operand' op pushes a 'vector<4xindex>' where there are no lanes; --narrow-operands pushes one element of what is the same in all}}
    dlc.register_operand %tu, ite, %wide for 0 : !slc.stream<vector<4xindex>>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %v = dlc.pop_operand : vector<4xindex>
    }
  }
  return
}

// -----

func.func @f(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-note @below {{the unit with lanes}}
    %tu = dlc.new_tu %c0 to %n step %c1 vector<4>
    // expected-error @below {{'dlc.new_tu' op traverses within a unit that has lanes; only the innermost one can be spread over them}}
    %in = dlc.new_tu %c0 to %n step %c1 in %tu
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @f(%n: index, %m: vector<4xi1>) {
  dlc.program captures(%n = %n : index, %m = %m : vector<4xi1>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @below {{'dlc.new_tu' op has a mask of lanes; give the mask to what loads and pushes instead}}
    %tu = dlc.new_tu %c0 to %n step %c1 vector<4> mask %m : index, index, vector<4xi1>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @f(%n: index, %m: vector<4xindex>) {
  dlc.program captures(%n = %n : index, %m = %m : vector<4xindex>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %out = dlc.new_tu %c0 to %n step %c1
    %ends = dlc.fwd_str %out, %m : vector<4xindex> -> !slc.stream<vector<4xindex>>
    // expected-error @below {{'dlc.new_tu' op has bounds of its own in each lane, which no unit around it gives; traverse without lanes}}
    %tu = dlc.new_tu %c0 to %ends step %c1 in %out vector<4> : index, !slc.stream<vector<4xindex>>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @f() {
  dlc.program
  access {
    %lower = arith.constant 9223372036854775801 : index
    %upper = arith.constant 9223372036854775807 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %out = dlc.new_tu %c0 to %c1 step %c1
    // expected-error @below {{'dlc.new_tu' op ends so near the last position there is that lanes behind its end have none; traverse without lanes}}
    %tu = dlc.new_tu %lower to %upper step %c1 in %out vector<4>
    %i = dlc.get_ind_var %tu : !slc.stream<vector<4xindex>>
    dlc.register_callback %tu, ite, 0
    dlc.register_operand %tu, ite, %i for 0 : !slc.stream<vector<4xindex>>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %i = dlc.pop_operand : vector<4xindex>
      dlc.yield
    }
  }
  return
}

// -----

func.func @f(%n: index, %a: memref<?xvector<4xf32>>) {
  dlc.program captures(%n = %n : index, %a = %a : memref<?xvector<4xf32>>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    // expected-error @below {{'dlc.mem_str' op accesses a memref of vectors; make it one of 'f32'}}
    %v = dlc.mem_str %tu, %a[%i] : memref<?xvector<4xf32>>[!slc.stream<index>] -> !slc.stream<vector<4xf32>>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @f(%n: index, %a: memref<?xi1>) {
  dlc.program captures(%n = %n : index, %a = %a : memref<?xi1>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    // expected-error @below {{'dlc.mem_str' op accesses flags in memory, which are no whole bytes; store them as i8}}
    %v = dlc.mem_str %tu, %a[%i] : memref<?xi1>[!slc.stream<index>] -> !slc.stream<i1>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @f(%n: index, %a: memref<?xf128>) {
  dlc.program captures(%n = %n : index, %a = %a : memref<?xf128>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    // expected-error @below {{'dlc.mem_str' op has elements of 'f128'; a lane holds flags, and numbers of 8, 16, 32 or 64 bits}}
    %v = dlc.mem_str %tu, %a[%i] : memref<?xf128>[!slc.stream<index>] -> !slc.stream<f128>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @f(%n: index, %a: memref<?xi64, strided<[2]>>) {
  dlc.program captures(%n = %n : index, %a = %a : memref<?xi64, strided<[2]>>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @below {{'dlc.new_tu' op compares coordinates that are no neighbours in memory; copy them to a memref without a layout}}
    %tu = dlc.new_tu %c0 to %n step %c1 segments(%a : memref<?xi64, strided<[2]>>)
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @f(%n: index, %a: memref<?xf64>) {
  dlc.program captures(%n = %n : index, %a = %a : memref<?xf64>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1 vector<16>
    %i = dlc.get_ind_var %tu : !slc.stream<vector<16xindex>>
    %m = dlc.get_mask %tu : !slc.stream<vector<16xi1>>
    %v = dlc.mem_str %tu, %a[%i] mask %m contiguous : memref<?xf64>[!slc.stream<vector<16xindex>>] -> !slc.stream<vector<16xf64>>
    dlc.register_callback %tu, ite, 0
    // expected-error @below {{'dlc.register_operand' op pushes a 'vector<16xf64>' of 128 bytes; an operand of the output queue has at most 64: a vector length of 8 would fit}}
    dlc.register_operand %tu, ite, %v for 0 : !slc.stream<vector<16xf64>>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %v = dlc.pop_operand : vector<16xf64>
    }
  }
  return
}

// -----

func.func @f(%n: index, %a: memref<?xf32>) {
  dlc.program captures(%n = %n : index, %a = %a : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1 vector<16>
    %i = dlc.get_ind_var %tu : !slc.stream<vector<16xindex>>
    %m = dlc.get_mask %tu : !slc.stream<vector<16xi1>>
    // expected-error @below {{'dlc.mem_str' op loads 4 elements of 'f32' a lane, which moves 8 bytes at once; a vector length of 8 would fit}}
    %v = dlc.mem_str %tu, %a[%i] mask %m contiguous : memref<?xf32>[!slc.stream<vector<16xindex>>] -> !slc.stream<vector<16xf32>>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @f(%n: index, %a: memref<?xf32>) {
  dlc.program captures(%n = %n : index, %a = %a : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1 vector<8>
    %i = dlc.get_ind_var %tu : !slc.stream<vector<8xindex>>
    %m = dlc.get_mask %tu : !slc.stream<vector<8xi1>>
    // expected-error @below {{'dlc.mem_str' op loads what is not a row of neighbours, or zero, but each of 4 lanes stands for 2 elements of 8; vectors of as many as there are lanes would fit}}
    %v = dlc.mem_str %tu, %a[%i] mask %m : memref<?xf32>[!slc.stream<vector<8xindex>>] -> !slc.stream<vector<8xf32>>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @f(%n: index, %a: memref<?xf32, strided<[2]>>) {
  dlc.program captures(%n = %n : index, %a = %a : memref<?xf32, strided<[2]>>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1 vector<8>
    %i = dlc.get_ind_var %tu : !slc.stream<vector<8xindex>>
    %m = dlc.get_mask %tu : !slc.stream<vector<8xi1>>
    // expected-error @below {{'dlc.mem_str' op loads neighbours that are no neighbours in memory}}
    %v = dlc.mem_str %tu, %a[%i] mask %m contiguous : memref<?xf32, strided<[2]>>[!slc.stream<vector<8xindex>>] -> !slc.stream<vector<8xf32>>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @f(%n: index, %a: memref<?xf32>) {
  dlc.program captures(%n = %n : index, %a = %a : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1 vector<8>
    %i = dlc.get_ind_var %tu : !slc.stream<vector<8xindex>>
    %m = dlc.get_mask %tu : !slc.stream<vector<8xi1>>
    // expected-error @below {{'dlc.mem_str' op has no mask}}
    %v = dlc.mem_str %tu, %a[%i] contiguous : memref<?xf32>[!slc.stream<vector<8xindex>>] -> !slc.stream<vector<8xf32>>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @f(%n: index, %a: memref<?xf32>) {
  dlc.program captures(%n = %n : index, %a = %a : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1 vector<8>
    %i = dlc.get_ind_var %tu : !slc.stream<vector<8xindex>>
    %m = dlc.get_mask %tu : !slc.stream<vector<8xi1>>
    %ok = dlc.cmp_str %tu, slt %i, %c1 : !slc.stream<vector<8xindex>>, index -> !slc.stream<vector<8xi1>>
    // expected-error @below {{'dlc.mem_str' op has a mask that is not the traversal's}}
    %v = dlc.mem_str %tu, %a[%i] mask %ok contiguous : memref<?xf32>[!slc.stream<vector<8xindex>>] -> !slc.stream<vector<8xf32>>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @f(%n: index, %a: memref<?xi32>) {
  dlc.program captures(%n = %n : index, %a = %a : memref<?xi32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1 vector<8>
    %i = dlc.get_ind_var %tu : !slc.stream<vector<8xindex>>
    %m = dlc.get_mask %tu : !slc.stream<vector<8xi1>>
    %v = dlc.mem_str %tu, %a[%i] mask %m contiguous : memref<?xi32>[!slc.stream<vector<8xindex>>] -> !slc.stream<vector<8xi32>>
    // expected-error @below {{'dlc.cast_str' op computes with loaded vectors}}
    %k = dlc.cast_str %tu, %v : !slc.stream<vector<8xi32>> to !slc.stream<vector<8xindex>>
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @f(%n: index, %a: memref<?xf32>) {
  dlc.program captures(%n = %n : index, %a = %a : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1 vector<8>
    %i = dlc.get_ind_var %tu : !slc.stream<vector<8xindex>>
    %m = dlc.get_mask %tu : !slc.stream<vector<8xi1>>
    %v = dlc.mem_str %tu, %a[%i] mask %m contiguous : memref<?xf32>[!slc.stream<vector<8xindex>>] -> !slc.stream<vector<8xf32>>
    dlc.register_callback %tu, ite, 0
    // expected-error @below {{'dlc.register_operand' op pushes one element of a loaded vector}}
    dlc.register_operand %tu, ite, %v[0] for 0 : !slc.stream<vector<8xf32>>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %v = dlc.pop_operand : f32
    }
  }
  return
}

// -----

func.func @f(%n: index, %a: memref<?xf32>) {
  dlc.program captures(%n = %n : index, %a = %a : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1 vector<8>
    %i = dlc.get_ind_var %tu : !slc.stream<vector<8xindex>>
    %m = dlc.get_mask %tu : !slc.stream<vector<8xi1>>
    %v = dlc.mem_str %tu, %a[%i] mask %m contiguous : memref<?xf32>[!slc.stream<vector<8xindex>>] -> !slc.stream<vector<8xf32>>
    // expected-error @below {{'dlc.register_callback' op carries one element of a loaded vector}}
    dlc.register_callback %tu, ite, 0 value %v[0] : !slc.stream<vector<8xf32>>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %v = dlc.token_value : f32
    }
  }
  return
}

// -----

func.func @f(%n: index, %a: memref<?xf32>) {
  dlc.program captures(%n = %n : index, %a = %a : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1 vector<8>
    %i = dlc.get_ind_var %tu : !slc.stream<vector<8xindex>>
    %m = dlc.get_mask %tu : !slc.stream<vector<8xi1>>
    dlc.register_callback %tu, ite, 0
    // expected-error @below {{'dlc.register_operand' op reads elements behind the end of the traversal}}
    dlc.register_operand %tu, ite, %i[7] for 0 : !slc.stream<vector<8xindex>>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %v = dlc.pop_operand : index
    }
  }
  return
}

// -----

func.func @f(%n: index, %a: memref<?xf32>) {
  dlc.program captures(%n = %n : index, %a = %a : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1 vector<8>
    %i = dlc.get_ind_var %tu : !slc.stream<vector<8xindex>>
    %m = dlc.get_mask %tu : !slc.stream<vector<8xi1>>
    %v = dlc.mem_str %tu, %a[%i] mask %m contiguous : memref<?xf32>[!slc.stream<vector<8xindex>>] -> !slc.stream<vector<8xf32>>
    // expected-error @below {{'dlc.store_str' op stores what is not a loaded row of neighbours}}
    dlc.store_str %tu, %v, %a[%i] mask %m : !slc.stream<vector<8xf32>>, memref<?xf32>[!slc.stream<vector<8xindex>>]
  }
  compute {
    dlc.compute_loop
  }
  return
}

// -----

func.func @nested(%n: index) {
  // expected-note @below {{the program}}
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    dlc.register_callback %tu, ite, 0
  }
  compute {
    dlc.compute_loop
    case 0 {
      // expected-error @below {{'dlc.program' op stands in a case of another program; the access unit runs one at a time}}
      dlc.program captures(%n = %n : index)
      access {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %tu = dlc.new_tu %c0 to %n step %c1
      }
      compute {
        dlc.compute_loop
      }
    }
  }
  return
}

// -----

func.func private @part(%n: index) {
  // expected-note @below {{the other program}}
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
  }
  compute {
    dlc.compute_loop
  }
  return
}

func.func private @parts(%n: index) {
  func.call @part(%n) : (index) -> ()
  return
}

func.func @calls(%n: index) {
  // expected-error @below {{'dlc.program' op calls a function that runs another program; the access unit runs one at a time}}
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    dlc.register_callback %tu, ite, 0
  }
  compute {
    dlc.compute_loop
    case 0 {
      // expected-note @below {{the call}}
      func.call @parts(%n) : (index) -> ()
    }
  }
  return
}
