// RUN: ember-opt %s --dlc-to-ring -split-input-file -verify-diagnostics

func.func @wide(%n: index, %x: i2000) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  dlc.config_access {
    %tu = dlc.new_tu %c0 to %n step %c1
    %v = dlc.fwd_str %tu, %x : i2000 -> !slc.stream<i2000>
    dlc.register_callback %tu, ite, 0
    // expected-error @below {{'dlc.register_operand' op cannot push a 'i2000'}}
    dlc.register_operand %tu, ite, %v for 0 : !slc.stream<i2000>
  }
  dlc.compute_loop
  case 0 {
    %v = dlc.pop_operand : i2000
  }
  return
}

// -----

dlc.config_access {
}
// expected-error @below {{'dlc.compute_loop' op must stand in a function of the module}}
dlc.compute_loop
