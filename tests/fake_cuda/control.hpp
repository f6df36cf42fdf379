// What the fake exports beside CUDA's functions, for tests: faults, orders, counts. Programs that
// open the library find these functions by name, like CUDA's own.
//
// The environment sets the same at the start; docs/testing.md lists the variables.
#pragma once

extern "C" {

/// What is alive now, and what happened since the start, on all devices together.
struct FakeCudaCounts {
  long long buffers, bytes, host_buffers, modules, streams, events, graphs;  // alive
  long long contexts;                                                        // retained
  long long allocations, copies_to_device, copies_from_device, copies_on_device, launches;
  long long graph_launches, compilations, calls;
  long long failures;  // injected so far
  long long mistakes;  // misuse that was reported: bounds, barriers, stale handles
  long long held;      // launches, of graphs too, that wait for fake_cuda_release
};

void fake_cuda_counts(FakeCudaCounts* counts);

/// From now on, the n-th (1: the next) event of this kind fails, and `times` - 1 after it. Kinds:
/// alloc, host_alloc, copy (later, for good), launch (at once), crash (later, for good), load,
/// compile, stream, event, graph (any call about one), lost (any call, and all after it). 0 for an
/// unknown kind.
int fake_cuda_fail(const char* kind, long long nth, long long times);

/// Forgets faults and errors: a new device in the old one's place. Memory stays.
void fake_cuda_reset();

/// "forward", "reverse" or "random:SEED": in which order the threads of a block run between two
/// barriers, and the blocks of a grid. 0 if it is none of these.
int fake_cuda_order(const char* order);

/// Whether streams put off their work until somebody waits for it.
void fake_cuda_lazy(int lazy);

/// Whether launches that are told from now on, of graphs too, wait in their streams, and so all
/// that comes after them there. Those that wait already go on waiting.
void fake_cuda_hold(int holds);
/// Lets go all that wait.
void fake_cuda_release();

/// Bytes that each device has from now on.
void fake_cuda_memory(unsigned long long bytes);

}  // extern "C"
