// Graphs: captured from streams, or made node by node.
#include "tests/fake_cuda/module.hpp"
#include "tests/fake_cuda/stream.hpp"

#include <algorithm>
#include <set>
#include <vector>

using namespace fake_cuda;

namespace {

struct Node {
  Work work;
  std::vector<std::size_t> after;  // nodes that precede it
};
struct Graph {
  std::vector<Node> nodes;
};
struct GraphExec {
  std::vector<Work> works;
};

// Of all nodes that may run next, chooses the newest: a node that relies on the order of calls
// without an edge runs too early.
std::vector<Work> in_order(const Graph& graph) {
  std::vector<std::size_t> waits_for(graph.nodes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) waits_for[i] = graph.nodes[i].after.size();
  std::set<std::size_t> ready;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    if (waits_for[i] == 0) ready.insert(i);
  std::vector<Work> works;
  while (!ready.empty()) {
    const std::size_t next = *ready.rbegin();
    ready.erase(next);
    works.push_back(graph.nodes[next].work);
    for (std::size_t i = next + 1; i < graph.nodes.size(); ++i)
      for (const std::size_t before : graph.nodes[i].after)
        if (before == next && --waits_for[i] == 0) ready.insert(i);
  }
  return works;
}

// Handles of nodes are their numbers, from 1.
CUgraphNode handle_of(std::size_t node) { return reinterpret_cast<CUgraphNode>(node + 1); }
std::size_t node_of(CUgraphNode handle) { return reinterpret_cast<std::size_t>(handle) - 1; }

}  // namespace

CUresult cuStreamBeginCapture_v2(CUstream handle, int mode) {
  Device* device = nullptr;
  if (const CUresult error = enter(&device)) return error;
  const std::shared_ptr<Stream> stream = Handles<Stream>::all().find(handle);
  if (!stream || &stream->device() != device) return CUDA_ERROR_INVALID_HANDLE;
  const std::lock_guard lock(captures().mutex);
  stream->capture = std::make_shared<Capture>();
  stream->capture->mode = mode;
  stream->capture->thread = std::this_thread::get_id();
  captures().active.insert(stream->capture);
  return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph* graph) {
  Device* device = nullptr;
  if (const CUresult error = enter(&device)) return error;
  const std::shared_ptr<Stream> stream = Handles<Stream>::all().find(handle);
  if (!stream || !stream->capture) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Capture> capture;
  {
    const std::lock_guard lock(captures().mutex);
    capture = stream->capture;
    captures().active.erase(capture);
  }
  {
    const std::lock_guard streams_lock(device->streams_mutex);
    const std::lock_guard lock(captures().mutex);
    for (const auto& each : device->streams)
      if (each->capture == capture) each->capture = nullptr;
  }
  *graph = nullptr;
  if (capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  ++Machine::get().counts.graphs;
  auto made = std::make_shared<Graph>();
  for (Work& work : capture->works) {  // one after the other
    std::vector<std::size_t> after;
    if (!made->nodes.empty()) after.push_back(made->nodes.size() - 1);
    made->nodes.push_back({std::move(work), std::move(after)});
  }
  *graph = reinterpret_cast<CUgraph>(Handles<Graph>::all().add(std::move(made)));
  return CUDA_SUCCESS;
}

CUresult cuGraphCreate(CUgraph* graph, unsigned flags) {
  Device* device = nullptr;
  if (const CUresult error = enter(&device)) return error;
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (Machine::get().faults.strikes("graph")) return CUDA_ERROR_OUT_OF_MEMORY;
  ++Machine::get().counts.graphs;
  *graph = reinterpret_cast<CUgraph>(Handles<Graph>::all().add(std::make_shared<Graph>()));
  return CUDA_SUCCESS;
}

CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph handle, const CUgraphNode* dependencies,
                              std::size_t count, const CUDA_KERNEL_NODE_PARAMS_v1* given) {
  Device* device = nullptr;
  if (const CUresult error = enter(&device)) return error;
  const std::shared_ptr<Graph> graph = Handles<Graph>::all().find(handle);
  if (!graph) return CUDA_ERROR_INVALID_HANDLE;
  if (Machine::get().faults.strikes("graph")) return CUDA_ERROR_OUT_OF_MEMORY;
  Node made;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t before = node_of(dependencies[i]);
    if (before >= graph->nodes.size() ||
        std::find(made.after.begin(), made.after.end(), before) != made.after.end())
      return CUDA_ERROR_INVALID_VALUE;  // like the real driver: each at most once
    made.after.push_back(before);
  }
  const Grid grid{{given->gridDimX, given->gridDimY, given->gridDimZ},
                  {given->blockDimX, given->blockDimY, given->blockDimZ}};
  if (const CUresult error = launch_work(*device, given->func, grid, given->sharedMemBytes,
                                         given->kernelParams, given->extra, made.work))
    return error;
  graph->nodes.push_back(std::move(made));
  *node = handle_of(graph->nodes.size() - 1);
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph handle, unsigned long long) {
  Device* device = nullptr;
  if (const CUresult error = enter(&device)) return error;
  const std::shared_ptr<Graph> graph = Handles<Graph>::all().find(handle);
  if (!graph) return CUDA_ERROR_INVALID_HANDLE;
  if (Machine::get().faults.strikes("graph")) return CUDA_ERROR_OUT_OF_MEMORY;
  ++Machine::get().counts.graphs;
  auto made = std::make_shared<GraphExec>(GraphExec{in_order(*graph)});
  *exec = reinterpret_cast<CUgraphExec>(Handles<GraphExec>::all().add(std::move(made)));
  return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec handle, CUstream stream) {
  Device* device = nullptr;
  if (const CUresult error = enter(&device)) return error;
  const std::shared_ptr<GraphExec> exec = Handles<GraphExec>::all().find(handle);
  if (!exec) return CUDA_ERROR_INVALID_HANDLE;
  if (Machine::get().faults.strikes("graph")) return CUDA_ERROR_OUT_OF_MEMORY;
  ++Machine::get().counts.graph_launches;
  return submit(*device, stream, held([exec] {
    for (const Work& work : exec->works) work();
  }));
}

CUresult cuGraphExecDestroy(CUgraphExec handle) {
  const CUresult error = enter();
  if (!Handles<GraphExec>::all().remove(handle)) return CUDA_ERROR_INVALID_HANDLE;
  --Machine::get().counts.graphs;
  return error;
}

CUresult cuGraphDestroy(CUgraph handle) {
  const CUresult error = enter();
  if (!Handles<Graph>::all().remove(handle)) return CUDA_ERROR_INVALID_HANDLE;
  --Machine::get().counts.graphs;
  return error;
}
