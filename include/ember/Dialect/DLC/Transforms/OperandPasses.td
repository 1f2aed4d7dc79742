//===- OperandPasses.td - What the access unit sends -------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_DLC_TRANSFORMS_OPERANDPASSES_TD
#define EMBER_DIALECT_DLC_TRANSFORMS_OPERANDPASSES_TD

include "ember/Dialect/DLC/Transforms/ProgramPass.td"

def ToggleCallbacks : DLC_ProgramPass<"toggle-callbacks"> {
  let summary = "Send coordinates only when they change";
  let description = [{
    In coordinate formats the row of every nonzero is an element of an array,
    mostly the same as for the nonzero before. Instead of with each one, it is
    sent by a callback of its own, toggled when it changes (Ember paper, section
    7.4), into a register of the execute unit, which the other cases read.

    ```mlir
    dlc.program ...
    access {
      ...
      dlc.register_callback %edge, ite, 0
      dlc.register_operand %edge, ite, %row for 0 : !slc.stream<index>
      dlc.register_operand %edge, ite, %v for 0 : !slc.stream<f32>
    }
    compute {
        dlc.compute_loop
        case 0 {
          %r = dlc.pop_operand : index
          %x = dlc.pop_operand : f32
          ...
        }
      }
    }
    ```
    becomes
    ```mlir
    dlc.program ...
    access {
      ...
      dlc.register_callback %edge, ite, 1 on %row : !slc.stream<index>
      dlc.register_operand %edge, ite, %row for 1 : !slc.stream<index>
      dlc.register_callback %edge, ite, 0
      dlc.register_operand %edge, ite, %v for 0 : !slc.stream<f32>
    }
    compute {
        dlc.compute_loop iter_args(%c0) -> (index)
        case 0 {
        ^bb0(%r: index):
          %x = dlc.pop_operand : f32
          ...
          dlc.yield %r : index
        }
        case 1 {
        ^bb0(%r: index):
          %next = dlc.pop_operand : index
          dlc.yield %next : index
        }
      }
    }
    ```

    A change costs a token and an operand, so this pays where a value stays for
    more than two iterations. `auto` takes that for granted of coordinates, read
    position by position, at which a case accumulates: that makes sense only if
    they repeat. A remark names other coordinates.
  }];
  let options = [
    Option<"which", "which", "::ember::Choice<::ember::dlc::ToggleChoice>",
           "::ember::dlc::ToggleChoice::automatic",
           "Which operands are sent only when they change",
           [{::llvm::cl::values(
             clEnumValN(::ember::dlc::ToggleChoice::none, "none", "none"),
             clEnumValN(::ember::dlc::ToggleChoice::automatic, "auto",
                        "coordinates at which a case accumulates"),
             clEnumValN(::ember::dlc::ToggleChoice::all, "all",
                        "all integers that are read or computed"))}]>,
  ];
  let statistics = [
    Statistic<"operands", "operands", "Operands sent only when they change">,
  ];
  let dependentDialects = ["::ember::dlc::DLCDialect",
                           "::mlir::arith::ArithDialect"];
}

def HoldOperands : DLC_ProgramPass<"hold-operands"> {
  let summary = "Send what stays in a segment once, and keep it";
  let description = [{
    Where one row of a segment meets all others of it, as a vertex its
    neighbours or a query the keys of a block, the access unit need not load and
    send it with each one. The case is split: in the first iteration of each
    traversal of the segment, a token of its own comes with all operands, and its
    case keeps those that stay, rows in memory of the execute unit, scalars in
    registers; in the others, the case reads them there. Numbers that grow by the
    same distance in each iteration, such as positions, are sent once too, and
    then counted. No token is added, and nothing is sent for empty segments.

    ```mlir
    dlc.program ...
    access {
      ...
      dlc.register_callback %elem, end, 0 announced
      dlc.register_operand %elem, ite, %left for 0 : !slc.stream<vector<8xf32>>
      dlc.register_operand %elem, ite, %right for 0 : !slc.stream<vector<8xf32>>
    }
    compute {
        dlc.compute_loop
        case 0 {
          scf.for %k = %c0 to %n step %c1 {
            %l = dlc.pop_operand : vector<8xf32>
            %r = dlc.pop_operand : vector<8xf32>
            ...
          }
        }
      }
    }
    ```
    becomes
    ```mlir
    dlc.program ...
    access {
      ...
      dlc.register_callback %elem, end, 0 announced on same %vertex : !slc.stream<index>
      dlc.register_operand %elem, ite, %right for 0 : !slc.stream<vector<8xf32>>
      dlc.register_callback %elem, end, 1 announced on %vertex : !slc.stream<index>
      dlc.register_operand %elem, ite, %left for 1 : !slc.stream<vector<8xf32>>
      dlc.register_operand %elem, ite, %right for 1 : !slc.stream<vector<8xf32>>
    }
    compute {
      %held = memref.alloc(%n) : memref<?xvector<8xf32>>
    compute {
        dlc.compute_loop
        case 0 {
          scf.for %k = %c0 to %n step %c1 {
            %l = memref.load %held[%k] : memref<?xvector<8xf32>>
            %r = dlc.pop_operand : vector<8xf32>
            ...
          }
        }
        case 1 {
          scf.for %k = %c0 to %n step %c1 {
            %l = dlc.pop_operand : vector<8xf32>
            memref.store %l, %held[%k] : memref<?xvector<8xf32>>
            %r = dlc.pop_operand : vector<8xf32>
            ...
          }
        }
        memref.dealloc %held : memref<?xvector<8xf32>>
    }
    }
    ```

    Cases are split that pop a row of fixed length element by element in a loop
    from zero, as bufferisation leaves them. Loads stay as they are in programs
    whose access unit also stores.
  }];
  let statistics = [
    Statistic<"operands", "operands", "Operands sent once a segment">,
  ];
  let dependentDialects = ["::ember::dlc::DLCDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::vector::VectorDialect"];
}

def DeriveOperands : DLC_ProgramPass<"derive-operands"> {
  let summary = "Do not send what the execute unit can work out";
  let description = [{
    Scalars need not cross the data queue where the tokens say as much:

    * What is computed from numbers that units visit, if how often they iterate
      is known before the programs start. The execute unit counts the tokens of
      the callback, and goes on with an outer unit whenever the inner ones are
      through.
    * What is sent twice. In the first iteration of a traversal, what its unit
      visits is its lower bound.
    * Two numbers that the case only adds, subtracts or multiplies. The access
      unit does it, and sends the result: the length of a segment, for example.

    ```mlir
    dlc.program ...
    access {
      %row = dlc.new_tu %c0 to %n step %c1
      %q = dlc.get_ind_var %row : !slc.stream<index>
      %block = dlc.new_tu %c0 to %m step %c1 in %row
      ...
      dlc.register_callback %block, ite, 0
      dlc.register_operand %block, ite, %q for 0 : !slc.stream<index>
    }
    compute {
      dlc.compute_loop
      case 0 {
        %r = dlc.pop_operand : index
        ...
      }
    }
    ```
    becomes
    ```mlir
    dlc.program ...
    access {
      ...
      dlc.register_callback %block, ite, 0
    }
    compute {
      dlc.compute_loop iter_args(%c0, %c0) -> (index, index)
      case 0 {
      ^bb0(%b: index, %r: index):
        ...
        %next = arith.addi %b, %c1 : index
        %through = arith.cmpi eq, %next, %m : index
        %b1 = arith.select %through, %c0, %next : index
        %r1 = arith.addi %r, %c1 : index
        %r2 = arith.select %through, %r1, %r : index
        dlc.yield %b1, %r2 : index, index
      }
    }
    ```
  }];
  let statistics = [
    Statistic<"operands", "operands", "Scalars that are not sent any more">,
  ];
  let dependentDialects = ["::ember::dlc::DLCDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect"];
}

def ReuseOperands : DLC_ProgramPass<"reuse-operands"> {
  let summary = "Load no row again that was popped";
  let description = [{
    A case may work on a row twice: message passing multiplies a neighbour's row
    by what it has in common with the vertex's, which is known when all of it has
    come. Only one loop of the case pops the row, and the other one loads it from
    memory, which the execute unit would wait for. It is kept instead; the
    operands that said where it is are not sent any more.

    ```mlir
    case 0 {
      %j = dlc.pop_operand : index
      %dot = scf.for %k = %c0 to %c2 step %c1 iter_args(...) -> (f32) {
        %v = dlc.pop_operand : vector<4xf32>
        ...
      }
      scf.for %e = %c0 to %c8 step %c4 {
        %w = vector.load %table[%j, %e] : memref<?x8xf32>, vector<4xf32>
        ...
      }
    }
    ```
    becomes, where the operands are rows `%j` of the table,
    ```mlir
    %row = memref.alloca() {alignment = 64 : i64} : memref<8xf32>
    ...
    case 0 {
      %dot = scf.for %k = %c0 to %c2 step %c1 iter_args(...) -> (f32) {
        %v = dlc.pop_operand : vector<4xf32>
        %place = arith.muli %k, %c4 : index
        vector.store %v, %row[%place] : memref<8xf32>, vector<4xf32>
        ...
      }
      scf.for %e = %c0 to %c8 step %c4 {
        %w = vector.load %row[%e] : memref<8xf32>, vector<4xf32>
        ...
      }
    }
    ```
  }];
  let statistics = [
    Statistic<"reused", "reused rows", "Loads that read popped rows instead">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def UseTokenValues : DLC_ProgramPass<"use-token-values"> {
  let summary = "Let tokens carry a scalar operand of their case";
  let description = [{
    The id of a case needs a few of the 64 bits of a token. Of each case, one
    scalar operand leaves the data queue and rides in the token (Ember paper,
    section 8.3: control tokens whose values compute code uses): the one that
    takes most bytes there. That is one which queue alignment has padded to a
    vector, if there is one; the scalar itself then rides.

    ```mlir
    dlc.program ...
    access {
      ...
      %wide = dlc.fwd_str %lookup, %w : !slc.stream<f32> -> !slc.stream<vector<16xf32>>
      dlc.register_callback %elem, end, 0 announced
      dlc.register_operand %elem, beg, %wide for 0 : !slc.stream<vector<16xf32>>
      dlc.register_operand %elem, ite, %v for 0 : !slc.stream<vector<16xf32>>
    }
    compute {
        dlc.compute_loop
        case 0 {
          %padded = dlc.pop_operand : vector<16xf32>
          %weight = vector.extract %padded[0] : f32 from vector<16xf32>
          ...
        }
      }
    }
    ```
    becomes
    ```mlir
    dlc.program ...
    access {
      ...
      dlc.register_callback %elem, end, 0 announced value %w : !slc.stream<f32>
      dlc.register_operand %elem, ite, %v for 0 : !slc.stream<vector<16xf32>>
    }
    compute {
        dlc.compute_loop
        case 0 {
          %weight = dlc.token_value : f32
          ...
        }
      }
    }
    ```

    An operand can ride if it is pushed at the event at which the token is, and
    popped in the case itself, not in a loop of it. Values of any bits arrive
    as they are: an integer of 64 bits that does not fit follows as an operand.
    Most floats of 64 bits would, so they ride only with `which=any`. A remark
    names the cases of which no scalar can ride.
  }];
  let options = [
    Option<"which", "which", "::ember::Choice<::ember::dlc::TokenValueChoice>",
           "::ember::dlc::TokenValueChoice::automatic",
           "Which operands tokens carry",
           [{::llvm::cl::values(
             clEnumValN(::ember::dlc::TokenValueChoice::none, "none", "none"),
             clEnumValN(::ember::dlc::TokenValueChoice::automatic, "auto",
                        "those that fit nearly always"),
             clEnumValN(::ember::dlc::TokenValueChoice::any, "any",
                        "also f64, which often does not fit"))}]>,
  ];
  let statistics = [
    Statistic<"moved", "moved", "Scalar operands that left the data queue">,
    Statistic<"padded", "padded", "Of them, those that were padded to vectors">,
  ];
  let dependentDialects = ["::ember::dlc::DLCDialect"];
}

def NarrowOperands : DLC_ProgramPass<"narrow-operands"> {
  let summary = "Push once what all lanes of an operand have";
  let description = [{
    Queues in which all operands are equally large want a scalar padded to a vector.
    A unit that aligns each operand by itself pushes it as it is, and lanes of its
    own are what it has nowhere but in a traversal with lanes: the scalar is pushed,
    and the compute program has it in all lanes.

    ```mlir
    dlc.program ...
    access {
      ...
      %wide = dlc.fwd_str %lookup, %w : !slc.stream<f32> -> !slc.stream<vector<16xf32>>
      dlc.register_operand %elem, beg, %wide for 0 : !slc.stream<vector<16xf32>>
    }
    compute {
      dlc.compute_loop
      case 0 {
        %v = dlc.pop_operand : vector<16xf32>
        ...
      }
    }
    ```
    becomes
    ```mlir
    dlc.program ...
    access {
      ...
      dlc.register_operand %elem, beg, %w for 0 : !slc.stream<f32>
    }
    compute {
      dlc.compute_loop
      case 0 {
        %w = dlc.pop_operand : f32
        %v = vector.broadcast %w : f32 to vector<16xf32>
        ...
      }
    }
    ```
  }];
  let dependentDialects = ["::ember::dlc::DLCDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // EMBER_DIALECT_DLC_TRANSFORMS_OPERANDPASSES_TD
