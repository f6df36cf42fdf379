// SAXPY as a library.
#include <hasten/hasten.hpp>

#ifndef TINY
#define TINY "tiny"
#endif

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Vector;

Acc<Vector<float>> saxpy(Exp<float> a, Acc<Vector<float>> xs, Acc<Vector<float>> ys) {
  return hs::zip_with([=](Exp<float> x, Exp<float> y) { return a * x + y; }, xs, ys);
}

int main(int argc, char** argv) {
  return hs::export_main(argc, argv, hs::library(TINY).entry("saxpy", saxpy, {"a", "x", "y"}));
}
