// Serialises the data of programs: one list of members serves writing and reading (members.hpp).
//
// in:  structs, vectors, optionals, variants, numbers, texts
// out: bytes; numbers as in memory, so archives are read on the architecture that wrote them
// invariants: the same version has written what is read (library.hpp checks the version); and yet
//             no read leaves the bytes
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace hasten::ahead {

/// `of(x)`, a tuple of references to all members of a struct.
template <class T>
struct Members;

template <class T>
concept Number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class Writer {
 public:
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

  template <Number T>
  void put(T x) {
    const auto* const first = reinterpret_cast<const std::byte*>(&x);
    bytes_.insert(bytes_.end(), first, first + sizeof x);
  }
  void put(std::string_view text);
  void put(const std::string& text) { put(std::string_view(text)); }
  /// Null is read back as "".
  void put(const char* text) { put(std::string_view(text ? text : "")); }
  void put(const std::source_location& where);
  void put(const std::vector<bool>& list);
  template <class T>
  void put(const std::vector<T>& list) {
    put(static_cast<std::uint64_t>(list.size()));
    for (const T& each : list) put(each);
  }
  template <class T>
  void put(const std::optional<T>& x) {
    put(x.has_value());
    if (x) put(*x);
  }
  template <class... Ts>
  void put(const std::variant<Ts...>& x) {
    put(static_cast<std::uint32_t>(x.index()));
    std::visit([&](const auto& is) { put(is); }, x);
  }
  template <class T>
    requires requires(const T& x) { Members<T>::of(x); }
  void put(const T& x) {
    std::apply([&](const auto&... each) { (put(each), ...); }, Members<T>::of(x));
  }
  /// Starts at a multiple of 64 bytes, and is followed by 64 more.
  void put_block(std::span<const std::byte> block);

 private:
  std::vector<std::byte> bytes_;
};

/// The source locations of a program that was read, for errors. Their addresses are stable.
class Places {
 public:
  [[nodiscard]] std::source_location place(const char* file, const char* function,
                                           std::uint32_t line, std::uint32_t column);

 private:
  // The structure that std::source_location points to: compilers' built-in function fixes it.
  struct Place {
    const char *file, *function;
    std::uint32_t line, column;
  };
  std::deque<Place> places_;
};

/// Texts are not copied: the bytes must stay alive. Throws InternalError if they end too early.
class Reader {
 public:
  /// `bytes` must start at a multiple of 64.
  Reader(std::span<const std::byte> bytes, Places& places) : bytes_(bytes), places_(places) {}

  template <Number T>
  void get(T& x) {
    std::memcpy(&x, take(sizeof x), sizeof x);
  }
  void get(std::string& text) { text = read_text(); }
  void get(const char*& text) { text = read_text(); }
  void get(std::source_location& where);
  void get(std::vector<bool>& list);
  template <class T>
  void get(std::vector<T>& list) {
    const std::uint64_t size = read_size();
    list.clear();
    list.reserve(size);
    for (std::uint64_t i = 0; i < size; ++i) get(list.emplace_back());
  }
  template <class T>
  void get(std::optional<T>& x) {
    bool there = false;
    get(there);
    x.reset();
    if (there) get(x.emplace());
  }
  template <class... Ts>
  void get(std::variant<Ts...>& x) {
    std::uint32_t index = 0;
    get(index);
    get_alternative(x, index, std::index_sequence_for<Ts...>{});
  }
  template <class T>
    requires requires(T& x) { Members<T>::of(x); }
  void get(T& x) {
    std::apply([&](auto&... each) { (get(each), ...); }, Members<T>::of(x));
  }
  [[nodiscard]] std::span<const std::byte> get_block();

 private:
  template <class V, std::size_t... i>
  void get_alternative(V& x, std::uint32_t index, std::index_sequence<i...>) {
    const bool known = ((index == i && (get(x.template emplace<i>()), true)) || ...);
    if (!known) fail();
  }
  [[nodiscard]] const std::byte* take(std::uint64_t bytes);
  [[nodiscard]] std::uint64_t read_size();  // of a list, whose elements take a byte at least
  [[nodiscard]] const char* read_text();
  [[noreturn]] static void fail();

  std::span<const std::byte> bytes_;
  Places& places_;
  std::size_t at_ = 0;
};

}  // namespace hasten::ahead
