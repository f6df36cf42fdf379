// The data of programs in a library compiled ahead of time, beside their machine code.
#pragma once

#include "ahead/archive/archive.hpp"
#include "backends/c_like/ahead/texts.hpp"
#include "kernels/plan.hpp"
#include "kernels/schedule.hpp"

#include <hasten/detail/library_interface.hpp>

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <span>
#include <string>
#include <vector>

namespace hasten::ahead {

/// An array that the program captured when it was built.
struct UsedArray {
  std::vector<std::int64_t> shape;
  std::vector<core::ScalarType> leaves;
  std::vector<std::span<const std::byte>> components;
};

/// A program; its kernels' machine code is identified by their numbers in the library.
struct Entry {
  std::string name;
  detail::LibraryInterface interface;
  kernels::Plan plan;
  std::vector<core::Bits> literals;  // the last of Plan::scalar_inputs
  std::vector<UsedArray> used;
  std::int64_t memory_limit = 0;
  std::source_location where;
  std::vector<std::uint32_t> kernels;  // by Plan::kernels: the number in the library
};

/// The bytes of an entry, to be embedded at a multiple of 64.
[[nodiscard]] std::vector<std::byte> write_entry(const Entry& entry);
/// Reads the output of `write_entry` of the same version of Hasten. `places` and the bytes must
/// outlive the entry. Throws InternalError for anything else.
[[nodiscard]] Entry read_entry(std::span<const std::byte> bytes, Places& places);

/// How a level's code runs its kernels, by their numbers.
[[nodiscard]] std::vector<std::byte> write_schedules(const std::vector<kernels::Schedule>& list);
[[nodiscard]] std::vector<kernels::Schedule> read_schedules(std::span<const std::byte> bytes);

[[nodiscard]] std::vector<std::byte> write_texts(const backends::DeviceTexts& texts);
[[nodiscard]] backends::DeviceTexts read_texts(std::span<const std::byte> bytes);

}  // namespace hasten::ahead
