// The mark of a nest is an attribute that anyone can write: what it stands on
// is checked before it is believed.

// RUN: ember-opt %s --convert-scf-to-slc --split-input-file --verify-diagnostics

func.func @computes(%a: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{the nest}}
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<?xf32>
    // expected-error @+1 {{in a loop marked 'slc.decouple' is nothing the access unit does, and must stand in an 'slc.callback'}}
    memref.store %v, %a[%i] : memref<?xf32>
  } {slc.decouple}
  return
}

// -----

func.func @branches(%a: memref<?xf32>, %n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{the nest}}
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+1 {{is nothing the access unit does}}
    scf.if %c {
      %v = memref.load %a[%i] : memref<?xf32>
      memref.store %v, %a[%i] : memref<?xf32>
    }
  } {slc.decouple}
  return
}

// -----

func.func @element(%a: memref<?xvector<2xf32>>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{the nest}}
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+1 {{is nothing the access unit does}}
    %v = memref.load %a[%i] : memref<?xvector<2xf32>>
    slc.callback ite {
      memref.store %v, %a[%i] : memref<?xvector<2xf32>>
    }
  } {slc.decouple}
  return
}

// -----

func.func @yields_stream(%a: memref<?xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 1.0 : f32
  // expected-error @+2 {{in a loop marked 'slc.decouple' carries a value of the access unit}}
  // expected-note @+1 {{the nest}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> f32 {
    %v = memref.load %a[%i] : memref<?xf32>
    scf.yield %v : f32
  } {slc.decouple}
  return %r : f32
}

// -----

func.func @starts_from_stream(%a: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{the nest}}
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<?xf32>
    // expected-error @+1 {{carries a value of the access unit}}
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%x = %v) -> f32 {
      %y = slc.callback ite -> f32 {
        %w = arith.addf %x, %x : f32
        slc.yield %w : f32
      }
      scf.yield %y : f32
    } {slc.decouple}
  } {slc.decouple}
  return
}

// -----

func.func @computed_bound(%a: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{the nest}}
  scf.for %i = %c0 to %n step %c1 {
    %m = slc.callback beg -> index {
      %v = memref.load %a[%i] : memref<?xindex>
      slc.yield %v : index
    }
    // expected-error @+1 {{has a bound of the execute unit}}
    scf.for %j = %c0 to %m step %c1 {
      slc.callback ite {
        memref.store %j, %a[%i] : memref<?xindex>
      }
    } {slc.decouple}
  } {slc.decouple}
  return
}

// -----

func.func @computed_index(%a: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{the nest}}
  scf.for %i = %c0 to %n step %c1 {
    %m = slc.callback ite -> index {
      %v = memref.load %a[%i] : memref<?xindex>
      slc.yield %v : index
    }
    // expected-error @+1 {{reads a value of the execute unit}}
    %w = memref.load %a[%m] : memref<?xindex>
    slc.callback ite {
      memref.store %w, %a[%i] : memref<?xindex>
    }
  } {slc.decouple}
  return
}

// -----

func.func @step(%a: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{the nest}}
  scf.for %i = %c0 to %n step %c1 {
    %s = memref.load %a[%i] : memref<?xindex>
    // expected-error @+1 {{changes its step}}
    scf.for %j = %c0 to %n step %s {
      slc.callback ite {
        memref.store %j, %a[%i] : memref<?xindex>
      }
    } {slc.decouple}
  } {slc.decouple}
  return
}

// -----

func.func @narrow(%a: memref<?xi32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+2 {{must count by a signed index}}
  // expected-note @+1 {{the nest}}
  scf.for %i = %c0 to %n step %c1 : i32 {
  } {slc.decouple}
  return
}

// -----

// A load with a mask stands under a condition alone; the mask, and what there
// is without it, are of the access unit.

func.func @mask_of_compute(%a: memref<?xf32>, %flags: memref<?xi1>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  // expected-note @+1 {{the nest}}
  scf.for %i = %c0 to %n step %c1 {
    %ok = slc.callback ite -> i1 {
      %flag = memref.load %flags[%i] : memref<?xi1>
      slc.yield %flag : i1
    }
    // expected-error @+1 {{reads a value of the execute unit}}
    %v = scf.if %ok -> (f32) {
      %x = memref.load %a[%i] : memref<?xf32>
      scf.yield %x : f32
    } else {
      scf.yield %z : f32
    }
  } {slc.decouple}
  return
}

// -----

func.func @otherwise_of_compute(%a: memref<?xf32>, %flags: memref<?xi1>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{the nest}}
  scf.for %i = %c0 to %n step %c1 {
    %ok = memref.load %flags[%i] : memref<?xi1>
    %other = slc.callback ite -> f32 {
      %z = arith.constant 0.0 : f32
      slc.yield %z : f32
    }
    // expected-error @+1 {{reads a value of the execute unit}}
    %v = scf.if %ok -> (f32) {
      %x = memref.load %a[%i] : memref<?xf32>
      scf.yield %x : f32
    } else {
      scf.yield %other : f32
    }
  } {slc.decouple}
  return
}

// -----

func.func @two_loads(%a: memref<?xf32>, %idx: memref<?xindex>, %flags: memref<?xi1>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  // expected-note @+1 {{the nest}}
  scf.for %i = %c0 to %n step %c1 {
    %ok = memref.load %flags[%i] : memref<?xi1>
    // expected-error @+1 {{is nothing the access unit does, and must stand in an 'slc.callback'}}
    %v = scf.if %ok -> (f32) {
      %j = memref.load %idx[%i] : memref<?xindex>
      %x = memref.load %a[%j] : memref<?xf32>
      scf.yield %x : f32
    } else {
      scf.yield %z : f32
    }
  } {slc.decouple}
  return
}
