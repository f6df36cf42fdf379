// Products of matrices and vectors by the machine's BLAS (OpenBLAS, BLIS, the reference library)
// and, on CUDA devices, by cuBLAS; both are opened at run time. If a library is missing, they are
// computed in the language. Not part of <hasten/hasten.hpp>: docs/foreign.md.
#pragma once

#include <hasten/detail/libraries/blas.hpp>
#include <hasten/detail/libraries/cublas.hpp>
#include <hasten/detail/uninitialised.hpp>
#include <hasten/hasten.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hasten::blas {

/// How an operand is used: as stored, transposed, or conjugate-transposed.
using Form = detail::BlasForm;

/// The file name of the library used on the CPU, "libopenblas.so.0"; empty if none was found.
/// HASTEN_BLAS_LIBRARY overrides the search.
inline std::string library() { return detail::blas_file(); }
/// The file name of the library used on CUDA devices, "libcublas.so.13"; empty if none was found.
/// HASTEN_CUBLAS_LIBRARY overrides the search.
inline std::string cuda_library() { return detail::cublas_file(); }

}  // namespace hasten::blas

namespace hasten::detail {

template <class T>
constexpr bool check_blas() {
  static_assert(is_blas_number<T>,
                "hasten::blas: BLAS knows float, double and complex numbers of these; use matmul, "
                "or cast<float>(a)");
  return is_blas_number<T>;
}

/// The matrix of each batch in the form in which it is used.
template <class T, std::size_t N>
Acc<Array<T, N>> in_form(blas::Form form, const Acc<Array<T, N>>& a) {
  if (form == blas::Form::plain) return a;
  const auto turned = transpose(a);
  if constexpr (is_complex_leaf<T>) {
    if (form == blas::Form::adjoint) return map([](const Exp<T>& x) { return conj(x); }, turned);
  }
  return turned;
}

/// The array, after a check that its axis has the extent of the other array's.
template <class T, std::size_t N, class S, std::size_t M>
Acc<Array<T, N>> with_equal_extents(const Call& call, const Acc<Array<T, N>>& a, std::size_t axis,
                                    const Acc<Array<S, M>>& b, std::size_t other) {
  const Term here = extent_of(term_of(a), static_cast<unsigned>(axis));
  const Term there = extent_of(term_of(b), static_cast<unsigned>(other));
  const Exp<bool> fits = exp_of<std::int64_t>(here) == exp_of<std::int64_t>(there);
  return acc_of<T, N>(demand(term_of(fits),
                             "extents that must be equal are {} and {}: take a part of one array, "
                             "or use it in another form",
                             {here, there}, term_of(a), call.operation, call.where));
}

/// The first factor, after a check that the extents of the second match.
template <class T, std::size_t N>
Acc<Array<T, N>> with_product_extents(const Call& call, blas::Form form_a,
                                      const Acc<Array<T, N>>& a, blas::Form form_b,
                                      const Acc<Array<T, N>>& b) {
  const std::size_t summed = form_a == blas::Form::plain ? N - 1 : N - 2;
  const std::size_t met = form_b == blas::Form::plain ? N - 2 : N - 1;
  const auto fitting = with_equal_extents(call, a, summed, b, met);
  if constexpr (N == 2) {
    return fitting;
  } else {
    return with_equal_extents(call, fitting, 0, b, 0);
  }
}

/// The extents of a matrix in the form in which it is used: of its last two axes.
struct Used {
  std::int64_t rows, columns;
};
template <class A>
Used used(blas::Form form, const A& a) {
  const std::int64_t rows = a.shape()[A::rank - 2], columns = a.shape()[A::rank - 1];
  return form == blas::Form::plain ? Used{rows, columns} : Used{columns, rows};
}

/// alpha op(a) op(b) + beta c for each matrix of a batch; rank 2 is a batch of one.
template <class T, std::size_t N>
struct Gemm {
  blas::Form form_a, form_b;

  using A = Array<T, N>;
  A operator()(const A& a, const A& b) const {
    const A result = uninitialised<A>(result_shape(a, b));
    // An empty sum is 0, which not every library writes.
    if (used(form_a, a).columns == 0) std::fill_n(elements_of(result), result.size(), T{0});
    return compute(T{1}, a, b, T{0}, result);
  }
  A operator()(const Scalar<T>& alpha, const A& a, const A& b, const Scalar<T>& beta,
               const A& c) const {
    const A result = uninitialised<A>(shape_of(c));
    const T s = alpha.item(), t = beta.item();
    T* const to = elements_of(result);
    // Libraries differ in whether they read operands that are multiplied by 0.
    if (t == T{})
      std::fill_n(to, c.size(), T{});
    else if (s == T{})
      std::transform(elements_of(c), elements_of(c) + c.size(), to, [t](T x) { return t * x; });
    else
      std::copy_n(elements_of(c), c.size(), to);
    return s == T{} ? result : compute(s, a, b, t, result);
  }

 private:
  std::vector<std::int64_t> result_shape(const A& a, const A& b) const {
    std::vector<std::int64_t> shape = shape_of(a);
    shape[N - 2] = used(form_a, a).rows;
    shape[N - 1] = used(form_b, b).columns;
    return shape;
  }
  A compute(T alpha, const A& a, const A& b, T beta, const A& result) const {
    const auto [m, k] = used(form_a, a);
    const std::int64_t n = used(form_b, b).columns;
    std::int64_t batches = 1;
    for (std::size_t axis = 0; axis + 2 < N; ++axis) batches *= a.shape()[axis];
    for (std::int64_t i = 0; i < batches; ++i)
      blas_gemm<T>({form_a, form_b, m, n, k, alpha, elements_of(a) + i * m * k,
                    elements_of(b) + i * k * n, beta, elements_of(result) + i * m * n});
    return result;
  }
};

template <class T>
struct Gemv {
  blas::Form form;

  Vector<T> operator()(const Matrix<T>& a, const Vector<T>& x) const {
    const auto result = uninitialised<Vector<T>>({used(form, a).rows});
    // An empty sum is 0, which not every library writes.
    if (x.size() == 0) std::fill_n(elements_of(result), result.size(), T{0});
    if (x.size() != 0 && result.size() != 0)
      blas_gemv(form, a.shape()[0], a.shape()[1], elements_of(a), elements_of(x),
                elements_of(result));
    return result;
  }
};

template <class T>
struct Dot {
  Scalar<T> operator()(const Vector<T>& x, const Vector<T>& y) const {
    return Scalar<T>(blas_dot(x.size(), elements_of(x), elements_of(y)));
  }
};

template <class T>
struct Axpy {
  Vector<T> operator()(const Scalar<T>& alpha, const Vector<T>& x, const Vector<T>& y) const {
    const auto result = uninitialised<Vector<T>>({y.size()});
    std::copy_n(elements_of(y), y.size(), elements_of(result));
    if (alpha.item() != T{}) blas_axpy(x.size(), alpha.item(), elements_of(x), elements_of(result));
    return result;
  }
};

// -- on CUDA devices ------------------------------------------------------------------------------

template <class T, std::size_t N>
struct GemmOnCuda {
  blas::Form form_a, form_b;

  using A = DeviceArray<Array<T, N>>;
  A operator()(const DeviceCall& call, const A& a, const A& b) const {
    const auto [m, k] = used(form_a, a);
    const std::int64_t n = used(form_b, b).columns;
    std::array<std::int64_t, N> extents{};
    extents[N - 2] = m, extents[N - 1] = n;
    if constexpr (N == 3) extents[0] = a.extent(0);
    const A result = call.allocate<Array<T, N>>(extents);
    cublas_gemm<T>(cuda_queue(call), {form_a, form_b, m, n, k, N == 3 ? extents[0] : 1, a.memory(),
                                      b.memory(), result.memory()});
    return result;
  }
};

template <class T>
struct GemvOnCuda {
  blas::Form form;

  using Result = DeviceArray<Vector<T>>;
  Result operator()(const DeviceCall& call, const DeviceArray<Matrix<T>>& a,
                    const Result& x) const {
    const Result result = call.allocate<Vector<T>>({used(form, a).rows});
    cublas_gemv<T>(cuda_queue(call), form, a.extent(0), a.extent(1), a.memory(), x.memory(),
                   result.memory());
    return result;
  }
};

template <class T>
struct DotOnCuda {
  using V = DeviceArray<Vector<T>>;
  DeviceArray<Scalar<T>> operator()(const DeviceCall& call, const V& x, const V& y) const {
    const auto result = call.allocate<Scalar<T>>({});
    cublas_dot<T>(cuda_queue(call), x.size(), x.memory(), y.memory(), result.memory());
    return result;
  }
};

/// By cuBLAS if it is present; otherwise `own`.
template <class F, class Own, class... As>
auto by_cublas(const Where& where, std::string name, F function, Own own, const As&... args) {
  return foreign_acc(where, on_cuda(std::move(name), std::move(function)).if_there(&has_cublas),
                     own, args...);
}

// -- in the language ------------------------------------------------------------------------------

/// factor * x, and 0 if the factor is 0: BLAS does not read x in that case.
template <class T>
Exp<T> scaled(const Exp<T>& factor, const Exp<T>& x) {
  return select(factor == Exp<T>(T{}), Exp<T>(T{}), factor * x);
}

/// The sums of products over the last axis of a and the next-to-last axis of b.
template <class T, std::size_t N>
Acc<Array<T, N>> own_product(const Acc<Array<T, N>>& a, const Acc<Array<T, N>>& b,
                             const Where& where) {
  if constexpr (N == 2) {
    return matmul(a, b, where);
  } else {
    const Exp<std::int64_t> rows = get<1>(shape(a)), columns = get<2>(shape(b));
    const auto x = replicate(over(keep, keep, columns, keep), a, where);
    const auto y = replicate(over(keep, rows, keep, keep), transpose(b), where);
    return sums_of_products<OwnType>({"gemm", where}, x, y);
  }
}

/// The products of the matrices of each batch, each in its form, on targets other than the CPU.
template <class T, std::size_t N>
Acc<Array<T, N>> batched_product(const Where& where, blas::Form form_a, const Acc<Array<T, N>>& a,
                                 blas::Form form_b, const Acc<Array<T, N>>& b) {
  const auto own = [=](const Acc<Array<T, N>>& x, const Acc<Array<T, N>>& y) {
    return own_product(in_form(form_a, x), in_form(form_b, y), where);
  };
  return by_cublas(where, "cublas::gemm", GemmOnCuda<T, N>{form_a, form_b}, own, a, b);
}

}  // namespace hasten::detail

namespace hasten::blas {

/// The product of two matrices, each in its form; at rank 3, of each pair of matrices in a batch.
/// Throws ShapeError if the extents do not match. The CPU and CUDA devices use the library, which
/// adds in its own order; under Determinism::everywhere the language computes the product.
template <class T, std::size_t N>
Acc<Array<T, N>> gemm(const Acc<Array<T, N>>& a, const Acc<Array<T, N>>& b,
                      Form form_a = Form::plain, Form form_b = Form::plain,
                      detail::Where where = detail::Where::current()) {
  static_assert(N == 2 || N == 3, "hasten::blas::gemm: multiplies matrices, or batches of them");
  detail::check_blas<T>();
  const auto own = [=](const Acc<Array<T, N>>& x, const Acc<Array<T, N>>& y) {
    return detail::batched_product(where, form_a, x, form_b, y);
  };
  const auto fitting = detail::with_product_extents({"gemm", where}, form_a, a, form_b, b);
  if (library().empty()) return own(fitting, b);
  return detail::foreign_acc(where, on_cpu("blas::gemm", detail::Gemm<T, N>{form_a, form_b}), own,
                             fitting, b);
}

/// alpha op(a) op(b) + beta c, with the factors of gemm(a, b); alpha and beta are numbers or Exps.
/// A term whose alpha or beta is 0 is 0, even if the other factor is infinite or NaN.
template <class T, std::size_t N, detail::Liftable S, detail::Liftable B>
Acc<Array<T, N>> gemm(const S& alpha, const Acc<Array<T, N>>& a, const Acc<Array<T, N>>& b,
                      const B& beta, const Acc<Array<T, N>>& c, Form form_a = Form::plain,
                      Form form_b = Form::plain, detail::Where where = detail::Where::current()) {
  static_assert(N == 2 || N == 3, "hasten::blas::gemm: multiplies matrices, or batches of them");
  detail::check_blas<T>();
  using Number = Acc<Scalar<T>>;
  const detail::Call call{"gemm", where};
  const auto own = [=](const Number& s, const Acc<Array<T, N>>& x, const Acc<Array<T, N>>& y,
                       const Number& t, const Acc<Array<T, N>>& z) {
    const auto product = detail::batched_product(where, form_a, x, form_b, y);
    return detail::elementwise(
        "gemm", where,
        [=](const Exp<T>& l, const Exp<T>& r) {
          return detail::scaled(the(s), l) + detail::scaled(the(t), r);
        },
        product, z);
  };
  const auto first = detail::with_product_extents(call, form_a, a, form_b, b);
  const auto rows =
      detail::with_equal_extents(call, c, N - 2, a, form_a == Form::plain ? N - 2 : N - 1);
  auto added =
      detail::with_equal_extents(call, rows, N - 1, b, form_b == Form::plain ? N - 1 : N - 2);
  if constexpr (N == 3) added = detail::with_equal_extents(call, added, 0, a, 0);
  const Number s = unit(Exp<T>(alpha)), t = unit(Exp<T>(beta));
  if (library().empty()) return own(s, first, b, t, added);
  return detail::foreign_acc(where, on_cpu("blas::gemm", detail::Gemm<T, N>{form_a, form_b}), own,
                             s, first, b, t, added);
}

/// op(a) x, for a matrix and a vector. Throws ShapeError as gemm does.
template <class T>
Acc<Vector<T>> gemv(const Acc<Matrix<T>>& a, const Acc<Vector<T>>& x, Form form = Form::plain,
                    detail::Where where = detail::Where::current()) {
  detail::check_blas<T>();
  const auto in_the_language = [=](const Acc<Matrix<T>>& m, const Acc<Vector<T>>& v) {
    return matmul(detail::in_form(form, m), v, where);
  };
  const auto own = [=](const Acc<Matrix<T>>& m, const Acc<Vector<T>>& v) {
    return detail::by_cublas(where, "cublas::gemv", detail::GemvOnCuda<T>{form}, in_the_language, m,
                             v);
  };
  const auto fitting =
      detail::with_equal_extents({"gemv", where}, a, form == Form::plain ? 1 : 0, x, 0);
  if (library().empty()) return own(fitting, x);
  return detail::foreign_acc(where, on_cpu("blas::gemv", detail::Gemv<T>{form}), own, fitting, x);
}

/// The sum of the products of corresponding elements; complex numbers are not conjugated.
template <class T>
Acc<Scalar<T>> dot(const Acc<Vector<T>>& x, const Acc<Vector<T>>& y,
                   detail::Where where = detail::Where::current()) {
  detail::check_blas<T>();
  const auto in_the_language = [=](const Acc<Vector<T>>& v, const Acc<Vector<T>>& w) {
    return hasten::dot(v, w, where);
  };
  const auto own = [=](const Acc<Vector<T>>& v, const Acc<Vector<T>>& w) {
    return detail::by_cublas(where, "cublas::dot", detail::DotOnCuda<T>{}, in_the_language, v, w);
  };
  const auto fitting = detail::with_equal_extents({"dot", where}, x, 0, y, 0);
  if (library().empty()) return own(fitting, y);
  return detail::foreign_acc(where, on_cpu("blas::dot", detail::Dot<T>{}), own, fitting, y);
}

/// alpha x + y; if alpha is 0, it is y, whatever x is.
template <class T, detail::Liftable S>
Acc<Vector<T>> axpy(const S& alpha, const Acc<Vector<T>>& x, const Acc<Vector<T>>& y,
                    detail::Where where = detail::Where::current()) {
  detail::check_blas<T>();
  using Number = Acc<Scalar<T>>;
  const auto own = [=](const Number& s, const Acc<Vector<T>>& v, const Acc<Vector<T>>& w) {
    return detail::elementwise(
        "axpy", where,
        [=](const Exp<T>& l, const Exp<T>& r) { return detail::scaled(the(s), l) + r; }, v, w);
  };
  const auto fitting = detail::with_equal_extents({"axpy", where}, x, 0, y, 0);
  const Number s = unit(Exp<T>(alpha));
  if (library().empty()) return own(s, fitting, y);
  return detail::foreign_acc(where, on_cpu("blas::axpy", detail::Axpy<T>{}), own, s, fitting, y);
}

}  // namespace hasten::blas
