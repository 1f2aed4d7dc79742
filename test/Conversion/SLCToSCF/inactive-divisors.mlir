// A lane beyond the end divides by nothing, whatever stands there in memory.

// RUN: %npy make %t.divisors.npy i32 "[3, 5, 2, 4, 1]"
// RUN: %npy make %t.out.npy i32 "np.zeros(5)"
// RUN: %npy make %t.expected.npy i32 "[20, 12, 30, 15, 60]"
// RUN: ember-run %s @%t.divisors.npy @%t.out.npy 5 --save=1:%t.slcv.npy
// RUN: %npy compare %t.slcv.npy %t.expected.npy
// RUN: ember-opt %s --slc-to-dlc | ember-run - @%t.divisors.npy @%t.out.npy 5 --save=1:%t.dlc.npy
// RUN: %npy compare %t.dlc.npy %t.expected.npy

func.func @divide(%divisors: memref<?xi32>, %out: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %dividend = arith.constant 60 : i32
  slcv.vec_for (%i, %mask) = %c0 to %n step %c1 vector<4> {
    %d = slcv.vec_mem_str %divisors[%i] mask %mask contiguous : memref<?xi32>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xi32>>
    %q = slcv.vec_alu_str divs %dividend, %d : i32, !slc.stream<vector<4xi32>> -> !slc.stream<vector<4xi32>>
    slc.callback ite {
      %at = slc.str_to_val %i : !slc.stream<vector<4xindex>> -> vector<4xindex>
      %active = slc.str_to_val %mask : !slc.stream<vector<4xi1>> -> vector<4xi1>
      %first = vector.extract %at[0] : index from vector<4xindex>
      %value = slc.str_to_val %q : !slc.stream<vector<4xi32>> -> vector<4xi32>
      vector.maskedstore %out[%first], %active, %value : memref<?xi32>, vector<4xi1>, vector<4xi32>
    }
  }
  return
}
