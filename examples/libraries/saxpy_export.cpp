// SAXPY in both directions: C calls Hasten (saxpy_from_c.c), and here Hasten calls C.
#include <hasten/hasten.hpp>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Vector;

Acc<Vector<float>> saxpy(Exp<float> a, Acc<Vector<float>> xs, Acc<Vector<float>> ys) {
  return hs::zip_with([=](Exp<float> x, Exp<float> y) { return a * x + y; }, xs, ys);
}

// The exported library compiles the fallback; this process calls the C function.
extern "C" float c_saxpy(float a, float x, float y) noexcept { return a * x + y; }
Acc<Vector<float>> saxpy_by_c(Exp<float> a, Acc<Vector<float>> xs, Acc<Vector<float>> ys) {
  auto fallback = [](Exp<float> n, Exp<float> x, Exp<float> y) { return n * x + y; };
  auto of_c = hs::on_cpu("c::saxpy", c_saxpy);
  return hs::zip_with([=](auto x, auto y) { return hs::foreign_exp(of_c, fallback, a, x, y); }, xs,
                      ys);
}

int main(int argc, char** argv) {
  auto library = hs::library("saxpy").entry("run", saxpy, {"a", "xs", "ys"});
  return hs::export_main(argc, argv, library.entry("by_c", saxpy_by_c, {"a", "xs", "ys"}));
}
