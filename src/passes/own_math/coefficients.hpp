// Coefficients and constants of the own functions. Written by
// tools/own_math/coefficients.py, which says how; not to be edited.
#pragma once

#include <cstdint>

namespace hasten::passes::math::coefficients {

// clang-format off
// (exp(r) - 1 - r) / r^2; error 2^-59.3
inline constexpr double exp_full[] = {
    0x1.0000000000000p-1, 0x1.5555555555557p-3, 0x1.5555555555558p-5, 0x1.11111111100dbp-7,
    0x1.6c16c16c15214p-10, 0x1.a01a01abe8413p-13, 0x1.a01a01acf27fbp-16, 0x1.71de0230dc69bp-19,
    0x1.27e4cce0becd0p-22, 0x1.af4dead310fe5p-26, 0x1.1f8b2e48f1f97p-29,
};
// the same, for float; error 2^-41.0
inline constexpr double exp_short[] = {
    0x1.fffffffffe05fp-2, 0x1.5555555552757p-3, 0x1.55555565c8f4dp-5, 0x1.1111112183e10p-7,
    0x1.6c166bdb98db0p-10, 0x1.a01997d8db432p-13, 0x1.a136c32a2d6bcp-16, 0x1.72e11653e761bp-19,
};
// (2 atanh(s) / s - 2) / z, z = s^2; error 2^-58.8
inline constexpr double log_full[] = {
    0x1.5555555555555p-1, 0x1.9999999999a39p-2, 0x1.2492492476924p-2, 0x1.c71c7201b7b05p-3,
    0x1.745cf8e03c8e2p-3, 0x1.3b1c3c7fd8ccep-3, 0x1.0fbde388ec387p-3, 0x1.0c0a6f264710dp-3,
};
// the same, for float; error 2^-37.0
inline constexpr double log_short[] = {
    0x1.55555555651f6p-1, 0x1.999998c92bc90p-2, 0x1.2493251c2b70cp-2, 0x1.c67a54739a476p-3,
    0x1.8c9504ac6c034p-3,
};
// (((2 atanh(s) / s - 2) / z - 2/3) / z - 2/5) / z; error 2^-66.2
inline constexpr double log_rest[] = {
    0x1.2492492492492p-2, 0x1.c71c71c71c71ap-3, 0x1.745d1745d1f63p-3, 0x1.3b13b13a63782p-3,
    0x1.11111188cf766p-3, 0x1.e1e18695d0484p-4, 0x1.af3cd1915db04p-4, 0x1.8373a2c893891p-4,
    0x1.92e8c27661a18p-4,
};
// (sin(r) / r - 1) / z, z = r^2; error 2^-66.2
inline constexpr double sin_full[] = {
    -0x1.5555555555555p-3, 0x1.1111111111110p-7, -0x1.a01a01a019936p-13, 0x1.71de3a54606cbp-19,
    -0x1.ae645412886d1p-26, 0x1.61217edfc5399p-33, -0x1.ab17bbe31572ap-41,
};
// the same, for float; error 2^-45.0
inline constexpr double sin_short[] = {
    -0x1.555555555516cp-3, 0x1.1111110fd4002p-7, -0x1.a019fd9b81c42p-13, 0x1.71d9aa1cc1bd5p-19,
    -0x1.aa28648d37467p-26,
};
// (cos(r) - 1 + z / 2) / z^2; error 2^-70.4
inline constexpr double cos_full[] = {
    0x1.5555555555555p-5, -0x1.6c16c16c16c16p-10, 0x1.a01a01a019d0ap-16, -0x1.27e4fb7712d3ap-22,
    0x1.1eed8deb9149cp-29, -0x1.9394ba0099d29p-37, 0x1.ab7852bcf919ep-45,
};
// the same, for float; error 2^-48.8
inline constexpr double cos_short[] = {
    0x1.5555555555437p-5, -0x1.6c16c16b61637p-10, 0x1.a019ff53c6eeap-16, -0x1.27e25f5bc609ap-22,
    0x1.1c81c7dc26a84p-29,
};
// (atan(t) / t - 1) / z, z = t^2; error 2^-59.7
inline constexpr double atan_full[] = {
    -0x1.5555555555555p-2, 0x1.9999999999957p-3, -0x1.249249248dba0p-3, 0x1.c71c71c32e846p-4,
    -0x1.745d166587dbap-4, 0x1.3b1393a714fdep-4, -0x1.110e9592ae59cp-4, 0x1.e19b393eb9eb7p-5,
    -0x1.ac8290d70cbd6p-5, 0x1.75006731112e7p-5, -0x1.1b884a905a7c3p-5, 0x1.0b8615e2a71a2p-6,
};
// the same, for float; error 2^-45.3
inline constexpr double atan_short[] = {
    -0x1.55555555553c2p-2, 0x1.99999998dc40cp-3, -0x1.249248af97adcp-3, 0x1.c71c3a045124fp-4,
    -0x1.745668235dfebp-4, 0x1.3a9fa1afe2e88p-4, -0x1.0c613194b7064p-4, 0x1.a7d1fb8e48387p-5,
    -0x1.bf5048f26e103p-6,
};
// (asin(x) / x - 1) / z, z = x^2; error 2^-60.0
inline constexpr double asin_full[] = {
    0x1.5555555555555p-3, 0x1.3333333333393p-4, 0x1.6db6db6daaeb5p-5, 0x1.f1c71c7b27d0cp-6,
    0x1.6e8ba0fd76d20p-6, 0x1.1c4f010100278p-6, 0x1.c9901c31b092dp-7, 0x1.7b092bf2af38cp-7,
    0x1.3b1413b0af0e5p-7, 0x1.328b73556b68ap-7, 0x1.7dc710815d401p-9, 0x1.4595ee3f500c1p-6,
    -0x1.428997712d12fp-6, 0x1.e9ab21bc24b6cp-6,
};
// the same, for float; error 2^-44.1
inline constexpr double asin_short[] = {
    0x1.5555555554e23p-3, 0x1.33333335f288dp-4, 0x1.6db6d8a9a58e7p-5, 0x1.f1c8304a58836p-6,
    0x1.6e707603d7d1dp-6, 0x1.1dd5d0b51b171p-6, 0x1.af21c933209b2p-7, 0x1.02d7b779a27f9p-6,
    -0x1.a3eb4e24642e8p-9, 0x1.cd1932087ff1ep-6,
};
// (sinh(x) / x - 1) / z, z = x^2; error 2^-68.9
inline constexpr double sinh_full[] = {
    0x1.5555555555555p-3, 0x1.1111111111112p-7, 0x1.a01a01a019367p-13, 0x1.71de3a5bf8e42p-19,
    0x1.ae6425b5545e7p-26, 0x1.61cbccedde6d8p-33,
};
// the same, for float; error 2^-44.0
inline constexpr double sinh_short[] = {
    0x1.5555555554d8cp-3, 0x1.11111118935d9p-7, 0x1.a019b9380782fp-13, 0x1.72bd9c15dd59fp-19,
};
// (tanh(x) / x - 1) / z, z = x^2; error 2^-63.5
inline constexpr double tanh_full[] = {
    -0x1.5555555555555p-2, 0x1.111111111110dp-3, -0x1.ba1ba1ba1a93dp-5, 0x1.664f4881ef906p-6,
    -0x1.226e350bc71ccp-7, 0x1.d6d3ab5e4384ep-9, -0x1.7d9e31ea016f5p-10, 0x1.34e57ffac76dfp-11,
    -0x1.e96de00db7a19p-13, 0x1.3a48728420a30p-14,
};
// the same, for float; error 2^-44.7
inline constexpr double tanh_short[] = {
    -0x1.55555555552cdp-2, 0x1.111111101fd3ap-3, -0x1.ba1b9fe511addp-5, 0x1.664e9d40d24aep-6,
    -0x1.22505503d8d04p-7, 0x1.d17006cc90ac2p-9, -0x1.3ec637d49495ep-10,
};
// erf(x) / x - 1, z = x^2; error 2^-62.9
inline constexpr double erf_full[] = {
    0x1.06eba8214db69p-3, -0x1.812746b0379e6p-2, 0x1.ce2f21a042afcp-4, -0x1.b82ce31282b44p-6,
    0x1.565bcd0d1dda8p-8, -0x1.c02db3ab51546p-11, 0x1.f9a319346043fp-14, -0x1.f4d0e34603bc7p-17,
    0x1.b9cbd0245b996p-20, -0x1.5e2becadc1bf0p-23, 0x1.e8c0a7f06d49ep-27, -0x1.eaf943ade3466p-31,
};
// the same, for float; error 2^-38.8
inline constexpr double erf_short[] = {
    0x1.06eba8213b06bp-3, -0x1.812746a97bd10p-2, 0x1.ce2f1e70b37efp-4, -0x1.b82c4fe19b3a3p-6,
    0x1.564eb839e7f08p-8, -0x1.bee8bd4fccf16p-11, 0x1.e7f94439e9b93p-14, -0x1.713c9ae840ca1p-17,
};
// (1 + 2 x) exp(x^2) erfc(x), t = (x - 4) / (x + 4); error 2^-62.2
inline constexpr double erfc_full[] = {
    0x1.3ba5916e9fd7fp+0, -0x1.1df1ad154a28ep-3, 0x1.f7f5df66fd7d6p-7, 0x1.16ecefcfa5355p-4,
    -0x1.9ddb23c3e9208p-4, 0x1.7fee004e131dfp-4, -0x1.0fb06dfe46ab6p-4, 0x1.3079edf65dfb0p-5,
    -0x1.09623885ca74fp-6, 0x1.49c67295069abp-8, -0x1.8d4a98fcc8917p-11, -0x1.a1df341f6e92fp-13,
    0x1.3be0261316df1p-13, -0x1.9956efac35632p-16, -0x1.787ed2f0c4d1cp-17, 0x1.7f09bce2f89d6p-18,
    0x1.37af72d0ffe99p-22, -0x1.b8fa5f6657a08p-21, 0x1.557c8d55cd6e5p-24, 0x1.c272bab76e3f9p-24,
    -0x1.759918af50671p-26, -0x1.604a1956277e1p-27, 0x1.b07ab8a26ed91p-29,
};
// the same, for float; error 2^-38.9
inline constexpr double erfc_short[] = {
    0x1.3ba5916ea14ffp+0, -0x1.1df1ad142b5f3p-3, 0x1.f7f5de9e17195p-7, 0x1.16eceefa8838fp-4,
    -0x1.9ddb1fa250025p-4, 0x1.7fee17ea2a781p-4, -0x1.0fb0a994cb873p-4, 0x1.30779e3bdcbf5p-5,
    -0x1.095ce2aa29badp-6, 0x1.4a38db08a9a41p-8, -0x1.8e6278c82ea7fp-11, -0x1.cc95b0d0b4438p-13,
    0x1.32bc350286c4dp-13,
};
// 1 / cbrt(x) from 1 to 8; error 2^-8.8
inline constexpr double cbrt_start[] = {
    0x1.70a15585518bdp+0, -0x1.3f282c934f0b8p-1, 0x1.c28ad2c8c2260p-3, -0x1.5f96bd2404eeep-5,
    0x1.143b76f303015p-8, -0x1.54cdd76e8b80ep-13,
};
// log(2); products of the first part with numbers below 2^11 are exact
inline constexpr double ln2[] = {0x1.62e42fefa3800p-1, 0x1.ef35793c76730p-45, 0x1.f97b57a079a19p-103};
// 1 / log(2)
inline constexpr double log2_e[] = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
// 1 / log(10)
inline constexpr double log10_e[] = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
// log10(2), as ln2
inline constexpr double log10_2[] = {0x1.34413509f7000p-2, 0x1.3fde623e2566bp-43};
// log(2)
inline constexpr double ln2_pair[] = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
// pi / 2
inline constexpr double half_pi[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
// pi / 4
inline constexpr double quarter_pi[] = {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55};
// pi
inline constexpr double pi[] = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
// 2 / pi
inline constexpr double two_over_pi[] = {0x1.45f306dc9c883p-1};
// 2 / 3
inline constexpr double two_thirds[] = {0x1.5555555555555p-1, 0x1.5555555555555p-55};
// 2 / 5
inline constexpr double two_fifths[] = {0x1.999999999999ap-2, -0x1.999999999999ap-56};
// 2 / pi, 64 bits each, the highest first
inline constexpr std::uint64_t two_over_pi_bits[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
};
// clang-format on

}  // namespace hasten::passes::math::coefficients
