// Commands that fail without an error in the commands after them: the call checks each of them.
#include "backends/c_like/launch/call_work.hpp"

#include "tests/unit/devices/counting_driver.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

namespace hasten::backends::c_like {
namespace {

struct Command {
  bool has_happened = true, fails = false;
};

// Waits return immediately and do not report failures of earlier commands.
class SilentDriver final : public CountingDriver {
 public:
  explicit SilentDriver(bool is_silent) : is_silent_(is_silent) {}
  void wait_for(const Mark&) override { ++waits; }
  [[nodiscard]] bool fails_silently() const override { return is_silent_; }
  [[nodiscard]] bool has_happened(const Mark& mark) override {
    ++looks;
    const auto& command = *static_cast<const Command*>(mark.get());
    if (command.fails) throw TargetError("a command failed");
    return command.has_happened;
  }
  int waits = 0, looks = 0;

 private:
  const bool is_silent_;
};

class LostCommands : public testing::Test {
 protected:
  static Mark mark(const Command& command) { return std::make_shared<const Command>(command); }

  const std::shared_ptr<SilentDriver> driver_ = std::make_shared<SilentDriver>(true);
};

TEST_F(LostCommands, AreErrorsOfTheirCall) {
  CallWork work(driver_);
  for (const bool fails : {false, true, false}) work.add(0, mark({true, fails}));
  EXPECT_THROW(work.finish(), TargetError);
  EXPECT_NO_THROW(work.finish());  // once
}

TEST_F(LostCommands, AreSeenWhereTheHostReads) {
  CallWork work(driver_);
  work.add(0, mark({true, true}));
  work.add(1, mark({false, false}));
  EXPECT_THROW(work.look(), TargetError);
}

TEST_F(LostCommands, OfManyLaunchesToo) {
  CallWork work(driver_);
  work.add(0, mark({true, true}));
  const auto go_on = [&] {
    for (int i = 0; i < 1000; ++i) {
      work.add(0, mark({}));
      work.limit_lead();
    }
  };
  EXPECT_THROW(go_on(), TargetError);
}

TEST_F(LostCommands, EachIsLookedAtUntilItHasHappened) {
  CallWork work(driver_);
  work.add(0, mark({}));
  work.look();
  work.look();
  EXPECT_EQ(driver_->looks, 1);
  work.add(0, mark({false, false}));
  work.look();
  work.look();
  EXPECT_EQ(driver_->looks, 3);
}

// Bytes copied from another device may come from a failed command there.
TEST_F(LostCommands, OfADeviceThatIsReadAreThatOnes) {
  const auto other = std::make_shared<SilentDriver>(true);
  CallWork theirs(other), ours(driver_);
  theirs.add(0, mark({true, true}));
  EXPECT_NO_THROW(ours.look());
  ours.reads_from_others();
  ours.add(0, mark({true, true}));  // because the command that it waits for failed
  EXPECT_THROW(ours.look(), TargetError);
  EXPECT_EQ(driver_->looks, 0);
}

TEST_F(LostCommands, OthersAreNotLookedAt) {
  const auto loud = std::make_shared<SilentDriver>(false);
  CallWork work(loud);
  work.add(0, mark({true, true}));
  EXPECT_NO_THROW(work.finish());
  EXPECT_EQ(loud->looks, 0);
}

}  // namespace
}  // namespace hasten::backends::c_like
