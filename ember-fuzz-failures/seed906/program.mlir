module {
  func.func @entry(%values0: memref<16xf32>, %dense1: memref<16x16xf32>, %out2: memref<16x16xf32>, %n3: index, %indices4: memref<19xi32>, %table5: memref<17x4xi64>, %out6: memref<5x16xi64>, %out7: memref<16x16xi64>, %indices8: memref<19xi32>, %table9: memref<17x7xf32>, %out10: memref<4x17xf32>, %indices11: memref<4xi32>, %out12: memref<4x5xf32>, %values13: memref<16xi64>, %out14: memref<17xi64>, %out15: memref<18x17xindex>) {
    %v3 = arith.constant 0 : index
    %v5 = arith.constant 1 : index
    %v19 = arith.constant 4 : index
    %v25 = arith.constant 3 : index
    %v61 = arith.constant 16 : index
    %v63 = arith.constant 8 : index
    scf.for %v6 = %v3 to %n3 step %v5 {
      %v8 = memref.load %indices4[%v6] : memref<19xi32>
      %v9 = arith.index_cast %v8 : i32 to index
      %v10 = memref.load %indices4[%v6] : memref<19xi32>
      %v11 = arith.index_cast %v10 : i32 to index
      %v12 = memref.load %values0[%v6] : memref<16xf32>
      %v13_dimension = arith.constant 1 : index
      %v13 = memref.dim %dense1, %v13_dimension : memref<16x16xf32>
      scf.for %v14 = %v3 to %v13 step %v5 {
        %v15 = memref.load %dense1[%v11, %v14] : memref<16x16xf32>
        %v16 = arith.mulf %v12, %v15 : f32
        %v17 = memref.load %out2[%v9, %v14] : memref<16x16xf32>
        %v18 = arith.addf %v17, %v16 : f32
        memref.store %v18, %out2[%v9, %v14] : memref<16x16xf32>
      }
    }
    scf.for %v20 = %v3 to %v19 step %v5 {
      %v22 = memref.load %table5[%n3, %v20] : memref<17x4xi64>
      %v23 = arith.addi %v22, %v22 : i64
      %v24_dimension = arith.constant 1 : index
      %v24 = memref.dim %table5, %v24_dimension : memref<17x4xi64>
      scf.for %v26 = %v3 to %v24 step %v25 {
        %v27_dimension = arith.constant 0 : index
        %v27 = memref.dim %dense1, %v27_dimension : memref<16x16xf32>
        scf.for %v28 = %v3 to %v27 step %v5 {
          %v29 = memref.load %indices4[%v28] : memref<19xi32>
          %v30 = arith.extsi %v29 : i32 to i64
          %v31 = arith.index_cast %v30 : i64 to index
          %v32 = arith.minsi %v30, %v22 : i64
          %v33 = arith.subi %v32, %v30 : i64
          memref.store %v33, %out6[%v20, %v28] : memref<5x16xi64>
          %v36 = arith.index_cast %v20 : index to i64
          memref.store %v36, %out7[%v28, %v28] : memref<16x16xi64>
        }
        %v37 = memref.load %indices4[%v26] : memref<19xi32>
        %v38 = arith.index_cast %v37 : i32 to index
        %v40 = memref.load %indices8[%v38] : memref<19xi32>
        %v41 = arith.index_cast %v40 : i32 to index
        %v43 = memref.load %table9[%v27, %v26] : memref<17x7xf32>
        memref.store %v43, %out10[%v26, %n3] : memref<4x17xf32>
        %v46 = memref.load %indices11[%v26] : memref<4xi32>
        %v47 = arith.index_cast %v46 : i32 to index
        %v48 = math.absf %v43 : f32
        %v50 = memref.load %out12[%v26, %v41] : memref<4x5xf32>
        %v51 = arith.addf %v50, %v48 : f32
        memref.store %v51, %out12[%v26, %v41] : memref<4x5xf32>
      }
    }
    %v54_dimension = arith.constant 0 : index
    %v54 = memref.dim %values13, %v54_dimension : memref<16xi64>
    %v67 = scf.for %v55 = %v3 to %v54 step %v5 iter_args(%v56 = %v3) -> (index) {
      %v57 = memref.load %indices4[%v55] : memref<19xi32>
      %v58 = arith.index_castui %v57 : i32 to index
      %v59 = memref.load %values13[%v58] : memref<16xi64>
      %v60 = arith.maxsi %v56, %v3 : index
      %v62 = arith.minsi %v60, %v61 : index
      memref.store %v59, %out14[%v62] : memref<17xi64>
      %v64 = arith.cmpi ult, %v58, %v63 : index
      %v65 = arith.index_castui %v64 : i1 to index
      %v66 = arith.addi %v56, %v65 : index
      scf.yield %v66 : index
    }
    %v69 = memref.load %out15[%v54, %v54] : memref<18x17xindex>
    %v70 = arith.addi %v69, %v67 : index
    memref.store %v70, %out15[%v54, %v54] : memref<18x17xindex>
    return 
  }
}
