// Measures a case: checks it, runs all in turns, compares with the best and with the machine.
#include "harness.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <limits>

namespace bench {
namespace {

double mean_magnitude(const std::vector<float>& values) {
  double total = 0;
  for (const float v : values) total += std::fabs(v);
  return values.empty() ? 0 : total / static_cast<double>(values.size());
}

struct Checked {
  const Contender* contender;
  double first_ms;
};

// Runs each contender once and keeps those that work. Records the names of those with wrong
// results.
std::vector<Checked> check(const Case& work, Record& record) {
  std::vector<Checked> working;
  for (const Contender& c : work.contenders) try {
      const double ms = contenders::milliseconds(c.run);
      if (share_that_differs(work.expected, c.output(), work.tolerance) > work.may_differ)
        record.wrong.push_back(c.name);
      working.push_back({&c, ms});
    } catch (const std::exception& e) {
      record.error += (record.error.empty() ? "" : "; ") + c.name + ": " + e.what();
    }
  return working;
}

// A hand-written form that is far behind has its time recorded and takes no part in the rounds.
std::vector<const Contender*> without_hopeless(const std::vector<Checked>& working,
                                               Record& record) {
  constexpr double hopeless = 5;
  double fastest = std::numeric_limits<double>::infinity();
  for (const Checked& c : working)
    if (!c.contender->ours) fastest = std::min(fastest, c.first_ms);
  std::vector<const Contender*> kept;
  for (const Checked& c : working)
    if (c.contender->ours || c.first_ms <= hopeless * fastest)
      kept.push_back(c.contender);
    else
      record.others.emplace_back(c.contender->name, c.first_ms);
  return kept;
}

using Medians = std::vector<double>;

bool is_wrong(const Contender& c, const Record& record) {
  return std::find(record.wrong.begin(), record.wrong.end(), c.name) != record.wrong.end();
}

// Compares `ours` with the best of the comparable contenders. Contenders with wrong results set no
// mark.
void compare(const Contender* ours, const std::vector<const Contender*>& working,
             const Medians& medians, Record& record) {
  for (std::size_t i = 0; i < working.size(); ++i) {
    const Contender& c = *working[i];
    if (&c == ours) record.ours_ms = medians[i];
    const bool comparable =
        ours == nullptr || ours->rules != Rules::strict || c.rules == ours->rules;
    if (c.ours || !comparable || is_wrong(c, record)) continue;
    if (record.best_ms && *record.best_ms <= medians[i]) continue;
    record.best_ms = medians[i];
    record.best_name = c.name;
  }
  if (record.ours_ms && record.best_ms) record.ratio = *record.ours_ms / *record.best_ms;
}

const char* unit_of(contenders::Resource r) {
  return r == contenders::Resource::bandwidth ? "GB/s" : "GFLOP/s";
}

// The least time that the machine needs: the fastest limit of each resource counts, and of the
// resources the one that takes longest. The record has the share of that limit.
void note_limits(const Case& work, const std::vector<contenders::Measured>& measured,
                 Record& record) {
  using contenders::Resource;
  double needed_ms = 0;
  for (const Resource resource : {Resource::bandwidth, Resource::f32}) {
    const double amount = resource == Resource::bandwidth ? work.bytes : work.f32_operations;
    double fastest = 0;
    std::string name;
    for (std::size_t i = 0; i < work.limits.size(); ++i) {
      const double rate = work.limits[i].amount / measured[i].median_ms;
      if (work.limits[i].resource != resource || rate <= fastest) continue;
      fastest = rate;
      name = work.limits[i].name;
    }
    if (fastest == 0 || amount / fastest <= needed_ms) continue;
    needed_ms = amount / fastest;
    record.limit_name = name;
    record.limit_rate = fastest * 1e-6;  // from per millisecond to 1e9 per second
    record.limit_unit = unit_of(resource);
  }
  const auto achieved = record.ours_ms ? record.ours_ms : record.best_ms;
  if (needed_ms > 0 && achieved) record.limit_share = needed_ms / *achieved;
}

}  // namespace

double share_that_differs(const std::vector<float>& expected, const std::vector<float>& got,
                          double tolerance) {
  if (expected.size() != got.size()) return 1;
  if (expected.empty()) return 0;
  const double usual = mean_magnitude(expected);
  std::size_t differ = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double scale = std::max(static_cast<double>(std::fabs(expected[i])), usual);
    // Written so that a NaN counts as different.
    if (!(std::fabs(static_cast<double>(expected[i]) - got[i]) <= tolerance * scale)) ++differ;
  }
  return static_cast<double>(differ) / static_cast<double>(expected.size());
}

std::vector<Record> measure(const Case& work, const Settings& settings) {
  Record all;
  all.name = work.name;
  all.size = work.size;
  all.target = settings.target;
  all.threads = settings.threads;
  const auto working = without_hopeless(check(work, all), all);
  std::vector<std::function<void()>> programs;
  for (const auto& limit : work.limits) programs.push_back(limit.run);
  for (const Contender* c : working) programs.push_back(c->run);
  const auto measured = contenders::measure_interleaved(programs, settings.rounds);
  const auto middle = measured.begin() + static_cast<std::ptrdiff_t>(work.limits.size());
  Medians medians;
  std::transform(middle, measured.end(), std::back_inserter(medians),
                 [](const contenders::Measured& m) { return m.median_ms; });
  for (std::size_t i = 0; i < working.size(); ++i)
    all.others.emplace_back(working[i]->name, medians[i]);
  std::vector<Record> records;
  for (const Contender* c : working) {
    if (!c->ours) continue;
    Record record = all;
    if (!records.empty()) {
      record.name += "/" + c->setting;
      record.others.clear();
    }
    compare(c, working, medians, record);
    records.push_back(std::move(record));
  }
  if (records.empty()) {
    compare(nullptr, working, medians, all);
    records.push_back(std::move(all));
  }
  for (Record& record : records) note_limits(work, {measured.begin(), middle}, record);
  return records;
}

}  // namespace bench
