// Nodes of an input layer become columns if each of their operands is what it has to be.

// RUN: ember-opt %s --raise-graph-to-col | FileCheck %s

// The table is not in the module.
// CHECK-LABEL: func.func @hashed(
// CHECK-SAME:    %[[ID:.*]]: tensor<?x3xi64> {ember.name = "id"}, %[[TABLE:.*]]: tensor<100x2xf32> {ember.name = "id/weights"})
// CHECK-NEXT:    %[[VALUES:.*]] = col.from_dense %[[ID]] : tensor<?x3xi64> -> !col.jagged<i64>
// CHECK-NEXT:    %[[KNOWN:.*]] = col.keep_if ne(%[[VALUES]], -1 : i64) : !col.jagged<i64>
// CHECK-NEXT:    %[[IDS:.*]] = col.hash %[[KNOWN]] into 100 : !col.jagged<i64> -> !col.jagged<i64>
// CHECK-NEXT:    %[[ROWS:.*]] = col.lookup sum %[[IDS]] in %[[TABLE]] : !col.jagged<i64>, tensor<100x2xf32> -> tensor<?x2xf32>
// CHECK-NEXT:    return %[[ROWS]]

// CHECK-LABEL: func.func @bucketized(
// CHECK-SAME:    %[[PRICE:.*]]: tensor<?x1xf32> {ember.name = "price"})
// CHECK-NEXT:    %[[TABLE:.*]] = arith.constant dense<1.000000e+00> : tensor<4x2xf32>
// CHECK-NEXT:    %[[VALUES:.*]] = col.from_dense %[[PRICE]] : tensor<?x1xf32> -> !col.jagged<f32>
// CHECK-NEXT:    %[[LIST:.*]] = arith.constant dense<[0.000000e+00, 5.000000e+00, 1.000000e+01]> : tensor<3xf32>
// CHECK-NEXT:    %[[IDS:.*]] = col.bucketize %[[VALUES]] by %[[LIST]] : !col.jagged<f32>, tensor<3xf32> -> !col.jagged<i32>
// CHECK-NEXT:    %[[ROWS:.*]] = col.lookup mean %[[IDS]] in %[[TABLE]] : !col.jagged<i32>, tensor<4x2xf32> -> tensor<?x2xf32>
// CHECK-NEXT:    return %[[ROWS]]

// Another bound of ids.
// RUN: sed '/GreaterEqual.y/s/dense<0>/dense<1>/' %s | ember-opt --raise-graph-to-col 2>&1 | FileCheck %s --check-prefix=BOUND
// BOUND: remark: 'id/weights/rows' is a column from where nodes made ids: 'id/weights/GreaterEqual/y' (Const) stands where columns have the constant 0
// BOUND: remark: 'price/weights/rows' is a column from where
// BOUND-LABEL: func.func @hashed(
// BOUND:         "GreaterEqual"
// BOUND:         %[[IDS:.*]] = col.from_coordinates %{{.*}} at %{{.*}} of %{{.*}} : tensor<?xi64>, tensor<?x2xi64>, tensor<2xi64>
// BOUND-NEXT:    col.lookup sum %[[IDS]]

// A bound that makes places of a matrix, which are two numbers each.
// RUN: sed '/GreaterEqual/{N;s/tensor<\(i[63][42]\)>/tensor<1x1x\1>/g}' %s | ember-opt --raise-graph-to-col 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: remark: {{.*}} is a column from where nodes made ids: 'id/weights/GreaterEqual/y' (Const) stands where columns have the constant 0

// Another axis of a table.
// RUN: sed '/gather.axis/s/dense<0>/dense<1>/' %s | ember-opt --raise-graph-to-col 2>&1 | FileCheck %s --check-prefix=AXIS
// AXIS: remark: {{.*}} 'id/gather/axis' (Const) stands where columns have the constant 0
// AXIS-NOT: col.lookup

// Texts that nodes make, which are hashed in the column.
// RUN: sed 's/"AsString"/"Reverse"/' %s | ember-opt --raise-graph-to-col 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: remark: {{.*}} is a column from where nodes made ids: 'id/AsString' (Reverse) makes values that columns begin with
// TEXT: %[[TEXTS:.*]] = col.from_coordinates %{{.*}} at %{{.*}} of %{{.*}} : tensor<?x!col.text>, tensor<?x2xi64>, tensor<2xi64>
// TEXT: col.hash %[[TEXTS]] into 100
// TEXT: col.lookup sum

// What changes something is not moved.
// RUN: sed '/"Unique"/s/ pure//' %s | ember-opt --raise-graph-to-col 2>&1 | FileCheck %s --check-prefix=EFFECT
// EFFECT: remark: {{.*}} 'id/weights/rows/Unique' (Unique) stands where columns have result 0 of Unique
// EFFECT-NOT: col.lookup

// Shapes that are not known.
// RUN: sed 's/tensor<[?]x[123]x/tensor<*x/g' %s | ember-opt --raise-graph-to-col 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: remark: {{.*}} an argument is no matrix, or it is not known that it is
// SHAPE: remark: {{.*}} an argument is no matrix of one column, or it is not known that it is
// SHAPE-NOT: col.lookup

// Places that are not those of unique ids.
// RUN: sed 's/(%38, %35#1, %42)/(%38, %100, %42)/; s/%arg0: tensor<?x3xi64> {ember.name = "id"}/&, %100: tensor<?xi32>/' %s | ember-opt --raise-graph-to-col 2>&1 | FileCheck %s --check-prefix=PLACES
// PLACES: remark: {{.*}} an argument stands where columns have 'id/weights/rows/Unique' (Unique)

// Rows that something else combines.
// RUN: sed 's/"SparseSegmentSum"/"SegmentProduct"/' %s | ember-opt --raise-graph-to-col 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: remark: 'id/weights/FillEmptyRows' stays as it is, and is of no column: rows are combined by none of
// OTHER: col.lookup mean

// A variable is an argument, too, unless something is changed.
// RUN: sed '/"id.weights"() pure/{s/Const/VarHandleOp/;s/f32}/f32, shape = array<i64: 100, 2>}/;s/tensor<100x2xf32>/tensor<!col.foreign<resource>>/};/"id.gather"/{N;s/"GatherV2"/"ResourceGather"/;s/, %36) pure/) reads/;s/tensor<100x2xf32>/tensor<!col.foreign<resource>>/;s/, tensor<i64>)/)/}' %s > %t.mlir
// RUN: ember-opt %t.mlir --raise-graph-to-col | FileCheck %s
// RUN: sed 's/^  return/  col.node "Assign" "assign"() : () -> ()\n  return/' %t.mlir | ember-opt --raise-graph-to-col 2>&1 | FileCheck %s --check-prefix=CHANGE
// CHANGE: remark: 'id/weights/rows' stays as it is, and is no column: 'id/weights' (VarHandleOp) is a variable, and the function changes something, which may be that
// CHANGE: col.lookup mean

// Operations that nothing reaches may read themselves.
// RUN: sed 's/^  return .*/&\n^bb1:\n  %200 = col.node "SparseSegmentSum" "a"(%200, %200, %200) pure : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>\n  cf.br ^bb1/' %s | ember-opt --raise-graph-to-col | FileCheck %s

// Without zeros for empty rows, these have the id that they are filled with.
// RUN: sed 's/"ZerosLike"/"OnesLike"/' %s | ember-opt --raise-graph-to-col | FileCheck %s --check-prefix=FILL
// FILL: col.fill_empty %{{.*}} by 0 : i64
// FILL: col.lookup sum
// FILL: "Select"

func.func @hashed(%arg0: tensor<?x3xi64> {ember.name = "id"}) -> tensor<?x2xf32> {
  %0 = col.node "Const" "id/to_sparse_input/ignore_value/x"() pure {dtype = i32, value = dense<-1> : tensor<i32>}
      : () -> tensor<i32>
  %1 = col.node "Cast" "id/to_sparse_input/ignore_value"(%0) pure {DstT = i64, SrcT = i32, Truncate = false}
      : (tensor<i32>) -> tensor<i64>
  %2 = col.node "NotEqual" "id/to_sparse_input/NotEqual"(%arg0, %1) pure {T = i64, incompatible_shape_error = true}
      : (tensor<?x3xi64>, tensor<i64>) -> tensor<?x3xi1>
  %3 = col.node "Where" "id/to_sparse_input/indices"(%2) pure {T = i1} : (tensor<?x3xi1>) -> tensor<?x2xi64>
  %4 = col.node "Shape" "id/to_sparse_input/dense_shape"(%arg0) pure {T = i64, out_type = i64}
      : (tensor<?x3xi64>) -> tensor<2xi64>
  %5 = col.node "Const" "id/weights/Slice/begin"() pure {dtype = i32, value = dense<0> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %6 = col.node "Const" "id/weights/Slice/size"() pure {dtype = i32, value = dense<1> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %7 = col.node "Slice" "id/weights/Slice"(%4, %5, %6) pure {Index = i32, T = i64}
      : (tensor<2xi64>, tensor<1xi32>, tensor<1xi32>) -> tensor<1xi64>
  %8 = col.node "Const" "id/weights/Const"() pure {dtype = i32, value = dense<0> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %9 = col.node "Prod" "id/weights/Prod"(%7, %8) pure {T = i64, Tidx = i32, keep_dims = false}
      : (tensor<1xi64>, tensor<1xi32>) -> tensor<i64>
  %10 = col.node "Const" "id/weights/GatherV2/indices"() pure {dtype = i32, value = dense<1> : tensor<i32>}
      : () -> tensor<i32>
  %11 = col.node "Const" "id/weights/GatherV2/axis"() pure {dtype = i32, value = dense<0> : tensor<i32>}
      : () -> tensor<i32>
  %12 = col.node "GatherV2" "id/weights/GatherV2"(%4, %10, %11)
      pure {Taxis = i32, Tindices = i32, Tparams = i64, batch_dims = 0 : i64}
      : (tensor<2xi64>, tensor<i32>, tensor<i32>) -> tensor<i64>
  %13 = col.node "Pack" "id/weights/Cast/x"(%9, %12) pure {N = 2 : i64, T = i64, axis = 0 : i64}
      : (tensor<i64>, tensor<i64>) -> tensor<2xi64>
  %14:2 = col.node "SparseReshape" "id/weights/SparseReshape"(%3, %4, %13) pure
      : (tensor<?x2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<?x2xi64>, tensor<2xi64>)
  %15 = col.node "GatherNd" "id/to_sparse_input/values"(%arg0, %3)
      pure {Tindices = i64, Tparams = i64, bad_indices_policy = ""}
      : (tensor<?x3xi64>, tensor<?x2xi64>) -> tensor<?xi64>
  %16 = col.node "AsString" "id/AsString"(%15)
      pure {T = i64, fill = "", precision = -1 : i64, scientific = false, shortest = false, width = -1 : i64}
      : (tensor<?xi64>) -> tensor<?x!col.text>
  %17 = col.node "StringToHashBucketFast" "id/lookup"(%16) pure {num_buckets = 100 : i64}
      : (tensor<?x!col.text>) -> tensor<?xi64>
  %18 = col.node "Identity" "id/weights/SparseReshape/Identity"(%17) pure {T = i64} : (tensor<?xi64>) -> tensor<?xi64>
  %19 = col.node "Const" "id/weights/GreaterEqual/y"() pure {dtype = i64, value = dense<0> : tensor<i64>}
      : () -> tensor<i64>
  %20 = col.node "GreaterEqual" "id/weights/GreaterEqual"(%18, %19) pure {T = i64}
      : (tensor<?xi64>, tensor<i64>) -> tensor<?xi1>
  %21 = col.node "Where" "id/weights/Where"(%20) pure {T = i1} : (tensor<?xi1>) -> tensor<?x1xi64>
  %22 = col.node "Const" "id/weights/Reshape/shape"() pure {dtype = i32, value = dense<-1> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %23 = col.node "Reshape" "id/weights/Reshape"(%21, %22) pure {T = i64, Tshape = i32}
      : (tensor<?x1xi64>, tensor<1xi32>) -> tensor<?xi64>
  %24 = col.node "Const" "id/weights/GatherV2_1/axis"() pure {dtype = i32, value = dense<0> : tensor<i32>}
      : () -> tensor<i32>
  %25 = col.node "GatherV2" "id/weights/GatherV2_1"(%14#0, %23, %24)
      pure {Taxis = i32, Tindices = i64, Tparams = i64, batch_dims = 0 : i64}
      : (tensor<?x2xi64>, tensor<?xi64>, tensor<i32>) -> tensor<?x2xi64>
  %26 = col.node "Const" "id/weights/GatherV2_2/axis"() pure {dtype = i32, value = dense<0> : tensor<i32>}
      : () -> tensor<i32>
  %27 = col.node "GatherV2" "id/weights/GatherV2_2"(%18, %23, %26)
      pure {Taxis = i32, Tindices = i64, Tparams = i64, batch_dims = 0 : i64}
      : (tensor<?xi64>, tensor<?xi64>, tensor<i32>) -> tensor<?xi64>
  %28 = col.node "Identity" "id/weights/Identity"(%14#1) pure {T = i64} : (tensor<2xi64>) -> tensor<2xi64>
  %29 = col.node "Const" "id/weights/SparseFillEmptyRows/Const"() pure {dtype = i64, value = dense<0> : tensor<i64>}
      : () -> tensor<i64>
  %30:4 = col.node "SparseFillEmptyRows" "id/weights/FillEmptyRows"(%25, %27, %28, %29)
      pure {T = i64}
      : (tensor<?x2xi64>, tensor<?xi64>, tensor<2xi64>, tensor<i64>) -> (tensor<?x2xi64>, tensor<?xi64>, tensor<?xi1>, tensor<?xi64>)
  %31 = col.node "Const" "id/weights/Reshape_1/shape"() pure {dtype = i32, value = dense<[-1, 1]> : tensor<2xi32>}
      : () -> tensor<2xi32>
  %32 = col.node "Reshape" "id/weights/Reshape_1"(%30#2, %31) pure {T = i1, Tshape = i32}
      : (tensor<?xi1>, tensor<2xi32>) -> tensor<?x1xi1>
  %33 = col.node "Const" "id/weights/stack/0"() pure {dtype = i32, value = dense<1> : tensor<i32>} : () -> tensor<i32>
  %34 = col.node "Const" "id/weights"() pure {dtype = f32} : () -> tensor<100x2xf32>
  %35:2 = col.node "Unique" "id/weights/rows/Unique"(%30#1) pure {T = i64, out_idx = i32}
      : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi32>)
  %36 = col.node "Const" "id/gather/axis"() pure {dtype = i64, value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %37 = col.node "GatherV2" "id/gather"(%34, %35#0, %36) pure {Taxis = i64, Tindices = i64, Tparams = f32}
      : (tensor<100x2xf32>, tensor<?xi64>, tensor<i64>) -> tensor<*xf32>
  %38 = col.node "Identity" "id/gather/Identity"(%37) pure {T = f32} : (tensor<*xf32>) -> tensor<?x2xf32>
  %39 = col.node "Const" "id/weights/rows/strided_slice/stack"() pure {dtype = i32, value = dense<0> : tensor<2xi32>}
      : () -> tensor<2xi32>
  %40 = col.node "Const" "id/weights/rows/strided_slice/stack_1"() pure {dtype = i32, value = dense<[0, 1]> : tensor<2xi32>}
      : () -> tensor<2xi32>
  %41 = col.node "Const" "id/weights/rows/strided_slice/stack_2"() pure {dtype = i32, value = dense<1> : tensor<2xi32>}
      : () -> tensor<2xi32>
  %42 = col.node "StridedSlice" "id/weights/rows/strided_slice"(%30#0, %39, %40, %41)
      pure {Index = i32, T = i64, begin_mask = 1 : i64, ellipsis_mask = 0 : i64, end_mask = 1 : i64, new_axis_mask = 0 : i64, shrink_axis_mask = 2 : i64}
      : (tensor<?x2xi64>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?xi64>
  %43 = col.node "SparseSegmentSum" "id/weights/rows"(%38, %35#1, %42)
      pure {T = f32, Tidx = i32, Tsegmentids = i64, sparse_gradient = false}
      : (tensor<?x2xf32>, tensor<?xi32>, tensor<?xi64>) -> tensor<?x2xf32>
  %44 = col.node "Shape" "id/weights/Shape"(%43) pure {T = f32, out_type = i32} : (tensor<?x2xf32>) -> tensor<2xi32>
  %45 = col.node "Const" "id/weights/strided_slice/stack"() pure {dtype = i32, value = dense<1> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %46 = col.node "Const" "id/weights/strided_slice/stack_1"() pure {dtype = i32, value = dense<2> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %47 = col.node "Const" "id/weights/strided_slice/stack_2"() pure {dtype = i32, value = dense<1> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %48 = col.node "StridedSlice" "id/weights/strided_slice"(%44, %45, %46, %47)
      pure {Index = i32, T = i32, begin_mask = 0 : i64, ellipsis_mask = 0 : i64, end_mask = 0 : i64, new_axis_mask = 0 : i64, shrink_axis_mask = 1 : i64}
      : (tensor<2xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<i32>
  %49 = col.node "Pack" "id/weights/stack"(%33, %48) pure {N = 2 : i64, T = i32, axis = 0 : i64}
      : (tensor<i32>, tensor<i32>) -> tensor<2xi32>
  %50 = col.node "Tile" "id/weights/Tile"(%32, %49) pure {T = i1, Tmultiples = i32}
      : (tensor<?x1xi1>, tensor<2xi32>) -> tensor<?x2xi1>
  %51 = col.node "ZerosLike" "id/weights/zeros_like"(%43) pure {T = f32} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %52 = col.node "Select" "id/weights"(%50, %51, %43) pure {T = f32}
      : (tensor<?x2xi1>, tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  %53 = col.node "Cast" "id/weights/Cast_1"(%4) pure {DstT = i32, SrcT = i64, Truncate = false}
      : (tensor<2xi64>) -> tensor<2xi32>
  %54 = col.node "Const" "id/weights/Slice_1/begin"() pure {dtype = i32, value = dense<0> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %55 = col.node "Const" "id/weights/Slice_1/size"() pure {dtype = i32, value = dense<1> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %56 = col.node "Slice" "id/weights/Slice_1"(%53, %54, %55) pure {Index = i32, T = i32}
      : (tensor<2xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  %57 = col.node "Shape" "id/weights/Shape_1"(%52) pure {T = f32, out_type = i32} : (tensor<?x2xf32>) -> tensor<2xi32>
  %58 = col.node "Const" "id/weights/Slice_2/begin"() pure {dtype = i32, value = dense<1> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %59 = col.node "Const" "id/weights/Slice_2/size"() pure {dtype = i32, value = dense<-1> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %60 = col.node "Slice" "id/weights/Slice_2"(%57, %58, %59) pure {Index = i32, T = i32}
      : (tensor<2xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  %61 = col.node "Const" "id/weights/concat/axis"() pure {dtype = i32, value = dense<0> : tensor<i32>}
      : () -> tensor<i32>
  %62 = col.node "ConcatV2" "id/weights/concat"(%56, %60, %61) pure {N = 2 : i64, T = i32, Tidx = i32}
      : (tensor<1xi32>, tensor<1xi32>, tensor<i32>) -> tensor<2xi32>
  %63 = col.node "Reshape" "id/weights/Reshape_2"(%52, %62) pure {T = f32, Tshape = i32}
      : (tensor<?x2xf32>, tensor<2xi32>) -> tensor<?x2xf32>
  %64 = col.node "Shape" "id/Shape"(%63) pure {T = f32, out_type = i32} : (tensor<?x2xf32>) -> tensor<2xi32>
  %65 = col.node "Const" "id/strided_slice/stack"() pure {dtype = i32, value = dense<0> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %66 = col.node "Const" "id/strided_slice/stack_1"() pure {dtype = i32, value = dense<1> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %67 = col.node "Const" "id/strided_slice/stack_2"() pure {dtype = i32, value = dense<1> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %68 = col.node "StridedSlice" "id/strided_slice"(%64, %65, %66, %67)
      pure {Index = i32, T = i32, begin_mask = 0 : i64, ellipsis_mask = 0 : i64, end_mask = 0 : i64, new_axis_mask = 0 : i64, shrink_axis_mask = 1 : i64}
      : (tensor<2xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<i32>
  %69 = col.node "Const" "id/Reshape/shape/1"() pure {dtype = i32, value = dense<2> : tensor<i32>} : () -> tensor<i32>
  %70 = col.node "Pack" "id/Reshape/shape"(%68, %69) pure {N = 2 : i64, T = i32, axis = 0 : i64}
      : (tensor<i32>, tensor<i32>) -> tensor<2xi32>
  %71 = col.node "Reshape" "id/Reshape"(%63, %70) pure {T = f32, Tshape = i32}
      : (tensor<?x2xf32>, tensor<2xi32>) -> tensor<?x2xf32>
  %72 = col.node "Identity" "concat/concat"(%71) pure {T = f32} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  return %72 : tensor<?x2xf32>
}

func.func @bucketized(%arg0: tensor<?x1xf32> {ember.name = "price"}) -> tensor<?x2xf32> {
  %0 = col.node "Const" "price/range/start"() pure {dtype = i32, value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %1 = col.node "Bucketize" "price/Bucketize"(%arg0)
      pure {T = f32, boundaries = [0.000000e+00 : f32, 5.000000e+00 : f32, 1.000000e+01 : f32]}
      : (tensor<?x1xf32>) -> tensor<?x1xi32>
  %2 = col.node "Shape" "price/Shape"(%1) pure {T = i32, out_type = i32} : (tensor<?x1xi32>) -> tensor<2xi32>
  %3 = col.node "Const" "price/strided_slice/stack"() pure {dtype = i32, value = dense<0> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %4 = col.node "Const" "price/strided_slice/stack_1"() pure {dtype = i32, value = dense<1> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %5 = col.node "Const" "price/strided_slice/stack_2"() pure {dtype = i32, value = dense<1> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %6 = col.node "StridedSlice" "price/strided_slice"(%2, %3, %4, %5)
      pure {Index = i32, T = i32, begin_mask = 0 : i64, ellipsis_mask = 0 : i64, end_mask = 0 : i64, new_axis_mask = 0 : i64, shrink_axis_mask = 1 : i64}
      : (tensor<2xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<i32>
  %7 = col.node "Const" "price/range/delta"() pure {dtype = i32, value = dense<1> : tensor<i32>} : () -> tensor<i32>
  %8 = col.node "Range" "price/range"(%0, %6, %7) pure {Tidx = i32}
      : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
  %9 = col.node "Const" "price/ExpandDims/dim"() pure {dtype = i32, value = dense<1> : tensor<i32>}
      : () -> tensor<i32>
  %10 = col.node "ExpandDims" "price/ExpandDims"(%8, %9) pure {T = i32, Tdim = i32}
      : (tensor<?xi32>, tensor<i32>) -> tensor<?x1xi32>
  %11 = col.node "Const" "price/Tile/multiples"() pure {dtype = i32, value = dense<1> : tensor<2xi32>}
      : () -> tensor<2xi32>
  %12 = col.node "Tile" "price/Tile"(%10, %11) pure {T = i32, Tmultiples = i32}
      : (tensor<?x1xi32>, tensor<2xi32>) -> tensor<?x1xi32>
  %13 = col.node "Const" "price/Reshape/shape"() pure {dtype = i32, value = dense<-1> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %14 = col.node "Reshape" "price/Reshape"(%12, %13) pure {T = i32, Tshape = i32}
      : (tensor<?x1xi32>, tensor<1xi32>) -> tensor<?xi32>
  %15 = col.node "Const" "price/range_1/start"() pure {dtype = i32, value = dense<0> : tensor<i32>}
      : () -> tensor<i32>
  %16 = col.node "Const" "price/range_1/limit"() pure {dtype = i32, value = dense<1> : tensor<i32>}
      : () -> tensor<i32>
  %17 = col.node "Const" "price/range_1/delta"() pure {dtype = i32, value = dense<1> : tensor<i32>}
      : () -> tensor<i32>
  %18 = col.node "Range" "price/range_1"(%15, %16, %17) pure {Tidx = i32}
      : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1xi32>
  %19 = col.node "Pack" "price/Tile_1/multiples"(%6) pure {N = 1 : i64, T = i32, axis = 0 : i64}
      : (tensor<i32>) -> tensor<1xi32>
  %20 = col.node "Tile" "price/Tile_1"(%18, %19) pure {T = i32, Tmultiples = i32}
      : (tensor<1xi32>, tensor<1xi32>) -> tensor<?xi32>
  %21 = col.node "Pack" "price/stack"(%14, %20) pure {N = 2 : i64, T = i32, axis = 0 : i64}
      : (tensor<?xi32>, tensor<?xi32>) -> tensor<2x?xi32>
  %22 = col.node "Const" "price/transpose/perm"() pure {dtype = i32, value = dense<[1, 0]> : tensor<2xi32>}
      : () -> tensor<2xi32>
  %23 = col.node "Transpose" "price/transpose"(%21, %22) pure {T = i32, Tperm = i32}
      : (tensor<2x?xi32>, tensor<2xi32>) -> tensor<?x2xi32>
  %24 = col.node "Cast" "price/Cast"(%23) pure {DstT = i64, SrcT = i32, Truncate = false}
      : (tensor<?x2xi32>) -> tensor<?x2xi64>
  %25 = col.node "Const" "price/stack_1/1"() pure {dtype = i32, value = dense<1> : tensor<i32>} : () -> tensor<i32>
  %26 = col.node "Pack" "price/stack_1"(%6, %25) pure {N = 2 : i64, T = i32, axis = 0 : i64}
      : (tensor<i32>, tensor<i32>) -> tensor<2xi32>
  %27 = col.node "Cast" "price/Cast_1"(%26) pure {DstT = i64, SrcT = i32, Truncate = false}
      : (tensor<2xi32>) -> tensor<2xi64>
  %28 = col.node "Const" "price/weights/Slice/begin"() pure {dtype = i32, value = dense<0> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %29 = col.node "Const" "price/weights/Slice/size"() pure {dtype = i32, value = dense<1> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %30 = col.node "Slice" "price/weights/Slice"(%27, %28, %29) pure {Index = i32, T = i64}
      : (tensor<2xi64>, tensor<1xi32>, tensor<1xi32>) -> tensor<1xi64>
  %31 = col.node "Const" "price/weights/Const"() pure {dtype = i32, value = dense<0> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %32 = col.node "Prod" "price/weights/Prod"(%30, %31) pure {T = i64, Tidx = i32, keep_dims = false}
      : (tensor<1xi64>, tensor<1xi32>) -> tensor<i64>
  %33 = col.node "Const" "price/weights/GatherV2/indices"() pure {dtype = i32, value = dense<1> : tensor<i32>}
      : () -> tensor<i32>
  %34 = col.node "Const" "price/weights/GatherV2/axis"() pure {dtype = i32, value = dense<0> : tensor<i32>}
      : () -> tensor<i32>
  %35 = col.node "GatherV2" "price/weights/GatherV2"(%27, %33, %34)
      pure {Taxis = i32, Tindices = i32, Tparams = i64, batch_dims = 0 : i64}
      : (tensor<2xi64>, tensor<i32>, tensor<i32>) -> tensor<i64>
  %36 = col.node "Pack" "price/weights/Cast/x"(%32, %35) pure {N = 2 : i64, T = i64, axis = 0 : i64}
      : (tensor<i64>, tensor<i64>) -> tensor<2xi64>
  %37:2 = col.node "SparseReshape" "price/weights/SparseReshape"(%24, %27, %36) pure
      : (tensor<?x2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<?x2xi64>, tensor<2xi64>)
  %38 = col.node "Const" "price/Reshape_1/shape"() pure {dtype = i32, value = dense<-1> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %39 = col.node "Reshape" "price/Reshape_1"(%1, %38) pure {T = i32, Tshape = i32}
      : (tensor<?x1xi32>, tensor<1xi32>) -> tensor<?xi32>
  %40 = col.node "Const" "price/mul/x"() pure {dtype = i32, value = dense<4> : tensor<i32>} : () -> tensor<i32>
  %41 = col.node "Mul" "price/mul"(%40, %20) pure {T = i32} : (tensor<i32>, tensor<?xi32>) -> tensor<?xi32>
  %42 = col.node "AddV2" "price/add"(%39, %41) pure {T = i32} : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  %43 = col.node "Identity" "price/weights/SparseReshape/Identity"(%42) pure {T = i32}
      : (tensor<?xi32>) -> tensor<?xi32>
  %44 = col.node "Const" "price/weights/GreaterEqual/y"() pure {dtype = i32, value = dense<0> : tensor<i32>}
      : () -> tensor<i32>
  %45 = col.node "GreaterEqual" "price/weights/GreaterEqual"(%43, %44) pure {T = i32}
      : (tensor<?xi32>, tensor<i32>) -> tensor<?xi1>
  %46 = col.node "Where" "price/weights/Where"(%45) pure {T = i1} : (tensor<?xi1>) -> tensor<?x1xi64>
  %47 = col.node "Const" "price/weights/Reshape/shape"() pure {dtype = i32, value = dense<-1> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %48 = col.node "Reshape" "price/weights/Reshape"(%46, %47) pure {T = i64, Tshape = i32}
      : (tensor<?x1xi64>, tensor<1xi32>) -> tensor<?xi64>
  %49 = col.node "Const" "price/weights/GatherV2_1/axis"() pure {dtype = i32, value = dense<0> : tensor<i32>}
      : () -> tensor<i32>
  %50 = col.node "GatherV2" "price/weights/GatherV2_1"(%37#0, %48, %49)
      pure {Taxis = i32, Tindices = i64, Tparams = i64, batch_dims = 0 : i64}
      : (tensor<?x2xi64>, tensor<?xi64>, tensor<i32>) -> tensor<?x2xi64>
  %51 = col.node "Const" "price/weights/GatherV2_2/axis"() pure {dtype = i32, value = dense<0> : tensor<i32>}
      : () -> tensor<i32>
  %52 = col.node "GatherV2" "price/weights/GatherV2_2"(%43, %48, %51)
      pure {Taxis = i32, Tindices = i64, Tparams = i32, batch_dims = 0 : i64}
      : (tensor<?xi32>, tensor<?xi64>, tensor<i32>) -> tensor<?xi32>
  %53 = col.node "Identity" "price/weights/Identity"(%37#1) pure {T = i64} : (tensor<2xi64>) -> tensor<2xi64>
  %54 = col.node "Const" "price/weights/SparseFillEmptyRows/Const"() pure {dtype = i32, value = dense<0> : tensor<i32>}
      : () -> tensor<i32>
  %55:4 = col.node "SparseFillEmptyRows" "price/weights/FillEmptyRows"(%50, %52, %53, %54)
      pure {T = i32}
      : (tensor<?x2xi64>, tensor<?xi32>, tensor<2xi64>, tensor<i32>) -> (tensor<?x2xi64>, tensor<?xi32>, tensor<?xi1>, tensor<?xi64>)
  %56 = col.node "Const" "price/weights/Reshape_1/shape"() pure {dtype = i32, value = dense<[-1, 1]> : tensor<2xi32>}
      : () -> tensor<2xi32>
  %57 = col.node "Reshape" "price/weights/Reshape_1"(%55#2, %56) pure {T = i1, Tshape = i32}
      : (tensor<?xi1>, tensor<2xi32>) -> tensor<?x1xi1>
  %58 = col.node "Const" "price/weights/stack/0"() pure {dtype = i32, value = dense<1> : tensor<i32>}
      : () -> tensor<i32>
  %59 = col.node "Const" "price/weights"() pure {dtype = f32, value = dense<1.000000e+00> : tensor<4x2xf32>}
      : () -> tensor<4x2xf32>
  %60:2 = col.node "Unique" "price/weights/rows/Unique"(%55#1) pure {T = i32, out_idx = i32}
      : (tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>)
  %61 = col.node "Const" "price/gather/axis"() pure {dtype = i32, value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %62 = col.node "GatherV2" "price/gather"(%59, %60#0, %61) pure {Taxis = i32, Tindices = i32, Tparams = f32}
      : (tensor<4x2xf32>, tensor<?xi32>, tensor<i32>) -> tensor<*xf32>
  %63 = col.node "Identity" "price/gather/Identity"(%62) pure {T = f32} : (tensor<*xf32>) -> tensor<?x2xf32>
  %64 = col.node "Const" "price/weights/rows/strided_slice/stack"() pure {dtype = i32, value = dense<0> : tensor<2xi32>}
      : () -> tensor<2xi32>
  %65 = col.node "Const" "price/weights/rows/strided_slice/stack_1"() pure {dtype = i32, value = dense<[0, 1]> : tensor<2xi32>}
      : () -> tensor<2xi32>
  %66 = col.node "Const" "price/weights/rows/strided_slice/stack_2"() pure {dtype = i32, value = dense<1> : tensor<2xi32>}
      : () -> tensor<2xi32>
  %67 = col.node "StridedSlice" "price/weights/rows/strided_slice"(%55#0, %64, %65, %66)
      pure {Index = i32, T = i64, begin_mask = 1 : i64, ellipsis_mask = 0 : i64, end_mask = 1 : i64, new_axis_mask = 0 : i64, shrink_axis_mask = 2 : i64}
      : (tensor<?x2xi64>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?xi64>
  %68 = col.node "SparseSegmentMean" "price/weights/rows"(%63, %60#1, %67)
      pure {T = f32, Tidx = i32, Tsegmentids = i64, sparse_gradient = false}
      : (tensor<?x2xf32>, tensor<?xi32>, tensor<?xi64>) -> tensor<?x2xf32>
  %69 = col.node "Shape" "price/weights/Shape"(%68) pure {T = f32, out_type = i32}
      : (tensor<?x2xf32>) -> tensor<2xi32>
  %70 = col.node "Const" "price/weights/strided_slice/stack"() pure {dtype = i32, value = dense<1> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %71 = col.node "Const" "price/weights/strided_slice/stack_1"() pure {dtype = i32, value = dense<2> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %72 = col.node "Const" "price/weights/strided_slice/stack_2"() pure {dtype = i32, value = dense<1> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %73 = col.node "StridedSlice" "price/weights/strided_slice"(%69, %70, %71, %72)
      pure {Index = i32, T = i32, begin_mask = 0 : i64, ellipsis_mask = 0 : i64, end_mask = 0 : i64, new_axis_mask = 0 : i64, shrink_axis_mask = 1 : i64}
      : (tensor<2xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<i32>
  %74 = col.node "Pack" "price/weights/stack"(%58, %73) pure {N = 2 : i64, T = i32, axis = 0 : i64}
      : (tensor<i32>, tensor<i32>) -> tensor<2xi32>
  %75 = col.node "Tile" "price/weights/Tile"(%57, %74) pure {T = i1, Tmultiples = i32}
      : (tensor<?x1xi1>, tensor<2xi32>) -> tensor<?x2xi1>
  %76 = col.node "ZerosLike" "price/weights/zeros_like"(%68) pure {T = f32} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %77 = col.node "Select" "price/weights"(%75, %76, %68) pure {T = f32}
      : (tensor<?x2xi1>, tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  %78 = col.node "Cast" "price/weights/Cast_1"(%27) pure {DstT = i32, SrcT = i64, Truncate = false}
      : (tensor<2xi64>) -> tensor<2xi32>
  %79 = col.node "Const" "price/weights/Slice_1/begin"() pure {dtype = i32, value = dense<0> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %80 = col.node "Const" "price/weights/Slice_1/size"() pure {dtype = i32, value = dense<1> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %81 = col.node "Slice" "price/weights/Slice_1"(%78, %79, %80) pure {Index = i32, T = i32}
      : (tensor<2xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  %82 = col.node "Shape" "price/weights/Shape_1"(%77) pure {T = f32, out_type = i32}
      : (tensor<?x2xf32>) -> tensor<2xi32>
  %83 = col.node "Const" "price/weights/Slice_2/begin"() pure {dtype = i32, value = dense<1> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %84 = col.node "Const" "price/weights/Slice_2/size"() pure {dtype = i32, value = dense<-1> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %85 = col.node "Slice" "price/weights/Slice_2"(%82, %83, %84) pure {Index = i32, T = i32}
      : (tensor<2xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  %86 = col.node "Const" "price/weights/concat/axis"() pure {dtype = i32, value = dense<0> : tensor<i32>}
      : () -> tensor<i32>
  %87 = col.node "ConcatV2" "price/weights/concat"(%81, %85, %86) pure {N = 2 : i64, T = i32, Tidx = i32}
      : (tensor<1xi32>, tensor<1xi32>, tensor<i32>) -> tensor<2xi32>
  %88 = col.node "Reshape" "price/weights/Reshape_2"(%77, %87) pure {T = f32, Tshape = i32}
      : (tensor<?x2xf32>, tensor<2xi32>) -> tensor<?x2xf32>
  %89 = col.node "Shape" "price/Shape_1"(%88) pure {T = f32, out_type = i32} : (tensor<?x2xf32>) -> tensor<2xi32>
  %90 = col.node "Const" "price/strided_slice_1/stack"() pure {dtype = i32, value = dense<0> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %91 = col.node "Const" "price/strided_slice_1/stack_1"() pure {dtype = i32, value = dense<1> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %92 = col.node "Const" "price/strided_slice_1/stack_2"() pure {dtype = i32, value = dense<1> : tensor<1xi32>}
      : () -> tensor<1xi32>
  %93 = col.node "StridedSlice" "price/strided_slice_1"(%89, %90, %91, %92)
      pure {Index = i32, T = i32, begin_mask = 0 : i64, ellipsis_mask = 0 : i64, end_mask = 0 : i64, new_axis_mask = 0 : i64, shrink_axis_mask = 1 : i64}
      : (tensor<2xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<i32>
  %94 = col.node "Const" "price/Reshape_2/shape/1"() pure {dtype = i32, value = dense<2> : tensor<i32>}
      : () -> tensor<i32>
  %95 = col.node "Pack" "price/Reshape_2/shape"(%93, %94) pure {N = 2 : i64, T = i32, axis = 0 : i64}
      : (tensor<i32>, tensor<i32>) -> tensor<2xi32>
  %96 = col.node "Reshape" "price/Reshape_2"(%88, %95) pure {T = f32, Tshape = i32}
      : (tensor<?x2xf32>, tensor<2xi32>) -> tensor<?x2xf32>
  %97 = col.node "Identity" "concat/concat"(%96) pure {T = f32} : (tensor<?x2xf32>) -> tensor<?x2xf32>
  return %97 : tensor<?x2xf32>
}
