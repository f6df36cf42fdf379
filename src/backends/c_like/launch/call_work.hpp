// The commands that a call has enqueued on a device, as the last mark in each of its queues.
//
// in:  marks of the call's commands, from the driver, on the call's thread
// out: the owner of a command; a wait for the call's commands alone; the errors of any of them
#pragma once

#include "backends/c_like/driver.hpp"
#include "backends/timed_work.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hasten::backends::c_like {

/// The last of some commands in each queue: when these have happened, all of them have.
class LastMarks {
 public:
  void add(std::size_t queue, const Mark& mark);
  void clear() { marks_.clear(); }
  [[nodiscard]] const std::vector<std::pair<std::size_t, Mark>>& by_queue() const { return marks_; }

 private:
  std::vector<std::pair<std::size_t, Mark>> marks_;
};

/// The work of one call on one device; belongs to the call's thread.
class CallWork final : public Work, public TimedWork {
 public:
  explicit CallWork(std::shared_ptr<Driver> driver);
  ~CallWork() override;
  CallWork(const CallWork&) = delete;
  CallWork& operator=(const CallWork&) = delete;

  /// That of this thread's innermost call that uses this device; null: there is none.
  [[nodiscard]] static CallWork* current(const Driver& driver);

  /// Adds a command of the call, which has `launches` launches.
  void add(std::size_t queue, const Mark& mark, std::int64_t launches = 1,
           const char* name = "foreign");
  /// Waits if the host is far ahead of the call's launches. Enqueued commands hold their memory;
  /// and when a driver's queue is full it blocks, along with everyone who enqueues commands.
  void limit_lead();
  void finish() override;
  /// Throws the error of any command that has happened. For readers of what the call made: on
  /// devices that do not report a failure later, each command has to be checked once.
  void look();
  /// From now on its commands follow some of the same call on other devices: errors there are
  /// checked first, so that they are not attributed to this device.
  void reads_from_others() { reads_others_ = true; }

  void keep_times() override { keeps_times_ = true; }
  [[nodiscard]] std::vector<CommandTime> take_times() override { return std::exchange(times_, {}); }

 private:
  struct Command {
    Mark mark;
    std::string name;  // if times are kept
  };
  void wait(const LastMarks& marks);
  void look_at_own();

  const std::shared_ptr<Driver> driver_;
  CallWork* outer_;
  LastMarks last_, earlier_;     // those of the call at the last check of the lead
  std::vector<Command> unseen_;  // not yet known to have succeeded or failed
  std::vector<CommandTime> times_;
  bool keeps_times_ = false, reads_others_ = false;
  std::int64_t launches_ = 0;  // since then
  std::int64_t allowance_;     // until the next check
};

}  // namespace hasten::backends::c_like
