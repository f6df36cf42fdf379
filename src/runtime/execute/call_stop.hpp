// Whether a call has been asked to stop, and by whom.
//
// in:  the token of Options::stop and that of Pending::cancel(); either may be one that never stops
// out: a word that is set when one of them stops, which loops look at; the StoppedError
// invariants: nobody can ask: no word, and nothing is looked at; a word belongs to one call
#pragma once

#include "backends/backend.hpp"
#include "support/stopping.hpp"

#include <memory>
#include <optional>
#include <source_location>
#include <stop_token>
#include <string>

namespace hasten::runtime {

class CallStop {
 public:
  /// `backend` makes the word, if it has any; null: the program is interpreted.
  CallStop(std::stop_token options, std::stop_token call, backends::Backend* backend);

  [[nodiscard]] bool is_possible() const { return word_ != nullptr; }
  [[nodiscard]] bool is_asked() const { return support::is_stopped(word_.get()); }
  /// Null if nobody can ask.
  [[nodiscard]] const support::StopWord* word() const { return word_.get(); }
  /// For launches; null if kernels cannot see it.
  [[nodiscard]] const support::StopWord* word_of_kernels() const {
    return kernels_see_it_ ? word_.get() : nullptr;
  }
  /// Throws the StoppedError. `operation` is what was not done; may be empty.
  [[noreturn]] void fail(const std::string& operation, const std::source_location& where) const;

 private:
  struct Raise {
    support::StopWord& word;
    void operator()() const noexcept { word.store(1, std::memory_order_relaxed); }
  };

  std::stop_token options_, call_;
  std::shared_ptr<support::StopWord> word_;
  bool kernels_see_it_ = false;
  std::optional<std::stop_callback<Raise>> by_options_, by_call_;  // go first
};

}  // namespace hasten::runtime
