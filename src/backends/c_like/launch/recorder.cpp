// Replays of recorded launches.
#include "backends/c_like/launch/recorder.hpp"

#include <hasten/run/error.hpp>

namespace hasten::backends::c_like {
namespace {

class KeptReplay final : public Replay {
 public:
  KeptReplay(std::shared_ptr<Driver> driver, std::vector<KeptLaunch> launches)
      : driver_(std::move(driver)),
        launches_(std::move(launches)) {}

  void run(std::int64_t times) override {
    if (driver_->launch_together(launches_, times)) return;
    for (std::int64_t i = 0; i < times; ++i)
      for (const KeptLaunch& one : launches_)
        driver_->launch(*one.program, one.function.c_str(), one.grid, one.arguments);
  }

 private:
  const std::shared_ptr<Driver> driver_;
  const std::vector<KeptLaunch> launches_;
};

}  // namespace

void Recorder::refuse() { throw InternalError("a device is changed while launches are recorded"); }

std::unique_ptr<Replay> make_replay(std::shared_ptr<Driver> driver,
                                    std::vector<KeptLaunch> launches) {
  return std::make_unique<KeptReplay>(std::move(driver), std::move(launches));
}

}  // namespace hasten::backends::c_like
