// A program over a sequence of arguments: the next calls run while the caller uses a result.
#pragma once

#include <hasten/run/run.hpp>

#include <cstddef>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace hasten {

/// The results of a program for each frame of a range, in order. A single-pass input range: a frame
/// is taken from the range shortly before its result is requested.
template <class Program, class Frames>
class Stream;

template <class R, class... Hs, class Frames>
class Stream<Compiled<R(Hs...)>, Frames> {
 public:
  Stream(Compiled<R(Hs...)> program, Frames&& frames)
      : program_(std::move(program)),
        frames_(std::forward<Frames>(frames)) {}

  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = R;
    using difference_type = std::ptrdiff_t;
    using pointer = const R*;
    using reference = R;

    iterator() = default;
    explicit iterator(Stream* stream) : stream_(stream) {}
    /// Waits for the result; throws the error of its call.
    R operator*() const { return stream_->in_flight_.front().get(); }
    iterator& operator++() {
      stream_->in_flight_.erase(stream_->in_flight_.begin());
      stream_->start_calls();
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const iterator& a, std::default_sentinel_t) { return a.is_done(); }

   private:
    [[nodiscard]] bool is_done() const { return !stream_ || stream_->in_flight_.empty(); }
    Stream* stream_ = nullptr;
  };

  iterator begin() {
    if (!next_) {
      next_.emplace(std::begin(frames_));
      start_calls();
    }
    return iterator(this);
  }
  [[nodiscard]] std::default_sentinel_t end() const { return {}; }

 private:
  using Next = decltype(std::begin(std::declval<std::remove_reference_t<Frames>&>()));
  static constexpr std::size_t calls_ahead = 3;  // one uploads, one computes, one downloads

  void start_calls() {
    for (; in_flight_.size() < calls_ahead && *next_ != std::end(frames_); ++*next_)
      in_flight_.push_back(start(**next_));
  }
  template <class Frame>
  Pending<R> start(const Frame& frame) {
    if constexpr (sizeof...(Hs) == 1) {
      return program_.async(frame);
    } else {
      return std::apply([&](const auto&... arguments) { return program_.async(arguments...); },
                        frame);
    }
  }

  Compiled<R(Hs...)> program_;
  Frames frames_;  // a reference to a named range, else the range
  std::optional<Next> next_;
  std::vector<Pending<R>> in_flight_;  // at most calls_ahead
};

/// The results f(frame) for each frame of a range, computed lazily and in order, as a range to loop
/// over. If f has several parameters, the frames are tuples. Up to three calls are in flight, so
/// that transfers overlap with computation. A named range must outlive the stream.
template <class R, class... Hs, class Frames>
Stream<Compiled<R(Hs...)>, Frames> stream(const Compiled<R(Hs...)>& f, Frames&& frames) {
  return {f, std::forward<Frames>(frames)};
}

}  // namespace hasten
