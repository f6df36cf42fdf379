// One clock per device, and one for its outgoing link. A buffer knows when its bytes arrive where.
#include "runtime/simulate/simulate.hpp"

#include "core/scalar_ops.hpp"
#include "kernels/liveness.hpp"
#include "passes/fission/fission.hpp"
#include "runtime/devices/shares.hpp"
#include "runtime/execute/run_state.hpp"
#include "runtime/profile/work.hpp"
#include "runtime/ranks/readers.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>

namespace hasten::runtime {
namespace {

using namespace kernels;
using core::ArrayId;
using core::none;
using detail::Buffer;
using detail::HostArray;
using BufferRef = std::shared_ptr<Buffer>;
using Extents = std::vector<std::int64_t>;

/// The time, in seconds, at which a buffer's bytes are on each device; or the buffers in it.
class Model final : public detail::Sharding {
 public:
  explicit Model(double at) : everywhere_(at) {}
  Model(int device, double at) : owner_(device), at_{{device, at}} {}
  explicit Model(std::vector<BufferRef> parts) : parts(std::move(parts)) {}

  std::byte* gather(const Buffer&) override {
    throw InternalError("simulate: somebody looks at bytes that are not there");
  }

  [[nodiscard]] std::optional<double> at(int device) const {
    if (everywhere_) return everywhere_;
    const auto found = at_.find(device);
    return found == at_.end() ? std::nullopt : std::optional(found->second);
  }
  void arrives(int device, double when) { at_[device] = when; }
  [[nodiscard]] int owner() const { return owner_; }

  std::vector<BufferRef> parts;

 private:
  std::optional<double> everywhere_;
  int owner_ = 0;
  std::map<int, double> at_;
};

Model* model_of(const Buffer& buffer) { return static_cast<Model*>(buffer.sharding().get()); }

std::int64_t product(const Extents& shape, std::size_t first = 0) {
  return std::accumulate(shape.begin() + static_cast<std::ptrdiff_t>(first), shape.end(),
                         std::int64_t{1}, std::multiplies<>());
}

template <class F>
HostArrayRef array_of(Extents shape, const std::vector<core::ScalarType>& leaves, F model) {
  std::vector<BufferRef> components;
  for (const core::ScalarType leaf : leaves)
    components.push_back(Buffer::sharded(
        model(), static_cast<std::size_t>(product(shape)) * detail::size_in_bytes(leaf)));
  return std::make_shared<const HostArray>(std::move(shape), leaves, std::move(components));
}

class Simulation final : public RankedSteps {
 public:
  Simulation(const Plan& plan, std::int64_t devices, const ModelMachine& machine, double kept)
      : machine_(machine),
        readers_(plan),
        kept_(kept),
        ready_(static_cast<std::size_t>(devices)),
        way_out_(static_cast<std::size_t>(devices)) {
    result_.devices.resize(static_cast<std::size_t>(devices));
  }

  std::size_t run(RunState& state, const Steps& steps, std::size_t at,
                  core::FunctionRef<void(const Step&)> here) override {
    const Step& step = steps[at];
    if (is_work(step)) {
      work(state, step);
    } else if (const auto* op = std::get_if<RowsStep>(&step.op)) {
      rows(state, *op);
    } else if (const auto* join = std::get_if<JoinStep>(&step.op)) {
      this->join(state, *join);
    } else {
      here(step);
      if (const auto* use = std::get_if<BindUse>(&step.op)) send_ahead(state, use->array);
      if (const auto* input = std::get_if<BindInput>(&step.op)) send_ahead(state, input->array);
    }
    return 1;
  }

  // Reads zero; all devices wait for it.
  const std::byte* read(const BufferRef& component, std::size_t offset,
                        std::size_t bytes) override {
    static constexpr std::array<std::byte, 16> zero{};
    if (!component->sharding()) return component->data() + offset;
    const BufferRef part = part_at(component, offset);
    Model& model = *model_of(*part);
    double all = 0;
    for (int to = 0; to < devices(); ++to) {
      if (!model.at(to)) move(model, bytes, to);
      ready_of(to) = std::max(ready_of(to), *model.at(to));
      all = std::max(all, ready_of(to));
    }
    return zero.data();
  }

  Simulated finish() {
    for (const double ready : ready_) result_.seconds = std::max(result_.seconds, ready);
    return result_;
  }

 private:
  [[nodiscard]] int devices() const { return static_cast<int>(ready_.size()); }
  [[nodiscard]] double& ready_of(int device) { return ready_[static_cast<std::size_t>(device)]; }

  // -- messages ---------------------------------------------------------------------------------

  BufferRef part_at(const BufferRef& buffer, std::size_t offset) const {
    for (const BufferRef& part : model_of(*buffer)->parts) {
      if (offset < part->size()) return part->sharding() ? part_at(part, offset) : part;
      offset -= part->size();
    }
    return buffer;
  }

  void move(Model& model, std::size_t bytes, int to) {
    const int from = model.owner();
    const bool is_near = from / machine_.devices_per_node == to / machine_.devices_per_node;
    const ModelLink& link = is_near ? machine_.within : machine_.between;
    double& way_out = way_out_[static_cast<std::size_t>(from)];
    const double leaves = std::max(way_out, *model.at(from));
    way_out = leaves + static_cast<double>(bytes) / link.bandwidth;
    model.arrives(to, way_out + link.latency);
    auto& sender = result_.devices[static_cast<std::size_t>(from)];
    ++sender.messages;
    sender.bytes += static_cast<std::int64_t>(bytes);
  }

  // Returns the time at which the bytes arrive.
  double bring(const Buffer& buffer, int to) {
    if (!buffer.sharding() || buffer.size() == 0) return 0;
    Model& model = *model_of(buffer);
    if (const auto there = model.at(to)) return *there;
    if (model.parts.empty()) {
      move(model, buffer.size(), to);
      return *model.at(to);
    }
    double all = 0;
    for (const BufferRef& part : model.parts) all = std::max(all, bring(*part, to));
    model.arrives(to, all);
    return all;
  }

  void send_ahead(RunState& state, ArrayId array) {
    const HostArray& made = *state.arrays[array];
    for (const Readers::Reader& reader : readers_.of(array))
      for (std::size_t leaf = 0; leaf < made.leaves().size(); ++leaf)
        if (reader.leaf == none || reader.leaf == leaf)
          static_cast<void>(bring(*made.component(leaf), reader.rank));
  }

  // -- work -------------------------------------------------------------------------------------

  void work(RunState& state, const Step& step) {
    const int device = rank_of(step);
    double start = ready_of(device);
    for (const ReadOf& read : reads_of(step)) {
      const HostArray& array = *state.arrays[read.array];
      for (std::size_t leaf = 0; leaf < array.leaves().size(); ++leaf)
        if (read.leaf == none || read.leaf == leaf)
          start = std::max(start, bring(*array.component(leaf), device));
    }
    std::vector<std::pair<ArrayId, Extents>> made = made_by(state, step);
    for (const auto& [array, shape] : made)  // a launch may need their extents
      state.arrays[array] = array_of(shape, state.plan.array_types[array].leaves,
                                     [&] { return std::make_shared<Model>(device, start); });
    const double took = seconds(state, step, made);
    ready_of(device) = start + took;
    result_.devices[static_cast<std::size_t>(device)].busy += took;
    for (const auto& [array, shape] : made) {
      const HostArray& there = *state.arrays[array];
      for (std::size_t leaf = 0; leaf < there.leaves().size(); ++leaf)
        model_of(*there.component(leaf))->arrives(device, ready_of(device));
      send_ahead(state, array);
    }
  }

  std::vector<std::pair<ArrayId, Extents>> made_by(const RunState& state, const Step& step) const {
    std::vector<std::pair<ArrayId, Extents>> made;
    if (const auto* launch = std::get_if<Launch>(&step.op)) {
      const bool compacts = state.plan.kernels[launch->kernel].skeleton == Skeleton::compact;
      for_each_output(*launch, [&](ArrayId a, const std::vector<core::Value>& extents) {
        if (launch->into)
          made.emplace_back(a, state.arrays[a]->shape());
        else if (!compacts)
          made.emplace_back(a, state.extents(extents));
      });
      if (!compacts) return made;
      const std::int64_t all = state.extents(launch->space)[0];
      const auto kept = static_cast<std::int64_t>(kept_ * static_cast<double>(all));
      made.emplace_back(launch->output, Extents{kept});
      if (launch->others != none) made.emplace_back(launch->others, Extents{all - kept});
      return made;
    }
    if (const auto* sort = std::get_if<SortStep>(&step.op)) {
      if (!sort->only_carried) made.emplace_back(sort->output, state.arrays[sort->keys]->shape());
      for (const ArrayId a : sort->carried_to)
        made.emplace_back(a, state.arrays[sort->keys]->shape());
      return made;
    }
    throw Error(state.operation() + ": calls of foreign functions are not simulated");
  }

  [[nodiscard]] double seconds(const RunState& state, const Step& step,
                               const std::vector<std::pair<ArrayId, Extents>>& made) const {
    const ModelDevice& device = machine_.device;
    if (const auto* sort = std::get_if<SortStep>(&step.op)) {
      const auto keys = static_cast<double>(state.arrays[sort->keys]->size());
      return device.launch_seconds + keys * sorted_words(state, *sort) / device.sort_keys;
    }
    const auto& launch = std::get<Launch>(step.op);
    LaunchShapes shapes{state.extents(launch.space), scalars(state, launch), {}, 0, true};
    if (product(shapes.space) == 0) return 0;  // no device launches it
    for (const InputSource& input : launch.inputs)
      shapes.inputs.push_back(
          static_cast<std::int64_t>(state.arrays[input.array]->component(input.leaf)->size()));
    for (const auto& [array, shape] : made)
      for (const core::ScalarType leaf : state.plan.array_types[array].leaves)
        shapes.written += product(shape) * static_cast<std::int64_t>(detail::size_in_bytes(leaf));
    const Work work = work_of(state.plan.kernels[launch.kernel], shapes);
    const double flops = work.has_double ? device.double_flops : device.flops;
    const auto at = [](double count, double rate) { return rate > 0 ? count / rate : 0; };
    return device.launch_seconds +
           std::max({work.bytes / bandwidth(), at(work.flops, flops),
                     at(work.gathers, device.gathers), at(work.scattered, device.updates)});
  }

  // What a key costs, in keys of 32 bits that carry nothing: the bits of the key decide how often
  // what it carries moves. Eight million keys on one thread of an Emerald Rapids, in nanoseconds a
  // key: 5.3 for u32; 4.0 for u8 with u32; 18, 27 and 36 for u32 with u32, u32 with u64, u64 with
  // u32, of which this makes 4.0, 16, 27 and 32.
  static double sorted_words(const RunState& state, const SortStep& sort) {
    const auto words_of = [&](ArrayId a) {
      double words = 0;
      for (const core::ScalarType leaf : state.plan.array_types[a].leaves)
        words += static_cast<double>(detail::size_in_bytes(leaf)) / 4;
      return words;
    };
    double carried = sort.only_carried ? 0 : 2;  // positions
    for (const ArrayId a : sort.carried)
      if (a != sort.keys) carried += words_of(a);
    return words_of(sort.keys) * (1 + 2 * carried);
  }

  // Processes of one machine have one memory.
  [[nodiscard]] double bandwidth() const {
    const auto sharers = std::min<std::int64_t>(machine_.devices_per_node, devices());
    const double all = machine_.node_memory / static_cast<double>(sharers);
    return all > 0 ? std::min(machine_.device.bandwidth, all) : machine_.device.bandwidth;
  }

  static std::vector<std::uint64_t> scalars(const RunState& state, const Launch& launch) {
    std::vector<std::uint64_t> result;
    for (const ArgumentSource& argument : launch.arguments) {
      if (argument.host == none)
        result.push_back(
            static_cast<std::uint64_t>(state.arrays[argument.array]->shape()[argument.axis]));
      else
        result.push_back(argument.imaginary ? state.values[argument.host].hi
                                            : state.values[argument.host].lo);
    }
    return result;
  }

  // -- rows and joins ---------------------------------------------------------------------------

  BufferRef sliced(const BufferRef& buffer, std::size_t begin, std::size_t bytes) const {
    if (begin == 0 && bytes == buffer->size()) return buffer;
    const Model* const model = buffer->sharding() ? model_of(*buffer) : nullptr;
    if (!model || model->parts.empty()) {
      auto slice = model ? std::make_shared<Model>(*model) : std::make_shared<Model>(0.0);
      return Buffer::sharded(std::move(slice), bytes);
    }
    std::vector<BufferRef> parts;
    std::size_t at = 0;
    for (const BufferRef& part : model->parts) {
      const std::size_t from = std::max(begin, at), to = std::min(begin + bytes, at + part->size());
      if (from < to) parts.push_back(sliced(part, from - at, to - from));
      at += part->size();
    }
    if (parts.size() == 1) return parts[0];
    return Buffer::sharded(std::make_shared<Model>(std::move(parts)), bytes);
  }

  void rows(RunState& state, const RowsStep& op) {
    const HostArray& source = *state.arrays[op.source];
    Extents shape = source.shape();
    const std::int64_t end =
        std::clamp<std::int64_t>(core::as_i64(state.values[op.end]), 0, shape[0]);
    const std::int64_t begin =
        std::clamp<std::int64_t>(core::as_i64(state.values[op.begin]), 0, end);
    shape[0] = end - begin;
    const std::int64_t row = product(shape, 1);
    std::vector<BufferRef> components;
    for (std::size_t leaf = 0; leaf < source.leaves().size(); ++leaf) {
      const std::size_t bytes =
          static_cast<std::size_t>(row) * detail::size_in_bytes(source.leaves()[leaf]);
      components.push_back(sliced(source.component(leaf), static_cast<std::size_t>(begin) * bytes,
                                  static_cast<std::size_t>(shape[0]) * bytes));
    }
    state.arrays[op.array] =
        std::make_shared<const HostArray>(std::move(shape), source.leaves(), std::move(components));
    send_ahead(state, op.array);
  }

  void join(RunState& state, const JoinStep& op) {
    Extents shape = state.arrays[op.parts[0]]->shape();
    shape[0] = 0;
    for (const ArrayId part : op.parts) shape[0] += state.arrays[part]->shape()[0];
    const auto& leaves = state.plan.array_types[op.array].leaves;
    std::vector<BufferRef> components;
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      std::vector<BufferRef> parts;
      std::size_t bytes = 0;
      for (const ArrayId part : op.parts) {
        parts.push_back(state.arrays[part]->component(leaf));
        bytes += parts.back()->size();
      }
      components.push_back(Buffer::sharded(std::make_shared<Model>(std::move(parts)), bytes));
    }
    state.arrays[op.array] =
        std::make_shared<const HostArray>(std::move(shape), leaves, std::move(components));
    send_ahead(state, op.array);
  }

  const ModelMachine& machine_;
  const Readers readers_;
  const double kept_;
  std::vector<double> ready_, way_out_;  // by device
  Simulated result_;
};

// Arguments that have rows for all devices are distributed evenly; others are on every device.
HostArrayRef argument(const core::ArrayType& type, const Extents& shape, std::int64_t devices) {
  if (shape.size() != type.rank)
    throw Error("simulate: an argument of rank " + std::to_string(type.rank) + " got " +
                std::to_string(shape.size()) + " extents");
  if (shape.empty() || shape[0] < devices || devices == 1)
    return array_of(shape, type.leaves, [] { return std::make_shared<Model>(0.0); });
  std::vector<BufferRef> components;
  for (const core::ScalarType leaf : type.leaves) {
    const auto row = static_cast<std::size_t>(product(shape, 1)) * detail::size_in_bytes(leaf);
    std::vector<BufferRef> parts;
    for (std::int64_t k = 0; k < devices; ++k) {
      const std::int64_t rows = shape[0] * (k + 1) / devices - shape[0] * k / devices;
      parts.push_back(Buffer::sharded(std::make_shared<Model>(static_cast<int>(k), 0.0),
                                      static_cast<std::size_t>(rows) * row));
    }
    components.push_back(Buffer::sharded(std::make_shared<Model>(std::move(parts)),
                                         static_cast<std::size_t>(shape[0]) * row));
  }
  return std::make_shared<const HostArray>(shape, type.leaves, std::move(components));
}

void find_arguments(const Steps& steps, std::map<std::uint32_t, ArrayId>& inputs,
                    std::map<std::uint32_t, ArrayId>& used) {
  for (const Step& step : steps) {
    if (const auto* input = std::get_if<BindInput>(&step.op)) inputs[input->index] = input->array;
    if (const auto* use = std::get_if<BindUse>(&step.op)) used[use->index] = use->array;
  }
}

}  // namespace

Simulated simulate(const Plan& plan, std::int64_t devices, const ModelMachine& machine,
                   const SimulatedCall& call) {
  std::map<std::uint32_t, ArrayId> of_inputs, of_used;
  find_arguments(plan.steps, of_inputs, of_used);
  const std::size_t inputs = of_inputs.empty() ? 0 : of_inputs.rbegin()->first + 1;
  const std::size_t used = of_used.empty() ? 0 : of_used.rbegin()->first + 1;
  if (call.shapes.size() < inputs + used)
    throw Error("simulate: the program has " + std::to_string(inputs + used) +
                " arrays as arguments, and extents of " + std::to_string(call.shapes.size()) +
                " are given");
  std::vector<HostArrayRef> given(inputs), embedded(used);
  for (const auto& [index, array] : of_inputs)
    given[index] = argument(plan.array_types[array], call.shapes[index], devices);
  for (const auto& [index, array] : of_used)
    embedded[index] = argument(plan.array_types[array], call.shapes[inputs + index], devices);

  LoadedPlan loaded;
  loaded.plan = plan;
  Recording recording(plan.sites);
  CallRecord record(recording);
  RunCounts counts;
  CallShares shares;
  for (std::int64_t k = 1; k < devices; ++k)
    shares.points.push_back(passes::exact_share / devices * k);
  shares.runs_on.assign(static_cast<std::size_t>(devices), 0);
  Simulation simulation(plan, devices, machine, call.kept);
  Arguments arguments{embedded, given, {}, call.scalars};
  arguments.shares = &shares;
  arguments.ranks = &simulation;
  static_cast<void>(run_plan(loaded, arguments, record, counts));
  return simulation.finish();
}

}  // namespace hasten::runtime
