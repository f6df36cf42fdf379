// Cases that fold rows, some before or while their elements are used: sums of short rows, soft-max,
// nearest centres.
#include <memory>

#include "cases/cases.hpp"
#include "contenders.hpp"
#include "hand/hand.hpp"
#include "inputs.hpp"
#include "ours/ours.hpp"
#include "plain.hpp"

namespace bench {
namespace {

std::vector<Record> row_sums(int64_t rows, int64_t n, const Settings& settings) {
  const auto x = contenders::random_floats(rows * n, -1, 1, 24);
  const contenders::Buffer<float> out(rows);
  const auto result = [&] { return std::vector<float>(out.data(), out.data() + out.size()); };
  Case work;
  work.name = "row-sums/" + std::to_string(n);
  work.size = std::to_string(rows) + "x" + std::to_string(n) + " f32";
  work.bytes = 4.0 * static_cast<double>(rows * (n + 1));
  work.contenders = our_row_sums(x.data(), rows, n);
  contenders::plain::row_sums(x.data(), out.data(), rows, n);
  work.expected = result();
  work.contenders.push_back({"hand", Rules::strict, false,
                             [&] { contenders::hand::row_sums(x.data(), out.data(), rows, n); },
                             result});
  work.limits = {contenders::limit_read()};
  return measure(work, settings);
}

std::vector<Record> sums_down(const char* name, int64_t rows, int64_t n, const Settings& settings) {
  const auto x = contenders::random_floats(rows * n, -1, 1, 34);
  const contenders::Buffer<float> out(rows * n);
  const auto result = [&] { return std::vector<float>(out.data(), out.data() + out.size()); };
  Case work;
  work.name = name;
  work.size = std::to_string(rows) + "x" + std::to_string(n) + " f32";
  work.bytes = 8.0 * static_cast<double>(rows * n);
  work.contenders = our_sums_down(x.data(), rows, n);
  contenders::plain::sums_down(x.data(), out.data(), rows, n);
  work.expected = result();
  work.contenders.push_back({"hand", Rules::strict, false,
                             [&] { contenders::hand::sums_down(x.data(), out.data(), rows, n); },
                             result});
  work.limits = {contenders::limit_copy_stream()};
  return measure(work, settings);
}

std::vector<Record> recurrence(int64_t n, const Settings& settings) {
  const auto a = contenders::random_floats(n, -1, 1, 35),
             b = contenders::random_floats(n, -1, 1, 36);
  const contenders::Buffer<float> out(n);
  const auto result = [&] { return std::vector<float>(out.data(), out.data() + out.size()); };
  Case work;
  work.name = "scan/recurrence";
  work.size = std::to_string(n) + " f32";
  work.bytes = 12.0 * static_cast<double>(n);
  work.contenders = our_recurrence(a.data(), b.data(), n);
  contenders::plain::recurrence(a.data(), b.data(), out.data(), n);
  work.expected = result();
  work.contenders.push_back(
      {"plain", Rules::strict, false,
       [&] { contenders::hand::recurrence(a.data(), b.data(), out.data(), n); }, result});
  work.limits = {contenders::limit_copy_stream()};
  return measure(work, settings);
}

std::vector<Record> softmax(int64_t rows, int64_t n, const Settings& settings) {
  const auto x = contenders::random_floats(rows * n, -4, 4, 21);
  const contenders::Buffer<float> out(rows * n);
  const auto result = [&] { return std::vector<float>(out.data(), out.data() + out.size()); };
  Case work;
  work.name = "softmax/" + std::to_string(n);
  work.size = std::to_string(rows) + "x" + std::to_string(n) + " f32";
  work.bytes = 8.0 * static_cast<double>(rows * n);
  work.contenders = our_softmax(x.data(), rows, n);
  contenders::plain::softmax(x.data(), out.data(), rows, n);
  work.expected = result();
  work.contenders.push_back({"hand", Rules::contract, false,
                             [&] { contenders::hand::softmax(x.data(), out.data(), rows, n); },
                             result});
  work.limits = {contenders::limit_copy_stream()};
  return measure(work, settings);
}

// Three operations per coordinate.
std::vector<Record> nearest(int64_t n, int64_t m, int64_t d, const Settings& settings) {
  const auto points = contenders::random_floats(n * d, -1, 1, 22);
  const auto centres = contenders::random_floats(m * d, -1, 1, 23);
  const contenders::Buffer<int32_t> out(n);
  const auto result = [&] { return std::vector<float>(out.data(), out.data() + out.size()); };
  Case work;
  work.name = "nearest/" + std::to_string(d);
  work.size = std::to_string(n) + " points, " + std::to_string(m) + " centres f32";
  work.f32_operations = 3.0 * static_cast<double>(n) * static_cast<double>(m * d);
  work.contenders = our_nearest(points.data(), centres.data(), n, m, d);
  contenders::plain::nearest(points.data(), centres.data(), out.data(), n, m, d);
  work.expected = result();
  // Where two centres are equally near, the last bit of a sum decides.
  work.may_differ = 1e-3;
  work.contenders.push_back(
      {"hand", Rules::contract, false,
       [&] { contenders::hand::nearest(points.data(), centres.data(), out.data(), n, m, d); },
       result});
  work.limits = {contenders::limit_fma_f32()};
  return measure(work, settings);
}

}  // namespace

std::vector<Benchmark> row_benchmarks() {
  return {
      {"row-sums/4", [](const Settings& s) { return row_sums(1 << 22, 4, s); }},
      {"row-sums/8", [](const Settings& s) { return row_sums(1 << 21, 8, s); }},
      {"row-sums/16", [](const Settings& s) { return row_sums(1 << 20, 16, s); }},
      {"scan/columns", [](const Settings& s) { return sums_down("scan/columns", 4096, 4096, s); }},
      {"scan/few-columns",
       [](const Settings& s) { return sums_down("scan/few-columns", 65'536, 256, s); }},
      {"scan/recurrence", [](const Settings& s) { return recurrence(1 << 23, s); }},
      {"softmax/128", [](const Settings& s) { return softmax(65536, 128, s); }},
      {"softmax/1024", [](const Settings& s) { return softmax(8192, 1024, s); }},
      {"nearest/4", [](const Settings& s) { return nearest(1 << 20, 64, 4, s); }},
      {"nearest/32", [](const Settings& s) { return nearest(1 << 17, 64, 32, s); }}};
}

}  // namespace bench
