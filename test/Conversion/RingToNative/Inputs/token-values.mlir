// Two cases whose tokens carry a value of type ELEMENT, one of them token LARGE,
// and one whose tokens carry none.

// Element 2k and 2k + 1 of each pair arrive by different cases.
func.func @mixed(%in: memref<?xELEMENT>, %out: memref<?xELEMENT>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %in, %c0 : memref<?xELEMENT>
  dlc.program captures(%n = %n : index, %in = %in : memref<?xELEMENT>, %out = %out : memref<?xELEMENT>)
  access {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %outer = dlc.new_tu %c0 to %n step %c2
    %i = dlc.get_ind_var %outer : !slc.stream<index>
    %j = dlc.alu_str %outer, add %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    %v = dlc.mem_str %outer, %in[%i] : memref<?xELEMENT>[!slc.stream<index>] -> !slc.stream<ELEMENT>
    %w = dlc.mem_str %outer, %in[%j] : memref<?xELEMENT>[!slc.stream<index>] -> !slc.stream<ELEMENT>
    dlc.register_callback %outer, ite, 0 value %v : !slc.stream<ELEMENT>
    dlc.register_operand %outer, ite, %i for 0 : !slc.stream<index>
    %inner = dlc.new_tu %c0 to %c2 step %c1 in %outer vector<2>
    %e = dlc.get_ind_var %inner : !slc.stream<vector<2xindex>>
    dlc.register_callback %inner, end, LARGE announced value %w : !slc.stream<ELEMENT>
    dlc.register_operand %inner, beg, %i for LARGE : !slc.stream<index>
    dlc.register_operand %inner, ite, %e for LARGE : !slc.stream<vector<2xindex>>
    dlc.register_callback %outer, end, 1
  }
  compute {
    dlc.compute_loop
    case 0 {
      %i = dlc.pop_operand : index
      %v = dlc.token_value : ELEMENT
      memref.store %v, %out[%i] : memref<?xELEMENT>
    }
    case LARGE {
      %w = dlc.token_value : ELEMENT
      %i = dlc.pop_operand : index
      %e = dlc.pop_operand : vector<2xindex>
      %one = vector.extract %e[1] : index from vector<2xindex>
      %at = arith.addi %i, %one : index
      memref.store %w, %out[%at] : memref<?xELEMENT>
    }
    case 1 {
    }
  }
  return
}
