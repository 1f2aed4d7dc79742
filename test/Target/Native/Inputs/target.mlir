module attributes {ember.target = #ember.target<TARGET>} {
  func.func @double(%x: f64, %out: memref<f64>) {
    %twice = arith.addf %x, %x : f64
    memref.store %twice, %out[] : memref<f64>
    return
  }
}
