//! Reads and writes at indices. An index out of range reads 0 or writes nothing, and is the error of the next wait.

use super::CudaStorage;
use crate::{Layout, Result};
use kernelgen::ops;

impl CudaStorage {
    pub(super) fn gathered(&self, layout: &Layout, ids: &Self, ids_layout: &Layout, dim: usize) -> Result<Self> {
        let (x, ids) = (self.view(layout)?, ids.view(ids_layout)?);
        self.computed(ops::gather_with(&x, dim as i64, &ids, None, self.stream()))
    }

    pub(super) fn selected(&self, layout: &Layout, ids: &Self, ids_layout: &Layout, dim: usize) -> Result<Self> {
        let (x, ids) = (self.view(layout)?, ids.view(ids_layout)?);
        self.computed(ops::index_select_with(&x, dim as i64, &ids, None, self.stream()))
    }

    pub(super) fn indexed_sum(
        &self,
        layout: &Layout,
        (ids, ids_layout): (&Self, &Layout),
        (source, source_layout): (&Self, &Layout),
        dim: usize,
    ) -> Result<Self> {
        let (x, ids, source) = (self.view(layout)?, ids.view(ids_layout)?, source.view(source_layout)?);
        self.computed(ops::index_add_with(&x, dim as i64, &ids, &source, false, None, self.stream()))
    }

    pub(super) fn scatter(
        &mut self,
        layout: &Layout,
        (ids, ids_layout): (&Self, &Layout),
        (source, source_layout): (&Self, &Layout),
        dim: usize,
    ) -> Result<()> {
        let (x, ids, source) = (self.view(layout)?, ids.view(ids_layout)?, source.view(source_layout)?);
        Ok(ops::scatter_set_with(&x, dim as i64, &ids, &source, self.stream())?)
    }

    pub(super) fn scatter_add(
        &mut self,
        layout: &Layout,
        (ids, ids_layout): (&Self, &Layout),
        (source, source_layout): (&Self, &Layout),
        dim: usize,
    ) -> Result<()> {
        let (x, ids, source) = (self.view(layout)?, ids.view(ids_layout)?, source.view(source_layout)?);
        Ok(ops::scatter_add_set_with(&x, dim as i64, &ids, &source, false, self.stream())?)
    }
}
