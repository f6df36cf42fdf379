// The way from traced programs to results, without templates: what run() and compile() call.
#pragma once

#include <hasten/detail/term.hpp>
#include <hasten/run/options.hpp>
#include <hasten/run/report.hpp>

#include <memory>
#include <span>
#include <vector>

namespace hasten::detail {

/// A traced program. For run() the function has no parameters. Array parameters come first in
/// fn.params, then scalar ones; results hold array terms or (run of an Exp) one scalar term.
struct Traced {
  Function fn;
  std::vector<Scope::ArrayParam> array_params;
  std::vector<Type> scalar_params;
  Where where;
  Options options;
};

class Executable;  // src/runtime: a program ready to be called, from any thread

/// Compiles (or finds) the program. Errors are thrown at the user's place.
std::shared_ptr<const Executable> compile_program(const Traced&);
/// The same, with no copy of the options in the user's file.
std::shared_ptr<const Executable> compile_program(Function fn,
                                                  std::vector<Scope::ArrayParam> array_params,
                                                  std::vector<Type> scalar_params, const Where&,
                                                  const Options&);

/// What a call gives: host arrays, or the leaves of a scalar as rank-0 arrays.
using Results = std::vector<std::shared_ptr<const HostArray>>;

/// One literal per leaf of the scalar parameters, depth first.
Results execute(const Executable&, std::span<const std::shared_ptr<const HostArray>> arrays,
                std::span<const LiteralBits> scalars);

/// A call in flight.
class PendingResults {
 public:
  virtual ~PendingResults() = default;
  [[nodiscard]] virtual bool ready() const = 0;
  virtual const Results& get() = 0;  // waits; throws what the call threw, again and again
  virtual void cancel() = 0;
};
std::shared_ptr<PendingResults> execute_async(std::shared_ptr<const Executable>,
                                              std::vector<std::shared_ptr<const HostArray>> arrays,
                                              std::vector<LiteralBits> scalars);

Explanation explain(const Executable&);
std::int64_t kernel_count(const Executable&);
std::int64_t launch_count(const Executable&);
Statistics statistics(const Executable&);
Profile profile(const std::shared_ptr<const Executable>&);
Picture picture(const Executable&);

}  // namespace hasten::detail
