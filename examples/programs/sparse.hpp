// Sparse matrices: conversion from coordinates to compressed rows, product with a vector, and the
// conjugate gradient method.
#pragma once

#include <functional>
#include <hasten/hasten.hpp>
#include <tuple>

namespace programs {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Scalar, hs::Vector;

// An element of a sparse matrix.
struct Entry {
  int64_t row, column;
  double value;
};
HASTEN_STRUCT(Entry, row, column, value);

// Compressed sparse rows: how many elements each row has, and its elements in order.
template <template <class> class In>
struct Csr {
  In<Vector<int64_t>> row_lengths;
  In<Vector<int64_t>> columns;
  In<Vector<double>> values;
};
HASTEN_GROUP(Csr, row_lengths, columns, values);

// Converts entries in any order to rows; rows may be empty.
inline Csr<Acc> compressed(Exp<int64_t> rows, Acc<Vector<Entry>> entries) {
  auto sorted = hs::sort_by([](Exp<Entry> e) { return e.row; }, entries);
  return {hs::histogram(
              rows, [](Exp<Entry> e) { return e.row; }, entries),
          hs::map([](Exp<Entry> e) { return e.column; }, sorted),
          hs::map([](Exp<Entry> e) { return e.value; }, sorted)};
}

// The product of a matrix and a vector.
inline Acc<Vector<double>> smvm(Csr<Acc> m, Acc<Vector<double>> x) {
  auto products =
      hs::zip_with([=](auto column, auto value) { return value * x[column]; }, m.columns, m.values);
  return hs::fold_seg(std::plus<>{}, 0.0, products, m.row_lengths);
}

inline Acc<Scalar<double>> dot(Acc<Vector<double>> x, Acc<Vector<double>> y) {
  return hs::sum(x * y);
}

// Solves m x = b for a symmetric positive definite m until the residual is at most `tolerance`
// times that of b, in at most `most` steps. (Hestenes and Stiefel, 1952.)
inline std::tuple<Acc<Vector<double>>, Acc<Scalar<int32_t>>> conjugate_gradient(
    Csr<Acc> m, Acc<Vector<double>> b, Exp<double> tolerance, Exp<int32_t> most) {
  using Numbers = Acc<Vector<double>>;
  using Number = Acc<Scalar<double>>;
  using Steps = Acc<Scalar<int32_t>>;
  auto enough = hs::the(dot(b, b)) * tolerance * tolerance;
  auto start =
      std::tuple{hs::fill(hs::size(b), Exp<double>(0)), b, b, dot(b, b), hs::unit(Exp<int32_t>(0))};
  auto goes_on = [=](Numbers, Numbers, Numbers, Number rest, Steps steps) {
    return hs::the(rest) > enough && hs::the(steps) < most;
  };
  auto step = [=](Numbers x, Numbers residual, Numbers direction, Number rest, Steps steps) {
    auto image = smvm(m, direction);
    auto length = hs::the(rest) / hs::the(dot(direction, image));
    auto next = residual - length * image;
    auto next_rest = dot(next, next);
    auto turn = hs::the(next_rest) / hs::the(rest);
    return std::tuple{x + length * direction, next, next + turn * direction, next_rest,
                      hs::unit(hs::the(steps) + 1)};
  };
  auto [x, residual, direction, rest, steps] = hs::awhile(goes_on, step, start);
  return {x, steps};
}

}  // namespace programs
