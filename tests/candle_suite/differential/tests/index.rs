//! Indexing, copies and layouts, beside candle's CPU back end.

mod common;

use candle_core::{DType, Device, IndexOp, Result, Tensor};
use common::operand::{compare_moved, operands, Operand, FLOATS, INTEGERS};
use common::{assert_close, device, Random};

const IDS: [DType; 3] = [DType::U8, DType::U32, DType::I64];

fn all() -> impl Iterator<Item = DType> {
    FLOATS.into_iter().chain(INTEGERS)
}

#[test]
fn gather_and_select() -> Result<()> {
    let mut random = Random::new(30);
    for dtype in all() {
        for ids in IDS {
            for x in operands(&mut random, &[4, 6, 7], dtype, (0., 50.))? {
                for axis in 0..3 {
                    let mut shape = [4, 6, 7];
                    let limit = shape[axis] as f64;
                    shape[axis] = 9;
                    for index in operands(&mut random, &shape, ids, (0., limit))? {
                        compare_moved("gather", &[&x, &index], |x| x[0].gather(&x[1].contiguous()?, axis))?;
                    }
                    let list = Operand::plain(&random.between(11, ids, (0., limit))?)?;
                    compare_moved("index_select", &[&x, &list], |x| x[0].index_select(&x[1], axis))?;
                }
            }
            let table = Operand::plain(&random.between((20, 8), dtype, (0., 50.))?)?;
            let words = Operand::plain(&random.between(33, ids, (0., 20.))?)?;
            compare_moved("embedding", &[&table, &words], |x| x[0].embedding(&x[1]))?;
        }
    }
    Ok(())
}

/// Sums of small integers are exact in every dtype.
#[test]
fn scatter() -> Result<()> {
    let mut random = Random::new(31);
    for dtype in all() {
        for ids in IDS {
            let into = Operand::plain(&random.between((5, 8), dtype, (0., 4.))?.to_dtype(DType::U8)?.to_dtype(dtype)?)?;
            for source in operands(&mut random, &[5, 8], dtype, (1., 1.5))? {
                for axis in 0..2 {
                    let index = Operand::plain(&permutations(&mut random, axis)?.to_dtype(ids)?)?;
                    compare_moved("scatter", &[&into, &source, &index], |x| {
                        x[0].scatter(&x[2], &x[1].contiguous()?, axis)
                    })?;
                }
            }
            let ones = Operand::plain(&Tensor::ones((5, 8), dtype, &Device::Cpu)?)?;
            for axis in 0..2 {
                let index = Operand::plain(&random.between((5, 8), ids, (0., 5.))?)?;
                let list = Operand::plain(&random.between([5, 8][axis], ids, (0., 5.))?)?;
                compare_moved("scatter_add", &[&into, &ones, &index], |x| x[0].scatter_add(&x[2], &x[1], axis))?;
                compare_moved("index_add", &[&into, &ones, &list], |x| x[0].index_add(&x[2], &x[1], axis))?;
            }
        }
    }
    Ok(())
}

/// [5, 8] indices in which no two along `axis` are equal.
fn permutations(random: &mut Random, axis: usize) -> Result<Tensor> {
    let keys = random.between((5, 8), DType::F32, (0., 1.))?;
    if axis == 1 {
        return keys.arg_sort_last_dim(true);
    }
    keys.t()?.contiguous()?.arg_sort_last_dim(true)?.t()?.contiguous()
}

/// candle refuses these on the CPU. On the device they are errors, and the device works after them.
#[test]
fn index_out_of_range() -> Result<()> {
    let device = device()?;
    let x = Tensor::arange(0f32, 12., &device)?.reshape((3, 4))?;
    let bad = Tensor::new(&[0u32, 3], &device)?;
    let grid = Tensor::new(&[[0i64, 1, 2, 99]], &device)?;
    let negative = Tensor::new(&[[0i64, 1, -2, 0]], &device)?;
    let source = Tensor::zeros((2, 4), DType::F32, &device)?;
    let calls: [(&str, &dyn Fn() -> Result<Tensor>); 7] = [
        ("index_select", &|| x.index_select(&bad, 0)),
        ("embedding", &|| x.embedding(&bad)),
        ("gather", &|| x.gather(&grid, 0)),
        ("gather of a negative index", &|| x.gather(&negative, 0)),
        ("index_add", &|| x.index_add(&bad, &source, 0)),
        ("scatter_add", &|| x.scatter_add(&grid, &source.i(..1)?, 0)),
        ("scatter", &|| x.scatter(&grid, &source.i(..1)?, 0)),
    ];
    for (name, call) in calls {
        // A GPU reports the error when the result is read.
        let outcome = call().and_then(|tensor| tensor.to_device(&Device::Cpu));
        assert!(outcome.is_err(), "{name} accepts an index out of range");
        assert_eq!(x.sum_all()?.to_scalar::<f32>()?, 66., "after {name}");
    }
    Ok(())
}

type Move = (&'static str, fn(&Tensor) -> Result<Tensor>);

const MOVES: [Move; 18] = [
    ("contiguous", |x| x.contiguous()),
    ("copy", |x| x.copy()),
    ("force_contiguous", |x| x.force_contiguous()),
    ("permute", |x| x.permute((2, 0, 1))?.contiguous()),
    ("transpose", |x| x.transpose(0, 2)?.contiguous()),
    ("reshape", |x| x.reshape((x.elem_count() / 2, 2))),
    ("flip", |x| x.flip(&[0, 2])),
    ("roll", |x| x.roll(2, 1)),
    ("pad_with_zeros", |x| x.pad_with_zeros(1, 2, 1)),
    ("pad_with_same", |x| x.pad_with_same(2, 1, 3)),
    ("repeat", |x| x.repeat((2, 1, 3))),
    ("cat 0", |x| Tensor::cat(&[x, x], 0)),
    ("cat 1", |x| Tensor::cat(&[x, &x.narrow(1, 0, 3)?], 1)),
    ("cat 2", |x| Tensor::cat(&[&x.narrow(2, 1, 2)?, x], 2)),
    ("stack", |x| Tensor::stack(&[x, x], 2)),
    ("slice_set", |x| {
        let into = Tensor::zeros((4, 9, 6), x.dtype(), x.device())?;
        into.slice_set(&x.contiguous()?, 1, 2)?;
        Ok(into)
    }),
    ("slice_scatter", |x| {
        let into = Tensor::ones((4, 6, 9), x.dtype(), x.device())?;
        into.slice_scatter(x, 2, 3)
    }),
    ("zero_set", |x| {
        let x = x.copy()?;
        x.narrow(1, 1, 3)?.zero_set()?;
        Ok(x)
    }),
];

#[test]
fn moves() -> Result<()> {
    let mut random = Random::new(32);
    for (name, call) in MOVES {
        for dtype in all() {
            for x in operands(&mut random, &[4, 6, 6], dtype, (0., 50.))? {
                compare_moved(name, &[&x], |x| call(&x[0]))?;
            }
        }
    }
    Ok(())
}

#[test]
fn made_on_the_device() -> Result<()> {
    let device = device()?;
    for dtype in all() {
        for (ours, theirs) in [
            (Tensor::zeros((3, 5), dtype, &device)?, Tensor::zeros((3, 5), dtype, &Device::Cpu)?),
            (Tensor::ones((3, 5), dtype, &device)?, Tensor::ones((3, 5), dtype, &Device::Cpu)?),
            (Tensor::eye(4, dtype, &device)?, Tensor::eye(4, dtype, &Device::Cpu)?),
            (Tensor::tril2(4, dtype, &device)?, Tensor::tril2(4, dtype, &Device::Cpu)?),
        ] {
            assert_close(&format!("{dtype:?}"), &ours, &theirs)?;
        }
    }
    Ok(())
}

/// No elements, no dimensions.
#[test]
fn empty_and_scalar() -> Result<()> {
    let device = device()?;
    let none = Tensor::zeros((0, 3), DType::F32, &device)?;
    assert_eq!((&none + 1.)?.exp()?.dims(), [0, 3]);
    assert_eq!(Tensor::cat(&[&none, &none], 0)?.to_vec2::<f32>()?, Vec::<Vec<f32>>::new());
    assert_eq!(none.t()?.contiguous()?.dims(), [3, 0]);
    let scalar = Tensor::new(2f32, &device)?;
    assert_eq!((&scalar * &scalar)?.to_scalar::<f32>()?, 4.);
    assert_eq!(scalar.broadcast_as((2, 2))?.sum_all()?.to_scalar::<f32>()?, 8.);
    Ok(())
}
