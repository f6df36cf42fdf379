// Views are no boxes: an array under another number comes from the array's origin. The state of a
// loop comes from its initial state and from its body.
#include "runtime/picture/boxes.hpp"

#include "core/print.hpp"
#include "runtime/profile/sites.hpp"
#include "support/overloaded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace hasten::runtime {
namespace {

using namespace kernels;
using core::ArrayId;

class Collector {
 public:
  Collector(const Plan& plan, const std::vector<Recording::SeenSite>& seen)
      : plan_(plan),
        seen_(seen),
        origins_(plan.array_types.size()) {}

  Boxes take() {
    frame_ = add("whole", {}, "");
    steps(plan_.steps);
    if (!plan_.results.empty() || !plan_.scalar_results.empty()) {
      const std::size_t box = add("array", {"results"}, "");
      reads(box, plan_.results);
    }
    for (auto& [ends, types] : arrows_)
      result_.arrows.push_back({ends.first, ends.second, std::move(types)});
    return std::move(result_);
  }

 private:
  std::size_t add(std::string kind, std::vector<std::string> lines, std::string hint) {
    const std::size_t number = result_.all.size();
    result_.all.push_back({std::move(kind), std::move(lines), std::move(hint), frame_});
    if (frame_ != Box::none) result_.all[frame_].inside.push_back(number);
    return number;
  }

  // A box with other boxes inside.
  template <class F>
  void framed(const char* kind, std::string title, F&& inside) {
    const std::size_t frame = add(kind, {std::move(title)}, "");
    const std::size_t outer = std::exchange(frame_, frame);
    inside();
    frame_ = outer;
  }

  void steps(const Steps& list) {
    for (const Step& step : list) match(step.op, [&](const auto& op) { visit(step, op); });
  }

  void reads(std::size_t box, ArrayId array) {
    for (const std::size_t from : origins_[array]) {
      std::vector<std::string>& types = arrows_[{from, box}];
      std::string type = core::print(plan_.array_types[array]);
      if (std::ranges::find(types, type) == types.end()) types.push_back(std::move(type));
    }
  }
  void reads(std::size_t box, const std::vector<ArrayId>& arrays) {
    for (const ArrayId array : arrays) reads(box, array);
  }
  void same(ArrayId to, ArrayId from) { origins_[to] = origins_[from]; }
  void also(ArrayId to, ArrayId from) {
    for (const std::size_t box : origins_[from])
      if (std::ranges::find(origins_[to], box) == origins_[to].end()) origins_[to].push_back(box);
  }

  static std::string place(const Step& step) {
    return step.where.line() == 0 ? "" : "at " + core::print(step.where);
  }

  void bring(const Step& step, ArrayId array) {
    std::vector<std::string> lines{name_of(step), core::print(plan_.array_types[array])};
    origins_[array] = {add("array", std::move(lines), place(step))};
  }
  void visit(const Step& step, const BindUse& op) { bring(step, op.array); }
  void visit(const Step& step, const BindInput& op) { bring(step, op.array); }
  void visit(const Step&, const MakeUnit& op) {
    origins_[op.array] = {add("array", {"numbers", core::print(plan_.array_types[op.array])}, "")};
  }
  void visit(const Step& step, const HostElements& op) {
    const std::size_t box = add("array", lines(step, "by the host"), "");
    core::for_each_use(op.fn, [](Value) {}, [&](ArrayId array) { reads(box, array); });
    origins_[op.array] = {box};
  }
  void visit(const Step&, const View& op) { same(op.array, op.source); }
  void visit(const Step&, const RowsStep& op) { same(op.array, op.source); }
  void visit(const Step&, const JoinStep& op) {
    for (const ArrayId part : op.parts) also(op.array, part);
  }
  void visit(const Step&, const StandIn& op) { same(op.array, op.source); }

  std::vector<std::string> lines(const Step& step, std::string what) const {
    std::vector<std::string> result{name_of(step), std::move(what)};
    if (step.site < seen_.size() && seen_[step.site].times.calls > 0)
      result.push_back(fmt::format("[{}]", fmt::join(seen_[step.site].shapes.space, ", ")));
    if (std::string where = place(step); !where.empty()) result.push_back(std::move(where));
    return result;
  }

  void visit(const Step& step, const Launch& op) {
    const Kernel& kernel = plan_.kernels[op.kernel];
    const std::size_t box =
        add("launch", lines(step, fmt::format("kernel {}: {}", op.kernel, kernels::title(kernel))),
            fmt::format("{}", fmt::join(op.fused, "\n")));
    for (const InputSource& input : op.inputs) reads(box, input.array);
    if (op.into) reads(box, op.output);
    for_each_output(op, [&](ArrayId array, const std::vector<Value>&) { origins_[array] = {box}; });
    if (op.others != core::none) origins_[op.others] = {box};
  }
  void visit(const Step& step, const SortStep& op) {
    const std::size_t box = add("sort", lines(step, "sort"), "");
    reads(box, op.keys);
    reads(box, op.carried);
    origins_[op.output] = {box};
    for (const ArrayId array : op.carried_to) origins_[array] = {box};
  }
  void visit(const Step& step, const ForeignStep& op) {
    const std::size_t box = add("foreign", lines(step, "foreign call"), "");
    reads(box, op.args);
    for (const ArrayId array : op.results) origins_[array] = {box};
  }

  // Numbers of the host and checks before launches have no boxes.
  void visit(const Step&, const HostScalars&) {}
  void visit(const Step&, const CheckNonEmpty&) {}
  void visit(const Step&, const CheckSameSize&) {}
  void visit(const Step&, const CheckCountable&) {}
  void visit(const Step&, const CheckEqualExtents&) {}
  void visit(const Step&, const CheckDemand&) {}
  void visit(const Step&, const CheckInside&) {}
  void visit(const Step&, const CheckFlags&) {}
  void visit(const Step&, const Free&) {}

  void visit(const Step& step, const BranchStep& op) {
    framed("frame", title("branch", step), [&] {
      framed("part", "if it holds", [&] { steps(op.then_); });
      framed("part", "if not", [&] { steps(op.else_); });
    });
    for (std::size_t i = 0; i < op.results.size(); ++i) {
      same(op.results[i], op.then_results[i]);
      also(op.results[i], op.else_results[i]);
    }
  }
  void visit(const Step& step, const LoopStep& op) {
    for (std::size_t i = 0; i < op.init.size(); ++i) {
      same(op.condition_state[i], op.init[i]);
      same(op.body_state[i], op.init[i]);
    }
    framed("frame", title("loop", step), [&] {
      if (!op.condition.empty())
        framed("part", "as long as it holds", [&] { steps(op.condition); });
      framed("part", "in each round", [&] { steps(op.body); });
    });
    for (std::size_t i = 0; i < op.results.size(); ++i) {
      same(op.results[i], op.init[i]);
      also(op.results[i], op.next[i]);
    }
  }
  static std::string title(const char* what, const Step& step) {
    return step.where.line() == 0 ? what : fmt::format("{} {}", what, place(step));
  }

  const Plan& plan_;
  const std::vector<Recording::SeenSite>& seen_;
  Boxes result_;
  std::size_t frame_ = Box::none;
  std::vector<std::vector<std::size_t>> origins_;  // boxes, by ArrayId
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::string>> arrows_;
};

}  // namespace

Boxes boxes_of(const Plan& plan, const std::vector<Recording::SeenSite>& seen) {
  return Collector(plan, seen).take();
}

}  // namespace hasten::runtime
