// One program at every level, as a file and through a pipe, is one function.
// RUN: rm -rf %t && mkdir -p %t
// RUN: %npy make %t/table.npy f32 "np.arange(12).reshape(3, 4)"
// RUN: %npy make %t/indices.npy index "[2, 0, 1]"
// RUN: %npy make %t/offsets.npy index "[0, 2, 2, 3]"
// RUN: %npy make %t/out.npy f32 "np.zeros((3, 4))"
// RUN: emberc %S/../Inputs/bag.mlir --emit=slc -o %t/slc.mlir
// RUN: emberc %S/../Inputs/bag.mlir --emit=slcv --vector-length=2 -o %t/slcv.mlir
// RUN: emberc %S/../Inputs/bag.mlir --emit=scf --vector-length=2 -o %t/scf.mlir
// RUN: emberc %S/../Inputs/bag.mlir --emit=dlc --vector-length=2 -o %t/dlc.mlir
// RUN: ember-run %t/slc.mlir @%t/table.npy @%t/indices.npy @%t/offsets.npy @%t/out.npy --print=3 --stats=%t/slc.json | FileCheck %s
// RUN: ember-run %t/slcv.mlir @%t/table.npy @%t/indices.npy @%t/offsets.npy @%t/out.npy --print=3 --stats=%t/slcv.json | FileCheck %s
// RUN: ember-run %t/scf.mlir @%t/table.npy @%t/indices.npy @%t/offsets.npy @%t/out.npy --print=3 --stats=%t/scf.json | FileCheck %s
// RUN: ember-run %t/dlc.mlir @%t/table.npy @%t/indices.npy @%t/offsets.npy @%t/out.npy --print=3 --stats=%t/dlc.json | FileCheck %s
// RUN: ember-run %t/dlc.mlir @%t/table.npy @%t/indices.npy @%t/offsets.npy @%t/out.npy --print=3 --schedule=threads | FileCheck %s
// RUN: ember-run %t/dlc.mlir @%t/table.npy @%t/indices.npy @%t/offsets.npy @%t/out.npy --print=3 --queue-capacity=1 | FileCheck %s
// RUN: ember-run %t/dlc.mlir @%t/table.npy @%t/indices.npy @%t/offsets.npy @%t/out.npy --print=3 --queue-capacity=1 --schedule=threads | FileCheck %s
// RUN: ember-run %S/../Inputs/bag.mlir @%t/table.npy @%t/indices.npy @%t/offsets.npy @%t/out.npy --print=3 --target=cpu | FileCheck %s
// RUN: ember-run %S/../Inputs/bag.mlir @%t/table.npy @%t/indices.npy @%t/offsets.npy @%t/out.npy --print=3 --target=dae-threads -O1 | FileCheck %s
// RUN: ember-opt --scf-to-slc %S/../Inputs/bag.mlir | ember-opt --optimize | ember-opt --slc-to-dlc \
// RUN:   | ember-run - --entry=bag @%t/table.npy @%t/indices.npy @%t/offsets.npy @%t/out.npy --print=3 | FileCheck %s
// CHECK: argument 3 'out': memref<?x4xf32> [3, 4] = {{\[\[}}8, 10, 12, 14], [0, 0, 0, 0], [4, 5, 6, 7]]

// RUN: FileCheck %s --check-prefix=LEVEL -DLEVEL=slc --input-file=%t/slc.json
// RUN: FileCheck %s --check-prefix=LEVEL -DLEVEL=slcv --input-file=%t/slcv.json
// RUN: FileCheck %s --check-prefix=LEVEL -DLEVEL=scf --input-file=%t/scf.json
// RUN: FileCheck %s --check-prefix=LEVEL -DLEVEL=dlc --input-file=%t/dlc.json
// LEVEL: "entry": "bag"
// LEVEL: "levels": {
// LEVEL-NEXT: "bag": "[[LEVEL]]"

// A module may mix levels, and so may a function.
// RUN: ember-run %s --entry=mixed @%t/indices.npy --stats=%t/mixed.json | FileCheck %s --check-prefix=MIXED
// RUN: FileCheck %s --check-prefix=MIXEDSTATS --input-file=%t/mixed.json
// MIXED: result 0: index = 6
// MIXEDSTATS: "levels": {
// MIXEDSTATS-NEXT: "mixed": "mixed",
// MIXEDSTATS-NEXT: "plain": "scf",
// MIXEDSTATS-NEXT: "streams": "slc"
func.func private @plain(%a: memref<?xindex>, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c0) -> (index) {
    %v = memref.load %a[%i] : memref<?xindex>
    %next = arith.addi %acc, %v : index
    scf.yield %next : index
  }
  return %sum : index
}
func.func private @streams(%a: memref<?xindex>, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = slc.for %i = %c0 to %n step %c1 iter_args(%acc = %c0) -> (index) {
    %s = slc.mem_str %a[%i] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %next = slc.callback ite -> index {
      %v = slc.str_to_val %s : !slc.stream<index> -> index
      %t = arith.addi %acc, %v : index
      slc.yield %t : index
    }
    slc.yield %next : index
  }
  return %sum : index
}
func.func @mixed(%a: memref<?xindex>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xindex>
  %one = call @plain(%a, %n) : (memref<?xindex>, index) -> index
  %two = call @streams(%a, %n) : (memref<?xindex>, index) -> index
  %sum = arith.addi %one, %two : index
  scf.for %i = %c0 to %c1 step %c1 {
    slc.for %j = %c0 to %n step %c1 {
      %s = slc.mem_str %a[%j] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    }
  }
  return %sum : index
}
