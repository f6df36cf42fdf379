// Programs as libraries: compiled ahead of time, callable from C.
#pragma once

#include <hasten/detail/library_interface.hpp>
#include <hasten/detail/programs.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace hasten::detail {

struct LibraryEntry {
  std::string name;
  LibraryInterface interface;
  Options options;
  std::function<std::shared_ptr<const Executable>(const Options&)> compile;
};

/// The names of parameters or results. `names` are used first; the rest are called a0, a1, ... or
/// r0, r1, ....
class LibraryNames {
 public:
  LibraryNames(char letter, std::vector<std::string> names)
      : letter_(letter),
        names_(std::move(names)) {}
  std::string next() {
    const std::size_t i = count_++;
    return i < names_.size() ? names_[i] : letter_ + std::to_string(i);
  }
  /// The number of names that were left unused.
  [[nodiscard]] std::size_t left() const {
    return names_.size() > count_ ? names_.size() - count_ : 0;
  }

 private:
  char letter_;
  std::vector<std::string> names_;
  std::size_t count_ = 0;
};

/// Appends a number for each leaf of an element that is passed by value.
void append_numbers(Type type, const std::string& name, std::vector<LibraryValue>& out);
LibraryValue library_array(Type type, unsigned rank, std::string name);
/// Throws BuildError at `where` for a name that is not a C identifier, a duplicate name, and names
/// without parameters.
void check_entry(const std::vector<LibraryEntry>& entries, const LibraryEntry& entry,
                 std::size_t names_left, const Where& where);

template <class E>
void append_library_values(LibraryNames& names, std::vector<LibraryValue>& out) {
  if constexpr (is_acc<E>) {
    out.push_back(library_array(element_type<ElementOf<E>>(),
                                static_cast<unsigned>(rank_of_array<E>), names.next()));
  } else if constexpr (is_exp<E>) {
    append_numbers(element_type<Lifted<E>>(), names.next(), out);
  } else if constexpr (Liftable<E>) {
    append_library_values<Exp<Lifted<E>>>(names, out);
  } else {
    [&]<class... Ps>(List<Ps...>) { (append_library_values<Ps>(names, out), ...); }(Parts<E>{});
  }
}

template <class F, class... Es>
LibraryEntry library_entry(List<Es...>, std::string name, F f, const Options& options,
                           std::vector<std::string> names, const Where& where,
                           const std::vector<LibraryEntry>& others) {
  static_assert((ProgramValue<Es> && ...),
                "hasten::library: the parameters of an entry are Acc<...>, Exp<...> and groups of "
                "these (std::tuple, std::pair, std::array, HASTEN_GROUP)");
  using R = std::remove_cvref_t<std::invoke_result_t<F&, Es...>>;
  LibraryEntry entry{std::move(name), {}, options, {}};
  LibraryNames given('a', std::move(names)), results('r', {});
  (append_library_values<Es>(given, entry.interface.parameters), ...);
  append_library_values<R>(results, entry.interface.results);
  entry.compile = [f, where](const Options& how) {
    return trace_program(List<Es...>{}, where, how, f).second;
  };
  check_entry(others, entry, given.left(), where);
  return entry;
}

}  // namespace hasten::detail

namespace hasten {

/// A set of programs that become one library, which C and C++ call without Hasten. `export_main`
/// writes the library.
class Library {
 public:
  explicit Library(std::string name, detail::Where where = detail::Where::current());

  /// Adds a program under a name that is a C identifier. `f` is a callable with one signature, of
  /// arrays, numbers and groups of these; it is traced when the library is built, and its captures
  /// are fixed. `names` are the names of its parameters in the header. All `options` except
  /// `target` and `stop` apply. Throws BuildError for names that are not identifiers or are already
  /// used.
  template <class F>
  Library& entry(std::string name, F f, std::vector<std::string> names = {},
                 const Options& options = {}, detail::Where where = detail::Where::current()) {
    static_assert(detail::HasOneSignature<F>,
                  "hasten::library: a generic or overloaded callable has no one signature: wrap it "
                  "in a lambda that names its parameters' types");
    if constexpr (detail::HasOneSignature<F>)
      entries_.push_back(detail::library_entry(typename detail::ParametersOf<F>::type{},
                                               std::move(name), f, options, std::move(names), where,
                                               entries_));
    return *this;
  }

  /// Adds an entry whose parameters and results are known only at run time. Throws what `entry`
  /// throws.
  Library& add(detail::LibraryEntry entry, detail::Where where = detail::Where::current());

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::vector<detail::LibraryEntry>& entries() const { return entries_; }

 private:
  std::string name_;
  std::vector<detail::LibraryEntry> entries_;
};

/// Starts a library: `hs::library("nbody").entry("step", step).entry("energy", energy)`.
[[nodiscard]] inline Library library(std::string name,
                                     detail::Where where = detail::Where::current()) {
  return Library(std::move(name), where);
}

/// The main function of a program that exports a library: `return hs::export_main(argc, argv,
/// library)`. `hasten_add_library` of the CMake package builds and runs that program. Returns 0, or
/// a non-zero status after a message on standard error.
int export_main(int argc, char** argv, const Library& library);

}  // namespace hasten
