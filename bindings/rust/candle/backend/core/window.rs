//! Windows and sizes of images as the library's.

use kernelgen::{Size2, Window1, Window2};

pub(super) fn size(height: usize, width: usize) -> Size2 {
    (height as i64, width as i64).into()
}

fn both(extent: usize) -> Size2 {
    size(extent, extent)
}

/// A window with the same numbers in both dims.
pub(super) fn window2(stride: usize, padding: usize, dilation: usize) -> Window2 {
    Window2 { stride: both(stride), padding: both(padding), dilation: both(dilation), ..Window2::default() }
}

pub(super) fn window1(stride: usize, padding: usize, dilation: usize) -> Window1 {
    Window1 { stride: stride as i64, padding: padding as i64, dilation: dilation as i64, ..Window1::default() }
}
