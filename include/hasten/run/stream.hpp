// A program over a sequence of arguments: the next calls are under way while a result is looked at.
#pragma once

#include <hasten/run/run.hpp>

#include <cstddef>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace hasten {

/// The results of a program for each frame of a range, in order. An input range, to be gone through
/// once: a frame is taken from the range shortly before its result is asked for.
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
    /// Waits for the result; an error of its call is thrown here.
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
  static constexpr std::size_t calls_ahead = 3;  // one comes in, one computes, one goes out

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
  Frames frames_;  // a reference to a range that has a name, else the range
  std::optional<Next> next_;
  std::vector<Pending<R>> in_flight_;  // at most calls_ahead
};

/// The results f(frame) for each frame of a range, lazily and in order: a range to loop over. Of
/// several parameters the frames are tuples. Up to three calls are under way, so that transfers and
/// computing overlap. A range with a name must live as long as the stream.
template <class R, class... Hs, class Frames>
Stream<Compiled<R(Hs...)>, Frames> stream(const Compiled<R(Hs...)>& f, Frames&& frames) {
  return {f, std::forward<Frames>(frames)};
}

}  // namespace hasten
