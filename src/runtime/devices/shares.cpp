// Rates follow from the time that devices took for their shares; no size is inferred from others.
#include "runtime/devices/shares.hpp"

#include "passes/fission/fission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>
#include <utility>

namespace hasten::runtime {
namespace {

// Handing out a smaller part costs more than it saves.
constexpr double least_share = 0.02;
constexpr int measured_calls = 2, calls_together = 2, calls_alone = 2;
// Estimates are based on parts: operations that are not cut may take a third of the time, because
// they are fused, or scanned at once.
constexpr double estimates_are_right_to = 3;
// Ranks whose rates differ by less, or whose calls take less, count as equally fast.
constexpr double alike_to = 1.15, little_nanoseconds = 2e6;

std::vector<double> scaled(std::vector<double> shares) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= sum;
  return shares;
}

std::size_t largest(const std::vector<double>& shares) {
  return static_cast<std::size_t>(std::ranges::max_element(shares) - shares.begin());
}

}  // namespace

Shares::Shares(std::size_t devices, const std::vector<double>& fixed,
               std::unique_ptr<const Keeper> keeper, Among among)
    : devices_(devices),
      fixed_(fixed.empty() ? fixed : scaled(fixed)),
      keeper_(std::move(keeper)),
      among_(among),
      is_excluded_(devices) {
  if (keeper_) read(keeper_->find());
}

std::size_t Shares::Learned::best() const {
  return static_cast<std::size_t>(std::ranges::min_element(estimates) - estimates.begin());
}

std::optional<std::size_t> Shares::Learned::goes_alone() const {
  if (is_settled) return chosen;
  if (never_alone || !together || calls < measured_calls + calls_together) return {};
  return best();
}

// Calls of several threads end in any order.
void Shares::Learned::settle() {
  const int compared = calls - measured_calls - calls_together;
  if (compared < 0 || !together) return;
  const double most = estimates_are_right_to * static_cast<double>(*together);
  const bool pays = alone && *alone < *together;
  if (compared == 0)
    is_settled = never_alone || estimates.empty() || estimates[best()] > most;
  else
    is_settled = compared >= calls_alone || pays;
  if (is_settled && pays) chosen = best();
}

// One line per size that is settled: the size, then the share of each device.
std::string Shares::text() const {
  std::string text;
  for (const auto& [size_class, learned] : learned_) {
    if (!learned.is_settled) continue;
    text += fmt::format("{}", size_class);
    for (std::size_t k = 0; k < devices_; ++k) {
      const double alone = k == learned.chosen ? 1 : 0;
      text += fmt::format(" {}", learned.chosen ? alone : learned.shares[k]);
    }
    text += "\n";
  }
  return text;
}

// Ignores malformed text.
void Shares::read(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    int size_class = 0;
    Learned learned;
    learned.is_settled = true;
    words >> size_class;
    for (double share = 0; words >> share;) learned.shares.push_back(share);
    const bool is_right =
        learned.shares.size() == devices_ &&
        std::ranges::all_of(learned.shares,
                            [](double share) { return std::isfinite(share) && share >= 0; }) &&
        std::ranges::any_of(learned.shares, [](double share) { return share > 0; });
    if (const auto all = std::ranges::find(learned.shares, 1.0); all != learned.shares.end())
      learned.chosen = static_cast<std::size_t>(all - learned.shares.begin());
    if (is_right) learned_.emplace(size_class, std::move(learned));
  }
}

std::vector<double> Shares::without_excluded(std::vector<double> shares) const {
  for (std::size_t k = 0; k < devices_; ++k)
    if (is_excluded_[k]) shares[k] = 0;
  if (std::ranges::all_of(shares, [](double share) { return share <= 0; }))
    for (std::size_t k = 0; k < devices_; ++k) shares[k] = is_excluded_[k] ? 0 : 1;
  return scaled(std::move(shares));
}

CallShares Shares::begin(std::int64_t elements) {
  const std::lock_guard lock(mutex_);
  CallShares call;
  call.size_class = std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(elements, 0)));
  Learned& learned = learned_[call.size_class];
  if (among_ == Among::ranks) learned.never_alone = true;
  if (learned.shares.empty()) learned.shares.assign(devices_, 1.0 / static_cast<double>(devices_));
  std::vector<double> shares = fixed_.empty() ? learned.shares : fixed_;
  const std::optional<std::size_t> alone = learned.goes_alone();
  call.is_alone = fixed_.empty() && alone && !is_excluded_[*alone];
  if (call.is_alone) {
    shares.assign(devices_, 0);
    shares[*alone] = 1;
  }
  call.shares = without_excluded(std::move(shares));
  call.measures = fixed_.empty() && !learned.is_settled && learned.calls < measured_calls;
  double before = 0;
  for (std::size_t k = 0; k + 1 < devices_; ++k) {
    before += call.shares[k];
    const double point = std::round(before * static_cast<double>(passes::whole_share));
    call.points.push_back(
        std::clamp<std::int64_t>(static_cast<std::int64_t>(point), 0, passes::whole_share));
  }
  const std::size_t home = call.shares[0] > 0 ? 0 : largest(call.shares);
  for (std::size_t k = 0; k < devices_; ++k) call.runs_on.push_back(call.shares[k] > 0 ? k : home);
  call.of_devices.assign(devices_, 0);
  last_ = call.shares;
  return call;
}

void Shares::end(const CallShares& call, std::int64_t nanoseconds) {
  if (!fixed_.empty()) return;
  const std::lock_guard lock(mutex_);
  Learned& learned = learned_[call.size_class];
  if (learned.is_settled) return;
  ++learned.calls;
  if (call.measures) {
    measure(learned, call);
  } else {
    auto& least = call.is_alone ? learned.alone : learned.together;
    least = std::min(least.value_or(nanoseconds), nanoseconds);
  }
  learned.settle();
  if (keeper_ && learned.is_settled) keeper_->keep(text());
}

void Shares::measure(Learned& learned, const CallShares& call) const {
  if (learned.estimates.empty())
    learned.estimates.assign(devices_, std::numeric_limits<double>::infinity());
  for (std::size_t k = 0; k < devices_; ++k)
    if (call.shares[k] > 0 && call.runs_on[k] == k && call.of_devices[k] > 0)
      learned.estimates[k] =
          std::min(learned.estimates[k], static_cast<double>(call.of_devices[k]) / call.shares[k]);
  if (learned.calls == measured_calls) choose_shares(learned);
}

void Shares::choose_shares(Learned& learned) const {
  if (among_ == Among::ranks) {
    const auto [least, most] = std::ranges::minmax(learned.estimates);
    if (most <= alike_to * least || most < little_nanoseconds) return;
  }
  std::vector<double> rates;
  for (const double each : learned.estimates) rates.push_back(std::isfinite(each) ? 1 / each : 0);
  if (std::ranges::all_of(rates, [](double rate) { return rate == 0; })) return;
  rates = scaled(std::move(rates));
  for (double& rate : rates)
    if (rate < least_share) rate = 0;
  learned.shares = scaled(std::move(rates));
}

// The stored choice may be one device alone, with nothing known of the others: these are measured.
void Shares::cannot_go_alone(const CallShares& call) {
  const std::lock_guard lock(mutex_);
  Learned& learned = learned_[call.size_class];
  if (learned.chosen) learned = {};
  learned.never_alone = true;
  learned.settle();
}

void Shares::forget() {
  const std::lock_guard lock(mutex_);
  learned_.clear();
}

bool Shares::exclude(std::size_t device) {
  const std::lock_guard lock(mutex_);
  for (std::size_t k = 0; k < devices_; ++k) {
    if (k == device || is_excluded_[k]) continue;
    is_excluded_[device] = true;
    return true;
  }
  return false;
}

std::vector<double> Shares::last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

}  // namespace hasten::runtime
