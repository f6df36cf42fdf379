// The share of a program that each of several devices, or ranks, computes: fixed, or learned from
// call to call.
//
// in:  the beginning and end of each call: the time each device took for its parts
// out: for a call, where axes are cut, and which device does the work of one without a share
//
// The first two calls of a size are measured: each device works by itself, and is waited for. Then
// shares follow the speed of devices, and two calls run side by side. If the fastest device alone
// may take less time it runs one or two calls, and all later ones if it did. Calls are tried twice,
// because the first one copies arrays that were cut differently. Ranks work side by side from the
// first call on, and none does all the work.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace hasten::runtime {

/// For one call.
struct CallShares {
  std::vector<double> shares;        // by device; together 1
  std::vector<std::int64_t> points;  // shares before each device but the first, in whole_share
  std::vector<std::size_t> runs_on;  // by device: the one that runs its steps
  int size_class = 0;
  bool measures = false;
  bool is_alone = false;                 // one device does all the work, for comparison
  std::vector<std::int64_t> of_devices;  // measured, in nanoseconds, by device
  std::size_t under_way = 0;             // the device that got work last
};

/// For one program, over all its calls. Thread-safe.
class Shares {
 public:
  /// Stores what was learned from process to process: by name, as text.
  struct Keeper {
    virtual ~Keeper() = default;
    [[nodiscard]] virtual std::string find() const = 0;  // empty: nothing is stored
    virtual void keep(const std::string& text) const = 0;
  };

  /// Ranks have equal shares unless their speeds differ: results reside where arrays are cut.
  enum class Among : std::uint8_t { devices, ranks };

  /// `fixed`: shares of their sum, which is positive; empty: shares are learned, and stored.
  Shares(std::size_t devices, const std::vector<double>& fixed,
         std::unique_ptr<const Keeper> keeper = nullptr, Among among = Among::devices);

  /// `elements` of all arguments: calls of about the same size learn together.
  [[nodiscard]] CallShares begin(std::int64_t elements);
  void end(const CallShares& call, std::int64_t nanoseconds);
  /// The device has failed: others do its parts from now on. False if there is no other device;
  /// then it stays.
  [[nodiscard]] bool exclude(std::size_t device);
  /// The device that was to do all the work of the call lacks the memory for it. It keeps its part:
  /// no device does all the work of a call of this size any more.
  void cannot_go_alone(const CallShares& call);

  /// Ranks have learned different shares: all start again.
  void forget();

  /// For explain(): "cpu 60 %, opencl:0 40 %", for the last call.
  [[nodiscard]] std::vector<double> last() const;

 private:
  struct Learned {
    int calls = 0;
    bool is_settled = false;
    bool never_alone = false;
    std::vector<double> shares;
    std::vector<double> estimates;  // nanoseconds, if the device did all cut work
    // Least nanoseconds of calls: side by side, and by the device with the least estimate.
    std::optional<std::int64_t> together, alone;
    std::optional<std::size_t> chosen;  // once settled: the device that does all the work

    /// The device that does all the work of the next call, if any.
    [[nodiscard]] std::optional<std::size_t> goes_alone() const;
    void settle();  // if enough is known
    [[nodiscard]] std::size_t best() const;
  };

  [[nodiscard]] std::string text() const;
  void read(const std::string& text);
  [[nodiscard]] std::vector<double> without_excluded(std::vector<double> shares) const;
  void measure(Learned& learned, const CallShares& call) const;
  void choose_shares(Learned& learned) const;

  const std::size_t devices_;
  const std::vector<double> fixed_;
  const std::unique_ptr<const Keeper> keeper_;  // null: not stored
  const Among among_;
  mutable std::mutex mutex_;
  std::map<int, Learned> learned_;  // by size class
  std::vector<bool> is_excluded_;
  std::vector<double> last_;
};

}  // namespace hasten::runtime
