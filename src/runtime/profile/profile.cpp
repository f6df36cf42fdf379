// A row for each site of the plan, then copies to the host and the host's own time.
#include "runtime/profile/profile.hpp"

#include "core/print.hpp"
#include "runtime/profile/limits.hpp"
#include "runtime/profile/sites.hpp"
#include "runtime/profile/work.hpp"
#include "runtime/report/machine_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace hasten::runtime {
namespace {

using kernels::Step;

void set_times(ProfileRow& row, const Times& times) {
  row.calls = times.calls;
  row.first_ms = static_cast<double>(times.first) * 1e-6;
  row.minimum_ms = static_cast<double>(times.minimum) * 1e-6;
  row.median_ms = times.median() * 1e-6;
  row.total_ms = static_cast<double>(times.total) * 1e-6;
}

void set_rates(ProfileRow& row, double bytes, double flops) {
  row.bytes = static_cast<std::int64_t>(bytes);
  row.flops = static_cast<std::int64_t>(flops);
  if (row.median_ms <= 0) return;
  row.bandwidth_gbps = bytes * 1e-6 / row.median_ms;
  row.arithmetic_gflops = flops * 1e-6 / row.median_ms;
}

class Rows {
 public:
  Rows(const ProfileSource& source, const Recording::Seen& seen)
      : source_(source),
        seen_(seen),
        facts_(measured_facts(*source.device)) {}

  std::vector<ProfileRow> take() {
    if (source_.loaded) {
      const kernels::Plan& plan = source_.loaded->plan;
      const std::vector<const Step*> steps = steps_of_sites(plan);
      for (std::size_t site = 0; site < steps.size(); ++site) add(*steps[site], seen_.sites[site]);
    }
    copies();
    host();
    double total = 0;
    for (const ProfileRow& row : rows_) total += row.total_ms;
    for (ProfileRow& row : rows_) row.share = total > 0 ? row.total_ms / total : 0;
    return std::move(rows_);
  }

 private:
  void add(const Step& step, const Recording::SeenSite& seen) {
    const kernels::Plan& plan = source_.loaded->plan;
    const std::string kind = kind_of(step, plan);
    std::string name = name_of(step);
    if (kind == "copy") return copies_to(name, step.where, seen.copied);
    if (seen_.devices.size() > 1 && step.device != core::none)
      name += " on " + device(source_.loaded->device_of(step.device));
    ProfileRow row;
    row.kind = kind;
    row.name = std::move(name);
    row.where = step.where;
    set_times(row, seen.times);
    if (seen.times.calls > 0) row.shapes = fmt::format("[{}]", fmt::join(seen.shapes.space, ", "));
    if (const auto* launch = std::get_if<kernels::Launch>(&step.op))
      judge_launch(row, plan.kernels[launch->kernel], seen);
    else
      judge_other(row, seen);
    rows_.push_back(std::move(row));
  }

  void judge_launch(ProfileRow& row, const kernels::Kernel& kernel,
                    const Recording::SeenSite& seen) const {
    if (seen.times.calls == 0) return;
    const Work work = work_of(kernel, seen.shapes);
    set_rates(row, work.bytes, work.flops);
    if (row.median_ms <= 0) {
      row.bound = "not timed yet";
      return;
    }
    const Setting setting{seen.shapes.in_parallel, source_.loaded->memory != nullptr};
    Verdict verdict = judge(work, row.median_ms * 1e-3, setting, facts_);
    row.bandwidth_share = verdict.bandwidth_share;
    row.arithmetic_share = verdict.arithmetic_share;
    row.bound = std::move(verdict.bound);
  }

  // Sorts read their keys several times over, and foreign functions are opaque: only the bytes that
  // come in and go out are known.
  void judge_other(ProfileRow& row, const Recording::SeenSite& seen) const {
    if (seen.times.calls == 0) return;
    auto bytes = static_cast<double>(seen.shapes.written);
    for (const std::int64_t read : seen.shapes.inputs) bytes += static_cast<double>(read);
    set_rates(row, bytes, 0);
    row.bound = row.kind == "sort" ? "sorting" : "foreign code";
    if (row.median_ms <= 0) row.bound = "not timed yet";
  }

  [[nodiscard]] const std::string& device(std::size_t k) const {
    const auto& parts = source_.device->parts;
    return parts.empty() ? source_.device->name : parts[k]->name;
  }

  void copies_to(const std::string& name, const std::source_location& where,
                 const std::vector<Recording::Copied>& by_device) {
    for (std::size_t k = 0; k < by_device.size(); ++k)
      copy(name + " to " + device(k), where, by_device[k]);
  }

  void copy(const std::string& name, const std::source_location& where,
            const Recording::Copied& copied) {
    if (copied.times.calls == 0) return;
    ProfileRow row;
    row.kind = "copy";
    row.name = name;
    row.where = where;
    set_times(row, copied.times);
    const double mean = static_cast<double>(copied.bytes) / static_cast<double>(row.calls);
    set_rates(row, mean, 0);
    // Copies of one site may differ in size: the time of all of them determines their rate.
    if (row.total_ms > 0)
      row.bandwidth_gbps = static_cast<double>(copied.bytes) * 1e-6 / row.total_ms;
    row.bound = "copying";
    rows_.push_back(std::move(row));
  }

  // Copies between devices are halos and partial results of folds, or all arrays that are joined.
  void copies() {
    const bool are_several = seen_.devices.size() > 1;
    copies_to(are_several ? "halos and partial results" : "other arrays", source_.where,
              seen_.sites.back().copied);
    for (std::size_t k = 0; k < seen_.devices.size(); ++k) {
      const Recording::SeenDevice& seen = seen_.devices[k];
      if (!are_several) {
        copy("results from " + device(k), source_.where, seen_.from(k));
        continue;
      }
      copy("parts from " + device(k), source_.where, seen.in_call);
      copy("results from " + device(k), source_.where, seen.after_it);
      wait("for " + device(k), seen.waited);
    }
  }

  void wait(std::string name, const Times& waited) {
    if (waited.calls == 0) return;
    ProfileRow row;
    row.kind = "wait";
    row.name = std::move(name);
    row.where = source_.where;
    set_times(row, waited);
    row.bound = "waiting";
    rows_.push_back(std::move(row));
  }

  void host() {
    ProfileRow row;
    const bool is_interpreted = !source_.loaded;
    row.kind = is_interpreted ? "interpreted" : "host";
    row.name = is_interpreted ? "interpreted" : "between launches";
    row.where = source_.where;
    set_times(row, seen_.between);
    row.bound = is_interpreted ? "one thread" : "";
    rows_.push_back(std::move(row));
  }

  const ProfileSource& source_;
  const Recording::Seen& seen_;
  const backends::Facts facts_;
  std::vector<ProfileRow> rows_;
};

}  // namespace

Profile profile(const ProfileSource& source) {
  const Recording::Seen seen = source.recording->seen();
  const bool has_memory = source.loaded && source.loaded->memory;
  const bool is_first = has_memory && source.recording->time_devices();
  std::vector<ProfileRow> rows = Rows(source, seen).take();
  double total = 0;
  for (const ProfileRow& row : rows) total += row.total_ms;
  std::string title = fmt::format("profile of the program at {}, target {}",
                                  core::print(source.where), source.device->name);
  if (is_first && seen.between.calls > 0)
    title += " (launches are timed from now on: call it again, and ask again)";
  return {std::move(title), std::move(rows), seen.between.calls, total,
          [recording = source.recording] { recording->reset(); }};
}

}  // namespace hasten::runtime
