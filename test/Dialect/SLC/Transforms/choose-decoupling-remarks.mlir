// A loop that stays with the execute unit is named, with the reason.

// RUN: ember-opt %s --canonicalize --cse --choose-decoupling --verify-diagnostics -o /dev/null

func.func private @touch()

func.func @unknown_call(%a: memref<?xf32>, %o: memref<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark@below {{loop is not offloaded: the effects of the call of 'touch' in it are unknown}}
  scf.for %t = %c0 to %n step %c1 {
    func.call @touch() : () -> ()
    %v = memref.load %a[%t] : memref<?xf32>
    memref.store %v, %o[] : memref<f32>
  }
  return
}

func.func @nothing_read_only(%a: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark@below {{loop is not offloaded: it loads nothing new from read-only memory}}
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<?xf32>
    %w = arith.addf %v, %v : f32
    memref.store %w, %a[%i] : memref<?xf32>
  }
  return
}

func.func @bounds_of_compute(%a: memref<?xf32>, %len: memref<?xindex>, %o: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %a[%i] : memref<?xf32>
    memref.store %x, %o[%i] : memref<?xf32>
    memref.store %i, %len[%i] : memref<?xindex>
    %l = memref.load %len[%i] : memref<?xindex>
    // expected-remark@below {{loop is not offloaded: its bounds are computed by the execute unit}}
    scf.for %j = %c0 to %l step %c1 {
      %v = memref.load %a[%j] : memref<?xf32>
      memref.store %v, %o[%j] : memref<?xf32>
    }
  }
  return
}

// The row of %i is loaded by the first loop; the second one finds it near the
// execute unit: a workspace loop.
func.func @location_already_read(%idx: memref<?xindex>, %x: memref<?x?xf32>, %dot: memref<f32>, %z: memref<?xf32>, %n: index, %d: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %idx[%p] : memref<?xindex>
    %w = memref.load %x[%i, %c0] : memref<?x?xf32>
    memref.store %w, %dot[] : memref<f32>
    // expected-remark@below {{loop is not offloaded: it loads nothing new from read-only memory}}
    scf.for %e = %c0 to %d step %c1 {
      %v = memref.load %x[%i, %c0] : memref<?x?xf32>
      memref.store %v, %z[%e] : memref<?xf32>
    }
  }
  return
}

func.func @two_candidates(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>, %o: memref<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    // expected-remark@below {{loop is not offloaded: another loop at its level is offloaded}}
    scf.for %i = %c0 to %n step %c1 {
      %v = memref.load %a[%i] : memref<?xf32>
      memref.store %v, %o[] : memref<f32>
    }
    scf.for %i = %c0 to %n step %c1 {
      %v = memref.load %b[%i] : memref<?xf32>
      %w = memref.load %c[%i] : memref<?xf32>
      %s = arith.addf %v, %w : f32
      memref.store %s, %o[] : memref<f32>
    }
  }
  return
}

// The loop inside is offloaded; the one around it is not.
func.func @while(%a: memref<?xf32>, %o: memref<f32>, %n: index, %end: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark@below {{loop is not offloaded: an 'scf.while' traverses no range, the execute unit decides in each iteration whether it goes on}}
  scf.while : () -> () {
    %x = memref.load %o[] : memref<f32>
    %more = arith.cmpf olt, %x, %end : f32
    scf.condition(%more)
  } do {
    scf.for %i = %c0 to %n step %c1 {
      %v = memref.load %a[%i] : memref<?xf32>
      memref.store %v, %o[] : memref<f32>
    }
    scf.yield
  }
  return
}

// Conditions of which the access unit does not know whether they hold, and
// because of what.
func.func @conditions(%idx: memref<?xindex>, %w: memref<?xf32>, %tab: memref<?x?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %idx[%p] : memref<?xindex>
    %x = memref.load %w[%p] : memref<?xf32>
    %row = arith.cmpi sge, %i, %c0 : index
    // expected-note@below {{here}}
    %big = arith.cmpf ogt, %x, %z : f32
    %both = arith.andi %row, %big : i1
    // expected-remark@below {{what is read under a condition stays in the execute unit: it is computed by 'arith.cmpf', which the access unit does not do}}
    scf.if %both {
      scf.for %e = %c0 to %n step %c1 {
        %v = memref.load %tab[%i, %e] : memref<?x?xf32>
        memref.store %v, %out[%e] : memref<?xf32>
      }
    }
    // Nothing is read under it.
    scf.if %big {
      memref.store %z, %out[%c0] : memref<?xf32>
    }
  }
  return
}

// A loop that cannot be taken out of its condition.
func.func @behind_effects(%idx: memref<?xindex>, %tab: memref<?x?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %idx[%p] : memref<?xindex>
    %row = arith.cmpi sge, %i, %c0 : index
    scf.if %row {
      memref.store %z, %out[%c0] : memref<?xf32>
      // expected-remark@below {{loop is not offloaded: it stands under a condition behind code with effects}}
      scf.for %e = %c0 to %n step %c1 {
        %v = memref.load %tab[%i, %e] : memref<?x?xf32>
        memref.store %v, %out[%e] : memref<?xf32>
      }
    }
  }
  return
}

// The only load is under an unknown condition.
func.func @only_load(%tab: memref<?xf32>, %out: memref<?xf32>, %limit: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark@below {{loop is not offloaded: it loads nothing new from read-only memory: argument 0 is loaded under a condition that is computed by 'arith.cmpf', which the access unit does not do}}
  scf.for %p = %c0 to %n step %c1 {
    %p64 = arith.index_cast %p : index to i64
    %x = arith.sitofp %p64 : i64 to f32
    %big = arith.cmpf ogt, %x, %limit : f32
    scf.if %big {
      %v = memref.load %tab[%p] : memref<?xf32>
      memref.store %v, %out[%p] : memref<?xf32>
    }
  }
  return
}
