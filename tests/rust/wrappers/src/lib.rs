//! The wrappers of the package of imported kernels, as a program includes them.
#![deny(warnings)]
pub mod shapes;
