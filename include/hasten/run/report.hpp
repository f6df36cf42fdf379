// Reports about programs: counters, explanations, profiles, pictures.
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
  std::int64_t kernels_compiled = 0;    ///< compiled anew by a target's compiler
  std::int64_t kernels_from_cache = 0;  ///< found in memory or on disk instead
  std::int64_t launches = 0;            ///< kernel launches, on all targets but the interpreter
  std::int64_t bytes_to_devices = 0;    ///< copied there; counted for the process only
  std::int64_t bytes_from_devices = 0;  ///< copied back; counted for the process only
  std::int64_t bytes_allocated = 0;     ///< memory allocated for arrays, in total
  std::int64_t bytes_peak = 0;          ///< memory of arrays in use at once, maximum
  /// On devices with their own memory, over all programs: arrays evicted to make room, and arrays
  /// that reused the memory of freed ones.
  std::int64_t evictions = 0, blocks_reused = 0;
  /// The counts between two samples; for the peaks, the difference.
  friend Statistics operator-(Statistics a, const Statistics& b);
};

/// Counters of the whole process.
Statistics statistics();

/// What became of a program: its kernels, what was fused into what, and which arrays reach memory
/// and why.
class Explanation {
 public:
  explicit Explanation(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] const std::string& str() const { return text_; }
  friend std::ostream& operator<<(std::ostream&, const Explanation&);

 private:
  std::string text_;
};

/// A place in a program's plan where work is done (a launch, a sort, a copy, a foreign call), or
/// the remaining time of its calls. Times are in milliseconds, on the device's own clock if it has
/// one.
struct ProfileRow {
  std::string kind;  ///< "launch", "fill", "sort", "copy", "foreign call", "host", "interpreted"
  std::string name;  ///< the operations, and names given by named()
  std::source_location where;  ///< in the user's program
  std::string shapes;          ///< extents of the last call, "[1000, 3]"
  std::int64_t calls = 0;
  double first_ms = 0, minimum_ms = 0, median_ms = 0;  ///< median of the newest 32
  double total_ms = 0;
  double share = 0;              ///< of the total time of the program's calls, 0 to 1
  std::int64_t bytes = 0;        ///< lower bound on the bytes one call moves; for copies, mean
  std::int64_t flops = 0;        ///< of one call
  double bandwidth_gbps = 0;     ///< in the median call; 0: not known
  double bandwidth_share = 0;    ///< of the measured limit of memory, or of the cache in use
  double arithmetic_gflops = 0;  ///< in the median call
  double arithmetic_share = 0;   ///< of the measured arithmetic limit of the machine, 0 to 1
  std::string bound;             ///< the bottleneck in words: "memory", "gathers"...
};

/// Where the time of a program's calls went, since it was compiled or since reset(). The times of
/// all rows add up to total_ms().
class Profile {
 public:
  Profile(std::string title, std::vector<ProfileRow> rows, std::int64_t calls, double total_ms,
          std::function<void()> reset)
      : title_(std::move(title)),
        rows_(std::move(rows)),
        calls_(calls),
        total_ms_(total_ms),
        reset_(std::move(reset)) {}
  /// The rows in the order of the plan. On a temporary, they are returned as a vector by value, so
  /// that `for (const auto& row : f.profile().rows())` does not read freed memory.
  [[nodiscard]] const std::vector<ProfileRow>& rows() const& { return rows_; }
  [[nodiscard]] std::vector<ProfileRow> rows() && { return std::move(rows_); }
  [[nodiscard]] std::int64_t calls() const { return calls_; }
  /// The time of all calls from beginning to end, and of the copies of their results, which are
  /// made when a result is first looked at.
  [[nodiscard]] double total_ms() const { return total_ms_; }
  /// A human-readable table, the longest row first.
  [[nodiscard]] std::string str() const;
  /// Discards the measurements of the program; this object keeps its own.
  void reset() const { reset_(); }
  friend std::ostream& operator<<(std::ostream&, const Profile&);

 private:
  std::string title_;
  std::vector<ProfileRow> rows_;
  std::int64_t calls_;
  double total_ms_;
  std::function<void()> reset_;
};

/// The plan of a program as an SVG picture, to be written to a file.
class Picture {
 public:
  explicit Picture(std::string svg) : svg_(std::move(svg)) {}
  [[nodiscard]] const std::string& str() const { return svg_; }
  friend std::ostream& operator<<(std::ostream&, const Picture&);

 private:
  std::string svg_;
};

}  // namespace hasten
