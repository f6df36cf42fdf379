// A call on several devices has work on each of them, which ends in any order.
#include "backends/c_like/launch/call_work.hpp"

#include "tests/unit/devices/counting_driver.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>

namespace hasten::backends::c_like {
namespace {

class CallWorks : public testing::Test {
 protected:
  const std::shared_ptr<CountingDriver> first_ = std::make_shared<CountingDriver>(),
                                        second_ = std::make_shared<CountingDriver>();
};

TEST_F(CallWorks, EachDeviceHasItsOwn) {
  CallWork on_first(first_), on_second(second_);
  EXPECT_EQ(CallWork::current(*first_), &on_first);
  EXPECT_EQ(CallWork::current(*second_), &on_second);
  EXPECT_EQ(CallWork::current(CountingDriver()), nullptr);
}

TEST_F(CallWorks, TheInnermostIsMeant) {
  CallWork outer(first_), other(second_);
  {
    CallWork inner(first_);
    EXPECT_EQ(CallWork::current(*first_), &inner);
  }
  EXPECT_EQ(CallWork::current(*first_), &outer);
}

TEST_F(CallWorks, TheyEndInAnyOrder) {
  std::optional<CallWork> on_first(first_), on_second(second_);
  on_first.reset();
  EXPECT_EQ(CallWork::current(*first_), nullptr);
  EXPECT_EQ(CallWork::current(*second_), &*on_second);
  on_second.reset();
  EXPECT_EQ(CallWork::current(*second_), nullptr);
}

}  // namespace
}  // namespace hasten::backends::c_like
