// Errors of building: plain numbers of a wrong type beside an Exp, operators without a location.
#include <hasten/detail/literal.hpp>
#include <hasten/detail/trace.hpp>
#include <hasten/run/error.hpp>

#include <charconv>
#include <string>

namespace hasten::detail {
namespace {

template <class N>
[[noreturn]] void unfit(N number, ScalarType type, const Where& where) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, number).ptr;
  throw BuildError("the number " + std::string(text, end) + " does not fit into " + name_of(type) +
                       ", the type it stands beside; write a number that fits, or cast the other "
                       "side to a wider type",
                   where);
}

}  // namespace

void throw_placed(const BuildError& error, const Where& where) {
  if (error.where().line() != 0) throw;  // the one being handled
  throw BuildError(error.what(), where);
}

void throw_unfit(std::int64_t number, ScalarType type, const Where& where) {
  unfit(number, type, where);
}
void throw_unfit(std::uint64_t number, ScalarType type, const Where& where) {
  unfit(number, type, where);
}
void throw_unfit(double number, ScalarType type, const Where& where) { unfit(number, type, where); }

}  // namespace hasten::detail
