// compiles
// What stands closest to the wrong programs beside this file, and is right.
#include <hasten/hasten.hpp>

#include <functional>
#include <ranges>
#include <sstream>
#include <tuple>
#include <type_traits>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

Exp<float> absolute(Exp<float> x) { return hs::select(x > 0.0f, x, -x); }
Exp<float> number_is_rounded(Exp<float> x) { return x + 0.5; }
Exp<float> integer_beside_float(Exp<float> x) { return 2 * x; }
Exp<float> cast_says_it(Exp<float> x, Exp<int32_t> n) { return x * hs::cast<float>(n); }
Exp<int32_t> count_up(Exp<int32_t> x) {
  return hs::while_loop([](auto i) { return i < 10; }, [](auto i) { return i + 1; }, x);
}
Exp<int32_t> same_numbers(Exp<bool> c) { return hs::select(c, 1, 2); }
Exp<float> numbers_beside_exp(Exp<bool> c, Exp<float> x) { return hs::select(c, x, 0); }

Acc<Scalar<float>> dotp(Acc<Vector<float>> xs, Acc<Vector<float>> ys) {
  return hs::sum(hs::zip_with(std::multiplies<>{}, xs, ys));
}
Acc<Vector<float>> rows(Acc<Matrix<float>> x) { return hs::fold(std::plus<>{}, 0, x); }
Acc<Vector<float>> choose(Exp<bool> c, Acc<Vector<float>> x, Acc<Vector<float>> y) {
  return hs::acond(c, x, y);
}
Acc<Vector<float>> elementwise(Acc<Vector<bool>> c, Acc<Vector<float>> x, Acc<Vector<float>> y) {
  return hs::select(c, x, y);
}
Acc<Vector<float>> with_scalar(Acc<Vector<float>> x, Exp<float> s) { return x * s + 1; }
Exp<float> element(Acc<Matrix<float>> x, Exp<int64_t> i) { return x(i, 0) + x[hs::ix(i, 1)]; }

auto loop_over_group(Exp<float> x) {
  return hs::while_loop([](auto, auto i) { return i < 10; },
                        [](auto a, auto i) { return std::tuple{a * a, i + 1}; },
                        std::tuple{x, Exp<int32_t>(0)});
}

Acc<Matrix<float>> turned(Acc<Matrix<float>> x) { return hs::transpose(x); }

float run_it() {
  auto f = hs::compile(dotp);
  return f(Vector<float>{1, 2}, Vector<float>{3, 4}).item();
}

// Host arrays keep what they have: equality, printing, ranges, spans of arrays with a name.
bool same(const Vector<float>& a, const Vector<float>& b) { return a == b || !(a != b); }
void print(std::ostringstream& out, const Matrix<int>& a) { out << a << '\n'; }
auto doubled(const Vector<float>& a) {
  return a | std::views::transform([](float x) { return 2 * x; });
}
float first(const Vector<float>& a) { return a.span()[0] + a.component<0>()[0]; }
Acc<Vector<float>> brought_in(const Vector<float>& a) { return hs::use(a) + hs::use(a); }
// Amounts of shifts are integers of any type.
Acc<Vector<int>> shifted(Acc<Vector<int>> a, Acc<Vector<int64_t>> by) { return a << by; }
Acc<Vector<int>> rotated(Acc<Vector<int>> a, Acc<Vector<int64_t>> by) {
  return hs::rotate_left(a, by) + hs::rotate_right(5, by) + hs::set_bit(a, 3);
}
// A program's own operators of its structs and pairs go before the errors of having none.
struct Step {
  float x, y;
};
HASTEN_STRUCT(Step, x, y);
Exp<Step> operator+(const Exp<Step>& a, const Exp<Step>& b) { return {a.x + b.x, a.y + b.y}; }
Exp<Step> operator*(const Exp<Step>& a, const Exp<float>& s) { return {a.x * s, a.y * s}; }
Exp<Step> further(Exp<Step> a, Step b) { return (a + b) * 2; }
Acc<Vector<Step>> further(Acc<Vector<Step>> a, Acc<Vector<Step>> b) { return a + b; }
template <class T>
Exp<std::pair<T, T>> operator+(const Exp<std::pair<T, T>>& a, const Exp<std::pair<T, T>>& b) {
  return {hs::get<0>(a) + hs::get<0>(b), hs::get<1>(a) + hs::get<1>(b)};
}
Exp<std::pair<int, int>> both(Exp<std::pair<int, int>> a) { return a + a; }
// Groups of one part.
Exp<std::tuple<float>> of_number{1.0f}, of_integer(1), of_exp{Exp<float>(1)}, of_tuple{of_number};
Exp<std::tuple<float>> of_host_tuple = std::tuple{1.0f};
Exp<std::array<float, 1>> of_one{1.0f};
Exp<std::tuple<std::complex<float>>> of_complex{std::complex<double>(1, 2)};
// Indices of members are integers of any type, and names of them.
enum Axis { row, column };
Exp<float> members(Exp<std::array<float, 2>> a, Exp<hs::Ix<2>> i) {
  return a[0] + a[column] + a[i[row]] + hs::cast<float>(i[std::size_t{1}]);
}
// Variants of one of their types.
void takes(Exp<std::variant<int, float>>);
void takes(Exp<double>);
void gives() {
  takes(Exp<int>(1));
  takes(Exp<double>(1));
}
// What is deleted is no way to convert.
static_assert(!std::is_convertible_v<Exp<int>, Exp<std::variant<float, double>>>);
static_assert(!std::is_convertible_v<Acc<Vector<int>>, Acc<Vector<float>>>);
static_assert(!std::is_convertible_v<Vector<float>, Acc<Vector<float>>>);
static_assert(!std::is_constructible_v<float, Exp<float>>);
static_assert(std::is_convertible_v<Exp<float>, Exp<float>>);
