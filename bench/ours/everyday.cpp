// Builds the inputs of the everyday programs and the part of their results that is compared.
#include "ours/everyday.hpp"

#include "../../examples/programs/everyday/barrier.hpp"
#include "../../examples/programs/everyday/group_by.hpp"
#include "../../examples/programs/everyday/heat.hpp"
#include "../../examples/programs/everyday/lattice.hpp"
#include "../../examples/programs/everyday/neighbours.hpp"
#include "../../examples/programs/everyday/network.hpp"
#include "../../examples/programs/everyday/regression.hpp"
#include "../../examples/programs/everyday/word_count.hpp"
#include "ours/common.hpp"

namespace bench {
namespace {

using hs::Acc, hs::Exp, hs::Matrix, hs::Vector;

// Each setting's compiled program, called with these arguments.
template <class Program, class Flatten, class... Arguments>
std::vector<Contender> ours(const Program& program, const Flatten& flatten,
                            const Arguments&... arguments) {
  return with_each_setting(
      [&](const hs::Options& options) {
        return [f = hs::compile(program, options), arguments...] { return f(arguments...); };
      },
      flatten);
}

template <class Array>
std::vector<float> thinned_array(const Array& a) {
  return thinned(a.span().data(), a.size());
}

using Planes = hs::Array<float, 3>;
using Weights = hs::Array<float, 4>;

Acc<Planes> convolution(Acc<Planes> picture, Acc<Weights> weights) {
  const auto size = hs::shape(picture);
  const auto channels = hs::shape(weights);
  const auto terms = hs::generate(
      hs::ix(channels[0], size[1] - 2, size[2] - 2, channels[1], channels[2], channels[3]),
      [=](auto at) {
        return weights[hs::ix(at[0], at[3], at[4], at[5])] *
               picture[hs::ix(at[3], at[1] + at[4], at[2] + at[5])];
      });
  return hs::sum(hs::sum(hs::sum(terms)));
}

Acc<Matrix<programs::Populations>> lattice(Exp<int64_t> steps, Exp<float> rate,
                                           Acc<Matrix<programs::Populations>> cells) {
  return hs::aiterate(steps, [=](auto now) { return programs::lattice_step(rate, now); }, cells);
}

template <class Tuple>
std::vector<float> joined(const Tuple& result) {
  std::vector<float> all;
  append(all, std::get<0>(result).span());
  append(all, std::get<1>(result).span());
  return all;
}

}  // namespace

std::vector<float> thinned(const float* data, int64_t n) {
  constexpr int64_t stride = 61;
  std::vector<float> result;
  for (int64_t i = 0; i < n; i += stride) result.push_back(data[i]);
  return result;
}

std::vector<Contender> our_regression(const contenders::Observations& data, int64_t rounds,
                                      float rate) {
  return ours(programs::regression, thinned_array<Vector<float>>, rounds, rate,
              matrix_of(data.x, data.rows, data.features), vector_of(data.y, data.rows));
}

std::vector<Contender> our_training(const contenders::NetworkSizes& n, float rate, const float* x,
                                    const int32_t* classes, const float* numbers) {
  const float* const bias = numbers + n.inputs * n.hidden;
  const programs::Network<hs::Host> net{
      matrix_of(numbers, n.inputs, n.hidden), vector_of(bias, n.hidden),
      matrix_of(bias + n.hidden, n.hidden, n.classes),
      vector_of(bias + n.hidden + n.hidden * n.classes, n.classes)};
  const auto flat = [](const programs::Network<hs::Host>& result) {
    std::vector<float> all;
    append(all, result.first.span());
    append(all, result.first_bias.span());
    append(all, result.second.span());
    append(all, result.second_bias.span());
    return all;
  };
  return ours(programs::trained, flat, rate, net, matrix_of(x, n.rows, n.inputs),
              vector_of(classes, n.rows));
}

std::vector<Contender> our_convolution(const contenders::ConvolutionSizes& n, const float* picture,
                                       const float* weights) {
  const hs::Ix<3> planes{n.inputs, n.height + 2, n.width + 2};
  const hs::Ix<4> of_channels{n.outputs, n.inputs, 3, 3};
  return ours(convolution, thinned_array<Planes>, Planes::borrow(planes, picture, [] {}),
              Weights::borrow(of_channels, weights, [] {}));
}

std::vector<Contender> our_lattice(const float* planes, int64_t rows, int64_t columns, float rate,
                                   int64_t steps) {
  const auto cells =
      Matrix<programs::Populations>::from_function(hs::ix(rows, columns), [=](hs::Ix<2> ix) {
        programs::Populations all{};
        for (std::size_t k = 0; k < 9; ++k)
          all[k] = planes[(static_cast<int64_t>(k) * rows + ix[0]) * columns + ix[1]];
        return all;
      });
  const auto flat = [](const Matrix<programs::Populations>& result) {
    std::vector<float> all = thinned(result.component<0>().data(), result.size());
    for (const float x : thinned(result.component<5>().data(), result.size())) all.push_back(x);
    return all;
  };
  return ours(lattice, flat, steps, rate, cells);
}

std::vector<Contender> our_heat(const float* plate, int64_t rows, int64_t columns, float rate,
                                float hot, float cold, int64_t steps) {
  return ours(programs::heat, thinned_array<Matrix<float>>, steps, rate, hot, cold,
              matrix_of(plate, rows, columns));
}

std::vector<Contender> our_barrier(int64_t paths, int64_t quarters, uint64_t key,
                                   const contenders::BarrierCall& o) {
  return ours(
      programs::barrier_call, [](float price) { return std::vector<float>{price}; }, paths,
      quarters, key,
      programs::BarrierOption{o.price, o.strike, o.barrier, o.years, o.rate, o.volatility});
}

std::vector<Contender> our_top_customers(const int64_t* customers, const float* amounts,
                                         int64_t n) {
  return ours(
      programs::top_customers, [](const auto& result) { return joined(result); }, top,
      vector_of(customers, n), vector_of(amounts, n));
}

std::vector<Contender> our_top_categories(int64_t count, const int32_t* categories,
                                          const float* amounts, int64_t n) {
  return ours(
      programs::top_categories, [](const auto& result) { return joined(result); }, top, count,
      vector_of(categories, n), vector_of(amounts, n));
}

std::vector<Contender> our_neighbours(const contenders::Points& points) {
  const auto input = Vector<programs::Point>::from_function(
      points.n, [&](hs::Ix<1> i) { return programs::Point{points.x[i[0]], points.y[i[0]]}; });
  return ours(
      programs::nearest_neighbours,
      [](const auto& result) { return thinned_array(std::get<1>(result)); }, input);
}

std::vector<Contender> our_words(const char* text, int64_t n) {
  const auto flat = [](const auto& result) {
    std::vector<float> all{static_cast<float>(std::get<0>(result))};
    append(all, std::get<1>(result).span());
    append(all, std::get<2>(result).span());
    return all;
  };
  return ours(programs::word_count, flat, top, vector_of(text, n));
}

}  // namespace bench
