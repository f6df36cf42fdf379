// What a device executed, by its own clock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hasten::backends {

/// In nanoseconds of the device's clock.
struct CommandTime {
  std::string name;
  std::int64_t start, end;
};

/// A Work whose device records the times of each command.
class TimedWork {
 public:
  virtual ~TimedWork() = default;
  /// Records from now on.
  virtual void keep_times() = 0;
  /// The times of commands that have ended since the last call; after Work::finish, of all.
  [[nodiscard]] virtual std::vector<CommandTime> take_times() = 0;
};

}  // namespace hasten::backends
