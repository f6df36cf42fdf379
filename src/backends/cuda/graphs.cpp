// The edges of a graph are the waits between streams: from a writer of memory to its other users.
#include "backends/cuda/graphs.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

namespace hasten::backends::cuda {
namespace {

constexpr std::size_t most_kept = 16;

// Everything that identifies a graph.
std::vector<std::uint64_t> key_of(std::span<const Command> commands, std::int64_t times) {
  std::vector<std::uint64_t> key = {static_cast<std::uint64_t>(times)};
  for (const Command& command : commands) {
    key.push_back(reinterpret_cast<std::uintptr_t>(command.function));
    key.push_back(std::uint64_t{command.x} << 32 | command.y);
    key.push_back(command.values.size());
    key.insert(key.end(), command.values.begin(), command.values.end());
  }
  return key;
}

// The nodes that must precede others, by the memory they use.
class Edges {
 public:
  std::vector<CUgraphNode> before(std::span<const Streams::Use> uses) const {
    std::vector<CUgraphNode> result;
    for (const Streams::Use& use : uses) {
      const auto found = blocks_.find(use.address);
      if (found == blocks_.end()) continue;
      if (found->second.writer) result.push_back(found->second.writer);
      if (use.writes)
        result.insert(result.end(), found->second.readers.begin(), found->second.readers.end());
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }
  void add(CUgraphNode node, std::span<const Streams::Use> uses) {
    for (const Streams::Use& use : uses)
      if (use.writes) blocks_[use.address] = {node, {}};
    for (const Streams::Use& use : uses) {
      Block& block = blocks_[use.address];
      if (block.writer != node) block.readers.push_back(node);
    }
  }

 private:
  struct Block {
    CUgraphNode writer = nullptr;
    std::vector<CUgraphNode> readers;  // since the write
  };
  std::unordered_map<c_like::Address, Block> blocks_;
};

bool add_nodes(const Library& library, CUgraph graph, std::span<Command> commands,
               std::int64_t times) {
  constexpr auto threads = static_cast<unsigned>(c_like::group_size);
  Edges edges;
  for (std::int64_t i = 0; i < times; ++i)
    for (Command& command : commands) {
      std::vector<void*> pointers = command.pointers();
      const KernelNodeParams parameters = {
          command.function, command.x, command.y, 1, threads, 1, 1, 0, pointers.data(), nullptr};
      const std::vector<CUgraphNode> before = edges.before(command.uses);
      CUgraphNode node = nullptr;
      if (library.cuGraphAddKernelNode(&node, graph, before.data(), before.size(), &parameters) !=
          success)
        return false;
      edges.add(node, command.uses);
    }
  return true;
}

// The memory that a graph uses, each address once.
std::vector<Streams::Use> uses_of(std::span<const Command> commands) {
  std::unordered_map<c_like::Address, bool> writes;
  for (const Command& command : commands)
    for (const Streams::Use& use : command.uses) writes[use.address] |= use.writes;
  std::vector<Streams::Use> result;
  for (const auto& [address, is_written] : writes) result.push_back({address, is_written});
  return result;
}

}  // namespace

std::vector<void*> Command::pointers() {
  std::vector<void*> result;
  for (std::uint64_t& value : values) result.push_back(&value);
  return result;
}

Graphs::~Graphs() {
  try {
    const Context::Current current(state_->context);
    for (const Kept& kept : kept_) destroy(kept);
  } catch (const Error&) {  // the device is lost, and its graphs with it
  }
}

bool Graphs::Kept::is_done() const {
  return std::ranges::all_of(last.by_queue(), [](const auto& of_queue) {
    return static_cast<const Event*>(of_queue.second.get())->is_done();
  });
}

// The graph may still be running.
void Graphs::destroy(const Kept& kept) const {
  for (const auto& [queue, mark] : kept.last.by_queue())
    static_cast<const Event*>(mark.get())->synchronize();
  state_->context.library().cuGraphExecDestroy(kept.executable);
}

// Graphs that are still running are not waited for.
void Graphs::drop_old() {
  for (auto kept = kept_.end(); kept_.size() > most_kept && kept != kept_.begin();) {
    --kept;
    if (!kept->is_done()) continue;
    destroy(*kept);
    kept = kept_.erase(kept);
  }
}

bool Graphs::launch(std::span<Command> commands, std::int64_t times, c_like::CallWork* call) {
  const Library& library = state_->context.library();
  if (!library.has_graphs || commands.empty()) return false;
  const std::lock_guard lock(mutex_);
  Kept* const kept = find(key_of(commands, times), commands, times);
  if (!kept) return false;
  CUresult result = success;
  state_->streams().launch(
      uses_of(commands), call, times * std::ssize(commands),
      [&](const Stream& stream) {
        result = library.cuGraphLaunch(kept->executable, stream.handle());
      },
      [&](std::size_t queue, const c_like::Mark& mark) {
        kept->last.add(queue, mark);
        for (const auto& module : kept->modules) module->was_launched(queue, mark);
      });
  drop_old();
  return result == success;
}

Graphs::Kept* Graphs::find(std::vector<std::uint64_t> key, std::span<Command> commands,
                           std::int64_t times) {
  const auto found =
      std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.key == key; });
  if (found != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, found);
    return &kept_.front();
  }
  const CUgraphExec executable = build(commands, times);
  if (!executable) return nullptr;
  Kept& kept = kept_.emplace_front();
  kept.key = std::move(key);
  kept.executable = executable;
  for (const Command& command : commands) kept.modules.push_back(command.module);
  return &kept;
}

CUgraphExec Graphs::build(std::span<Command> commands, std::int64_t times) const {
  const Library& library = state_->context.library();
  CUgraph graph = nullptr;
  if (library.cuGraphCreate(&graph, 0) != success) return nullptr;
  CUgraphExec executable = nullptr;
  if (!add_nodes(library, graph, commands, times) ||
      library.cuGraphInstantiateWithFlags(&executable, graph, 0) != success)
    executable = nullptr;
  library.cuGraphDestroy(graph);
  return executable;
}

}  // namespace hasten::backends::cuda
