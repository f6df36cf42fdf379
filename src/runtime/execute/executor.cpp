// Runs steps one after the other. launches.cpp prepares launches.
#include "runtime/execute/executor.hpp"

#include "core/evaluate.hpp"
#include "core/foreign.hpp"
#include "core/scalar_ops.hpp"
#include "core/wrong_shapes.hpp"
#include "kernels/liveness.hpp"
#include "runtime/execute/launches.hpp"
#include "runtime/memory/memory.hpp"
#include "runtime/memory/no_memory.hpp"
#include "runtime/report/text.hpp"
#include "runtime/report/trace.hpp"
#include "runtime/streaming/read_ahead.hpp"
#include "runtime/streaming/trailing.hpp"
#include "support/filled.hpp"
#include "support/overloaded.hpp"
#include "support/ticks.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>

namespace hasten::runtime {
namespace {

using namespace kernels;
using core::ArrayId;
using core::Bits;
using Extents = std::vector<std::int64_t>;

// Nothing if the product overflows.
std::optional<std::int64_t> element_count(std::span<const std::int64_t> extents) {
  const detail::ScalarType byte[] = {detail::ScalarType::u8};
  return bytes_of(extents, byte);
}

class Run final : public core::ArrayReader {
 public:
  Run(const LoadedPlan& loaded, const Arguments& arguments, CallRecord& record, RunCounts& counts)
      : state_(loaded, arguments),
        counts_(counts),
        record_(record),
        launches_(state_, record, counts),
        evaluator_(state_.plan.value_types, state_.values, *this) {
    if (loaded.parts == 1 || !loaded.has_memory()) return;
    trailing_.emplace(state_);
    read_ahead_.emplace();
  }

  ~Run() override {
    counts_.bytes_allocated = state_.account->allocated;
    counts_.bytes_peak = state_.account->peak;
    record_.leave_out(state_.account->home_nanoseconds);
    state_.account->is_over = true;
  }

  detail::Results run() {
    try {
      compute();
      poll();  // before results of stopped loops are used
    } catch (...) {
      if (!state_.is_stopped()) throw;
      stop();
    }
    launches_.remember();
    return results();
  }

  // -- reads by host scalars --------------------------------------------------------------------

  Bits load(ArrayId array, std::uint32_t leaf, std::span<const std::int64_t> index) override {
    const Extents& shape = state_.arrays[array]->shape();
    const auto is_inside = [](std::int64_t i, std::int64_t extent) { return i >= 0 && i < extent; };
    if (checks_bounds() && !std::ranges::equal(index, shape, is_inside))
      fail_index(shape, shape_text(index));
    std::int64_t linear = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis)
      linear = linear * shape[axis] + core::clamped_index(index[axis], shape[axis]);
    return element(array, leaf, linear);
  }

  Bits load_linear(ArrayId array, std::uint32_t leaf, std::int64_t index) override {
    const std::int64_t size = state_.arrays[array]->size();
    if (checks_bounds() && (index < 0 || index >= size))
      fail_index(state_.arrays[array]->shape(), std::to_string(index));
    return element(array, leaf, core::clamped_index(index, size));
  }

  std::int64_t extent(ArrayId array, std::uint32_t axis) override {
    return state_.arrays[array]->shape()[axis];
  }

  void on_zero_divisor(core::ScalarOp) override {
    if (has(state_.plan.checks, Checks::arithmetic)) throw ElementFailed{Checks::arithmetic};
  }

  void poll() override {
    if (state_.is_stopped()) throw support::Stopped{};
  }

 private:
  void compute() {
    bind_scalar_inputs();
    run(state_.plan.steps);
    state_.loaded.wait_for_code_at_once();
    finish();  // a call returns, or throws, once its result is complete
  }

  void finish() {
    for (OwnWork& work : state_.work) {
      if (shares_) shares_->under_way = work.device();
      finish(work);
    }
  }

  // Each of several devices has a row of its own for the time that the host waited for it.
  void finish(OwnWork& work) {
    const std::int64_t start = support::ticks();
    work.finish();
    if (state_.loaded.others.empty()) return;
    const std::int64_t took = support::nanoseconds_between(start, support::ticks());
    record_.recording().waited_for(work.device(), took);
    record_.leave_out(took);
  }

  // Kernels under way poll the call's stop word as long as they run.
  [[noreturn]] void stop() {
    try {
      finish();
    } catch (const Error&) {  // that the call was stopped is more informative
    }
    if (!state_.step) throw support::Stopped{};
    throw support::Stopped{state_.operation(), state_.step->where};
  }

  detail::Results results() {
    detail::Results results;
    results.reserve(state_.plan.results.size() + state_.plan.scalar_results.size());
    for (const ArrayId a : state_.plan.results) results.push_back(state_.arrays[a]);
    for (const Value v : state_.plan.scalar_results) {
      auto scalar = allocate_array({}, {state_.plan.value_types[v]}, state_.account);
      if (!scalar) throw MemoryError("there is no memory left for a scalar result");
      core::store_bits(state_.plan.value_types[v], state_.values[v], scalar->data(0));
      results.push_back(std::move(scalar));
    }
    return results;
  }

  void bind_scalar_inputs() {
    std::size_t next = 0;
    for (const detail::LiteralBits& bits : state_.arguments.scalars)
      state_.values[state_.plan.scalar_inputs[next++]] = {bits.lo, bits.hi};
    for (const Bits& bits : state_.arguments.literals)
      state_.values[state_.plan.scalar_inputs[next++]] = bits;
    // The remaining inputs are the places where arrays are cut.
    for (std::size_t k = 0; next < state_.plan.scalar_inputs.size(); ++k)
      state_.values[state_.plan.scalar_inputs[next++]] = core::bits_of(shares_->points[k]);
  }

  [[nodiscard]] bool checks_bounds() const { return has(state_.plan.checks, Checks::bounds); }

  // Returns 0 for an array without elements.
  Bits element(ArrayId array, std::uint32_t leaf, std::int64_t linear) {
    if (state_.arrays[array]->size() == 0) return {};
    const core::ScalarType type = state_.plan.array_types[array].leaves[leaf];
    launches_.before_read(*state_.arrays[array], leaf);
    const std::size_t bytes = detail::size_in_bytes(type);
    const auto offset = static_cast<std::size_t>(linear) * bytes;
    if (ranks_)
      return core::load_bits(type,
                             ranks_->read(state_.arrays[array]->component(leaf), offset, bytes));
    return core::load_bits(type, state_.arrays[array]->data(leaf) + offset);
  }

  [[noreturn]] void fail_index(const Extents& shape, const std::string& index) const {
    const std::string text = state_.operation() + ": index " + index +
                             " is out of range in an array of shape " + shape_text(shape) +
                             "; every index must be at least 0 and below its extent (guard the "
                             "read with select, or clamp the index)";
    throw ElementFailed{Checks::bounds, IndexError(text, state_.step->where)};
  }

  void run(const Steps& steps) {
    if (ranks_) return run_ranked(steps);
    for (const Step& step : steps) {
      state_.step = &step;
      if (state_.arguments.part) *state_.arguments.part = step.device;
      poll();
      if (shares_)
        run_shared(step);
      else
        match(step.op, [&](const auto& op) { run(op); });
      if (!trailing_) continue;
      state_.step = &step;
      trailing_->after(step);
    }
  }

  void run_ranked(const Steps& steps) {
    for (std::size_t at = 0; at < steps.size();) {
      state_.step = &steps[at];
      poll();
      at += ranks_->run(state_, steps, at, [&](const Step& step) {
        state_.step = &step;
        match(step.op, [&](const auto& op) { run(op); });
      });
    }
  }

  // Runs a step on one of several devices. While devices are measured, each step is waited for.
  void run_shared(const Step& step) {
    const std::size_t device = shares_->under_way = state_.device();
    const bool has_steps =
        std::holds_alternative<BranchStep>(step.op) || std::holds_alternative<LoopStep>(step.op);
    const std::int64_t start = support::ticks();
    match(step.op, [&](const auto& op) { run(op); });
    if (!shares_->measures || has_steps || std::holds_alternative<JoinStep>(step.op)) return;
    for (OwnWork& work : state_.work)
      if (work.device() == device) finish(work);
    const std::int64_t took = support::nanoseconds_between(start, support::ticks());
    if (step.device != core::none) shares_->of_devices[device] += took;
  }

  void run(const HostScalars& op) { evaluator_.run(op.stmt); }
  void run(const BindUse& op) { state_.arrays[op.array] = state_.arguments.used[op.index]; }
  void run(const BindInput& op) { state_.arrays[op.array] = state_.arguments.inputs[op.index]; }

  void run(const MakeUnit& op) {
    const std::vector<core::ScalarType>& leaves = state_.plan.array_types[op.array].leaves;
    auto unit = state_.take_spare({}, leaves);
    if (!unit) unit = allocate_array({}, leaves, state_.account);
    if (!unit) throw no_memory(state_.needs(), {}, std::nullopt, state_.account->live);
    for (std::size_t leaf = 0; leaf < op.values.size(); ++leaf)
      core::store_bits(unit->leaves()[leaf], state_.values[op.values[leaf]], unit->data(leaf));
    state_.arrays[op.array] = std::move(unit);
  }

  void run(const HostElements& op) {
    const Extents shape = state_.extents(op.extents);
    const auto& leaves = state_.plan.array_types[op.array].leaves;
    auto made = allocate_array(shape, leaves, state_.account);
    if (!made)
      throw no_memory(state_.needs(), shape, bytes_of(shape, leaves), state_.account->live);
    for (std::int64_t at = 0; at < made->size(); ++at) {
      std::int64_t rest = at;
      for (std::size_t axis = shape.size(); axis-- > 0; rest /= shape[axis])
        evaluator_[op.fn.params[axis]] = core::bits_of(rest % shape[axis]);
      evaluator_.run(op.fn);
      for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf)
        core::store_bits(
            leaves[leaf], evaluator_[op.fn.results[leaf]],
            made->data(leaf) + static_cast<std::size_t>(at) * detail::size_in_bytes(leaves[leaf]));
    }
    state_.arrays[op.array] = std::move(made);
  }

  static HostArrayRef with_leaves(const detail::HostArray& source,
                                  const std::vector<std::uint32_t>& leaves) {
    std::vector<core::ScalarType> types;
    std::vector<std::shared_ptr<detail::Buffer>> components;
    for (const std::uint32_t leaf : leaves) {
      types.push_back(source.leaves()[leaf]);
      components.push_back(source.component(leaf));
    }
    return std::make_shared<const detail::HostArray>(source.shape(), std::move(types),
                                                     std::move(components));
  }

  void run(const View& op) {
    const HostArrayRef& source = state_.arrays[op.source];
    if (op.same) {
      state_.arrays[op.array] = op.leaves.empty() ? source : with_leaves(*source, op.leaves);
      return;
    }
    Extents shape = state_.extents(op.extents);
    check_same_size(source->shape(), shape);
    state_.arrays[op.array] = source->reshaped(std::move(shape));
  }

  // Whether later calls may take the array, too: its parts then stay on their devices as wholes do.
  [[nodiscard]] bool is_given(const HostArrayRef& array) const {
    const auto is_among = [&](const auto& given) {
      return std::ranges::find(given, array) != given.end();
    };
    return shares_ && !state_.work.empty() && state_.loaded.parts == 1 &&
           (is_among(state_.arguments.inputs) || is_among(state_.arguments.used));
  }

  void run(const RowsStep& op) {
    if (trailing_) trailing_->wait_for({op.source});
    const HostArrayRef& source = state_.arrays[op.source];
    const std::int64_t begin = core::as_i64(state_.values[op.begin]),
                       end = core::as_i64(state_.values[op.end]);
    if (read_ahead_) read_ahead_->after(source, begin, end);
    state_.arrays[op.array] = rows_of(source, begin, end, is_given(source));
  }

  void run(const JoinStep& op) {
    if (trailing_) trailing_->wait_for(op.parts);
    std::vector<std::int64_t> took(op.parts.size());
    state_.arrays[op.array] = state_.joins->join(op, state_, took);
    if (shares_ && shares_->measures)
      for (std::uint32_t k = 0; k < took.size(); ++k)
        shares_->of_devices[state_.loaded.device_of(k)] += took[k];
  }

  void run(const StandIn& op) {
    const HostArrayRef& source = state_.arrays[op.source];
    state_.arrays[op.array] = source->size() > 0 ? source : zeros_for(*source);
  }

  // With at least one element along each axis.
  [[nodiscard]] HostArrayRef zeros_for(const detail::HostArray& empty) const {
    Extents shape = empty.shape();
    for (std::int64_t& extent : shape) extent = std::max<std::int64_t>(extent, 1);
    const std::optional<std::int64_t> bytes = bytes_of(shape, empty.leaves());
    auto zeros = bytes && *bytes <= most_bytes
                     ? allocate_array(shape, empty.leaves(), state_.account)
                     : nullptr;
    if (!zeros) throw no_memory(state_.needs(), shape, bytes, state_.account->live);
    for (std::size_t leaf = 0; leaf < empty.leaves().size(); ++leaf)
      std::memset(zeros->data(leaf), 0, zeros->component(leaf)->size());
    return zeros;
  }

  // -- whole-array conditions -------------------------------------------------------------------

  void check_same_size(const Extents& from, const Extents& to) const {
    const auto given = element_count(from), wanted = element_count(to);
    if (given && given == wanted) return;
    throw core::other_size(from, given, to, wanted, state_.step->where);
  }

  void run(const CheckSameSize& op) {
    check_same_size(state_.extents(op.from), state_.extents(op.to));
  }

  void run(const CheckCountable& op) {
    Extents extents;
    for (const Value v : op.extents) extents.push_back(core::as_i64(state_.values[v]));
    const bool has_wrapped = std::ranges::any_of(extents, [](std::int64_t e) { return e < 0; });
    if (has_wrapped || !element_count(extents)) throw uncountable(state_.needs(), extents);
  }

  void run(const CheckNonEmpty& op) {
    const Extents source = state_.extents(op.extents);
    const auto folded = source.end() - op.folded;
    const bool has_rows = std::find(source.begin(), folded, 0) == folded;
    if (!has_rows || std::find(folded, source.end(), 0) == source.end()) return;
    throw core::empty_axis(state_.operation(), source, op.folded, state_.step->where);
  }

  void run(const CheckEqualExtents& op) {
    const Extents left = state_.extents(op.left), right = state_.extents(op.right);
    if (left == right) return;
    throw core::unequal_shapes(state_.operation(), left, right, op.is_operator, state_.step->where);
  }

  void run(const CheckInside& op) const {
    for (std::size_t i = 0; i < op.index.size(); ++i) {
      const std::int64_t index = core::as_i64(state_.values[op.index[i]]);
      if (index < 0 || index >= core::as_i64(state_.values[op.extents[i]]))
        throw ElementFailed{Checks::bounds};
    }
  }

  void run(const CheckFlags& op) {
    const detail::HostArray& flags = *state_.arrays[op.flags];
    launches_.before_read(flags, 0);
    const std::byte* const first = flags.data(0);
    if (std::find(first, first + flags.size(), std::byte{1}) != first + flags.size())
      throw ElementFailed{op.kinds};
  }

  void run(const CheckDemand& op) {
    if (state_.values[op.condition].lo != 0) return;
    if (op.of_elements) throw ElementFailed();
    Extents shown;
    for (const Value v : op.shown) shown.push_back(core::as_i64(state_.values[v]));
    const std::string message = support::filled(op.message, shown);
    if (op.of_count) throw uncountable(state_.needs(), message);
    throw ShapeError(state_.operation() + ": " + message, state_.step->where);
  }

  void run(const Free& op) {
    if (trailing_) return trailing_->free(op.arrays);
    drop(op.arrays);
  }

  void run(const Launch& op) { launches_.run(op); }

  void run(const SortStep& op) { launches_.run(op); }

  void run(const ForeignStep& op) {
    if (state_.loaded.on(state_.device()).memory) return launches_.run(op);
    launches_.before_other_work();
    std::vector<core::ArrayType> types;
    for (const ArrayId a : op.results) types.push_back(state_.plan.array_types[a]);
    const std::int64_t home = state_.account->home_nanoseconds;
    const auto start = TraceClock::now();
    put(op.results,
        core::call_foreign(state_.arguments.foreign, op.index, op.name, take(op.args), types));
    const auto end = TraceClock::now();
    // Copies of what the call reads have a row of their own.
    const std::int64_t copies = state_.account->home_nanoseconds - home;
    record_.add(state_.step->site, (end - start) / std::chrono::nanoseconds(1) - copies);
    launches_.keep_shapes(take(op.args), take(op.results));
    if (is_tracing()) trace("foreign", op.name, start, end, launches_.details({}, 0));
  }

  // -- control ----------------------------------------------------------------------------------

  std::vector<HostArrayRef> take(const std::vector<ArrayId>& ids) const {
    std::vector<HostArrayRef> result;
    result.reserve(ids.size());
    for (const ArrayId a : ids) result.push_back(state_.arrays[a]);
    return result;
  }

  void put(const std::vector<ArrayId>& ids, const std::vector<HostArrayRef>& arrays) {
    for (std::size_t i = 0; i < ids.size(); ++i) state_.arrays[ids[i]] = arrays[i];
  }

  void drop(const std::vector<ArrayId>& ids) {
    for (const ArrayId a : ids) state_.let_go(a);
  }

  // Those of `ids` that the steps define themselves: nothing else can reach them once a branch or
  // an iteration of a loop has ended, and its results have been taken.
  static std::vector<ArrayId> defined_in(const Steps& steps, const std::vector<ArrayId>& ids) {
    std::vector<ArrayId> result;
    for (const Step& step : steps)
      for (const ArrayId a : definitions(step))
        if (std::find(ids.begin(), ids.end(), a) != ids.end()) result.push_back(a);
    return result;
  }

  void run(const BranchStep& op) {
    const bool taken = state_.values[op.condition].lo != 0;
    const Steps& steps = taken ? op.then_ : op.else_;
    const std::vector<ArrayId>& from = taken ? op.then_results : op.else_results;
    {
      const CompilationAhead ahead(state_.loaded.code_to_make(steps));
      run(steps);
    }
    const std::vector<HostArrayRef> results = take(from);
    drop(defined_in(steps, from));
    put(op.results, results);
  }

  void run(const LoopStep& op) {
    launches_.before_other_work();
    Launches::Loop loop(launches_);
    const bool keeps = !state_.spare && works_in_host_memory();
    if (keeps) state_.spare.emplace();
    run_iterations(op, loop);
    if (keeps) state_.spare.reset();
    loop.stop();
  }

  // One device, whose results nobody else holds yet.
  [[nodiscard]] bool works_in_host_memory() const {
    return !state_.loaded.has_memory() && state_.loaded.others.empty() &&
           state_.loaded.parts == 1 && !ranks_ && !state_.outs;
  }

  void run_iterations(const LoopStep& op, Launches::Loop& loop) {
    const std::vector<ArrayId> own = defined_in(op.body, op.next);
    std::vector<HostArrayRef> state = take(op.init);
    while (true) {
      put(op.condition_state, state);
      run(op.condition);
      drop(op.condition_state);
      if (state_.values[op.value].lo == 0) break;
      for (std::size_t i = 0; i < state.size(); ++i)
        state_.arrays[op.body_state[i]] = std::move(state[i]);
      state.clear();
      run(op.body);
      for (const ArrayId a : op.next) state.push_back(state_.arrays[a]);
      drop(op.body_state);
      drop(own);
      loop.end_iteration(state);
    }
    put(op.results, state);
  }

  RunState state_;
  CallShares* const shares_ = state_.arguments.shares;
  RankedSteps* const ranks_ = state_.arguments.ranks;
  RunCounts& counts_;
  CallRecord& record_;
  Launches launches_;
  core::Evaluator evaluator_;
  std::optional<Trailing> trailing_;     // for parts one after the other,
  std::optional<ReadAhead> read_ahead_;  // and this
};

}  // namespace

detail::Results run_plan(const LoadedPlan& loaded, const Arguments& arguments, CallRecord& record,
                         RunCounts& counts) {
  return Run(loaded, arguments, record, counts).run();
}

}  // namespace hasten::runtime
