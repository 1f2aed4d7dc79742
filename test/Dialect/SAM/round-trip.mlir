// Each block is printed as it is read.

// RUN: ember-opt %s | ember-opt | FileCheck %s
// RUN: ember-opt %s --mlir-print-op-generic | ember-opt | FileCheck %s

#dcsr = #cin.format<compressed, compressed fill 0.0 : f32>
#vector = #cin.format<compressed fill 0.0 : f32>
#bits = #cin.format<bitmap fill 0.0 : f32>

// CHECK-LABEL: func.func @rows
func.func @rows(%B: tensor<?x?xf32, #dcsr>, %C: tensor<?x?xf32, #dcsr>, %X: tensor<?x?xf32, #dcsr>)
    -> tensor<?x?xf32, #dcsr> {
  // CHECK: sam.graph ins(%B = %{{.*}}, %C = %{{.*}} : {{.*}}) outs(%X = %{{.*}} : {{.*}}) ->
  // CHECK-SAME: attributes {names = ["B", "C", "X"]} {
  %0 = sam.graph ins(%b = %B, %c = %C : tensor<?x?xf32, #dcsr>, tensor<?x?xf32, #dcsr>)
      outs(%x = %X : tensor<?x?xf32, #dcsr>) -> tensor<?x?xf32, #dcsr> attributes {names = ["B", "C", "X"]} {
    // CHECK: %[[ROOT:.*]] = sam.root
    %root = sam.root
    // CHECK: sam.scan %B[0] at %[[ROOT]] : tensor<?x?xf32, {{.*}}>, !sam.ref<0>
    %i, %bi = sam.scan %b[0] at %root : tensor<?x?xf32, #dcsr>, !sam.ref<0>
    %k_b, %bk = sam.scan %b[1] at %bi : tensor<?x?xf32, #dcsr>, !sam.ref<1>
    // CHECK: sam.repeat_signal %{{.*}} : !sam.crd<1>
    %s = sam.repeat_signal %i : !sam.crd<1>
    // CHECK: sam.repeat %[[ROOT]] by %{{.*}} : !sam.ref<0>
    %c0 = sam.repeat %root by %s : !sam.ref<0>
    // CHECK: sam.scan %C[0] at %{{.*}} gallop %[[SKIP:.*]] :
    %k_c, %ck = sam.scan %c[0] at %c0 gallop %skip#1 : tensor<?x?xf32, #dcsr>, !sam.ref<1>
    // CHECK: sam.intersect gallop (%{{.*}}, %{{.*}}), (%{{.*}}, %{{.*}}) : (!sam.crd<2>, !sam.ref<2>), (!sam.crd<2>, !sam.ref<2>)
    %k, %rb, %rc, %skip:2 = sam.intersect gallop (%k_b, %bk), (%k_c, %ck)
        : (!sam.crd<2>, !sam.ref<2>), (!sam.crd<2>, !sam.ref<2>)
    %j, %cj = sam.scan %c[1] at %rc : tensor<?x?xf32, #dcsr>, !sam.ref<2>
    %sj = sam.repeat_signal %j : !sam.crd<3>
    %rbj = sam.repeat %rb by %sj : !sam.ref<2>
    // CHECK: sam.load %B at %{{.*}} : tensor<?x?xf32, {{.*}}>, !sam.ref<3>
    %vb = sam.load %b at %rbj : tensor<?x?xf32, #dcsr>, !sam.ref<3>
    %vc = sam.load %c at %cj : tensor<?x?xf32, #dcsr>, !sam.ref<3>
    // CHECK: sam.alu mul(%{{.*}}, %{{.*}}) : (!sam.val<f32, 3>, !sam.val<f32, 3>) -> !sam.val<f32, 3>
    %v = sam.alu mul(%vb, %vc) : (!sam.val<f32, 3>, !sam.val<f32, 3>) -> !sam.val<f32, 3>
    // CHECK: sam.reduce add drop %{{.*}} along %{{.*}} : !sam.val<f32, 3>, !sam.crd<3>
    %sum, %jx = sam.reduce add drop %v along %j : !sam.val<f32, 3>, !sam.crd<3>
    // CHECK: sam.crd_drop %{{.*}} by %{{.*}} : !sam.crd<1>, !sam.crd<2>
    %ix, %jk = sam.crd_drop %i by %jx : !sam.crd<1>, !sam.crd<2>
    // CHECK: sam.write_level %{{.*}} to %X[0] : !sam.crd<1>, tensor<?x?xf32, {{.*}}>
    sam.write_level %ix to %x[0] : !sam.crd<1>, tensor<?x?xf32, #dcsr>
    sam.write_level %jk to %x[1] : !sam.crd<2>, tensor<?x?xf32, #dcsr>
    // CHECK: sam.write_values %{{.*}} to %X : !sam.val<f32, 2>, tensor<?x?xf32, {{.*}}>
    sam.write_values %sum to %x : !sam.val<f32, 2>, tensor<?x?xf32, #dcsr>
  }
  return %0 : tensor<?x?xf32, #dcsr>
}

// CHECK-LABEL: func.func @others
func.func @others(%a: tensor<?xf32, #vector>, %m: tensor<?xf32, #bits>, %d: tensor<?x?xf32>, %n: f32,
                  %X: tensor<?xf32>) -> tensor<?xf32> {
  %0 = sam.graph ins(%A = %a, %M = %m, %D = %d, %N = %n : tensor<?xf32, #vector>, tensor<?xf32, #bits>, tensor<?x?xf32>, f32)
      outs(%x = %X : tensor<?xf32>) -> tensor<?xf32> {
    %root = sam.root
    // CHECK: sam.scan %{{.*}}[0] at %{{.*}} all : tensor<?xf32, {{.*}}>, !sam.ref<0>
    %all, %none = sam.scan %A[0] at %root all : tensor<?xf32, #vector>, !sam.ref<0>
    %i, %ri = sam.scan %A[0] at %root : tensor<?xf32, #vector>, !sam.ref<0>
    // CHECK: sam.union (%{{.*}}), (%{{.*}}, %{{.*}}) : (!sam.crd<1>), (!sam.crd<1>, !sam.ref<1>)
    %u, %ru = sam.union (%all), (%i, %ri) : (!sam.crd<1>), (!sam.crd<1>, !sam.ref<1>)
    %s = sam.repeat_signal %u : !sam.crd<1>
    %r = sam.repeat %root by %s : !sam.ref<0>
    // CHECK: sam.locate %{{.*}}[0] of %{{.*}} by %{{.*}} : tensor<?xf32, {{.*}}>, !sam.ref<1>, !sam.crd<1>
    %rm = sam.locate %M[0] of %r by %u : tensor<?xf32, #bits>, !sam.ref<1>, !sam.crd<1>
    // CHECK: sam.locate %{{.*}}[1] of %{{.*}} by %{{.*}} strided : tensor<?x?xf32>, !sam.ref<1>, !sam.crd<1>
    %rd = sam.locate %D[1] of %r by %u strided : tensor<?x?xf32>, !sam.ref<1>, !sam.crd<1>
    %vn = sam.load %N at %r : f32, !sam.ref<1>
    // CHECK: sam.constant 2.000000e+00 : f32 along %{{.*}} : !sam.crd<1>
    %two = sam.constant 2.0 : f32 along %u : !sam.crd<1>
    %v = sam.alu add(%vn, %two) : (!sam.val<f32, 1>, !sam.val<f32, 1>) -> !sam.val<f32, 1>
    // CHECK: sam.stream "0 2 S0 1 S1 D" : !sam.crd<2>
    %c = sam.stream "0 2 S0 1 S1 D" : !sam.crd<2>
    // CHECK: sam.crd_hold %{{.*}} over %{{.*}} : !sam.crd<1>, !sam.crd<2>
    %h, %p = sam.crd_hold %u over %c : !sam.crd<1>, !sam.crd<2>
    %rx = sam.locate %x[0] of %r by %u : tensor<?xf32>, !sam.ref<1>, !sam.crd<1>
    // CHECK: sam.store %{{.*}} at %{{.*}} to %{{.*}} : !sam.val<f32, 1>, !sam.ref<1>, tensor<?xf32>
    sam.store %v at %rx to %x : !sam.val<f32, 1>, !sam.ref<1>, tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @extensions
func.func @extensions(%a: tensor<?xf32, #vector>) -> tensor<?xf32> {
  sam.graph ins(%A = %a : tensor<?xf32, #vector>) {
    %root = sam.root
    %i, %ref = sam.scan %A[0] at %root : tensor<?xf32, #vector>, !sam.ref<0>
    // CHECK: sam.split %{{.*}} by 4 relative beside %{{.*}} : !sam.crd<1>, !sam.ref<1>
    %outer, %inner, %at = sam.split %i by 4 relative beside %ref : !sam.crd<1>, !sam.ref<1>
    // CHECK: sam.flatten %{{.*}}, %{{.*}} by 4 relative beside %{{.*}} : !sam.crd<1>, !sam.crd<2>, !sam.ref<2>
    %flat, %positions = sam.flatten %outer, %inner by 4 relative beside %at : !sam.crd<1>, !sam.crd<2>, !sam.ref<2>
    %v = sam.load %A at %ref : tensor<?xf32, #vector>, !sam.ref<1>
    // CHECK: sam.stop_drop %{{.*}} : !sam.val<f32, 1>
    %points = sam.stop_drop %v : !sam.val<f32, 1>
    // CHECK: sam.accumulate add %{{.*}} at %{{.*}}, %{{.*}} : !sam.val<f32, 1>, !sam.crd<1>, !sam.crd<1>
    %sum, %x, %y = sam.accumulate add %points at %i, %i : !sam.val<f32, 1>, !sam.crd<1>, !sam.crd<1>
    // CHECK: sam.parallelize %{{.*}} to 2 : !sam.crd<1>
    %lane:2 = sam.parallelize %i to 2 : !sam.crd<1>
    // CHECK: sam.serialize %{{.*}}#0, %{{.*}}#1 : !sam.crd<1>, !sam.crd<1>
    %all = sam.serialize %lane#0, %lane#1 : !sam.crd<1>, !sam.crd<1>
    // CHECK: sam.buffer %{{.*}} of 16 : !sam.crd<1>
    %kept = sam.buffer %all of 16 : !sam.crd<1>
    // CHECK: sam.bv_scan %{{.*}}[0] at %{{.*}} by 64 : tensor<?xf32, {{.*}}>, !sam.ref<0>
    %w, %w_at = sam.bv_scan %A[0] at %root by 64 : tensor<?xf32, #vector>, !sam.ref<0>
    // CHECK: sam.bv_convert %{{.*}} of %{{.*}}[0] by 64 : !sam.crd<1>, tensor<?xf32, {{.*}}>
    %u, %u_at = sam.bv_convert %i of %A[0] by 64 : !sam.crd<1>, tensor<?xf32, #vector>
    // CHECK: sam.bv_intersect %{{.*}}, %{{.*}} : !sam.bv<64, 1>, !sam.bv<64, 1>
    %both = sam.bv_intersect %w, %u : !sam.bv<64, 1>, !sam.bv<64, 1>
    // CHECK: sam.bv_union %{{.*}}, %{{.*}} : !sam.bv<64, 1>, !sam.bv<64, 1>
    %any = sam.bv_union %w, %both : !sam.bv<64, 1>, !sam.bv<64, 1>
    // CHECK: sam.bv_expand %{{.*}} of %{{.*}}, %{{.*}} at %{{.*}}, %{{.*}} : !sam.bv<64, 1>
    %k, %k_w, %k_u = sam.bv_expand %any of %w, %u at %w_at, %u_at : !sam.bv<64, 1>
    // CHECK: sam.bv_expand %{{.*}} : !sam.bv<64, 1>
    %only = sam.bv_expand %any : !sam.bv<64, 1>
  }
  // CHECK: sam.convert %{{.*}} : tensor<?xf32, {{.*}}> to tensor<?xf32>
  %dense = sam.convert %a : tensor<?xf32, #vector> to tensor<?xf32>
  return %dense : tensor<?xf32>
}
