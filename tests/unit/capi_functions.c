#include "capi_functions.h"

#include <math.h>

static double sqr(double x) { return x * x; }
static double neg(double x) { return -x; }
static double recip(double x) { return 1 / x; }
static double sign(double x) { return (x > 0) - (x < 0); }
static double relu(double x) { return x > 0 ? x : 0; }
static double sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double silu(double x) { return x * sigmoid(x); }
static double normcdf(double x) { return 0.5 * erfc(-x / sqrt(2)); }
static double gelu_erf(double x) { return x * normcdf(x); }
static double gelu(double x) { return 0.5 * x * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x))); }

const capi_unary capi_unaries[] = {
    {"exp", kernelgen_exp, exp},
    {"log", kernelgen_log, log},
    {"sin", kernelgen_sin, sin},
    {"cos", kernelgen_cos, cos},
    {"tanh", kernelgen_tanh, tanh},
    {"erf", kernelgen_erf, erf},
    {"ceil", kernelgen_ceil, ceil},
    {"floor", kernelgen_floor, floor},
    {"round", kernelgen_round, round},
    {"sqrt", kernelgen_sqrt, sqrt},
    {"sqr", kernelgen_sqr, sqr},
    {"abs", kernelgen_abs, fabs},
    {"neg", kernelgen_neg, neg},
    {"recip", kernelgen_recip, recip},
    {"sign", kernelgen_sign, sign},
    {"gelu", kernelgen_gelu, gelu},
    {"gelu_erf", kernelgen_gelu_erf, gelu_erf},
    {"silu", kernelgen_silu, silu},
    {"relu", kernelgen_relu, relu},
    {"sigmoid", kernelgen_sigmoid, sigmoid},
    {"normcdf", kernelgen_normcdf, normcdf},
    {NULL, NULL, NULL},
};

static double add(double a, double b) { return a + b; }
static double sub(double a, double b) { return a - b; }
static double mul(double a, double b) { return a * b; }
static double quotient(double a, double b) { return a / b; }

const capi_binary capi_binaries[] = {
    {"add", kernelgen_add, add},
    {"sub", kernelgen_sub, sub},
    {"mul", kernelgen_mul, mul},
    {"div", kernelgen_div, quotient},
    {"maximum", kernelgen_maximum, fmax},
    {"minimum", kernelgen_minimum, fmin},
    {NULL, NULL, NULL},
};

static double eq(double a, double b) { return a == b; }
static double ne(double a, double b) { return a != b; }
static double lt(double a, double b) { return a < b; }
static double le(double a, double b) { return a <= b; }
static double gt(double a, double b) { return a > b; }
static double ge(double a, double b) { return a >= b; }

const capi_binary capi_comparisons[] = {
    {"eq", kernelgen_eq, eq}, {"ne", kernelgen_ne, ne}, {"lt", kernelgen_lt, lt}, {"le", kernelgen_le, le},
    {"gt", kernelgen_gt, gt}, {"ge", kernelgen_ge, ge}, {NULL, NULL, NULL},
};

int capi_affine_add(const char* device_name, const float* x, const float* y, float* result, size_t count) {
  const int64_t shape[1] = {(int64_t)count};
  const size_t bytes = count * sizeof(float);
  kernelgen_device* device = NULL;
  kernelgen_tensor *left = NULL, *right = NULL, *doubled = NULL;
  int failed = 1;
  if (kernelgen_device_open(device_name, NULL, &device) != KERNELGEN_OK) goto done;
  ++failed;
  if (kernelgen_tensor_from_host(device, x, bytes, KERNELGEN_F32, 1, shape, NULL, &left) != KERNELGEN_OK)
    goto done;
  ++failed;
  if (kernelgen_tensor_from_host(device, y, bytes, KERNELGEN_F32, 1, shape, NULL, &right) != KERNELGEN_OK)
    goto done;
  ++failed;
  if (kernelgen_affine(left, kernelgen_real(2.0), kernelgen_integer(0), NULL, NULL, &doubled) != KERNELGEN_OK)
    goto done;
  ++failed;
  /* In place, without a handle for the result. */
  if (kernelgen_add(doubled, right, doubled, NULL, NULL) != KERNELGEN_OK) goto done;
  ++failed;
  if (kernelgen_tensor_to_host(doubled, result, bytes, NULL) != KERNELGEN_OK) goto done;
  failed = 0;
done:
  kernelgen_tensor_release(doubled);
  kernelgen_tensor_release(right);
  kernelgen_tensor_release(left);
  kernelgen_device_release(device);
  return failed;
}
