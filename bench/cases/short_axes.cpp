// Arrays whose last axes are short, and sums by key, beside plain loops.
#include <algorithm>
#include <random>
#include <string>
#include <utility>

#include "cases/cases.hpp"
#include "everyday/short_axes.hpp"
#include "inputs.hpp"
#include "ours/short_axes.hpp"

namespace bench {
namespace {

using contenders::Buffer, contenders::GreyImage, contenders::ShortAxesForm;

constexpr int64_t stride = 61;  // only every `stride`-th number of a long result is compared

std::vector<float> some(const float* data, int64_t n) {
  const int64_t step = n > 1000 ? stride : 1;
  std::vector<float> result;
  for (int64_t i = 0; i < n; i += step) result.push_back(data[i]);
  return result;
}

// run(form) does the work, output() returns its result. All elements read or written are floats.
template <class Run, class Output>
std::vector<Record> measured(const char* name, std::string size, int64_t elements,
                             std::vector<Contender> ours, const Settings& settings, const Run& run,
                             const Output& output) {
  Case work;
  work.name = name;
  work.size = std::move(size);
  work.bytes = 4.0 * static_cast<double>(elements);
  work.contenders = std::move(ours);
  work.limits = {contenders::limit_copy(), contenders::limit_copy_stream(),
                 contenders::limit_read()};
  for (const ShortAxesForm* form :
       {&contenders::short_axes_strict, &contenders::short_axes_o3, &contenders::short_axes_fast})
    work.contenders.push_back(
        {form->name, form->rules, false, [&run, form] { run(*form); }, output});
  run(contenders::short_axes_strict);
  work.expected = output();
  return measure(work, settings);
}

std::vector<Record> pool(const Settings& settings) {
  constexpr int64_t side = 4096;
  const auto pixels = contenders::test_image(side, side);
  const GreyImage image{pixels.data(), side, side};
  const Buffer<float> out(side * side / 4);
  return measured(
      "short/pool", "4096x4096 f32 by 2x2", side * side / 4 * 5, our_pool(image, some), settings,
      [&](const ShortAxesForm& form) { form.pool(image, out.data()); },
      [&] { return some(out.data(), out.size()); });
}

std::vector<Record> enlarge(const Settings& settings) {
  constexpr int64_t side = 2048;
  const auto pixels = contenders::test_image(side, side);
  const GreyImage image{pixels.data(), side, side};
  const Buffer<float> out(side * side * 4);
  return measured(
      "short/enlarge", "2048x2048 f32 to 2x2", side * side * 5, our_enlargement(image, some),
      settings, [&](const ShortAxesForm& form) { form.enlarge(image, out.data()); },
      [&] { return some(out.data(), out.size()); });
}

std::vector<Record> grey(const Settings& settings) {
  constexpr int64_t n = 1 << 22;
  const auto rgb = contenders::random_floats(3 * n, 0, 1, 91);
  const Buffer<float> out(n);
  return measured(
      "short/grey", "4194304x3 f32", 4 * n, our_grey(rgb.data(), n, some), settings,
      [&](const ShortAxesForm& form) { form.grey(rgb.data(), out.data(), n); },
      [&] { return some(out.data(), n); });
}

std::vector<Record> channel_sums(const Settings& settings) {
  constexpr int64_t n = 1 << 22;
  const auto rgb = contenders::random_floats(3 * n, 0, 1, 92);
  const Buffer<float> out(3);
  return measured(
      "short/channel-sums", "4194304x3 f32", 3 * n, our_channel_sums(rgb.data(), n, some), settings,
      [&](const ShortAxesForm& form) { form.channel_sums(rgb.data(), out.data(), n); },
      [&] { return some(out.data(), 3); });
}

std::vector<Record> opaque(const Settings& settings) {
  constexpr int64_t n = 1 << 22;
  const auto rgb = contenders::random_floats(3 * n, 0, 1, 101);
  const Buffer<float> out(4 * n);
  return measured(
      "short/opaque", "4194304x3 f32 to x4", 7 * n, our_opaque(rgb.data(), n, some), settings,
      [&](const ShortAxesForm& form) { form.opaque(rgb.data(), out.data(), n); },
      [&] { return some(out.data(), 4 * n); });
}

std::vector<Record> slopes(const Settings& settings) {
  constexpr int64_t height = 2000, width = 2100, n = 3 * height * width;
  const auto rgb = contenders::random_floats(n, 0, 1, 102);
  const Buffer<float> out(n);
  return measured(
      "short/slopes", "2000x2100x3 f32", 2 * n, our_slopes(rgb.data(), height, width, some),
      settings,
      [&](const ShortAxesForm& form) { form.slopes(rgb.data(), out.data(), height, width); },
      [&] { return some(out.data(), n); });
}

std::vector<Record> features(const Settings& settings) {
  constexpr int64_t side = 512, n = 16 * side * side;
  const auto in = contenders::random_floats(n, 0, 1, 103);
  const Buffer<float> out(n);
  return measured(
      "short/features", "512x512x16 f32", 2 * n, our_features(in.data(), side, side, some),
      settings,
      [&](const ShortAxesForm& form) { form.features(in.data(), out.data(), side, side); },
      [&] { return some(out.data(), n); });
}

std::vector<Record> frame_sums(const Settings& settings) {
  constexpr int64_t frames = 512, height = 1024, size = 3 * height;
  const auto in = contenders::random_floats(frames * size, 0, 1, 104);
  const Buffer<float> out(size);
  return measured(
      "short/frame-sums", "512x1024x3 f32", frames * size,
      our_frame_sums(in.data(), frames, height, 3, some), settings,
      [&](const ShortAxesForm& form) { form.frame_sums(in.data(), out.data(), frames, size); },
      [&] { return some(out.data(), size); });
}

std::vector<Record> points(const Settings& settings) {
  constexpr int64_t n = 1 << 22;
  const auto in = contenders::random_floats(3 * n, -1, 1, 105),
             matrix = contenders::random_floats(9, -1, 1, 106);
  const Buffer<float> out(3 * n);
  return measured(
      "short/points", "4194304x3 f32 by 3x3", 6 * n, our_points(in.data(), matrix.data(), n, some),
      settings,
      [&](const ShortAxesForm& form) { form.points(in.data(), matrix.data(), out.data(), n); },
      [&] { return some(out.data(), 3 * n); });
}

constexpr int64_t rows = 1 << 17;

std::vector<Record> largest_so_far(const Settings& settings) {
  constexpr int64_t columns = 50, n = rows * columns;
  const auto in = contenders::random_floats(n, -1, 1, 107);
  const Buffer<float> out(n);
  return measured(
      "short/scans", "131072x50 f32", 2 * n, our_largest_so_far(in.data(), rows, columns, some),
      settings,
      [&](const ShortAxesForm& form) { form.largest_so_far(in.data(), out.data(), rows, columns); },
      [&] { return some(out.data(), n); });
}

std::vector<Record> five_largest(const Settings& settings) {
  constexpr int64_t few = rows / 32, columns = 1024, n = few * columns;
  const auto in = contenders::random_floats(n, -1, 1, 108);
  const Buffer<float> out(5 * few);
  return measured(
      "short/five-largest", "4096x1024 f32", n, our_five_largest(in.data(), few, columns, some),
      settings,
      [&](const ShortAxesForm& form) { form.five_largest(in.data(), out.data(), few, columns); },
      [&] { return some(out.data(), 5 * few); });
}

/// Segments of up to 16 elements each.
struct Segments {
  std::vector<int32_t> lengths;
  std::vector<int64_t> offsets{0};
  [[nodiscard]] int64_t count() const { return static_cast<int64_t>(lengths.size()); }
};
Segments segments_of(int64_t n) {
  constexpr int64_t longest = 16;
  std::mt19937 random(110);
  Segments segments;
  while (segments.offsets.back() < n) {
    const auto length = std::min<int64_t>(random() % (longest + 1), n - segments.offsets.back());
    segments.lengths.push_back(static_cast<int32_t>(length));
    segments.offsets.push_back(segments.offsets.back() + length);
  }
  return segments;
}

constexpr int64_t in_segments = 1 << 22;

std::vector<Record> segment_scans(const Settings& settings) {
  constexpr int64_t n = in_segments;
  const auto in = contenders::random_floats(n, 0, 1, 109);
  const Segments segments = segments_of(n);
  const Buffer<float> out(n);
  return measured(
      "short/segment-scans", "4194304 f32 in segments of 0 to 16", 2 * n + segments.count(),
      our_segment_scans(in.data(), n, segments.lengths.data(), segments.count(), some), settings,
      [&](const ShortAxesForm& form) {
        form.segment_scans(in.data(), segments.offsets.data(), out.data(), segments.count());
      },
      [&] { return some(out.data(), n); });
}

std::vector<Record> segment_shares(const Settings& settings) {
  constexpr int64_t n = in_segments;
  const auto in = contenders::random_floats(n, 1, 2, 111);
  const Segments segments = segments_of(n);
  const Buffer<float> out(n);
  return measured(
      "short/segment-shares", "4194304 f32 in segments of 0 to 16", 3 * n + segments.count(),
      our_shares(in.data(), n, segments.lengths.data(), segments.count(), some), settings,
      [&](const ShortAxesForm& form) {
        form.shares(in.data(), segments.offsets.data(), out.data(), segments.count());
      },
      [&] { return some(out.data(), n); });
}

std::vector<Record> expansions(const Settings& settings) {
  constexpr int64_t n = in_segments;
  const Segments segments = segments_of(n);
  const auto base = contenders::random_floats(segments.count(), 0, 1, 112);
  const Buffer<float> out(n);
  return measured(
      "short/expand", "4194304 f32 in segments of 0 to 16", n + 2 * segments.count(),
      our_expand(base.data(), segments.lengths.data(), segments.count(), some), settings,
      [&](const ShortAxesForm& form) {
        form.expand(base.data(), segments.offsets.data(), out.data(), segments.count());
      },
      [&] { return some(out.data(), n); });
}

constexpr int64_t matrices = 1 << 20;

std::vector<Record> transposes(const Settings& settings) {
  const auto a = contenders::random_floats(9 * matrices, -1, 1, 93);
  const Buffer<float> out(9 * matrices);
  return measured(
      "short/transposes", "1048576x3x3 f32", 18 * matrices,
      our_small_transposes(a.data(), matrices, some), settings,
      [&](const ShortAxesForm& form) { form.transpose(a.data(), out.data(), matrices); },
      [&] { return some(out.data(), out.size()); });
}

std::vector<Record> products(const Settings& settings) {
  const auto a = contenders::random_floats(9 * matrices, -1, 1, 94);
  const auto b = contenders::random_floats(9 * matrices, -1, 1, 95);
  const Buffer<float> out(9 * matrices);
  return measured(
      "short/products", "1048576x3x3 f32", 27 * matrices,
      our_small_products(a.data(), b.data(), matrices, some), settings,
      [&](const ShortAxesForm& form) { form.multiply(a.data(), b.data(), out.data(), matrices); },
      [&] { return some(out.data(), out.size()); });
}

std::vector<Record> block_sums(const Settings& settings) {
  const auto a = contenders::random_floats(9 * matrices, -1, 1, 96);
  const Buffer<float> out(matrices);
  return measured(
      "short/block-sums", "1048576x3x3 f32", 10 * matrices,
      our_block_sums(a.data(), matrices, some), settings,
      [&](const ShortAxesForm& form) { form.block_sums(a.data(), out.data(), matrices); },
      [&] { return some(out.data(), matrices); });
}

std::vector<Record> by_turns(const Settings& settings) {
  constexpr int64_t n = 1 << 23;
  const auto a = contenders::random_floats(n, -1, 1, 97),
             b = contenders::random_floats(n, -1, 1, 98);
  const Buffer<float> out(2 * n);
  return measured(
      "short/by-turns", "8388608 f32 twice", 4 * n, our_turns(a.data(), b.data(), n, some),
      settings,
      [&](const ShortAxesForm& form) { form.by_turns(a.data(), b.data(), out.data(), n); },
      [&] { return some(out.data(), 2 * n); });
}

// Every key occurs.
Buffer<int32_t> keys_below(int64_t size, int64_t n) {
  Buffer<int32_t> keys(n);
  std::mt19937 random(99);
  for (int64_t i = 0; i < n; ++i)
    keys.data()[i] = static_cast<int32_t>(i < size ? i : random() % size);
  return keys;
}

std::vector<Record> key_counts(const Settings& settings) {
  constexpr int64_t n = 1 << 23, size = 5000;
  const auto keys = keys_below(size, n);
  const Buffer<int64_t> counts(size);
  return measured(
      "keys/count", "8388608 i32 below 5000", n, our_key_counts(keys.data(), n), settings,
      [&](const ShortAxesForm& form) { form.count(keys.data(), n, counts.data(), size); },
      [&] { return std::vector<float>(counts.data(), counts.data() + size); });
}

std::vector<Record> key_sums(const Settings& settings) {
  constexpr int64_t n = 1 << 23, size = 5000;
  const auto keys = keys_below(size, n);
  const auto x = contenders::random_floats(n, 0, 1, 100);
  const Buffer<float> sums(size);
  return measured(
      "keys/sum", "8388608 f32 of 5000 keys", 2 * n, our_key_sums(keys.data(), x.data(), n),
      settings,
      [&](const ShortAxesForm& form) { form.sums(keys.data(), x.data(), n, sums.data(), size); },
      [&] { return std::vector<float>(sums.data(), sums.data() + size); });
}

std::vector<Record> group_sums(const Settings& settings) {
  constexpr int64_t n = 1 << 23, size = 8;
  const auto keys = keys_below(size, n);
  const auto x = contenders::random_floats(n, 0, 1, 101);
  const Buffer<float> sums(size);
  return measured(
      "keys/few", "8388608 f32 of 8 groups", 2 * n, our_group_sums(size, keys.data(), x.data(), n),
      settings,
      [&](const ShortAxesForm& form) { form.sums(keys.data(), x.data(), n, sums.data(), size); },
      [&] { return std::vector<float>(sums.data(), sums.data() + size); });
}

}  // namespace

std::vector<Benchmark> short_axes_benchmarks() {
  return {{"short/pool", pool},
          {"short/enlarge", enlarge},
          {"short/grey", grey},
          {"short/channel-sums", channel_sums},
          {"short/opaque", opaque},
          {"short/slopes", slopes},
          {"short/features", features},
          {"short/frame-sums", frame_sums},
          {"short/points", points},
          {"short/scans", largest_so_far},
          {"short/five-largest", five_largest},
          {"short/segment-scans", segment_scans},
          {"short/segment-shares", segment_shares},
          {"short/expand", expansions},
          {"short/transposes", transposes},
          {"short/products", products},
          {"short/block-sums", block_sums},
          {"short/by-turns", by_turns},
          {"keys/count", key_counts},
          {"keys/sum", key_sums},
          {"keys/few", group_sums}};
}

}  // namespace bench
