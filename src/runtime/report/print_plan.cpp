// One line per step; blocks are indented.
#include "runtime/report/print_plan.hpp"

#include "core/print.hpp"
#include "support/overloaded.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace hasten::runtime {
namespace {

using namespace kernels;

class Printer {
 public:
  explicit Printer(const Plan& plan) : plan_(plan) {}

  std::string print() {
    text_ = "plan (" + values(plan_.scalar_inputs) + ")\n";
    steps(plan_.steps);
    text_ += "-> " + arrays(plan_.results);
    if (!plan_.scalar_results.empty()) text_ += " " + values(plan_.scalar_results);
    return std::move(text_) + "\n";
  }

 private:
  void steps(const Steps& list) {
    ++depth_;
    for (const Step& step : list) {
      step_ = &step;
      match(step.op, [&](const auto& op) { print(op); });
    }
    --depth_;
  }

  void line(const std::string& text) {
    text_.append(2 * depth_, ' ');
    if (step_->device != core::none) text_ += fmt::format("on {}: ", step_->device);
    text_ += text;
    if (step_->where.line() != 0)
      text_ += fmt::format("  // {} {}", core::print(step_->where), step_->operation);
    text_ += "\n";
  }

  void print(const HostScalars& op) { line(core::print(op.stmt, plan_.value_types)); }
  void print(const BindUse& op) { line(fmt::format("%{} = use {}", op.array, op.index)); }
  void print(const BindInput& op) { line(fmt::format("%{} = input {}", op.array, op.index)); }
  void print(const MakeUnit& op) {
    line(fmt::format("%{} = unit {}", op.array, values(op.values)));
  }

  void print(const View& op) {
    std::string leaves;
    for (const std::uint32_t leaf : op.leaves) leaves += fmt::format(" .{}", leaf);
    line(op.same ? fmt::format("%{} = %{}{}", op.array, op.source, leaves)
                 : fmt::format("%{} = view %{} as ({})", op.array, op.source, values(op.extents)));
  }

  void print(const HostElements& op) {
    std::string text = fmt::format("%{} ({}) = on host", op.array, values(op.extents));
    std::set<core::ArrayId> read;
    core::for_each_use(op.fn, [](core::Value) {}, [&](core::ArrayId a) { read.insert(a); });
    for (const core::ArrayId a : read) text += fmt::format(" %{}", a);
    line(text);
  }

  void print(const RowsStep& op) {
    line(fmt::format("%{} = rows %{} from x{} to x{}", op.array, op.source, op.begin, op.end));
  }

  void print(const JoinStep& op) {
    std::string parts;
    for (const core::ArrayId part : op.parts) parts += fmt::format(" %{}", part);
    line(fmt::format("%{} = join{}{}", op.array, parts,
                     op.at.empty() ? "" : fmt::format(" at {}", values(op.at))));
  }

  void print(const StandIn& op) {
    line(fmt::format("%{} = %{}, or zeros if it is empty", op.array, op.source));
  }

  void print(const Launch& op) {
    std::string inputs, arguments;
    for (const InputSource& input : op.inputs)
      inputs += fmt::format(" %{}.{}", input.array, input.leaf);
    for (const ArgumentSource& argument : op.arguments)
      arguments += argument.host != core::none
                       ? fmt::format(" {}x{}", argument.imaginary ? "im " : "", argument.host)
                       : fmt::format(" extent(%{}, {})", argument.array, argument.axis);
    std::string outputs;
    if (op.others != core::none)
      outputs = fmt::format("%{} %{} ({}) ", op.output, op.others, values(op.output_extents));
    else
      for_each_output(op, [&](core::ArrayId array, const std::vector<core::Value>& extents) {
        outputs += fmt::format("%{} ({}) ", array, values(extents));
      });
    const std::string reused =
        op.reused == core::none ? "" : fmt::format(" or %{} itself", op.reused);
    std::string over;
    for (const std::uint32_t i : op.overwritable)
      over += fmt::format("{} %{}.{}", over.empty() ? " or over" : "", op.inputs[i].array,
                          op.inputs[i].leaf);
    const std::string limited =
        op.limited == core::none ? "" : fmt::format(" if x{} else {}", op.in_range, op.limited);
    line(fmt::format("{}{} kernel {}{} over {}{}{}{}{}{}{}{}", outputs,
                     op.into ? "<- launch" : "= launch", op.kernel, limited, spaces(op),
                     inputs.empty() ? "" : " reads", inputs, arguments.empty() ? "" : " takes",
                     arguments, op.in_place.empty() ? "" : " in place " + arrays(op.in_place),
                     reused, over));
  }

  // "(x0 x1)", or one for each loop.
  std::string spaces(const Launch& op) const {
    const std::vector<Loop>& loops = plan_.kernels[op.kernel].loops;
    if (loops.empty()) return "(" + values(op.space) + ")";
    std::string text;
    auto next = op.space.begin();
    for (const Loop& loop : loops) {
      const std::vector<Value> space(next, next + loop.rank);
      next += loop.rank;
      text += (text.empty() ? "(" : " and (") + values(space) + ")";
    }
    return text;
  }

  void print(const SortStep& op) {
    const bool carries = !op.carried.empty();
    const std::string order = op.only_carried ? "" : fmt::format("%{}", op.output);
    line(fmt::format("{}{}{} = sort %{}{}{}{}{}", order, carries && !order.empty() ? " " : "",
                     arrays(op.carried_to), op.keys, carries ? " carries " : "", arrays(op.carried),
                     op.at_heads ? " at heads" : "",
                     op.first == core::none ? "" : fmt::format(" first x{}", op.first)));
  }

  void print(const ForeignStep& op) {
    line(fmt::format("{} = call \"{}\" {}", arrays(op.results), op.name, arrays(op.args)));
  }

  void print(const CheckNonEmpty& op) {
    line("check not empty (" + values(op.extents) + ")" +
         (op.folded > 1 ? " axes " + std::to_string(op.folded) : ""));
  }
  void print(const CheckSameSize& op) {
    line(fmt::format("check same size ({}) ({})", values(op.from), values(op.to)));
  }
  void print(const CheckCountable& op) { line("check countable (" + values(op.extents) + ")"); }
  void print(const CheckEqualExtents& op) {
    line(fmt::format("check equal ({}) ({})", values(op.left), values(op.right)));
  }
  void print(const CheckDemand& op) {
    line(fmt::format("check x{} ({}) \"{}\"{}{}", op.condition, values(op.shown), op.message,
                     op.of_elements ? " of_elements" : "", op.of_count ? " of_count" : ""));
  }
  void print(const CheckInside& op) {
    line(fmt::format("check ({}) inside ({})", values(op.index), values(op.extents)));
  }
  void print(const CheckFlags& op) { line(fmt::format("check no element of %{}", op.flags)); }
  void print(const Free& op) { line("free " + arrays(op.arrays)); }

  void print(const BranchStep& op) {
    line(fmt::format("{} = if x{}", arrays(op.results), op.condition));
    steps(op.then_);
    mark("-> " + arrays(op.then_results));
    mark("else");
    steps(op.else_);
    mark("-> " + arrays(op.else_results));
  }

  void print(const LoopStep& op) {
    line(fmt::format("{} = loop from {}", arrays(op.results), arrays(op.init)));
    mark("while (" + arrays(op.condition_state) + ")");
    steps(op.condition);
    mark(fmt::format("-> x{}", op.value));
    mark("do (" + arrays(op.body_state) + ")");
    steps(op.body);
    mark("-> " + arrays(op.next));
  }

  void mark(const std::string& text) { text_.append(2 * depth_, ' ').append(text + "\n"); }

  static std::string values(const std::vector<Value>& list) { return joined(list, "x"); }
  static std::string arrays(const std::vector<core::ArrayId>& list) { return joined(list, "%"); }
  static std::string joined(const std::vector<std::uint32_t>& list, const char* prefix) {
    std::string result;
    for (const std::uint32_t n : list)
      result += fmt::format("{}{}{}", result.empty() ? "" : " ", prefix, n);
    return result;
  }

  const Plan& plan_;
  const Step* step_ = nullptr;
  std::size_t depth_ = 0;
  std::string text_;
};

}  // namespace

std::string print(const kernels::Plan& plan) { return Printer(plan).print(); }

}  // namespace hasten::runtime
