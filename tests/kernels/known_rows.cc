// Rows of every weight format and their values, written by tools/make_known_rows.py.
#include "kernels/known_rows.h"

namespace invar {
namespace {

constexpr uint8_t kF32Bytes[] = {
    46,  221, 37,  63,  209, 74,  240, 62,  0,   157, 36,  191, 46,  209, 150, 191,
    185, 41,  20,  190, 237, 10,  154, 63,  224, 178, 170, 63,  113, 134, 104, 63,
    229, 112, 177, 62,  240, 205, 204, 63,  178, 205, 157, 63,  233, 154, 97,  190,
    117, 238, 135, 191, 195, 168, 186, 190, 172, 12,  215, 190, 153, 0,   48,  63,
    59,  22,  243, 191, 39,  246, 67,  190, 155, 234, 213, 63,  183, 151, 107, 191,
    172, 42,  66,  191, 224, 144, 172, 189, 41,  123, 181, 191, 69,  185, 4,   190,
};
constexpr float kF32Values[] = {
    0x1.4bba5cp-1f,  0x1.e095a2p-2f,  -0x1.493ap-1f,   -0x1.2da25cp+0f, -0x1.285372p-3f,
    0x1.3415dap+0f,  0x1.5565cp+0f,   0x1.d10ce2p-1f,  0x1.62e1cap-2f,  0x1.999bep+0f,
    0x1.3b9b64p+0f,  -0x1.c335d2p-3f, -0x1.0fdceap+0f, -0x1.755186p-2f, -0x1.ae1958p-2f,
    0x1.600132p-1f,  -0x1.e62c76p+0f, -0x1.87ec4ep-3f, 0x1.abd536p+0f,  -0x1.d72f6ep-1f,
    -0x1.845558p-1f, -0x1.5921cp-4f,  -0x1.6af652p+0f, -0x1.09728ap-3f,
};
constexpr uint8_t kF16Bytes[] = {
    2,   164, 196, 156, 232, 187, 218, 181, 59,  57, 183, 185, 97,  56,  62,  57,
    181, 189, 42,  185, 62,  57,  229, 55,  189, 49, 148, 181, 243, 46,  128, 63,
    22,  179, 163, 56,  171, 182, 89,  178, 47,  57, 111, 187, 194, 179, 226, 184,
};
constexpr float kF16Values[] = {
    -0x1.008p-6f, -0x1.31p-8f,  -0x1.fap-1f,  -0x1.768p-2f, 0x1.4ecp-1f,  -0x1.6dcp-1f,
    0x1.184p-1f,  0x1.4f8p-1f,  -0x1.6d4p+0f, -0x1.4a8p-1f, 0x1.4f8p-1f,  0x1.f94p-2f,
    0x1.6f4p-3f,  -0x1.65p-2f,  0x1.bccp-4f,  0x1.ep+0f,    -0x1.c58p-3f, 0x1.28cp-1f,
    -0x1.aacp-2f, -0x1.964p-3f, 0x1.4bcp-1f,  -0x1.dbcp-1f, -0x1.f08p-3f, -0x1.388p-1f,
};
constexpr uint8_t kBF16Bytes[] = {
    91, 191, 51,  62,  158, 63, 98,  62,  195, 190, 185, 191, 81, 63, 87,  62,
    33, 191, 92,  63,  201, 63, 208, 191, 23,  63,  88,  63,  20, 63, 205, 63,
    32, 63,  103, 191, 115, 64, 21,  62,  189, 63,  251, 63,  97, 63, 230, 191,
};
constexpr float kBF16Values[] = {
    -0x1.b6p-1f, 0x1.66p-3f, 0x1.3cp+0f,  0x1.c4p-3f, -0x1.86p-2f, -0x1.72p+0f,
    0x1.a2p-1f,  0x1.aep-3f, -0x1.42p-1f, 0x1.b8p-1f, 0x1.92p+0f,  -0x1.ap+0f,
    0x1.2ep-1f,  0x1.bp-1f,  0x1.28p-1f,  0x1.9ap+0f, 0x1.4p-1f,   -0x1.cep-1f,
    0x1.e6p+1f,  0x1.2ap-3f, 0x1.7ap+0f,  0x1.f6p+0f, 0x1.c2p-1f,  -0x1.ccp+0f,
};
constexpr uint8_t kQ4_0Bytes[] = {
    182, 164, 104, 7,  199, 71, 90,  31,  39, 149, 113, 197, 49, 255, 79, 24, 2,   22,
    194, 160, 35,  37, 207, 67, 217, 171, 4,  213, 18,  138, 87, 51,  54, 87, 136, 236,
};
constexpr float kQ4_0Values[] = {
    -0x0p+0f,     0x1.2d8p-6f,  0x1.2d8p-6f,  0x1.2d8p-6f,  -0x1.2d8p-5f, -0x1.07dp-3f,
    0x1.2d8p-6f,  0x1.c44p-5f,  0x1.07dp-3f,  0x1.c44p-5f,  0x1.07dp-3f,  -0x1.07dp-3f,
    -0x1.07dp-3f, -0x0p+0f,     0x1.c44p-4f,  0x1.2d8p-5f,  0x1.2d8p-5f,  0x1.2d8p-3f,
    -0x1.2d8p-4f, 0x1.2d8p-4f,  0x1.c44p-5f,  0x1.07dp-3f,  0x1.c44p-4f,  -0x1.2d8p-6f,
    0x1.2d8p-6f,  -0x1.2d8p-4f, 0x1.78ep-4f,  -0x1.07dp-3f, 0x1.2d8p-4f,  0x1.07dp-3f,
    0x1.2d8p-3f,  0x1.07dp-3f,  0x1.7cap-5f,  0x1.c8cp-6f,  -0x1.0a7p-4f, 0x1.7cap-5f,
    -0x1.308p-7f, -0x1.c8cp-6f, 0x1.308p-5f,  0x1.c8cp-6f,  0x1.c8cp-5f,  -0x1.308p-6f,
    0x1.308p-7f,  0x1.7cap-5f,  0x1.308p-6f,  0x1.308p-7f,  -0x0p+0f,     -0x1.308p-5f,
    0x1.c8cp-5f,  0x1.c8cp-5f,  -0x1.308p-5f, 0x1.308p-5f,  -0x1.7cap-5f, -0x1.308p-6f,
    0x1.308p-4f,  -0x1.7cap-5f, 0x1.0a7p-4f,  -0x0p+0f,     0x1.c8cp-6f,  0x1.7cap-5f,
    0x1.7cap-5f,  0x1.c8cp-6f,  -0x0p+0f,     -0x1.c8cp-5f,
};
constexpr uint8_t kQ4_1Bytes[] = {
    10,  37,  247, 34,  49,  132, 193, 36,  111, 104, 95,  2,   200, 211,
    81,  155, 20,  247, 150, 128, 130, 36,  37,  162, 197, 60,  181, 176,
    247, 241, 144, 114, 116, 214, 19,  169, 241, 179, 8,   107,
};
constexpr float kQ4_1Values[] = {
    0x1.10bp-5f,  0x1.7a38p-4f, 0x1.10bp-5f,  0x1.7a38p-4f, 0x1.3c46p-2f, 0x1.5e5cp-3f,
    0x1.3c46p-2f, 0x1.b1fp-5f,  0x1.5e5cp-3f, 0x1.2998p-4f, 0x1.10bp-5f,  0x1.d74cp-3f,
    0x1.7a38p-4f, 0x1.360cp-3f, 0x1.0dbcp-3f, 0x1.bdcp-7f,  0x1.2998p-4f, 0x1.5e5cp-3f,
    0x1.ff9cp-3f, 0x1.b1fp-5f,  0x1.0dbcp-3f, 0x1.0dbcp-3f, 0x1.cad8p-4f, 0x1.bdcp-7f,
    0x1.ff9cp-3f, 0x1.13f6p-2f, 0x1.cad8p-4f, 0x1.86acp-3f, 0x1.10bp-5f,  0x1.3c46p-2f,
    0x1.86acp-3f, 0x1.5e5cp-3f, 0x1.3778p-4f, 0x1.982cp-3f, 0x1.3778p-4f, -0x1.894p-7f,
    0x1.c7b8p-4f, 0x1.6f8p-8f,  -0x1.894p-7f, 0x1.7c6p-6f,  0x1.debp-5f,  0x1.7f98p-4f,
    0x1.4e7p-5f,  0x1.2bfcp-3f, 0x1.6f8p-8f,  0x1.4e7p-5f,  0x1.07ecp-3f, 0x1.741cp-3f,
    0x1.982cp-3f, 0x1.4e7p-5f,  0x1.741cp-3f, 0x1.741cp-3f, 0x1.022ep-2f, 0x1.022ep-2f,
    0x1.2bfcp-3f, 0x1.c7b8p-4f, 0x1.c7b8p-4f, 0x1.bc3cp-3f, 0x1.6f8p-8f,  0x1.500cp-3f,
    0x1.022ep-2f, 0x1.741cp-3f, -0x1.894p-7f, 0x1.7f98p-4f,
};
constexpr uint8_t kQ8_0Bytes[] = {
    23,  37, 128, 161, 199, 16,  71,  2,   18,  105, 205, 46,  28,  185, 126, 76, 89,
    127, 14, 92,  71,  232, 225, 137, 68,  246, 215, 219, 154, 216, 69,  254, 52, 226,
    43,  34, 128, 215, 158, 139, 100, 206, 214, 130, 109, 129, 13,  72,  153, 20, 236,
    230, 32, 9,   133, 180, 148, 40,  137, 175, 14,  236, 11,  91,  91,  101, 56, 71,
};
constexpr float kQ8_0Values[] = {
    -0x1.45cp+1f,   -0x1.e389p+0f, -0x1.221fp+0f,  0x1.45cp-2f,    0x1.6961p+0f,  0x1.45cp-5f,
    0x1.6e78p-2f,   0x1.0b378p+1f, -0x1.0395p+0f,  0x1.d444p-1f,   0x1.1d08p-1f,  -0x1.6961p+0f,
    0x1.40a9p+1f,   0x1.82d4p+0f,  0x1.c4ffp+0f,   0x1.43348p+1f,  0x1.1d08p-2f,  0x1.d444p+0f,
    0x1.6961p+0f,   -0x1.e8ap-2f,  -0x1.3b92p-1f,  -0x1.2ed88p+1f, 0x1.5a1cp+0f,  -0x1.973p-3f,
    -0x1.a15ep-1f,  -0x1.78a6p-1f, -0x1.0395p+1f,  -0x1.973p-1f,   0x1.5f33p+0f,  -0x1.45cp-5f,
    0x1.08acp+0f,   -0x1.3164p-1f, -0x1.8acp+0f,   -0x1.f9c6p-2f,  -0x1.2e3bp+0f, -0x1.68d38p+0f,
    0x1.3466p+0f,   -0x1.3466p-1f, -0x1.030ep-1f,  -0x1.8495p+0f,  0x1.50278p+0f, -0x1.87aa8p+0f,
    0x1.40bcp-3f,   0x1.bc18p-1f,  -0x1.3da68p+0f, 0x1.ed7p-3f,    -0x1.ed7p-3f,  -0x1.40bcp-2f,
    0x1.8acp-2f,    0x1.bc18p-4f,  -0x1.7b548p+0f, -0x1.d4c4p-1f,  -0x1.4d12p+0f, 0x1.ed7p-2f,
    -0x1.6efe8p+0f, -0x1.f39bp-1f, 0x1.5968p-3f,   -0x1.ed7p-3f,   0x1.0f64p-3f,  0x1.18a48p+0f,
    0x1.18a48p+0f,  0x1.377b8p+0f, 0x1.5968p-1f,   0x1.b5edp-1f,
};
constexpr uint8_t kQ4_KBytes[] = {
    96,  35,  120, 30,  82,  223, 115, 189, 222, 241, 247, 10,  116, 169, 122, 95,  66,  0,
    100, 105, 88,  156, 160, 4,   20,  87,  38,  251, 132, 46,  151, 228, 153, 226, 51,  149,
    141, 182, 208, 182, 236, 85,  143, 237, 53,  88,  153, 188, 187, 182, 144, 220, 0,   78,
    185, 230, 206, 7,   101, 5,   149, 109, 229, 25,  177, 52,  12,  249, 49,  58,  177, 157,
    51,  220, 48,  90,  122, 3,   118, 120, 202, 237, 224, 127, 104, 175, 184, 14,  42,  66,
    5,   138, 158, 159, 105, 89,  212, 166, 163, 2,   8,   135, 193, 76,  146, 16,  122, 144,
    15,  253, 69,  2,   145, 220, 175, 220, 137, 18,  229, 125, 85,  182, 35,  81,  63,  176,
    6,   57,  218, 69,  87,  173, 153, 165, 23,  1,   132, 137, 89,  220, 151, 178, 231, 168,
};
constexpr float kQ4_KValues[] = {
    0x1.50fp-2f,   -0x1.842p-3f,  0x1.b1f8p-1f,  0x1.126ep+1f,  0x1.e27cp+0f,  0x1.75fep+1f,
    -0x1.842p-3f,  0x1.b1f8p-1f,  0x1.b1f8p-1f,  0x1.a01cp+0f,  0x1.5dbcp+0f,  0x1.54cep+1f,
    0x1.b1f8p-1f,  0x1.b85ep+1f,  0x1.a01cp+0f,  0x1.b1f8p-1f,  0x1.126ep+1f,  0x1.50fp-2f,
    0x1.2d38p-1f,  0x1.1b5cp+0f,  0x1.972ep+1f,  0x1.5dbcp+0f,  -0x1.842p-3f,  0x1.5dbcp+0f,
    0x1.75fep+1f,  0x1.1b5cp+0f,  0x1.d98ep+1f,  0x1.972ep+1f,  0x1.1b5cp+0f,  0x1.e27cp+0f,
    0x1.126ep+1f,  0x1.75fep+1f,  0x1.7a02p+0f,  -0x1.3cf8p-2f, 0x1.2f51p+1f,  0x1.2f51p+1f,
    0x1.ec52p+0f,  0x1.dac9p+1f,  0x1.09f88p+2f, -0x1.3cf8p-2f, 0x1.189p-3f,   0x1.ec52p+0f,
    0x1.2ac4p-1f,  0x1.98dc8p+2f, 0x1.a1a1p+1f,  0x1.2ac4p-1f,  0x1.dac9p+1f,  0x1.7c488p+2f,
    0x1.dac9p+1f,  0x1.7c488p+2f, 0x1.07b2p+0f,  0x1.dac9p+1f,  0x1.a1a1p+1f,  0x1.268c8p+2f,
    0x1.5fb48p+2f, 0x1.268c8p+2f, 0x1.7c488p+2f, 0x1.ec52p+0f,  0x1.a1a1p+1f,  0x1.7c488p+2f,
    0x1.07b2p+0f,  0x1.ec52p+0f,  0x1.dac9p+1f,  0x1.268c8p+2f, 0x1.eeef8p+2f, 0x1.03db8p+2f,
    -0x1.63c8p-2f, 0x1.0ef9cp+3f, -0x1.63c8p-2f, 0x1.3dfdcp+3f, 0x1.90e78p+2f, 0x1.03db8p+2f,
    0x1.3dfdcp+3f, 0x1.32df8p+2f, 0x1.a9afp+1f,  0x1.a9afp+1f,  0x1.a9afp+1f,  0x1.267bcp+3f,
    0x1.a9afp+1f,  0x1.90e78p+2f, 0x1.8c78p-2f,  0x1.4ba7p+1f,  0x1.0ef9cp+3f, 0x1.90e78p+2f,
    0x1.8c78p-2f,  0x1.bfeb8p+2f, 0x1.8c78p-2f,  0x1.267bcp+3f, 0x1.db3ep+0f,  0x1.0ef9cp+3f,
    -0x1.63c8p-2f, 0x1.bfeb8p+2f, 0x1.bfeb8p+2f, 0x1.db3ep+0f,  0x1.03db8p+2f, 0x1.61e38p+2f,
    0x1.33448p+3f, 0x1.33448p+3f, 0x1.f611p+2f,  0x1.6b808p+3f, -0x1.02cp-4f,  0x1.b9cap+1f,
    0x1.33448p+3f, 0x1.879e8p+3f, 0x1.4f628p+3f, -0x1.02cp-4f,  0x1.4d5dp+2f,  -0x1.02cp-4f,
    0x1.f611p+2f,  0x1.4d5dp+2f,  0x1.879e8p+3f, 0x1.a188p-1f,  0x1.33448p+3f, 0x1.4952p+1f,
    -0x1.02cp-4f,  0x1.a3bc8p+3f, 0x1.4952p+1f,  0x1.4952p+1f,  0x1.33448p+3f, 0x1.f611p+2f,
    0x1.4952p+1f,  0x1.6b808p+3f, 0x1.4952p+1f,  0x1.1521p+2f,  0x1.8599p+2f,  -0x1.02cp-4f,
    0x1.8599p+2f,  0x1.8599p+2f,  0x1.4447p+1f,  0x1.b2e7p+1f,  -0x1.63c8p-2f, 0x1.fca7p+1f,
    0x1.f50ep+0f,  0x1.fca7p+1f,  0x1.f50ep+0f,  0x1.d7c7p+1f,  0x1.4447p+1f,  0x1.d47p-3f,
    0x1.17cep+0f,  0x1.4447p+1f,  0x1.d7c7p+1f,  0x1.fca7p+1f,  0x1.1f67p+1f,  0x1.1f67p+1f,
    0x1.9c1cp-1f,  0x1.618ep+0f,  0x1.089cp-1f,  0x1.d47p-3f,   0x1.f50ep+0f,  0x1.ab4ep+0f,
    -0x1.e64p-5f,  0x1.8e07p+1f,  0x1.d47p-3f,   -0x1.63c8p-2f, 0x1.4447p+1f,  -0x1.63c8p-2f,
    0x1.fca7p+1f,  0x1.b2e7p+1f,  0x1.17cep+0f,  0x1.d47p-3f,   0x1.2f8e8p+3f, 0x1.641a8p+3f,
    0x1.641a8p+3f, 0x1.5861p+2f,  0x1.23d5p+2f,  0x1.f605p+2f,  0x1.15488p+3f, -0x1.773p-2f,
    0x1.4694p+0f,  0x1.757ap+1f,  -0x1.773p-2f,  0x1.8cedp+2f,  0x1.c179p+2f,  0x1.c179p+2f,
    0x1.23d5p+2f,  0x1.de92p+1f,  0x1.49d48p+3f, 0x1.f605p+2f,  0x1.f605p+2f,  -0x1.773p-2f,
    -0x1.773p-2f,  0x1.8cedp+2f,  0x1.2f8e8p+3f, 0x1.757ap+1f,  0x1.c179p+2f,  0x1.d19p-2f,
    0x1.5861p+2f,  0x1.c179p+2f,  -0x1.773p-2f,  0x1.7e608p+3f, 0x1.757ap+1f,  -0x1.773p-2f,
    0x1.bb8p-6f,   0x1.09638p+2f, 0x1.514b8p+2f, 0x1.09638p+2f, 0x1.82f7p+1f,  0x1.9b38p-2f,
    0x1.866ep+0f,  0x1.215b8p+2f, 0x1.866ep+0f,  0x1.e64ep+0f,  0x1.8d5cp-1f,  0x1.bb8p-6f,
    0x1.514b8p+2f, -0x1.63c8p-2f, 0x1.e64ep+0f,  0x1.82f7p+1f,  0x1.b2e7p+1f,  0x1.866ep+0f,
    0x1.2317p+1f,  0x1.215b8p+2f, 0x1.82f7p+1f,  0x1.866ep+0f,  0x1.2317p+1f,  0x1.bb8p-6f,
    0x1.268ep+0f,  0x1.82f7p+1f,  0x1.82f7p+1f,  0x1.09638p+2f, 0x1.2317p+1f,  0x1.9b38p-2f,
    0x1.2317p+1f,  0x1.5307p+1f,  0x1.83ee8p+2f, 0x1.189f4p+3f, 0x1.af428p+2f, 0x1.189f4p+3f,
    0x1.589a8p+2f, 0x1.4a74p-1f,  0x1.2e494p+3f, 0x1.2d468p+2f, 0x1.ad3dp+1f,  0x1.da968p+2f,
    0x1.528ap+0f,  0x1.ad3dp+1f,  0x1.ffdap+0f,  0x1.da968p+2f, -0x1.02cp-5f,  0x1.ffdap+0f,
    0x1.189f4p+3f, 0x1.5695p+1f,  0x1.ad3dp+1f,  0x1.af428p+2f, 0x1.83ee8p+2f, 0x1.af428p+2f,
    0x1.4a74p-1f,  -0x1.02cp-5f,  0x1.589a8p+2f, 0x1.589a8p+2f, 0x1.ad3dp+1f,  0x1.189f4p+3f,
    0x1.83ee8p+2f, 0x1.da968p+2f, 0x1.2e494p+3f, 0x1.af428p+2f,
};
constexpr uint8_t kQ6_KBytes[] = {
    119, 179, 228, 98,  1,   130, 5,   136, 245, 185, 24,  17,  152, 179, 124, 179, 191, 134,
    214, 151, 246, 182, 33,  80,  170, 16,  216, 88,  156, 249, 212, 193, 103, 46,  41,  3,
    223, 224, 178, 173, 125, 230, 125, 178, 101, 220, 198, 248, 23,  53,  217, 14,  73,  70,
    118, 225, 10,  139, 81,  250, 11,  9,   12,  97,  196, 192, 131, 117, 186, 161, 239, 230,
    236, 130, 179, 56,  233, 176, 70,  157, 115, 27,  73,  27,  150, 9,   156, 36,  109, 93,
    182, 115, 59,  237, 120, 105, 12,  26,  20,  133, 52,  48,  59,  199, 223, 198, 234, 120,
    70,  114, 39,  10,  207, 145, 179, 229, 47,  208, 66,  195, 142, 115, 92,  190, 90,  79,
    125, 37,  40,  198, 208, 235, 139, 50,  156, 189, 210, 12,  187, 178, 238, 178, 163, 189,
    132, 80,  133, 156, 140, 27,  206, 123, 181, 7,   18,  39,  75,  92,  97,  252, 213, 135,
    75,  160, 238, 81,  230, 0,   201, 104, 153, 21,  179, 30,  152, 84,  165, 83,  78,  110,
    0,   130, 30,  82,  215, 188, 111, 63,  172, 239, 95,  35,  68,  106, 32,  178, 183, 255,
    30,  117, 137, 169, 77,  108, 45,  78,  170, 181, 241, 28,
};
constexpr float kQ6_KValues[] = {
    -0x1.06832p+3f,  0x1.f806p-1f,   -0x1.26038p+3f,  0x1.7a048p+2f,   0x1.65044p+2f,
    0x1.5004p-1f,    -0x1.1b836p+3f, -0x1.5004p+1f,   0x1.a405p+0f,    -0x1.e305cp+2f,
    0x1.f806p+2f,    0x1.5004p-2f,   0x1.5004p+1f,    0x1.f806p-1f,    0x1.26038p+3f,
    -0x1.11034p+2f,  -0x1.16435p+3f, -0x1.a9942p+3f,  -0x1.475e4p+2f,  -0x1.9935dp+3f,
    -0x1.a9942p+3f,  0x1.681aep+3f,  0x1.05e5p-1f,    0x1.05e5p+3f,    -0x1.88d78p+1f,
    0x1.05e5p+3f,    0x1.05e5p+2f,   0x1.88d78p+3f,   0x1.ca50cp+3f,   -0x1.78793p+3f,
    -0x1.88d78p+2f,  -0x1.fb6bbp+3f, 0x1.14b8p+0f,    -0x1.3c4p-2f,    -0x1.c69cp+1f,
    0x1.da6p-2f,     0x1.287cp+1f,   -0x1.3c4p+2f,    0x1.63c8p+1f,    0x1.1e9ap+2f,
    -0x1.778cp+1f,   0x1.b2d8p+1f,   0x1.00f4p+1f,    -0x1.287cp+2f,   0x1.9f14p+1f,
    -0x1.8b5p+1f,    -0x1.00f4p+2f,  0x1.da6p+1f,     0x1.b19bcp+1f,   0x1.4534dp+3f,
    0x1.51404p+1f,   -0x1.69572p+3f, -0x1.2d1dfp+3f,  -0x1.21128p+1f,  -0x1.08fbap+3f,
    -0x1.816ep-2f,   0x1.21128p+1f,  0x1.e1c98p+0f,   0x1.75629p+3f,   0x1.21128p+1f,
    -0x1.08fbap+2f,  -0x1.2d1dfp+3f, 0x1.e1c98p+2f,   -0x1.9984ep+2f,  -0x1.3ba1ep+1f,
    0x1.d972dp+2f,   0x1.68b9p-1f,   -0x1.0e8acp+1f,  0x1.68b9p+3f,    -0x1.0e8acp+3f,
    0x1.68b9p+2f,    -0x1.0e8acp+3f, 0x1.68b9p-2f,    0x1.d972dp+2f,   -0x1.7f449p+2f,
    -0x1.7f449p+2f,  -0x1.95d02p+1f, -0x1.305c18p+3f, -0x1.3ba1ep+1f,  -0x1.305c18p+3f,
    0x1.9f14p-4f,    0x1.3c4p-5f,    0x1.778cp-4f,    0x1.14b8p-5f,    0x1.5004p-4f,
    0x1.8b5p-6f,     0x1.287cp-3f,   -0x1.9f14p-4f,   -0x1.00f4p-3f,   0x1.325ep-3f,
    0x1.da6p-7f,     -0x1.8b5p-6f,   0x1.c69cp-4f,    0x1.3c4p-8f,     -0x1.00f4p-4f,
    -0x1.14b8p-3f,   -0x1.e1c98p+1f, 0x1.4d8b8p+1f,   0x1.4d8b8p+1f,   0x1.287cp+1f,
    0x1.e1c98p+0f,   -0x1.4d8b8p+1f, 0x1.97aa8p+0f,   0x1.729bp+0f,    0x1.aa324p+1f,
    -0x1.4d8b8p+1f,  0x1.036c8p+0f,  0x1.97aa8p+0f,   0x1.97aa8p+1f,   0x1.e1c98p+0f,
    0x1.bcbap+0f,    0x1.15f44p+1f,  0x1.21128p-1f,   -0x1.d5be1p+2f,  0x1.d5be1p+2f,
    0x0p+0f,         0x1.21128p+1f,  -0x1.f9e06p+3f,  0x1.9f8a98p+3f,  -0x1.21128p+0f,
    0x0p+0f,         -0x1.b19bcp+3f, -0x1.e7cf38p+3f, -0x1.3323a8p+3f, -0x1.21128p+3f,
    -0x1.21128p+3f,  -0x1.21128p+3f, 0x1.8d797p+3f,   0x1.b9054p+2f,   -0x1.26038p+3f,
    -0x1.5d2428p+3f, 0x1.f025e8p+3f, -0x1.6f846p+2f,  0x1.13a348p+3f,  -0x1.13a348p+3f,
    0x1.ddc5bp+3f,   0x1.26038p+1f,  0x1.13a348p+4f,  0x1.ddc5bp+2f,   0x1.26038p+2f,
    -0x1.cb6578p+3f, -0x0p+0f,       0x1.ddc5bp+3f,   0x1.5d2428p+3f,  0x1.5d4bbp+2f,
    -0x1.6abae8p+3f, -0x1.e3a3ep+1f, -0x1.278edp+2f,  0x1.5d4bbp+3f,   -0x1.e3a3ep+1f,
    -0x1.426d4p+2f,  -0x1.ade7p+0f,  -0x1.859958p+3f, 0x1.fe825p+2f,   -0x1.278edp+3f,
    -0x1.fe825p+2f,  0x1.1a1f98p+3f, -0x1.859958p+3f, -0x1.426d4p+3f,  -0x1.4fdc78p+3f,
    -0x1.7c7dp+0f,   -0x1.1d5dcp+1f, 0x1.7c7dp+0f,    -0x1.410978p+3f, 0x1.db9c4p+2f,
    -0x1.7c7dp+3f,   -0x1.db9c4p+0f, -0x1.2941a8p+3f, 0x1.64b53p+2f,   0x1.1d5dcp+1f,
    0x1.db9c4p+1f,   -0x1.7c7dp+1f,  -0x1.35259p+3f,  0x1.ac0cap+2f,   0x1.4ced6p+1f,
    -0x1.1d5dcp+1f,  -0x1.0ad6p-1f,  -0x1.027f5p+4f,  0x1.3cde2p+3f,   0x1.5e38ep+3f,
    -0x1.1b836p+3f,  -0x1.0ad6p+4f,  0x1.2c30cp+3f,   -0x1.e3a3ep+3f,  -0x1.0ad6p+0f,
    0x1.3cde2p+3f,   0x1.d2f68p+3f,  0x1.f4514p+3f,   0x1.b19bcp+3f,   0x1.027f5p+4f,
    0x1.e3a3ep+3f,   -0x1.c2492p+3f, -0x1.bcbap-1f,   -0x1.15f44p+2f,  -0x1.4d8b8p+2f,
    0x1.8522cp+0f,   0x1.31bfep+1f,  -0x1.4d8b8p+0f,  0x1.8522cp+1f,   -0x1.f4514p+1f,
    -0x1.f4514p+1f,  0x1.bcbap+0f,   -0x1.15f44p+0f,  -0x1.69572p+1f,  0x1.a0ee6p+2f,
    -0x1.15f44p+0f,  -0x1.4d8b8p+1f, -0x1.8522cp+0f,  0x1.51404p+1f,   -0x1.69572p+2f,
    -0x1.51404p+3f,  0x1.816ep-2f,   -0x1.15071p+3f,  -0x1.816ep+3f,   -0x1.51404p+1f,
    -0x1.51404p+2f,  -0x1.e1c98p+1f, 0x1.f9e06p+2f,   0x1.08fbap+2f,   0x1.15071p+3f,
    0x1.21128p+0f,   0x1.51404p+2f,  -0x1.b19bcp+1f,  0x1.21128p+1f,   -0x1.a8f6p+2f,
    -0x1.a8f6p-2f,   0x1.8e66ap+2f,  -0x1.a8f6p+1f,   -0x1.f8a42p+2f,  0x1.5947ep+2f,
    -0x1.f8a42p+2f,  0x1.0999cp+3f,  -0x1.811efp+3f,  0x1.a8f6p+0f,    -0x1.73d74p+2f,
    0x1.4c003p+3f,   -0x1.a8f6p+0f,  0x1.4c003p+3f,   -0x1.a8f6p-1f,   0x1.a8f6p+2f,
    -0x1.15f44p+2f,  0x1.4447ap+1f,  0x1.cf41cp+0f,   0x1.729bp-1f,    0x1.5b715p+3f,
    -0x1.2d1dfp+2f,  0x1.4447ap+3f,  0x1.729bp+0f,    -0x1.15f44p+3f,  -0x1.4447ap+1f,
    0x1.fd952p+1f,   0x1.e66b7p+2f,  -0x1.cf41cp+0f,  -0x1.cf41cp+2f,  0x1.a0ee6p+1f,
    0x1.5b715p+3f,
};

constexpr KnownRow kKnownRows[] = {
    {WeightFormat::kF32, kF32Bytes, kF32Values},    {WeightFormat::kF16, kF16Bytes, kF16Values},
    {WeightFormat::kBF16, kBF16Bytes, kBF16Values}, {WeightFormat::kQ4_0, kQ4_0Bytes, kQ4_0Values},
    {WeightFormat::kQ4_1, kQ4_1Bytes, kQ4_1Values}, {WeightFormat::kQ8_0, kQ8_0Bytes, kQ8_0Values},
    {WeightFormat::kQ4_K, kQ4_KBytes, kQ4_KValues}, {WeightFormat::kQ6_K, kQ6_KBytes, kQ6_KValues},
};

}  // namespace

std::span<const KnownRow> known_rows() {
  return kKnownRows;
}

}  // namespace invar
