// Every optimisation keeps every value, bit for bit: bags of weighted rows whose
// length no vector length divides, some of them empty, and a dot product a row.
// RUN: %npy make %t.offsets.npy index "[0, 3, 3, 4, 9]"
// RUN: %npy make %t.indices.npy i32 "[4, 0, 2, 2, 1, 3, 4, 4, 0]"
// RUN: %npy make %t.table.npy f32 "rng.standard_normal((5, 13))"
// RUN: %npy make %t.weights.npy f32 "rng.standard_normal(9)"
// RUN: %npy make %t.out.npy f32 "rng.standard_normal((4, 13))"
// RUN: %npy make %t.dots.npy f32 "np.zeros(9)"
// RUN: ember-run %s --entry=bags @%t.offsets.npy @%t.indices.npy @%t.table.npy @%t.weights.npy @%t.out.npy @%t.dots.npy 4 13 --save=4:%t.0.npy --save=5:%t.d0.npy

// RUN: ember-opt %s --slc-vectorize=vector-length=4 --simplify-casts --vectorize-callbacks | ember-run - --entry=bags @%t.offsets.npy @%t.indices.npy @%t.table.npy @%t.weights.npy @%t.out.npy @%t.dots.npy 4 13 --save=4:%t.1.npy --save=5:%t.d1.npy
// RUN: %npy compare %t.0.npy %t.1.npy
// RUN: %npy compare %t.d0.npy %t.d1.npy

// RUN: ember-opt %s --slc-vectorize=vector-length=8 --simplify-casts --vectorize-callbacks --bufferize-compound-types --simplify-mem-ops | ember-run - --entry=bags @%t.offsets.npy @%t.indices.npy @%t.table.npy @%t.weights.npy @%t.out.npy @%t.dots.npy 4 13 --save=4:%t.2.npy --save=5:%t.d2.npy
// RUN: %npy compare %t.0.npy %t.2.npy
// RUN: %npy compare %t.d0.npy %t.d2.npy

// RUN: ember-opt %s --slc-vectorize=vector-length=16 --simplify-casts --vectorize-callbacks --bufferize-compound-types --align-queues --simplify-mem-ops | ember-run - --entry=bags @%t.offsets.npy @%t.indices.npy @%t.table.npy @%t.weights.npy @%t.out.npy @%t.dots.npy 4 13 --save=4:%t.3.npy --save=5:%t.d3.npy
// RUN: %npy compare %t.0.npy %t.3.npy
// RUN: %npy compare %t.d0.npy %t.d3.npy

// RUN: ember-opt %s --slc-vectorize=vector-length=4 --simplify-casts --vectorize-callbacks --bufferize-compound-types --align-queues=strategy=counters --simplify-mem-ops --slc-to-dlc | ember-run - --entry=bags --queue-capacity=1 @%t.offsets.npy @%t.indices.npy @%t.table.npy @%t.weights.npy @%t.out.npy @%t.dots.npy 4 13 --save=4:%t.4.npy --save=5:%t.d4.npy
// RUN: %npy compare %t.0.npy %t.4.npy
// RUN: %npy compare %t.d0.npy %t.d4.npy
func.func @bags(%offsets: memref<?xindex>, %indices: memref<?xi32>, %table: memref<?x?xf32>, %weights: memref<?xf32>, %out: memref<?x?xf32>, %dots: memref<?xf32>, %bags: index, %length: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  slc.for %b = %c0 to %bags step %c1 {
    %b1  = slc.alu_str add %b, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    %beg = slc.mem_str %offsets[%b] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %end = slc.mem_str %offsets[%b1] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    slc.for %p = %beg to %end step %c1 : !slc.stream<index>, !slc.stream<index> {
      %i32 = slc.mem_str %indices[%p] : memref<?xi32>[!slc.stream<index>] -> !slc.stream<i32>
      %i = slc.cast_str %i32 : !slc.stream<i32> to !slc.stream<index>
      %w = slc.mem_str %weights[%p] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
      %dot = slc.for %e = %c0 to %length step %c1 iter_args(%s = %zero) -> (f32) {
        %v = slc.mem_str %table[%i, %e] : memref<?x?xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
        %next = slc.callback ite -> f32 {
          %bag = slc.str_to_val %b : !slc.stream<index> -> index
          %pos = slc.str_to_val %e : !slc.stream<index> -> index
          %val = slc.str_to_val %v : !slc.stream<f32> -> f32
          %scale = slc.str_to_val %w : !slc.stream<f32> -> f32
          %acc = memref.load %out[%bag, %pos] : memref<?x?xf32>
          %scaled = arith.mulf %val, %scale : f32
          %sum = arith.addf %acc, %scaled : f32
          memref.store %sum, %out[%bag, %pos] : memref<?x?xf32>
          %square = arith.mulf %val, %val : f32
          %t = arith.addf %s, %square : f32
          slc.yield %t : f32
        }
        slc.yield %next : f32
      }
      slc.callback end {
        %pos = slc.str_to_val %p : !slc.stream<index> -> index
        memref.store %dot, %dots[%pos] : memref<?xf32>
      }
    }
  }
  return
}
