// Targets, dumps, traces: the runtime's reports about itself.
#include "runtime/compile/code_store.hpp"
#include "runtime/report/dump.hpp"
#include "runtime/report/explain.hpp"
#include "runtime/workers.hpp"
#include "tests/unit/runtime/support.hpp"

#include <atomic>
#include <fstream>
#include <functional>
#include <sstream>

namespace hasten::test {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class RuntimeReports : public RuntimeTest {
 protected:
  Acc<Scalar<float>> program() {
    return sum(map([](auto x) { return x * 2.0f; }, use(Vector<float>{1, 2, 3})));
  }
};

TEST_F(RuntimeReports, EnvironmentChoosesTheTarget) {
  const SetEnv target("HASTEN_TARGET", "evaluator");
  EXPECT_EQ(run(program()).item(), 12);
  EXPECT_EQ(backend->launched, 1);
  EXPECT_EQ(run(program(), {.target = interpreter()}).item(), 12);
  EXPECT_EQ(backend->launched, 1);
}

TEST_F(RuntimeReports, UnknownAndAbsentTargetsListWhatThereIs) {
  for (const char* name : {"abacus", "cuda:0", "opencl:3", "multi:cpu,cuda:0", "cpu:1"}) {
    const SetEnv target("HASTEN_TARGET", name);
    try {
      run(program());
      ADD_FAILURE() << name;
    } catch (const TargetError& e) {
      for (const char* part : {name, "HASTEN_TARGET", "interpreter", "evaluator"})
        EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.where().file_name()).find("report_test"), std::string::npos);
    }
  }
}

TEST_F(RuntimeReports, EveryTargetSaysWhatItIsOrWhyItIsAbsent) {
  bool has_interpreter = false;
  for (const runtime::TargetState& state : runtime::target_states()) {
    EXPECT_FALSE(state.description.empty()) << state.name;
    has_interpreter |= state.name == "interpreter" && state.is_available;
  }
  EXPECT_TRUE(has_interpreter);
  EXPECT_EQ(runtime::probe_libraries().size(), 3U);
}

TEST_F(RuntimeReports, DumpsGoToAFolder) {
  const fs::path dumps = folder.path() / "dumps";
  const SetEnv dump("HASTEN_DUMP", "surface,core,fused,kernels,plan,asm,dir=" + dumps.string());
  EXPECT_EQ(run(program(), options).item(), 12);
  std::map<std::string, std::string> stages;
  for (const auto& entry : fs::directory_iterator(dumps)) {
    const std::string name = entry.path().stem().string();
    stages[name.substr(name.find('-') + 1)] = contents(entry.path());
  }
  EXPECT_EQ(stages.size(), 6U);
  EXPECT_NE(stages["surface"].find("fold"), std::string::npos) << stages["surface"];
  EXPECT_NE(stages["core"].find("mul"), std::string::npos) << stages["core"];
  EXPECT_NE(stages["fused"].find("delayed"), std::string::npos) << stages["fused"];
  EXPECT_NE(stages["kernels"].find("fold"), std::string::npos) << stages["kernels"];
  EXPECT_NE(stages["plan"].find("launch kernel 0"), std::string::npos) << stages["plan"];
  EXPECT_NE(stages["asm"].find("no instructions"), std::string::npos) << stages["asm"];
}

// Warned once per process, so not again when the test is repeated.
TEST_F(RuntimeReports, UnknownStagesAreWarnedOf) {
  const SetEnv dump("HASTEN_DUMP", "core,cor,dir=" + folder.path().string());
  static const std::string warned = [] {
    testing::internal::CaptureStderr();
    const runtime::Dump of_this(std::source_location::current());
    EXPECT_TRUE(of_this.wants("core"));
    return testing::internal::GetCapturedStderr();
  }();
  EXPECT_TRUE(warned.starts_with(
      "hasten: HASTEN_DUMP: there is no stage \"cor\"; there are surface, core, fused"))
      << warned;
}

TEST_F(RuntimeReports, PlansOfControlFlowArePrinted) {
  const fs::path dumps = folder.path() / "dumps";
  const SetEnv dump("HASTEN_DUMP", "plan,dir=" + dumps.string());
  const auto xs = use(Vector<float>{1, 2});
  run(aiterate(
          3, [](Acc<Vector<float>> v) { return reverse(v); },
          acond(the(sum(xs)) > 1.0f, xs, compute(reverse(xs)))),
      options);
  const std::string text = contents(fs::directory_iterator(dumps)->path());
  for (const char* part : {"loop from", "while (", "do (", "else", "free", "= use 0"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST_F(RuntimeReports, TracesAreChromeEvents) {
  const fs::path file = folder.path() / "trace.json";
  {
    const SetEnv trace("HASTEN_TRACE", file.string());
    run(program(), options);
  }
  run(program(), options);  // closes the file
  const std::string text = contents(file);
  EXPECT_EQ(text.front(), '[');
  EXPECT_EQ(text.substr(text.size() - 2), "]\n");
  for (const char* part :
       {R"("name":"sum")", R"("cat":"launch")", R"("cat":"compile")", R"("cat":"call")",
        R"("ph":"X")", R"j("args":{"bytes":16,"shape":"(3)","where":"report_test.cpp:)j"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST_F(RuntimeReports, CodeMadeForALaunchIsLoggedAndTraced) {
  const fs::path file = folder.path() / "trace.json";
  const auto store = runtime::make_code_store("a machine");
  const auto bytes = [] { return std::vector<std::byte>(3); };
  const auto size = [](std::span<const std::byte> code) { return code.size(); };
  {
    const SetEnv debug("HASTEN_DEBUG", "2"), trace("HASTEN_TRACE", file.string());
    run(program(), options);
    testing::internal::CaptureStderr();
    EXPECT_EQ(backends::load_or_make(store.get(), "short rows", size, bytes), 3U);
    EXPECT_EQ(backends::load_or_make(store.get(), "short rows", size, bytes), 3U);
    const std::string log = testing::internal::GetCapturedStderr();
    EXPECT_NE(log.find("hasten: code \"short rows\": compiled in "), std::string::npos) << log;
    EXPECT_NE(log.find("hasten: code \"short rows\": loaded in "), std::string::npos) << log;
  }
  run(program(), options);  // closes the file
  EXPECT_NE(contents(file).find(R"("name":"make code for a launch")"), std::string::npos);
}

TEST(Workers, RunEverythingOnce) {
  constexpr std::size_t count = 1000;
  std::vector<std::atomic<int>> runs(count);
  std::atomic<std::size_t> done{0};
  runtime::Workers workers(4);
  for (std::size_t i = 0; i < count; ++i)
    EXPECT_TRUE(workers.post([&, i] {
      ++runs[i];
      ++done;
      done.notify_all();
    }));
  for (std::size_t n = done; n < count; n = done) done.wait(n);
  for (const auto& n : runs) EXPECT_EQ(n, 1);
}

TEST(Workers, LeaveOutWhatHasNotBegunWhenTheyEnd) {
  std::atomic<int> done{0};
  {
    runtime::Workers workers(2);
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(workers.post([&] { ++done; }));
  }
  EXPECT_LE(done, 100);
}

TEST(Targets, HaveNames) {
  EXPECT_EQ(cpu().name(), "cpu");
  EXPECT_EQ(opencl(1).name(), "opencl:1");
  EXPECT_EQ(cuda().name(), "cuda:0");
  EXPECT_EQ(multi({cpu(), cuda(1)}).name(), "multi:cpu,cuda:1");
  EXPECT_EQ(Target().name(), "");
}

}  // namespace
}  // namespace hasten::test
