//! Convolutions, pooling and upsampling, beside candle's CPU back end.

mod common;

use candle_core::{DType, Result, Tensor};
use common::operand::{compare, operands};
use common::Random;

const DTYPES: [DType; 4] = [DType::F16, DType::BF16, DType::F32, DType::F64];

/// Padding, stride, dilation, groups.
const WINDOWS: [[usize; 4]; 6] = [[0, 1, 1, 1], [1, 1, 1, 1], [2, 2, 1, 1], [1, 1, 2, 2], [0, 3, 1, 2], [3, 2, 2, 1]];

#[test]
fn conv() -> Result<()> {
    let mut random = Random::new(50);
    for dtype in DTYPES {
        for [padding, stride, dilation, groups] in WINDOWS {
            let what = format!("padding {padding}, stride {stride}, dilation {dilation}, groups {groups}:");
            let kernels = operands(&mut random, &[6, 4 / groups, 3], dtype, (-0.3, 0.3))?;
            for x in operands(&mut random, &[2, 4, 12], dtype, (-1., 1.))? {
                for kernel in &kernels {
                    compare(&format!("{what} conv1d"), &[&x, kernel], |x| {
                        x[0].conv1d(&x[1], padding, stride, dilation, groups)
                    })?;
                }
            }
            let kernels = operands(&mut random, &[6, 4 / groups, 3, 2], dtype, (-0.2, 0.2))?;
            for x in operands(&mut random, &[2, 4, 9, 10], dtype, (-1., 1.))? {
                for kernel in &kernels {
                    compare(&format!("{what} conv2d"), &[&x, kernel], |x| {
                        x[0].conv2d(&x[1], padding, stride, dilation, groups)
                    })?;
                }
            }
        }
    }
    Ok(())
}

#[test]
fn conv_transpose() -> Result<()> {
    let mut random = Random::new(51);
    for dtype in DTYPES {
        for [padding, output_padding, stride, dilation] in
            [[0, 0, 1, 1], [1, 0, 1, 1], [1, 1, 2, 1], [0, 0, 3, 2], [2, 1, 2, 2]]
        {
            let what =
                format!("padding {padding}, output_padding {output_padding}, stride {stride}, dilation {dilation}:");
            let kernels = operands(&mut random, &[4, 5, 3], dtype, (-0.3, 0.3))?;
            for x in operands(&mut random, &[2, 4, 7], dtype, (-1., 1.))? {
                for kernel in &kernels {
                    compare(&format!("{what} conv_transpose1d"), &[&x, kernel], |x| {
                        let call = |image: &Tensor| {
                            image.conv_transpose1d(&x[1], padding, output_padding, stride, dilation, 1)
                        };
                        if x[0].device().is_cuda() {
                            return call(&x[0]);
                        }
                        // candle's CPU back end computes only the first image of a batch right.
                        Tensor::cat(&[call(&x[0].narrow(0, 0, 1)?)?, call(&x[0].narrow(0, 1, 1)?.contiguous()?)?], 0)
                    })?;
                }
            }
            let kernels = operands(&mut random, &[4, 5, 3, 3], dtype, (-0.2, 0.2))?;
            for x in operands(&mut random, &[2, 4, 6, 5], dtype, (-1., 1.))? {
                for kernel in &kernels {
                    compare(&format!("{what} conv_transpose2d"), &[&x, kernel], |x| {
                        x[0].conv_transpose2d(&x[1], padding, output_padding, stride, dilation)
                    })?;
                }
            }
        }
    }
    Ok(())
}

#[test]
fn pooling() -> Result<()> {
    let mut random = Random::new(52);
    for dtype in DTYPES {
        for x in operands(&mut random, &[2, 3, 9, 8], dtype, (-1., 1.))? {
            for (kernel, stride) in [((2, 2), (2, 2)), ((3, 2), (1, 2)), ((3, 3), (2, 1)), ((9, 8), (1, 1))] {
                compare("avg_pool2d", &[&x], |x| x[0].avg_pool2d_with_stride(kernel, stride))?;
                compare("max_pool2d", &[&x], |x| x[0].max_pool2d_with_stride(kernel, stride))?;
            }
        }
    }
    Ok(())
}

#[test]
fn upsampling() -> Result<()> {
    let mut random = Random::new(53);
    for dtype in DTYPES {
        for x in operands(&mut random, &[2, 3, 7], dtype, (-1., 1.))? {
            for size in [1, 7, 14, 17] {
                compare("upsample_nearest1d", &[&x], |x| x[0].upsample_nearest1d(size))?;
            }
        }
        for x in operands(&mut random, &[2, 3, 5, 6], dtype, (-1., 1.))? {
            for (height, width) in [(5, 6), (10, 12), (7, 11), (3, 4)] {
                compare("upsample_nearest2d", &[&x], |x| x[0].upsample_nearest2d(height, width))?;
                for corners in [true, false] {
                    compare("upsample_bilinear2d", &[&x], |x| x[0].upsample_bilinear2d(height, width, corners))?;
                }
            }
        }
    }
    Ok(())
}
