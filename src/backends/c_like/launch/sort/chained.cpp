// Component by component from the last, then the row: stable passes do the rest. What moves with a
// key is its place, or, where nobody asks for places, the one value that is carried; of keys alone
// nothing else moves.
#include "backends/c_like/launch/launch.hpp"
#include "backends/c_like/launch/sort/chained_text.hpp"
#include "backends/c_like/launch/sort/work.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <limits>

namespace hasten::backends::c_like {
namespace {

constexpr std::int64_t digit_values = 256;
constexpr unsigned digit_bits = 8;
constexpr std::int64_t short_size = 1 << 16;
// Of moved_items.
constexpr std::int64_t smallest_tile = 4096, short_tile = 1024;

// Keys are moved as they are, but for those of two bytes.
constexpr std::size_t moved_key_bytes(std::size_t bytes) { return bytes == 2 ? 4 : bytes; }

constexpr std::int32_t digits_of(unsigned bits) {
  return static_cast<std::int32_t>((bits + digit_bits - 1) / digit_bits);
}

unsigned key_bits(core::ScalarType type) {
  return detail::is_bool(type) ? 1 : static_cast<unsigned>(8 * detail::size_in_bytes(type));
}

// Of a function that there is for several widths.
std::string of_width(const char* name, std::size_t bytes) { return name + std::to_string(bytes); }

std::string name_of_move(MovedBytes bytes) {
  return "sort-" + std::to_string(bytes.key) + "-" + std::to_string(bytes.value) +
         (bytes.is_short ? "-short" : "");
}
std::string name_of_ends(std::int64_t order_bytes) {
  return of_width("sort-ends-", static_cast<std::size_t>(order_bytes));
}

// What is read at first, what is written in between, and what has the result.
struct Moved {
  Address from = nullptr, between = nullptr, to = nullptr;
};

// One component of the keys. Null `values.from`: places are numbered.
struct Component {
  MovedBytes bytes;
  unsigned bits = 0;
  Moved keys, values;
  bool keeps_keys = false;  // in keys.to; else only what moves with them is asked for
};

class ChainedSort {
 public:
  ChainedSort(const SortWork& work, std::int64_t digits)
      : work_(work),
        n_(work.shape.rows * work.shape.size),
        size_(work.shape.size),
        order_bytes_(n_ <= std::numeric_limits<std::uint32_t>::max() ? 4 : 8),
        passes_(static_cast<std::int32_t>(digits)),
        words_(2 * digits + digit_values * (digits + (n_ + tile_min() - 1) / tile_min())),
        own_(work.take(8 * words_)) {}

  // Of a single component: the keys themselves, and one value with each, or none.
  void run_values(core::ScalarType type, const std::byte* key, Address keys_to,
                  const CarriedComponent* value) {
    Component it;
    it.bits = key_bits(type);
    it.bytes.is_short = is_short();
    it.bytes.key = moved_key_bytes(detail::size_in_bytes(type));
    it.keys = moved_keys(it, first_keys(type, key), long_keys(type, keys_to));
    it.keeps_keys = keys_to != nullptr;
    if (value) {
      it.bytes.value = value->bytes;
      it.values = {const_cast<Address>(value->from),
                   has_several_digits(it) ? take(value->bytes) : nullptr,
                   reinterpret_cast<Address>(value->to)};
    }
    move(it);
    shorten(it.keys.to, keys_to);
  }

  // By places, which order_ has afterwards. `keys_to`: where keys of a single component go, or
  // null.
  void run_places(std::span<const core::ScalarType> types, std::span<const std::byte* const> keys,
                  Address keys_to) {
    for (std::size_t leaf = types.size(); leaf-- > 0;) {
      const core::ScalarType type = types[leaf];
      const Address from =
          is_ordered_ ? keys_in_order(type, keys[leaf]) : first_keys(type, keys[leaf]);
      const Address longer = long_keys(type, keys_to);
      sort_places(moved_key_bytes(detail::size_in_bytes(type)), key_bits(type), from, longer);
      shorten(longer, keys_to);
    }
    if (work_.shape.rows > 1) sort_rows();
  }

  void run_short(unsigned bits, Address keys) {
    constexpr unsigned short_bits = 32;
    const bool is_short = bits <= short_bits;
    Address from = keys;
    if (is_short) {
      from = work_.take(n_ * 4);
      each("sort_low_keys", n_, {Input{keys}, Input{keys}, from, number(n_), flag(false)});
    }
    sort_places(is_short ? 4 : 8, bits, from, nullptr);
  }

  void give_positions(Address to) {
    each("sort_end", n_, {Input{order_.to}, to, number(n_), number(size_)});
  }
  void carry(const CarriedComponent& component) {
    const std::string function = of_width("sort_carry_", component.bytes);
    each(function.c_str(), n_,
         {Input{const_cast<Address>(component.from)}, Input{order_.to},
          reinterpret_cast<Address>(component.to), number(n_)});
  }
  void clear_heads(Address heads) { each("sort_clear_heads", n_, {heads, number(n_)}); }
  // An element begins a run if it differs in any component. Keys in order are compared as they are.
  void note_runs(std::size_t bytes, Address keys, bool are_in_order, Address heads) {
    const std::string function = of_width("sort_note_", bytes);
    each(function.c_str(), n_,
         {Input{keys}, Input{order_.to}, heads, number(n_), number(size_), flag(!are_in_order)});
  }

 private:
  [[nodiscard]] bool is_short() const { return n_ <= short_size; }
  [[nodiscard]] std::int64_t tile_min() const { return is_short() ? short_tile : smallest_tile; }
  static Number flag(bool is_on) { return number(static_cast<std::int32_t>(is_on ? 1 : 0)); }

  void each(const char* function, std::int64_t count, std::initializer_list<Argument> arguments) {
    Program& program = work_.sorter.program(name_of_ends(order_bytes_));
    each(program, function, count, arguments);
  }
  void each(Program& program, const char* function, std::int64_t count,
            std::initializer_list<Argument> arguments) {
    work_.driver.launch(program, function,
                        {groups_for_each(work_.driver, program, function, count)},
                        {arguments.begin(), arguments.size()});
  }

  [[nodiscard]] Address take(std::size_t bytes) const {
    return work_.take(n_ * static_cast<std::int64_t>(bytes));
  }

  // Keys of two bytes are made longer, once, and what is given of them shorter again.
  Address first_keys(core::ScalarType type, const std::byte* key) {
    const std::size_t bytes = detail::size_in_bytes(type);
    const auto address = const_cast<Address>(key);
    if (moved_key_bytes(bytes) == bytes) return address;
    const Address longer = take(moved_key_bytes(bytes));
    const std::string function = of_width("sort_keys_", bytes);
    each(function.c_str(), n_, {Input{address}, Input{address}, longer, number(n_), flag(false)});
    return longer;
  }
  Address long_keys(core::ScalarType type, Address keys_to) {
    const std::size_t bytes = detail::size_in_bytes(type);
    return keys_to && moved_key_bytes(bytes) > bytes ? take(moved_key_bytes(bytes)) : keys_to;
  }
  void shorten(Address longer, Address keys_to) {
    if (!keys_to || longer == keys_to) return;
    each("sort_shorten", n_, {Input{longer}, Input{longer}, keys_to, number(n_), flag(false)});
  }
  Address keys_in_order(core::ScalarType type, const std::byte* key) {
    const std::size_t bytes = detail::size_in_bytes(type);
    const Address at = gathered(moved_key_bytes(bytes));
    const std::string function = of_width("sort_keys_", bytes);
    each(function.c_str(), n_,
         {Input{const_cast<Address>(key)}, Input{order_.to}, at, number(n_), flag(true)});
    return at;
  }
  void sort_rows() {
    const auto last = static_cast<std::uint64_t>(work_.shape.rows - 1);
    const bool is_short = last <= std::numeric_limits<std::uint32_t>::max();
    const Address rows = gathered(is_short ? 4 : 8);
    each(is_short ? "sort_rows_4" : "sort_rows_8", n_,
         {Input{order_.to}, rows, number(n_), number(size_)});
    sort_places(is_short ? 4 : 8, static_cast<unsigned>(std::bit_width(last)), rows, nullptr);
  }

  // Memory for keys, taken when it is first needed: each of them is one for all components.
  Address gathered(std::size_t bytes) { return room(gathered_, bytes); }
  Address room(std::array<Address, 3>& kept, std::size_t bytes) {
    Address& at = kept[bytes / 4];
    if (!at) at = take(bytes);
    return at;
  }

  // A single pass writes to where the result goes, and the last writes no keys that nobody wants:
  // of two passes it is only the first that does.
  static bool has_several_digits(const Component& it) { return digits_of(it.bits) > 1; }
  Moved moved_keys(const Component& it, Address from, Address to) {
    const std::int32_t digits = digits_of(it.bits);
    return {from, digits > 1 ? room(between_, it.bytes.key) : nullptr,
            to || digits <= 2 ? to : room(other_, it.bytes.key)};
  }

  void sort_places(std::size_t key_bytes, unsigned bits, Address keys, Address keys_to) {
    Component it;
    it.bytes = {key_bytes, static_cast<std::size_t>(order_bytes_), is_short()};
    it.bits = bits;
    it.keeps_keys = keys_to != nullptr;
    it.keys = moved_keys(it, keys, keys_to);
    if (!order_.between && has_several_digits(it)) order_.between = take(it.bytes.value);
    if (is_ordered_) std::swap(order_.from, order_.to);
    if (!order_.to) order_.to = take(it.bytes.value);
    it.values = order_;
    if (!is_ordered_) it.values.from = nullptr;
    is_ordered_ = true;
    move(it);
  }

  void move(const Component& it) {
    Program& program = work_.sorter.program(name_of_move(it.bytes));
    const std::int32_t digits = digits_of(it.bits);
    if (pass_ == 0) each(program, "sort_clear", words_, {own_, number(words_)});
    const Number passes = number(passes_), first = number(pass_), all = number(digits);
    constexpr std::int64_t counted = 1024;
    launch(program, "sort_digits", (n_ + counted - 1) / counted,
           {Input{it.keys.from}, own_, number(n_), passes, first, all});
    const Argument planned[] = {own_, number(n_), passes, first, all};
    work_.driver.launch(program, "sort_plan", {1}, planned);
    const std::int64_t tile = digit_values * moved_items(it.bytes);
    const std::int64_t tiles = (n_ + tile - 1) / tile;
    const bool is_numbered = it.bytes.value > 0 && !it.values.from;
    // Where there are none, what is given in their place is not touched.
    const auto given = [&](Address memory) { return memory ? memory : own_; };
    const Moved values = it.bytes.value > 0 ? it.values : it.keys;
    const std::int32_t how = (it.keeps_keys ? 1 : 0) | (is_numbered ? 2 : 0);
    for (std::int32_t digit = 0; digit < digits; ++digit, ++pass_)
      launch(
          program, "sort_move", tiles,
          {Input{it.keys.from}, given(it.keys.between), given(it.keys.to),
           Input{is_numbered ? it.keys.from : values.from}, given(values.between), given(values.to),
           own_, number(n_), number(tiles), passes, number(pass_), number(digit), number(how)});
  }

  void launch(Program& program, const char* function, std::int64_t tasks,
              std::initializer_list<Argument> arguments) {
    work_.driver.launch(program, function,
                        {groups_for_tasks(work_.driver, program, function, tasks)},
                        {arguments.begin(), arguments.size()});
  }

  const SortWork& work_;
  std::int64_t n_, size_, order_bytes_;
  std::int32_t passes_, pass_ = 0;  // of all components
  std::int64_t words_;              // of 64 bits, which are cleared once
  Address own_;
  std::array<Address, 3> gathered_{}, between_{}, other_{};  // by words of a key
  Moved order_;
  bool is_ordered_ = false;
};

// What of a sort's results are the keys, and what goes with them.
struct Wanted {
  Address keys_to = nullptr;
  std::vector<const CarriedComponent*> others;
};

Wanted wanted_of(SortShape shape, std::span<const core::ScalarType> types,
                 std::span<const std::byte* const> keys, const SortedKeys& to) {
  Wanted wanted;
  const std::size_t bytes = detail::size_in_bytes(types[0]);
  const bool is_single = types.size() == 1 && shape.rows == 1;
  for (const CarriedComponent& component : to.carried) {
    if (is_single && !wanted.keys_to && component.from == keys[0] && component.bytes == bytes)
      wanted.keys_to = reinterpret_cast<Address>(component.to);
    else
      wanted.others.push_back(&component);
  }
  return wanted;
}

bool moves_values(SortShape shape, std::span<const core::ScalarType> types, const SortedKeys& to,
                  const Wanted& wanted) {
  if (types.size() > 1 || shape.rows > 1 || to.positions || to.heads) return false;
  if (wanted.others.size() > 1) return false;
  return wanted.others.empty() || wanted.others[0]->bytes == 4 || wanted.others[0]->bytes == 8;
}

std::int64_t digits_of_all(SortShape shape, std::span<const core::ScalarType> types) {
  std::int64_t digits =
      digits_of(static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(shape.rows - 1))));
  for (const core::ScalarType type : types) digits += digits_of(key_bits(type));
  return digits;
}

std::vector<SortProgram> chained_sort_programs() {
  std::vector<SortProgram> programs;
  for (const std::size_t bytes : {4, 8})
    programs.push_back({name_of_ends(static_cast<std::int64_t>(bytes)),
                        [bytes](const Dialect& d) { return sort_ends_source(d, bytes); }});
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
  const Wanted wanted = wanted_of(work.shape, types, keys, to);
  ChainedSort sort(work, digits_of_all(work.shape, types));
  if (moves_values(work.shape, types, to, wanted))
    return sort.run_values(types[0], keys[0], wanted.keys_to,
                           wanted.others.empty() ? nullptr : wanted.others[0]);
  sort.run_places(types, keys, wanted.keys_to);
  if (to.positions) sort.give_positions(reinterpret_cast<Address>(to.positions));
  if (to.heads) {
    const auto heads = reinterpret_cast<Address>(to.heads);
    sort.clear_heads(heads);
    for (std::size_t leaf = 0; leaf < types.size(); ++leaf)
      sort.note_runs(detail::size_in_bytes(types[leaf]),
                     wanted.keys_to ? wanted.keys_to : const_cast<Address>(keys[leaf]),
                     wanted.keys_to != nullptr, heads);
  }
  for (const CarriedComponent* component : wanted.others) sort.carry(*component);
}

void sort_short_in_chains(const SortWork& work, unsigned bits, Address keys, Address positions) {
  ChainedSort sort(work, digits_of(bits));
  sort.run_short(bits, keys);
  sort.give_positions(positions);
}

}  // namespace

const SortMethod chained_sort = {chained_sort_programs, sort_in_chains, sort_short_in_chains};

}  // namespace hasten::backends::c_like
