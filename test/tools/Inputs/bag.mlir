// The embedding bag: sums of rows of a table, for tests of the tools.
func.func @bag(%table: memref<?x4xf32> {ember.name = "weight"},
               %indices: memref<?xindex> {ember.name = "indices"},
               %offsets: memref<?xindex> {ember.name = "offsets"},
               %out: memref<?x4xf32> {ember.name = "out"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %bags = memref.dim %out, %c0 : memref<?x4xf32>
  scf.for %b = %c0 to %bags step %c1 {
    %next = arith.addi %b, %c1 : index
    %beg = memref.load %offsets[%b] : memref<?xindex>
    %end = memref.load %offsets[%next] : memref<?xindex>
    scf.for %p = %beg to %end step %c1 {
      %i = memref.load %indices[%p] : memref<?xindex>
      scf.for %e = %c0 to %c4 step %c1 {
        %v = memref.load %table[%i, %e] : memref<?x4xf32>
        %acc = memref.load %out[%b, %e] : memref<?x4xf32>
        %sum = arith.addf %acc, %v : f32
        memref.store %sum, %out[%b, %e] : memref<?x4xf32>
      }
    }
  }
  return
}
