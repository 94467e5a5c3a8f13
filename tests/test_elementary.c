// The elementary functions against exactly rounded results, and against what must hold of any e^x,
// logarithm, sine and cosine. tests/exhaustive_exp.c is the long version, for every float.
#include "tensor/number/elementary.h"

#include <check.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

Suite *elementary_suite(void);

struct float_case {
    float x;
    float expected;
};

struct double_case {
    double x;
    double expected;
};

// The expected results were computed by Python's mpmath with 400 bits and then rounded once, to
// nearest even, to 24 bits (53 for double, fewer for subnormal results). "Hardest" are the
// arguments whose exact results lie closest to halfway between two floats, relative to the result,
// found by trying all floats.

// clang-format off
static const struct float_case EXP_CASES[] = {
    // The hardest there are, hardest first: the first is 2^-52.6 of itself from a halfway point.
    {-0x1.d2259ap3f, 0x1.fa6636p-22f}, {-0x1.e1dbe2p-8f, 0x1.fc3fd2p-1f},
    {-0x1.c1c4b8p-10f, 0x1.ff1f4ep-1f}, {-0x1p-25f, 0x1p0f},
    {0x1.fdff02p-17f, 0x1.0001p0f}, {0x1.62b666p1f, 0x1.ff48fap3f},
    {0x1.036492p1f, 0x1.e59a28p2f}, {0x1.8d7cb6p-12f, 0x1.0018dap0f},
    {0x1.cd3982p-14f, 0x1.000734p0f}, {0x1.747de2p-15f, 0x1.0002eap0f},
    {-0x1.548c34p-7f, 0x1.fab4dcp-1f}, {0x1.344e9cp-5f, 0x1.09d174p0f},
    {0x1.112856p6f, 0x1.6f498ap98f}, {-0x1.6e1ddp-8f, 0x1.fd25dp-1f},
    {0x1.cce332p0f, 0x1.834f4cp2f}, {-0x1.7acc62p3f, 0x1.e51c66p-18f},
    {0x1.cb763ap-12f, 0x1.001cbap0f}, {0x1.97f0f6p4f, 0x1.b8a17cp36f},
    {0x1.fbff82p-18f, 0x1.00008p0f}, {0x1.f7ffc2p-19f, 0x1.00004p0f},
    {0x1.efffe2p-20f, 0x1.00002p0f}, {0x1.dffff2p-21f, 0x1.00001p0f},
    {0x1.bffffap-22f, 0x1.000008p0f}, {0x1.7ffffep-23f, 0x1.000004p0f},
    // The two that would come out wrong without the rounding test.
    {0x1.060e1ep6f, 0x1.6e2e7p94f}, {-0x1.03d5bep0f, 0x1.731b82p-2f},
    // Around 1: halfway points just missed.
    {0x1p-149f, 0x1p0f}, {-0x1p-149f, 0x1p0f},
    {0x1p-126f, 0x1p0f}, {0x1p-25f, 0x1p0f},
    {-0x1p-26f, 0x1p0f}, {0x1p-24f, 0x1.000002p0f},
    {0x1.000002p-24f, 0x1.000002p0f}, {-0x1p-24f, 0x1.fffffep-1f},
    {0x1.8p-24f, 0x1.000002p0f}, {0x1p-23f, 0x1.000002p0f},
    // The end of the finite results, of the normal ones, and of those that are not 0.
    {0x1.62e42cp6f, 0x1.fffe08p127f}, {0x1.62e42ep6f, 0x1.ffff08p127f},
    {0x1.62e43p6f, INFINITY}, {-0x1.5d589ep6f, 0x1.00004cp-126f},
    {-0x1.5d58ap6f, 0x1.ffff98p-127f}, {-0x1.5d58a2p6f, 0x1.fffe98p-127f},
    {-0x1.9d1d9ep6f, 0x1p-149f}, {-0x1.9d1dap6f, 0x1p-149f},
    {-0x1.9d1da2p6f, 0x1p-149f}, {-0x1.9fe366p6f, 0x1p-149f},
    {-0x1.9fe368p6f, 0x1p-149f}, {-0x1.9fe36ap6f, 0},
    // Subnormal results.
    {-0x1.95d6c6p6f, 0x1.8p-147f}, {-0x1.95c2ecp6f, 0x1.8p-147f},
    {-0x1.909672p6f, 0x1.7p-145f}, {-0x1.82a17ap6f, 0x1.778p-140f},
    {-0x1.802826p6f, 0x1.5c8p-139f}, {-0x1.75e912p6f, 0x1.1a28p-135f},
    {-0x1.742e78p6f, 0x1.b2b4p-135f}, {-0x1.734af2p6f, 0x1.0f6ep-134f},
    {-0x1.6fc7d2p6f, 0x1.469p-133f}, {-0x1.6cef38p6f, 0x1.4c9ep-132f},
    {-0x1.6c42eep6f, 0x1.89908p-132f}, {-0x1.69a8c4p6f, 0x1.7927p-131f},
    {-0x1.652364p6f, 0x1.23f4bp-129f}, {-0x1.632b0ep6f, 0x1.ddc3cp-129f},
    {-0x1.631a54p6f, 0x1.e5a2p-129f}, {-0x1.60fc4p6f, 0x1.9c452p-128f},
    // The rest of the range.
    {-0x1.373f72p6f, 0x1.abe222p-113f}, {-0x1.34c7d6p6f, 0x1.8c6f16p-112f},
    {-0x1.1ec2fcp6f, 0x1.7cb8dep-104f}, {-0x1.fc29dp5f, 0x1.486c3cp-92f},
    {-0x1.d25c5cp5f, 0x1.dd0908p-85f}, {-0x1.764f64p5f, 0x1.698ebp-68f},
    {-0x1.746512p5f, 0x1.cb5c4p-68f}, {-0x1.06c96cp5f, 0x1.86ae5cp-48f},
    {-0x1.d3a4e2p2f, 0x1.5fba56p-11f}, {0x1.0bc074p2f, 0x1.066978p6f},
    {0x1.fdf21p2f, 0x1.68d92ep11f}, {0x1.7f682p3f, 0x1.380a9ap17f},
    {0x1.ca636p3f, 0x1.96352ap20f}, {0x1.f687c2p3f, 0x1.936ef4p22f},
    {0x1.431e14p5f, 0x1.34afdap58f}, {0x1.8962f8p5f, 0x1.ebdcd2p70f},
    {0x1.b7c1acp5f, 0x1.3c1e4ap79f}, {0x1.e10076p5f, 0x1.ac4426p86f},
    {0x1.037902p6f, 0x1.8001d8p93f}, {0x1.09562ep6f, 0x1.9fdcdap95f},
    {0x1.0fcc58p6f, 0x1.05779p98f}, {0x1.169deep6f, 0x1.677d8ep100f},
    {0x1.1ff83ap6f, 0x1.d1a57cp103f}, {0x1.5d5aaap6f, 0x1.0082d6p126f},
    {-0x1.c734aep0f, 0x1.5a02e4p-3f}, {-0x1.753cep-1f, 0x1.edfa76p-2f},
    {0x1.6db214p-7f, 0x1.02df7cp0f}, {0x1.d5302ap-2f, 0x1.94ca4cp0f},
    {0x1.68b8e8p-1f, 0x1.02eeap1f}, {0x1.fbcc62p-1f, 0x1.5918b2p1f},
    {0x1.60dae2p0f, 0x1.fbf186p1f}, {0x1.b174b2p0f, 0x1.5bf432p2f},
    {0x1.cdbc62p0f, 0x1.84987p2f}, {0x1.d06bfep0f, 0x1.88b1bp2f},
    {0x1.e961ecp0f, 0x1.b0e95ep2f}, {0x1.f8813ep0f, 0x1.cb413ap2f},
    {0x1p0f, 0x1.5bf0a8p1f}, {-0x1p0f, 0x1.78b564p-2f},
};

static const struct float_case LOG_CASES[] = {
    // The hardest there are, hardest first: the first is 2^-57.8 of itself from a halfway point.
    {0x1.b121a6p76f, 0x1.a9a3f2p5f}, {0x1.bacb4ap25f, 0x1.1e0696p4f},
    {0x1.c09d7cp27f, 0x1.346a58p4f}, {0x1.5190cp78f, 0x1.b2bc8cp5f},
    {0x1.22d57p-65f, -0x1.676a7cp5f}, {0x1.2f1fd6p3f, 0x1.1fcbcep1f},
    {0x1.827a74p-7f, -0x1.1c2b1ep2f}, {0x1.6351d8p95f, 0x1.08b512p6f},
    {0x1.b97c7p-14f, -0x1.251748p3f}, {0x1.d1309cp62f, 0x1.5c9442p5f},
    {0x1.cb534cp13f, 0x1.330e4ap3f}, {0x1.f0ddep-8f, -0x1.38733cp2f},
    {0x1.cfd86ep116f, 0x1.43ff6ep6f}, {0x1.98496ep-39f, -0x1.a90e2p4f},
    {0x1.917748p-100f, -0x1.137588p6f}, {0x1.088d96p-74f, -0x1.9a148ap5f},
    {0x1.c7f44cp-46f, -0x1.f4ebcp4f}, {0x1.577ac6p78f, 0x1.b2e01cp5f},
    {0x1.fa45fp-44f, -0x1.dd10b2p4f}, {0x1.390ffp-93f, -0x1.010bbep6f},
    {0x1.cc24d6p-44f, -0x1.de9804p4f}, {0x1.925308p-35f, -0x1.7ceddcp4f},
    {0x1.9ab656p13f, 0x1.2f79e2p3f}, {0x1.5f313ap42f, 0x1.d6da78p4f},
    // Around 1, where the logarithm is tiny.
    {0x1.fffffcp-1f, -0x1.000002p-23f}, {0x1.fffffep-1f, -0x1p-24f},
    {0x1p0f, 0}, {0x1.000002p0f, 0x1.fffffep-24f},
    {0x1.000004p0f, 0x1.fffffcp-23f}, {0x1.fb8e1cp-1f, -0x1.1db6f4p-7f},
    {0x1.fb93b4p-1f, -0x1.1c4dd4p-7f}, {0x1.fd93cap-1f, -0x1.36d76ap-8f},
    {0x1.fdf328p-1f, -0x1.06f2dcp-8f}, {0x1.ff27a2p-1f, -0x1.b1178ap-10f},
    {0x1.00b7a4p0f, 0x1.6ec482p-9f},
    // Subnormal arguments and the ends of the range.
    {0x1p-149f, -0x1.9d1dap6f}, {0x1.8p-148f, -0x1.98b8a6p6f},
    {0x1.fffffcp-127f, -0x1.5d58ap6f}, {0x1p-126f, -0x1.5d58ap6f},
    {0x1.fffffep127f, 0x1.62e43p6f}, {0x1.4a3p-137f, -0x1.7ad3a4p6f},
    {0x1.1b38p-136f, -0x1.78aafcp6f}, {0x1.02ecp-134f, -0x1.737b44p6f},
    {0x1.0576p-130f, -0x1.685a24p6f}, {0x1.3abfp-130f, -0x1.679c34p6f},
    // What Box-Muller takes: 1 - u, u a multiple of 2^-24.
    {0x1p-24f, -0x1.0a2b24p4f}, {0x1p-23f, -0x1.fe2804p3f},
    {0x1.8p-23f, -0x1.f12e72p3f}, {0x1.078b0ep-1f, -0x1.5405e2p-1f},
    {0x1.2f57a4p-2f, -0x1.3773bep0f}, {0x1.bb46bp-3f, -0x1.87ca02p0f},
    {0x1.aa312ap-1f, -0x1.77ac8ap-3f}, {0x1.5622f8p-2f, -0x1.18a49cp0f},
    {0x1.a1b89p-3f, -0x1.96fd7cp0f}, {0x1.be7c18p-3f, -0x1.85f156p0f},
    {0x1.0f3402p-1f, -0x1.455a8cp-1f}, {0x1.a47038p-2f, -0x1.c7c4ep-1f},
    {0x1.26c7cp-3f, -0x1.f03a3ep0f}, {0x1.141814p-2f, -0x1.4f8c04p0f},
    {0x1.8616p-4f, -0x1.2cfaa6p1f},
    // The rest of the range.
    {0x1.b7702p-109f, -0x1.2c0d08p6f}, {0x1.fe8054p-96f, -0x1.07685cp6f},
    {0x1.6154dap-94f, -0x1.03559cp6f}, {0x1.f3669p-91f, -0x1.f343eap5f},
    {0x1.9c8e78p-64f, -0x1.5f12e4p5f}, {0x1.891caep-44f, -0x1.e11ceap4f},
    {0x1.73ec1cp-32f, -0x1.5cea4cp4f}, {0x1.94caecp-32f, -0x1.5b8f68p4f},
    {0x1.2f400ap-25f, -0x1.128c7ep4f}, {0x1.af1a7p3f, 0x1.4ce0d8p1f},
    {0x1.8ec6d8p4f, 0x1.9b9fc2p1f}, {0x1.051798p7f, 0x1.37ca5ep2f},
    {0x1.a66cp28f, 0x1.3e8b0ep4f}, {0x1.023aa6p58f, 0x1.41b08cp5f},
    {0x1.c3cd7ap62f, 0x1.5c5876p5f}, {0x1.10e024p74f, 0x1.9ada96p5f},
    {0x1.4e460ap91f, 0x1.fabed2p5f}, {0x1.fd7746p92f, 0x1.01d4b6p6f},
    {0x1.d06feep105f, 0x1.258122p6f}, {0x1.4aa08cp110f, 0x1.32020ep6f},
    {0x1p-1f, -0x1.62e43p-1f}, {0x1p1f, 0x1.62e43p-1f},
    {0x1.4p3f, 0x1.26bb1cp1f},
};

static const struct float_case SIN_CASES[] = {
    // The hardest there are, hardest first: the first is 2^-52.7 of itself from a halfway point.
    {0x1.e35bc6p7f, 0x1.c5b4acp-3f}, {0x1.e7061ep-2f, 0x1.d4de8ap-2f},
    {0x1.9eab2ep-4f, 0x1.9df5f2p-4f}, {0x1.a88a5p6f, -0x1.41934ep-1f},
    {0x1.e64002p-2f, 0x1.d42e64p-2f}, {0x1.41f49cp0f, 0x1.e71962p-1f},
    {0x1.0ca1d4p-5f, 0x1.0c958p-5f}, {0x1.250bfep-11f, 0x1.250bfep-11f},
    {0x1.3e42p1f, 0x1.37f8dep-1f}, {0x1.09e25p8f, 0x1.d39d9p-1f},
    {0x1.2ee95ep8f, 0x1.efd0e4p-1f}, {0x1.d12edp-12f, 0x1.d12edp-12f},
    {0x1.0a403p-10f, 0x1.0a402ep-10f}, {0x1.c4dfap-4f, 0x1.c3f38ep-4f},
    {0x1.ce1026p2f, 0x1.9c6cf2p-1f}, {0x1.89093ep10f, 0x1.f35abcp-1f},
    {0x1.baf404p7f, 0x1.fffde2p-1f}, {0x1.e57bf6p-8f, 0x1.e57ad4p-8f},
    {0x1.d12ed2p-12f, 0x1.d12edp-12f}, {0x1.a6a58ep-11f, 0x1.a6a58ap-11f},
    {0x1.ed68fp7f, 0x1.fdee5p-1f}, {0x1.404b8cp-6f, 0x1.404654p-6f},
    {0x1.61246ep-10f, 0x1.612468p-10f}, {0x1.dcfea2p-9f, 0x1.dcfe5ep-9f},
    // Tiny, subnormal, and where the result stops being x.
    {0x1p-149f, 0x1p-149f}, {-0x1.8p-127f, -0x1.8p-127f},
    {0x1.fffffep-13f, 0x1.fffffep-13f}, {0x1p-12f, 0x1p-12f},
    {0x1.6p-12f, 0x1.6p-12f}, {0x1.bb67aep-12f, 0x1.bb67aep-12f},
    {0x1p-11f, 0x1.fffffep-12f},
    // Around multiples of π/2, up to 2π.
    {0x1.921fb4p0f, 0x1p0f}, {0x1.921fb6p0f, 0x1p0f},
    {0x1.921fb8p0f, 0x1p0f}, {0x1.921fb4p1f, 0x1.4442d2p-23f},
    {0x1.921fb6p1f, -0x1.777a5cp-24f}, {0x1.921fb8p1f, -0x1.5dde98p-22f},
    {0x1.2d97c6p2f, -0x1p0f}, {0x1.2d97c8p2f, -0x1p0f},
    {0x1.2d97cap2f, -0x1p0f}, {0x1.921fb4p2f, -0x1.4442d2p-22f},
    {0x1.921fb6p2f, 0x1.777a5cp-23f}, {0x1.921fb8p2f, 0x1.5dde98p-21f},
    // What Box-Muller takes, 0 to 2π.
    {0x1.433acep-2f, 0x1.3de386p-2f}, {0x1.9310cep-2f, 0x1.88bcdep-2f},
    {0x1.c44efap-1f, 0x1.8bbae6p-1f}, {0x1.2c8e5p0f, 0x1.d83a9p-1f},
    {0x1.51fc26p0f, 0x1.f003acp-1f}, {0x1.526442p0f, 0x1.f03724p-1f},
    {0x1.c85ae2p0f, 0x1.f48df6p-1f}, {0x1.2222cap1f, 0x1.88f39p-1f},
    {0x1.276944p1f, 0x1.7b182p-1f}, {0x1.2bec76p1f, 0x1.6ebaap-1f},
    {0x1.7d16b4p1f, 0x1.4f0ccap-3f}, {0x1.8c5bd4p1f, 0x1.70d862p-5f},
    {0x1.bb80a8p1f, -0x1.454b44p-2f}, {0x1.fdea9cp1f, -0x1.7dfbf2p-1f},
    {0x1.0eac5p2f, -0x1.c566aep-1f}, {0x1.142bcap2f, -0x1.d822ecp-1f},
    {0x1.1ec33p2f, -0x1.f250a6p-1f}, {0x1.2281bep2f, -0x1.f8567ep-1f},
    {0x1.3c4a54p2f, -0x1.f28eecp-1f}, {0x1.49cad6p2f, -0x1.cf193p-1f},
    {0x1.53f17p2f, -0x1.a6cbecp-1f}, {0x1.5d3688p2f, -0x1.78b08cp-1f},
    {0x1.7b57b4p2f, -0x1.64dap-2f}, {0x1.7e93ccp2f, -0x1.33e7b2p-2f},
    // As far as they go, either side of 0.
    {-0x1.d2ca72p11f, -0x1.b635d8p-1f}, {-0x1.bf642ep11f, 0x1.82df22p-1f},
    {-0x1.b07066p11f, 0x1.290c46p-1f}, {-0x1.890afap11f, -0x1.8679fp-2f},
    {-0x1.71e4c8p11f, 0x1.d49fb8p-3f}, {-0x1.1e3d62p10f, -0x1.fa2458p-1f},
    {-0x1.bf3df2p9f, -0x1.87529ep-1f}, {0x1.3c4cf6p4f, 0x1.971c3p-1f},
    {0x1.9127e6p6f, -0x1.eacbb8p-3f}, {0x1.4af9eep10f, -0x1.ec99e8p-1f},
    {0x1.e33644p10f, -0x1.63d6e6p-1f}, {0x1.26049ap11f, 0x1.93f14ap-1f},
    {0x1.bca668p11f, 0x1.96833cp-1f}, {0x1.d29dcap11f, 0x1.512816p-1f},
    {0x1.ea3d08p11f, 0x1.dd20fap-1f}, {0x1.faa05ep11f, 0x1.65ce3ap-2f},
    {0x1p12f, -0x1.3074eap-1f}, {-0x1p12f, 0x1.3074eap-1f},
};

static const struct float_case COS_CASES[] = {
    // The hardest there are, hardest first: the first is 2^-53.1 of itself from a halfway point.
    {0x1.20ffccp-7f, 0x1.fffae8p-1f}, {0x1p-12f, 0x1p0f},
    {0x1.a8872ap-11f, 0x1.fffff6p-1f}, {0x1.8f219cp5f, 0x1.dc9802p-1f},
    {0x1.6f1b7p5f, -0x1.50f40ep-2f}, {0x1.1e377ap-11f, 0x1.fffffap-1f},
    {0x1.bf4e1cp-3f, 0x1.f3d62p-1f}, {0x1.544ce4p0f, 0x1.e9cb66p-3f},
    {0x1.869c24p-9f, 0x1.ffff6ap-1f}, {0x1.21497ep1f, -0x1.459d46p-1f},
    {0x1.0c4d4ap0f, 0x1.ff3d7p-2f}, {0x1.589f8p-4f, 0x1.fe305ap-1f},
    {0x1.b6781cp0f, -0x1.21c966p-3f}, {0x1.4b3ef8p1f, -0x1.b37d88p-1f},
    {0x1.ea8098p9f, 0x1.5a6494p-1f}, {0x1.2b7fcp5f, 0x1.ee900ep-1f},
    {0x1.b141d4p-5f, 0x1.ff48bcp-1f}, {0x1.2e2296p6f, 0x1.fb4daap-1f},
    {0x1.f9f7fep-6f, 0x1.ffc182p-1f}, {0x1.41cddep-2f, 0x1.e6ecb8p-1f},
    {0x1.fd825cp-2f, 0x1.c1eb04p-1f}, {0x1.fffffep-13f, 0x1p0f},
    {0x1.83fac2p-9f, 0x1.ffff6cp-1f}, {0x1.f3c748p3f, -0x1.fdeedap-1f},
    // Where the result stops being 1.
    {0, 0x1p0f}, {0x1p-149f, 0x1p0f},
    {0x1.fffffep-13f, 0x1p0f}, {0x1p-12f, 0x1p0f},
    {0x1.000002p-12f, 0x1.fffffep-1f}, {0x1.bb67aep-12f, 0x1.fffffep-1f},
    // Around multiples of π/2, up to 2π.
    {0x1.921fb4p0f, 0x1.4442d2p-24f}, {0x1.921fb6p0f, -0x1.777a5cp-25f},
    {0x1.921fb8p0f, -0x1.5dde98p-23f}, {0x1.921fb4p1f, -0x1p0f},
    {0x1.921fb6p1f, -0x1p0f}, {0x1.921fb8p1f, -0x1p0f},
    {0x1.2d97c6p2f, -0x1.f3321ep-22f}, {0x1.2d97c8p2f, 0x1.99bc5cp-27f},
    {0x1.2d97cap2f, 0x1.0666f2p-21f}, {0x1.921fb4p2f, 0x1p0f},
    {0x1.921fb6p2f, 0x1p0f}, {0x1.921fb8p2f, 0x1p0f},
    // What Box-Muller takes, 0 to 2π.
    {0x1.433acep-2f, 0x1.e6b432p-1f}, {0x1.9310cep-2f, 0x1.d8d88ep-1f},
    {0x1.c44efap-1f, 0x1.44df32p-1f}, {0x1.2c8e5p0f, 0x1.8bb262p-2f},
    {0x1.51fc26p0f, 0x1.fbc28ap-3f}, {0x1.526442p0f, 0x1.f89b82p-3f},
    {0x1.c85ae2p0f, -0x1.ae9c8ep-3f}, {0x1.2222cap1f, -0x1.483a32p-1f},
    {0x1.276944p1f, -0x1.58238cp-1f}, {0x1.2bec76p1f, -0x1.654968p-1f},
    {0x1.7d16b4p1f, -0x1.f91a1p-1f}, {0x1.8c5bd4p1f, -0x1.ff7b14p-1f},
    {0x1.bb80a8p1f, -0x1.e57aa6p-1f}, {0x1.fdea9cp1f, -0x1.54eda4p-1f},
    {0x1.0eac5p2f, -0x1.dbb1f2p-2f}, {0x1.142bcap2f, -0x1.8c232ap-2f},
    {0x1.1ec33p2f, -0x1.d656a2p-3f}, {0x1.2281bep2f, -0x1.60fbc2p-3f},
    {0x1.3c4a54p2f, 0x1.d232p-3f}, {0x1.49cad6p2f, 0x1.b4bb96p-2f},
    {0x1.53f17p2f, 0x1.20c4a8p-1f}, {0x1.5d3688p2f, 0x1.5ac4eep-1f},
    {0x1.7b57b4p2f, 0x1.dfe788p-1f}, {0x1.7e93ccp2f, 0x1.e84e4ep-1f},
    // As far as they go, either side of 0.
    {-0x1.d2ca72p11f, -0x1.08cb32p-1f}, {-0x1.bf642ep11f, -0x1.4f5f38p-1f},
    {-0x1.b07066p11f, -0x1.a1056p-1f}, {-0x1.890afap11f, -0x1.d9505cp-1f},
    {-0x1.71e4c8p11f, 0x1.f26a7cp-1f}, {-0x1.1e3d62p10f, 0x1.34ea7cp-3f},
    {-0x1.bf3df2p9f, -0x1.4a2adcp-1f}, {0x1.3c4cf6p4f, 0x1.367dfcp-1f},
    {0x1.9127e6p6f, 0x1.f11498p-1f}, {0x1.4af9eep10f, -0x1.173306p-2f},
    {0x1.e33644p10f, -0x1.70222ep-1f}, {0x1.26049ap11f, -0x1.3a9a1ep-1f},
    {0x1.bca668p11f, 0x1.374624p-1f}, {0x1.d29dcap11f, 0x1.81513cp-1f},
    {0x1.ea3d08p11f, 0x1.7370e2p-2f}, {0x1.faa05ep11f, 0x1.dfba0ep-1f},
    {0x1p12f, 0x1.9ba4a8p-1f}, {-0x1p12f, 0x1.9ba4a8p-1f},
};

static const struct double_case LOG1P_CASES[] = {
    // -u for a 53-bit uniform u.
    {-0x1.e3984acafeedbp-1, -0x1.72250c3f85ea8p1}, {-0x1.e0b29f84e1aa6p-1, -0x1.65b6959f01dcp1},
    {-0x1.a4c3def7d86b8p-1, -0x1.b99237bda27p0}, {-0x1.9331341c0f7e3p-1, -0x1.8c7a54990c0cap0},
    {-0x1.0ad61a5e5a4d6p-1, -0x1.79093dfca79e7p-1}, {-0x1.061711fbcbd98p-1, -0x1.6f3804269315p-1},
    {-0x1.a89165bf3039p-2, -0x1.122ba3d60d968p-1}, {-0x1.89af0a9c63472p-2, -0x1.f0e5697379cecp-2},
    {-0x1.870d72eff625p-2, -0x1.eca1624652882p-2}, {-0x1.7f5e68976604cp-2, -0x1.e04636662b21bp-2},
    {-0x1.7f0e72a6e924cp-2, -0x1.dfc66ebd8d78ap-2}, {-0x1.7d9ab323ab948p-2, -0x1.dd752edbe3058p-2},
    {-0x1.569e2c2e82e4cp-2, -0x1.a11ff804fc7fbp-2}, {-0x1.4f5a235fc6588p-2, -0x1.964374b83faa8p-2},
    {-0x1.10fc12f539cbep-2, -0x1.3d7ca0f8f2b99p-2}, {-0x1.1aeb2e6eef8ccp-3, -0x1.30784b456fd71p-3},
    {-0x1p-53, -0x1p-53}, {-0x1p-52, -0x1.0000000000001p-52},
    {-0x1.fffffffffffffp-1, -0x1.25e4f7b2737fap5}, {-0x1p-1, -0x1.62e42fefa39efp-1},
    // Tiny, and everything else.
    {0x0.0000000000001p-1022, 0x0.0000000000001p-1022}, {-0x1p-55, -0x1p-55},
    {0x1.8p-54, 0x1.8p-54}, {-0x1.23456789abcdep-40, -0x1.23456789ac739p-40},
    {0x1.921fb54442d18p-30, 0x1.921fb53f53825p-30}, {0x1p0, 0x1.62e42fefa39efp-1},
    {0x1p1, 0x1.193ea7aad030bp0}, {0x1.2a05f2p33, 0x1.7069e2aa3184ep4},
    {0x1.fffffffffffffp1023, 0x1.62e42fefa39efp9},
};

static const struct double_case SIN_DOUBLE_CASES[] = {
    // Box-Muller's 2π u.
    {0x1.5386a8efbf16fp-2, 0x1.4d56c969552e7p-2}, {0x1.1c4f7394e1d59p-1, 0x1.0dec3923a7d9fp-1},
    {0x1.07af4ea37b3f3p0, 0x1.b6f12819d3dcp-1}, {0x1.6eeb9b8759b63p0, 0x1.fb2aa9fd63fdcp-1},
    {0x1.9e736d7aef7e9p0, 0x1.ff6812ddf78aep-1}, {0x1.1790fbe3f05a7p1, 0x1.a2af58ce2c9abp-1},
    {0x1.32bccf916159p1, 0x1.5b32edde8d97ap-1}, {0x1.8d770baa17e56p1, 0x1.2a198c6aa7711p-5},
    {0x1.ccb920e0126dep1, -0x1.c496eed589607p-2}, {0x1.fb6a6ec0c4634p1, -0x1.77404842ee0cap-1},
    {0x1.0b2e72032e744p2, -0x1.b7c1afcb5958ap-1}, {0x1.170668812a6f2p2, -0x1.e07f278e7aa62p-1},
    {0x1.1f633a77b10bp2, -0x1.f370977f34649p-1}, {0x1.214e7f4889b1dp2, -0x1.f6982be4fd74bp-1},
    {0x1.2cecb0960b045p2, -0x1.fff8da80b84c1p-1}, {0x1.5da1bd6504bfp2, -0x1.7669997584f8fp-1},
    // Around multiples of π/2.
    {0x1.921fb54442d18p0, 0x1p0}, {0x1.921fb54442d18p1, 0x1.1a62633145c07p-53},
    {0x1.2d97c7f3321d2p2, -0x1p0}, {0x1.921fb54442d18p2, -0x1.1a62633145c07p-52},
    {0x1.6c6cbc45dc8dep5, 0x1p0},
    // Tiny, and as far as they go.
    {0x0.0000000000001p-1022, 0x0.0000000000001p-1022}, {-0x1.8p-27, -0x1.8p-27},
    {0x1.23456789abcdep-20, 0x1.23456789ab8f1p-20}, {0x1.fffffffffffffp-10, 0x1.ffffeaaaaaeeep-10},
    {-0x1p0, -0x1.aed548f090ceep-1}, {0x1.9p6, -0x1.03425b78c4db8p-1},
    {0x1p12, -0x1.3074ea233620dp-1}, {-0x1p12, 0x1.3074ea233620dp-1},
    {0x1.d4a9cbda3d02p11, -0x1.f74ab3cd905f9p-1}, {-0x1.5adff1f18baf6p11, 0x1.a6e94061e577ap-1},
    {-0x1.c9667ed2ba5p11, -0x1.5deb6acfc6c24p-1}, {0x1.e7b7285a76f02p11, -0x1.126c4334d5a8fp-3},
    {-0x1.f3c42f4bdafcp10, -0x1.b23f0893ad9bcp-1}, {0x1.118f95e73cda8p11, 0x1.ddc39d34b02edp-1},
};

static const struct double_case COS_DOUBLE_CASES[] = {
    // Box-Muller's 2π u.
    {0x1.5386a8efbf16fp-2, 0x1.e41ce5643ce8ep-1}, {0x1.1c4f7394e1d59p-1, 0x1.b311dce519d04p-1},
    {0x1.07af4ea37b3f3p0, 0x1.07943b4462f6ep-1}, {0x1.6eeb9b8759b63p0, 0x1.18bdcb2a2c715p-3},
    {0x1.9e736d7aef7e9p0, -0x1.8a5001cba9f6p-5}, {0x1.1790fbe3f05a7p1, -0x1.26b2b0660d24fp-1},
    {0x1.32bccf916159p1, -0x1.784b2b375544ep-1}, {0x1.8d770baa17e56p1, -0x1.ffa930c4a9d66p-1},
    {0x1.ccb920e0126dep1, -0x1.cb46b7e08cfd9p-1}, {0x1.fb6a6ec0c4634p1, -0x1.5c534fd4e8609p-1},
    {0x1.0b2e72032e744p2, -0x1.0637bdc0f49b7p-1}, {0x1.170668812a6f2p2, -0x1.61a62c4b8389dp-2},
    {0x1.1f633a77b10bp2, -0x1.c2d88a7fba15ap-3}, {0x1.214e7f4889b1dp2, -0x1.86c002156d0c1p-3},
    {0x1.2cecb0960b045p2, -0x1.562d22bcd18bdp-7}, {0x1.5da1bd6504bfp2, 0x1.5d3a0865cda23p-1},
    // Around multiples of π/2.
    {0x1.921fb54442d18p0, 0x1.1a62633145c07p-54}, {0x1.921fb54442d18p1, -0x1p0},
    {0x1.2d97c7f3321d2p2, -0x1.a79394c9e8a0ap-53}, {0x1.921fb54442d18p2, 0x1p0},
    {0x1.6c6cbc45dc8dep5, -0x1.6d61b58c99c43p-61},
    // Tiny, and as far as they go.
    {0x0.0000000000001p-1022, 0x1p0}, {-0x1.8p-27, 0x1.fffffffffffffp-1},
    {0x1.23456789abcdep-20, 0x1.fffffffffeb4ap-1}, {0x1.fffffffffffffp-10, 0x1.ffffc00001555p-1},
    {-0x1p0, 0x1.14a280fb5068cp-1}, {0x1.9p6, 0x1.b981dbf665fdfp-1},
    {0x1p12, 0x1.9ba4a85e6ce6cp-1}, {-0x1p12, 0x1.9ba4a85e6ce6cp-1},
    {0x1.d4a9cbda3d02p11, -0x1.781d2de2451c4p-3}, {-0x1.5adff1f18baf6p11, -0x1.2099b14eeb879p-1},
    {-0x1.c9667ed2ba5p11, -0x1.75c3d6fada07ap-1}, {0x1.e7b7285a76f02p11, 0x1.fb61fbdee0049p-1},
    {-0x1.f3c42f4bdafcp10, 0x1.0f3ee49490afbp-1}, {0x1.118f95e73cda8p11, -0x1.7028f6554c20dp-2},
};
// clang-format on

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

// --- Helpers -------------------------------------------------------------------------------------

static float float_of_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t bits_of_float(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint64_t bits_of_double(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void check_floats(const char *name, float (*f)(float), const struct float_case *cases,
                         size_t count) {
    for (size_t i = 0; i < count; i++) {
        const float y = f(cases[i].x);
        ck_assert_msg(bits_of_float(y) == bits_of_float(cases[i].expected),
                      "%s(%a) is %a, expected %a", name, (double)cases[i].x, (double)y,
                      (double)cases[i].expected);
    }
}

static void check_doubles(const char *name, double (*f)(double), const struct double_case *cases,
                          size_t count) {
    for (size_t i = 0; i < count; i++) {
        const double y = f(cases[i].x);
        ck_assert_msg(bits_of_double(y) == bits_of_double(cases[i].expected),
                      "%s(%a) is %a, expected %a", name, cases[i].x, y, cases[i].expected);
    }
}

// --- Exactly rounded -----------------------------------------------------------------------------

START_TEST(exp_is_correctly_rounded) {
    check_floats("exp_float", exp_float, EXP_CASES, COUNT(EXP_CASES));
}
END_TEST

START_TEST(log_is_correctly_rounded) {
    check_floats("log_float", log_float, LOG_CASES, COUNT(LOG_CASES));
}
END_TEST

START_TEST(sin_is_correctly_rounded) {
    check_floats("sin_float", sin_float, SIN_CASES, COUNT(SIN_CASES));
}
END_TEST

START_TEST(cos_is_correctly_rounded) {
    check_floats("cos_float", cos_float, COS_CASES, COUNT(COS_CASES));
}
END_TEST

// The double versions promise less than this, but keep it for these arguments.
START_TEST(double_versions_are_the_nearest_double) {
    check_doubles("log1p_double", log1p_double, LOG1P_CASES, COUNT(LOG1P_CASES));
    check_doubles("sin_double", sin_double, SIN_DOUBLE_CASES, COUNT(SIN_DOUBLE_CASES));
    check_doubles("cos_double", cos_double, COS_DOUBLE_CASES, COUNT(COS_DOUBLE_CASES));
}
END_TEST

// --- The ends of the domains ---------------------------------------------------------------------

START_TEST(exp_of_what_is_not_a_finite_number) {
    ck_assert_uint_eq(bits_of_float(exp_float(-INFINITY)), 0); // not -0: a masked score weighs 0
    ck_assert_uint_eq(bits_of_float(exp_float(-3e38f)), 0);
    ck_assert(exp_float(INFINITY) == INFINITY);
    ck_assert(exp_float(3e38f) == INFINITY);
    ck_assert(isnan(exp_float(NAN)));
    ck_assert(exp_float(0.0f) == 1);
    ck_assert(exp_float(-0.0f) == 1);
}
END_TEST

START_TEST(log_of_what_is_not_a_positive_number) {
    ck_assert(log_float(0.0f) == -INFINITY);
    ck_assert(log_float(-0.0f) == -INFINITY);
    ck_assert(isnan(log_float(-0x1p-149f)));
    ck_assert(isnan(log_float(-INFINITY)));
    ck_assert(isnan(log_float(NAN)));
    ck_assert(log_float(INFINITY) == INFINITY);
    ck_assert_uint_eq(bits_of_float(log_float(1.0f)), 0);
}
END_TEST

START_TEST(angles_beyond_the_limit_have_no_answer) {
    const float beyond = nextafterf(ANGLE_LIMIT, INFINITY);
    const float angles[] = {beyond, -beyond, 3e38f, INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < COUNT(angles); i++) {
        ck_assert(isnan(sin_float(angles[i])));
        ck_assert(isnan(cos_float(angles[i])));
        ck_assert(isnan(sin_double((double)angles[i])));
        ck_assert(isnan(cos_double((double)angles[i])));
    }
}
END_TEST

START_TEST(zeros_keep_their_sign) {
    ck_assert_uint_eq(bits_of_float(sin_float(0.0f)), bits_of_float(0.0f));
    ck_assert_uint_eq(bits_of_float(sin_float(-0.0f)), bits_of_float(-0.0f));
    ck_assert(bits_of_double(sin_double(-0.0)) == bits_of_double(-0.0));
    ck_assert(bits_of_double(log1p_double(-0.0)) == bits_of_double(-0.0));
    ck_assert(bits_of_double(log1p_double(0.0)) == 0);
    ck_assert(cos_float(-0.0f) == 1);
    ck_assert(cos_double(-0.0) == 1);
}
END_TEST

START_TEST(log1p_of_what_is_not_above_minus_one) {
    ck_assert(log1p_double(-1) == -INFINITY);
    ck_assert(isnan(log1p_double(-0x1.0000000000001p0)));
    ck_assert(isnan(log1p_double(-INFINITY)));
    ck_assert(isnan(log1p_double((double)NAN)));
    ck_assert(log1p_double(INFINITY) == INFINITY);
}
END_TEST

// --- What must hold ------------------------------------------------------------------------------

// Rounding keeps the order of exact results, so correctly rounded results never fall where the
// exact ones rise.
START_TEST(exp_and_log_never_fall) {
    float previous_exp = 0;
    for (float x = -110; x < 95; x += 0x1p-9f) {
        const float y = exp_float(x);
        ck_assert_msg(y >= previous_exp, "exp_float falls at %a", (double)x);
        previous_exp = y;
    }
    float previous_log = -INFINITY;
    for (uint32_t bits = 0; bits <= bits_of_float(INFINITY); bits += 21569) {
        const float y = log_float(float_of_bits(bits));
        ck_assert_msg(y >= previous_log, "log_float falls at %a", (double)float_of_bits(bits));
        previous_log = y;
    }
}
END_TEST

START_TEST(log_undoes_exp) {
    for (float x = -80; x <= 80; x += 0.37f) {
        // e^x is off by half a unit in the last place, which moves its logarithm by 2^-24.
        ck_assert_float_le(fabsf(log_float(exp_float(x)) - x), fabsf(x) * 0x1p-23f + 0x1p-24f);
    }
}
END_TEST

START_TEST(sine_and_cosine_lie_on_the_circle) {
    for (float x = -10; x <= 10; x += 0.0137f) {
        const double sine = (double)sin_float(x);
        const double cosine = (double)cos_float(x);
        ck_assert_double_le(fabs(sine * sine + cosine * cosine - 1), 0x1p-23);
        ck_assert(sin_float(-x) == -sin_float(x));
        ck_assert(cos_float(-x) == cos_float(x));
    }
}
END_TEST

START_TEST(double_versions_round_to_the_float_versions) {
    for (int i = 1; i < 4096; i++) {
        const float x = (float)i * 0x1p-12f;
        ck_assert((float)log1p_double((double)x - 1) == log_float(x));
        ck_assert((float)sin_double(4 * (double)x) == sin_float(4 * x));
        ck_assert((float)cos_double(4 * (double)x) == cos_float(4 * x));
    }
}
END_TEST

// --- The same bits everywhere --------------------------------------------------------------------

// FNV-1a of the results' bytes, lowest first on any machine.
static uint64_t mix(uint64_t hash, uint64_t bits, int bytes) {
    for (int i = 0; i < bytes; i++) hash = (hash ^ ((bits >> (8 * i)) & 0xff)) * 0x100000001b3u;
    return hash;
}

static uint64_t mix_float(uint64_t hash, float x) {
    return mix(hash, isnan(x) ? 0x7fc00000u : bits_of_float(x), 4);
}

static uint64_t mix_double(uint64_t hash, double x) {
    return mix(hash, bits_of_double(x), 8);
}

// Computed by mpmath as well: all of the results below are the nearest ones.
static const uint64_t FLOATS_HASH = 0x6295dc5b5a261118u;
static const uint64_t DOUBLES_HASH = 0xe798ebc1b1087376u;

START_TEST(all_machines_agree) {
    const uint64_t empty = 0xcbf29ce484222325u;
    uint64_t floats = empty;
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 65521) { // a prime: all kinds of low bits
        const float x = float_of_bits((uint32_t)bits);
        floats = mix_float(floats, exp_float(x));
        floats = mix_float(floats, log_float(x));
        floats = mix_float(floats, sin_float(x));
        floats = mix_float(floats, cos_float(x));
    }
    ck_assert_msg(floats == FLOATS_HASH, "floats: 0x%016llx", (unsigned long long)floats);

    uint64_t doubles = empty;
    for (int i = 0; i < 10000; i++) {
        const double u = i / 10007.0;
        doubles = mix_double(doubles, log1p_double(-u));
        doubles = mix_double(doubles, sin_double(6.283185307179586 * u));
        doubles = mix_double(doubles, cos_double(6.283185307179586 * u));
    }
    ck_assert_msg(doubles == DOUBLES_HASH, "doubles: 0x%016llx", (unsigned long long)doubles);
}
END_TEST

Suite *elementary_suite(void) {
    Suite *suite = suite_create("elementary");

    TCase *rounding = tcase_create("rounding");
    tcase_add_test(rounding, exp_is_correctly_rounded);
    tcase_add_test(rounding, log_is_correctly_rounded);
    tcase_add_test(rounding, sin_is_correctly_rounded);
    tcase_add_test(rounding, cos_is_correctly_rounded);
    tcase_add_test(rounding, double_versions_are_the_nearest_double);
    suite_add_tcase(suite, rounding);

    TCase *ends = tcase_create("ends");
    tcase_add_test(ends, exp_of_what_is_not_a_finite_number);
    tcase_add_test(ends, log_of_what_is_not_a_positive_number);
    tcase_add_test(ends, angles_beyond_the_limit_have_no_answer);
    tcase_add_test(ends, zeros_keep_their_sign);
    tcase_add_test(ends, log1p_of_what_is_not_above_minus_one);
    suite_add_tcase(suite, ends);

    TCase *properties = tcase_create("properties");
    tcase_add_test(properties, exp_and_log_never_fall);
    tcase_add_test(properties, log_undoes_exp);
    tcase_add_test(properties, sine_and_cosine_lie_on_the_circle);
    tcase_add_test(properties, double_versions_round_to_the_float_versions);
    tcase_add_test(properties, all_machines_agree);
    suite_add_tcase(suite, properties);
    return suite;
}
