// What the library says about programs: counters, what became of one, where its time goes.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <source_location>
#include <string>
#include <vector>

namespace hasten {

/// Counters since the start of the process, or of one compiled function.
struct Statistics {
  std::int64_t traces = 0;              ///< programs built: calls of `compile` and `run`
  std::int64_t kernels_compiled = 0;    ///< anew, by a target's compiler
  std::int64_t kernels_from_cache = 0;  ///< found in memory or on the disk instead
  std::int64_t launches = 0;            ///< of kernels, on every target but the interpreter
  std::int64_t bytes_to_devices = 0;    ///< copied there; counted for the process only
  std::int64_t bytes_from_devices = 0;  ///< copied back; counted for the process only
  std::int64_t bytes_allocated = 0;     ///< memory of arrays taken, in all
  std::int64_t bytes_peak = 0;          ///< memory of arrays at one time, at most
  /// Of devices with their own memory, all programs together: arrays moved out to make room, and
  /// arrays that took the memory of ones that had gone.
  std::int64_t evictions = 0, blocks_reused = 0;
  /// What was counted between two looks; of the peaks, the difference.
  friend Statistics operator-(Statistics a, const Statistics& b);
};

/// Counters of the whole process.
Statistics statistics();

/// What became of a program: kernels, what was fused into what, which arrays reach memory and why.
class Explanation {
 public:
  explicit Explanation(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] const std::string& str() const { return text_; }
  friend std::ostream& operator<<(std::ostream&, const Explanation&);

 private:
  std::string text_;
};

/// A place of a program's plan where work is done: a launch, a sort, a copy, a foreign call; or
/// what its calls took beside these. Times are milliseconds, on the device's own clock where it has
/// one.
struct ProfileRow {
  std::string kind;  ///< "launch", "fill", "sort", "copy", "foreign call", "host", "interpreted"
  std::string name;  ///< the operations, and names that named() gave
  std::source_location where;  ///< in the user's program
  std::string shapes;          ///< what the last call went over, "[1000, 3]"
  std::int64_t calls = 0;
  double first_ms = 0, minimum_ms = 0, median_ms = 0;  ///< the median of the newest 32
  double total_ms = 0;
  double share = 0;              ///< of all time that calls of the program took, 0 to 1
  std::int64_t bytes = 0;        ///< that one call had to move, at least; of copies the mean
  std::int64_t flops = 0;        ///< of one call
  double bandwidth_gbps = 0;     ///< in the median call; 0: nothing to say
  double bandwidth_share = 0;    ///< of what memory, or the cache at work, was measured to give
  double arithmetic_gflops = 0;  ///< in the median call
  double arithmetic_share = 0;   ///< of what the machine was measured to compute, 0 to 1
  std::string bound;             ///< what bounds it, in words: "memory", "gathers"...
};

/// Where the time of a program's calls went, since it was compiled or since reset(). The times of
/// all rows together are total_ms().
class Profile {
 public:
  Profile(std::string title, std::vector<ProfileRow> rows, std::int64_t calls, double total_ms,
          std::function<void()> reset)
      : title_(std::move(title)),
        rows_(std::move(rows)),
        calls_(calls),
        total_ms_(total_ms),
        reset_(std::move(reset)) {}
  /// In the order of the plan. Of a temporary they are a vector of their own, so that
  /// `for (const auto& row : f.profile().rows())` reads nothing that is gone.
  [[nodiscard]] const std::vector<ProfileRow>& rows() const& { return rows_; }
  [[nodiscard]] std::vector<ProfileRow> rows() && { return std::move(rows_); }
  [[nodiscard]] std::int64_t calls() const { return calls_; }
  /// Of all calls, from their begin to their end, and of copies of their results, which are made
  /// when somebody looks at them.
  [[nodiscard]] double total_ms() const { return total_ms_; }
  /// As a table for people, the longest row first.
  [[nodiscard]] std::string str() const;
  /// Forgets what was measured; this object keeps what it has.
  void reset() const { reset_(); }
  friend std::ostream& operator<<(std::ostream&, const Profile&);

 private:
  std::string title_;
  std::vector<ProfileRow> rows_;
  std::int64_t calls_;
  double total_ms_;
  std::function<void()> reset_;
};

/// The plan of a program as a picture: SVG, to be written into a file.
class Picture {
 public:
  explicit Picture(std::string svg) : svg_(std::move(svg)) {}
  [[nodiscard]] const std::string& str() const { return svg_; }
  friend std::ostream& operator<<(std::ostream&, const Picture&);

 private:
  std::string svg_;
};

}  // namespace hasten
