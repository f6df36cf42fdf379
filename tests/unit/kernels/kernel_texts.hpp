// Texts of kernels that several tests use.
#pragma once

namespace hasten::test {

// x0 and x5 are indices of segments.
inline constexpr const char* segments_kernel = R"(kernel fold rank 2 {
  inputs i64 f32
  outputs f32
  scalars ()
  range (x0: i64) {
    x1 = const 1 : i64
    x2 = add x0 x1
    x3 = load_linear %0.0 x0
    x4 = load_linear %0.0 x2
    -> x3, x4
  }
  element (x5: i64, x6: i64) { x7 = load_linear %1.0 x6; -> x7 }
  combine (x8: f32, x9: f32) { x10 = add x8 x9; -> x10 }
  seed
  lanes reduction commutative add
  epilogue (x11: i64, x12: f32) { -> x12 }
}
)";

}  // namespace hasten::test
