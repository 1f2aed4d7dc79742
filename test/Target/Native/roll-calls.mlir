// Calls of one function that stand one behind the other are a loop over a table, and arguments
// that are for these alone are read by their numbers.

// RUN: ember-opt %s --split-input-file --emit-kernel-entries=least-calls=3 | FileCheck %s
// RUN: ember-opt %s --split-input-file --emit-kernel-entries | FileCheck %s --check-prefix=FEW

// Fewer stay calls.
// FEW-LABEL: func.func @three(
// FEW-COUNT-3: call @column
// FEW-NOT: call @column

// The table: the numbers of two arguments, a place, and where the names are.
// CHECK:       llvm.mlir.global internal unnamed_addr constant @ember_text{{.*}}("'values' of @column\00'x'\00'table' of @column\00'rows'\00argument 2 of @column\00argument 4\00\00'values' of @column\00'y'\00
// CHECK:       llvm.mlir.global internal constant @ember_table{{.*}}(dense<[0, 1, 0, 0, 2, 3, 8, 84, 0, 3, 16, 170]> : tensor<12xi64>)
// CHECK-LABEL: func.func @three(
// CHECK-SAME:    %[[OUT:.*]]: memref<?x24xf32> {ember.noalias}, %[[ARGS:.*]]: !llvm.ptr)
// CHECK:         %[[NAMES:.*]] = llvm.alloca
// CHECK:         llvm.store %{{.*}}, %[[NAMES]]
// CHECK:         llvm.call @ember_rename(%[[NAMES]])
// The size of what is not passed.
// CHECK:         %[[SLOT:.*]] = llvm.getelementptr %[[ARGS]][0]
// CHECK:         %[[X:.*]] = llvm.load %[[SLOT]]
// CHECK:         %[[PLACE:.*]] = llvm.getelementptr %[[X]][3]
// CHECK:         %[[SIZE:.*]] = llvm.load %[[PLACE]] : !llvm.ptr -> i64
// CHECK:         %[[COUNT:.*]] = arith.constant 3 : index
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %[[COUNT]]
// CHECK:           %[[ROW:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<4 x i64>
// CHECK:           llvm.getelementptr %[[ROW]][0]
// CHECK:           %[[VALUES:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<?xf32>
// CHECK:           llvm.getelementptr %[[ROW]][1]
// CHECK:           %[[TABLE:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<?x8xf32>
// CHECK:           %[[P:.*]] = arith.index_cast
// CHECK:           llvm.store %{{.*}}, %[[NAMES]]
// CHECK:           func.call @column(%[[VALUES]], %[[TABLE]], %[[OUT]], %[[P]])
// CHECK:         }
// CHECK-NOT:     call @column
// CHECK:         llvm.func internal @ember_packed_three(%[[ARGS:.*]]: !llvm.ptr)
// CHECK-COUNT-1: builtin.unrealized_conversion_cast
// CHECK-NOT:     builtin.unrealized_conversion_cast
// CHECK:         call @three(%{{.*}}, %[[ARGS]]) : (memref<?x24xf32>, !llvm.ptr) -> index
func.func @three(%x: memref<?xf32> {ember.name = "x"}, %rows: memref<4x8xf32> {ember.name = "rows"},
                 %y: memref<?xf32> {ember.name = "y"}, %others: memref<?x8xf32> {ember.name = "others"},
                 %out: memref<?x24xf32>) -> index {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %size = memref.dim %x, %c0 : memref<?xf32>
  %table = memref.cast %rows : memref<4x8xf32> to memref<?x8xf32>
  call @column(%x, %table, %out, %c0) : (memref<?xf32>, memref<?x8xf32>, memref<?x24xf32>, index) -> ()
  call @column(%y, %others, %out, %c8) : (memref<?xf32>, memref<?x8xf32>, memref<?x24xf32>, index) -> ()
  call @column(%x, %others, %out, %c16) : (memref<?xf32>, memref<?x8xf32>, memref<?x24xf32>, index) -> ()
  return %size : index
}
func.func private @column(%values: memref<?xf32> {ember.name = "values"}, %table: memref<?x8xf32> {ember.name = "table"},
                          %out: memref<?x24xf32>, %place: index) {
  %c0 = arith.constant 0 : index
  %v = memref.load %values[%c0] : memref<?xf32>
  memref.store %v, %out[%c0, %place] : memref<?x24xf32>
  return
}

// -----

// Lists are parts of one constant. What has an effect between calls ends a loop, and so does an
// operand that is no data.
// CHECK-DAG:     llvm.mlir.global internal constant @ember_table{{.*}}(dense<[0, 2, {{[0-9]+}}, 2, 3, {{[0-9]+}}, 5, 1, {{[0-9]+}}]> : tensor<9xi64>)
// CHECK-DAG:     llvm.mlir.global internal constant @ember_table{{.*}}(dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 6.000000e+00]> : tensor<6xf32>)
// CHECK-LABEL: func.func @lists(
// CHECK:         scf.for
// CHECK:           llvm.insertvalue
// CHECK:           func.call @list
// CHECK:         memref.store
// CHECK-COUNT-2: call @list
// CHECK:         memref.store
// CHECK-COUNT-3: call @list
memref.global "private" constant @a : memref<2xf32> = dense<[1.0, 2.0]>
memref.global "private" constant @b : memref<3xf32> = dense<[3.0, 4.0, 5.0]>
memref.global "private" constant @c : memref<1xf32> = dense<6.0>
func.func @lists(%out: memref<?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.get_global @a : memref<2xf32>
  %b = memref.get_global @b : memref<3xf32>
  %c = memref.get_global @c : memref<1xf32>
  %one = memref.cast %a : memref<2xf32> to memref<?xf32>
  %two = memref.cast %b : memref<3xf32> to memref<?xf32>
  %three = memref.cast %c : memref<1xf32> to memref<?xf32>
  call @list(%one, %out) : (memref<?xf32>, memref<?xf32>) -> ()
  call @list(%two, %out) : (memref<?xf32>, memref<?xf32>) -> ()
  call @list(%three, %out) : (memref<?xf32>, memref<?xf32>) -> ()
  memref.store %x, %out[%c0] : memref<?xf32>
  call @list(%one, %out) : (memref<?xf32>, memref<?xf32>) -> ()
  call @list(%two, %out) : (memref<?xf32>, memref<?xf32>) -> ()
  memref.store %x, %out[%c0] : memref<?xf32>
  %local = memref.alloc() : memref<1xf32>
  %four = memref.cast %local : memref<1xf32> to memref<?xf32>
  call @list(%one, %out) : (memref<?xf32>, memref<?xf32>) -> ()
  call @list(%two, %out) : (memref<?xf32>, memref<?xf32>) -> ()
  call @list(%four, %out) : (memref<?xf32>, memref<?xf32>) -> ()
  return
}
func.func private @list(%values: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %values[%c0] : memref<?xf32>
  memref.store %v, %out[%c0] : memref<?xf32>
  return
}

// -----

// What is written keeps its number among the arguments that are left. One that loops load, too, is
// reached by two pointers.

// CHECK-LABEL: func.func @outputs(
// CHECK-SAME:    %[[A:[^:]*]]: memref<?xf32>, %[[LAST:[^:]*]]: memref<?xf32> {ember.noalias}, %{{[^:]*}}: !llvm.ptr)
// CHECK-SAME:    attributes {ember.written_arguments = array<i64: 0, 1>}
// CHECK:         scf.for
func.func @outputs(%x: memref<?xf32>, %a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>, %last: memref<?xf32>)
    attributes {ember.written_arguments = array<i64: 1, 2, 3, 4>} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  memref.store %one, %a[%c0] : memref<?xf32>
  memref.store %one, %last[%c0] : memref<?xf32>
  call @copy(%x, %a) : (memref<?xf32>, memref<?xf32>) -> ()
  call @copy(%x, %b) : (memref<?xf32>, memref<?xf32>) -> ()
  call @copy(%b, %c) : (memref<?xf32>, memref<?xf32>) -> ()
  return
}
func.func private @copy(%from: memref<?xf32>, %to: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %from[%c0] : memref<?xf32>
  memref.store %v, %to[%c0] : memref<?xf32>
  return
}
