// What a call has told a device, as the last mark in each of its queues.
//
// in:  marks of the call's commands, from the driver, on the call's thread
// out: whose a command is; a wait for the call's commands alone; what went wrong with any of them
#pragma once

#include "backends/c_like/driver.hpp"
#include "backends/timed_work.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hasten::backends::c_like {

/// Of some commands the last in each queue: when these have happened, all of them have.
class LastMarks {
 public:
  void add(std::size_t queue, const Mark& mark);
  void clear() { marks_.clear(); }
  [[nodiscard]] const std::vector<std::pair<std::size_t, Mark>>& by_queue() const { return marks_; }

 private:
  std::vector<std::pair<std::size_t, Mark>> marks_;
};

/// One call's on one device, and its thread's.
class CallWork final : public Work, public TimedWork {
 public:
  explicit CallWork(std::shared_ptr<Driver> driver);
  ~CallWork() override;
  CallWork(const CallWork&) = delete;
  CallWork& operator=(const CallWork&) = delete;

  /// Of this thread's innermost call that this device is told something by; null: there is none.
  [[nodiscard]] static CallWork* current(const Driver& driver);

  /// A command of the call's, of so many launches.
  void add(std::size_t queue, const Mark& mark, std::int64_t launches = 1,
           const char* name = "foreign");
  /// Waits if the host is far ahead of the call's launches. What is enqueued holds its memory; and
  /// when a driver has no room for more it blocks, with all who want to tell the device something.
  void limit_lead();
  void finish() override;
  /// Throws what went wrong with a command that has happened. For who reads what the call made:
  /// where devices say nothing of a failure later on, each command has to be looked at once.
  void look();
  /// From now on its commands come after some of the same call on other devices: what went wrong
  /// there is looked at first, and is no fault of this device's.
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
  LastMarks last_, earlier_;     // those of the call when the lead was last looked at
  std::vector<Command> unseen_;  // of which it is not known yet whether they failed
  std::vector<CommandTime> times_;
  bool keeps_times_ = false, reads_others_ = false;
  std::int64_t launches_ = 0;  // since then
  std::int64_t allowance_;     // until the next look
};

}  // namespace hasten::backends::c_like
