// Regression by gradient descent, a training step of a network, and a convolution, as plain loops.
#include <cmath>

#include "everyday/programs.hpp"
#include "parallel.hpp"

namespace contenders::CONTENDER_SPACE {
namespace {

constexpr int64_t most_features = 64;

// Adds the contribution of rows [begin, end) to the gradient, in one pass over them.
void add_gradient(const Observations& data, const float* weights, int64_t begin, int64_t end,
                  float* gradient) {
  for (int64_t i = begin; i < end; ++i) {
    const float* row = data.x + i * data.features;
    float error = -data.y[i];
    for (int64_t k = 0; k < data.features; ++k) error += row[k] * weights[k];
    for (int64_t k = 0; k < data.features; ++k) gradient[k] += error * row[k];
  }
}

// out = a b + bias for rows [begin, end) of a.
void layer(const float* a, const float* b, const float* bias, float* out, int64_t inner,
           int64_t columns, int64_t begin, int64_t end) {
  for (int64_t r = begin; r < end; ++r) {
    float* __restrict to = out + r * columns;
    for (int64_t c = 0; c < columns; ++c) to[c] = bias[c];
    for (int64_t i = 0; i < inner; ++i) {
      const float x = a[r * inner + i];
      const float* __restrict from = b + i * columns;
      for (int64_t c = 0; c < columns; ++c) to[c] += x * from[c];
    }
  }
}

// after = before - rate * (a^T b), for some columns of a.
void update_weights(const float* a, const float* b, int64_t rows, int64_t inner, int64_t columns,
                    float rate, const float* before, float* after, int64_t begin, int64_t end) {
  std::vector<float> sums(static_cast<std::size_t>((end - begin) * columns));
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t i = begin; i < end; ++i) {
      const float x = a[r * inner + i];
      const float* __restrict from = b + r * columns;
      float* __restrict to = sums.data() + (i - begin) * columns;
      for (int64_t c = 0; c < columns; ++c) to[c] += x * from[c];
    }
  for (int64_t i = 0; i < (end - begin) * columns; ++i)
    after[begin * columns + i] =
        before[begin * columns + i] - rate * sums[static_cast<std::size_t>(i)];
}

void update_bias(const float* errors, int64_t rows, int64_t columns, float rate,
                 const float* before, float* after) {
  std::vector<float> sums(static_cast<std::size_t>(columns));
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      sums[static_cast<std::size_t>(c)] += errors[r * columns + c];
  for (int64_t c = 0; c < columns; ++c)
    after[c] = before[c] - rate * sums[static_cast<std::size_t>(c)];
}

// Turns scores into probabilities and subtracts 1 at the label's class.
void misses_of(float* scores, int64_t classes, int64_t label) {
  float most = scores[0], total = 0;
  for (int64_t c = 1; c < classes; ++c) most = std::fmax(most, scores[c]);
  for (int64_t c = 0; c < classes; ++c) total += scores[c] = std::exp(scores[c] - most);
  for (int64_t c = 0; c < classes; ++c) scores[c] /= total;
  scores[label] -= 1.0f;
}

}  // namespace

void regression(Observations data, int64_t rounds, float rate, float* weights) {
  constexpr int64_t block = 4096;
  const int64_t blocks = (data.rows + block - 1) / block;
  std::vector<float> gradients(static_cast<std::size_t>(blocks * most_features));
  for (int64_t k = 0; k < data.features; ++k) weights[k] = 0;
  for (int64_t round = 0; round < rounds; ++round) {
    std::fill(gradients.begin(), gradients.end(), 0.0f);
    parallel_blocks(data.rows, block, [&](int64_t begin, int64_t end) {
      float gradient[most_features] = {};
      add_gradient(data, weights, begin, end, gradient);
      std::copy_n(gradient, most_features, gradients.data() + begin / block * most_features);
    });
    for (int64_t k = 0; k < data.features; ++k) {
      float sum = 0;
      for (int64_t b = 0; b < blocks; ++b)
        sum += gradients[static_cast<std::size_t>(b * most_features + k)];
      weights[k] -= rate / static_cast<float>(data.rows) * sum;
    }
  }
}

void train(NetworkSizes n, float rate, const float* x, const int32_t* classes, const float* before,
           float* after) {
  const int64_t first_bias = n.inputs * n.hidden, second = first_bias + n.hidden,
                second_bias = second + n.hidden * n.classes;
  std::vector<float> active(static_cast<std::size_t>(n.rows * n.hidden)), back(active.size()),
      miss(static_cast<std::size_t>(n.rows * n.classes));
  parallel_blocks(n.rows, 32, [&](int64_t begin, int64_t end) {
    layer(x, before, before + first_bias, active.data(), n.inputs, n.hidden, begin, end);
    for (int64_t i = begin * n.hidden; i < end * n.hidden; ++i)
      active[static_cast<std::size_t>(i)] = std::fmax(active[static_cast<std::size_t>(i)], 0.0f);
    layer(active.data(), before + second, before + second_bias, miss.data(), n.hidden, n.classes,
          begin, end);
    for (int64_t r = begin; r < end; ++r) {
      misses_of(miss.data() + r * n.classes, n.classes, classes[r]);
      for (int64_t h = 0; h < n.hidden; ++h) {
        float sum = 0;
        for (int64_t c = 0; c < n.classes; ++c)
          sum += miss[static_cast<std::size_t>(r * n.classes + c)] *
                 before[second + h * n.classes + c];
        const auto at = static_cast<std::size_t>(r * n.hidden + h);
        back[at] = active[at] > 0.0f ? sum : 0.0f;
      }
    }
  });
  const float share = rate / static_cast<float>(n.rows);
  parallel_blocks(n.inputs, 32, [&](int64_t begin, int64_t end) {
    update_weights(x, back.data(), n.rows, n.inputs, n.hidden, share, before, after, begin, end);
  });
  parallel_blocks(n.hidden, 32, [&](int64_t begin, int64_t end) {
    update_weights(active.data(), miss.data(), n.rows, n.hidden, n.classes, share, before + second,
                   after + second, begin, end);
  });
  update_bias(back.data(), n.rows, n.hidden, share, before + first_bias, after + first_bias);
  update_bias(miss.data(), n.rows, n.classes, share, before + second_bias, after + second_bias);
}

// A line of results stays in the first cache while all channels are added to it.
void convolve(ConvolutionSizes n, const float* picture, const float* weights, float* out) {
  const int64_t width = n.width + 2, plane = (n.height + 2) * width;
  parallel_blocks(n.outputs * n.height, 16, [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      const int64_t output = line / n.height, y = line % n.height;
      float* __restrict to = out + line * n.width;
      std::fill_n(to, n.width, 0.0f);
      for (int64_t input = 0; input < n.inputs; ++input)
        for (int64_t i = 0; i < 3; ++i)
          for (int64_t j = 0; j < 3; ++j) {
            const float weight = weights[(output * n.inputs + input) * 9 + i * 3 + j];
            const float* __restrict from = picture + input * plane + (y + i) * width + j;
            for (int64_t x = 0; x < n.width; ++x) to[x] += weight * from[x];
          }
    }
  });
}

}  // namespace contenders::CONTENDER_SPACE
