// A callback that would do nothing under a condition which only the execute
// unit can compute is named, with what keeps the access unit from it.

// RUN: ember-opt %s --mask-callbacks --verify-diagnostics -o /dev/null

func.func @computed(%tab: memref<?xf32>, %out: memref<?xf32>, %limit: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %tab, %c0 : memref<?xf32>
  slc.for %p = %c0 to %n step %c1 {
    %v = slc.mem_str %tab[%p] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    slc.callback ite {
      %x = slc.str_to_val %v : !slc.stream<f32> -> f32
      %at = slc.str_to_val %p : !slc.stream<index> -> index
      // expected-note@below {{because of 'arith.cmpf'}}
      %big = arith.cmpf ogt, %x, %limit : f32
      %late = arith.cmpi sgt, %at, %c1 : index
      %both = arith.andi %late, %big : i1
      // expected-remark@below {{callback runs whether this condition holds or not: the access unit cannot compute it}}
      scf.if %both {
        memref.store %x, %out[%at] : memref<?xf32>
      }
    }
  }
  return
}
