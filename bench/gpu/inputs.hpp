// Inputs, filled by all cores, since a case has up to a gigabyte of them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace bench::gpu {

/// Numbers from `low` to `high`; each stream has different numbers.
std::vector<float> random_floats(std::int64_t n, float low, float high, std::uint32_t stream);
/// Integers from 0 up to, but excluding, `below`.
template <class T>
std::vector<T> random_numbers(std::int64_t n, std::uint64_t below, std::uint32_t stream);
/// A permutation of 0..n-1 without locality.
std::vector<std::int32_t> shuffled(std::int64_t n, std::uint32_t stream);

}  // namespace bench::gpu
