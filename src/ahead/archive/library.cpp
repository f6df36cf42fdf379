// The version comes first: another version may have other members.
#include "ahead/archive/library.hpp"

#include "ahead/archive/members.hpp"

#include <hasten/run/error.hpp>

#include <string_view>

namespace hasten::ahead {

template <>
struct Members<detail::LibraryValue> {
  static auto of(auto& x) {
    return all_members<detail::LibraryValue>(x.kind, x.name, x.rank, x.leaves);
  }
};
template <>
struct Members<detail::LibraryInterface> {
  static auto of(auto& x) { return all_members<detail::LibraryInterface>(x.parameters, x.results); }
};

template <>
struct Members<backends::CompileOptions> {
  static auto of(auto& x) {
    return all_members<backends::CompileOptions>(x.contract, x.fast_math, x.own_math, x.polls,
                                                 x.foreign_text);
  }
};
template <>
struct Members<backends::TextModule> {
  static auto of(auto& x) {
    return all_members<backends::TextModule>(x.name, x.is_wide, x.code, x.text);
  }
};
template <>
struct Members<kernels::Range> {
  static auto of(auto& x) { return all_members<kernels::Range>(x.least, x.greatest); }
};
template <>
struct Members<kernels::NarrowDemands> {
  static auto of(auto& x) { return all_members<kernels::NarrowDemands>(x.demanded, x.assumed); }
};
template <>
struct Members<backends::c_like::TiledMap> {
  static auto of(auto& x) {
    return all_members<backends::c_like::TiledMap>(x.kernel, x.narrow, x.high);
  }
};
template <>
struct Members<backends::c_like::LaunchFacts> {
  static auto of(auto& x) {
    return all_members<backends::c_like::LaunchFacts>(x.schedule, x.narrow, x.tiled);
  }
};
template <>
struct Members<backends::TextKernel> {
  static auto of(auto& x) {
    return all_members<backends::TextKernel>(x.facts, x.options, x.modules);
  }
};
template <>
struct Members<backends::DeviceTexts> {
  static auto of(auto& x) { return all_members<backends::DeviceTexts>(x.kernels, x.common); }
};

namespace {

constexpr std::string_view version = "hasten " HASTEN_VERSION " library 16";

void check_version(Reader& reader) {
  std::string found;
  reader.get(found);
  if (found != version)
    throw InternalError("the library's programs are of \"" + found + "\", its runtime is of \"" +
                        std::string(version) + "\"; link it with the Hasten that exported it");
}

// The members that writing and reading share, in order; captured arrays follow them.
template <class E, class F>
void each_member(E& entry, F f) {
  f(entry.name), f(entry.interface), f(entry.plan), f(entry.literals);
  f(entry.memory_limit), f(entry.where), f(entry.kernels);
}

}  // namespace

std::vector<std::byte> write_entry(const Entry& entry) {
  Writer to;
  to.put(version);
  each_member(entry, [&](const auto& member) { to.put(member); });
  to.put(static_cast<std::uint64_t>(entry.used.size()));
  for (const UsedArray& array : entry.used) {
    to.put(array.shape);
    to.put(array.leaves);
    for (const auto component : array.components) to.put_block(component);
  }
  return to.bytes();
}

Entry read_entry(std::span<const std::byte> bytes, Places& places) {
  Reader from(bytes, places);
  check_version(from);
  Entry entry;
  each_member(entry, [&](auto& member) { from.get(member); });
  std::uint64_t used = 0;
  from.get(used);
  for (; used > 0; --used) {
    UsedArray array;
    from.get(array.shape);
    from.get(array.leaves);
    for (std::size_t leaf = 0; leaf < array.leaves.size(); ++leaf)
      array.components.push_back(from.get_block());
    entry.used.push_back(std::move(array));
  }
  return entry;
}

std::vector<std::byte> write_schedules(const std::vector<kernels::Schedule>& list) {
  Writer to;
  to.put(version);
  to.put(list);
  return to.bytes();
}

std::vector<kernels::Schedule> read_schedules(std::span<const std::byte> bytes) {
  Places places;
  Reader from(bytes, places);
  check_version(from);
  std::vector<kernels::Schedule> list;
  from.get(list);
  return list;
}

std::vector<std::byte> write_texts(const backends::DeviceTexts& texts) {
  Writer to;
  to.put(version);
  to.put(texts);
  return to.bytes();
}

backends::DeviceTexts read_texts(std::span<const std::byte> bytes) {
  Places places;
  Reader from(bytes, places);
  check_version(from);
  backends::DeviceTexts texts;
  from.get(texts);
  return texts;
}

}  // namespace hasten::ahead
