// The executor keeps arrays and host values in dense tables indexed by their numbers.
#include "runtime/executor.hpp"

#include "core/evaluate.hpp"
#include "core/foreign.hpp"
#include "core/scalar_ops.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/liveness.hpp"
#include "runtime/loop_replay.hpp"
#include "runtime/memory.hpp"
#include "runtime/no_memory.hpp"
#include "runtime/residency.hpp"
#include "runtime/split_launch.hpp"
#include "runtime/text.hpp"
#include "runtime/trace.hpp"
#include "runtime/wrong_shapes.hpp"
#include "support/counters.hpp"
#include "support/filled.hpp"
#include "support/overloaded.hpp"

#include <hasten/error.hpp>

#include <algorithm>
#include <chrono>
#include <string>

namespace hasten::runtime {
namespace {

using namespace kernels;
using core::ArrayId;
using core::Bits;
using Extents = std::vector<std::int64_t>;

// Nothing if it overflows.
std::optional<std::int64_t> element_count(std::span<const std::int64_t> extents) {
  const detail::ScalarType byte[] = {detail::ScalarType::u8};
  return bytes_of(extents, byte);
}

class Run final : public core::ArrayReader {
 public:
  Run(const LoadedPlan& loaded, const Arguments& arguments, std::span<KernelUse> uses,
      RunCounts& counts)
      : loaded_(loaded),
        plan_(loaded.plan),
        arguments_(arguments),
        uses_(uses),
        counts_(counts),
        account_(std::make_shared<Account>()),
        arrays_(plan_.array_types.size()),
        values_(plan_.value_types.size()),
        evaluator_(plan_.value_types, values_, *this) {}

  ~Run() override {
    counts_.bytes_allocated = account_->allocated;
    counts_.bytes_peak = account_->peak;
  }

  detail::Results run() {
    bind_scalar_inputs();
    run(plan_.steps);
    for (const KernelCodeRef& code : loaded_.code) static_cast<void>(code->get());
    loaded_.backend->finish();  // a call returns, or throws, when its result is there
    detail::Results results;
    results.reserve(plan_.results.size() + plan_.scalar_results.size());
    for (const ArrayId a : plan_.results) results.push_back(arrays_[a]);
    for (const Value v : plan_.scalar_results) {
      auto scalar = allocate_array({}, {plan_.value_types[v]}, account_);
      if (!scalar) throw MemoryError("there is no memory left for a scalar result");
      core::store_bits(plan_.value_types[v], values_[v], scalar->data(0));
      results.push_back(std::move(scalar));
    }
    return results;
  }

  // -- reads by host scalars --------------------------------------------------------------------

  Bits load(ArrayId array, std::uint32_t leaf, std::span<const std::int64_t> index) override {
    const auto& shape = arrays_[array]->shape();
    std::int64_t linear = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      if (index[axis] < 0 || index[axis] >= shape[axis]) fail_index(shape, shape_text(index));
      linear = linear * shape[axis] + index[axis];
    }
    return element(array, leaf, linear);
  }

  Bits load_linear(ArrayId array, std::uint32_t leaf, std::int64_t index) override {
    if (index < 0 || index >= arrays_[array]->size())
      fail_index(arrays_[array]->shape(), std::to_string(index));
    return element(array, leaf, index);
  }

  std::int64_t extent(ArrayId array, std::uint32_t axis) override {
    return arrays_[array]->shape()[axis];
  }

  void on_zero_divisor(core::ScalarOp) override {
    if (has(plan_.checks, Checks::arithmetic)) throw ElementFailed();
  }

 private:
  void bind_scalar_inputs() {
    std::size_t next = 0;
    for (const detail::LiteralBits& bits : arguments_.scalars)
      values_[plan_.scalar_inputs[next++]] = {bits.lo, bits.hi};
    for (const Bits& bits : arguments_.literals) values_[plan_.scalar_inputs[next++]] = bits;
  }

  Bits element(ArrayId array, std::uint32_t leaf, std::int64_t linear) {
    const core::ScalarType type = plan_.array_types[array].leaves[leaf];
    before_read(*arrays_[array], leaf);
    const auto offset = static_cast<std::size_t>(linear) * detail::size_in_bytes(type);
    return core::load_bits(type, arrays_[array]->data(leaf) + offset);
  }

  [[nodiscard]] std::string operation() const {
    return *step_->operation ? step_->operation : "a scalar of the program";
  }

  [[noreturn]] void fail_index(const Extents& shape, const std::string& index) const {
    throw IndexError(operation() + ": index " + index + " is out of range in an array of shape " +
                         shape_text(shape) +
                         "; every index must be at least 0 and below its extent (guard the read "
                         "with select, or clamp the index)",
                     step_->where);
  }

  [[nodiscard]] Extents extents(const std::vector<Value>& values) const {
    Extents result(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      result[i] = std::max<std::int64_t>(core::as_i64(values_[values[i]]), 0);
    return result;
  }

  void run(const Steps& steps) {
    for (const Step& step : steps) {
      step_ = &step;
      match(step.op, [&](const auto& op) { run(op); });
    }
  }

  void run(const HostScalars& op) { evaluator_.run(op.stmt); }
  void run(const BindUse& op) { arrays_[op.array] = arguments_.used[op.index]; }
  void run(const BindInput& op) { arrays_[op.array] = arguments_.inputs[op.index]; }

  void run(const MakeUnit& op) {
    auto unit = allocate_array({}, plan_.array_types[op.array].leaves, account_);
    if (!unit) fail_memory({}, std::nullopt);
    for (std::size_t leaf = 0; leaf < op.values.size(); ++leaf)
      core::store_bits(unit->leaves()[leaf], values_[op.values[leaf]], unit->data(leaf));
    arrays_[op.array] = std::move(unit);
  }

  void run(const View& op) {
    const HostArrayRef& source = arrays_[op.source];
    if (op.same) {
      arrays_[op.array] = source;
      return;
    }
    Extents shape = extents(op.extents);
    check_same_size(source->shape(), shape);
    arrays_[op.array] = source->reshaped(std::move(shape));
  }

  // -- whole-array conditions -------------------------------------------------------------------

  void check_same_size(const Extents& from, const Extents& to) const {
    const auto given = element_count(from), wanted = element_count(to);
    if (given && given == wanted) return;
    throw other_size(from, given, to, wanted, step_->where);
  }

  void run(const CheckSameSize& op) { check_same_size(extents(op.from), extents(op.to)); }

  void run(const CheckNonEmpty& op) {
    const Extents source = extents(op.extents);
    const bool has_rows = std::find(source.begin(), source.end() - 1, 0) == source.end() - 1;
    if (source.back() > 0 || !has_rows) return;
    throw empty_axis(operation(), source, step_->where);
  }

  void run(const CheckEqualExtents& op) {
    const Extents left = extents(op.left), right = extents(op.right);
    if (left == right) return;
    throw unequal_shapes(operation(), left, right, step_->where);
  }

  void run(const CheckInside& op) const {
    for (std::size_t i = 0; i < op.index.size(); ++i) {
      const std::int64_t index = core::as_i64(values_[op.index[i]]);
      if (index < 0 || index >= core::as_i64(values_[op.extents[i]])) throw ElementFailed();
    }
  }

  void run(const CheckFlags& op) {
    const detail::HostArray& flags = *arrays_[op.flags];
    before_read(flags, 0);
    const std::byte* const first = flags.data(0);
    if (std::find(first, first + flags.size(), std::byte{1}) != first + flags.size())
      throw ElementFailed();
  }

  void run(const CheckDemand& op) {
    if (values_[op.condition].lo != 0) return;
    Extents shown;
    for (const Value v : op.shown) shown.push_back(core::as_i64(values_[v]));
    throw ShapeError(operation() + ": " + support::filled(op.message, shown), step_->where);
  }

  // -- memory -----------------------------------------------------------------------------------

  std::shared_ptr<detail::HostArray> allocate(ArrayId id, Extents shape) {
    const std::vector<core::ScalarType>& leaves = plan_.array_types[id].leaves;
    const std::optional<std::int64_t> bytes = bytes_of(shape, leaves);
    if (!bytes || *bytes > std::int64_t{1} << 62) fail_memory(shape, bytes);
    if (loaded_.memory) return allocate_on_device(std::move(shape), leaves, *bytes);
    if (arguments_.memory_limit > 0 && account_->live + *bytes > arguments_.memory_limit)
      throw over_limit(needs(), shape, *bytes, account_->live, arguments_.memory_limit);
    auto array = allocate_array(shape, leaves, account_);
    if (!array) fail_memory(shape, bytes);
    return array;
  }

  std::shared_ptr<detail::HostArray> allocate_on_device(Extents shape,
                                                        const std::vector<core::ScalarType>& leaves,
                                                        std::int64_t bytes) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= bytes == 0 ? 0 : extent;
    std::vector<std::shared_ptr<detail::Buffer>> components;
    for (const core::ScalarType leaf : leaves) {
      const std::size_t size = static_cast<std::size_t>(count) * detail::size_in_bytes(leaf);
      components.push_back(working_set_->make(size, account_, holder(true)));
      if (!components.back()) fail_room("its result, an array", shape, bytes);
    }
    return std::make_shared<detail::HostArray>(std::move(shape), leaves, std::move(components));
  }

  [[nodiscard]] Holder holder(bool made) const { return {step_->operation, step_->where, made}; }

  // Where the backend finds a component.
  [[nodiscard]] std::byte* address(const detail::HostArray& array, std::size_t leaf,
                                   bool goes_on = false) const {
    const detail::Buffer& component = *array.component(leaf);
    if (!loaded_.memory) return component.data();
    std::byte* const address = goes_on ? working_set_->update(component, holder(true))
                                       : working_set_->read(component, holder(false));
    if (!address)
      fail_room("what it reads, an array", array.shape(),
                static_cast<std::int64_t>(component.size()));
    return address;
  }

  // Gives f a working set on a device with its own memory; f may be called twice.
  template <class F>
  void with_room(F f) {
    if (!loaded_.memory) return f();
    runtime::with_room(loaded_.memory, static_cast<std::size_t>(arguments_.memory_limit),
                       [&](WorkingSet& set) {
                         working_set_ = &set;
                         f();
                       });
  }

  void launch_begins() {
    if (loaded_.memory) working_set_->is_complete();
    was_complete_ = true;
  }

  // What backends ask for while they launch.
  class Scratch final : public backends::ScratchMemory {
   public:
    explicit Scratch(const Run& run) : run_(run) {}
    [[nodiscard]] std::byte* take(std::size_t bytes) override {
      std::byte* const address = run_.working_set_->scratch(bytes);
      if (!address) throw no_scratch(run_.needs(), bytes, run_.report());
      return address;
    }

   private:
    const Run& run_;
  };

  [[nodiscard]] Needs needs() const { return {operation(), step_->where}; }
  [[nodiscard]] std::string report() const {
    return loaded_.memory->report(static_cast<std::size_t>(arguments_.memory_limit));
  }
  [[noreturn]] void fail_room(const char* what, const Extents& shape, std::int64_t bytes) const {
    throw no_room(needs(), what, shape, bytes, report());
  }
  [[noreturn]] void fail_memory(const Extents& shape, std::optional<std::int64_t> bytes) const {
    throw no_memory(needs(), shape, bytes, account_->live);
  }

  void run(const Free& op) {
    for (const ArrayId a : op.arrays) arrays_[a].reset();
  }

  // -- launches ---------------------------------------------------------------------------------

  void run(const Launch& op) {
    if (is_replayed(op)) return;
    was_complete_ = false;
    try {
      with_room([&] { place_and_launch(op); });
    } catch (const MemoryError&) {
      const bool has_more = loop_ && loop_->let_go();
      if (!has_more && !launch_in_parts(op)) throw;
      if (has_more) with_room([&] { place_and_launch(op); });
    }
  }

  // A map whose arrays do not fit together. False if it is not one, or there is no room for parts.
  bool launch_in_parts(const Launch& op) {
    const Kernel& kernel = plan_.kernels[op.kernel];
    const auto in_place = reads_in_place(kernel);
    if (!loaded_.memory || was_complete_ || op.into || !in_place) return false;
    before_other_work();
    const std::vector<core::ScalarType>& leaves = plan_.array_types[op.output].leaves;
    const auto output = allocate_array(extents(op.output_extents), leaves, account_);
    if (!output) return false;
    arrays_[op.output] = output;
    const Numbers numbers = prepare(op, *output);
    if ((kernel.rank > 1 && !numbers.is_collapsed) || output->size() < 2 * part_unit) return false;
    const auto bind = [&](std::span<const std::int64_t> space) {
      space_.assign(space.begin(), space.end());
      bind_scalars(op, numbers.is_collapsed);
      return std::span<const std::uint64_t>(scalars_);
    };
    ElementwiseLaunch launch{loaded_.code[op.kernel]->get(), space_.size(), output->size(), bind};
    for (std::size_t i = 0; i < op.inputs.size(); ++i)
      launch.add_input(*arrays_[op.inputs[i].array], op.inputs[i].leaf, (*in_place)[i]);
    launch.add_outputs(*output);
    const auto start = std::chrono::steady_clock::now();
    try {
      const std::int64_t parts = runtime::launch_in_parts(
          loaded_.memory, static_cast<std::size_t>(arguments_.memory_limit), launch);
      record(op.kernel, numbers.bytes, start, std::chrono::steady_clock::now(), parts);
      return true;
    } catch (const MemoryError&) {  // the first error says more
      return false;
    }
  }

  void place_and_launch(const Launch& op) {
    if (!op.into) arrays_[op.output].reset();  // of an attempt before
    if (!op.into) arrays_[op.output] = allocate(op.output, extents(op.output_extents));
    const HostArrayRef output = arrays_[op.output];
    const bool scatters = plan_.kernels[op.kernel].skeleton == Skeleton::scatter;
    if (output->size() > 0 && (!scatters || !is_empty(extents(op.space))))
      launch(op, *output);
    else
      before_other_work();
  }

  static bool is_empty(const Extents& extents) {
    return std::find(extents.begin(), extents.end(), 0) != extents.end();
  }

  void run(const SortStep& op) {
    before_other_work();
    with_room([&] { place_and_sort(op); });
  }

  void place_and_sort(const SortStep& op) {
    const HostArrayRef keys = arrays_[op.keys];
    auto output = allocate(op.output, keys->shape());
    if (output->size() > 0) {
      std::vector<const std::byte*> components;
      for (std::size_t leaf = 0; leaf < keys->leaves().size(); ++leaf)
        components.push_back(address(*keys, leaf));
      auto* const positions = reinterpret_cast<std::int64_t*>(address(*output, 0));
      launch_begins();
      loaded_.backend->sort_positions(keys->shape(), keys->leaves(), components, positions,
                                      &scratch_);
    }
    arrays_[op.output] = std::move(output);
  }

  void run(const ForeignStep& op) {
    before_other_work();
    std::vector<core::ArrayType> types;
    for (const ArrayId a : op.results) types.push_back(plan_.array_types[a]);
    const auto start = std::chrono::steady_clock::now();
    put(op.results,
        core::call_foreign(arguments_.foreign, op.index, op.name, take(op.args), types));
    if (is_tracing()) trace("foreign", op.name, start, std::chrono::steady_clock::now());
  }

  void launch(const Launch& op, const detail::HostArray& output) {
    const Numbers numbers = prepare(op, output);
    inputs_.clear();
    for (const InputSource& input : op.inputs)
      inputs_.push_back(address(*arrays_[input.array], input.leaf));
    outputs_.clear();
    for (std::size_t leaf = 0; leaf < output.leaves().size(); ++leaf) {
      outputs_.push_back(address(output, leaf, op.into));
      if (detail::is_complex(output.leaves()[leaf])) outputs_.push_back(outputs_.back());
    }
    launch_begins();
    const backends::Code& code = loaded_.code[op.kernel]->get();  // while arrays are on their way
    const auto start = std::chrono::steady_clock::now();
    loaded_.backend->launch(
        code, {space_, inputs_, outputs_, scalars_, output.size(), numbers.largest, &scratch_});
    record(op.kernel, numbers.bytes, start, std::chrono::steady_clock::now());
    if (loop_) loop_->launched(seen(op, numbers));
  }

  struct Numbers {
    std::int64_t bytes, largest;  // moved; elements of the largest array
    bool is_collapsed;
  };

  // The space and the scalars of a launch, whose output is in its place.
  Numbers prepare(const Launch& op, const detail::HostArray& output) {
    space_ = extents(op.space);
    if (space_.empty()) space_.push_back(1);
    const bool collapsed = plan_.kernels[op.kernel].collapsible && collapse(op);
    bind_scalars(op, collapsed);
    Numbers numbers{0, output.size(), collapsed};
    const auto moves = [&](const detail::HostArray& array, std::size_t leaf) {
      numbers.bytes += static_cast<std::int64_t>(array.component(leaf)->size());
    };
    for (const InputSource& input : op.inputs) {
      moves(*arrays_[input.array], input.leaf);
      numbers.largest = std::max(numbers.largest, arrays_[input.array]->size());
    }
    for (std::size_t leaf = 0; leaf < output.leaves().size(); ++leaf) moves(output, leaf);
    return numbers;
  }

  [[nodiscard]] SeenLaunch seen(const Launch& op, const Numbers& numbers) const {
    return {&op, &loaded_.code[op.kernel]->get(), space_, scalars_, arrays_, numbers.largest};
  }

  // Whether the loop under way does this launch together with others, later. If not, and it was
  // replaying, it has launched all that came before.
  bool is_replayed(const Launch& op) {
    if (!loop_ || !loop_->is_replaying()) return false;
    const HostArrayRef output = loop_->expected_output(op);
    const HostArrayRef before = arrays_[op.output];
    if (output && (op.into ? before == output : output->shape() == extents(op.output_extents))) {
      arrays_[op.output] = output;
      const Numbers numbers = prepare(op, *output);
      if (loop_->takes(seen(op, numbers))) {
        const auto now = std::chrono::steady_clock::now();
        record(op.kernel, numbers.bytes, now, now);
        return true;
      }
      arrays_[op.output] = before;
    }
    loop_->stop();
    return false;
  }

  // What a loop under way must know.
  void before_read(const detail::HostArray& array, std::size_t leaf) const {
    if (loop_) loop_->before_read(*array.component(leaf));
  }
  void before_other_work() const {
    if (loop_) loop_->before_other_work();
  }

  void record(std::uint32_t kernel, std::int64_t bytes, TraceClock::time_point start,
              TraceClock::time_point end, std::int64_t launches = 1) {
    constexpr auto relaxed = std::memory_order_relaxed;
    const std::chrono::nanoseconds took = end - start;
    uses_[kernel].launches.fetch_add(launches, relaxed);
    uses_[kernel].bytes.fetch_add(bytes, relaxed);
    uses_[kernel].nanoseconds.fetch_add(took.count(), relaxed);
    counts_.launches += launches;
    counts_.bytes_moved += bytes;
    support::counters().launches.fetch_add(launches, relaxed);
    if (is_tracing()) trace("launch", operation(), start, end);
  }

  // Runs the space as one long row when nothing in the kernel can tell.
  bool collapse(const Launch& op) {
    for (const ArrayId a : op.in_place)
      if (arrays_[a]->shape() != space_) return false;
    std::int64_t size = 1;
    for (std::int64_t& extent : space_) {
      size *= extent;
      extent = 1;
    }
    space_.back() = size;
    return true;
  }

  void bind_scalars(const Launch& op, bool collapsed) {
    scalars_.clear();
    for (const ArgumentSource& argument : op.arguments) {
      if (argument.host != core::none) {
        const Bits& bits = values_[argument.host];
        scalars_.push_back(argument.imaginary ? bits.hi : bits.lo);
      } else {
        const Extents& shape = collapsed ? space_ : arrays_[argument.array]->shape();
        scalars_.push_back(static_cast<std::uint64_t>(shape[argument.axis]));
      }
    }
  }

  // -- control ----------------------------------------------------------------------------------

  std::vector<HostArrayRef> take(const std::vector<ArrayId>& ids) const {
    std::vector<HostArrayRef> result;
    result.reserve(ids.size());
    for (const ArrayId a : ids) result.push_back(arrays_[a]);
    return result;
  }

  void put(const std::vector<ArrayId>& ids, const std::vector<HostArrayRef>& arrays) {
    for (std::size_t i = 0; i < ids.size(); ++i) arrays_[ids[i]] = arrays[i];
  }

  void drop(const std::vector<ArrayId>& ids) {
    for (const ArrayId a : ids) arrays_[a].reset();
  }

  // Those of `ids` that the steps define themselves: nobody else can reach them when a branch or a
  // round of a loop has ended, and its results have been taken.
  static std::vector<ArrayId> defined_in(const Steps& steps, const std::vector<ArrayId>& ids) {
    std::vector<ArrayId> result;
    for (const Step& step : steps)
      for (const ArrayId a : definitions(step))
        if (std::find(ids.begin(), ids.end(), a) != ids.end()) result.push_back(a);
    return result;
  }

  void run(const BranchStep& op) {
    const bool taken = values_[op.condition].lo != 0;
    const Steps& steps = taken ? op.then_ : op.else_;
    const std::vector<ArrayId>& from = taken ? op.then_results : op.else_results;
    run(steps);
    const std::vector<HostArrayRef> results = take(from);
    drop(defined_in(steps, from));
    put(op.results, results);
  }

  void run(const LoopStep& op) {
    before_other_work();
    LoopReplay* const outer = loop_;
    std::optional<LoopReplay> replay;
    if (loaded_.memory && loaded_.backend->can_record())
      replay.emplace(loaded_, static_cast<std::size_t>(arguments_.memory_limit));
    loop_ = replay ? &*replay : nullptr;
    run_rounds(op);
    if (loop_) loop_->stop();
    loop_ = outer;
  }

  void run_rounds(const LoopStep& op) {
    const std::vector<ArrayId> own = defined_in(op.body, op.next);
    std::vector<HostArrayRef> state = take(op.init);
    while (true) {
      put(op.condition_state, state);
      run(op.condition);
      drop(op.condition_state);
      if (values_[op.value].lo == 0) break;
      put(op.body_state, state);
      state.clear();
      run(op.body);
      state = take(op.next);
      drop(op.body_state);
      drop(own);
      if (loop_) loop_->end_round(state);
    }
    put(op.results, state);
  }

  const LoadedPlan& loaded_;
  const Plan& plan_;
  const Arguments& arguments_;
  std::span<KernelUse> uses_;
  RunCounts& counts_;
  std::shared_ptr<Account> account_;
  std::vector<HostArrayRef> arrays_;  // by ArrayId
  std::vector<Bits> values_;          // by Value
  core::Evaluator evaluator_;
  const Step* step_ = nullptr;
  WorkingSet* working_set_ = nullptr;  // of the launch under way
  bool was_complete_ = false;          // all that it uses was there at once
  LoopReplay* loop_ = nullptr;         // of the loop under way, the innermost
  Scratch scratch_{*this};
  // kept from launch to launch for their memory
  Extents space_;
  std::vector<const std::byte*> inputs_;
  std::vector<std::byte*> outputs_;
  std::vector<std::uint64_t> scalars_;
};

}  // namespace

detail::Results run_plan(const LoadedPlan& loaded, const Arguments& arguments,
                         std::span<KernelUse> uses, RunCounts& counts) {
  return Run(loaded, arguments, uses, counts).run();
}

}  // namespace hasten::runtime
