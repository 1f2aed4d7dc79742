// Views made inside a nest become index arithmetic of its streams. It must not
// matter that the program itself uses nothing of the affine dialect.
// RUN: ember-opt %s --scf-to-slc | FileCheck %s
// RUN: %npy make %t.table.npy f32 "np.arange(24).reshape(6, 4)"
// RUN: %npy make %t.indices.npy index "[0, 2, 3]"
// RUN: %npy make %t.out.npy f32 "np.zeros((3, 2))"
// RUN: ember-run %s --entry=rows @%t.table.npy @%t.indices.npy @%t.out.npy 3 2 --print=2 | FileCheck %s --check-prefix=VALUES
// RUN: ember-opt %s --scf-to-slc | ember-run - --entry=rows @%t.table.npy @%t.indices.npy @%t.out.npy 3 2 --print=2 | FileCheck %s --check-prefix=VALUES
// RUN: ember-opt %s --scf-to-slc --optimize --slc-to-dlc | ember-run - --entry=rows @%t.table.npy @%t.indices.npy @%t.out.npy 3 2 --print=2 | FileCheck %s --check-prefix=VALUES
// RUN: ember-run %s --target=cpu --entry=rows @%t.table.npy @%t.indices.npy @%t.out.npy 3 2 --print=2 | FileCheck %s --check-prefix=VALUES

// VALUES: {{\[\[}}5, 6], [13, 14], [17, 18]]

// CHECK-LABEL: func.func @rows
// CHECK-NOT: memref.subview
// CHECK: slc.for
// CHECK: slc.for
// CHECK: %[[R:.*]] = slc.alu_str add
// CHECK: slc.mem_str %{{.*}}[%[[R]], %
// CHECK: return
func.func @rows(%table: memref<?x?xf32>, %indices: memref<?xindex>, %out: memref<?x?xf32>, %n: index, %length: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.load %indices[%i] : memref<?xindex>
    scf.for %j = %c0 to %length step %c1 {
      // The second and third column of rows counted from the second.
      %view = memref.subview %table[1, 1] [4, %length] [1, 1] : memref<?x?xf32> to memref<4x?xf32, strided<[?, 1], offset: ?>>
      %x = memref.load %view[%row, %j] : memref<4x?xf32, strided<[?, 1], offset: ?>>
      memref.store %x, %out[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
