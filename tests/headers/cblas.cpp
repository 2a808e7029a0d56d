#include <cblas.h>

#include "library/blas.hpp"
#include "same_call.hpp"

static_assert(kernelgen::test::is_same_as<std::remove_pointer_t<kernelgen::CblasGemm<float>>>(cblas_sgemm));
static_assert(kernelgen::test::is_same_as<std::remove_pointer_t<kernelgen::CblasGemm<double>>>(cblas_dgemm));
EXPECT_NUMBER(kernelgen::cblas::row_major, CblasRowMajor);
EXPECT_NUMBER(kernelgen::cblas::no_transpose, CblasNoTrans);
EXPECT_NUMBER(kernelgen::cblas::transpose, CblasTrans);
