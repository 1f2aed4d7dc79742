// Pipelines take programs of any level, and of several: what is past their
// level stays as it is, what is before it too.

// A pipeline run again on what it made changes nothing.
// RUN: ember-opt %s --scf-to-slc > %t.slc
// RUN: ember-opt %t.slc --scf-to-slc | diff %t.slc -
// RUN: ember-opt %t.slc --optimize > %t.slcv
// RUN: ember-opt %t.slcv --scf-to-slc | diff %t.slcv -
// RUN: ember-opt %t.slcv --optimize > %t.twice
// RUN: ember-opt %t.slcv --slc-to-dlc > %t.dlc
// RUN: ember-opt %t.dlc --slc-to-dlc | diff %t.dlc -
// RUN: ember-opt %t.dlc --scf-to-slc --optimize --slc-to-dlc > %t.again
// RUN: ember-opt %t.dlc --dlc-to-ring > %t.ring
// RUN: ember-opt %t.ring --dlc-to-ring | diff %t.ring -

// The loops of a half are not decoupled once more.
// RUN: ember-opt %t.ring --scf-to-slc --optimize --slc-to-dlc > %t.halves
// RUN: FileCheck %s --check-prefix=HALVES --implicit-check-not=slc. --implicit-check-not=dlc. --input-file=%t.halves
// HALVES: ring.run "sum"

// Nothing to separate in scf, and nothing to recouple.
// RUN: ember-opt %s > %t.scf
// RUN: ember-opt %s --slc-to-dlc | diff %t.scf -
// RUN: ember-opt %s --convert-slc-to-scf | diff %t.scf -
// RUN: ember-opt %s --convert-dlc-to-llvm | diff %t.scf -
// RUN: ember-opt %t.dlc --convert-slc-to-scf | diff %t.dlc -

// One function at each level.
// RUN: sed -e 's/@sum/@sum_slc/' %t.slc > %t.mixed
// RUN: sed -e 's/@sum/@sum_slcv/' %t.slcv >> %t.mixed
// RUN: sed -e 's/@sum/@sum_dlc/' %t.dlc >> %t.mixed
// RUN: sed -e 's/@sum/@sum_scf/' %t.scf >> %t.mixed
// RUN: %python %S/Inputs/join_modules.py %t.mixed > %t.all
// RUN: ember-opt %t.all --scf-to-slc -o %t.all1
// RUN: ember-opt %t.all --optimize -o %t.all2
// RUN: ember-opt %t.all --slc-to-dlc -o %t.all3
// RUN: ember-opt %t.all --scf-to-slc --optimize --slc-to-dlc -o %t.all4
// RUN: ember-opt %t.all --convert-slc-to-scf -o %t.all5

// Whatever has been done to it, each function gives the same values.
// RUN: %npy make %t.table.npy f32 "np.arange(40).reshape(5, 8)"
// RUN: %npy make %t.indices.npy index "[4, 0, 2]"
// RUN: %npy make %t.out.npy f32 "np.zeros(8)"
// RUN: %python %S/Inputs/run_everywhere.py %t.table.npy %t.indices.npy %t.out.npy 3 %t.all %t.all1 %t.all2 %t.all3 %t.all4 %t.all5 | FileCheck %s --check-prefix=VALUES
// RUN: %python %S/Inputs/run_everywhere.py %t.table.npy %t.indices.npy %t.out.npy 3 %t.twice %t.again %t.ring %t.halves | FileCheck %s --check-prefix=AGAIN
// VALUES: 72 runs, 1 value: {{.*}}48, 51, 54, 57, 60, 63, 66, 69
// AGAIN: 12 runs, 1 value: {{.*}}48, 51, 54, 57, 60, 63, 66, 69

func.func @sum(%table: memref<?x8xf32>, %indices: memref<?xindex>, %out: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.load %indices[%i] : memref<?xindex>
    scf.for %j = %c0 to %c8 step %c1 {
      %x = memref.load %table[%row, %j] : memref<?x8xf32>
      %old = memref.load %out[%j] : memref<8xf32>
      %new = arith.addf %old, %x : f32
      memref.store %new, %out[%j] : memref<8xf32>
    }
  }
  return
}
