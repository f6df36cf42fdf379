// One pass over memory for each digit of eight bits.
#include "backends/c_like/launch/launch.hpp"
#include "backends/c_like/launch/sort/chained_text.hpp"
#include "backends/c_like/launch/sort/radix.hpp"

namespace hasten::backends::c_like {
namespace {

constexpr std::int64_t digit_values = 256;
constexpr unsigned chained_digit_bits = 8;
constexpr std::int64_t short_size = 1 << 16;
// The tile sizes of moved_items.
constexpr std::int64_t smallest_tile = 4096, short_tile = 1024;

std::string name_of_move(MovedBytes bytes) {
  return "sort-" + std::to_string(bytes.key) + "-" + std::to_string(bytes.value) +
         (bytes.is_short ? "-short" : "");
}

class ChainedSort final : public RadixSort {
 public:
  ChainedSort(const SortWork& sort_work, std::int64_t digits)
      : RadixSort(sort_work, chained_digit_bits),
        passes_(static_cast<std::int32_t>(digits)),
        words_(2 * digits + digit_values * (digits + (count() + tile_min() - 1) / tile_min())),
        own_(sort_work.take(8 * words_)) {}

 private:
  [[nodiscard]] bool is_short() const { return count() <= short_size; }
  [[nodiscard]] std::int64_t tile_min() const { return is_short() ? short_tile : smallest_tile; }

  void move(const SortedComponent& it) override {
    const MovedBytes bytes{it.key_bytes, it.value_bytes, is_short()};
    Program& program = work().sorter.program(name_of_move(bytes));
    const std::int64_t n = count();
    const std::int32_t digits = digits_of(it.bits);
    if (pass_ == 0) each(program, "sort_clear", words_, {own_, number(words_)});
    const Number passes = number(passes_), first = number(pass_), all = number(digits);
    constexpr std::int64_t counted = 1024;
    launch(program, "sort_digits", (n + counted - 1) / counted,
           {Input{it.keys.from}, own_, number(n), passes, first, all});
    const Argument planned[] = {own_, number(n), passes, first, all};
    work().driver.launch(program, "sort_plan", {1}, planned);
    const std::int64_t tile = digit_values * moved_items(bytes);
    const std::int64_t tiles = (n + tile - 1) / tile;
    const bool is_numbered = it.value_bytes > 0 && !it.values.from;
    // Where an array is missing, its substitute is not accessed.
    const auto given = [&](Address memory) { return memory ? memory : own_; };
    const Moved values = it.value_bytes > 0 ? it.values : it.keys;
    const std::int32_t how = (it.keeps_keys ? 1 : 0) | (is_numbered ? 2 : 0);
    for (std::int32_t digit = 0; digit < digits; ++digit, ++pass_)
      launch(
          program, "sort_move", tiles,
          {Input{it.keys.from}, given(it.keys.between), given(it.keys.to),
           Input{is_numbered ? it.keys.from : values.from}, given(values.between), given(values.to),
           own_, number(n), number(tiles), passes, number(pass_), number(digit), number(how)});
  }

  std::int32_t passes_, pass_ = 0;  // of all components
  std::int64_t words_;              // of 64 bits, cleared once
  Address own_;
};

std::vector<SortProgram> chained_sort_programs() {
  std::vector<SortProgram> programs = RadixSort::end_programs();
  for (const std::size_t key : {1, 4, 8})
    for (const std::size_t value : {0, 4, 8})
      for (const bool is_short : {false, true}) {
        const MovedBytes bytes{key, value, is_short};
        programs.push_back({name_of_move(bytes),
                            [bytes](const Dialect& d) { return chained_sort_source(d, bytes); }});
      }
  return programs;
}

void sort_in_chains(const SortWork& work, std::span<const core::ScalarType> types,
                    std::span<const std::byte* const> keys, const SortedKeys& to) {
  ChainedSort(work, RadixSort::digits_of_all(work.shape, types, chained_digit_bits))
      .run(types, keys, to);
}

void sort_short_in_chains(const SortWork& work, unsigned bits, Address keys, Address positions) {
  ChainedSort(work, (bits + chained_digit_bits - 1) / chained_digit_bits)
      .run_short(bits, keys, positions);
}

}  // namespace

const SortMethod chained_sort = {chained_sort_programs, sort_in_chains, sort_short_in_chains};

}  // namespace hasten::backends::c_like
