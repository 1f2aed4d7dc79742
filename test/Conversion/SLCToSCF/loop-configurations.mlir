// What the lanes of a vector loop visit, by configuration, executed after
// recoupling and as decoupled programs: out[k] gets the visited values of
// iteration k, with -1 in lanes the mask switches off.

// RUN: %npy make %t.out.npy i64 "np.full((8, 4), -9)"
// RUN: %npy make %t.lower.npy index "[0, 1, 5, 2]"
// RUN: %npy make %t.upper.npy index "[3, 3, 4, 7]"

// Two iterations of four lanes; the second has three elements left.
// RUN: %npy make %t.vector.npy i64 "[[1, 4, 7, 10], [13, 16, 19, -1]] + [[-9] * 4] * 6"
// RUN: ember-run %s --entry=vector @%t.out.npy --save=0:%t.v0.npy
// RUN: %npy compare %t.v0.npy %t.vector.npy
// RUN: ember-opt %s --slc-to-dlc | ember-run - --entry=vector @%t.out.npy --save=0:%t.v1.npy --queue-capacity=1
// RUN: %npy compare %t.v1.npy %t.vector.npy

// RUN: %npy make %t.bcast.npy i64 "[[1] * 4, [4] * 4, [7] * 4] + [[-9] * 4] * 5"
// RUN: ember-run %s --entry=bcast @%t.out.npy --save=0:%t.b0.npy
// RUN: %npy compare %t.b0.npy %t.bcast.npy
// RUN: ember-opt %s --slc-to-dlc | ember-run - --entry=bcast @%t.out.npy --save=0:%t.b1.npy
// RUN: %npy compare %t.b1.npy %t.bcast.npy

// RUN: %npy make %t.scalar.npy i64 "[[1, -1, -1, -1], [4, -1, -1, -1], [7, -1, -1, -1]] + [[-9] * 4] * 5"
// RUN: ember-run %s --entry=scalar @%t.out.npy --save=0:%t.s0.npy
// RUN: %npy compare %t.s0.npy %t.scalar.npy
// RUN: ember-opt %s --slc-to-dlc | ember-run - --entry=scalar @%t.out.npy --save=0:%t.s1.npy
// RUN: %npy compare %t.s1.npy %t.scalar.npy

// Each lane has its own range; the third one is empty, the fourth the longest.
// RUN: %npy make %t.lockstep.npy i64 "[[0, 1, -1, 2], [1, 2, -1, 3], [2, -1, -1, 4], [-1, -1, -1, 5], [-1, -1, -1, 6]] + [[-9] * 4] * 3"
// RUN: ember-run %s --entry=lockstep @%t.lower.npy @%t.upper.npy @%t.out.npy --save=2:%t.l0.npy
// RUN: %npy compare %t.l0.npy %t.lockstep.npy
// RUN: ember-opt %s --slc-to-dlc | ember-run - --entry=lockstep @%t.lower.npy @%t.upper.npy @%t.out.npy --save=2:%t.l1.npy
// RUN: %npy compare %t.l1.npy %t.lockstep.npy

func.func private @store(%out: memref<8x4xi64>, %row: index, %visited: vector<4xindex>, %mask: vector<4xi1>) {
  %off = arith.constant dense<-1> : vector<4xi64>
  %c0 = arith.constant 0 : index
  %values = arith.index_cast %visited : vector<4xindex> to vector<4xi64>
  %shown = arith.select %mask, %values, %off : vector<4xi1>, vector<4xi64>
  vector.store %shown, %out[%row, %c0] : memref<8x4xi64>, vector<4xi64>
  return
}

func.func @vector(%out: memref<8x4xi64>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c20 = arith.constant 20 : index
  slcv.vec_for (%s, %mask, %n) = %c1 to %c20 step %c3 vector<4> {
    slc.callback ite {
      %k = slc.str_to_val %n : !slc.stream<index> -> index
      %v = slc.str_to_val %s : !slc.stream<vector<4xindex>> -> vector<4xindex>
      %m = slc.str_to_val %mask : !slc.stream<vector<4xi1>> -> vector<4xi1>
      func.call @store(%out, %k, %v, %m) : (memref<8x4xi64>, index, vector<4xindex>, vector<4xi1>) -> ()
    }
  }
  return
}

func.func @bcast(%out: memref<8x4xi64>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c10 = arith.constant 10 : index
  slcv.vec_for (%s, %mask, %n) = %c1 to %c10 step %c3 vector<4> bcast {
    slc.callback ite {
      %k = slc.str_to_val %n : !slc.stream<index> -> index
      %v = slc.str_to_val %s : !slc.stream<vector<4xindex>> -> vector<4xindex>
      %m = slc.str_to_val %mask : !slc.stream<vector<4xi1>> -> vector<4xi1>
      func.call @store(%out, %k, %v, %m) : (memref<8x4xi64>, index, vector<4xindex>, vector<4xi1>) -> ()
    }
  }
  return
}

func.func @scalar(%out: memref<8x4xi64>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c10 = arith.constant 10 : index
  slcv.vec_for (%s, %mask, %n) = %c1 to %c10 step %c3 vector<4> scalar {
    slc.callback ite {
      %k = slc.str_to_val %n : !slc.stream<index> -> index
      %v = slc.str_to_val %s : !slc.stream<vector<4xindex>> -> vector<4xindex>
      %m = slc.str_to_val %mask : !slc.stream<vector<4xi1>> -> vector<4xi1>
      func.call @store(%out, %k, %v, %m) : (memref<8x4xi64>, index, vector<4xindex>, vector<4xi1>) -> ()
    }
  }
  return
}

func.func @lockstep(%lower: memref<4xindex>, %upper: memref<4xindex>, %out: memref<8x4xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  slcv.vec_for (%lane, %all) = %c0 to %c4 step %c1 vector<4> {
    %beg = slcv.vec_mem_str %lower[%lane] mask %all : memref<4xindex>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xindex>>
    %end = slcv.vec_mem_str %upper[%lane] mask %all : memref<4xindex>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xindex>>
    slcv.vec_for (%s, %mask, %n) = %beg to %end step %c1 vector<4> mask %all : !slc.stream<vector<4xindex>>, !slc.stream<vector<4xindex>>, !slc.stream<vector<4xi1>> {
      slc.callback ite {
        %k = slc.str_to_val %n : !slc.stream<index> -> index
        %v = slc.str_to_val %s : !slc.stream<vector<4xindex>> -> vector<4xindex>
        %m = slc.str_to_val %mask : !slc.stream<vector<4xi1>> -> vector<4xi1>
        func.call @store(%out, %k, %v, %m) : (memref<8x4xi64>, index, vector<4xindex>, vector<4xi1>) -> ()
      }
    }
  }
  return
}
