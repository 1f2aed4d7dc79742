// Functions that are read in other ways: operations of linalg, scalars, sizes that
// types do not say, and what is none of a graph.
//
// RUN: split-file %s %t
// RUN: ember-dag %t/linalg.mlir --scheme=Ideal | FileCheck %s --check-prefix=LINALG
// RUN: ember-dag %t/dynamic.mlir --shape=A=100000x100000:500000 --scheme=Ideal | FileCheck %s --check-prefix=DYNAMIC
// RUN: not ember-dag %t/dynamic.mlir 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not ember-dag %t/memrefs.mlir 2>&1 | FileCheck %s --check-prefix=MEMREFS
// RUN: not ember-dag %t/several.mlir 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not ember-dag %t/columns.mlir 2>&1 | FileCheck %s --check-prefix=COLUMNS
// RUN: ember-dag %t/segments.mlir --scheme=Ideal | FileCheck %s --check-prefix=SEGMENTS
// RUN: ember-dag %t/while.mlir --iterations=2 --scheme=Ideal | FileCheck %s --check-prefix=WHILE

//--- linalg.mlir
// LINALG: 1:matmul {{ *}}einsum {{ *}}U {{ *}}0
// LINALG: 2:matmul {{ *}}einsum {{ *}}U {{ *}}0
// LINALG: 1:matmul {{ *}}2:matmul {{ *}}matmul {{ *}}pipelineable
// LINALG: Ideal {{ *}}320,000 {{ *}}320,000
func.func @chain(%h: tensor<20000x16xf32>, %w: tensor<16x16xf32>, %v: tensor<16x16xf32>) -> tensor<20000x16xf32> {
  %zero = arith.constant 0.0 : f32
  %room = tensor.empty() : tensor<20000x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%room : tensor<20000x16xf32>) -> tensor<20000x16xf32>
  %a = linalg.matmul ins(%h, %w : tensor<20000x16xf32>, tensor<16x16xf32>)
                     outs(%init : tensor<20000x16xf32>) -> tensor<20000x16xf32>
  %b = linalg.matmul ins(%a, %v : tensor<20000x16xf32>, tensor<16x16xf32>)
                     outs(%init : tensor<20000x16xf32>) -> tensor<20000x16xf32>
  return %b : tensor<20000x16xf32>
}

//--- dynamic.mlir
// DYNAMIC: 1:y {{ *}}einsum {{ *}}U
// DYNAMIC: Ideal {{ *}}1,200,000 {{ *}}100,000
// UNKNOWN: error: how many elements of 'A' are stored is not known
#csr = #cin.format<dense, compressed fill 0.0 : f32>
func.func @product(%positions: tensor<?xi64>, %coordinates: tensor<?xi64>, %values: tensor<?xf32>, %m: index,
                   %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = cin.evaluate ins(%P = %positions, %C = %coordinates, %V = %values, %M = %m, %x_ = %x :
                        tensor<?xi64>, tensor<?xi64>, tensor<?xf32>, index, tensor<?xf32>)
                    outs(%y_ = %y : tensor<?xf32>) -> tensor<?xf32> attributes {names = ["P", "C", "V", "M", "x", "y"]} {
    %A = cin.assemble %V levels(%P, %C) sizes(%M, %M) {name = "A"}
        : tensor<?xf32>, tensor<?xi64>, tensor<?xi64> -> !cin.array<?x?xf32, #csr>
    cin.forall (%i) {
      %sum = cin.reduce add (%k) -> f32 {
        %a = cin.access %A[%i, %k] : !cin.array<?x?xf32, #csr>
        %b = cin.access %x_[%k] : tensor<?xf32>
        %ab = cin.call mul(%a, %b) : (f32, f32) -> f32
        cin.yield %ab : f32
      }
      cin.assign %sum to %y_[%i] : tensor<?xf32>
    }
  }
  return %0 : tensor<?xf32>
}

//--- memrefs.mlir
// MEMREFS: error: is on memrefs; graphs of operations are read from functions of tensors
func.func @copy(%x: memref<8xf32>, %y: memref<8xf32>) {
  cin.evaluate ins(%x_ = %x : memref<8xf32>) outs(%y_ = %y : memref<8xf32>) {
    cin.forall (%i) {
      %a = cin.access %x_[%i] : memref<8xf32>
      cin.assign %a to %y_[%i] : memref<8xf32>
    }
  }
  return
}

//--- several.mlir
// SEVERAL: error: there are several functions: say which by --entry
func.func @a(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
func.func @b(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

//--- columns.mlir
// COLUMNS: error: 'A' is stored in a format that graphs of tensor operations do not know; CSR matrices and dense tensors are
#csc = #cin.format<dense, compressed order 1, 0 fill 0.0 : f32>
func.func @product(%positions: tensor<9xi64>, %coordinates: tensor<20xi64>, %values: tensor<20xf32>,
                   %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = cin.evaluate ins(%P = %positions, %C = %coordinates, %V = %values : tensor<9xi64>, tensor<20xi64>, tensor<20xf32>)
                    outs(%y_ = %y : tensor<8xf32>) -> tensor<8xf32> {
    %A = cin.assemble %V levels(%P, %C) {name = "A"}
        : tensor<20xf32>, tensor<9xi64>, tensor<20xi64> -> !cin.array<8x8xf32, #csc>
    cin.forall (%i) {
      %sum = cin.reduce add (%k) -> f32 {
        %a = cin.access %A[%i, %k] : !cin.array<8x8xf32, #csc>
        cin.yield %a : f32
      }
      cin.assign %sum to %y_[%i] : tensor<8xf32>
    }
  }
  return %0 : tensor<8xf32>
}

//--- while.mlir
// Steepest descent with a scalar: x is scaled until its norm is small.
// WHILE: 1:norm {{ *}}einsum {{ *}}C
// WHILE: 2:cmpf {{ *}}whole
// WHILE: 3:x {{ *}}einsum {{ *}}U
// WHILE: 3:x {{ *}}1:norm' {{ *}}x {{ *}}pipelineable
func.func @scale(%x0: tensor<50000xf32>) -> tensor<50000xf32> {
  %bound = arith.constant 1.0e-3 : f32
  %scalar = tensor.empty() : tensor<f32>
  %room = tensor.empty() : tensor<50000xf32>
  %result = scf.while (%x = %x0) : (tensor<50000xf32>) -> tensor<50000xf32> {
    %norm = cin.evaluate ins(%x_ = %x : tensor<50000xf32>) outs(%n = %scalar : tensor<f32>) -> tensor<f32>
        attributes {names = ["x", "norm"]} {
      cin.forall () {
        %sum = cin.reduce add (%i) -> f32 {
          %a = cin.access %x_[%i] : tensor<50000xf32>
          %aa = cin.call mul(%a, %a) : (f32, f32) -> f32
          cin.yield %aa : f32
        }
        cin.assign %sum to %n[] : tensor<f32>
      }
    }
    %value = tensor.extract %norm[] : tensor<f32>
    %more = arith.cmpf ogt, %value, %bound : f32
    scf.condition(%more) %x : tensor<50000xf32>
  } do {
  ^bb0(%x: tensor<50000xf32>):
    %next = cin.evaluate ins(%x_ = %x : tensor<50000xf32>) outs(%y = %room : tensor<50000xf32>) -> tensor<50000xf32>
        attributes {names = ["x", "x"]} {
      cin.forall (%i) {
        %a = cin.access %x_[%i] : tensor<50000xf32>
        %half = cin.literal 5.0e-1 : f32
        %b = cin.call mul(%a, %half) : (f32, f32) -> f32
        cin.assign %b to %y[%i] : tensor<50000xf32>
      }
    }
    scf.yield %next : tensor<50000xf32>
  }
  return %result : tensor<50000xf32>
}

//--- segments.mlir
// The same product on positions: rows of 5 elements, which no array indexes densely.
// SEGMENTS: 1:y {{ *}}einsum {{ *}}U {{ *}}0 {{ *}}i
// SEGMENTS: Ideal {{ *}}1,200,001 {{ *}}100,000
func.func @product(%positions: tensor<100001xi64>, %coordinates: tensor<500000xi64>, %values: tensor<500000xf32>,
                   %x: tensor<100000xf32>, %y: tensor<100000xf32>) -> tensor<100000xf32> {
  %0 = cin.evaluate ins(%P = %positions, %C = %coordinates, %V = %values, %x_ = %x :
                        tensor<100001xi64>, tensor<500000xi64>, tensor<500000xf32>, tensor<100000xf32>)
                    outs(%y_ = %y : tensor<100000xf32>) -> tensor<100000xf32>
                    attributes {names = ["P", "C", "V", "x", "y"]} {
    cin.forall (%i) attributes {names = ["i"]} {
      %next = cin.apply affine_map<(d0) -> (d0 + 1)>(%i)
      %begin = cin.access %P[%i] : tensor<100001xi64>
      %end = cin.access %P[%next] : tensor<100001xi64>
      %sum = cin.reduce add (%p in %begin to %end : i64) -> f32 attributes {names = ["p"]} {
        %k = cin.access %C[%p] : tensor<500000xi64>
        %a = cin.access %V[%p] : tensor<500000xf32>
        %b = cin.access %x_[%k] : tensor<100000xf32> (i64)
        %ab = cin.call mul(%a, %b) : (f32, f32) -> f32
        cin.yield %ab : f32
      }
      cin.assign %sum to %y_[%i] : tensor<100000xf32>
    }
  }
  return %0 : tensor<100000xf32>
}
