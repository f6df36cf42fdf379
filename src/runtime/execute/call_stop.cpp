// A device has its own word where its kernels can see such words.
#include "runtime/execute/call_stop.hpp"

#include <hasten/run/error.hpp>

#include <utility>

namespace hasten::runtime {
namespace {

/// Null if the device's kernels can see no word; backends in host memory see the host's.
std::shared_ptr<support::StopWord> word_on(backends::Backend* backend,
                                           const std::shared_ptr<support::StopWord>& hosts) {
  return !backend || backend->in_host_memory() ? hosts : backend->make_stop_word();
}

}  // namespace

CallStop::CallStop(std::stop_token options, std::stop_token call,
                   std::span<backends::Backend* const> backends, bool by_ranks)
    : options_(std::move(options)),
      call_(std::move(call)) {
  if (!is_possible() && !by_ranks) return;
  word_ = std::make_shared<support::StopWord>(0);
  for (backends::Backend* backend : backends) of_kernels_.push_back(word_on(backend, word_));
  by_options_.emplace(options_, Raise{*this});
  by_call_.emplace(call_, Raise{*this});
}

void CallStop::fail(const std::string& operation, const std::source_location& where) const {
  const bool is_cancelled = call_.stop_requested();
  const std::string what = operation.empty() ? "a call" : operation + ": the call";
  if (!is_cancelled && !options_.stop_requested())
    throw StoppedError(what + " was stopped on another rank", where);
  throw StoppedError(
      what + " was stopped by " +
          (is_cancelled ? "Pending::cancel(); its arguments and all other calls are as they were, "
                          "and the program can be called again"
                        : "the token of Options::stop; its arguments and all other programs are as "
                          "they were; later calls of this program end like this at once, so "
                          "compile it with another token to run it again"),
      where);
}

}  // namespace hasten::runtime
