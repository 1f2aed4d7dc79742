// Block conjugate gradient: GOGETA's algorithm 1, of 1000000 x 8 blocks and the
// 5-point stencil on 1000 x 1000 points.
#csr = #cin.format<dense, compressed fill 0.0 : f32>

func.func private @solve(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>

func.func @cg(%positions: tensor<1000001xi64>, %coordinates: tensor<4996000xi64>, %values: tensor<4996000xf32>,
              %x0: tensor<1000000x8xf32>, %r0: tensor<1000000x8xf32>, %p0: tensor<1000000x8xf32>,
              %gamma0: tensor<8x8xf32>) -> tensor<1000000x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %zero = arith.constant 0.0 : f32
  %block = tensor.empty() : tensor<1000000x8xf32>
  %small = tensor.empty() : tensor<8x8xf32>
  %result:4 = scf.for %t = %c0 to %c10 step %c1
      iter_args(%x = %x0, %r = %r0, %p = %p0, %gamma = %gamma0)
      -> (tensor<1000000x8xf32>, tensor<1000000x8xf32>, tensor<1000000x8xf32>, tensor<8x8xf32>) {
    // S = A P; Δ = Pᵀ S
    %s, %delta = cin.evaluate
        ins(%rows = %positions, %columns = %coordinates, %V = %values, %P = %p :
            tensor<1000001xi64>, tensor<4996000xi64>, tensor<4996000xf32>, tensor<1000000x8xf32>)
        outs(%S = %block, %D = %small : tensor<1000000x8xf32>, tensor<8x8xf32>)
        -> (tensor<1000000x8xf32>, tensor<8x8xf32>) attributes {names = ["rows", "columns", "V", "P", "S", "D"]} {
      %A = cin.assemble %V levels(%rows, %columns) {name = "A"}
          : tensor<4996000xf32>, tensor<1000001xi64>, tensor<4996000xi64> -> !cin.array<1000000x1000000xf32, #csr>
      cin.forall (%m, %n) attributes {names = ["m", "n"]} {
        %sum = cin.reduce add (%k) -> f32 attributes {names = ["k"]} {
          %a = cin.access %A[%m, %k] : !cin.array<1000000x1000000xf32, #csr>
          %b = cin.access %P[%k, %n] : tensor<1000000x8xf32>
          %ab = cin.call mul(%a, %b) : (f32, f32) -> f32
          cin.yield %ab : f32
        }
        cin.assign %sum to %S[%m, %n] : tensor<1000000x8xf32>
      }
      cin.forall (%q, %n) attributes {names = ["q", "n"]} {
        %sum = cin.reduce add (%k) -> f32 attributes {names = ["k"]} {
          %a = cin.access %P[%k, %q] : tensor<1000000x8xf32>
          %b = cin.access %S[%k, %n] : tensor<1000000x8xf32>
          %ab = cin.call mul(%a, %b) : (f32, f32) -> f32
          cin.yield %ab : f32
        }
        cin.assign %sum to %D[%q, %n] : tensor<8x8xf32>
      }
    }
    %lambda = func.call @solve(%delta, %gamma) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // X += P Λ; R -= S Λ; Γ = Rᵀ R
    %x1, %r1, %gamma1 = cin.evaluate
        ins(%P = %p, %S = %s, %L = %lambda : tensor<1000000x8xf32>, tensor<1000000x8xf32>, tensor<8x8xf32>)
        outs(%X = %x, %R = %r, %G = %small : tensor<1000000x8xf32>, tensor<1000000x8xf32>, tensor<8x8xf32>)
        -> (tensor<1000000x8xf32>, tensor<1000000x8xf32>, tensor<8x8xf32>)
        attributes {names = ["P", "S", "L", "X", "R", "G"]} {
      cin.forall (%m, %n) attributes {names = ["m", "n"]} {
        %old = cin.access %X[%m, %n] : tensor<1000000x8xf32>
        %sum = cin.reduce add (%j) -> f32 attributes {names = ["j"]} {
          %a = cin.access %P[%m, %j] : tensor<1000000x8xf32>
          %b = cin.access %L[%j, %n] : tensor<8x8xf32>
          %ab = cin.call mul(%a, %b) : (f32, f32) -> f32
          cin.yield %ab : f32
        }
        %new = cin.call add(%old, %sum) : (f32, f32) -> f32
        cin.assign %new to %X[%m, %n] : tensor<1000000x8xf32>
      }
      cin.forall (%m, %n) attributes {names = ["m", "n"]} {
        %old = cin.access %R[%m, %n] : tensor<1000000x8xf32>
        %sum = cin.reduce add (%j) -> f32 attributes {names = ["j"]} {
          %a = cin.access %S[%m, %j] : tensor<1000000x8xf32>
          %b = cin.access %L[%j, %n] : tensor<8x8xf32>
          %ab = cin.call mul(%a, %b) : (f32, f32) -> f32
          cin.yield %ab : f32
        }
        %new = cin.call sub(%old, %sum) : (f32, f32) -> f32
        cin.assign %new to %R[%m, %n] : tensor<1000000x8xf32>
      }
      cin.forall (%q, %n) attributes {names = ["q", "n"]} {
        %sum = cin.reduce add (%k) -> f32 attributes {names = ["k"]} {
          %a = cin.access %R[%k, %q] : tensor<1000000x8xf32>
          %b = cin.access %R[%k, %n] : tensor<1000000x8xf32>
          %ab = cin.call mul(%a, %b) : (f32, f32) -> f32
          cin.yield %ab : f32
        }
        cin.assign %sum to %G[%q, %n] : tensor<8x8xf32>
      }
    }
    %phi = func.call @solve(%gamma, %gamma1) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // P = R + P Φ
    %p1 = cin.evaluate
        ins(%R = %r1, %Old = %p, %F = %phi : tensor<1000000x8xf32>, tensor<1000000x8xf32>, tensor<8x8xf32>)
        outs(%P = %block : tensor<1000000x8xf32>) -> tensor<1000000x8xf32> attributes {names = ["R", "P", "F", "P"]} {
      cin.forall (%m, %n) attributes {names = ["m", "n"]} {
        %r2 = cin.access %R[%m, %n] : tensor<1000000x8xf32>
        %sum = cin.reduce add (%j) -> f32 attributes {names = ["j"]} {
          %a = cin.access %Old[%m, %j] : tensor<1000000x8xf32>
          %b = cin.access %F[%j, %n] : tensor<8x8xf32>
          %ab = cin.call mul(%a, %b) : (f32, f32) -> f32
          cin.yield %ab : f32
        }
        %new = cin.call add(%r2, %sum) : (f32, f32) -> f32
        cin.assign %new to %P[%m, %n] : tensor<1000000x8xf32>
      }
    }
    scf.yield %x1, %r1, %p1, %gamma1
      : tensor<1000000x8xf32>, tensor<1000000x8xf32>, tensor<1000000x8xf32>, tensor<8x8xf32>
  }
  return %result#0 : tensor<1000000x8xf32>
}
