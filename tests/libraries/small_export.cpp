// A library of one small program: almost all of its size is the runtime.
#include <hasten/hasten.hpp>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Vector;

namespace {

Acc<Vector<float>> saxpy(Exp<float> a, Acc<Vector<float>> xs, Acc<Vector<float>> ys) {
  return hs::zip_with([=](Exp<float> x, Exp<float> y) { return a * x + y; }, xs, ys);
}

}  // namespace

int main(int argc, char** argv) {
  const auto library = hs::library(HASTEN_TEST_LIBRARY).entry("saxpy", saxpy, {"a", "xs", "ys"});
  return hs::export_main(argc, argv, library);
}
