//! Matrix products, beside candle's CPU back end.

mod common;

use candle_core::{DType, Result};
use common::operand::{compare, operands, Operand};
use common::Random;

/// Of at most 70 products each; the elements keep sums near 1.
const DTYPES: [DType; 4] = [DType::F16, DType::BF16, DType::F32, DType::F64];
const SIZES: [(usize, usize, usize); 6] = [(1, 1, 1), (1, 70, 33), (7, 5, 3), (33, 64, 17), (64, 16, 64), (2, 33, 1)];

#[test]
fn layouts() -> Result<()> {
    let mut random = Random::new(40);
    for dtype in DTYPES {
        for (m, k, n) in SIZES {
            let right = operands(&mut random, &[k, n], dtype, (-0.2, 0.2))?;
            for a in operands(&mut random, &[m, k], dtype, (-1., 1.))? {
                for b in &right {
                    compare("matmul", &[&a, b], |x| x[0].matmul(&x[1]))?;
                }
            }
        }
    }
    Ok(())
}

#[test]
fn batches() -> Result<()> {
    let mut random = Random::new(41);
    for dtype in DTYPES {
        for a in operands(&mut random, &[2, 3, 5, 8], dtype, (-1., 1.))? {
            for b in operands(&mut random, &[2, 3, 8, 4], dtype, (-0.3, 0.3))? {
                compare("matmul", &[&a, &b], |x| x[0].matmul(&x[1]))?;
            }
            let shared = Operand::plain(&random.between((8, 4), dtype, (-0.3, 0.3))?)?;
            compare("broadcast_matmul", &[&a, &shared], |x| x[0].broadcast_matmul(&x[1]))?;
            let vector = Operand::plain(&random.between((3, 8, 4), dtype, (-0.3, 0.3))?)?;
            compare("broadcast_matmul", &[&a, &vector], |x| x[0].broadcast_matmul(&x[1]))?;
        }
    }
    Ok(())
}

#[test]
fn wrong_shapes_are_candles_error() -> Result<()> {
    let mut random = Random::new(42);
    let a = Operand::plain(&random.tensor((2, 3), DType::F32)?)?;
    let b = Operand::plain(&random.tensor((4, 3), DType::F32)?)?;
    let ours = a.ours.matmul(&b.ours).unwrap_err().to_string();
    let theirs = a.theirs.matmul(&b.theirs).unwrap_err().to_string();
    assert_eq!(ours.lines().next(), theirs.lines().next());
    assert!(a.ours.matmul(&b.theirs).is_err(), "operands on two devices");
    Ok(())
}
