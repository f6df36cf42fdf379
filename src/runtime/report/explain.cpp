// Lists kernels with the operations fused into each, arrays that reach memory and why, and copies.
#include "runtime/report/explain.hpp"

#include "core/labels.hpp"
#include "core/print.hpp"
#include "kernels/analysis/code_motion.hpp"
#include "runtime/report/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hasten::runtime {
namespace {

using namespace kernels;
using detail::Executable;

class Explainer {
 public:
  explicit Explainer(const Executable& executable)
      : executable_(executable),
        plan_(executable.plan()),
        names_(plan_.array_types.size()),
        launches_(plan_.kernels.size()),
        devices_of_(plan_.kernels.size()) {
    survey(plan_.steps);
    // Arrays beside the result of a kernel's last operation have names of their own.
    for (const MemoryNote& note : plan_.memory) names_[note.array] = called(note);
  }

  std::string text() {
    headline();
    devices();
    if (const Executable* const alone = executable_.alone()) {
      line("  the last call was done by one device alone:");
      return text_ + Explainer(*alone).text();
    }
    if (const Executable* const whole = executable_.whole()) {
      line("  the last call read an array of structs where it lies:");
      return text_ + Explainer(*whole).text();
    }
    parts();
    for (std::size_t i = 0; i < plan_.kernels.size(); ++i) kernel(i);
    for (const std::string& call : foreign_) line("foreign code: {}", call);
    memory();
    last_call();
    return std::move(text_);
  }

 private:
  template <class... Parts>
  void line(fmt::format_string<Parts...> format, Parts&&... parts) {
    text_ += fmt::format(format, std::forward<Parts>(parts)...) + "\n";
  }

  // Finds the names of arrays and the launches of each kernel. Nests of blocks are not deep.
  void survey(const Steps& steps) {
    for (const Step& step : steps) {
      if (const auto* x = std::get_if<BindUse>(&step.op))
        names_[x->array] = given_name(step, fmt::format("array {} of the program", x->index));
      if (const auto* x = std::get_if<BindInput>(&step.op))
        names_[x->array] = given_name(step, fmt::format("argument {}", x->index));
      if (const auto* x = std::get_if<Launch>(&step.op)) {
        for_each_output(*x, [&](core::ArrayId array, const std::vector<core::Value>&) {
          names_[array] = x->fused.back();
        });
        if (x->others != core::none) names_[x->others] = x->fused.back();
        launches_[x->kernel].push_back(x);
        if (x->limited != core::none) replaced_[x->limited] = x->kernel;
        if (std::string_view(step.operation).starts_with(core::cut_again_name))
          cut_again_[x->fused.back()].push_back(step.site);
        devices_of_[x->kernel].insert(step.device);
      }
      if (const auto* x = std::get_if<ForeignStep>(&step.op)) foreign(*x, step);
      if (const auto* x = std::get_if<View>(&step.op)) names_[x->array] = names_[x->source];
      if (const auto* x = std::get_if<RowsStep>(&step.op))
        names_[x->array] = "rows of " + names_[x->source];
      if (const auto* x = std::get_if<JoinStep>(&step.op)) names_[x->array] = names_[x->parts[0]];
      if (const auto* x = std::get_if<StandIn>(&step.op)) names_[x->array] = names_[x->source];
      if (const auto* x = std::get_if<BranchStep>(&step.op)) {
        survey(x->then_);
        survey(x->else_);
        for (std::size_t i = 0; i < x->results.size(); ++i)
          names_[x->results[i]] = names_[x->then_results[i]];
      }
      if (const auto* x = std::get_if<LoopStep>(&step.op)) {
        survey(x->condition);
        survey(x->body);
      }
    }
  }

  static std::string given_name(const Step& step, std::string otherwise) {
    return core::has_label(step.operation) ? step.operation : std::move(otherwise);
  }

  void foreign(const ForeignStep& call, const Step& step) {
    const std::string here = fmt::format("{} at {}", call.name, core::print(step.where));
    foreign_.push_back(here);
    for (const core::ArrayId a : call.results) names_[a] = here;
  }

  void headline() {
    const std::string kernels = counted(kernels::kernel_count(plan_), "kernel");
    line("program at {}, target {}: {}", core::print(executable_.where()),
         executable_.device().name, kernels);
    if (!executable_.is_interpreted()) return;
    line("  interpreted, operation by operation; a compiling target would have these kernels");
  }

  // The share of each device in the last call, or in the first one to come.
  void devices() {
    const auto& parts = executable_.device().parts;
    const std::vector<double> shares = executable_.shares();
    std::string text;
    if (const std::size_t ranks = executable_.device().sharers(); parts.empty() && ranks > 1) {
      line("  each of {} ranks computes its part; what is whole, the first one", ranks);
      for (const double share : shares)
        text += fmt::format("{}{:.0f} %", text.empty() ? "" : ", ", 100 * share);
      if (!shares.empty()) line("  shares of ranks: {}", text);
    }
    if (parts.empty()) return cut_again();
    for (std::size_t k = 0; k < parts.size(); ++k)
      text += fmt::format("{}{} {:.0f} %", k == 0 ? "" : ", ", parts[k]->name,
                          100 * (k < shares.size() ? shares[k] : 0.0));
    if (shares.empty())
      line("  shares of devices are learned by the first calls");
    else
      line("  shares: {}", text);
    movements();
    cut_again();
  }

  // Bytes to and from each device in a call, and how long others waited for it.
  void movements() {
    const Recording::Seen seen = executable_.profile_source().recording->seen();
    const auto calls = static_cast<double>(seen.between.calls);
    for (std::size_t k = 0; k < seen.devices.size() && seen.devices.size() > 1; ++k) {
      const Recording::Copied to = seen.to(k), from = seen.from(k);
      if (to.times.calls + from.times.calls + seen.devices[k].waited.calls == 0) continue;
      const auto each = [&](std::int64_t nanoseconds) {
        return static_cast<double>(nanoseconds) * 1e-6 / calls;
      };
      line("  {}, in a call: {} to it in {:.3g} ms, {} from it in {:.3g} ms, waited for {:.3g} ms",
           executable_.device().parts[k]->name, bytes_text(static_cast<double>(to.bytes) / calls),
           each(to.times.total), bytes_text(static_cast<double>(from.bytes) / calls),
           each(from.times.total), each(seen.devices[k].waited.total));
    }
  }

  // Kept arrays are cut again if devices hold much more, or less, of them than their shares.
  void cut_again() {
    if (cut_again_.empty()) return;
    const Recording::Seen seen = executable_.profile_source().recording->seen();
    for (const auto& [what, sites] : cut_again_) {
      std::int64_t calls = 0;
      for (const std::uint32_t site : sites) calls = std::max(calls, seen.sites[site].times.calls);
      line("  {}: where parts are uneven; they were {} times in {} calls", what, calls,
           seen.between.calls);
    }
  }

  // How the last call was streamed, if its arrays had to be cut into parts.
  void parts() {
    if (!executable_.streaming()) return;
    const Streaming::Last last = executable_.streaming()->last();
    if (last.parts > 1)
      line("  the last call streamed in {} parts, one after the other: {}", last.parts, last.why);
  }

  // "on cpu and opencl:0".
  std::string devices_of(std::size_t kernel) const {
    const auto& parts = executable_.device().parts;
    if (parts.empty()) return "";
    std::string text;
    for (const std::uint32_t device : devices_of_[kernel])
      text += (text.empty() ? ", on " : " and ") +
              (device == core::none ? "one device, whole" : parts[device]->name);
    return text;
  }

  static bool peels(const Kernel& k) {
    return k.interior ||
           std::ranges::any_of(k.loops, [](const Loop& loop) { return loop.interior.has_value(); });
  }

  static std::string types(const std::vector<ScalarType>& list) {
    std::string result;
    for (const ScalarType type : list)
      result += (result.empty() ? "" : ", ") + std::string(detail::name_of(type));
    return "(" + result + ")";
  }

  void kernel(std::size_t number) {
    const Kernel& k = plan_.kernels[number];
    if (const auto it = replaced_.find(number); it != replaced_.end() && launches_[number].empty())
      return line("kernel {}: as kernel {}, with limits, for launches that may read out of range",
                  number, it->second);
    line("kernel {}: {}, {} -> {}{}", number, title(k), types(k.inputs), types(k.outputs),
         (peels(k) ? ", borders peeled" : "") + devices_of(number));
    for (const Launch* launch : launches_[number]) {
      line("  {}", launch->fused.back());
      fused(*launch);
      if (launch->reused != core::none)
        line("    or nothing, in place: where nobody else holds what it copies");
      if (!launch->overwritable.empty() && may_overwrite())
        line("    in place of {}, where nobody else holds {}", overwritten(*launch),
             launch->overwritable.size() == 1 ? "it" : "them");
      line("    moves {}", moved(*launch));
    }
    if (executable_.is_interpreted()) return;
    if (const std::string motion = kernels::describe_code_motion(k); !motion.empty())
      line("  {}", motion);
    if (const std::string how = executable_.schedule(number); !how.empty())
      line("  runs by {}", how);
  }

  // Nearest producers first; equal neighbours, as a C++ loop makes them, are counted.
  void fused(const Launch& launch) {
    for (std::size_t end = launch.fused.size() - 1; end > 0;) {
      std::size_t begin = end - 1;
      while (begin > 0 && launch.fused[begin - 1] == launch.fused[end - 1]) --begin;
      const std::size_t count = end - begin;
      line("    with {}{} fused into it", launch.fused[begin],
           count == 1 ? "" : fmt::format(", {} times,", count));
      end = begin;
    }
  }

  [[nodiscard]] bool may_overwrite() const {
    const Device& device = executable_.device();
    return !executable_.is_interpreted() && !device.memory && device.parts.empty();
  }

  // "map at heat.cpp:9, scanl at heat.cpp:12"
  std::string overwritten(const Launch& launch) const {
    std::vector<std::string> names;
    for (const std::uint32_t i : launch.overwritable) {
      std::string one = name(launch.inputs[i].array);
      if (std::ranges::find(names, one) == names.end()) names.push_back(std::move(one));
    }
    return fmt::format("{}", fmt::join(names, ", "));
  }

  // "4 * size(argument 0) + 4 * size(sum at dotp.cpp:9) bytes"
  std::string moved(const Launch& launch) const {
    std::string result;
    const auto add = [&](core::ArrayId array, ScalarType type) {
      result += fmt::format("{}{} * size({})", result.empty() ? "" : " + ",
                            detail::size_in_bytes(type), name(array));
    };
    for (const InputSource& input : launch.inputs)
      add(input.array, plan_.array_types[input.array].leaves[input.leaf]);
    const auto add_all = [&](core::ArrayId array) {
      for (const ScalarType leaf : plan_.array_types[array].leaves) add(array, leaf);
    };
    for_each_output(launch,
                    [&](core::ArrayId array, const std::vector<core::Value>&) { add_all(array); });
    if (launch.others != core::none) add_all(launch.others);
    return result + " bytes";
  }

  std::string name(core::ArrayId array) const {
    return names_[array].empty() ? fmt::format("%{}", array) : names_[array];
  }

  static std::string called(const MemoryNote& note) {
    return fmt::format("{} at {}", note.operation, core::print(note.where));
  }

  void memory() {
    if (plan_.memory.empty()) return;
    line("arrays that reach memory");
    for (const MemoryNote& note : plan_.memory)
      line("  {}, {}: {}", called(note), core::print(plan_.array_types[note.array]), note.reason);
  }

  void last_call() {
    const Recording::Counts counts = executable_.recording().counts();
    if (counts.calls == 0 || executable_.is_interpreted()) return;
    line("last call: launches {}, moved {}, allocated {}", counts.last.launches,
         bytes_text(static_cast<double>(counts.last.bytes_moved)),
         bytes_text(static_cast<double>(counts.last.bytes_allocated)));
  }

  const Executable& executable_;
  const Plan& plan_;
  std::vector<std::string> names_;                               // by ArrayId
  std::vector<std::string> foreign_;                             // calls of functions on arrays
  std::vector<std::vector<const Launch*>> launches_;             // by kernel
  std::vector<std::set<std::uint32_t>> devices_of_;              // likewise
  std::map<std::size_t, std::uint32_t> replaced_;                // kernels, by those with limits
  std::map<std::string, std::vector<std::uint32_t>> cut_again_;  // sites, by name
  std::string text_;
};

}  // namespace

Explanation explain(const Executable& executable) {
  return Explanation(Explainer(executable).text());
}

}  // namespace hasten::runtime
