// What all radix sorts share: they sort component by component from the last, then by row; stable
// passes do the rest. A key moves together with its place, or, if no places are wanted, with the
// one carried value; keys that are sorted alone move alone.
//
// in:  what is sorted, and which results are wanted
// out: those; methods differ in how all digits of one component are moved
// invariants: keys move as they are, except keys of two bytes, which are widened; places have 32
// bits if these suffice. Memory is allocated when first needed.
#pragma once

#include "backends/c_like/launch/sort/work.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace hasten::backends::c_like {

/// Where elements are read at first, where they are written in between, and where the result goes.
struct Moved {
  Address from = nullptr, between = nullptr, to = nullptr;
};

/// One component of the keys.
struct SortedComponent {
  std::size_t key_bytes = 4, value_bytes = 0;  // 1, 4 or 8; 0, 4 or 8
  unsigned bits = 0;
  Moved keys, values;       // null `values.from`: places are numbered
  bool keeps_keys = false;  // in keys.to; else only what moves with the keys is wanted
};

class RadixSort {
 public:
  /// Digits of `digit_bits` bits.
  RadixSort(const SortWork& work, unsigned digit_bits);
  virtual ~RadixSort() = default;
  RadixSort(const RadixSort&) = delete;
  RadixSort& operator=(const RadixSort&) = delete;

  void run(std::span<const core::ScalarType> types, std::span<const std::byte* const> keys,
           const SortedKeys& to);
  void run_short(unsigned bits, Address keys, Address positions);

  /// The number of digits of all components and the row.
  [[nodiscard]] static std::int64_t digits_of_all(SortShape shape,
                                                  std::span<const core::ScalarType> types,
                                                  unsigned digit_bits);
  /// The programs of the functions that run before the first digit and after the last.
  [[nodiscard]] static std::vector<SortProgram> end_programs();

 protected:
  /// Sorts by all digits of a component. A single pass writes to the result's place, and the last
  /// pass writes no keys that are not wanted: of two passes only the first does.
  virtual void move(const SortedComponent& it) = 0;

  [[nodiscard]] std::int32_t digits_of(unsigned bits) const {
    return static_cast<std::int32_t>((bits + digit_bits_ - 1) / digit_bits_);
  }
  [[nodiscard]] const SortWork& work() const { return work_; }
  [[nodiscard]] std::int64_t count() const { return n_; }
  static Number flag(bool is_on) { return number(static_cast<std::int32_t>(is_on ? 1 : 0)); }
  void each(Program& program, const char* function, std::int64_t count,
            std::initializer_list<Argument> arguments) const;
  void launch(Program& program, const char* function, std::int64_t tasks,
              std::span<const Argument> arguments) const;
  void launch(Program& program, const char* function, std::int64_t tasks,
              std::initializer_list<Argument> arguments) const {
    launch(program, function, tasks, {arguments.begin(), arguments.size()});
  }

 private:
  struct Wanted;
  [[nodiscard]] Wanted wanted_of(std::span<const core::ScalarType> types,
                                 std::span<const std::byte* const> keys,
                                 const SortedKeys& to) const;
  [[nodiscard]] bool moves_values(std::span<const core::ScalarType> types, const SortedKeys& to,
                                  const Wanted& wanted) const;
  void run_values(core::ScalarType type, const std::byte* key, Address keys_to,
                  const CarriedComponent* value);
  void run_places(std::span<const core::ScalarType> types, std::span<const std::byte* const> keys,
                  Address keys_to);
  void sort_places(std::size_t key_bytes, unsigned bits, Address keys, Address keys_to);
  void sort_rows();
  void give_positions(Address to) const;
  void carry(const CarriedComponent& component) const;
  void note_runs(std::size_t bytes, Address keys, bool are_in_order, Address heads) const;

  void each(const char* function, std::initializer_list<Argument> arguments) const;
  [[nodiscard]] Address take(std::size_t bytes) const;
  Address first_keys(core::ScalarType type, const std::byte* key);
  [[nodiscard]] Address long_keys(core::ScalarType type, Address keys_to) const;
  void shorten(Address longer, Address keys_to) const;
  Address keys_in_order(core::ScalarType type, const std::byte* key);
  // Memory for keys, shared by all components.
  Address room(std::array<Address, 3>& kept, std::size_t bytes) const;
  [[nodiscard]] bool has_several_digits(const SortedComponent& it) const {
    return digits_of(it.bits) > 1;
  }
  Moved moved_keys(const SortedComponent& it, Address from, Address to);

  const SortWork& work_;
  const unsigned digit_bits_;
  const std::int64_t n_, size_, order_bytes_;
  std::array<Address, 3> gathered_{}, between_{}, other_{};  // by words of a key
  Moved order_;
  bool is_ordered_ = false;
};

}  // namespace hasten::backends::c_like
