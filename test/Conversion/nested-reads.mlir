// A callback may read a stream inside of a loop or a branch of its own: the element crosses once all the same.
// RUN: ember-opt %s --convert-slc-to-scf | FileCheck %s --check-prefix=SCF
// RUN: ember-opt %s --slc-to-dlc=opt-level=0 | FileCheck %s --check-prefix=DLC
// RUN: %npy make %t.ids.npy index "[2, 0, 1]"
// RUN: %npy make %t.table.npy f32 "[10, 20, 30]"
// RUN: %npy make %t.out.npy f32 "np.zeros((3, 4))"
// RUN: %npy make %t.expected.npy f32 "np.repeat([[30], [0], [20]], 4, 1)"
// RUN: ember-run %s --entry=rows @%t.ids.npy @%t.table.npy @%t.out.npy --save=2:%t.0.npy
// RUN: %npy compare %t.0.npy %t.expected.npy
// RUN: ember-opt %s --slc-to-dlc -o %t.dlc.mlir
// RUN: ember-run %t.dlc.mlir --entry=rows @%t.ids.npy @%t.table.npy @%t.out.npy --save=2:%t.1.npy
// RUN: %npy compare %t.1.npy %t.expected.npy

// SCF-LABEL: func.func @rows(
// SCF: scf.for %[[I:.*]] =
// SCF: %[[ID:.*]] = memref.load %{{.*}}[%[[I]]] : memref<3xindex>
// SCF: %[[V:.*]] = memref.load %{{.*}}[%[[ID]]] : memref<3xf32>
// SCF: scf.if
// SCF: scf.for
// SCF: memref.store %[[V]],

// DLC: dlc.compute_loop
// DLC: case 0
// DLC-NEXT: %[[I:.*]] = dlc.pop_operand : index
// DLC-NEXT: %[[ID:.*]] = dlc.pop_operand : index
// DLC-NEXT: %[[V:.*]] = dlc.pop_operand : f32
// DLC: scf.if
// DLC: memref.store %[[V]],
func.func @rows(%ids: memref<3xindex>, %table: memref<3xf32>, %out: memref<3x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  slc.for %i = %c0 to %c3 step %c1 {
    %id = slc.mem_str %ids[%i] : memref<3xindex>[!slc.stream<index>] -> !slc.stream<index>
    %v = slc.mem_str %table[%id] : memref<3xf32>[!slc.stream<index>] -> !slc.stream<f32>
    slc.callback ite {
      %row = slc.str_to_val %i : !slc.stream<index> -> index
      %which = slc.str_to_val %id : !slc.stream<index> -> index
      %wanted = arith.cmpi ne, %which, %c0 : index
      scf.if %wanted {
        scf.for %e = %c0 to %c4 step %c1 {
          %x = slc.str_to_val %v : !slc.stream<f32> -> f32
          memref.store %x, %out[%row, %e] : memref<3x4xf32>
        }
      }
    }
  }
  return
}
