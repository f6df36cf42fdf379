// The word is a device's own where kernels can see such words.
#include "runtime/execute/call_stop.hpp"

#include <hasten/run/error.hpp>

#include <utility>

namespace hasten::runtime {
namespace {

std::shared_ptr<support::StopWord> make_word(backends::Backend* backend) {
  if (backend && !backend->in_host_memory()) return backend->make_stop_word();
  return std::make_shared<support::StopWord>(0);
}

}  // namespace

CallStop::CallStop(std::stop_token options, std::stop_token call, backends::Backend* backend)
    : options_(std::move(options)),
      call_(std::move(call)) {
  if (!options_.stop_possible() && !call_.stop_possible()) return;
  word_ = make_word(backend);
  kernels_see_it_ = word_ != nullptr;
  if (!word_) word_ = std::make_shared<support::StopWord>(0);
  by_options_.emplace(options_, Raise{*word_});
  by_call_.emplace(call_, Raise{*word_});
}

void CallStop::fail(const std::string& operation, const std::source_location& where) const {
  const bool is_cancelled = call_.stop_requested();
  const std::string what = operation.empty() ? "a call" : operation + ": the call";
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
