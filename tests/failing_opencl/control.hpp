// What the failing OpenCL exports beside OpenCL's functions, for tests: which command fails.
#pragma once

extern "C" {

/// From now on, the n-th (1: the next) event of this kind fails with OpenCL's number `error`, and
/// `times` - 1 after it. Kinds: alloc, launch and copy (at once); event, a launch that is taken,
/// and says that it failed by its event alone: those after it in its queue go on; lost, a launch
/// that fails like that and has done nothing; moved, a copy that has done nothing. 0 for an unknown
/// kind.
int failing_opencl_fail(const char* kind, long long nth, long long times, int error);

/// Nothing fails any more.
void failing_opencl_reset();

/// How much has failed since the start.
long long failing_opencl_failures();

}  // extern "C"
