// Lookups under conditions, and with indices that are chosen, compared and
// clamped, are the access unit's at every level and alignment of the queues.

// RUN: %npy make %t.idx.npy i64 "[2, -1, 0, 7, -1, -1, 1, 3]"
// RUN: %npy make %t.off.npy i64 "[0, 3, 3, 6, 8]"
// RUN: %npy make %t.tab.npy f32 "np.arange(24).reshape(4, 6)"
// RUN: %npy make %t.o.npy f32 "np.zeros((4, 6))"
// RUN: ember-opt %s --scf-to-slc > %t.slc.mlir
// RUN: FileCheck %s --input-file=%t.slc.mlir --check-prefix=SLC
// SLC-COUNT-3: slc.mem_str %{{.*}} : memref<?x6xf32>
// RUN: ember-opt %t.slc.mlir --slc-to-dlc > %t.dlc.mlir
// RUN: ember-opt %t.slc.mlir --optimize="opt-level=1 vector-length=4" > %t.1.mlir
// RUN: FileCheck %s --input-file=%t.1.mlir --check-prefix=LANES
// LANES: slc.cmp_str eq {{.*}} -> !slc.stream<vector<4xi1>>
// LANES: slc.sel_str {{.*}} -> !slc.stream<vector<4xindex>>
// RUN: ember-opt %t.slc.mlir --optimize="opt-level=2 vector-length=4" > %t.2.mlir
// RUN: ember-opt %t.slc.mlir --optimize="opt-level=3 vector-length=4 alignment=pad" > %t.pad.mlir
// RUN: ember-opt %t.slc.mlir --optimize="opt-level=3 vector-length=4 alignment=counters" > %t.counters.mlir
// RUN: ember-opt %t.slc.mlir --optimize="opt-level=3 vector-length=4 alignment=addresses" > %t.addresses.mlir
// RUN: ember-opt %t.slc.mlir --optimize="opt-level=4 vector-length=4" > %t.4.mlir

// DEFINE: %{entry} =
// DEFINE: %{expect} =
// DEFINE: %{run} = ember-run - --entry=%{entry} @%t.off.npy @%t.idx.npy @%t.tab.npy @%t.o.npy --print=3 | FileCheck %s --check-prefix=%{expect}
// DEFINE: %{all} = cat %s | %{run} && cat %t.slc.mlir | %{run} && cat %t.dlc.mlir | %{run} \
// DEFINE:   && cat %t.1.mlir | %{run} && ember-opt %t.1.mlir --slc-to-dlc | %{run} \
// DEFINE:   && cat %t.2.mlir | %{run} && ember-opt %t.2.mlir --slc-to-dlc | %{run} \
// DEFINE:   && cat %t.pad.mlir | %{run} && ember-opt %t.pad.mlir --slc-to-dlc | %{run} \
// DEFINE:   && cat %t.counters.mlir | %{run} && ember-opt %t.counters.mlir --slc-to-dlc | %{run} \
// DEFINE:   && cat %t.addresses.mlir | %{run} && ember-opt %t.addresses.mlir --slc-to-dlc | %{run} \
// DEFINE:   && cat %t.4.mlir | %{run} && ember-opt %t.4.mlir --slc-to-dlc=opt-level=4 | %{run}

// An id that is no row is padding, and counted behind its lookup.
// REDEFINE: %{entry} = padded
// REDEFINE: %{expect} = PADDED
// RUN: %{all}
// PADDED: {{\[}}[11, 13, 15, 17, 19, 21], [0, 0, 0, 0, 0, 0], [-3, -3, -3, -3, -3, -3], [24, 26, 28, 30, 32, 34]]

// An id that is no row is replaced by the first one.
// REDEFINE: %{entry} = replaced
// REDEFINE: %{expect} = REPLACED
// RUN: %{all}
// REPLACED: {{\[}}[12, 15, 18, 21, 24, 27], [0, 0, 0, 0, 0, 0], [0, 3, 6, 9, 12, 15], [24, 26, 28, 30, 32, 34]]

// Ids that clamping changes are replaced, each element by a lookup of its own.
// REDEFINE: %{entry} = clamped
// REDEFINE: %{expect} = CLAMPED
// RUN: %{all}
// CLAMPED: {{\[}}[12, 7, 2, 0, 0, 0], [0, 0, 0, 0, 0, 0], [6, 7, 8, 0, 0, 0], [6, 19, 0, 0, 0, 0]]

func.func @padded(%off: memref<?xindex>, %idx: memref<?xindex>, %tab: memref<?x6xf32>, %out: memref<?x6xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %one = arith.constant 1.0 : f32
  %rows = memref.dim %tab, %c0 : memref<?x6xf32>
  %n = memref.dim %out, %c0 : memref<?x6xf32>
  scf.for %b = %c0 to %n step %c1 {
    %beg = memref.load %off[%b] : memref<?xindex>
    %b1 = arith.addi %b, %c1 : index
    %end = memref.load %off[%b1] : memref<?xindex>
    scf.for %p = %beg to %end step %c1 {
      %i = memref.load %idx[%p] : memref<?xindex>
      %ok = arith.cmpi ult, %i, %rows : index
      scf.if %ok {
        scf.for %e = %c0 to %c6 step %c1 {
          %v = memref.load %tab[%i, %e] : memref<?x6xf32>
          %o = memref.load %out[%b, %e] : memref<?x6xf32>
          %s = arith.addf %o, %v : f32
          memref.store %s, %out[%b, %e] : memref<?x6xf32>
        }
      } else {
        scf.for %e = %c0 to %c6 step %c1 {
          %o = memref.load %out[%b, %e] : memref<?x6xf32>
          %s = arith.subf %o, %one : f32
          memref.store %s, %out[%b, %e] : memref<?x6xf32>
        }
      }
    }
  }
  return
}

func.func @replaced(%off: memref<?xindex>, %idx: memref<?xindex>, %tab: memref<?x6xf32>, %out: memref<?x6xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %rows = memref.dim %tab, %c0 : memref<?x6xf32>
  %n = memref.dim %out, %c0 : memref<?x6xf32>
  scf.for %b = %c0 to %n step %c1 {
    %beg = memref.load %off[%b] : memref<?xindex>
    %b1 = arith.addi %b, %c1 : index
    %end = memref.load %off[%b1] : memref<?xindex>
    scf.for %p = %beg to %end step %c1 {
      %i0 = memref.load %idx[%p] : memref<?xindex>
      %ok = arith.cmpi ult, %i0, %rows : index
      %i = arith.select %ok, %i0, %c0 : index
      scf.for %e = %c0 to %c6 step %c1 {
        %v = memref.load %tab[%i, %e] : memref<?x6xf32>
        %o = memref.load %out[%b, %e] : memref<?x6xf32>
        %s = arith.addf %o, %v : f32
        memref.store %s, %out[%b, %e] : memref<?x6xf32>
      }
    }
  }
  return
}

// The choice is made in the innermost loop: a lane a lookup.
func.func @clamped(%off: memref<?xindex>, %idx: memref<?xindex>, %tab: memref<?x6xf32>, %out: memref<?x6xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %rows = memref.dim %tab, %c0 : memref<?x6xf32>
  %last = arith.subi %rows, %c1 : index
  %n = memref.dim %out, %c0 : memref<?x6xf32>
  scf.for %b = %c0 to %n step %c1 {
    %beg = memref.load %off[%b] : memref<?xindex>
    %b1 = arith.addi %b, %c1 : index
    %end = memref.load %off[%b1] : memref<?xindex>
    scf.for %p = %beg to %end step %c1 {
      %e = arith.subi %p, %beg : index
      %i0 = memref.load %idx[%p] : memref<?xindex>
      %low = arith.maxsi %i0, %c0 : index
      %i = arith.minsi %low, %last : index
      %is_row = arith.cmpi eq, %i, %i0 : index
      %j = arith.select %is_row, %i, %c1 : index
      %v = memref.load %tab[%j, %e] : memref<?x6xf32>
      %o = memref.load %out[%b, %e] : memref<?x6xf32>
      %s = arith.addf %o, %v : f32
      memref.store %s, %out[%b, %e] : memref<?x6xf32>
    }
  }
  return
}
