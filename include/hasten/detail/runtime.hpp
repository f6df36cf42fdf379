// The untemplated path from traced programs to results: the callees of run() and compile().
#pragma once

#include <hasten/detail/term.hpp>
#include <hasten/run/options.hpp>
#include <hasten/run/report.hpp>

#include <memory>
#include <span>
#include <vector>

namespace hasten::detail {

/// A traced program. For run(), the function has no parameters. In fn.params, array parameters come
/// first, then scalar ones; the results are array terms or (run of an Exp) one scalar term.
struct Traced {
  Function fn;
  std::vector<Scope::ArrayParam> array_params;
  std::vector<Type> scalar_params;
  Where where;
  Options options;
};

class Executable;  // src/runtime: a program ready to call, from any thread

/// Compiles the program, or finds it compiled. Errors carry the user's source location.
std::shared_ptr<const Executable> compile_program(const Traced&);
/// Likewise, without a copy of the options in the user's translation unit.
std::shared_ptr<const Executable> compile_program(Function fn,
                                                  std::vector<Scope::ArrayParam> array_params,
                                                  std::vector<Type> scalar_params, const Where&,
                                                  const Options&);

/// The results of a call: host arrays, or the leaves of a scalar as rank-0 arrays.
using Results = std::vector<std::shared_ptr<const HostArray>>;

/// Executes the program with one literal per leaf of the scalar parameters, depth first.
Results execute(const Executable&, std::span<const std::shared_ptr<const HostArray>> arrays,
                std::span<const LiteralBits> scalars);

/// A call in flight.
class PendingResults {
 public:
  virtual ~PendingResults() = default;
  [[nodiscard]] virtual bool ready() const = 0;
  virtual const Results& get() = 0;  // waits; rethrows the call's exception on every call
  virtual void cancel() = 0;
};
/// Throws Error if there are none: the object that had them was moved from.
PendingResults& pending(const std::shared_ptr<PendingResults>& results, const Where& where);
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
