// RUN: ember-opt %s --dlc-to-ring -split-input-file -verify-diagnostics

func.func @wide(%n: index, %x: i2000) {
  dlc.program captures(%n = %n : index, %x = %x : i2000)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %v = dlc.fwd_str %tu, %x : i2000 -> !slc.stream<i2000>
    dlc.register_callback %tu, ite, 0
    // expected-error @below {{'dlc.register_operand' op cannot push a 'i2000'}}
    dlc.register_operand %tu, ite, %v for 0 : !slc.stream<i2000>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %v = dlc.pop_operand : i2000
    }
  }
  return
}

// -----

// expected-error @below {{'dlc.program' op must stand in a function of the module}}
dlc.program
access {
}
compute {
  dlc.compute_loop
}
