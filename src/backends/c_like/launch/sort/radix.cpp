// Sorts component by component; methods differ in RadixSort::move.
#include "backends/c_like/launch/sort/radix.hpp"

#include "backends/c_like/launch/launch.hpp"
#include "backends/c_like/launch/sort/radix_text.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace hasten::backends::c_like {
namespace {

// Keys move with their own width, except keys of two bytes.
constexpr std::size_t moved_key_bytes(std::size_t bytes) { return bytes == 2 ? 4 : bytes; }

unsigned key_bits(core::ScalarType type) {
  return detail::is_bool(type) ? 1 : static_cast<unsigned>(8 * detail::size_in_bytes(type));
}

// The name of a function that exists for several widths.
std::string of_width(const char* name, std::size_t bytes) { return name + std::to_string(bytes); }

std::string name_of_ends(std::int64_t order_bytes) {
  return of_width("sort-ends-", static_cast<std::size_t>(order_bytes));
}

}  // namespace

/// Which results of a sort are keys, and which move with them.
struct RadixSort::Wanted {
  Address keys_to = nullptr;
  std::vector<const CarriedComponent*> others;
};

RadixSort::RadixSort(const SortWork& work, unsigned digit_bits)
    : work_(work),
      digit_bits_(digit_bits),
      n_(work.shape.rows * work.shape.size),
      size_(work.shape.size),
      order_bytes_(n_ <= std::numeric_limits<std::uint32_t>::max() ? 4 : 8) {}

std::int64_t RadixSort::digits_of_all(SortShape shape, std::span<const core::ScalarType> types,
                                      unsigned digit_bits) {
  const auto digits = [&](unsigned bits) { return (bits + digit_bits - 1) / digit_bits; };
  std::int64_t all =
      digits(static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(shape.rows - 1))));
  for (const core::ScalarType type : types) all += digits(key_bits(type));
  return all;
}

std::vector<SortProgram> RadixSort::end_programs() {
  std::vector<SortProgram> programs;
  for (const std::size_t bytes : {4, 8})
    programs.push_back({name_of_ends(static_cast<std::int64_t>(bytes)),
                        [bytes](const Dialect& d) { return sort_ends_source(d, bytes); }});
  return programs;
}

// -- what is asked for ----------------------------------------------------------------------------

RadixSort::Wanted RadixSort::wanted_of(std::span<const core::ScalarType> types,
                                       std::span<const std::byte* const> keys,
                                       const SortedKeys& to) const {
  Wanted wanted;
  const std::size_t bytes = detail::size_in_bytes(types[0]);
  const bool is_single = types.size() == 1 && work_.shape.rows == 1;
  for (const CarriedComponent& component : to.carried) {
    if (is_single && !wanted.keys_to && component.from == keys[0] && component.bytes == bytes)
      wanted.keys_to = reinterpret_cast<Address>(component.to);
    else
      wanted.others.push_back(&component);
  }
  return wanted;
}

bool RadixSort::moves_values(std::span<const core::ScalarType> types, const SortedKeys& to,
                             const Wanted& wanted) const {
  if (types.size() > 1 || work_.shape.rows > 1 || to.positions || to.heads) return false;
  if (wanted.others.size() > 1) return false;
  return wanted.others.empty() || wanted.others[0]->bytes == 4 || wanted.others[0]->bytes == 8;
}

void RadixSort::run(std::span<const core::ScalarType> types, std::span<const std::byte* const> keys,
                    const SortedKeys& to) {
  const Wanted wanted = wanted_of(types, keys, to);
  if (moves_values(types, to, wanted))
    return run_values(types[0], keys[0], wanted.keys_to,
                      wanted.others.empty() ? nullptr : wanted.others[0]);
  run_places(types, keys, wanted.keys_to);
  if (to.positions) give_positions(reinterpret_cast<Address>(to.positions));
  if (to.heads) {
    const auto heads = reinterpret_cast<Address>(to.heads);
    each("sort_clear_heads", {heads, number(n_)});
    for (std::size_t leaf = 0; leaf < types.size(); ++leaf)
      note_runs(detail::size_in_bytes(types[leaf]),
                wanted.keys_to ? wanted.keys_to : const_cast<Address>(keys[leaf]),
                wanted.keys_to != nullptr, heads);
  }
  for (const CarriedComponent* component : wanted.others) carry(*component);
}

void RadixSort::run_short(unsigned bits, Address keys, Address positions) {
  constexpr unsigned short_bits = 32;
  const bool is_short = bits <= short_bits;
  Address from = keys;
  if (is_short) {
    from = work_.take(n_ * 4);
    each("sort_low_keys", {Input{keys}, Input{keys}, from, number(n_), flag(false)});
  }
  sort_places(is_short ? 4 : 8, bits, from, nullptr);
  give_positions(positions);
}

// Sorts by a single component: the keys themselves, with one value for each, or none.
void RadixSort::run_values(core::ScalarType type, const std::byte* key, Address keys_to,
                           const CarriedComponent* value) {
  SortedComponent it;
  it.bits = key_bits(type);
  it.key_bytes = moved_key_bytes(detail::size_in_bytes(type));
  it.keys = moved_keys(it, first_keys(type, key), long_keys(type, keys_to));
  it.keeps_keys = keys_to != nullptr;
  if (value) {
    it.value_bytes = value->bytes;
    it.values = {const_cast<Address>(value->from),
                 has_several_digits(it) ? take(value->bytes) : nullptr,
                 reinterpret_cast<Address>(value->to)};
  }
  move(it);
  shorten(it.keys.to, keys_to);
}

// Sorts by places, which are in order_ afterwards. `keys_to`: where keys of a single component go,
// or null.
void RadixSort::run_places(std::span<const core::ScalarType> types,
                           std::span<const std::byte* const> keys, Address keys_to) {
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

void RadixSort::sort_places(std::size_t key_bytes, unsigned bits, Address keys, Address keys_to) {
  SortedComponent it;
  it.key_bytes = key_bytes;
  it.value_bytes = static_cast<std::size_t>(order_bytes_);
  it.bits = bits;
  it.keeps_keys = keys_to != nullptr;
  it.keys = moved_keys(it, keys, keys_to);
  if (!order_.between && has_several_digits(it)) order_.between = take(it.value_bytes);
  if (is_ordered_) std::swap(order_.from, order_.to);
  if (!order_.to) order_.to = take(it.value_bytes);
  it.values = order_;
  if (!is_ordered_) it.values.from = nullptr;
  is_ordered_ = true;
  move(it);
}

void RadixSort::sort_rows() {
  const auto last = static_cast<std::uint64_t>(work_.shape.rows - 1);
  const bool is_short = last <= std::numeric_limits<std::uint32_t>::max();
  const Address rows = room(gathered_, is_short ? 4 : 8);
  each(is_short ? "sort_rows_4" : "sort_rows_8",
       {Input{order_.to}, rows, number(n_), number(size_)});
  sort_places(is_short ? 4 : 8, static_cast<unsigned>(std::bit_width(last)), rows, nullptr);
}

void RadixSort::give_positions(Address to) const {
  each("sort_end", {Input{order_.to}, to, number(n_), number(size_)});
}

void RadixSort::carry(const CarriedComponent& component) const {
  const std::string function = of_width("sort_carry_", component.bytes);
  each(function.c_str(), {Input{const_cast<Address>(component.from)}, Input{order_.to},
                          reinterpret_cast<Address>(component.to), number(n_)});
}

// An element begins a run if it differs from the one before in any component. Keys in order are
// compared as they are.
void RadixSort::note_runs(std::size_t bytes, Address keys, bool are_in_order, Address heads) const {
  const std::string function = of_width("sort_note_", bytes);
  each(function.c_str(),
       {Input{keys}, Input{order_.to}, heads, number(n_), number(size_), flag(!are_in_order)});
}

// -- memory and launches --------------------------------------------------------------------------

void RadixSort::each(const char* function, std::initializer_list<Argument> arguments) const {
  each(work_.sorter.program(name_of_ends(order_bytes_)), function, n_, arguments);
}

void RadixSort::each(Program& program, const char* function, std::int64_t count,
                     std::initializer_list<Argument> arguments) const {
  work_.driver.launch(program, function, {groups_for_each(work_.driver, program, function, count)},
                      {arguments.begin(), arguments.size()});
}

void RadixSort::launch(Program& program, const char* function, std::int64_t tasks,
                       std::span<const Argument> arguments) const {
  work_.driver.launch(program, function, {groups_for_tasks(work_.driver, program, function, tasks)},
                      arguments);
}

Address RadixSort::take(std::size_t bytes) const {
  return work_.take(n_ * static_cast<std::int64_t>(bytes));
}

// Widens keys of two bytes, once; their results are narrowed again.
Address RadixSort::first_keys(core::ScalarType type, const std::byte* key) {
  const std::size_t bytes = detail::size_in_bytes(type);
  const auto address = const_cast<Address>(key);
  if (moved_key_bytes(bytes) == bytes) return address;
  const Address longer = take(moved_key_bytes(bytes));
  const std::string function = of_width("sort_keys_", bytes);
  each(function.c_str(), {Input{address}, Input{address}, longer, number(n_), flag(false)});
  return longer;
}

Address RadixSort::long_keys(core::ScalarType type, Address keys_to) const {
  const std::size_t bytes = detail::size_in_bytes(type);
  return keys_to && moved_key_bytes(bytes) > bytes ? take(moved_key_bytes(bytes)) : keys_to;
}

void RadixSort::shorten(Address longer, Address keys_to) const {
  if (!keys_to || longer == keys_to) return;
  each("sort_shorten", {Input{longer}, Input{longer}, keys_to, number(n_), flag(false)});
}

Address RadixSort::keys_in_order(core::ScalarType type, const std::byte* key) {
  const std::size_t bytes = detail::size_in_bytes(type);
  const Address at = room(gathered_, moved_key_bytes(bytes));
  const std::string function = of_width("sort_keys_", bytes);
  each(function.c_str(),
       {Input{const_cast<Address>(key)}, Input{order_.to}, at, number(n_), flag(true)});
  return at;
}

Address RadixSort::room(std::array<Address, 3>& kept, std::size_t bytes) const {
  Address& at = kept[bytes / 4];
  if (!at) at = take(bytes);
  return at;
}

Moved RadixSort::moved_keys(const SortedComponent& it, Address from, Address to) {
  const std::int32_t digits = digits_of(it.bits);
  return {from, digits > 1 ? room(between_, it.key_bytes) : nullptr,
          to || digits <= 2 ? to : room(other_, it.key_bytes)};
}

}  // namespace hasten::backends::c_like
