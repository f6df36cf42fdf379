// Calls whose arrays do not fit on a device: the program cut into parts that come one after the
// other. See docs/memory.md.
//
// in:  a program, and calls of it
// out: the results of each call, computed whole or in as few parts as fit
// invariants: a call has the same results as the whole program, or its error. The number of parts
// is part of a program's structure, so only a few numbers of parts are compiled, when first needed;
// where axes are cut is a number of each call.
#pragma once

#include "core/program.hpp"
#include "core/traverse.hpp"
#include "runtime/compile/kernel_code.hpp"
#include "runtime/execute/executor.hpp"
#include "runtime/profile/profile.hpp"
#include "runtime/targets.hpp"

#include <hasten/run/options.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace hasten::runtime {

/// For all calls of one program. Thread-safe.
class Streaming {
 public:
  /// `program` as it is compiled.
  Streaming(core::Program program, std::shared_ptr<const Device> device, Options options,
            std::source_location where);
  ~Streaming();

  /// Whether there is a limit below the machine's memory. Without one, calls that find no memory
  /// may still be run again here.
  [[nodiscard]] static bool is_likely(const Device& device, const Options& options);

  /// One attempt at a call. `gives_up`: no other attempt follows.
  using Attempt =
      core::FunctionRef<detail::Results(const LoadedPlan&, Arguments&, CallRecord&, bool gives_up)>;
  /// `failed`: the error, being handled, of an attempt at the whole.
  [[nodiscard]] detail::Results run(const LoadedPlan& whole, const Arguments& arguments,
                                    CallRecord& record, Attempt attempt,
                                    const MemoryError* failed = nullptr);

  /// About the last call: 1 if it was not cut.
  struct Last {
    std::size_t parts = 1;
    std::string why;
  };
  [[nodiscard]] Last last() const;
  /// The data for profiles of streamed calls, for the number of parts used last; empty if no call
  /// has streamed.
  [[nodiscard]] ProfileSource profile_source() const;
  [[nodiscard]] std::vector<KernelCodeRef> kernels_ours() const;
  [[nodiscard]] std::vector<std::shared_ptr<Recording>> recordings() const;

 private:
  struct Plan;

  [[nodiscard]] std::shared_ptr<const Plan> plan_of(std::size_t parts);
  [[nodiscard]] std::size_t parts_for(std::int64_t bytes) const;
  [[nodiscard]] std::string too_large(const Arguments& arguments) const;
  [[nodiscard]] std::size_t budget() const;
  [[nodiscard]] bool is_hopeless(std::int64_t bytes, std::size_t parts) const;
  detail::Results run_parts(const Plan& plan, const Arguments& arguments, std::uint32_t& part,
                            Attempt attempt);
  void remember(int size_class, const Last& last);

  const core::Program program_;
  const std::shared_ptr<const Device> device_;
  const Options options_;
  const std::source_location where_;
  mutable std::mutex mutex_;                                  // of all below
  std::map<std::size_t, std::shared_ptr<const Plan>> plans_;  // by parts
  std::map<int, Last> known_;                                 // by size class
  Last last_;
  std::shared_ptr<const Plan> last_plan_;
};

}  // namespace hasten::runtime
