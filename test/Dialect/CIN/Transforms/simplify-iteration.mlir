// RUN: ember-opt %s --cin-simplify-iteration --split-input-file | FileCheck %s

#list = #cin.format<compressed fill 0.0 : f32>

// Two arrays with the same coordinates: what one stores and the other does not is nothing.
// CHECK-LABEL: func.func @shared(
// CHECK:       cin.evaluate
// CHECK-NOT:   #cin.iteration<"0 & ~1">
// CHECK:       cin.forall (%{{.*}}) attributes {iteration = #cin.iteration<"0 & 1">} {
// CHECK:         cin.assign add %{{.*}} to %[[OUT:.*]][
// CHECK:       %[[NOTHING:.*]] = cin.literal 0.000000e+00 : f32
// CHECK-NOT:   cin.reduce
// CHECK:       cin.assign add %[[NOTHING]] to
// CHECK-NOT:   cin.forall
// CHECK:       return
func.func @shared(%n: index, %p: memref<?xi64>, %c: memref<?xi64>, %v: memref<?xf32>, %w: memref<?xf32>, %y: memref<?xf32>) {
  cin.evaluate ins(%N = %n, %P = %p, %C = %c, %V = %v, %W = %w : index, memref<?xi64>, memref<?xi64>, memref<?xf32>, memref<?xf32>)
               outs(%out = %y : memref<?xf32>) {
    %a = cin.assemble %V levels(%P, %C) sizes(%N) {name = "A"} : memref<?xf32>, memref<?xi64>, memref<?xi64> -> !cin.array<?xf32, #list>
    %b = cin.assemble %W levels(%P, %C) sizes(%N) {name = "B"} : memref<?xf32>, memref<?xi64>, memref<?xi64> -> !cin.array<?xf32, #list>
    cin.forall (%i) attributes {iteration = #cin.iteration<"0 & 1">} {
      %x = cin.access %a[%i] : !cin.array<?xf32, #list>
      %z = cin.access %b[%i] : !cin.array<?xf32, #list>
      %product = cin.call mul(%x, %z) : (f32, f32) -> f32
      cin.assign add %product to %out[%i] : memref<?xf32>
    }
    cin.forall () {
      %none = cin.literal 0 : index
      %sum = cin.reduce add (%i) -> f32 attributes {iteration = #cin.iteration<"0 & ~1">} {
        %x = cin.access %a[%i] : !cin.array<?xf32, #list>
        %z = cin.access %b[%i] : !cin.array<?xf32, #list>
        %difference = cin.call sub(%x, %z) : (f32, f32) -> f32
        cin.yield %difference : f32
      }
      cin.assign add %sum to %out[%none] : memref<?xf32>
    }
    cin.forall (%i) attributes {iteration = #cin.iteration<"0 & ~1">} {
      %x = cin.access %a[%i] : !cin.array<?xf32, #list>
      %z = cin.access %b[%i] : !cin.array<?xf32, #list>
      %difference = cin.call sub(%x, %z) : (f32, f32) -> f32
      cin.assign add %difference to %out[%i] : memref<?xf32>
    }
  }
  return
}

// -----

#list = #cin.format<compressed fill 0.0 : f32>

// Coordinates of their own may be anything; a point that is left out stays out.
// CHECK-LABEL: func.func @different(
// CHECK:       cin.forall (%{{.*}}) attributes {iteration = #cin.iteration<"{{0 & ~1|~1 & 0}}">} {
// CHECK:       cin.forall (%{{.*}}) attributes {iteration = #cin.iteration<"0">} {
func.func @different(%n: index, %p: memref<?xi64>, %c: memref<?xi64>, %d: memref<?xi64>, %v: memref<?xf32>, %w: memref<?xf32>, %y: memref<?xf32>) {
  cin.evaluate ins(%N = %n, %P = %p, %C = %c, %D = %d, %V = %v, %W = %w : index, memref<?xi64>, memref<?xi64>, memref<?xi64>, memref<?xf32>, memref<?xf32>)
               outs(%out = %y : memref<?xf32>) {
    %a = cin.assemble %V levels(%P, %C) sizes(%N) {name = "A"} : memref<?xf32>, memref<?xi64>, memref<?xi64> -> !cin.array<?xf32, #list>
    %b = cin.assemble %W levels(%P, %D) sizes(%N) {name = "B"} : memref<?xf32>, memref<?xi64>, memref<?xi64> -> !cin.array<?xf32, #list>
    cin.forall (%i) attributes {iteration = #cin.iteration<"0 & ~1">} {
      %x = cin.access %a[%i] : !cin.array<?xf32, #list>
      %z = cin.access %b[%i] : !cin.array<?xf32, #list>
      %difference = cin.call sub(%x, %z) : (f32, f32) -> f32
      cin.assign add %difference to %out[%i] : memref<?xf32>
    }
    // What both make of a union that has no other region is the one.
    cin.forall (%i) attributes {iteration = #cin.iteration<"(0 & 1) | (0 & ~1)">} {
      %x = cin.access %a[%i] : !cin.array<?xf32, #list>
      %z = cin.access %b[%i] : !cin.array<?xf32, #list>
      %product = cin.call max(%x, %z) : (f32, f32) -> f32
      cin.assign add %product to %out[%i] : memref<?xf32>
    }
  }
  return
}

// -----

#list = #cin.format<compressed fill 0.0 : f32>

// What is appended to needs its ends, also where nothing is stored: the loop stays, over nothing.
// CHECK-LABEL: func.func @appended(
// CHECK:       cin.forall (%{{.*}}) attributes {iteration = #cin.iteration<"none">} {
// CHECK:         cin.assign
func.func @appended(%n: index, %p: memref<?xi64>, %c: memref<?xi64>, %v: memref<?xf32>, %w: memref<?xf32>, %q: memref<?xi64>, %e: memref<?xi64>, %r: memref<?xf32>) {
  cin.evaluate ins(%N = %n, %P = %p, %C = %c, %V = %v, %W = %w : index, memref<?xi64>, memref<?xi64>, memref<?xf32>, memref<?xf32>)
               outs(%Q = %q, %E = %e, %R = %r : memref<?xi64>, memref<?xi64>, memref<?xf32>) {
    %a = cin.assemble %V levels(%P, %C) sizes(%N) {name = "A"} : memref<?xf32>, memref<?xi64>, memref<?xi64> -> !cin.array<?xf32, #list>
    %b = cin.assemble %W levels(%P, %C) sizes(%N) {name = "B"} : memref<?xf32>, memref<?xi64>, memref<?xi64> -> !cin.array<?xf32, #list>
    %out = cin.assemble %R levels(%Q, %E) sizes(%N) {name = "y"} : memref<?xf32>, memref<?xi64>, memref<?xi64> -> !cin.array<?xf32, #list>
    cin.forall (%i) attributes {iteration = #cin.iteration<"0 & ~1">} {
      %x = cin.access %a[%i] : !cin.array<?xf32, #list>
      %z = cin.access %b[%i] : !cin.array<?xf32, #list>
      %difference = cin.call sub(%x, %z) : (f32, f32) -> f32
      cin.assign %difference to %out[%i] : !cin.array<?xf32, #list>
    }
  }
  return
}
