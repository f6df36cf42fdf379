// A share is relative to the limit of the data's supplier: memory, or the outermost cache that
// holds all of the data. A launch that exceeds its supplier's rate was not supplied by it alone,
// and the next one inward is tried. So no share claims that a program is faster than the machine.
#include "runtime/profile/limits.hpp"

#include <algorithm>
#include <vector>

namespace hasten::runtime {
namespace {

using backends::Facts;
using backends::Rates;

constexpr double noise = 1.1;                // by which measured limits may be wrong
constexpr double is_most = 0.4;              // of the time, explained by one limit
constexpr double is_most_arithmetic = 0.25;  // chains of operations seldom reach more
constexpr double device_launch_seconds = 8e-6, inline_launch_seconds = 5e-6;
constexpr double most_launch_ns = 25'000;     // more was measured beside other work
constexpr double short_launches = 4;          // times the cost of a launch
constexpr double one_thread_seconds = 60e-6;  // shorter work is not for several threads
constexpr double heavy = 16, few = 1.5;       // operations for each byte, or slow read

struct Supplier {
  const char* name;
  double bytes_per_s;
};

double one_or_all(const std::optional<Rates>& rates, bool all) {
  if (!rates) return 0;
  return all ? rates->all : rates->one;
}

double memory_rate(const Facts& facts, bool all) {
  return std::max({one_or_all(facts.read_bytes_per_s, all), one_or_all(facts.copy_bytes_per_s, all),
                   one_or_all(facts.stream_bytes_per_s, all)});
}

// Outermost first: memory, then the caches inward.
std::vector<Supplier> suppliers(const Facts& facts, const Setting& setting) {
  if (setting.is_device)
    return facts.peak_bytes_per_s ? std::vector<Supplier>{{"memory", *facts.peak_bytes_per_s}}
                                  : std::vector<Supplier>{};
  std::vector<Supplier> result;
  const double memory = memory_rate(facts, setting.in_parallel);
  if (memory > 0) result.push_back({"memory", memory});
  const double threads = setting.in_parallel ? static_cast<double>(facts.threads.value_or(1)) : 1.0;
  for (auto cache = facts.caches.rbegin(); cache != facts.caches.rend(); ++cache)
    if (cache->read_bytes_per_s)
      result.push_back({"cache", std::max(memory, *cache->read_bytes_per_s * threads)});
  return result;
}

Supplier supplier_of(double bytes, double rate, const Facts& facts, const Setting& setting) {
  const std::vector<Supplier> all = suppliers(facts, setting);
  if (all.empty()) return {"memory", 0};
  const bool is_resident =
      !setting.is_device && bytes <= static_cast<double>(last_cache_bytes(facts)) / 2;
  std::size_t at = is_resident && all.size() > 1 ? 1 : 0;
  while (at + 1 < all.size() && rate > noise * all[at].bytes_per_s) ++at;
  return all[at];
}

double share(double rate, double limit) { return limit > 0 ? std::min(rate / limit, 1.0) : 0; }

double arithmetic_limit(const Work& work, const Facts& facts, bool all) {
  // A product and a sum are two operations.
  return 2 * one_or_all(work.has_double ? facts.fma_f64_per_s : facts.fma_f32_per_s, all);
}

// Whether only the cost of a launch explains the time.
bool is_short(double seconds, const Verdict& verdict, const Facts& facts, const Setting& setting) {
  if (verdict.bandwidth_share >= is_most || verdict.arithmetic_share >= is_most_arithmetic)
    return false;
  if (setting.is_device) return seconds < device_launch_seconds;
  const double launch =
      setting.in_parallel ? std::min(facts.launch_ns.value_or(0), most_launch_ns) : 0;
  return seconds < std::max(short_launches * launch * 1e-9, inline_launch_seconds);
}

// Where no limit explains the time, operations known to be slow do.
std::string otherwise(const Work& work, const char* supplier) {
  const double most = std::max({work.gathers, work.scattered, work.strided});
  if (most > 0 && most * heavy >= work.weight && !work.has_loops) {
    if (work.scattered == most) return "scattered writes";
    return work.gathers == most ? "gathers" : "strided reads";
  }
  const bool is_busy = work.has_loops || work.weight > few * work.bytes;
  return is_busy ? "arithmetic" : supplier;
}

std::string bound_of_device(const Work& work, double share) {
  if (share >= is_most) return "memory";
  if (work.flops > heavy * work.bytes) return "arithmetic";
  return otherwise(work, "memory");
}

}  // namespace

Verdict judge(const Work& work, double seconds, const Setting& setting, const Facts& facts) {
  const double rate = work.bytes / seconds, flops = work.flops / seconds;
  const Supplier supplier = supplier_of(work.bytes, rate, facts, setting);
  Verdict verdict{
      share(rate, supplier.bytes_per_s),
      setting.is_device ? 0 : share(flops, arithmetic_limit(work, facts, setting.in_parallel)),
      {}};
  if (is_short(seconds, verdict, facts, setting)) {
    verdict.bound = "launch overhead";
    return verdict;
  }
  if (setting.is_device) {
    verdict.bound = bound_of_device(work, verdict.bandwidth_share);
    return verdict;
  }
  const bool has_others = facts.threads.value_or(1) > 1;
  if (!setting.in_parallel && has_others && seconds > one_thread_seconds) {
    verdict.bound = "one thread";
    return verdict;
  }
  const bool in_cache = supplier.name != std::string("memory");
  const double random = one_or_all(in_cache ? facts.gather_cache_per_s : facts.gather_memory_per_s,
                                   setting.in_parallel);
  const double gathering = share((work.gathers + work.scattered) / seconds, random);
  if (gathering >= is_most && gathering >= verdict.bandwidth_share)
    verdict.bound = work.gathers >= work.scattered ? "gathers" : "scattered writes";
  else if (verdict.arithmetic_share >= is_most_arithmetic &&
           verdict.arithmetic_share >= verdict.bandwidth_share)
    verdict.bound = "arithmetic";
  else if (verdict.bandwidth_share >= is_most)
    verdict.bound = supplier.name;
  else
    verdict.bound = otherwise(work, supplier.name);
  return verdict;
}

}  // namespace hasten::runtime
