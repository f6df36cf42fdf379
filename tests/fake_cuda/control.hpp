// Functions that the fake exports besides CUDA's, for tests: faults, orders, counts. Programs that
// open the library find these functions by name, like CUDA's own.
//
// The environment sets the same values at the start; docs/testing.md lists the variables.
#pragma once

extern "C" {

/// Live objects, and events since the start, on all devices together.
struct FakeCudaCounts {
  long long buffers, bytes, host_buffers, modules, streams, events, graphs;  // alive
  long long contexts;                                                        // retained
  long long allocations, copies_to_device, copies_from_device, copies_on_device, launches;
  long long graph_launches, compilations, calls;
  long long failures;  // injected so far
  long long mistakes;  // misuse that was reported: bounds, barriers, stale handles
  long long held;      // launches, including graphs, that wait for fake_cuda_release
};

void fake_cuda_counts(FakeCudaCounts* counts);

/// From now on, the n-th (1: the next) event of this kind fails, and the `times` - 1 events after
/// it. Kinds: alloc, host_alloc, copy (later, permanently), launch (immediately), crash (later,
/// permanently), load, compile, stream, event, graph (any call about one), lost (any call, and all
/// calls after it). Returns 0 for an unknown kind.
int fake_cuda_fail(const char* kind, long long nth, long long times);

/// Clears faults and errors, like a new device that replaces the old one. Memory stays.
void fake_cuda_reset();

/// Sets the order in which the threads of a block run between two barriers, and the blocks of a
/// grid: "forward", "reverse" or "random:SEED". Returns 0 for any other text.
int fake_cuda_order(const char* order);

/// Whether streams delay their work until someone waits for it.
void fake_cuda_lazy(int lazy);

/// Whether launches enqueued from now on, including graphs, are held in their streams, together
/// with all later work there. Launches that are held already stay held.
void fake_cuda_hold(int holds);
/// Releases everything that is held.
void fake_cuda_release();

/// Sets the memory of each device.
void fake_cuda_memory(unsigned long long bytes);

}  // extern "C"
