// Rows of bytes are decoded where they are read.

// RUN: ember-opt --embed-to-cin --cin-schedule --cin-insert-workspaces --cin-concretize --cin-derive-iteration --cin-expand-encodings --convert-cin-to-scf --canonicalize --cse %s | FileCheck %s

// Scale and bias, behind the elements, are loaded once a row.

// CHECK-LABEL: func.func @int8(
// CHECK-SAME: %[[T:.*]]: memref<?x12xi8>
// CHECK: scf.for
// CHECK-COUNT-4: memref.load %[[T]]
// CHECK: %[[SCALE:.*]] = arith.bitcast %{{.*}} : i32 to f32
// CHECK-COUNT-4: memref.load %[[T]]
// CHECK: %[[BIAS:.*]] = arith.bitcast %{{.*}} : i32 to f32
// CHECK: scf.for %[[D:.*]] = %c0 to %c4
// CHECK: %[[BYTE:.*]] = memref.load %[[T]][%{{.*}}, %[[D]]]
// CHECK: %[[WORD:.*]] = arith.extui %[[BYTE]] : i8 to i32
// CHECK: %[[NUMBER:.*]] = arith.uitofp %[[WORD]] : i32 to f32
// CHECK: math.fma %[[NUMBER]], %[[SCALE]], %[[BIAS]] : f32
func.func @int8(%t: memref<?x12xi8>, %b: memref<?x1xi32>, %o: memref<?x1x4xf32>) {
  embed.gather block_size 1 rows(%t : memref<?x12xi8>)
      blocks(%b : memref<?x1xi32>) outs(%o : memref<?x1x4xf32>) format <int8, f32>
  return
}

// Elements are behind a leading scale and bias, two a byte.

// CHECK-LABEL: func.func @int4_leading(
// CHECK-SAME: %[[T:.*]]: memref<?x6xi8>
// CHECK: arith.bitcast %{{.*}} : i16 to f16
// CHECK: scf.for %[[D:.*]] = %c0 to %c4
// CHECK-DAG: %[[PAIR:.*]] = arith.shr{{[su]}}i %[[D]], %c1
// CHECK-DAG: %[[ODD:.*]] = arith.andi %[[D]], %c1
// CHECK-DAG: %[[AT:.*]] = arith.addi %[[PAIR]], %c4
// CHECK-DAG: memref.load %[[T]][%{{.*}}, %[[AT]]]
// CHECK: arith.shr{{[su]}}i
// CHECK: arith.andi %{{.*}}, %c15_i32
func.func @int4_leading(%t: memref<?x6xi8>, %b: memref<?x1xi32>, %o: memref<?x1x4xf32>) {
  embed.gather block_size 1 rows(%t : memref<?x6xi8>)
      blocks(%b : memref<?x1xi32>) outs(%o : memref<?x1x4xf32>) format <int4, f16, leading>
  return
}

// CHECK-LABEL: func.func @e5m2(
// CHECK: scf.for %[[D:.*]] = %c0 to %c4
// CHECK: %[[BYTE:.*]] = memref.load %{{.*}}[%{{.*}}, %[[D]]]
// CHECK: %[[NUMBER:.*]] = arith.bitcast %[[BYTE]] : i8 to f8E5M2
// CHECK: arith.extf %[[NUMBER]] : f8E5M2 to f32
func.func @e5m2(%t: memref<?x4xi8>, %b: memref<?x1xi32>, %o: memref<?x1x4xf32>) {
  embed.gather block_size 1 rows(%t : memref<?x4xi8>)
      blocks(%b : memref<?x1xi32>) outs(%o : memref<?x1x4xf32>) format <e5m2>
  return
}

// CHECK-LABEL: func.func @e4m3(
// CHECK: %[[NUMBER:.*]] = arith.bitcast %{{.*}} : i8 to f8E4M3FN
// CHECK: arith.extf %[[NUMBER]] : f8E4M3FN to f32
func.func @e4m3(%t: memref<?x4xi8>, %b: memref<?x1xi32>, %o: memref<?x1x4xf32>) {
  embed.gather block_size 1 rows(%t : memref<?x4xi8>)
      blocks(%b : memref<?x1xi32>) outs(%o : memref<?x1x4xf32>) format <e4m3>
  return
}

// A scale for each block of 32, behind the elements, is loaded once for all of
// them. Its byte is an exponent but for the smallest, which is no normal
// number's, and NaN.

// CHECK-LABEL: func.func @microscaled(
// CHECK-SAME: %[[T:.*]]: memref<?x66xi8>
// CHECK: scf.for %[[BLOCK:.*]] = %c0 to %c2
// CHECK: %[[FIRST:.*]] = arith.muli %[[BLOCK]], %c32
// CHECK: %[[AT:.*]] = arith.addi %[[BLOCK]], %c64
// CHECK: %[[BYTE:.*]] = memref.load %[[T]][%{{.*}}, %[[AT]]]
// CHECK: %[[WORD:.*]] = arith.extui %[[BYTE]] : i8 to i32
// CHECK: %[[EXPONENT:.*]] = arith.shli %[[WORD]], %c23_i32
// CHECK: arith.cmpi eq, %[[WORD]], %c0_i32
// CHECK: arith.cmpi eq, %[[WORD]], %c255_i32
// CHECK: %[[SCALE:.*]] = arith.bitcast %{{.*}} : i32 to f32
// CHECK: scf.for %[[D:.*]] = %c0 to %c32
// CHECK: %[[POSITION:.*]] = arith.addi %[[FIRST]], %[[D]]
// CHECK: memref.load %[[T]][%{{.*}}, %[[POSITION]]]
// CHECK: arith.mulf %{{.*}}, %[[SCALE]] : f32
// CHECK-NOT: scf.for
// CHECK: return
func.func @microscaled(%t: memref<?x66xi8>, %b: memref<?x1xi32>, %o: memref<?x1x64xf32>) {
  embed.gather block_size 1 rows(%t : memref<?x66xi8>)
      blocks(%b : memref<?x1xi32>) outs(%o : memref<?x1x64xf32>) format <e5m2, f8E8M0FNU>
  return
}

// Rows of 33 elements end with a block of one.

// CHECK-LABEL: func.func @short_block(
// CHECK-SAME: %[[T:.*]]: memref<?x35xi8>
// CHECK: memref.load %[[T]][%{{.*}}, %c33]
// CHECK: scf.for %{{.*}} = %c0 to %c32
// CHECK: memref.load %[[T]][%{{.*}}, %c34]
// CHECK: memref.load %[[T]][%{{.*}}, %c32]
// CHECK-NOT: scf.for
// CHECK: return
func.func @short_block(%t: memref<?x35xi8>, %b: memref<?x1xi32>, %o: memref<?x1x33xf32>) {
  embed.gather block_size 1 rows(%t : memref<?x35xi8>)
      blocks(%b : memref<?x1xi32>) outs(%o : memref<?x1x33xf32>) format <e5m2, f8E8M0FNU>
  return
}
