// One job of the demonstration; see job.hpp.
#include "job.hpp"

#include <tbb/task_arena.h>

namespace demo {

Job::Job(std::string name, double amount, std::string unit) {
  row_.name = name;
  row_.amount = amount;
  row_.unit = std::move(unit);
  work_.name = std::move(name);
}

void Job::expect(std::vector<float> values, double tolerance, double may_differ) {
  work_.expected = std::move(values);
  work_.tolerance = tolerance;
  work_.may_differ = may_differ;
}

void Job::compare_small(const std::vector<float>& expected, const std::vector<float>& got) {
  if (bench::share_that_differs(expected, got, work_.tolerance) > work_.may_differ)
    row_.problems.push_back("differs from the interpreter on a small input");
}

void Job::beside(std::string name, std::function<void()> program,
                 std::function<std::vector<float>()> output) {
  work_.contenders.push_back(
      {std::move(name), bench::Rules::strict, false, std::move(program), std::move(output)});
}

Row Job::finish(int rounds, int threads) {
  bench::Settings settings;
  settings.rounds = rounds;
  settings.threads = threads;
  const bench::Record record = bench::measure(work_, settings).front();
  row_.warm_ms = record.ours_ms.value_or(0);
  row_.ratio = record.ratio.value_or(0);
  row_.best_name = record.best_name;
  for (const std::string& name : record.wrong)
    row_.problems.push_back(name + " differs from the plain C++ loop");
  if (!record.error.empty()) row_.problems.push_back(record.error);
  return std::move(row_);
}

Row run_on_threads(int threads, const std::function<Row()>& job) {
  Row row;
  tbb::task_arena(threads).execute([&] { row = job(); });
  return row;
}

}  // namespace demo
