// Writes nothing to the caller's memory before all operations that may fail.
#include "ahead/call/c_functions.hpp"

#include "ahead/call/arrays.hpp"
#include "ahead/call/handles.hpp"
#include "ahead/call/status.hpp"
#include "core/scalar_ops.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hasten::ahead {
namespace {

using detail::LibraryKind;
using detail::LibraryValue;

// Never destroyed: calls may be in flight while the process ends.
Handles<Programs>& contexts() {
  static auto& instance = *new Handles<Programs>;
  return instance;
}
Handles<const detail::HostArray>& arrays() {
  static auto& instance = *new Handles<const detail::HostArray>;
  return instance;
}

Handle handle_of(const void* context) { return reinterpret_cast<std::uintptr_t>(context); }

const hasten_library& checked(const hasten_library* library) {
  if (!library) throw Misuse("there is no library");
  return *library;
}

std::shared_ptr<Programs> find_context(const hasten_library& library, const void* context) {
  if (!context) throw Misuse("the context is null");
  auto programs = contexts().find(library, handle_of(context));
  if (!programs)
    throw Misuse("the context was freed, or is none of the library " + std::string(library.name));
  return programs;
}

/// By result: the handle of the library's array, or 0. A few handles need no allocation.
class Owners {
 public:
  explicit Owners(std::size_t count) : many_(count > few_.size() ? count : 0) {
    all_ = many_.empty() ? std::span(few_).first(count) : std::span(many_);
  }
  Owners(const Owners&) = delete;
  Owners& operator=(const Owners&) = delete;
  [[nodiscard]] Handle& operator[](std::size_t result) { return all_[result]; }
  [[nodiscard]] std::span<Handle> all() { return all_; }

 private:
  std::array<Handle, 8> few_{};
  std::vector<Handle> many_;
  std::span<Handle> all_;
};

/// A call's arguments, and the destinations of its results.
class Call {
 public:
  Call(const hasten_library& library, const ProgramOf& program)
      : library_(library),
        interface_(program.interface),
        name_(program.name) {}

  void read(const void* const* arguments) {
    arrays_.reserve(interface_.parameters.size());
    for (std::size_t i = 0; i < interface_.parameters.size(); ++i) {
      const LibraryValue& parameter = interface_.parameters[i];
      const Place place{name_, "argument", parameter};
      if (!arguments[i]) throw Misuse(place.text() + " is null");
      if (parameter.kind == LibraryKind::number) {
        const core::Bits bits =
            core::load_bits(parameter.leaves[0], static_cast<const std::byte*>(arguments[i]));
        numbers_.push_back({bits.lo, bits.hi});
      } else {
        read_array(struct_at(const_cast<void*>(arguments[i])), place);
      }
    }
  }

  void check_places(void* const* results) const {
    for (std::size_t i = 0; i < interface_.results.size(); ++i) {
      const LibraryValue& result = interface_.results[i];
      const Place place{name_, "result", result};
      if (!results[i]) throw Misuse(place.text() + " is null");
      if (std::find(results, results + i, results[i]) != results + i)
        throw Misuse(place.text() + " has the same place as another result");
      if (result.kind == LibraryKind::array) check_place(struct_at(results[i]), place);
    }
  }

  detail::Results run(Programs& programs, std::uint32_t entry, void* const* results) {
    find_outs(programs.result_leaves(entry), results);
    detail::Results made = programs.call(entry, arrays_, numbers_, outs_);
    arrays_.clear();
    owners_.clear();
    return made;
  }

  void give(detail::Results made, void* const* results) const {
    Owners owners(interface_.results.size());
    find_owners(made, results, owners);
    Cursor at{made};
    for (std::size_t i = 0; i < interface_.results.size(); ++i) {
      const LibraryValue& result = interface_.results[i];
      if (result.kind == LibraryKind::number) {
        const auto [array, leaf] = at.next_leaf();
        std::copy_n(array->data(leaf), detail::size_in_bytes(result.leaves[0]),
                    static_cast<std::byte*>(results[i]));
        continue;
      }
      const detail::HostArray& array = *at.next_array();
      if (owners[i] != 0) give_to(struct_at(results[i]), array, owners[i]);
    }
  }

 private:
  void read_array(const ArrayStruct& array, const Place& place) {
    if (array.owner() == 0) {
      arrays_.push_back(borrowed(array, place));
      return;
    }
    HostArrayRef owner = hasten::ahead::arrays().find(library_, array.owner());
    if (!owner)
      throw Misuse(place.text() + ": the array was freed, or is none of the library " +
                   library_.name);
    arrays_.push_back(borrowed(array, place));
    check_owned(*arrays_.back(), *owner, place);
    owners_.push_back(std::move(owner));
  }

  // Numbers are leaves of arrays of rank 0.
  struct Cursor {
    detail::Results& made;
    std::size_t array = 0, leaf = 0;

    HostArrayRef& next_array() { return made[array++]; }
    std::pair<const detail::HostArray*, std::size_t> next_leaf() {
      const detail::HostArray* const of = made[array].get();
      const std::size_t which = leaf++;
      if (leaf == of->leaves().size()) ++array, leaf = 0;
      return {of, which};
    }
  };

  // Numbers are leaves of arrays of rank 0, one after the other.
  void find_outs(std::span<const std::size_t> leaves, void* const* results) {
    if (!any_has_memory(results)) return;
    outs_.resize(leaves.size());
    std::size_t array = 0, leaf = 0;
    for (std::size_t i = 0; i < interface_.results.size() && array < leaves.size(); ++i) {
      const LibraryValue& result = interface_.results[i];
      if (result.kind == LibraryKind::number) {
        if (++leaf == leaves[array]) ++array, leaf = 0;
        continue;
      }
      if (has_memory(struct_at(results[i])))
        outs_[array] = memory_of(struct_at(results[i]), {name_, "result", result});
      ++array;
    }
    if (detail::do_overlap(outs_))
      throw Misuse(name_ + ": memory of two results overlaps; give each memory of its own");
  }

  [[nodiscard]] bool any_has_memory(void* const* results) const {
    for (std::size_t i = 0; i < interface_.results.size(); ++i)
      if (interface_.results[i].kind == LibraryKind::array && has_memory(struct_at(results[i])))
        return true;
    return false;
  }

  // Copies bytes that are on a device to the host now, where an error can be reported.
  static void fetch(const detail::HostArray& array) {
    for (std::size_t leaf = 0; leaf < array.leaves().size(); ++leaf)
      static_cast<void>(array.data(leaf));
  }

  [[nodiscard]] bool has_place(std::size_t array) const {
    return array < outs_.size() && !outs_[array].parts.empty();
  }

  // Stores results that have the caller's memory there, and finds the owners of the others.
  void find_owners(detail::Results& made, void* const* results, Owners& owners) const {
    // The memory of an argument may be the destination of another result.
    for (std::size_t array = 0; array < made.size(); ++array)
      if (!has_place(array)) made[array] = owned(std::move(made[array]));
    Cursor at{made};
    try {
      for (std::size_t i = 0; i < interface_.results.size(); ++i) {
        const LibraryValue& result = interface_.results[i];
        if (result.kind == LibraryKind::number) {
          fetch(*at.next_leaf().first);
          continue;
        }
        const bool is_placed = has_place(at.array);
        HostArrayRef& array = at.next_array();
        if (is_placed) {
          check_extents(struct_at(results[i]), *array, {name_, "result", result});
          continue;
        }
        fetch(*array);
        owners[i] = hasten::ahead::arrays().add(library_, array);
      }
      if (!outs_.empty()) detail::put_results(outs_, made);
    } catch (...) {
      for (const Handle owner : owners.all()) hasten::ahead::arrays().remove(library_, owner);
      throw;
    }
  }

  [[nodiscard]] ArrayStruct struct_at(void* at) const { return {at, library_}; }

  const hasten_library& library_;
  const detail::LibraryInterface& interface_;
  const std::string& name_;
  std::vector<HostArrayRef> arrays_;
  std::vector<HostArrayRef> owners_;  // of arguments, which are not freed during the call
  std::vector<detail::LiteralBits> numbers_;
  std::vector<detail::OutMemory> outs_;  // by the array of the results
};

}  // namespace

void create_context(const hasten_library* library, void** context,
                    const hasten_library_options* options, MakePrograms make) {
  if (!context) throw Misuse("the place of the context is null");
  *context = nullptr;
  const hasten_library_options chosen = options ? *options : hasten_library_options{};
  if (chosen.threads < 0 || chosen.threads > 4096)
    throw Misuse("there are no " + std::to_string(chosen.threads) + " threads");
  if (chosen.level < 0 || chosen.level > 3)
    throw Misuse("there is no level " + std::to_string(chosen.level));
  if (chosen.memory_limit < 0) throw Misuse("the memory limit is negative");
  if (chosen.target < target_any || chosen.target > target_opencl)
    throw Misuse("there is no target " + std::to_string(chosen.target));
  const bool on_device = chosen.target == target_cuda || chosen.target == target_opencl;
  if (chosen.device < 0 || (chosen.device > 0 && !on_device))
    throw Misuse("there is no device " + std::to_string(chosen.device) + " of " +
                 name_of_target(chosen.target));
  const hasten_library& of = checked(library);
  const Handle handle = contexts().add(of, make(of, chosen));
  *context = reinterpret_cast<void*>(handle);
}

void free_context(const hasten_library* library, void* context) {
  if (!context) return;
  if (!contexts().remove(checked(library), handle_of(context)))
    throw Misuse("the context was freed before, or is none of the library " +
                 std::string(library->name));
}

void call(const hasten_library* library, void* context, std::uint32_t entry,
          const void* const* arguments, void* const* results) {
  const std::shared_ptr<Programs> programs = find_context(checked(library), context);
  Call one(*library, programs->program(entry));
  one.check_places(results);
  one.read(arguments);
  one.give(one.run(*programs, entry, results), results);
}

void free_array(const hasten_library* library, void* array) {
  if (!array) return;
  const ArrayStruct given(array, checked(library));
  const Handle owner = given.owner();
  if (owner == 0)
    throw Misuse("the struct holds no array of the library: it was freed, or is the caller's");
  if (!arrays().remove(*library, owner))
    throw Misuse("the array was freed before, or is none of the library " +
                 std::string(library->name));
  for (std::uint32_t i = 0; i < library->components_max; ++i) given.data()[i] = nullptr;
  clear(given);
}

}  // namespace hasten::ahead
