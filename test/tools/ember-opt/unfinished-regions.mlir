// A program that is not parsed to its end leaves no damaged memory to die of.
// RUN: not ember-opt %s -o /dev/null 2>&1 | FileCheck %s
// CHECK: error: custom op 'scf.index_switch' expected 'default'

func.func @rows(%out: memref<?xf32>, %case: index) {
  %c0 = arith.constant 0 : index
    scf.index_switch %case
    case 0 {
      memref.store %v, %out[%c0] : memref<?xf32>
      scf.yield
    }
    case 1 {
      %v = arith.constant 1.0 : f32
      memref.store %v, %out[%c0] : memref<?xf32>
      scf.yield
    }
      %v = arith.constant 1.0 : f32
    default {
    }
  return
}
