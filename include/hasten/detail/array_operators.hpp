// Operators between arrays and plain numbers, as friends of Acc: a number that does not fit is an
// error at the place where the user wrote it. (All others: operators.hpp.)
#pragma once

#include <hasten/scalar/exp.hpp>

namespace hasten::detail {

/// A plain number beside an array of elements T, with its source location.
template <class T>
class NumberBeside {};
template <Leaf T>
class NumberBeside<T> {
 public:
  template <Number N>
  explicit(false) NumberBeside(N number, Where where = Where::current()) : exp_(number, where) {}
  [[nodiscard]] const Exp<T>& exp() const { return exp_; }

 private:
  Exp<T> exp_;
};

template <class F, class... As>
auto elementwise(Meet meet, const char* operation, const Where& where, F f, const As&... args);
template <class F, class... As>
auto elementwise(const char* operation, const Where& where, F f, const As&... args);

template <class T, std::size_t N>
struct ArrayOperators {
  friend auto operator+(const Acc<Array<T, N>>& a, const NumberBeside<T>& b) { return a + b.exp(); }
  friend auto operator+(const NumberBeside<T>& a, const Acc<Array<T, N>>& b) { return a.exp() + b; }
  friend auto operator-(const Acc<Array<T, N>>& a, const NumberBeside<T>& b) { return a - b.exp(); }
  friend auto operator-(const NumberBeside<T>& a, const Acc<Array<T, N>>& b) { return a.exp() - b; }
  friend auto operator*(const Acc<Array<T, N>>& a, const NumberBeside<T>& b) { return a * b.exp(); }
  friend auto operator*(const NumberBeside<T>& a, const Acc<Array<T, N>>& b) { return a.exp() * b; }
  friend auto operator/(const Acc<Array<T, N>>& a, const NumberBeside<T>& b) { return a / b.exp(); }
  friend auto operator/(const NumberBeside<T>& a, const Acc<Array<T, N>>& b) { return a.exp() / b; }
  friend auto operator%(const Acc<Array<T, N>>& a, const NumberBeside<T>& b) { return a % b.exp(); }
  friend auto operator%(const NumberBeside<T>& a, const Acc<Array<T, N>>& b) { return a.exp() % b; }
  friend auto operator==(const Acc<Array<T, N>>& a, const NumberBeside<T>& b) {
    return a == b.exp();
  }
  friend auto operator==(const NumberBeside<T>& a, const Acc<Array<T, N>>& b) {
    return a.exp() == b;
  }
  friend auto operator!=(const Acc<Array<T, N>>& a, const NumberBeside<T>& b) {
    return a != b.exp();
  }
  friend auto operator!=(const NumberBeside<T>& a, const Acc<Array<T, N>>& b) {
    return a.exp() != b;
  }
  friend auto operator<(const Acc<Array<T, N>>& a, const NumberBeside<T>& b) { return a < b.exp(); }
  friend auto operator<(const NumberBeside<T>& a, const Acc<Array<T, N>>& b) { return a.exp() < b; }
  friend auto operator<=(const Acc<Array<T, N>>& a, const NumberBeside<T>& b) {
    return a <= b.exp();
  }
  friend auto operator<=(const NumberBeside<T>& a, const Acc<Array<T, N>>& b) {
    return a.exp() <= b;
  }
  friend auto operator>(const Acc<Array<T, N>>& a, const NumberBeside<T>& b) { return a > b.exp(); }
  friend auto operator>(const NumberBeside<T>& a, const Acc<Array<T, N>>& b) { return a.exp() > b; }
  friend auto operator>=(const Acc<Array<T, N>>& a, const NumberBeside<T>& b) {
    return a >= b.exp();
  }
  friend auto operator>=(const NumberBeside<T>& a, const Acc<Array<T, N>>& b) {
    return a.exp() >= b;
  }
  friend auto operator&&(const Acc<Array<T, N>>& a, const NumberBeside<T>& b) {
    return a && b.exp();
  }
  friend auto operator&&(const NumberBeside<T>& a, const Acc<Array<T, N>>& b) {
    return a.exp() && b;
  }
  friend auto operator||(const Acc<Array<T, N>>& a, const NumberBeside<T>& b) {
    return a || b.exp();
  }
  friend auto operator||(const NumberBeside<T>& a, const Acc<Array<T, N>>& b) {
    return a.exp() || b;
  }
  friend auto operator&(const Acc<Array<T, N>>& a, const NumberBeside<T>& b) { return a & b.exp(); }
  friend auto operator&(const NumberBeside<T>& a, const Acc<Array<T, N>>& b) { return a.exp() & b; }
  friend auto operator|(const Acc<Array<T, N>>& a, const NumberBeside<T>& b) { return a | b.exp(); }
  friend auto operator|(const NumberBeside<T>& a, const Acc<Array<T, N>>& b) { return a.exp() | b; }
  friend auto operator^(const Acc<Array<T, N>>& a, const NumberBeside<T>& b) { return a ^ b.exp(); }
  friend auto operator^(const NumberBeside<T>& a, const Acc<Array<T, N>>& b) { return a.exp() ^ b; }
  friend auto operator<<(const Acc<Array<T, N>>& a, const ShiftCount& n) {
    return elementwise("<<", Where{}, [&n](const Exp<T>& x) { return x << n; }, a);
  }
  friend auto operator<<(const NumberBeside<T>& a, const Acc<Array<T, N>>& b) {
    return a.exp() << b;
  }
  friend auto operator>>(const Acc<Array<T, N>>& a, const ShiftCount& n) {
    return elementwise(">>", Where{}, [&n](const Exp<T>& x) { return x >> n; }, a);
  }
  friend auto operator>>(const NumberBeside<T>& a, const Acc<Array<T, N>>& b) {
    return a.exp() >> b;
  }
};

}  // namespace hasten::detail
