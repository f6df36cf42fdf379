// Whether a call has been asked to stop, and by whom.
//
// in:  the token of Options::stop and that of Pending::cancel(); either may be one that never
//      stops; a stop of another rank
// out: words that are set when one of them stops, one per device, which loops poll; the error
// invariants: if no stop is possible there is no word, and nothing is polled; a word belongs to one
// call
#pragma once

#include "backends/backend.hpp"
#include "support/stopping.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace hasten::runtime {

class CallStop {
 public:
  /// Each backend makes the word of its own device, if supported; null: the program is interpreted.
  /// `by_ranks`: other ranks may stop it.
  CallStop(std::stop_token options, std::stop_token call,
           std::span<backends::Backend* const> backends, bool by_ranks = false);

  /// By a token of this process.
  [[nodiscard]] bool is_possible() const {
    return options_.stop_possible() || call_.stop_possible();
  }
  [[nodiscard]] bool is_asked() const { return support::is_stopped(word_.get()); }
  /// The host's; null if no stop is possible.
  [[nodiscard]] const support::StopWord* word() const { return word_.get(); }
  /// For launches on this device, by its number; null if its kernels cannot see any.
  [[nodiscard]] const support::StopWord* word_of_kernels(std::size_t device) const {
    return device < of_kernels_.size() ? of_kernels_[device].get() : nullptr;
  }
  /// Another rank was asked to stop. From any thread.
  void raise() const noexcept { Raise{*this}(); }
  /// Throws the StoppedError. `operation` is the one that was not run; may be empty.
  [[noreturn]] void fail(const std::string& operation, const std::source_location& where) const;

 private:
  using Word = std::shared_ptr<support::StopWord>;
  // Sets the host's word first: an abandoned kernel is never mistaken for a finished one.
  struct Raise {
    const CallStop& stop;
    void operator()() const noexcept {
      stop.word_->store(1, std::memory_order_seq_cst);
      for (const Word& word : stop.of_kernels_)
        if (word) word->store(1, std::memory_order_seq_cst);
    }
  };

  std::stop_token options_, call_;
  Word word_;
  std::vector<Word> of_kernels_;
  std::optional<std::stop_callback<Raise>> by_options_, by_call_;  // destroyed first
};

}  // namespace hasten::runtime
