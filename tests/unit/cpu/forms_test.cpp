// Forms of a kernel: compiled when a launch needs them, once, kept in the store, and the same for
// all threads.
#include "backends/cpu/compile.hpp"
#include "backends/cpu/load.hpp"
#include "backends/cpu/schedule/schedule.hpp"
#include "support/counters.hpp"
#include "tests/unit/cpu/kernels.hpp"

#include <atomic>
#include <map>
#include <thread>

namespace hasten::test::cpu {
namespace {

using backends::cpu::Form;
using backends::cpu::LoadedKernel;
using Values = Maker::Values;

class Store final : public backends::CodeStore {
 public:
  [[nodiscard]] std::optional<std::vector<std::byte>> find(std::string_view name) const override {
    const auto found = code_.find(std::string(name));
    if (found == code_.end()) return std::nullopt;
    return found->second;
  }
  void store(std::string_view name, std::span<const std::byte> code) const override {
    code_[std::string(name)].assign(code.begin(), code.end());
  }
  void report(std::string_view, Origin origin, Clock::time_point began) const override {
    EXPECT_LE(began, Clock::now());
    ++(origin == Origin::made ? made_ : found_);
  }
  [[nodiscard]] std::size_t size() const { return code_.size(); }
  [[nodiscard]] int made() const { return made_; }
  [[nodiscard]] int found() const { return found_; }
  void spoil() {
    for (auto& [name, code] : code_) code.resize(code.size() / 2);
  }

 private:
  mutable std::map<std::string, std::vector<std::byte>> code_;
  mutable int made_ = 0, found_ = 0;
};

// Sums of rows: short rows have a separate form on every machine with vectors.
Kernel sums() {
  Maker m(2, {f32});
  const Value width = m.scalar(i64);
  m.element([&](const Values& ix) {
    const Value row = m.prim(ScalarOp::mul, {ix[0], width});
    return Values{m.load(0, m.prim(ScalarOp::add, {row, ix[1]}))};
  });
  m.fold(f32, ScalarOp::add);
  return m.kernel;
}

// Sums of columns: lanes run across these.
Kernel sums_of_columns() {
  Maker m(2, {f32});
  const Value width = m.scalar(i64);
  m.kernel.lanes = kernels::FoldLanes::outer;
  m.element([&](const Values& ix) {
    const Value row = m.prim(ScalarOp::mul, {ix[1], width});
    return Values{m.load(0, m.prim(ScalarOp::add, {row, ix[0]}))};
  });
  m.fold(f32, ScalarOp::add);
  return m.kernel;
}

class CpuForms : public testing::Test {
 protected:
  std::shared_ptr<LoadedKernel> load(std::shared_ptr<const Store> store = nullptr) {
    return backends::cpu::load_kernel(kernel_, code_, machine_, std::move(store));
  }
  static std::int64_t compiled() { return support::counters().kernels_compiled; }

  void expect_sums(const LoadedKernel& loaded, std::int64_t rows, std::int64_t columns) {
    Column in = small_numbers(f32, rows * columns), out(f32, rows);
    const std::vector<std::int64_t> extents{rows, columns};
    const std::uint64_t scalars[] = {static_cast<std::uint64_t>(columns)};
    const std::byte* inputs[] = {in.data()};
    std::byte* outputs[] = {out.data()};
    launcher_.launch(loaded, {extents, inputs, outputs, scalars});
    for (std::int64_t row = 0; row < rows; ++row) {
      float sum = 0;
      for (std::int64_t i = 0; i < columns; ++i) sum += value(in, row * columns + i);
      ASSERT_EQ(value(out, row), sum) << row << " of " << rows << " x " << columns;
    }
  }

  Kernel kernel_ = sums();
  backends::cpu::Machine machine_ = backends::cpu::detect_machine(0);
  std::vector<std::byte> code_ = backends::cpu::compile_object(kernel_, {}, machine_);
  backends::cpu::Launcher launcher_{1, {std::int64_t{1} << 20, std::int64_t{1} << 30}};

 private:
  static float value(Column& column, std::int64_t i) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(column.get(i).lo));
  }
};

TEST_F(CpuForms, AreMadeWhenALaunchCallsForThem) {
  const auto loaded = load();
  ASSERT_GT(loaded->schedule.lanes_across, 0U);
  const std::int64_t before = compiled();
  for (const std::int64_t rows : {1, 7, 100}) expect_sums(*loaded, rows, 1000);
  EXPECT_EQ(compiled(), before);
  for (const std::int64_t rows : {8, 100, 1000}) expect_sums(*loaded, rows, 5);
  EXPECT_EQ(compiled(), before + 1);
  expect_sums(*loaded, 100, 1000);
  EXPECT_EQ(compiled(), before + 1);
}

TEST_F(CpuForms, AreFoundInTheStore) {
  const auto store = std::make_shared<Store>();
  expect_sums(*load(store), 100, 5);
  EXPECT_EQ(store->size(), 1U);
  const std::int64_t before = compiled();
  expect_sums(*load(store), 100, 6);
  EXPECT_EQ(compiled(), before);
  store->spoil();
  expect_sums(*load(store), 100, 7);
  EXPECT_EQ(compiled(), before + 1);
  EXPECT_EQ(store->made(), 2);
  EXPECT_EQ(store->found(), 1);
}

TEST_F(CpuForms, OfOtherOptionsAreOthers) {
  const auto store = std::make_shared<Store>();
  expect_sums(*load(store), 100, 5);
  code_ = backends::cpu::compile_object(kernel_, {.fast_math = true}, machine_);
  expect_sums(*load(store), 100, 5);
  EXPECT_EQ(store->size(), 2U);
}

// Of the columns that fill no whole vector, few or many, if they are much of all.
TEST_F(CpuForms, OfColumnsLeftOver) {
  const Kernel kernel = sums_of_columns();
  const auto loaded = backends::cpu::load_kernel(
      kernel, backends::cpu::compile_object(kernel, {}, machine_), machine_, nullptr);
  const auto one = static_cast<std::int64_t>(loaded->schedule.lanes_along);
  const auto all = static_cast<std::int64_t>(loaded->schedule.lanes);
  EXPECT_EQ(one, machine_.lanes(sizeof(float)));
  EXPECT_EQ(all, 4 * one);
  for (const std::int64_t columns : {all, 3 * all, 8 * all, 8 * all + 1, 20 * all + one})
    EXPECT_EQ(loaded->run_of_rest(columns), nullptr) << columns;
  const std::int64_t before = compiled();
  for (const std::int64_t columns : {one, 2 * one, all - 1, all + 1, 7 * all + one})
    EXPECT_EQ(loaded->run_of_rest(columns), loaded->run.of(Form::short_rows)) << columns;
  EXPECT_EQ(compiled(), before + 1);
}

// A row of x, less a number of its own, and the logarithm of that, or none.
kernels::Schedule schedule_of_rows(bool is_costly, const backends::cpu::Machine& machine) {
  Maker m(2, {f32, f32}, {f32});
  const Value width = m.scalar(i64);
  m.element([&](const Values& ix) {
    const Value row = m.prim(ScalarOp::mul, {ix[0], width});
    const Value x = m.load(0, m.prim(ScalarOp::add, {row, ix[1]}));
    const Value less = m.prim(ScalarOp::sub, {x, m.load(1, ix[0])});
    return Values{is_costly ? m.prim(ScalarOp::erf, {less}) : less};
  });
  return backends::cpu::choose_schedule(m.kernel, machine);
}

// Masks make a register of a row as cheap as a few elements, unless functions are called.
TEST_F(CpuForms, OfMapsWithShortRows) {
  const auto lanes = static_cast<std::int64_t>(machine_.lanes(sizeof(float)));
  const kernels::Schedule light = schedule_of_rows(false, machine_);
  const kernels::Schedule costly = schedule_of_rows(true, machine_);
  EXPECT_EQ(costly.across_below, lanes);
  EXPECT_EQ(light.across_below, machine_.has_mask_registers() ? 5 : lanes);
}

// Rows of a transposed matrix would be gathered.
TEST_F(CpuForms, OfMapsThatReadDownRows) {
  Maker m(2, {f32}, {f32});
  const Value height = m.scalar(i64);
  m.element([&](const Values& ix) {
    const Value column = m.prim(ScalarOp::mul, {ix[1], height});
    return Values{m.load(0, m.prim(ScalarOp::add, {column, ix[0]}))};
  });
  const kernels::Schedule schedule = backends::cpu::choose_schedule(m.kernel, machine_);
  EXPECT_EQ(schedule.across_below, machine_.lanes(sizeof(float)));
}

TEST_F(CpuForms, OfScansOfRows) {
  Maker m(2, {f32});
  const Value width = m.scalar(i64);
  m.element([&](const Values& ix) {
    const Value row = m.prim(ScalarOp::mul, {ix[0], width});
    return Values{m.load(0, m.prim(ScalarOp::add, {row, ix[1]}))};
  });
  m.scan(f32, ScalarOp::add);
  const auto loaded = backends::cpu::load_kernel(
      m.kernel, backends::cpu::compile_object(m.kernel, {}, machine_), machine_, nullptr);
  const auto all = static_cast<std::int64_t>(loaded->schedule.lanes);
  EXPECT_EQ(loaded->schedule.lanes_joined, machine_.lanes(sizeof(float)));
  for (const std::int64_t columns : {all - 1, all + 1, 8 * all - 1})
    EXPECT_TRUE(loaded->has_rows_of_registers(std::vector<std::int64_t>{100, columns})) << columns;
  for (const std::int64_t columns : {all, 3 * all, 8 * all, 8 * all + 1})
    EXPECT_FALSE(loaded->has_rows_of_registers(std::vector<std::int64_t>{100, columns})) << columns;
}

TEST_F(CpuForms, ManyThreadsAskAtOnce) {
  const auto loaded = load();
  std::vector<backends::cpu::RunFunction> found(8);
  {
    std::vector<std::jthread> threads;
    for (auto& one : found) threads.emplace_back([&] { one = loaded->run.of(Form::short_rows); });
  }
  for (const auto& one : found) EXPECT_EQ(one, found[0]);
  expect_sums(*loaded, 100, 5);
}

}  // namespace
}  // namespace hasten::test::cpu
