// later: BLAS knows float
#include <hasten/libraries/blas.hpp>

namespace hs = hasten;

auto g(hs::Acc<hs::Matrix<int>> a) { return hs::blas::gemm(a, a); }
